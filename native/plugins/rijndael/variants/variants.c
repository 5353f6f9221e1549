/*
 * Counter mode around AES-128 with lookup tables, in the three variants that the document *Tor* of 2007 compares
 * (data/published/README.md). This file is compiled once for each optimisation level.
 *
 * It is not constant-time: the cache lines of the tables that are read depend on key and message (Bernstein,
 * Cache-timing attacks on AES, 2005).
 */
#include "../plugin.h"

#define PASTE(name, level) name##level
#define WITH_LEVEL(name, level) PASTE(name, level)

static uint32_t load(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store(uint8_t *bytes, uint32_t word) {
    bytes[0] = (uint8_t)(word >> 24);
    bytes[1] = (uint8_t)(word >> 16);
    bytes[2] = (uint8_t)(word >> 8);
    bytes[3] = (uint8_t)word;
}

/* Return a column after a round; the arguments are the columns from which ShiftRows takes its bytes. */
static inline uint32_t column(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key) {
    return rijndael_tables[0][a >> 24] ^ rijndael_tables[1][b >> 16 & 255] ^ rijndael_tables[2][c >> 8 & 255] ^
           rijndael_tables[3][d & 255] ^ key;
}

/* The last round has no MixColumns. */
static inline uint32_t last_column(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key) {
    return ((uint32_t)rijndael_sbox[a >> 24] << 24 | (uint32_t)rijndael_sbox[b >> 16 & 255] << 16 |
            (uint32_t)rijndael_sbox[c >> 8 & 255] << 8 | rijndael_sbox[d & 255]) ^
           key;
}

#define ROUND(to, from, key)                                                                                           \
    do {                                                                                                               \
        to[0] = column(from[0], from[1], from[2], from[3], (key)[0]);                                                  \
        to[1] = column(from[1], from[2], from[3], from[0], (key)[1]);                                                  \
        to[2] = column(from[2], from[3], from[0], from[1], (key)[2]);                                                  \
        to[3] = column(from[3], from[0], from[1], from[2], (key)[3]);                                                  \
    } while (0)

static inline void finish(const uint32_t s[4], const uint32_t *key, uint8_t out[BLOCK]) {
    for (int i = 0; i < 4; i++) {
        store(out + 4 * i, last_column(s[i], s[(i + 1) & 3], s[(i + 2) & 3], s[(i + 3) & 3], key[i]));
    }
}

/* The three functions are not inlined, because in 2007 they were in another file than counter mode. */
__attribute__((noinline)) static void words_loop(const struct schedule *schedule, uint32_t s0, uint32_t s1, uint32_t s2,
                                                 uint32_t s3, uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words;
    uint32_t s[4] = {s0 ^ key[0], s1 ^ key[1], s2 ^ key[2], s3 ^ key[3]}, t[4];
    /* Two rounds at a time need no copy; the ninth round follows. */
#pragma GCC unroll 1
    for (int round = 1; round < ROUNDS - 1; round += 2) {
        key += 4;
        ROUND(t, s, key);
        key += 4;
        ROUND(s, t, key);
    }
    key += 4;
    ROUND(t, s, key);
    finish(t, key + 4, out);
}

__attribute__((noinline)) static void words_unrolled(const struct schedule *schedule, uint32_t s0, uint32_t s1,
                                                     uint32_t s2, uint32_t s3, uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words;
    uint32_t s[4] = {s0 ^ key[0], s1 ^ key[1], s2 ^ key[2], s3 ^ key[3]}, t[4];
    ROUND(t, s, key + 4);
    ROUND(s, t, key + 8);
    ROUND(t, s, key + 12);
    ROUND(s, t, key + 16);
    ROUND(t, s, key + 20);
    ROUND(s, t, key + 24);
    ROUND(t, s, key + 28);
    ROUND(s, t, key + 32);
    ROUND(t, s, key + 36);
    finish(t, key + 40, out);
}

__attribute__((noinline)) static void bytes_loop(const struct schedule *schedule, const uint8_t in[BLOCK],
                                                 uint8_t out[BLOCK]) {
    words_loop(schedule, load(in), load(in + 4), load(in + 8), load(in + 12), out);
}

struct counter {
    uint32_t words[4];
};

static inline void increase(struct counter *counter) {
    for (int i = 3; i >= 0 && ++counter->words[i] == 0; i--) {
    }
}

/* Convert the counter to bytes, which the block cipher converts back to words. */
static inline void encrypt_as_bytes(const struct schedule *schedule, const struct counter *counter,
                                    uint8_t out[BLOCK]) {
    uint8_t block[BLOCK];
    for (int i = 0; i < 4; i++) {
        store(block + 4 * i, counter->words[i]);
    }
    bytes_loop(schedule, block, out);
}

static inline void encrypt_words(const struct schedule *schedule, const struct counter *counter, uint8_t out[BLOCK]) {
    const uint32_t *w = counter->words;
    words_loop(schedule, w[0], w[1], w[2], w[3], out);
}

static inline void encrypt_words_unrolled(const struct schedule *schedule, const struct counter *counter,
                                          uint8_t out[BLOCK]) {
    const uint32_t *w = counter->words;
    words_unrolled(schedule, w[0], w[1], w[2], w[3], out);
}

typedef void keystream_block(const struct schedule *schedule, const struct counter *counter, uint8_t out[BLOCK]);

static inline __attribute__((always_inline)) void crypt(keystream_block *next, const struct schedule *schedule,
                                                        const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                                                        uint8_t *out) {
    struct counter counter = {{load(nonce), load(nonce + 4), load(nonce + 8), load(nonce + 12)}};
    uint8_t block[BLOCK];
    for (size_t done = 0; done < bytes; done += BLOCK) {
        next(schedule, &counter, block);
        increase(&counter);
        const size_t length = bytes - done < BLOCK ? bytes - done : BLOCK;
        for (size_t i = 0; i < length; i++) {
            out[done + i] = in[done + i] ^ block[i];
        }
    }
}

static void plain(const struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                  uint8_t *out) {
    crypt(encrypt_as_bytes, schedule, nonce, in, bytes, out);
}

static void counter_optimization(const struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in,
                                 size_t bytes, uint8_t *out) {
    crypt(encrypt_words, schedule, nonce, in, bytes, out);
}

static void full_unroll(const struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                        uint8_t *out) {
    crypt(encrypt_words_unrolled, schedule, nonce, in, bytes, out);
}

const struct rijndael_variants WITH_LEVEL(rijndael_variants_o, LEVEL) = {plain, counter_optimization, full_unroll};

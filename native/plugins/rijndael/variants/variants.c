/*
 * AES-128 with lookup tables in counter mode, in the three variants that the document *Tor* of 2007 compares
 * (data/published/README.md). It is code of this project and not rijndael-alg-fst.c: the last round reads bytes of the
 * S-box, and the tables are computed. This file is compiled once for each optimization level.
 *
 * It is not constant-time: the cache lines of the tables that are read depend on key and message (Bernstein,
 * Cache-timing attacks on AES, 2005).
 */
#include "../plugin.h"

#define PASTE(name, level) name##level
#define WITH_LEVEL(name, level) PASTE(name, level)

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

/* Apply all rounds to `s`, which holds the input plus the first round key. Two rounds at a time need no copy. The number
 * of rounds is read from memory, so that compilers leave the loop rolled. */
static inline __attribute__((always_inline)) void in_loop(const struct schedule *schedule, uint32_t s[4],
                                                          uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words;
    uint32_t t[4];
    for (int pairs = schedule->rounds / 2;;) {
        ROUND(t, s, key + 4);
        key += 8;
        if (--pairs == 0) {
            break;
        }
        ROUND(s, t, key);
    }
    finish(t, key, out);
}

/* FULL_UNROLL of the document; see in_loop(). */
static inline __attribute__((always_inline)) void unrolled(const struct schedule *schedule, uint32_t s[4],
                                                           uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words;
    uint32_t t[4];
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

/* The plain variant decodes its input from bytes. */
static void encrypt_bytes(const struct schedule *schedule, const uint8_t in[BLOCK], uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words;
    uint32_t s[4] = {load(in) ^ key[0], load(in + 4) ^ key[1], load(in + 8) ^ key[2], load(in + 12) ^ key[3]};
    in_loop(schedule, s, out);
}

static void encrypt_words(const struct schedule *schedule, const struct counter *in, uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words, *w = in->words;
    uint32_t s[4] = {w[0] ^ key[0], w[1] ^ key[1], w[2] ^ key[2], w[3] ^ key[3]};
    in_loop(schedule, s, out);
}

static void encrypt_words_unrolled(const struct schedule *schedule, const struct counter *in, uint8_t out[BLOCK]) {
    const uint32_t *key = schedule->words, *w = in->words;
    uint32_t s[4] = {w[0] ^ key[0], w[1] ^ key[1], w[2] ^ key[2], w[3] ^ key[3]};
    unrolled(schedule, s, out);
}

static inline int plain_block(void *schedule, const struct counter *counter, uint8_t block[BLOCK]) {
    uint8_t bytes[BLOCK];
    encode(counter, bytes);
    encrypt_bytes(schedule, bytes, block);
    return 1;
}

static inline int counter_block(void *schedule, const struct counter *counter, uint8_t block[BLOCK]) {
    encrypt_words(schedule, counter, block);
    return 1;
}

static inline int unrolled_block(void *schedule, const struct counter *counter, uint8_t block[BLOCK]) {
    encrypt_words_unrolled(schedule, counter, block);
    return 1;
}

static void plain(struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                  uint8_t *out) {
    counter_mode(plain_block, schedule, nonce, in, bytes, out);
}

static void counter_optimization(struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                                 uint8_t *out) {
    counter_mode(counter_block, schedule, nonce, in, bytes, out);
}

static void full_unroll(struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                        uint8_t *out) {
    counter_mode(unrolled_block, schedule, nonce, in, bytes, out);
}

const struct rijndael_variants WITH_LEVEL(rijndael_variants_o, LEVEL) = {plain, counter_optimization, full_unroll};

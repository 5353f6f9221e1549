/*
 * Counter mode as in the program of the document *Tor* (data/published/README.md), Tor's src/common/aes.c in commit
 * 230fbd95c0: the counter consists of words, each call of the block cipher makes one block of keystream, and the bytes
 * of a message are combined with it one by one, with a check of the length before each. The counter of that program has
 * 64 bits; here it has the 128 bits of the document.
 */
#ifndef AEADLAB_COUNTER_MODE_H
#define AEADLAB_COUNTER_MODE_H

#include <stddef.h>
#include <stdint.h>

enum { BLOCK = 16 };

/* The most significant word first. */
struct counter {
    uint32_t words[4];
};

/* Write the next block of keystream; return 0 if the cipher fails, else 1. */
typedef int keystream_block(void *key, const struct counter *counter, uint8_t block[BLOCK]);

static inline uint32_t load(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void store(uint8_t *bytes, uint32_t word) {
    bytes[0] = (uint8_t)(word >> 24);
    bytes[1] = (uint8_t)(word >> 16);
    bytes[2] = (uint8_t)(word >> 8);
    bytes[3] = (uint8_t)word;
}

static inline void encode(const struct counter *counter, uint8_t block[BLOCK]) {
    for (int i = 0; i < 4; i++) {
        store(block + 4 * i, counter->words[i]);
    }
}

static inline void increase(struct counter *counter) {
    for (int i = 3; i >= 0 && ++counter->words[i] == 0; i--) {
    }
}

/*
 * Encrypt or decrypt a message; `nonce` is the first counter block. As in Tor's code, setting the counter makes the
 * first block and encryption the later ones, so that a cipher has more than one caller in its file, and the compiler
 * decides whether to inline it. The document does not say more about it.
 */
static inline __attribute__((always_inline)) int counter_mode(keystream_block *next, void *key,
                                                              const uint8_t nonce[BLOCK], const uint8_t *in,
                                                              size_t bytes, uint8_t *out) {
    struct counter counter = {{load(nonce), load(nonce + 4), load(nonce + 8), load(nonce + 12)}};
    uint8_t block[BLOCK];
    if (!next(key, &counter, block)) {
        return 0;
    }
    for (;;) {
        for (int i = 0; i < BLOCK; i++) {
            if (bytes-- == 0) {
                return 1;
            }
            *out++ = *in++ ^ block[i];
        }
        if (bytes == 0) {
            return 1;
        }
        increase(&counter);
        if (!next(key, &counter, block)) {
            return 0;
        }
    }
}

#endif

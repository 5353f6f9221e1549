/*
 * The code around OpenSSL's AES in the program of the document *Tor* of 2007 (data/published/README.md): it encrypts one
 * counter block with each call and adds the output to the message. This file is compiled once for each optimisation
 * level, without instructions that not all CPUs of the architecture have.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callers.h"

#include <openssl/aes.h>
#include <openssl/evp.h>
#include <string.h>

#define PASTE(name, level) name##level
#define WITH_LEVEL(name, level) PASTE(name, level)

typedef int block_cipher(void *key, const uint8_t counter[AES_BLOCK_SIZE], uint8_t block[AES_BLOCK_SIZE]);

static inline int low_level_block(void *key, const uint8_t counter[AES_BLOCK_SIZE], uint8_t block[AES_BLOCK_SIZE]) {
    AES_encrypt(counter, block, key);
    return 1;
}

static inline int evp_block(void *key, const uint8_t counter[AES_BLOCK_SIZE], uint8_t block[AES_BLOCK_SIZE]) {
    int produced;
    return EVP_EncryptUpdate(key, block, &produced, counter, AES_BLOCK_SIZE);
}

static inline __attribute__((always_inline)) int crypt(block_cipher *encrypt, void *key, const uint8_t *nonce,
                                                       const uint8_t *in, size_t bytes, uint8_t *out) {
    uint8_t counter[AES_BLOCK_SIZE], block[AES_BLOCK_SIZE];
    memcpy(counter, nonce, sizeof counter);
    for (size_t done = 0; done < bytes; done += sizeof block) {
        if (!encrypt(key, counter, block)) {
            return 0;
        }
        for (int i = AES_BLOCK_SIZE - 1; i >= 0 && ++counter[i] == 0; i--) {
        }
        const size_t length = bytes - done < sizeof block ? bytes - done : sizeof block;
        for (size_t i = 0; i < length; i++) {
            out[done + i] = in[done + i] ^ block[i];
        }
    }
    return 1;
}

static int aes_encrypt(void *key, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *out) {
    return crypt(low_level_block, key, nonce, in, bytes, out);
}

static int evp(void *key, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *out) {
    return crypt(evp_block, key, nonce, in, bytes, out);
}

const struct openssl_callers WITH_LEVEL(openssl_callers_o, LEVEL) = {aes_encrypt, evp};

/*
 * Counter mode around OpenSSL's AES, a block for each call, as in the program of the document *Tor* of 2007
 * (data/published/README.md). This file is compiled once for each optimization level, without instructions that not all
 * CPUs of the architecture have. The level of OpenSSL itself does not change.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callers.h"

#include "../../../../include/counter_mode.h"

#include <openssl/aes.h>
#include <openssl/evp.h>

#define PASTE(name, level) name##level
#define WITH_LEVEL(name, level) PASTE(name, level)

static inline int low_level_block(void *key, const struct counter *counter, uint8_t block[BLOCK]) {
    uint8_t bytes[BLOCK];
    encode(counter, bytes);
    AES_encrypt(bytes, block, key);
    return 1;
}

static inline int evp_block(void *key, const struct counter *counter, uint8_t block[BLOCK]) {
    uint8_t bytes[BLOCK];
    int produced;
    encode(counter, bytes);
    return EVP_EncryptUpdate(key, block, &produced, bytes, BLOCK);
}

static int aes_encrypt(void *key, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *out) {
    return counter_mode(low_level_block, key, nonce, in, bytes, out);
}

static int evp(void *key, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *out) {
    return counter_mode(evp_block, key, nonce, in, bytes, out);
}

const struct openssl_callers WITH_LEVEL(openssl_callers_o, LEVEL) = {aes_encrypt, evp};

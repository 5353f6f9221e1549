// AWS-LC and BoringSSL behind aeadlab.h. AWS-LC is a fork of BoringSSL with the same interface, so this file serves
// both: here it is compiled with AWS-LC's headers, in native/plugins/boringssl with BoringSSL's. Code for only one of
// them is conditional on that library's macro.
//
// The build defines aeadlab_library_v1 and aeadlab_feature_switch (prefixed names), AEADLAB_LIBRARY, AEADLAB_BUILD and,
// for BoringSSL, which has no version of its own, AEADLAB_VERSION.

#include "aeadlab.h"

#include <openssl/aead.h>
#include <openssl/aes.h>
#include <openssl/chacha.h>
#include <openssl/cipher.h>
#include <openssl/cmac.h>
#include <openssl/crypto.h>
#include <openssl/digest.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/mem.h>
#include <openssl/poly1305.h>
#include <openssl/rc4.h>
#include <openssl/siphash.h>
#if defined(OPENSSL_IS_AWSLC)
#include <openssl/service_indicator.h>
#endif

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEY_BYTES = 64, DECRYPT = 0, ENCRYPT = 1 };

typedef struct {
    const aeadlab_algorithm *row;
    uint8_t key[MAX_KEY_BYTES];
    union {
        EVP_AEAD_CTX aead;
        // By direction, which EVP fixes with the key; created when first needed.
        EVP_CIPHER_CTX *cipher[2];
        AES_KEY aes;
        RC4_KEY *rc4;
        EVP_MD_CTX *hash;
        HMAC_CTX *hmac;
        CMAC_CTX *cmac;
        uint64_t siphash[2];
    };
} context;

// The target of algorithm->data. `init` sets up the key, which the context already holds.
typedef struct {
    union {
        const EVP_AEAD *(*aead)(void);
        const EVP_CIPHER *(*cipher)(void);
        const EVP_MD *(*hash)(void);
    };
    int (*init)(context *c);
    void (*release)(context *c);
    size_t min_bytes; // of a message
} primitive;

static const primitive *primitive_of(const context *c) { return c->row->data; }

// Return AEADLAB_OK, or `failure` after emptying the thread's queue of errors, which outlives the call.
static int32_t status(int succeeded, int32_t failure) {
    if (succeeded) {
        return AEADLAB_OK;
    }
    ERR_clear_error();
    return failure;
}

static int lengths_valid(const context *c, size_t nonce_bytes, size_t bytes) {
    const aeadlab_algorithm *row = c->row;
    const int any = (row->flags & AEADLAB_ANY_NONCE_LENGTH) != 0 && nonce_bytes != 0;
    return (any || nonce_bytes == row->nonce_bytes) && bytes >= primitive_of(c)->min_bytes &&
           (row->max_bytes == 0 || bytes <= row->max_bytes);
}

static void key_free(void *opaque) {
    context *c = opaque;
    if (primitive_of(c)->release != NULL) {
        primitive_of(c)->release(c);
    }
    OPENSSL_cleanse(c, sizeof *c);
    free(c);
}

static int32_t key_new(const aeadlab_algorithm *row, const uint8_t *key, size_t key_bytes, void **opaque) {
    if (key_bytes != row->key_bytes || key_bytes > MAX_KEY_BYTES) {
        return AEADLAB_BAD_ARGUMENT;
    }
    context *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return AEADLAB_INTERNAL;
    }
    c->row = row;
    if (key_bytes != 0) {
        memcpy(c->key, key, key_bytes);
    }
    if (primitive_of(c)->init != NULL && !primitive_of(c)->init(c)) {
        key_free(c);
        return status(0, AEADLAB_INTERNAL);
    }
    *opaque = c;
    return AEADLAB_OK;
}

// AEADs through EVP_AEAD: one context serves both directions and keeps no state of a message.

static int aead_init(context *c) {
    return EVP_AEAD_CTX_init(&c->aead, primitive_of(c)->aead(), c->key, c->row->key_bytes,
                             EVP_AEAD_DEFAULT_TAG_LENGTH, NULL);
}

static void aead_release(context *c) { EVP_AEAD_CTX_cleanup(&c->aead); }

static int32_t aead_seal(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                         const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    const context *c = opaque;
    if (!lengths_valid(c, nonce_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    size_t written;
    return status(EVP_AEAD_CTX_seal_scatter(&c->aead, out, tag, &written, c->row->tag_bytes, nonce, nonce_bytes, in,
                                            bytes, NULL, 0, ad, ad_bytes),
                  AEADLAB_INTERNAL);
}

static int32_t aead_open(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                         const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    const context *c = opaque;
    if (!lengths_valid(c, nonce_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    return status(EVP_AEAD_CTX_open_gather(&c->aead, out, nonce, nonce_bytes, in, bytes, tag, c->row->tag_bytes, ad,
                                           ad_bytes),
                  AEADLAB_AUTH_FAILED);
}

// GMAC is GCM with the message as associated data.
static int32_t gmac_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *tag) {
    return aead_seal(opaque, nonce, nonce_bytes, in, bytes, NULL, 0, NULL, tag);
}

// Ciphers through EVP_CIPHER.

// EVP takes lengths as int. A chunk is a multiple of every block size, so chunks do not change the result.
static const size_t CHUNK_BYTES = (size_t)1 << 30;

static void cipher_release(context *c) {
    EVP_CIPHER_CTX_free(c->cipher[DECRYPT]);
    EVP_CIPHER_CTX_free(c->cipher[ENCRYPT]);
}

static EVP_CIPHER_CTX *keyed_cipher(context *c, int direction) {
    if (c->cipher[direction] == NULL) {
        EVP_CIPHER_CTX *created = EVP_CIPHER_CTX_new();
        if (created == NULL || !EVP_CipherInit_ex(created, primitive_of(c)->cipher(), NULL, c->key, NULL, direction) ||
            !EVP_CIPHER_CTX_set_padding(created, 0)) {
            EVP_CIPHER_CTX_free(created);
            return NULL;
        }
        c->cipher[direction] = created;
    }
    return c->cipher[direction];
}

static int32_t cipher_crypt(context *c, int direction, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                            size_t bytes, uint8_t *out) {
    if (!lengths_valid(c, nonce_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    EVP_CIPHER_CTX *cipher = keyed_cipher(c, direction);
    int succeeded = cipher != NULL && EVP_CipherInit_ex(cipher, NULL, NULL, NULL, nonce, direction);
    for (size_t done = 0; succeeded && done < bytes;) {
        const size_t chunk = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        int written;
        succeeded = EVP_CipherUpdate(cipher, out + done, &written, in + done, (int)chunk);
        done += chunk;
    }
    return status(succeeded, AEADLAB_INTERNAL);
}

static int32_t cipher_encrypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                              uint8_t *out) {
    return cipher_crypt(opaque, ENCRYPT, nonce, nonce_bytes, in, bytes, out);
}

static int32_t cipher_decrypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                              uint8_t *out) {
    return cipher_crypt(opaque, DECRYPT, nonce, nonce_bytes, in, bytes, out);
}

#if defined(OPENSSL_IS_AWSLC)
// CCM through EVP_CIPHER, because EVP_AEAD has none with nonces of 12 bytes.

enum { CCM_NONCE_BYTES = 12, CCM_TAG_BYTES = 16 };

static EVP_CIPHER_CTX *keyed_ccm(context *c, int direction) {
    if (c->cipher[direction] == NULL) {
        EVP_CIPHER_CTX *created = EVP_CIPHER_CTX_new();
        if (created == NULL || !EVP_CipherInit_ex(created, primitive_of(c)->cipher(), NULL, NULL, NULL, direction) ||
            !EVP_CIPHER_CTX_ctrl(created, EVP_CTRL_AEAD_SET_IVLEN, CCM_NONCE_BYTES, NULL) ||
            !EVP_CIPHER_CTX_ctrl(created, EVP_CTRL_AEAD_SET_TAG, CCM_TAG_BYTES, NULL) ||
            !EVP_CipherInit_ex(created, NULL, NULL, c->key, NULL, direction)) {
            EVP_CIPHER_CTX_free(created);
            return NULL;
        }
        c->cipher[direction] = created;
    }
    return c->cipher[direction];
}

// CCM takes the message length first. NULL pointers have another meaning, so `empty` replaces them. Associated data is
// passed even if it is empty, because only this call resets the state after a rejected message.
static int ccm_crypt(EVP_CIPHER_CTX *cipher, const uint8_t *nonce, const uint8_t *ad, size_t ad_bytes,
                     const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    uint8_t empty = 0;
    int written;
    return EVP_CipherInit_ex(cipher, NULL, NULL, NULL, nonce, -1) &&
           (tag == NULL || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CCM_TAG_BYTES, (void *)tag)) &&
           EVP_CipherUpdate(cipher, NULL, &written, NULL, (int)bytes) &&
           EVP_CipherUpdate(cipher, NULL, &written, ad_bytes == 0 ? &empty : ad, (int)ad_bytes) &&
           EVP_CipherUpdate(cipher, bytes == 0 ? &empty : out, &written, bytes == 0 ? &empty : in, (int)bytes);
}

static int32_t ccm_seal(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                        const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    context *c = opaque;
    if (!lengths_valid(c, nonce_bytes, bytes) || ad_bytes > INT_MAX) {
        return AEADLAB_BAD_ARGUMENT;
    }
    EVP_CIPHER_CTX *cipher = keyed_ccm(c, ENCRYPT);
    return status(cipher != NULL && ccm_crypt(cipher, nonce, ad, ad_bytes, in, bytes, out, NULL) &&
                      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, CCM_TAG_BYTES, tag),
                  AEADLAB_INTERNAL);
}

static int32_t ccm_open(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                        const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    context *c = opaque;
    if (!lengths_valid(c, nonce_bytes, bytes) || ad_bytes > INT_MAX) {
        return AEADLAB_BAD_ARGUMENT;
    }
    EVP_CIPHER_CTX *cipher = keyed_ccm(c, DECRYPT);
    if (cipher == NULL) {
        return status(0, AEADLAB_INTERNAL);
    }
    return status(ccm_crypt(cipher, nonce, ad, ad_bytes, in, bytes, out, tag), AEADLAB_AUTH_FAILED);
}
#endif

// CFB through the functions of AES: BoringSSL has EVP's, like XTS, in a library that boring-sys does not build.

static int cfb_init(context *c) { return AES_set_encrypt_key(c->key, c->row->key_bytes * 8, &c->aes) == 0; }

static int32_t cfb_crypt(const context *c, int direction, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                         size_t bytes, uint8_t *out) {
    if (!lengths_valid(c, nonce_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    uint8_t state[AES_BLOCK_SIZE];
    memcpy(state, nonce, sizeof state);
    int used = 0;
    // AWS-LC asserts that the buffers are not NULL.
    if (bytes != 0) {
        AES_cfb128_encrypt(in, out, bytes, &c->aes, state, &used, direction);
    }
    return AEADLAB_OK;
}

static int32_t cfb_encrypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *out) {
    return cfb_crypt(opaque, AES_ENCRYPT, nonce, nonce_bytes, in, bytes, out);
}

static int32_t cfb_decrypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *out) {
    return cfb_crypt(opaque, AES_DECRYPT, nonce, nonce_bytes, in, bytes, out);
}

// Stream ciphers, which have their own functions.

static int32_t chacha20_crypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                              uint8_t *out) {
    const context *c = opaque;
    if (!lengths_valid(c, nonce_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    CRYPTO_chacha_20(out, in, bytes, c->key, nonce, 0);
    return AEADLAB_OK;
}

static int rc4_init(context *c) {
    c->rc4 = OPENSSL_malloc(sizeof *c->rc4);
    if (c->rc4 != NULL) {
        RC4_set_key(c->rc4, c->row->key_bytes, c->key);
    }
    return c->rc4 != NULL;
}

// OPENSSL_free wipes what it frees.
static void rc4_release(context *c) { OPENSSL_free(c->rc4); }

static int32_t rc4_crypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                         uint8_t *out) {
    const context *c = opaque;
    (void)nonce;
    if (!lengths_valid(c, nonce_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    // A message changes the state; a copy costs less than the key set-up.
    RC4_KEY state = *c->rc4;
    RC4(&state, bytes, in, out);
    OPENSSL_cleanse(&state, sizeof state);
    return AEADLAB_OK;
}

// Hashes through EVP_MD: restarting with the same hash reuses the memory.

static int hash_init(context *c) { return (c->hash = EVP_MD_CTX_new()) != NULL; }

static void hash_release(context *c) { EVP_MD_CTX_free(c->hash); }

static int hash_start(const context *c, const uint8_t *in, size_t bytes) {
    return EVP_DigestInit_ex(c->hash, primitive_of(c)->hash(), NULL) && EVP_DigestUpdate(c->hash, in, bytes);
}

static int32_t hash_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *tag) {
    const context *c = opaque;
    (void)nonce, (void)nonce_bytes;
    return status(hash_start(c, in, bytes) && EVP_DigestFinal_ex(c->hash, tag, NULL), AEADLAB_INTERNAL);
}

#if defined(OPENSSL_IS_AWSLC)
static int32_t xof_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                          uint8_t *tag) {
    const context *c = opaque;
    (void)nonce, (void)nonce_bytes;
    return status(hash_start(c, in, bytes) && EVP_DigestFinalXOF(c->hash, tag, c->row->tag_bytes), AEADLAB_INTERNAL);
}
#endif

// MACs. Each message starts from the state after the key.

static int hmac_init(context *c) {
    c->hmac = HMAC_CTX_new();
    return c->hmac != NULL && HMAC_Init_ex(c->hmac, c->key, c->row->key_bytes, primitive_of(c)->hash(), NULL);
}

static void hmac_release(context *c) { HMAC_CTX_free(c->hmac); }

static int32_t hmac_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *tag) {
    const context *c = opaque;
    (void)nonce, (void)nonce_bytes;
    return status(HMAC_Init_ex(c->hmac, NULL, 0, NULL, NULL) && HMAC_Update(c->hmac, in, bytes) &&
                      HMAC_Final(c->hmac, tag, NULL),
                  AEADLAB_INTERNAL);
}

static int cmac_init(context *c) {
    c->cmac = CMAC_CTX_new();
    return c->cmac != NULL && CMAC_Init(c->cmac, c->key, c->row->key_bytes, primitive_of(c)->cipher(), NULL);
}

static void cmac_release(context *c) { CMAC_CTX_free(c->cmac); }

static int32_t cmac_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *tag) {
    const context *c = opaque;
    (void)nonce, (void)nonce_bytes;
    size_t written;
    return status(CMAC_Reset(c->cmac) && CMAC_Update(c->cmac, in, bytes) && CMAC_Final(c->cmac, tag, &written),
                  AEADLAB_INTERNAL);
}

static int32_t poly1305_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                               uint8_t *tag) {
    const context *c = opaque;
    (void)nonce, (void)nonce_bytes;
    poly1305_state state;
    CRYPTO_poly1305_init(&state, c->key);
    CRYPTO_poly1305_update(&state, in, bytes);
    CRYPTO_poly1305_finish(&state, tag);
    OPENSSL_cleanse(&state, sizeof state);
    return AEADLAB_OK;
}

static int siphash_init(context *c) {
    for (size_t i = 0; i < c->row->key_bytes; i++) {
        c->siphash[i / 8] |= (uint64_t)c->key[i] << (i % 8 * 8);
    }
    return 1;
}

static int32_t siphash_digest(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                              uint8_t *tag) {
    const context *c = opaque;
    (void)nonce, (void)nonce_bytes;
    const uint64_t hash = SIPHASH_24(c->siphash, in, bytes);
    for (size_t i = 0; i < sizeof hash; i++) {
        tag[i] = (uint8_t)(hash >> (i * 8));
    }
    return AEADLAB_OK;
}

// The table. Lengths are in bytes: key, nonce, then tag or block.

#define ROW(KIND, NAME, KEY, FLAGS, ...)                                                                               \
    .struct_size = sizeof(aeadlab_algorithm), .kind = KIND, .name = NAME, .key_bytes = KEY,                            \
    .flags = AEADLAB_THREAD_SAFE | (FLAGS), .key_new = key_new, .key_free = key_free,                                  \
    .data = &(const primitive) { __VA_ARGS__ }
#define AEAD_FLAGS (AEADLAB_IN_PLACE | AEADLAB_OPEN_COMPUTES_TAG)
#define AEAD_ROW(NAME, KEY, NONCE, FLAGS, MAX, GET)                                                                    \
    {ROW(AEADLAB_AEAD, NAME, KEY, AEAD_FLAGS | (FLAGS), .aead = GET, .init = aead_init, .release = aead_release),      \
     .nonce_bytes = NONCE, .tag_bytes = 16, .block_bytes = 1, .max_bytes = MAX, .seal = aead_seal, .open = aead_open}
#define GMAC_ROW(NAME, KEY, GET)                                                                                       \
    {ROW(AEADLAB_MAC, NAME, KEY, 0, .aead = GET, .init = aead_init, .release = aead_release),                          \
     .nonce_bytes = 12, .tag_bytes = 16, .block_bytes = 1, .digest = gmac_digest}
#define CCM_ROW(NAME, KEY, GET)                                                                                        \
    {ROW(AEADLAB_AEAD, NAME, KEY, AEAD_FLAGS, .cipher = GET, .release = cipher_release),                               \
     .nonce_bytes = CCM_NONCE_BYTES, .tag_bytes = CCM_TAG_BYTES, .block_bytes = 1, .max_bytes = CCM_MAX_BYTES,         \
     .max_ad_bytes = INT_MAX, .seal = ccm_seal, .open = ccm_open}
#define CIPHER_ROW(NAME, KEY, NONCE, BLOCK, FLAGS, GET)                                                                \
    {ROW(AEADLAB_CIPHER, NAME, KEY, AEADLAB_IN_PLACE | (FLAGS), .cipher = GET, .release = cipher_release),             \
     .nonce_bytes = NONCE, .block_bytes = BLOCK, .encrypt = cipher_encrypt, .decrypt = cipher_decrypt}
// Decryption equals encryption, so one context serves both.
#define KEYSTREAM_ROW(NAME, KEY, NONCE, GET)                                                                           \
    {ROW(AEADLAB_CIPHER, NAME, KEY, AEADLAB_IN_PLACE, .cipher = GET, .release = cipher_release),                       \
     .nonce_bytes = NONCE, .block_bytes = 1, .encrypt = cipher_encrypt, .decrypt = cipher_encrypt}
#define XTS_ROW(NAME, KEY, GET)                                                                                        \
    {ROW(AEADLAB_CIPHER, NAME, KEY, AEADLAB_IN_PLACE, .cipher = GET, .release = cipher_release, .min_bytes = 16),      \
     .nonce_bytes = 16, .block_bytes = 1, .max_bytes = XTS_MAX_BYTES, .encrypt = cipher_encrypt,                       \
     .decrypt = cipher_decrypt}
#define CFB_ROW(NAME, KEY)                                                                                             \
    {ROW(AEADLAB_CIPHER, NAME, KEY, AEADLAB_IN_PLACE, .init = cfb_init),                                               \
     .nonce_bytes = 16, .block_bytes = 1, .encrypt = cfb_encrypt, .decrypt = cfb_decrypt}
#define HASH_ROW(NAME, BYTES, FLAGS, GET, DIGEST)                                                                      \
    {ROW(AEADLAB_HASH, NAME, 0, FLAGS, .hash = GET, .init = hash_init, .release = hash_release),                       \
     .tag_bytes = BYTES, .block_bytes = 1, .digest = DIGEST}
#define HMAC_ROW(NAME, BYTES, GET)                                                                                     \
    {ROW(AEADLAB_MAC, NAME, BYTES, 0, .hash = GET, .init = hmac_init, .release = hmac_release),                        \
     .tag_bytes = BYTES, .block_bytes = 1, .digest = hmac_digest}
#define CMAC_ROW(NAME, KEY, BYTES, FLAGS, GET)                                                                         \
    {ROW(AEADLAB_MAC, NAME, KEY, FLAGS, .cipher = GET, .init = cmac_init, .release = cmac_release),                    \
     .tag_bytes = BYTES, .block_bytes = 1, .digest = cmac_digest}

#define GCM_MAX_BYTES ((1ull << 36) - 32)    // SP 800-38D section 5.2.1.1
#define GCM_SIV_MAX_BYTES (1ull << 36)       // RFC 8452 section 6
#define CHACHA_MAX_BYTES ((1ull << 38) - 65) // one byte less than RFC 8439 section 2.8 allows
#define CCM_MAX_BYTES ((1ull << 24) - 1)     // RFC 3610 section 2, for nonces of 12 bytes
#define XTS_MAX_BYTES (1ull << 24)           // SP 800-38E: 2^20 blocks

static aeadlab_algorithm rows[] = {
    AEAD_ROW("aes-128-gcm", 16, 12, AEADLAB_ANY_NONCE_LENGTH, GCM_MAX_BYTES, EVP_aead_aes_128_gcm),
    AEAD_ROW("aes-192-gcm", 24, 12, AEADLAB_ANY_NONCE_LENGTH, GCM_MAX_BYTES, EVP_aead_aes_192_gcm),
    AEAD_ROW("aes-256-gcm", 32, 12, AEADLAB_ANY_NONCE_LENGTH, GCM_MAX_BYTES, EVP_aead_aes_256_gcm),
    AEAD_ROW("aes-128-gcm-siv", 16, 12, 0, GCM_SIV_MAX_BYTES, EVP_aead_aes_128_gcm_siv),
    AEAD_ROW("aes-256-gcm-siv", 32, 12, 0, GCM_SIV_MAX_BYTES, EVP_aead_aes_256_gcm_siv),
    AEAD_ROW("chacha20-poly1305", 32, 12, 0, CHACHA_MAX_BYTES, EVP_aead_chacha20_poly1305),
    AEAD_ROW("xchacha20-poly1305", 32, 24, 0, CHACHA_MAX_BYTES, EVP_aead_xchacha20_poly1305),
#if defined(OPENSSL_IS_AWSLC)
    CCM_ROW("aes-128-ccm", 16, EVP_aes_128_ccm),
    CCM_ROW("aes-192-ccm", 24, EVP_aes_192_ccm),
    CCM_ROW("aes-256-ccm", 32, EVP_aes_256_ccm),
#else
    AEAD_ROW("aes-128-eax", 16, 16, 0, 0, EVP_aead_aes_128_eax),
    AEAD_ROW("aes-256-eax", 32, 16, 0, 0, EVP_aead_aes_256_eax),
#endif

    CIPHER_ROW("aes-128-ecb", 16, 0, 16, 0, EVP_aes_128_ecb),
    CIPHER_ROW("aes-192-ecb", 24, 0, 16, 0, EVP_aes_192_ecb),
    CIPHER_ROW("aes-256-ecb", 32, 0, 16, 0, EVP_aes_256_ecb),
    CIPHER_ROW("aes-128-cbc", 16, 16, 16, 0, EVP_aes_128_cbc),
    CIPHER_ROW("aes-192-cbc", 24, 16, 16, 0, EVP_aes_192_cbc),
    CIPHER_ROW("aes-256-cbc", 32, 16, 16, 0, EVP_aes_256_cbc),
    KEYSTREAM_ROW("aes-128-ctr", 16, 16, EVP_aes_128_ctr),
    KEYSTREAM_ROW("aes-192-ctr", 24, 16, EVP_aes_192_ctr),
    KEYSTREAM_ROW("aes-256-ctr", 32, 16, EVP_aes_256_ctr),
    KEYSTREAM_ROW("aes-128-ofb", 16, 16, EVP_aes_128_ofb),
    KEYSTREAM_ROW("aes-192-ofb", 24, 16, EVP_aes_192_ofb),
    KEYSTREAM_ROW("aes-256-ofb", 32, 16, EVP_aes_256_ofb),
    CFB_ROW("aes-128-cfb", 16),
    CFB_ROW("aes-192-cfb", 24),
    CFB_ROW("aes-256-cfb", 32),
#if defined(OPENSSL_IS_AWSLC)
    XTS_ROW("aes-256-xts", 64, EVP_aes_256_xts),
#endif
    CIPHER_ROW("3des-ecb", 24, 0, 8, AEADLAB_HISTORICAL, EVP_des_ede3),
    CIPHER_ROW("3des-cbc", 24, 8, 8, AEADLAB_HISTORICAL, EVP_des_ede3_cbc),
    {ROW(AEADLAB_CIPHER, "chacha20", 32, AEADLAB_IN_PLACE, .init = NULL), .nonce_bytes = 12, .block_bytes = 1,
     .max_bytes = 1ull << 38, .encrypt = chacha20_crypt, .decrypt = chacha20_crypt},
    {ROW(AEADLAB_CIPHER, "rc4", 16, AEADLAB_IN_PLACE | AEADLAB_HISTORICAL, .init = rc4_init, .release = rc4_release),
     .block_bytes = 1, .encrypt = rc4_crypt, .decrypt = rc4_crypt},

    HASH_ROW("md5", 16, AEADLAB_HISTORICAL, EVP_md5, hash_digest),
    HASH_ROW("sha-1", 20, AEADLAB_HISTORICAL, EVP_sha1, hash_digest),
    HASH_ROW("sha-224", 28, 0, EVP_sha224, hash_digest),
    HASH_ROW("sha-256", 32, 0, EVP_sha256, hash_digest),
    HASH_ROW("sha-384", 48, 0, EVP_sha384, hash_digest),
    HASH_ROW("sha-512", 64, 0, EVP_sha512, hash_digest),
    HASH_ROW("sha-512-256", 32, 0, EVP_sha512_256, hash_digest),
    HASH_ROW("sha3-256", 32, 0, EVP_sha3_256, hash_digest),
    HASH_ROW("sha3-384", 48, 0, EVP_sha3_384, hash_digest),
    HASH_ROW("sha3-512", 64, 0, EVP_sha3_512, hash_digest),
    HASH_ROW("blake2b-256", 32, 0, EVP_blake2b256, hash_digest),
#if defined(OPENSSL_IS_AWSLC)
    HASH_ROW("sha-512-224", 28, 0, EVP_sha512_224, hash_digest),
    HASH_ROW("sha3-224", 28, 0, EVP_sha3_224, hash_digest),
    HASH_ROW("keccak-256", 32, 0, EVP_keccak256, hash_digest),
    HASH_ROW("shake-128", 32, 0, EVP_shake128, xof_digest),
    HASH_ROW("shake-256", 64, 0, EVP_shake256, xof_digest),
    HASH_ROW("ripemd-160", 20, 0, EVP_ripemd160, hash_digest),
#endif

    HMAC_ROW("hmac-md5", 16, EVP_md5),
    HMAC_ROW("hmac-sha-1", 20, EVP_sha1),
    HMAC_ROW("hmac-sha-224", 28, EVP_sha224),
    HMAC_ROW("hmac-sha-256", 32, EVP_sha256),
    HMAC_ROW("hmac-sha-384", 48, EVP_sha384),
    HMAC_ROW("hmac-sha-512", 64, EVP_sha512),
    HMAC_ROW("hmac-sha3-256", 32, EVP_sha3_256),
    HMAC_ROW("hmac-sha3-512", 64, EVP_sha3_512),
    CMAC_ROW("aes-128-cmac", 16, 16, 0, EVP_aes_128_cbc),
    CMAC_ROW("aes-192-cmac", 24, 16, 0, EVP_aes_192_cbc),
    CMAC_ROW("aes-256-cmac", 32, 16, 0, EVP_aes_256_cbc),
    CMAC_ROW("3des-cmac", 24, 8, AEADLAB_HISTORICAL, EVP_des_ede3_cbc),
    GMAC_ROW("aes-128-gmac", 16, EVP_aead_aes_128_gcm),
    GMAC_ROW("aes-192-gmac", 24, EVP_aead_aes_192_gcm),
    GMAC_ROW("aes-256-gmac", 32, EVP_aead_aes_256_gcm),
    {ROW(AEADLAB_MAC, "poly1305", 32, AEADLAB_UNIVERSAL_HASH, .init = NULL), .tag_bytes = 16, .block_bytes = 1,
     .digest = poly1305_digest},
    {ROW(AEADLAB_MAC, "siphash-2-4", 16, 0, .init = siphash_init), .tag_bytes = 8, .block_bytes = 1,
     .digest = siphash_digest},
};

enum { COUNT = sizeof rows / sizeof *rows };

static const char *version(void) {
#if defined(OPENSSL_IS_AWSLC)
    static const char prefix[] = "AWS-LC ";
    const char *text = awslc_version_string();
    return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
#else
#define QUOTED(NUMBER) #NUMBER
#define EXPANDED(NUMBER) QUOTED(NUMBER)
    return AEADLAB_VERSION ", API " EXPANDED(BORINGSSL_API_VERSION);
#endif
}

const aeadlab_library *aeadlab_library_v1(void) {
    static const aeadlab_algorithm *pointers[COUNT];
    static aeadlab_library library;
    if (library.algorithms == NULL) {
        // Neither library reports more about its code path.
        const char *aes = EVP_has_aes_hardware() ? "AES instructions" : "no AES instructions";
        for (size_t i = 0; i < COUNT; i++) {
            if (strncmp(rows[i].name, "aes-", 4) == 0) {
                rows[i].kernel = aes;
            }
            pointers[i] = &rows[i];
        }
        library = (aeadlab_library){
            .abi_version = AEADLAB_ABI_VERSION,
            .struct_size = sizeof library,
            .name = AEADLAB_LIBRARY,
            .version = version(),
            .build = AEADLAB_BUILD,
            .algorithm_count = COUNT,
            .algorithms = pointers,
        };
    }
    return &library;
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
#if defined(OPENSSL_IS_AWSLC)
    // AWS-LC reads two words and ignores the others, so it takes the same value as OpenSSL.
    return "OPENSSL_ia32cap:5";
#else
    // BoringSSL ignores the second word if a third follows.
    return "OPENSSL_ia32cap:2";
#endif
}

/* The MACs of wolfSSL: HMAC, CMAC and GMAC of AES, Poly1305, SipHash and keyed BLAKE2. */
#include "plugin.h"

#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/cmac.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/poly1305.h>
#include <wolfssl/wolfcrypt/siphash.h>

#define MAX_KEY_BYTES 64

union state {
    Hmac hmac;
#if defined(WOLFSSL_CMAC)
    Cmac cmac;
#endif
#if defined(HAVE_AESGCM)
    Gmac gmac;
#endif
#if defined(HAVE_POLY1305)
    Poly1305 poly1305;
#endif
#if defined(WOLFSSL_SIPHASH)
    SipHash siphash;
#endif
#if defined(HAVE_BLAKE2B)
    Blake2b blake2b;
#endif
#if defined(HAVE_BLAKE2S)
    Blake2s blake2s;
#endif
};

struct context {
    const struct mac *mac;
    union state keyed;
    union state message; /* of families whose messages use up the state */
    uint8_t key[MAX_KEY_BYTES];
};

/* The functions return 0 or an error of wolfSSL. */
struct family {
    int (*set_key)(struct context *c, const uint8_t *key);
    void (*free)(struct context *c);
    int (*digest)(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag);
};

struct mac {
    const char *name;
    const struct family *family;
    int type; /* HMAC: the hash */
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint32_t tag_bytes;
    uint64_t max_bytes;
    uint64_t flags;
};

/* Pass `bytes` of `in` to `error = CALL` in chunks, which CALL takes as `chunk` and `chunk_bytes`. */
#define IN_CHUNKS(CALL)                                                                                                \
    for (size_t done = 0; done < bytes && error == 0; done += CHUNK_BYTES) {                                           \
        const uint8_t *chunk = in + done;                                                                              \
        const word32 chunk_bytes = bytes - done < CHUNK_BYTES ? (word32)(bytes - done) : CHUNK_BYTES;                  \
        error = CALL;                                                                                                  \
    }

static void no_free(struct context *c) {
    (void)c;
}

static int keep_key(struct context *c, const uint8_t *key) {
    memcpy(c->key, key, c->mac->key_bytes);
    return 0;
}

static int hmac_set_key(struct context *c, const uint8_t *key) {
    const int error = wc_HmacInit(&c->keyed.hmac, NULL, INVALID_DEVID);
    return error ? error : wc_HmacSetKey(&c->keyed.hmac, c->mac->type, key, c->mac->key_bytes);
}

static void hmac_free(struct context *c) {
    wc_HmacFree(&c->keyed.hmac);
}

static int hmac_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    int error = 0;
    (void)nonce;
    IN_CHUNKS(wc_HmacUpdate(&c->keyed.hmac, chunk, chunk_bytes))
    return error ? error : wc_HmacFinal(&c->keyed.hmac, tag);
}

static const struct family hmac_family = {hmac_set_key, hmac_free, hmac_digest};

#if defined(WOLFSSL_CMAC)
static int cmac_set_key(struct context *c, const uint8_t *key) {
    return wc_InitCmac(&c->keyed.cmac, key, c->mac->key_bytes, WC_CMAC_AES, NULL);
}

/* wc_CmacFinal wipes the state with the key schedule, so each message takes a copy. */
static int cmac_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    int error = 0;
    word32 tag_bytes = c->mac->tag_bytes;
    (void)nonce;
    c->message.cmac = c->keyed.cmac;
    IN_CHUNKS(wc_CmacUpdate(&c->message.cmac, chunk, chunk_bytes))
    return error ? error : wc_CmacFinal(&c->message.cmac, tag, &tag_bytes);
}

static const struct family cmac_family = {cmac_set_key, no_free, cmac_digest};
#endif

#if defined(HAVE_AESGCM)
static int gmac_set_key(struct context *c, const uint8_t *key) {
    const int error = wc_AesInit(&c->keyed.gmac.aes, NULL, INVALID_DEVID);
    return error ? error : wc_GmacSetKey(&c->keyed.gmac, key, c->mac->key_bytes);
}

static void gmac_free(struct context *c) {
    wc_AesFree(&c->keyed.gmac.aes);
}

static int gmac_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    return wc_GmacUpdate(&c->keyed.gmac, nonce, c->mac->nonce_bytes, readable(in), (word32)bytes, tag,
                         c->mac->tag_bytes);
}

static const struct family gmac_family = {gmac_set_key, gmac_free, gmac_digest};
#endif

#if defined(HAVE_POLY1305)
static int poly1305_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    int error = wc_Poly1305SetKey(&c->message.poly1305, c->key, c->mac->key_bytes);
    IN_CHUNKS(wc_Poly1305Update(&c->message.poly1305, chunk, chunk_bytes))
    return error ? error : wc_Poly1305Final(&c->message.poly1305, tag);
}

static const struct family poly1305_family = {keep_key, no_free, poly1305_digest};
#endif

#if defined(WOLFSSL_SIPHASH)
static int siphash_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    /* The one-shot call is faster than the incremental calls. */
    return wc_SipHash(c->key, readable(in), (word32)bytes, tag, (unsigned char)c->mac->tag_bytes);
}

static const struct family siphash_family = {keep_key, no_free, siphash_digest};
#endif

#if defined(HAVE_BLAKE2B)
static int blake2b_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    int error = wc_InitBlake2b_WithKey(&c->message.blake2b, c->mac->tag_bytes, c->key, c->mac->key_bytes);
    IN_CHUNKS(wc_Blake2bUpdate(&c->message.blake2b, chunk, chunk_bytes))
    return error ? error : wc_Blake2bFinal(&c->message.blake2b, tag, c->mac->tag_bytes);
}

static const struct family blake2b_family = {keep_key, no_free, blake2b_digest};
#endif

#if defined(HAVE_BLAKE2S)
static int blake2s_digest(struct context *c, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    int error = wc_InitBlake2s_WithKey(&c->message.blake2s, c->mac->tag_bytes, c->key, c->mac->key_bytes);
    IN_CHUNKS(wc_Blake2sUpdate(&c->message.blake2s, chunk, chunk_bytes))
    return error ? error : wc_Blake2sFinal(&c->message.blake2s, tag, c->mac->tag_bytes);
}

static const struct family blake2s_family = {keep_key, no_free, blake2s_digest};
#endif

static const struct mac macs[] = {
    {"hmac-md5", &hmac_family, WC_HASH_TYPE_MD5, 16, 0, 16, 0, 0},
    {"hmac-sha-1", &hmac_family, WC_HASH_TYPE_SHA, 20, 0, 20, 0, 0},
    {"hmac-sha-224", &hmac_family, WC_HASH_TYPE_SHA224, 28, 0, 28, 0, 0},
    {"hmac-sha-256", &hmac_family, WC_HASH_TYPE_SHA256, 32, 0, 32, 0, 0},
    {"hmac-sha-384", &hmac_family, WC_HASH_TYPE_SHA384, 48, 0, 48, 0, 0},
    {"hmac-sha-512", &hmac_family, WC_HASH_TYPE_SHA512, 64, 0, 64, 0, 0},
    {"hmac-sha3-224", &hmac_family, WC_HASH_TYPE_SHA3_224, 28, 0, 28, 0, 0},
    {"hmac-sha3-256", &hmac_family, WC_HASH_TYPE_SHA3_256, 32, 0, 32, 0, 0},
    {"hmac-sha3-384", &hmac_family, WC_HASH_TYPE_SHA3_384, 48, 0, 48, 0, 0},
    {"hmac-sha3-512", &hmac_family, WC_HASH_TYPE_SHA3_512, 64, 0, 64, 0, 0},
#if defined(WOLFSSL_CMAC)
    {"aes-128-cmac", &cmac_family, 0, 16, 0, 16, 0, 0},
    {"aes-192-cmac", &cmac_family, 0, 24, 0, 16, 0, 0},
    {"aes-256-cmac", &cmac_family, 0, 32, 0, 16, 0, 0},
#endif
#if defined(HAVE_AESGCM)
    {"aes-128-gmac", &gmac_family, 0, 16, 12, 16, ONE_CALL, 0},
    {"aes-192-gmac", &gmac_family, 0, 24, 12, 16, ONE_CALL, 0},
    {"aes-256-gmac", &gmac_family, 0, 32, 12, 16, ONE_CALL, 0},
#endif
#if defined(HAVE_POLY1305)
    {"poly1305", &poly1305_family, 0, 32, 0, 16, 0, AEADLAB_UNIVERSAL_HASH},
#endif
#if defined(WOLFSSL_SIPHASH)
    {"siphash-2-4", &siphash_family, 0, 16, 0, 8, ONE_CALL, 0},
#endif
#if defined(HAVE_BLAKE2B)
    {"blake2b-keyed", &blake2b_family, 0, 32, 0, 64, 0, 0},
#endif
#if defined(HAVE_BLAKE2S)
    {"blake2s-keyed", &blake2s_family, 0, 32, 0, 32, 0, 0},
#endif
};

static void key_free(void *context) {
    struct context *c = context;
    c->mac->family->free(c);
    wipe_and_free(c, sizeof *c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct mac *mac = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = new_context(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->mac = mac;
    const int error = mac->family->set_key(c, key);
    if (error) {
        key_free(c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    struct context *c = context;
    if (nonce_bytes != c->mac->nonce_bytes || (c->mac->max_bytes > 0 && bytes > c->mac->max_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    return status(c->mac->family->digest(c, nonce, in, bytes, tag));
}

void add_macs(struct rows *rows) {
    for (size_t i = 0; i < COUNT(macs); i++) {
        const struct mac *mac = &macs[i];
        if (mac->family == &hmac_family && wc_HmacSizeByType(mac->type) <= 0) {
            continue;
        }
        const aeadlab_algorithm row = {
            .kernel = mac->nonce_bytes > 0                 ? GCM_KERNEL
                      : strncmp(mac->name, "aes-", 4) == 0 ? AES_KERNEL
                                                           : NULL,
            .flags = mac->flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_MAC,
            .key_bytes = mac->key_bytes,
            .nonce_bytes = mac->nonce_bytes,
            .tag_bytes = mac->tag_bytes,
            .max_bytes = mac->max_bytes,
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, mac, sizeof *mac, "%s", mac->name);
    }
}

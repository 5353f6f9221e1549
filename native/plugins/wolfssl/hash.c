/* The hashes of wolfSSL: those of its generic layer, and those that only have their own functions. */
#include "plugin.h"

#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/ripemd.h>
#include <wolfssl/wolfcrypt/sha3.h>

union state {
    wc_HashAlg generic;
#if defined(WOLFSSL_RIPEMD)
    RipeMd ripemd;
#endif
#if defined(WOLFSSL_SHAKE128) || defined(WOLFSSL_SHAKE256)
    wc_Shake shake;
#endif
#if defined(HAVE_BLAKE2B)
    Blake2b blake2b;
#endif
#if defined(HAVE_BLAKE2S)
    Blake2s blake2s;
#endif
};

/* The functions return 0 or an error of wolfSSL; `type` is the number of the hash in the generic layer. */
struct family {
    int (*start)(union state *s, int type, word32 digest_bytes);
    int (*update)(union state *s, int type, const uint8_t *in, word32 bytes);
    int (*finish)(union state *s, int type, uint8_t *digest, word32 digest_bytes);
    void (*free)(union state *s, int type);
    int restarts; /* `finish` resets the state */
};

static int generic_start(union state *s, int type, word32 digest_bytes) {
    (void)digest_bytes;
    return wc_HashInit(&s->generic, (enum wc_HashType)type);
}

static int generic_update(union state *s, int type, const uint8_t *in, word32 bytes) {
    return wc_HashUpdate(&s->generic, (enum wc_HashType)type, in, bytes);
}

static int generic_finish(union state *s, int type, uint8_t *digest, word32 digest_bytes) {
    (void)digest_bytes;
    return wc_HashFinal(&s->generic, (enum wc_HashType)type, digest);
}

static void generic_free(union state *s, int type) {
    wc_HashFree(&s->generic, (enum wc_HashType)type);
}

static const struct family generic_family = {generic_start, generic_update, generic_finish, generic_free, 1};

/* The family of one hash. START uses the state `s` and the digest length `bytes`, FINISH also `digest`. */
#define FAMILY(NAME, FIELD, START, UPDATE, FINISH)                                                                     \
    static int NAME##_hash_start(union state *s, int type, word32 bytes) {                                             \
        (void)type;                                                                                                    \
        (void)bytes;                                                                                                   \
        return START;                                                                                                  \
    }                                                                                                                  \
    static int NAME##_hash_update(union state *s, int type, const uint8_t *in, word32 bytes) {                         \
        (void)type;                                                                                                    \
        return UPDATE(&s->FIELD, in, bytes);                                                                           \
    }                                                                                                                  \
    static int NAME##_hash_finish(union state *s, int type, uint8_t *digest, word32 bytes) {                           \
        (void)type;                                                                                                    \
        (void)bytes;                                                                                                   \
        return FINISH;                                                                                                 \
    }                                                                                                                  \
    static const struct family NAME##_family = {NAME##_hash_start, NAME##_hash_update, NAME##_hash_finish, NULL, 0};

#if defined(WOLFSSL_RIPEMD)
FAMILY(ripemd, ripemd, wc_InitRipeMd(&s->ripemd), wc_RipeMdUpdate, wc_RipeMdFinal(&s->ripemd, digest))
#endif
#if defined(WOLFSSL_SHAKE128)
FAMILY(shake128, shake, wc_InitShake128(&s->shake, NULL, INVALID_DEVID), wc_Shake128_Update,
       wc_Shake128_Final(&s->shake, digest, bytes))
#endif
#if defined(WOLFSSL_SHAKE256)
FAMILY(shake256, shake, wc_InitShake256(&s->shake, NULL, INVALID_DEVID), wc_Shake256_Update,
       wc_Shake256_Final(&s->shake, digest, bytes))
#endif
#if defined(HAVE_BLAKE2B)
FAMILY(blake2b, blake2b, wc_InitBlake2b(&s->blake2b, bytes), wc_Blake2bUpdate,
       wc_Blake2bFinal(&s->blake2b, digest, bytes))
#endif
#if defined(HAVE_BLAKE2S)
FAMILY(blake2s, blake2s, wc_InitBlake2s(&s->blake2s, bytes), wc_Blake2sUpdate,
       wc_Blake2sFinal(&s->blake2s, digest, bytes))
#endif

struct hash {
    const char *name;
    const struct family *family;
    int type;
    uint32_t digest_bytes;
    uint64_t flags;
};

static const struct hash hashes[] = {
    {"md5", &generic_family, WC_HASH_TYPE_MD5, 16, AEADLAB_HISTORICAL},
    {"sha-1", &generic_family, WC_HASH_TYPE_SHA, 20, AEADLAB_HISTORICAL},
    {"sha-224", &generic_family, WC_HASH_TYPE_SHA224, 28, 0},
    {"sha-256", &generic_family, WC_HASH_TYPE_SHA256, 32, 0},
    {"sha-384", &generic_family, WC_HASH_TYPE_SHA384, 48, 0},
    {"sha-512", &generic_family, WC_HASH_TYPE_SHA512, 64, 0},
#if defined(WOLFSSL_SHA512) && !defined(WOLFSSL_NOSHA512_224)
    {"sha-512-224", &generic_family, WC_HASH_TYPE_SHA512_224, 28, 0},
#endif
#if defined(WOLFSSL_SHA512) && !defined(WOLFSSL_NOSHA512_256)
    {"sha-512-256", &generic_family, WC_HASH_TYPE_SHA512_256, 32, 0},
#endif
    {"sha3-224", &generic_family, WC_HASH_TYPE_SHA3_224, 28, 0},
    {"sha3-256", &generic_family, WC_HASH_TYPE_SHA3_256, 32, 0},
    {"sha3-384", &generic_family, WC_HASH_TYPE_SHA3_384, 48, 0},
    {"sha3-512", &generic_family, WC_HASH_TYPE_SHA3_512, 64, 0},
#if defined(WOLFSSL_SHAKE128)
    {"shake-128", &shake128_family, 0, 32, 0},
#endif
#if defined(WOLFSSL_SHAKE256)
    {"shake-256", &shake256_family, 0, 64, 0},
#endif
#if defined(WOLFSSL_RIPEMD)
    {"ripemd-160", &ripemd_family, 0, 20, 0},
#endif
#if defined(HAVE_BLAKE2B)
    {"blake2b-256", &blake2b_family, 0, 32, 0},
    {"blake2b-512", &blake2b_family, 0, 64, 0},
#endif
#if defined(HAVE_BLAKE2S)
    {"blake2s-256", &blake2s_family, 0, 32, 0},
#endif
};

struct context {
    const struct hash *hash;
    union state state;
};

static void key_free(void *context) {
    struct context *c = context;
    if (c->hash->family->free) {
        c->hash->family->free(&c->state, c->hash->type);
    }
    wipe_and_free(c, sizeof *c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct hash *hash = algorithm->data;
    (void)key;
    if (key_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = new_context(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->hash = hash;
    const int error = hash->family->start(&c->state, hash->type, hash->digest_bytes);
    if (error) {
        wipe_and_free(c, sizeof *c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    struct context *c = context;
    const struct hash *hash = c->hash;
    (void)nonce;
    if (nonce_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    int error = hash->family->restarts ? 0 : hash->family->start(&c->state, hash->type, hash->digest_bytes);
    for (size_t done = 0; done < bytes && error == 0; done += CHUNK_BYTES) {
        const size_t rest = bytes - done;
        error = hash->family->update(&c->state, hash->type, in + done, rest < CHUNK_BYTES ? (word32)rest : CHUNK_BYTES);
    }
    return status(error ? error : hash->family->finish(&c->state, hash->type, tag, hash->digest_bytes));
}

void add_hashes(struct rows *rows) {
    for (size_t i = 0; i < COUNT(hashes); i++) {
        const struct hash *hash = &hashes[i];
        if (hash->family == &generic_family && wc_HashGetDigestSize((enum wc_HashType)hash->type) <= 0) {
            continue;
        }
        const aeadlab_algorithm row = {
            .flags = hash->flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_HASH,
            .tag_bytes = hash->digest_bytes,
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, hash, sizeof *hash, "%s", hash->name);
    }
}

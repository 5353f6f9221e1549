/*
 * The ciphers of Mbed TLS, by the functions of each: its layer over them all (cipher.h) takes ECB block by block and
 * refuses to work in place on part of a block.
 */
#include "plugin.h"

#include <mbedtls/aes.h>
#include <mbedtls/camellia.h>
#include <mbedtls/chacha20.h>
#include <mbedtls/des.h>
#if defined(MBEDTLS_ARIA_C)
#include <mbedtls/aria.h>
#endif
#if defined(MBEDTLS_ARC4_C)
#include <mbedtls/arc4.h>
#endif

#define LONGEST_KEY 64

union schedule {
    mbedtls_aes_context aes;
    mbedtls_aes_xts_context aes_xts;
    mbedtls_camellia_context camellia;
#if defined(MBEDTLS_ARIA_C)
    mbedtls_aria_context aria;
#endif
    mbedtls_des3_context des3;
    mbedtls_chacha20_context chacha20;
#if defined(MBEDTLS_ARC4_C)
    mbedtls_arc4_context arc4;
#endif
};

/* 0 or an error of Mbed TLS; `iv` is a copy of the nonce, which may be changed; `way` is encrypt or decrypt. */
typedef int crypt_message(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out);
typedef int set_key(union schedule *s, const uint8_t *key, unsigned bits);

enum { ECB, CBC, CTR, CFB, OFB, XTS, STREAM, MODES };

struct mode {
    const char *suffix;
    int has_iv;
    int whole_blocks;
    int backwards; /* decrypting has another key schedule */
    int in_place;
    size_t least_bytes;
    uint64_t max_bytes;
};

static const struct mode modes[MODES] = {
    [ECB] = {"-ecb", 0, 1, 1, 1, 0, 0},
    [CBC] = {"-cbc", 1, 1, 1, 1, 0, 0},
    [CTR] = {"-ctr", 1, 0, 0, 1, 0, 0},
    [CFB] = {"-cfb", 1, 0, 0, 1, 0, 0},
    [OFB] = {"-ofb", 1, 0, 0, 1, 0, 0},
    /* IEEE 1619: at least one block, and at most 2^20. In place, a last block that is not whole comes out wrong. */
    [XTS] = {"-xts", 1, 0, 1, 0, 16, 1ull << 24},
    [STREAM] = {"", 1, 0, 0, 1, 0, 0},
};

/* The functions of one cipher; a mode that it does not have is NULL. */
struct family {
    set_key *forward;
    set_key *backward;
    void (*free)(union schedule *s);
    crypt_message *crypt[MODES];
};

/* Redirectors of one signature to the functions that all block ciphers have under the same names. */
#define KEYED(CIPHER, FORWARD, BACKWARD)                                                                               \
    static int CIPHER##_forward(union schedule *s, const uint8_t *key, unsigned bits) {                                \
        (void)bits;                                                                                                    \
        mbedtls_##CIPHER##_init(&s->CIPHER);                                                                           \
        return FORWARD;                                                                                                \
    }                                                                                                                  \
    static int CIPHER##_backward(union schedule *s, const uint8_t *key, unsigned bits) {                               \
        (void)bits;                                                                                                    \
        mbedtls_##CIPHER##_init(&s->CIPHER);                                                                           \
        return BACKWARD;                                                                                               \
    }                                                                                                                  \
    static void CIPHER##_free(union schedule *s) {                                                                     \
        mbedtls_##CIPHER##_free(&s->CIPHER);                                                                           \
    }

#define ECB_AND_CBC(CIPHER, BLOCK, ONE_BLOCK)                                                                          \
    static int CIPHER##_ecb(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {  \
        int error = 0;                                                                                                 \
        (void)iv;                                                                                                      \
        (void)way;                                                                                                     \
        for (size_t i = 0; i < bytes && error == 0; i += (BLOCK)) {                                                    \
            error = ONE_BLOCK;                                                                                         \
        }                                                                                                              \
        return error;                                                                                                  \
    }                                                                                                                  \
    static int CIPHER##_cbc(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {  \
        return mbedtls_##CIPHER##_crypt_cbc(&s->CIPHER, way, bytes, iv, in, out);                                      \
    }

#define CTR_AND_CFB(CIPHER)                                                                                            \
    static int CIPHER##_ctr(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {  \
        size_t used = 0;                                                                                               \
        uint8_t block[16];                                                                                             \
        (void)way;                                                                                                     \
        return mbedtls_##CIPHER##_crypt_ctr(&s->CIPHER, bytes, &used, iv, block, in, out);                             \
    }                                                                                                                  \
    static int CIPHER##_cfb(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {  \
        size_t used = 0;                                                                                               \
        return mbedtls_##CIPHER##_crypt_cfb128(&s->CIPHER, way, bytes, &used, iv, in, out);                            \
    }

KEYED(aes, mbedtls_aes_setkey_enc(&s->aes, key, bits), mbedtls_aes_setkey_dec(&s->aes, key, bits))
ECB_AND_CBC(aes, 16, mbedtls_aes_crypt_ecb(&s->aes, way, in + i, out + i))
CTR_AND_CFB(aes)

static int aes_ofb(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    size_t used = 0;
    (void)way;
    return mbedtls_aes_crypt_ofb(&s->aes, bytes, &used, iv, in, out);
}

KEYED(aes_xts, mbedtls_aes_xts_setkey_enc(&s->aes_xts, key, bits), mbedtls_aes_xts_setkey_dec(&s->aes_xts, key, bits))

static int aes_xts(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    return mbedtls_aes_crypt_xts(&s->aes_xts, way, bytes, iv, in, out);
}

KEYED(camellia, mbedtls_camellia_setkey_enc(&s->camellia, key, bits),
      mbedtls_camellia_setkey_dec(&s->camellia, key, bits))
ECB_AND_CBC(camellia, 16, mbedtls_camellia_crypt_ecb(&s->camellia, way, in + i, out + i))
CTR_AND_CFB(camellia)

#if defined(MBEDTLS_ARIA_C)
KEYED(aria, mbedtls_aria_setkey_enc(&s->aria, key, bits), mbedtls_aria_setkey_dec(&s->aria, key, bits))
ECB_AND_CBC(aria, 16, mbedtls_aria_crypt_ecb(&s->aria, in + i, out + i))
CTR_AND_CFB(aria)
#endif

KEYED(des3, mbedtls_des3_set3key_enc(&s->des3, key), mbedtls_des3_set3key_dec(&s->des3, key))
ECB_AND_CBC(des3, 8, mbedtls_des3_crypt_ecb(&s->des3, in + i, out + i))

KEYED(chacha20, mbedtls_chacha20_setkey(&s->chacha20, key), mbedtls_chacha20_setkey(&s->chacha20, key))

static int chacha20(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    (void)way;
    const int error = mbedtls_chacha20_starts(&s->chacha20, iv, 0);
    return error ? error : mbedtls_chacha20_update(&s->chacha20, bytes, in, out);
}

#if defined(MBEDTLS_ARC4_C)
static int arc4_forward(union schedule *s, const uint8_t *key, unsigned bits) {
    mbedtls_arc4_init(&s->arc4);
    mbedtls_arc4_setup(&s->arc4, key, bits / 8);
    return 0;
}

static void arc4_free(union schedule *s) {
    mbedtls_arc4_free(&s->arc4);
}

static int arc4(union schedule *s, int way, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    /* The state after key set-up stays in the context: every message starts from it. */
    mbedtls_arc4_context stream = s->arc4;
    (void)way;
    (void)iv;
    const int error = mbedtls_arc4_crypt(&stream, bytes, in, out);
    mbedtls_arc4_free(&stream);
    return error;
}
#endif

static const struct family aes_family = {
    aes_forward, aes_backward, aes_free, {aes_ecb, aes_cbc, aes_ctr, aes_cfb, aes_ofb},
};
static const struct family aes_xts_family = {aes_xts_forward, aes_xts_backward, aes_xts_free, {[XTS] = aes_xts}};
static const struct family camellia_family = {
    camellia_forward, camellia_backward, camellia_free, {camellia_ecb, camellia_cbc, camellia_ctr, camellia_cfb},
};
#if defined(MBEDTLS_ARIA_C)
static const struct family aria_family = {
    aria_forward, aria_backward, aria_free, {aria_ecb, aria_cbc, aria_ctr, aria_cfb},
};
#endif
static const struct family des3_family = {des3_forward, des3_backward, des3_free, {des3_ecb, des3_cbc}};
static const struct family chacha20_family = {
    chacha20_forward, chacha20_backward, chacha20_free, {[STREAM] = chacha20},
};
#if defined(MBEDTLS_ARC4_C)
static const struct family arc4_family = {arc4_forward, arc4_forward, arc4_free, {[STREAM] = arc4}};
#endif

struct cipher {
    const char *name;
    const struct family *family;
    uint32_t key_bytes;
    uint32_t block_bytes;
    uint32_t nonce_bytes;
    uint64_t flags;
};

static const struct cipher ciphers[] = {
    {"aes-128", &aes_family, 16, 16, 16, 0},
    {"aes-192", &aes_family, 24, 16, 16, 0},
    {"aes-256", &aes_family, 32, 16, 16, 0},
    {"aes-128", &aes_xts_family, 32, 16, 16, 0},
    {"aes-256", &aes_xts_family, 64, 16, 16, 0},
#if defined(MBEDTLS_ARIA_C)
    {"aria-128", &aria_family, 16, 16, 16, 0},
    {"aria-192", &aria_family, 24, 16, 16, 0},
    {"aria-256", &aria_family, 32, 16, 16, 0},
#endif
    {"camellia-128", &camellia_family, 16, 16, 16, 0},
    {"camellia-192", &camellia_family, 24, 16, 16, 0},
    {"camellia-256", &camellia_family, 32, 16, 16, 0},
    {"3des", &des3_family, 24, 8, 8, AEADLAB_HISTORICAL},
    {"chacha20", &chacha20_family, 32, 1, 12, 0},
#if defined(MBEDTLS_ARC4_C)
    {"rc4", &arc4_family, 16, 1, 0, AEADLAB_HISTORICAL},
#endif
};

/* What a row's data points to. */
struct plan {
    const struct family *family;
    int mode;
};

struct context {
    struct plan plan;
    uint32_t nonce_bytes;
    uint32_t block_bytes;
    uint32_t key_bytes;
    int has_inverse;
    union schedule schedule;
    union schedule inverse; /* made when first decrypting, where that needs another key schedule */
    uint8_t key[LONGEST_KEY];
};

static void key_free(void *context) {
    struct context *c = context;
    c->plan.family->free(&c->schedule);
    if (c->has_inverse) {
        c->plan.family->free(&c->inverse);
    }
    explicit_bzero(c, sizeof *c);
    free(c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct plan *plan = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = malloc(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->plan = *plan;
    c->nonce_bytes = algorithm->nonce_bytes;
    c->block_bytes = algorithm->block_bytes;
    c->key_bytes = algorithm->key_bytes;
    c->has_inverse = 0;
    memcpy(c->key, key, key_bytes);
    const int error = plan->family->forward(&c->schedule, key, (unsigned)key_bytes * 8);
    if (error) {
        key_free(c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int32_t crypt_any(struct context *c, union schedule *schedule, int way, const uint8_t *nonce,
                         size_t nonce_bytes, const uint8_t *in, size_t bytes, uint8_t *out) {
    const struct mode *mode = &modes[c->plan.mode];
    uint8_t iv[16];
    if (nonce_bytes != c->nonce_bytes || bytes % c->block_bytes != 0 || bytes < mode->least_bytes ||
        (mode->max_bytes > 0 && bytes > mode->max_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (bytes == 0) {
        return AEADLAB_OK;
    }
    if (nonce_bytes > 0) {
        memcpy(iv, nonce, nonce_bytes);
    }
    return status(c->plan.family->crypt[c->plan.mode](schedule, way, iv, bytes, in, out));
}

static int32_t encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    return crypt_any(c, &c->schedule, MBEDTLS_AES_ENCRYPT, nonce, nonce_bytes, in, bytes, out);
}

static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    if (!modes[c->plan.mode].backwards) {
        return crypt_any(c, &c->schedule, MBEDTLS_AES_DECRYPT, nonce, nonce_bytes, in, bytes, out);
    }
    if (!c->has_inverse) {
        const int error = c->plan.family->backward(&c->inverse, c->key, c->key_bytes * 8);
        if (error) {
            c->plan.family->free(&c->inverse);
            return status(error);
        }
        c->has_inverse = 1;
    }
    return crypt_any(c, &c->inverse, MBEDTLS_AES_DECRYPT, nonce, nonce_bytes, in, bytes, out);
}

/* All families number the two ways alike. */
_Static_assert(MBEDTLS_AES_ENCRYPT == MBEDTLS_CAMELLIA_ENCRYPT && MBEDTLS_AES_ENCRYPT == MBEDTLS_DES_ENCRYPT, "way");
_Static_assert(MBEDTLS_AES_DECRYPT == MBEDTLS_CAMELLIA_DECRYPT && MBEDTLS_AES_DECRYPT == MBEDTLS_DES_DECRYPT, "way");
#if defined(MBEDTLS_ARIA_C)
_Static_assert(MBEDTLS_AES_ENCRYPT == MBEDTLS_ARIA_ENCRYPT && MBEDTLS_AES_DECRYPT == MBEDTLS_ARIA_DECRYPT, "way");
#endif

void add_ciphers(struct rows *rows, const struct kernels *kernels) {
    for (size_t i = 0; i < COUNT(ciphers); i++) {
        const struct cipher *cipher = &ciphers[i];
        const int is_aes = cipher->family == &aes_family || cipher->family == &aes_xts_family;
        for (int mode = 0; mode < MODES; mode++) {
            if (!cipher->family->crypt[mode]) {
                continue;
            }
            const aeadlab_algorithm row = {
                .kernel = is_aes ? kernels->aes : NULL,
                .flags = cipher->flags | (modes[mode].in_place ? AEADLAB_IN_PLACE : 0) | AEADLAB_THREAD_SAFE,
                .kind = AEADLAB_CIPHER,
                .key_bytes = cipher->key_bytes,
                .nonce_bytes = modes[mode].has_iv ? cipher->nonce_bytes : 0,
                .block_bytes = modes[mode].whole_blocks ? cipher->block_bytes : 1,
                .max_bytes = modes[mode].max_bytes,
                .key_new = key_new,
                .key_free = key_free,
                .encrypt = encrypt,
                .decrypt = decrypt,
            };
            const struct plan plan = {cipher->family, mode};
            rows_add(rows, &row, &plan, sizeof plan, "%s%s", cipher->name, modes[mode].suffix);
        }
    }
}

/*
 * The ciphers of Mbed TLS, through the functions of each: the generic layer (cipher.h) takes ECB block by block and
 * rejects partial blocks in place.
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

#define MAX_KEY_BYTES 64

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

/* Return 0 or an error of Mbed TLS. `iv` is a copy of the nonce, which the function may change. */
typedef int crypt_message(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out);
typedef int set_key(union schedule *s, const uint8_t *key, unsigned bits);

enum { ECB, CBC, CTR, CFB, OFB, XTS, STREAM, MODE_COUNT };

struct mode {
    const char *suffix;
    int has_iv;
    int whole_blocks;
    int has_decrypt_key; /* decryption has a key schedule of its own */
    int in_place;
    size_t min_bytes;
    uint64_t max_bytes;
};

static const struct mode modes[MODE_COUNT] = {
    [ECB] = {"-ecb", 0, 1, 1, 1, 0, 0},
    [CBC] = {"-cbc", 1, 1, 1, 1, 0, 0},
    [CTR] = {"-ctr", 1, 0, 0, 1, 0, 0},
    [CFB] = {"-cfb", 1, 0, 0, 1, 0, 0},
    [OFB] = {"-ofb", 1, 0, 0, 1, 0, 0},
    /* IEEE 1619: at least one block, and at most 2^20. A partial last block is wrong in place. */
    [XTS] = {"-xts", 1, 0, 1, 0, 16, 1ull << 24},
    [STREAM] = {"", 1, 0, 0, 1, 0, 0},
};

/* The functions of one cipher; those of missing modes are NULL. */
struct family {
    set_key *set_encrypt_key;
    set_key *set_decrypt_key;
    void (*free)(union schedule *s);
    crypt_message *crypt[MODE_COUNT];
};

/* Adapters to the functions that all block ciphers have under the same names. */
#define KEY_FUNCTIONS(CIPHER, ENCRYPT_KEY, DECRYPT_KEY)                                                                \
    static int CIPHER##_set_encrypt_key(union schedule *s, const uint8_t *key, unsigned bits) {                        \
        (void)bits;                                                                                                    \
        mbedtls_##CIPHER##_init(&s->CIPHER);                                                                           \
        return ENCRYPT_KEY;                                                                                            \
    }                                                                                                                  \
    static int CIPHER##_set_decrypt_key(union schedule *s, const uint8_t *key, unsigned bits) {                        \
        (void)bits;                                                                                                    \
        mbedtls_##CIPHER##_init(&s->CIPHER);                                                                           \
        return DECRYPT_KEY;                                                                                            \
    }                                                                                                                  \
    static void CIPHER##_free(union schedule *s) {                                                                     \
        mbedtls_##CIPHER##_free(&s->CIPHER);                                                                           \
    }

#define ECB_AND_CBC(CIPHER, BLOCK, ONE_BLOCK)                                                                          \
    static int CIPHER##_ecb(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in,            \
                            uint8_t *out) {                                                                            \
        int error = 0;                                                                                                 \
        (void)iv;                                                                                                      \
        (void)direction;                                                                                               \
        for (size_t i = 0; i < bytes && error == 0; i += (BLOCK)) {                                                    \
            error = ONE_BLOCK;                                                                                         \
        }                                                                                                              \
        return error;                                                                                                  \
    }                                                                                                                  \
    static int CIPHER##_cbc(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in,            \
                            uint8_t *out) {                                                                            \
        return mbedtls_##CIPHER##_crypt_cbc(&s->CIPHER, direction, bytes, iv, in, out);                                \
    }

#define CTR_AND_CFB(CIPHER)                                                                                            \
    static int CIPHER##_ctr(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in,            \
                            uint8_t *out) {                                                                            \
        size_t used = 0;                                                                                               \
        uint8_t block[16];                                                                                             \
        (void)direction;                                                                                               \
        return mbedtls_##CIPHER##_crypt_ctr(&s->CIPHER, bytes, &used, iv, block, in, out);                             \
    }                                                                                                                  \
    static int CIPHER##_cfb(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in,            \
                            uint8_t *out) {                                                                            \
        size_t used = 0;                                                                                               \
        return mbedtls_##CIPHER##_crypt_cfb128(&s->CIPHER, direction, bytes, &used, iv, in, out);                      \
    }

KEY_FUNCTIONS(aes, mbedtls_aes_setkey_enc(&s->aes, key, bits), mbedtls_aes_setkey_dec(&s->aes, key, bits))
ECB_AND_CBC(aes, 16, mbedtls_aes_crypt_ecb(&s->aes, direction, in + i, out + i))
CTR_AND_CFB(aes)

static int aes_ofb(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    size_t used = 0;
    (void)direction;
    return mbedtls_aes_crypt_ofb(&s->aes, bytes, &used, iv, in, out);
}

KEY_FUNCTIONS(aes_xts, mbedtls_aes_xts_setkey_enc(&s->aes_xts, key, bits),
              mbedtls_aes_xts_setkey_dec(&s->aes_xts, key, bits))

static int aes_xts(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    return mbedtls_aes_crypt_xts(&s->aes_xts, direction, bytes, iv, in, out);
}

KEY_FUNCTIONS(camellia, mbedtls_camellia_setkey_enc(&s->camellia, key, bits),
              mbedtls_camellia_setkey_dec(&s->camellia, key, bits))
ECB_AND_CBC(camellia, 16, mbedtls_camellia_crypt_ecb(&s->camellia, direction, in + i, out + i))
CTR_AND_CFB(camellia)

#if defined(MBEDTLS_ARIA_C)
KEY_FUNCTIONS(aria, mbedtls_aria_setkey_enc(&s->aria, key, bits), mbedtls_aria_setkey_dec(&s->aria, key, bits))
ECB_AND_CBC(aria, 16, mbedtls_aria_crypt_ecb(&s->aria, in + i, out + i))
CTR_AND_CFB(aria)
#endif

KEY_FUNCTIONS(des3, mbedtls_des3_set3key_enc(&s->des3, key), mbedtls_des3_set3key_dec(&s->des3, key))
ECB_AND_CBC(des3, 8, mbedtls_des3_crypt_ecb(&s->des3, in + i, out + i))

KEY_FUNCTIONS(chacha20, mbedtls_chacha20_setkey(&s->chacha20, key), mbedtls_chacha20_setkey(&s->chacha20, key))

static int chacha20(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    (void)direction;
    const int error = mbedtls_chacha20_starts(&s->chacha20, iv, 0);
    return error ? error : mbedtls_chacha20_update(&s->chacha20, bytes, in, out);
}

#if defined(MBEDTLS_ARC4_C)
static int arc4_set_encrypt_key(union schedule *s, const uint8_t *key, unsigned bits) {
    mbedtls_arc4_init(&s->arc4);
    mbedtls_arc4_setup(&s->arc4, key, bits / 8);
    return 0;
}

static void arc4_free(union schedule *s) {
    mbedtls_arc4_free(&s->arc4);
}

static int arc4(union schedule *s, int direction, uint8_t *iv, size_t bytes, const uint8_t *in, uint8_t *out) {
    /* Each message starts from a copy of the state after the key set-up. */
    mbedtls_arc4_context stream = s->arc4;
    (void)direction;
    (void)iv;
    const int error = mbedtls_arc4_crypt(&stream, bytes, in, out);
    mbedtls_arc4_free(&stream);
    return error;
}
#endif

static const struct family aes_family = {
    aes_set_encrypt_key,
    aes_set_decrypt_key,
    aes_free,
    {aes_ecb, aes_cbc, aes_ctr, aes_cfb, aes_ofb},
};
static const struct family aes_xts_family = {
    aes_xts_set_encrypt_key, aes_xts_set_decrypt_key, aes_xts_free, {[XTS] = aes_xts}};
static const struct family camellia_family = {
    camellia_set_encrypt_key,
    camellia_set_decrypt_key,
    camellia_free,
    {camellia_ecb, camellia_cbc, camellia_ctr, camellia_cfb},
};
#if defined(MBEDTLS_ARIA_C)
static const struct family aria_family = {
    aria_set_encrypt_key,
    aria_set_decrypt_key,
    aria_free,
    {aria_ecb, aria_cbc, aria_ctr, aria_cfb},
};
#endif
static const struct family des3_family = {des3_set_encrypt_key, des3_set_decrypt_key, des3_free, {des3_ecb, des3_cbc}};
static const struct family chacha20_family = {
    chacha20_set_encrypt_key,
    chacha20_set_decrypt_key,
    chacha20_free,
    {[STREAM] = chacha20},
};
#if defined(MBEDTLS_ARC4_C)
static const struct family arc4_family = {arc4_set_encrypt_key, arc4_set_encrypt_key, arc4_free, {[STREAM] = arc4}};
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

/* The target of algorithm->data. */
struct plan {
    const struct family *family;
    int mode;
};

struct context {
    struct plan plan;
    uint32_t nonce_bytes;
    uint32_t block_bytes;
    uint32_t key_bytes;
    int has_decrypt_schedule;
    union schedule schedule;
    union schedule decrypt_schedule; /* created by the first decryption of modes with has_decrypt_key */
    uint8_t key[MAX_KEY_BYTES];
};

static void key_free(void *context) {
    struct context *c = context;
    c->plan.family->free(&c->schedule);
    if (c->has_decrypt_schedule) {
        c->plan.family->free(&c->decrypt_schedule);
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
    c->has_decrypt_schedule = 0;
    memcpy(c->key, key, key_bytes);
    const int error = plan->family->set_encrypt_key(&c->schedule, key, (unsigned)key_bytes * 8);
    if (error) {
        key_free(c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int32_t process_message(struct context *c, union schedule *schedule, int direction, const uint8_t *nonce,
                               size_t nonce_bytes, const uint8_t *in, size_t bytes, uint8_t *out) {
    const struct mode *mode = &modes[c->plan.mode];
    uint8_t iv[16];
    if (nonce_bytes != c->nonce_bytes || bytes % c->block_bytes != 0 || bytes < mode->min_bytes ||
        (mode->max_bytes > 0 && bytes > mode->max_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (bytes == 0) {
        return AEADLAB_OK;
    }
    if (nonce_bytes > 0) {
        memcpy(iv, nonce, nonce_bytes);
    }
    return status(c->plan.family->crypt[c->plan.mode](schedule, direction, iv, bytes, in, out));
}

static int32_t encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    return process_message(c, &c->schedule, MBEDTLS_AES_ENCRYPT, nonce, nonce_bytes, in, bytes, out);
}

static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    if (!modes[c->plan.mode].has_decrypt_key) {
        return process_message(c, &c->schedule, MBEDTLS_AES_DECRYPT, nonce, nonce_bytes, in, bytes, out);
    }
    if (!c->has_decrypt_schedule) {
        const int error = c->plan.family->set_decrypt_key(&c->decrypt_schedule, c->key, c->key_bytes * 8);
        if (error) {
            c->plan.family->free(&c->decrypt_schedule);
            return status(error);
        }
        c->has_decrypt_schedule = 1;
    }
    return process_message(c, &c->decrypt_schedule, MBEDTLS_AES_DECRYPT, nonce, nonce_bytes, in, bytes, out);
}

/* All families have the same constants for the directions. */
_Static_assert(MBEDTLS_AES_ENCRYPT == MBEDTLS_CAMELLIA_ENCRYPT && MBEDTLS_AES_ENCRYPT == MBEDTLS_DES_ENCRYPT,
               "direction");
_Static_assert(MBEDTLS_AES_DECRYPT == MBEDTLS_CAMELLIA_DECRYPT && MBEDTLS_AES_DECRYPT == MBEDTLS_DES_DECRYPT,
               "direction");
#if defined(MBEDTLS_ARIA_C)
_Static_assert(MBEDTLS_AES_ENCRYPT == MBEDTLS_ARIA_ENCRYPT && MBEDTLS_AES_DECRYPT == MBEDTLS_ARIA_DECRYPT, "direction");
#endif

void add_ciphers(struct rows *rows, const struct kernels *kernels) {
    for (size_t i = 0; i < COUNT(ciphers); i++) {
        const struct cipher *cipher = &ciphers[i];
        const int is_aes = cipher->family == &aes_family || cipher->family == &aes_xts_family;
        for (int mode = 0; mode < MODE_COUNT; mode++) {
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
                /* RFC 8439: 2^32 blocks of 64 bytes. */
                .max_bytes = cipher->family == &chacha20_family ? 1ull << 38 : modes[mode].max_bytes,
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

/* The ciphers of wolfSSL. */
#include "plugin.h"

#include <wolfssl/wolfcrypt/arc4.h>
#include <wolfssl/wolfcrypt/camellia.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/des3.h>

#define MAX_KEY_BYTES 64

union schedule {
    Aes aes;
#if defined(WOLFSSL_AES_XTS)
    struct {
        XtsAes key;
        uint8_t tweak[16];
    } xts;
#endif
#if defined(HAVE_CAMELLIA)
    Camellia camellia;
#endif
#if !defined(NO_DES3)
    Des3 des3;
#endif
#if defined(HAVE_CHACHA)
    ChaCha chacha;
#endif
#if !defined(NO_RC4)
    Arc4 arc4;
#endif
};

struct context {
    const struct cipher *cipher;
    union schedule encrypt_schedule;
    union schedule decrypt_schedule; /* created by the first decryption of modes with has_decrypt_key */
    union schedule message;          /* of ciphers whose messages change the schedule */
    int has_decrypt_schedule;
    uint8_t key[MAX_KEY_BYTES];
};

/* These functions return 0 or an error of wolfSSL. */
typedef int set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction);
/* Start a message; may replace *s by the schedule of the message. */
typedef int start(struct context *c, union schedule **s, const uint8_t *nonce);
typedef int crypt_chunk(union schedule *s, uint8_t *out, const uint8_t *in, word32 bytes);

struct family {
    set_key *set_key;
    void (*free)(union schedule *s);
    start *start;
};

struct mode {
    const char *suffix;
    const struct family *family;
    crypt_chunk *encrypt;
    crypt_chunk *decrypt;
    uint32_t nonce_bytes;
    uint32_t block_bytes;
    int has_decrypt_key; /* decryption has a key schedule of its own */
    int in_place;
    size_t min_bytes;
    uint64_t max_bytes;
};

/* The target of algorithm->data. */
struct cipher {
    const struct mode *mode;
    uint32_t key_bytes;
};

/* An adapter to a function of the library. */
#define ADAPTER(NAME, FIELD, FUNCTION)                                                                                 \
    static int NAME(union schedule *s, uint8_t *out, const uint8_t *in, word32 bytes) {                                \
        return FUNCTION(&s->FIELD, out, in, bytes);                                                                    \
    }

static void no_free(union schedule *s) {
    (void)s;
}

static int aes_set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction) {
    const int error = wc_AesInit(&s->aes, NULL, INVALID_DEVID);
    return error ? error : wc_AesSetKey(&s->aes, key, key_bytes, NULL, direction);
}

static void aes_free(union schedule *s) {
    wc_AesFree(&s->aes);
}

static int aes_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    (void)c;
    return nonce ? wc_AesSetIV(&(*s)->aes, nonce) : 0;
}

static const struct family aes = {aes_set_key, aes_free, aes_start};

ADAPTER(aes_cbc_encrypt, aes, wc_AesCbcEncrypt)
ADAPTER(aes_cbc_decrypt, aes, wc_AesCbcDecrypt)
#if defined(HAVE_AES_ECB)
ADAPTER(aes_ecb_encrypt, aes, wc_AesEcbEncrypt)
ADAPTER(aes_ecb_decrypt, aes, wc_AesEcbDecrypt)
#endif
#if defined(WOLFSSL_AES_COUNTER)
ADAPTER(aes_ctr, aes, wc_AesCtrEncrypt)
#endif
#if defined(WOLFSSL_AES_CFB)
ADAPTER(aes_cfb_encrypt, aes, wc_AesCfbEncrypt)
ADAPTER(aes_cfb_decrypt, aes, wc_AesCfbDecrypt)
#endif
#if defined(WOLFSSL_AES_OFB)
ADAPTER(aes_ofb_encrypt, aes, wc_AesOfbEncrypt)
ADAPTER(aes_ofb_decrypt, aes, wc_AesOfbDecrypt)
#endif

static const struct mode aes_modes[] = {
#if defined(HAVE_AES_ECB)
    {"-ecb", &aes, aes_ecb_encrypt, aes_ecb_decrypt, 0, 16, 1, 1, 0, 0},
#endif
    {"-cbc", &aes, aes_cbc_encrypt, aes_cbc_decrypt, 16, 16, 1, 1, 0, 0},
#if defined(WOLFSSL_AES_COUNTER)
    {"-ctr", &aes, aes_ctr, aes_ctr, 16, 1, 0, 1, 0, 0},
#endif
#if defined(WOLFSSL_AES_CFB)
    {"-cfb", &aes, aes_cfb_encrypt, aes_cfb_decrypt, 16, 1, 0, 1, 0, 0},
#endif
#if defined(WOLFSSL_AES_OFB)
    {"-ofb", &aes, aes_ofb_encrypt, aes_ofb_decrypt, 16, 1, 0, 1, 0, 0},
#endif
};

#if defined(WOLFSSL_AES_XTS)
static int xts_set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction) {
    return wc_AesXtsSetKey(&s->xts.key, key, key_bytes, direction, NULL, INVALID_DEVID);
}

static void xts_free(union schedule *s) {
    wc_AesXtsFree(&s->xts.key);
}

/* The tweak is an argument of the one call for the message. */
static int xts_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    (void)c;
    memcpy((*s)->xts.tweak, nonce, sizeof(*s)->xts.tweak);
    return 0;
}

static int xts_encrypt(union schedule *s, uint8_t *out, const uint8_t *in, word32 bytes) {
    return wc_AesXtsEncrypt(&s->xts.key, out, in, bytes, s->xts.tweak, sizeof s->xts.tweak);
}

static int xts_decrypt(union schedule *s, uint8_t *out, const uint8_t *in, word32 bytes) {
    return wc_AesXtsDecrypt(&s->xts.key, out, in, bytes, s->xts.tweak, sizeof s->xts.tweak);
}

static const struct family xts = {xts_set_key, xts_free, xts_start};
/* IEEE 1619: at least one block, and at most 2^20. A partial last block is wrong in place. */
static const struct mode xts_mode = {"-xts", &xts, xts_encrypt, xts_decrypt, 16, 1, 1, 0, 16, 1ull << 24};
#endif

#if defined(HAVE_CAMELLIA)
static int camellia_set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction) {
    (void)direction;
    return wc_CamelliaSetKey(&s->camellia, key, key_bytes, NULL);
}

static int camellia_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    (void)c;
    return nonce ? wc_CamelliaSetIV(&(*s)->camellia, nonce) : 0;
}

static int camellia_ecb_encrypt(union schedule *s, uint8_t *out, const uint8_t *in, word32 bytes) {
    int error = 0;
    for (word32 i = 0; i < bytes && error == 0; i += 16) {
        error = wc_CamelliaEncryptDirect(&s->camellia, out + i, in + i);
    }
    return error;
}

static int camellia_ecb_decrypt(union schedule *s, uint8_t *out, const uint8_t *in, word32 bytes) {
    int error = 0;
    for (word32 i = 0; i < bytes && error == 0; i += 16) {
        error = wc_CamelliaDecryptDirect(&s->camellia, out + i, in + i);
    }
    return error;
}

ADAPTER(camellia_cbc_encrypt, camellia, wc_CamelliaCbcEncrypt)
ADAPTER(camellia_cbc_decrypt, camellia, wc_CamelliaCbcDecrypt)

static const struct family camellia = {camellia_set_key, no_free, camellia_start};
static const struct mode camellia_modes[] = {
    {"-ecb", &camellia, camellia_ecb_encrypt, camellia_ecb_decrypt, 0, 16, 0, 1, 0, 0},
    {"-cbc", &camellia, camellia_cbc_encrypt, camellia_cbc_decrypt, 16, 16, 0, 1, 0, 0},
};
#endif

#if !defined(NO_DES3)
static int des3_set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction) {
    (void)key_bytes;
    const int error = wc_Des3Init(&s->des3, NULL, INVALID_DEVID);
    return error ? error
                 : wc_Des3_SetKey(&s->des3, key, NULL, direction == AES_ENCRYPTION ? DES_ENCRYPTION : DES_DECRYPTION);
}

static void des3_free(union schedule *s) {
    wc_Des3Free(&s->des3);
}

static int des3_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    (void)c;
    return nonce ? wc_Des3_SetIV(&(*s)->des3, nonce) : 0;
}

ADAPTER(des3_cbc_encrypt, des3, wc_Des3_CbcEncrypt)
ADAPTER(des3_cbc_decrypt, des3, wc_Des3_CbcDecrypt)
#if defined(WOLFSSL_DES_ECB)
ADAPTER(des3_ecb, des3, wc_Des3_EcbEncrypt)
#endif

static const struct family des3 = {des3_set_key, des3_free, des3_start};
static const struct mode des3_modes[] = {
#if defined(WOLFSSL_DES_ECB)
    {"-ecb", &des3, des3_ecb, des3_ecb, 0, 8, 1, 1, 0, 0},
#endif
    {"-cbc", &des3, des3_cbc_encrypt, des3_cbc_decrypt, 8, 8, 1, 1, 0, 0},
};
#endif

#if defined(HAVE_CHACHA)
static int chacha_set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction) {
    (void)direction;
    return wc_Chacha_SetKey(&s->chacha, key, key_bytes);
}

static int chacha_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    (void)c;
    return wc_Chacha_SetIV(&(*s)->chacha, nonce, 0);
}

ADAPTER(chacha_crypt, chacha, wc_Chacha_Process)

static const struct family chacha = {chacha_set_key, no_free, chacha_start};
static const struct mode chacha20_mode = {"", &chacha, chacha_crypt, chacha_crypt, 12, 1, 0, 1, 0, 1ull << 38};
#if defined(HAVE_XCHACHA)
/* The key of the stream is derived from key and nonce. */
static int xchacha_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    *s = &c->message;
    return wc_XChacha_SetKey(&c->message.chacha, c->key, c->cipher->key_bytes, nonce, 24, 0);
}

static const struct family xchacha = {chacha_set_key, no_free, xchacha_start};
static const struct mode xchacha20_mode = {"", &xchacha, chacha_crypt, chacha_crypt, 24, 1, 0, 1, 0, 1ull << 38};
#endif
#endif

#if !defined(NO_RC4)
static int arc4_set_key(union schedule *s, const uint8_t *key, word32 key_bytes, int direction) {
    (void)direction;
    const int error = wc_Arc4Init(&s->arc4, NULL, INVALID_DEVID);
    return error ? error : wc_Arc4SetKey(&s->arc4, key, key_bytes);
}

static void arc4_free(union schedule *s) {
    wc_Arc4Free(&s->arc4);
}

/* Each message starts from a copy of the state after the key set-up. */
static int arc4_start(struct context *c, union schedule **s, const uint8_t *nonce) {
    (void)nonce;
    c->message.arc4 = c->encrypt_schedule.arc4;
    *s = &c->message;
    return 0;
}

ADAPTER(arc4_crypt, arc4, wc_Arc4Process)

static const struct family arc4 = {arc4_set_key, arc4_free, arc4_start};
static const struct mode rc4_mode = {"", &arc4, arc4_crypt, arc4_crypt, 0, 1, 0, 1, 0, 0};
#endif

static void key_free(void *context) {
    struct context *c = context;
    c->cipher->mode->family->free(&c->encrypt_schedule);
    if (c->has_decrypt_schedule) {
        c->cipher->mode->family->free(&c->decrypt_schedule);
    }
    wipe_and_free(c, sizeof *c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct cipher *cipher = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = new_context(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->cipher = cipher;
    memcpy(c->key, key, key_bytes);
    const int error = cipher->mode->family->set_key(&c->encrypt_schedule, key, (word32)key_bytes, AES_ENCRYPTION);
    if (error) {
        key_free(c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int32_t process_message(struct context *c, union schedule *schedule, crypt_chunk *call, const uint8_t *nonce,
                               size_t nonce_bytes, const uint8_t *in, size_t bytes, uint8_t *out) {
    const struct mode *mode = c->cipher->mode;
    if (nonce_bytes != mode->nonce_bytes || bytes % mode->block_bytes != 0 || bytes < mode->min_bytes ||
        (mode->max_bytes > 0 && bytes > mode->max_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    int error = mode->family->start(c, &schedule, nonce_bytes > 0 ? nonce : NULL);
    for (size_t done = 0; done < bytes && error == 0; done += CHUNK_BYTES) {
        const size_t rest = bytes - done;
        error = call(schedule, out + done, in + done, rest < CHUNK_BYTES ? (word32)rest : CHUNK_BYTES);
    }
    return status(error);
}

static int32_t encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    return process_message(c, &c->encrypt_schedule, c->cipher->mode->encrypt, nonce, nonce_bytes, in, bytes, out);
}

static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    const struct mode *mode = c->cipher->mode;
    if (mode->has_decrypt_key && !c->has_decrypt_schedule) {
        const int error = mode->family->set_key(&c->decrypt_schedule, c->key, c->cipher->key_bytes, AES_DECRYPTION);
        if (error) {
            return status(error);
        }
        c->has_decrypt_schedule = 1;
    }
    return process_message(c, mode->has_decrypt_key ? &c->decrypt_schedule : &c->encrypt_schedule, mode->decrypt, nonce,
                           nonce_bytes, in, bytes, out);
}

static void add(struct rows *rows, const char *name, uint32_t key_bytes, const struct mode *mode, size_t modes,
                const char *kernel, uint64_t flags) {
    for (size_t i = 0; i < modes; i++) {
        const aeadlab_algorithm row = {
            .kernel = kernel,
            .flags = flags | (mode[i].in_place ? AEADLAB_IN_PLACE : 0) | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_CIPHER,
            .key_bytes = key_bytes,
            .nonce_bytes = mode[i].nonce_bytes,
            .block_bytes = mode[i].block_bytes,
            .max_bytes = mode[i].max_bytes,
            .key_new = key_new,
            .key_free = key_free,
            .encrypt = encrypt,
            .decrypt = decrypt,
        };
        const struct cipher cipher = {&mode[i], key_bytes};
        rows_add(rows, &row, &cipher, sizeof cipher, "%s%s", name, mode[i].suffix);
    }
}

void add_ciphers(struct rows *rows) {
    add(rows, "aes-128", 16, aes_modes, COUNT(aes_modes), AES_KERNEL, 0);
    add(rows, "aes-192", 24, aes_modes, COUNT(aes_modes), AES_KERNEL, 0);
    add(rows, "aes-256", 32, aes_modes, COUNT(aes_modes), AES_KERNEL, 0);
#if defined(WOLFSSL_AES_XTS)
    add(rows, "aes-128", 32, &xts_mode, 1, AES_KERNEL, 0);
    add(rows, "aes-256", 64, &xts_mode, 1, AES_KERNEL, 0);
#endif
#if defined(HAVE_CAMELLIA)
    add(rows, "camellia-128", 16, camellia_modes, COUNT(camellia_modes), NULL, 0);
    add(rows, "camellia-192", 24, camellia_modes, COUNT(camellia_modes), NULL, 0);
    add(rows, "camellia-256", 32, camellia_modes, COUNT(camellia_modes), NULL, 0);
#endif
#if !defined(NO_DES3)
    add(rows, "3des", 24, des3_modes, COUNT(des3_modes), NULL, AEADLAB_HISTORICAL);
#endif
#if defined(HAVE_CHACHA)
    add(rows, "chacha20", 32, &chacha20_mode, 1, NULL, 0);
#if defined(HAVE_XCHACHA)
    add(rows, "xchacha20", 32, &xchacha20_mode, 1, NULL, 0);
#endif
#endif
#if !defined(NO_RC4)
    add(rows, "rc4", 16, &rc4_mode, 1, NULL, AEADLAB_HISTORICAL);
#endif
}

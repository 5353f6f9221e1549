/* The AEADs of wolfSSL: GCM, CCM and SIV of AES, ChaCha20-Poly1305 and XChaCha20-Poly1305. */
#include "plugin.h"

#include <wolfssl/wolfcrypt/chacha20_poly1305.h>

#define TAG_BYTES 16
#define MAX_KEY_BYTES 64

struct context {
    const struct aead *aead;
    union {
        Aes aes;
#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
        ChaChaPoly_Aead chacha;
#endif
    } state;
    uint8_t key[MAX_KEY_BYTES];
};

struct message {
    const uint8_t *nonce;
    word32 nonce_bytes;
    const uint8_t *ad;
    word32 ad_bytes;
    const uint8_t *in;
    word32 bytes;
};

/* The functions return 0 or an error of wolfSSL. `open` compares the tag in constant time. */
struct mode {
    int (*set_key)(struct context *c, const uint8_t *key, word32 key_bytes);
    void (*free)(struct context *c);
    int (*seal)(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag);
    int (*open)(struct context *c, const struct message *m, uint8_t *out, const uint8_t *tag);
};

struct aead {
    const char *name;
    const struct mode *mode;
    uint32_t key_bytes;
    uint32_t min_nonce_bytes;
    uint32_t nonce_bytes;
    uint32_t max_nonce_bytes;
    uint64_t max_bytes;
};

static void aes_free(struct context *c) {
    wc_AesFree(&c->state.aes);
}

static void no_free(struct context *c) {
    (void)c;
}

#if defined(HAVE_AESGCM)
static int gcm_set_key(struct context *c, const uint8_t *key, word32 key_bytes) {
    const int error = wc_AesInit(&c->state.aes, NULL, INVALID_DEVID);
    return error ? error : wc_AesGcmSetKey(&c->state.aes, key, key_bytes);
}

static int gcm_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    return wc_AesGcmEncrypt(&c->state.aes, out, m->in, m->bytes, m->nonce, m->nonce_bytes, tag, TAG_BYTES, m->ad,
                            m->ad_bytes);
}

static int gcm_open(struct context *c, const struct message *m, uint8_t *out, const uint8_t *tag) {
    return wc_AesGcmDecrypt(&c->state.aes, out, m->in, m->bytes, m->nonce, m->nonce_bytes, tag, TAG_BYTES, m->ad,
                            m->ad_bytes);
}

static const struct mode gcm = {gcm_set_key, aes_free, gcm_seal, gcm_open};
#endif

#if defined(HAVE_AESCCM)
static int ccm_set_key(struct context *c, const uint8_t *key, word32 key_bytes) {
    const int error = wc_AesInit(&c->state.aes, NULL, INVALID_DEVID);
    return error ? error : wc_AesCcmSetKey(&c->state.aes, key, key_bytes);
}

static int ccm_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    return wc_AesCcmEncrypt(&c->state.aes, out, m->in, m->bytes, m->nonce, m->nonce_bytes, tag, TAG_BYTES, m->ad,
                            m->ad_bytes);
}

static int ccm_open(struct context *c, const struct message *m, uint8_t *out, const uint8_t *tag) {
    return wc_AesCcmDecrypt(&c->state.aes, out, m->in, m->bytes, m->nonce, m->nonce_bytes, tag, TAG_BYTES, m->ad,
                            m->ad_bytes);
}

static const struct mode ccm = {ccm_set_key, aes_free, ccm_seal, ccm_open};
#endif

#if defined(WOLFSSL_AES_SIV)
static int keep_key(struct context *c, const uint8_t *key, word32 key_bytes) {
    memcpy(c->key, key, key_bytes);
    return 0;
}

/* The library has SIV as one call only, which includes the key set-up. */
static int siv_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    return wc_AesSivEncrypt(c->key, c->aead->key_bytes, m->ad, m->ad_bytes, m->nonce, m->nonce_bytes, m->in, m->bytes,
                            tag, out);
}

static int siv_open(struct context *c, const struct message *m, uint8_t *out, const uint8_t *tag) {
    uint8_t tag_copy[TAG_BYTES];
    memcpy(tag_copy, tag, TAG_BYTES);
    return wc_AesSivDecrypt(c->key, c->aead->key_bytes, m->ad, m->ad_bytes, m->nonce, m->nonce_bytes, m->in, m->bytes,
                            tag_copy, out);
}

static const struct mode siv = {keep_key, no_free, siv_seal, siv_open};
#endif

#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
static int chacha_set_key(struct context *c, const uint8_t *key, word32 key_bytes) {
    memcpy(c->key, key, key_bytes);
    return 0;
}

static int chacha_crypt(struct context *c, const struct message *m, int direction, uint8_t *out, uint8_t *tag) {
    int error = wc_ChaCha20Poly1305_Init(&c->state.chacha, c->key, m->nonce, direction);
    error = error ? error : wc_ChaCha20Poly1305_UpdateAad(&c->state.chacha, m->ad, m->ad_bytes);
    /* Also without data: the library requires an update before it finishes. */
    error = error ? error : wc_ChaCha20Poly1305_UpdateData(&c->state.chacha, m->in, out, m->bytes);
    return error ? error : wc_ChaCha20Poly1305_Final(&c->state.chacha, tag);
}

static int chacha_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    return chacha_crypt(c, m, CHACHA20_POLY1305_AEAD_ENCRYPT, out, tag);
}

static int chacha_open(struct context *c, const struct message *m, uint8_t *out, const uint8_t *tag) {
    uint8_t computed[TAG_BYTES];
    const int error = chacha_crypt(c, m, CHACHA20_POLY1305_AEAD_DECRYPT, out, computed);
    return error ? error : wc_ChaCha20Poly1305_CheckTag(computed, tag);
}

static const struct mode chacha = {chacha_set_key, no_free, chacha_seal, chacha_open};

#if defined(HAVE_XCHACHA)
/*
 * XChaCha20-Poly1305 from the library's cipher and MAC, in chunks that stay in the cache. Its one-shot call appends the
 * tag to the ciphertext, and its incremental calls omit the length of the associated data.
 */
static int xchacha_crypt(struct context *c, const struct message *m, int direction, uint8_t *out, uint8_t *tag) {
    ChaCha *stream = &c->state.chacha.chacha;
    Poly1305 *mac = &c->state.chacha.poly;
    const word32 chunk = 16384;
    /* The nonce precedes the key, although the header names the parameters otherwise. It checks both lengths. */
    int error = wc_XChaCha20Poly1305_Init(&c->state.chacha, m->ad, m->ad_bytes, m->nonce, m->nonce_bytes, c->key,
                                          c->aead->key_bytes, direction);
    for (size_t done = 0; done < m->bytes && error == 0; done += chunk) {
        const word32 bytes = m->bytes - done < chunk ? (word32)(m->bytes - done) : chunk;
        if (direction == CHACHA20_POLY1305_AEAD_DECRYPT) {
            error = wc_Poly1305Update(mac, m->in + done, bytes);
        }
        error = error ? error : wc_Chacha_Process(stream, out + done, m->in + done, bytes);
        if (direction == CHACHA20_POLY1305_AEAD_ENCRYPT && error == 0) {
            error = wc_Poly1305Update(mac, out + done, bytes);
        }
    }
    error = error ? error : wc_Poly1305_Pad(mac, m->bytes);
    error = error ? error : wc_Poly1305_EncodeSizes(mac, m->ad_bytes, m->bytes);
    return error ? error : wc_Poly1305Final(mac, tag);
}

static int xchacha_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    return xchacha_crypt(c, m, CHACHA20_POLY1305_AEAD_ENCRYPT, out, tag);
}

static int xchacha_open(struct context *c, const struct message *m, uint8_t *out, const uint8_t *tag) {
    uint8_t computed[TAG_BYTES];
    const int error = xchacha_crypt(c, m, CHACHA20_POLY1305_AEAD_DECRYPT, out, computed);
    return error ? error : wc_ChaCha20Poly1305_CheckTag(computed, tag);
}

static const struct mode xchacha = {chacha_set_key, no_free, xchacha_seal, xchacha_open};
#endif
#endif

#define CCM_MAX_BYTES ((1ull << 24) - 1)

static const struct aead aeads[] = {
#if defined(HAVE_AESGCM)
    {"aes-128-gcm", &gcm, 16, 1, 12, UINT32_MAX, ONE_CALL},
    {"aes-192-gcm", &gcm, 24, 1, 12, UINT32_MAX, ONE_CALL},
    {"aes-256-gcm", &gcm, 32, 1, 12, UINT32_MAX, ONE_CALL},
#endif
#if defined(HAVE_AESCCM)
    {"aes-128-ccm", &ccm, 16, 7, 12, 13, CCM_MAX_BYTES},
    {"aes-192-ccm", &ccm, 24, 7, 12, 13, CCM_MAX_BYTES},
    {"aes-256-ccm", &ccm, 32, 7, 12, 13, CCM_MAX_BYTES},
#endif
#if defined(WOLFSSL_AES_SIV)
    {"aes-128-siv", &siv, 32, 16, 16, 16, ONE_CALL},
    {"aes-192-siv", &siv, 48, 16, 16, 16, ONE_CALL},
    {"aes-256-siv", &siv, 64, 16, 16, 16, ONE_CALL},
#endif
#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
    {"chacha20-poly1305", &chacha, 32, 12, 12, 12, ONE_CALL},
#if defined(HAVE_XCHACHA)
    {"xchacha20-poly1305", &xchacha, 32, 24, 24, 24, ONE_CALL},
#endif
#endif
};

static void key_free(void *context) {
    struct context *c = context;
    c->aead->mode->free(c);
    wipe_and_free(c, sizeof *c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct aead *aead = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = new_context(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->aead = aead;
    const int error = aead->mode->set_key(c, key, (word32)key_bytes);
    if (error) {
        key_free(c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int lengths_valid(const struct aead *aead, size_t nonce_bytes, size_t ad_bytes, size_t bytes) {
    return nonce_bytes >= aead->min_nonce_bytes && nonce_bytes <= aead->max_nonce_bytes && ad_bytes <= ONE_CALL &&
           bytes <= aead->max_bytes;
}

static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    struct context *c = context;
    uint8_t unused_output[1];
    if (!lengths_valid(c->aead, nonce_bytes, ad_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    const struct message m = {nonce, (word32)nonce_bytes, readable(ad), (word32)ad_bytes, readable(in), (word32)bytes};
    return status(c->aead->mode->seal(c, &m, out ? out : unused_output, tag));
}

static int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    struct context *c = context;
    uint8_t unused_output[1];
    if (!lengths_valid(c->aead, nonce_bytes, ad_bytes, bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    const struct message m = {nonce, (word32)nonce_bytes, readable(ad), (word32)ad_bytes, readable(in), (word32)bytes};
    return status(c->aead->mode->open(c, &m, out ? out : unused_output, tag));
}

void add_aeads(struct rows *rows) {
    for (size_t i = 0; i < COUNT(aeads); i++) {
        const struct aead *aead = &aeads[i];
        const uint64_t any_nonce = aead->min_nonce_bytes < aead->max_nonce_bytes ? AEADLAB_ANY_NONCE_LENGTH : 0;
        const char *kernel = strncmp(aead->name, "aes-", 4) == 0 ? AES_KERNEL : NULL;
#if defined(HAVE_AESGCM)
        kernel = aead->mode == &gcm ? GCM_KERNEL : kernel;
#endif
        const aeadlab_algorithm row = {
            .kernel = kernel,
            .flags = any_nonce | AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG,
            .kind = AEADLAB_AEAD,
            .key_bytes = aead->key_bytes,
            .nonce_bytes = aead->nonce_bytes,
            .tag_bytes = TAG_BYTES,
            .max_bytes = aead->max_bytes,
            .max_ad_bytes = ONE_CALL,
            .key_new = key_new,
            .key_free = key_free,
            .seal = seal,
            .open = open,
        };
        rows_add(rows, &row, aead, sizeof *aead, "%s", aead->name);
    }
}

/* The AEADs of Mbed TLS: GCM and CCM for each block cipher with 16-byte blocks, and ChaCha20-Poly1305. */
#include "plugin.h"

struct block_cipher {
    const char *name;
    mbedtls_cipher_id_t id;
    uint32_t key_bytes;
};

static const struct block_cipher block_ciphers[] = {
    {"aes-128", MBEDTLS_CIPHER_ID_AES, 16},           {"aes-192", MBEDTLS_CIPHER_ID_AES, 24},
    {"aes-256", MBEDTLS_CIPHER_ID_AES, 32},           {"aria-128", MBEDTLS_CIPHER_ID_ARIA, 16},
    {"aria-192", MBEDTLS_CIPHER_ID_ARIA, 24},         {"aria-256", MBEDTLS_CIPHER_ID_ARIA, 32},
    {"camellia-128", MBEDTLS_CIPHER_ID_CAMELLIA, 16}, {"camellia-192", MBEDTLS_CIPHER_ID_CAMELLIA, 24},
    {"camellia-256", MBEDTLS_CIPHER_ID_CAMELLIA, 32},
};

union state {
    mbedtls_gcm_context gcm;
    mbedtls_ccm_context ccm;
    mbedtls_chachapoly_context chachapoly;
};

struct message {
    const uint8_t *nonce;
    size_t nonce_bytes;
    const uint8_t *ad;
    size_t ad_bytes;
    const uint8_t *in;
    size_t bytes;
};

/* The functions return 0 or an error of Mbed TLS. `open` compares tags in constant time and wipes forged messages. */
struct mode {
    const char *name;
    int (*set_key)(union state *s, mbedtls_cipher_id_t id, const uint8_t *key, unsigned bits);
    void (*free)(union state *s);
    int (*seal)(union state *s, const struct message *m, uint8_t *out, uint8_t *tag);
    int (*open)(union state *s, const struct message *m, uint8_t *out, const uint8_t *tag);
    uint32_t min_nonce_bytes;
    uint32_t max_nonce_bytes;
    uint64_t max_bytes;
    uint32_t max_ad_bytes;
};

static int gcm_set_key(union state *s, mbedtls_cipher_id_t id, const uint8_t *key, unsigned bits) {
    mbedtls_gcm_init(&s->gcm);
    return mbedtls_gcm_setkey(&s->gcm, id, key, bits);
}

static void gcm_free(union state *s) {
    mbedtls_gcm_free(&s->gcm);
}

static int gcm_seal(union state *s, const struct message *m, uint8_t *out, uint8_t *tag) {
    return mbedtls_gcm_crypt_and_tag(&s->gcm, MBEDTLS_GCM_ENCRYPT, m->bytes, m->nonce, m->nonce_bytes, m->ad,
                                     m->ad_bytes, m->in, out, 16, tag);
}

static int gcm_open(union state *s, const struct message *m, uint8_t *out, const uint8_t *tag) {
    return mbedtls_gcm_auth_decrypt(&s->gcm, m->bytes, m->nonce, m->nonce_bytes, m->ad, m->ad_bytes, tag, 16, m->in,
                                    out);
}

static int ccm_set_key(union state *s, mbedtls_cipher_id_t id, const uint8_t *key, unsigned bits) {
    mbedtls_ccm_init(&s->ccm);
    return mbedtls_ccm_setkey(&s->ccm, id, key, bits);
}

static void ccm_free(union state *s) {
    mbedtls_ccm_free(&s->ccm);
}

static int ccm_seal(union state *s, const struct message *m, uint8_t *out, uint8_t *tag) {
    return mbedtls_ccm_encrypt_and_tag(&s->ccm, m->bytes, m->nonce, m->nonce_bytes, m->ad, m->ad_bytes, m->in, out, tag,
                                       16);
}

static int ccm_open(union state *s, const struct message *m, uint8_t *out, const uint8_t *tag) {
    return mbedtls_ccm_auth_decrypt(&s->ccm, m->bytes, m->nonce, m->nonce_bytes, m->ad, m->ad_bytes, m->in, out, tag,
                                    16);
}

static int chachapoly_set_key(union state *s, mbedtls_cipher_id_t id, const uint8_t *key, unsigned bits) {
    (void)id;
    (void)bits;
    mbedtls_chachapoly_init(&s->chachapoly);
    return mbedtls_chachapoly_setkey(&s->chachapoly, key);
}

static void chachapoly_free(union state *s) {
    mbedtls_chachapoly_free(&s->chachapoly);
}

static int chachapoly_seal(union state *s, const struct message *m, uint8_t *out, uint8_t *tag) {
    return mbedtls_chachapoly_encrypt_and_tag(&s->chachapoly, m->bytes, m->nonce, m->ad, m->ad_bytes, m->in, out, tag);
}

static int chachapoly_open(union state *s, const struct message *m, uint8_t *out, const uint8_t *tag) {
    return mbedtls_chachapoly_auth_decrypt(&s->chachapoly, m->bytes, m->nonce, m->ad, m->ad_bytes, tag, m->in, out);
}

static const struct mode gcm = {
    "gcm", gcm_set_key, gcm_free, gcm_seal, gcm_open, 1, UINT32_MAX, (1ull << 36) - 32, 0,
};
/* It encodes the length of associated data in two bytes only. */
static const struct mode ccm = {
    "ccm", ccm_set_key, ccm_free, ccm_seal, ccm_open, 7, 13, (1ull << 24) - 1, 0xff00 - 1,
};
/* RFC 8439: 2^32 - 1 blocks of 64 bytes. */
static const struct mode poly1305 = {
    "poly1305", chachapoly_set_key, chachapoly_free, chachapoly_seal, chachapoly_open, 12, 12, ((1ull << 32) - 1) * 64,
    0,
};

/* The target of algorithm->data. */
struct aead {
    const struct mode *mode;
    mbedtls_cipher_id_t id;
};

struct context {
    const struct mode *mode;
    union state state;
};

static void key_free(void *context) {
    struct context *c = context;
    /* The library wipes the state before it frees it. */
    c->mode->free(&c->state);
    free(c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct aead *aead = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = malloc(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->mode = aead->mode;
    const int error = aead->mode->set_key(&c->state, aead->id, key, (unsigned)key_bytes * 8);
    if (error) {
        key_free(c);
        return status(error);
    }
    *context = c;
    return AEADLAB_OK;
}

static int lengths_valid(const struct context *c, size_t nonce_bytes, size_t bytes) {
    const struct mode *mode = c->mode;
    return nonce_bytes >= mode->min_nonce_bytes && nonce_bytes <= mode->max_nonce_bytes && bytes <= mode->max_bytes;
}

static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    struct context *c = context;
    const struct message m = {nonce, nonce_bytes, ad, ad_bytes, in, bytes};
    return lengths_valid(c, nonce_bytes, bytes) ? status(c->mode->seal(&c->state, &m, out, tag)) : AEADLAB_BAD_ARGUMENT;
}

static int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    struct context *c = context;
    const struct message m = {nonce, nonce_bytes, ad, ad_bytes, in, bytes};
    return lengths_valid(c, nonce_bytes, bytes) ? status(c->mode->open(&c->state, &m, out, tag)) : AEADLAB_BAD_ARGUMENT;
}

static void add(struct rows *rows, const char *name, uint32_t key_bytes, mbedtls_cipher_id_t id,
                const struct mode *mode, const char *kernel) {
    const uint64_t any_nonce = mode->min_nonce_bytes < mode->max_nonce_bytes ? AEADLAB_ANY_NONCE_LENGTH : 0;
    const aeadlab_algorithm row = {
        .kernel = kernel,
        .flags = any_nonce | AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG,
        .kind = AEADLAB_AEAD,
        .key_bytes = key_bytes,
        .nonce_bytes = 12,
        .tag_bytes = 16,
        .max_bytes = mode->max_bytes,
        .max_ad_bytes = mode->max_ad_bytes,
        .key_new = key_new,
        .key_free = key_free,
        .seal = seal,
        .open = open,
    };
    rows_add(rows, &row, &(struct aead){mode, id}, sizeof(struct aead), "%s-%s", name, mode->name);
}

void add_aeads(struct rows *rows, const struct kernels *kernels) {
    for (size_t i = 0; i < COUNT(block_ciphers); i++) {
        const struct block_cipher *block = &block_ciphers[i];
        const int is_aes = block->id == MBEDTLS_CIPHER_ID_AES;
        if (mbedtls_cipher_info_from_values(block->id, (int)block->key_bytes * 8, MBEDTLS_MODE_ECB)) {
            add(rows, block->name, block->key_bytes, block->id, &gcm, is_aes ? kernels->aes_gcm : kernels->ghash);
            add(rows, block->name, block->key_bytes, block->id, &ccm, is_aes ? kernels->aes : NULL);
        }
    }
    add(rows, "chacha20", 32, MBEDTLS_CIPHER_ID_CHACHA20, &poly1305, NULL);
}

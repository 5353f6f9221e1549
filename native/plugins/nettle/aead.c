/* The AEADs of Nettle: its modes for each block cipher with has_aeads, and ChaCha20-Poly1305. */
#include "plugin.h"

#include <nettle/ccm.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/eax.h>
#include <nettle/gcm.h>
#include <nettle/memops.h>
#include <nettle/siv-cmac.h>
#if __has_include(<nettle/ocb.h>)
#include <nettle/ocb.h>
#define HAS_OCB
#endif
#if __has_include(<nettle/siv-gcm.h>)
#include <nettle/siv-gcm.h>
#define HAS_SIV_GCM
#endif

#define TAG_BYTES 16
#define MAX_KEY_BYTES 64

struct context {
    const struct nettle_cipher *nettle;
    const struct mode *mode;
    void *schedule;
    void *second_schedule; /* SIV: other half of the key; GCM-SIV: key of the message; OCB: decryption */
    union {
        struct gcm_key gcm;
        struct eax_key eax;
        struct cmac128_key siv;
        struct chacha_poly1305_ctx chacha_poly1305;
#ifdef HAS_OCB
        struct ocb_key ocb;
#endif
    } key;
    uint8_t raw_key[MAX_KEY_BYTES];
    uint8_t *buffer; /* SIV and GCM-SIV: contiguous ciphertext and tag */
    size_t buffer_bytes;
};

struct message {
    const uint8_t *nonce;
    size_t nonce_bytes;
    const uint8_t *ad;
    size_t ad_bytes;
    const uint8_t *in;
    size_t bytes;
};

struct mode {
    const char *name;
    uint32_t min_nonce_bytes;
    uint32_t nonce_bytes;
    uint32_t max_nonce_bytes;
    uint64_t max_bytes;
    uint32_t keys;           /* number of keys of the block cipher */
    int has_second_schedule; /* allocated at key set-up */
    void (*set_key)(struct context *c, const uint8_t *key);
    /* Write the ciphertext and the tag. */
    int32_t (*seal)(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag);
    /* Write the plaintext and the computed tag or, with `compares_tag`, read the tag and compare it. */
    int32_t (*open)(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag);
    int compares_tag;
};

static void set_encrypt_key(struct context *c, const uint8_t *key) {
    c->nettle->set_encrypt_key(c->schedule, key);
}

static void gcm_key(struct context *c, const uint8_t *key) {
    set_encrypt_key(c, key);
    gcm_set_key(&c->key.gcm, c->schedule, c->nettle->encrypt);
}

static void gcm_start(struct context *c, struct gcm_ctx *gcm, const struct message *m) {
    gcm_set_iv(gcm, &c->key.gcm, m->nonce_bytes, m->nonce);
    gcm_update(gcm, &c->key.gcm, m->ad_bytes, m->ad);
}

static int32_t gcm_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct gcm_ctx gcm;
    gcm_start(c, &gcm, m);
    gcm_encrypt(&gcm, &c->key.gcm, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
    gcm_digest(&gcm, &c->key.gcm, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    return AEADLAB_OK;
}

static int32_t gcm_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct gcm_ctx gcm;
    gcm_start(c, &gcm, m);
    gcm_decrypt(&gcm, &c->key.gcm, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
    gcm_digest(&gcm, &c->key.gcm, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    return AEADLAB_OK;
}

static int32_t ccm_start(struct context *c, struct ccm_ctx *ccm, const struct message *m) {
    if (m->bytes > CCM_MAX_MSG_SIZE(m->nonce_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    ccm_set_nonce(ccm, c->schedule, c->nettle->encrypt, m->nonce_bytes, m->nonce, m->ad_bytes, m->bytes, TAG_BYTES);
    ccm_update(ccm, c->schedule, c->nettle->encrypt, m->ad_bytes, m->ad);
    return AEADLAB_OK;
}

static int32_t ccm_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct ccm_ctx ccm;
    const int32_t status = ccm_start(c, &ccm, m);
    if (status == AEADLAB_OK) {
        ccm_encrypt(&ccm, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
        ccm_digest(&ccm, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    }
    return status;
}

static int32_t ccm_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct ccm_ctx ccm;
    const int32_t status = ccm_start(c, &ccm, m);
    if (status == AEADLAB_OK) {
        ccm_decrypt(&ccm, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
        ccm_digest(&ccm, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    }
    return status;
}

static void eax_key(struct context *c, const uint8_t *key) {
    set_encrypt_key(c, key);
    eax_set_key(&c->key.eax, c->schedule, c->nettle->encrypt);
}

static void eax_start(struct context *c, struct eax_ctx *eax, const struct message *m) {
    eax_set_nonce(eax, &c->key.eax, c->schedule, c->nettle->encrypt, m->nonce_bytes, m->nonce);
    eax_update(eax, &c->key.eax, c->schedule, c->nettle->encrypt, m->ad_bytes, m->ad);
}

static int32_t eax_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct eax_ctx eax;
    eax_start(c, &eax, m);
    eax_encrypt(&eax, &c->key.eax, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
    eax_digest(&eax, &c->key.eax, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    return AEADLAB_OK;
}

static int32_t eax_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct eax_ctx eax;
    eax_start(c, &eax, m);
    eax_decrypt(&eax, &c->key.eax, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
    eax_digest(&eax, &c->key.eax, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    return AEADLAB_OK;
}

#ifdef HAS_OCB
static void ocb_key(struct context *c, const uint8_t *key) {
    set_encrypt_key(c, key);
    ocb_set_key(&c->key.ocb, c->schedule, c->nettle->encrypt);
}

static void ocb_start(struct context *c, struct ocb_ctx *ocb, const struct message *m) {
    ocb_set_nonce(ocb, c->schedule, c->nettle->encrypt, TAG_BYTES, m->nonce_bytes, m->nonce);
    ocb_update(ocb, &c->key.ocb, c->schedule, c->nettle->encrypt, m->ad_bytes, m->ad);
}

static int32_t ocb_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct ocb_ctx ocb;
    ocb_start(c, &ocb, m);
    ocb_encrypt(&ocb, &c->key.ocb, c->schedule, c->nettle->encrypt, m->bytes, out, m->in);
    ocb_digest(&ocb, &c->key.ocb, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    return AEADLAB_OK;
}

static int32_t ocb_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct ocb_ctx ocb;
    if (!c->second_schedule) {
        c->second_schedule = malloc(c->nettle->context_size);
        if (!c->second_schedule) {
            return AEADLAB_INTERNAL;
        }
        c->nettle->set_decrypt_key(c->second_schedule, c->raw_key);
    }
    ocb_start(c, &ocb, m);
    ocb_decrypt(&ocb, &c->key.ocb, c->schedule, c->nettle->encrypt, c->second_schedule, c->nettle->decrypt, m->bytes,
                out, m->in);
    ocb_digest(&ocb, &c->key.ocb, c->schedule, c->nettle->encrypt, TAG_BYTES, tag);
    return AEADLAB_OK;
}
#endif

static void poly1305_key(struct context *c, const uint8_t *key) {
    chacha_poly1305_set_key(&c->key.chacha_poly1305, key);
}

static int32_t poly1305_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct chacha_poly1305_ctx *state = &c->key.chacha_poly1305;
    chacha_poly1305_set_nonce(state, m->nonce);
    chacha_poly1305_update(state, m->ad_bytes, m->ad);
    chacha_poly1305_encrypt(state, m->bytes, out, m->in);
    chacha_poly1305_digest(state, TAG_BYTES, tag);
    return AEADLAB_OK;
}

static int32_t poly1305_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    struct chacha_poly1305_ctx *state = &c->key.chacha_poly1305;
    chacha_poly1305_set_nonce(state, m->nonce);
    chacha_poly1305_update(state, m->ad_bytes, m->ad);
    chacha_poly1305_decrypt(state, m->bytes, out, m->in);
    chacha_poly1305_digest(state, TAG_BYTES, tag);
    return AEADLAB_OK;
}

/* Return a buffer for a ciphertext and its tag, which later messages reuse. */
static uint8_t *reserve_buffer(struct context *c, size_t bytes) {
    const size_t needed = bytes + TAG_BYTES;
    if (c->buffer_bytes < needed) {
        free(c->buffer);
        c->buffer = malloc(needed);
        c->buffer_bytes = c->buffer ? needed : 0;
    }
    return c->buffer;
}

static void siv_key(struct context *c, const uint8_t *key) {
    siv_cmac_set_key(&c->key.siv, c->schedule, c->second_schedule, c->nettle, key);
}

/* Nettle writes the tag before the ciphertext, so the message passes through the buffer. */
static int32_t siv_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    uint8_t *sealed = reserve_buffer(c, m->bytes);
    if (!sealed) {
        return AEADLAB_INTERNAL;
    }
    siv_cmac_encrypt_message(&c->key.siv, c->schedule, c->nettle, c->second_schedule, m->nonce_bytes, m->nonce,
                             m->ad_bytes, m->ad, m->bytes + TAG_BYTES, sealed, m->in);
    memcpy(tag, sealed, TAG_BYTES);
    memcpy(out, sealed + TAG_BYTES, m->bytes);
    return AEADLAB_OK;
}

static int32_t siv_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    uint8_t *sealed = reserve_buffer(c, m->bytes);
    if (!sealed) {
        return AEADLAB_INTERNAL;
    }
    memcpy(sealed, tag, TAG_BYTES);
    memcpy(sealed + TAG_BYTES, m->in, m->bytes);
    return siv_cmac_decrypt_message(&c->key.siv, c->schedule, c->nettle, c->second_schedule, m->nonce_bytes, m->nonce,
                                    m->ad_bytes, m->ad, m->bytes, out, sealed)
               ? AEADLAB_OK
               : AEADLAB_AUTH_FAILED;
}

#ifdef HAS_SIV_GCM
/* As for SIV, with the tag after the ciphertext. */
static int32_t gcm_siv_seal(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    uint8_t *sealed = reserve_buffer(c, m->bytes);
    if (!sealed) {
        return AEADLAB_INTERNAL;
    }
    siv_gcm_encrypt_message(c->nettle, c->schedule, c->second_schedule, m->nonce_bytes, m->nonce, m->ad_bytes, m->ad,
                            m->bytes + TAG_BYTES, sealed, m->in);
    memcpy(out, sealed, m->bytes);
    memcpy(tag, sealed + m->bytes, TAG_BYTES);
    return AEADLAB_OK;
}

static int32_t gcm_siv_open(struct context *c, const struct message *m, uint8_t *out, uint8_t *tag) {
    uint8_t *sealed = reserve_buffer(c, m->bytes);
    if (!sealed) {
        return AEADLAB_INTERNAL;
    }
    memcpy(sealed, m->in, m->bytes);
    memcpy(sealed + m->bytes, tag, TAG_BYTES);
    return siv_gcm_decrypt_message(c->nettle, c->schedule, c->second_schedule, m->nonce_bytes, m->nonce, m->ad_bytes,
                                   m->ad, m->bytes, out, sealed)
               ? AEADLAB_OK
               : AEADLAB_AUTH_FAILED;
}
#endif

#define ANY UINT32_MAX

static const struct mode modes[] = {
    {"gcm", 1, 12, ANY, (1ull << 36) - 32, 1, 0, gcm_key, gcm_seal, gcm_open, 0},
    {"ccm", 7, 12, 13, (1ull << 24) - 1, 1, 0, set_encrypt_key, ccm_seal, ccm_open, 0},
    {"eax", 1, 16, ANY, 0, 1, 0, eax_key, eax_seal, eax_open, 0},
#ifdef HAS_OCB
    {"ocb", 1, 12, 15, 0, 1, 0, ocb_key, ocb_seal, ocb_open, 0},
#endif
};
static const struct mode siv = {"siv", 16, 16, 16, 0, 2, 1, siv_key, siv_seal, siv_open, 1};
#ifdef HAS_SIV_GCM
static const struct mode gcm_siv = {"gcm-siv",       12,           12,           12, 1ull << 36, 1, 1,
                                    set_encrypt_key, gcm_siv_seal, gcm_siv_open, 1};
#endif
/* RFC 8439: 2^32 - 1 blocks of 64 bytes. */
static const struct mode poly1305 = {
    "poly1305", 12, 12, 12, ((1ull << 32) - 1) * 64, 1, 0, poly1305_key, poly1305_seal, poly1305_open, 0,
};

/* The target of algorithm->data. */
struct aead {
    const struct nettle_cipher *nettle;
    const struct mode *mode;
};

static void key_free(void *context) {
    struct context *c = context;
    wipe_and_free(c->schedule, c->nettle->context_size);
    wipe_and_free(c->second_schedule, c->nettle->context_size);
    free(c->buffer);
    wipe_and_free(c, sizeof *c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct aead *aead = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = calloc(1, sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->nettle = aead->nettle;
    c->mode = aead->mode;
    memcpy(c->raw_key, key, key_bytes);
    c->schedule = malloc(c->nettle->context_size);
    c->second_schedule = c->mode->has_second_schedule ? malloc(c->nettle->context_size) : NULL;
    if (!c->schedule || (c->mode->has_second_schedule && !c->second_schedule)) {
        key_free(c);
        return AEADLAB_INTERNAL;
    }
    c->mode->set_key(c, key);
    *context = c;
    return AEADLAB_OK;
}

/* Check the lengths, which Nettle only asserts, and replace NULL pointers, which it passes to memcpy. */
static int32_t check_message(const struct context *c, struct message *m) {
    static const uint8_t empty[1];
    const struct mode *mode = c->mode;
    if (m->nonce_bytes < mode->min_nonce_bytes || m->nonce_bytes > mode->max_nonce_bytes ||
        (mode->max_bytes > 0 && m->bytes > mode->max_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    m->ad = m->ad ? m->ad : empty;
    m->in = m->in ? m->in : empty;
    return AEADLAB_OK;
}

static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    struct context *c = context;
    struct message m = {nonce, nonce_bytes, ad, ad_bytes, in, bytes};
    uint8_t unused_output[1];
    const int32_t status = check_message(c, &m);
    return status == AEADLAB_OK ? c->mode->seal(c, &m, out ? out : unused_output, tag) : status;
}

static int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    struct context *c = context;
    struct message m = {nonce, nonce_bytes, ad, ad_bytes, in, bytes};
    uint8_t unused_output[1];
    uint8_t tag_copy[TAG_BYTES];
    memcpy(tag_copy, tag, TAG_BYTES);
    int32_t status = check_message(c, &m);
    if (status == AEADLAB_OK) {
        status = c->mode->open(c, &m, out ? out : unused_output, tag_copy);
    }
    if (status == AEADLAB_OK && !c->mode->compares_tag && !memeql_sec(tag_copy, tag, TAG_BYTES)) {
        status = AEADLAB_AUTH_FAILED;
    }
    explicit_bzero(tag_copy, sizeof tag_copy);
    return status;
}

static void add(struct rows *rows, const char *name, const struct nettle_cipher *nettle, const struct mode *mode) {
    const uint64_t any_nonce = mode->min_nonce_bytes < mode->max_nonce_bytes ? AEADLAB_ANY_NONCE_LENGTH : 0;
    const aeadlab_algorithm row = {
        .flags = any_nonce | AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG,
        .kind = AEADLAB_AEAD,
        .key_bytes = nettle->key_size * mode->keys,
        .nonce_bytes = mode->nonce_bytes,
        .tag_bytes = TAG_BYTES,
        .max_bytes = mode->max_bytes,
        .key_new = key_new,
        .key_free = key_free,
        .seal = seal,
        .open = open,
    };
    rows_add(rows, &row, &(struct aead){nettle, mode}, sizeof(struct aead), "%s-%s", name, mode->name);
}

void add_aeads(struct rows *rows) {
    /* Only the key length is used: the mode keeps the state. */
    static const struct nettle_cipher chacha20 = {.name = "chacha", .context_size = 1, .key_size = 32};
    for (size_t i = 0; i < block_cipher_count; i++) {
        for (size_t j = 0; block_ciphers[i].has_aeads && j < COUNT(modes); j++) {
            add(rows, block_ciphers[i].name, block_ciphers[i].nettle, &modes[j]);
        }
    }
    add(rows, "aes-128", &nettle_aes128, &siv);
    add(rows, "aes-192", &nettle_aes192, &siv);
    add(rows, "aes-256", &nettle_aes256, &siv);
#ifdef HAS_SIV_GCM
    add(rows, "aes-128", &nettle_aes128, &gcm_siv);
    add(rows, "aes-256", &nettle_aes256, &gcm_siv);
#endif
    add(rows, "chacha20", &chacha20, &poly1305);
}

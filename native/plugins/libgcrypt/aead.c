/* The AEADs of libgcrypt: its modes for each block cipher that supports them, and ChaCha20-Poly1305. */
#include "plugin.h"

/* The calls of a mode besides nonce, associated data and message. */
enum {
    RESET = 1,      /* the context is reset before a new nonce */
    LENGTHS = 2,    /* all lengths are set before the first byte */
    FINAL = 4,      /* the last chunk of the message is marked */
    NONCE_LAST = 8, /* the nonce is the last component of the associated data, which is passed even if it is empty */
    TAG_FIRST = 16, /* opening takes the tag first and compares it itself */
};

struct mode {
    const char *name;
    int gcrypt;
    int calls;
    uint32_t nonce_bytes;
    uint64_t flags;
    uint64_t max_bytes;
};

struct aead {
    int algorithm;
    const struct mode *mode;
};

struct context {
    gcry_cipher_hd_t handle;
    const struct mode *mode;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct aead *aead = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *new = malloc(sizeof *new);
    if (!new) {
        return AEADLAB_INTERNAL;
    }
    new->mode = aead->mode;
    const int32_t result = keyed_cipher(&new->handle, aead->algorithm, aead->mode->gcrypt, key, key_bytes);
    if (result != AEADLAB_OK) {
        free(new);
        return result;
    }
    *context = new;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    /* libgcrypt wipes a handle on closing. */
    gcry_cipher_close(((struct context *)context)->handle);
    free(context);
}

/* Make all calls that precede the message. */
static gcry_error_t start(const struct context *c, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                          size_t ad_bytes, size_t bytes) {
    const int calls = c->mode->calls;
    gcry_error_t error = 0;
    if (nonce_bytes != c->mode->nonce_bytes && !(c->mode->flags & AEADLAB_ANY_NONCE_LENGTH)) {
        return gcry_error(GPG_ERR_INV_LENGTH);
    }
    if (calls & RESET) {
        error = gcry_cipher_reset(c->handle);
    }
    if (!error && (calls & NONCE_LAST)) {
        /* It rejects NULL even with a length of 0. */
        error = gcry_cipher_authenticate(c->handle, ad ? ad : nonce, ad_bytes);
    }
    if (!error) {
        error = gcry_cipher_setiv(c->handle, nonce, nonce_bytes);
    }
    if (!error && (calls & LENGTHS)) {
        uint64_t lengths[3] = {bytes, ad_bytes, 16};
        error = gcry_cipher_ctl(c->handle, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths);
    }
    if (!error && !(calls & NONCE_LAST) && ad_bytes > 0) {
        error = gcry_cipher_authenticate(c->handle, ad, ad_bytes);
    }
    if (!error && (calls & FINAL)) {
        error = gcry_cipher_final(c->handle);
    }
    return error;
}

static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    const struct context *c = context;
    gcry_error_t error = start(c, nonce, nonce_bytes, ad, ad_bytes, bytes);
    if (!error) {
        error = gcry_cipher_encrypt(c->handle, out, bytes, in, bytes);
    }
    if (!error) {
        error = gcry_cipher_gettag(c->handle, tag, 16);
    }
    return status(error);
}

static int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    const struct context *c = context;
    gcry_error_t error = start(c, nonce, nonce_bytes, ad, ad_bytes, bytes);
    if (!error && (c->mode->calls & TAG_FIRST)) {
        /* The tag is only read, although the parameter is not const. */
        error = gcry_cipher_set_decryption_tag(c->handle, (void *)(uintptr_t)tag, 16);
    }
    if (!error) {
        error = gcry_cipher_decrypt(c->handle, out, bytes, in, bytes);
    }
    if (!error && !(c->mode->calls & TAG_FIRST)) {
        error = gcry_cipher_checktag(c->handle, tag, 16);
    }
    return status(error);
}

static const struct mode modes[] = {
    {"gcm", GCRY_CIPHER_MODE_GCM, 0, 12, AEADLAB_ANY_NONCE_LENGTH, ONE_CALL},
    {"ccm", GCRY_CIPHER_MODE_CCM, LENGTHS, 12, AEADLAB_ANY_NONCE_LENGTH, (1ull << 24) - 1},
    {"eax", GCRY_CIPHER_MODE_EAX, RESET, 16, AEADLAB_ANY_NONCE_LENGTH, 0},
    {"ocb", GCRY_CIPHER_MODE_OCB, FINAL, 12, AEADLAB_ANY_NONCE_LENGTH, 0},
};
static const struct mode gcm_siv = {"gcm-siv", GCRY_CIPHER_MODE_GCM_SIV, RESET | TAG_FIRST, 12, 0, ONE_CALL};
static const struct mode siv = {"siv", GCRY_CIPHER_MODE_SIV, RESET | NONCE_LAST | TAG_FIRST, 16, 0, ONE_CALL};
static const struct mode poly1305 = {"poly1305", GCRY_CIPHER_MODE_POLY1305, 0, 12, 0, ONE_CALL};

static void add(struct rows *rows, const char *cipher, const char *gcrypt, uint32_t key_bytes,
                const struct mode *mode) {
    const struct aead aead = {gcry_cipher_map_name(gcrypt), mode};
    if (!has_mode(aead.algorithm, mode->gcrypt)) {
        return;
    }
    const aeadlab_algorithm row = {
        .flags = mode->flags | AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG,
        .kind = AEADLAB_AEAD,
        .key_bytes = key_bytes,
        .nonce_bytes = mode->nonce_bytes,
        .tag_bytes = 16,
        .max_bytes = mode->max_bytes,
        .max_ad_bytes = mode->max_bytes == ONE_CALL ? ONE_CALL : 0,
        .key_new = key_new,
        .key_free = key_free,
        .seal = seal,
        .open = open,
    };
    rows_add(rows, &row, &aead, sizeof aead, "%s-%s", cipher, mode->name);
}

void add_aeads(struct rows *rows) {
    for (size_t i = 0; i < BLOCK_CIPHERS; i++) {
        const struct block_cipher *cipher = &block_ciphers[i];
        for (size_t j = 0; cipher->has_aeads && j < COUNT(modes); j++) {
            add(rows, cipher->name, cipher->gcrypt, cipher->key_bytes, &modes[j]);
        }
    }
    add(rows, "aes-128", "AES", 16, &gcm_siv);
    add(rows, "aes-256", "AES256", 32, &gcm_siv);
    add(rows, "aes-128", "AES", 32, &siv);
    add(rows, "aes-192", "AES192", 48, &siv);
    add(rows, "aes-256", "AES256", 64, &siv);
    add(rows, "chacha20", "CHACHA20", 32, &poly1305);
}

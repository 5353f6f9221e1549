/* The MACs of Mbed TLS: HMAC, CMAC, GMAC as GCM without a message, and Poly1305. */
#include "plugin.h"

#include <mbedtls/cmac.h>
#include <mbedtls/md.h>
#include <mbedtls/poly1305.h>

struct poly1305 {
    mbedtls_poly1305_context context;
    uint8_t key[32];
};

union state {
    mbedtls_md_context_t hmac;
    mbedtls_cipher_context_t cmac;
    mbedtls_gcm_context gmac;
    struct poly1305 poly1305;
};

/* The functions of one family of MACs, which return 0 or an error of Mbed TLS. */
struct family {
    int (*set_key)(union state *s, const char *primitive, const uint8_t *key, unsigned bits);
    void (*free)(union state *s);
    int (*digest)(union state *s, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag);
};

static int hmac_set_key(union state *s, const char *primitive, const uint8_t *key, unsigned bits) {
    mbedtls_md_init(&s->hmac);
    const int error = mbedtls_md_setup(&s->hmac, mbedtls_md_info_from_string(primitive), 1);
    return error ? error : mbedtls_md_hmac_starts(&s->hmac, key, bits / 8);
}

static void hmac_free(union state *s) {
    mbedtls_md_free(&s->hmac);
}

static int hmac_digest(union state *s, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    int error = mbedtls_md_hmac_reset(&s->hmac);
    for (size_t done = 0; done < bytes && !error; done += CHUNK_BYTES) {
        error = mbedtls_md_hmac_update(&s->hmac, in + done, bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES);
    }
    return error ? error : mbedtls_md_hmac_finish(&s->hmac, tag);
}

static int cmac_set_key(union state *s, const char *primitive, const uint8_t *key, unsigned bits) {
    mbedtls_cipher_init(&s->cmac);
    const int error = mbedtls_cipher_setup(&s->cmac, mbedtls_cipher_info_from_string(primitive));
    return error ? error : mbedtls_cipher_cmac_starts(&s->cmac, key, bits);
}

static void cmac_free(union state *s) {
    mbedtls_cipher_free(&s->cmac);
}

static int cmac_digest(union state *s, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    int error = mbedtls_cipher_cmac_reset(&s->cmac);
    if (!error && bytes > 0) {
        error = mbedtls_cipher_cmac_update(&s->cmac, in, bytes);
    }
    return error ? error : mbedtls_cipher_cmac_finish(&s->cmac, tag);
}

static int gmac_set_key(union state *s, const char *primitive, const uint8_t *key, unsigned bits) {
    (void)primitive;
    mbedtls_gcm_init(&s->gmac);
    return mbedtls_gcm_setkey(&s->gmac, MBEDTLS_CIPHER_ID_AES, key, bits);
}

static void gmac_free(union state *s) {
    mbedtls_gcm_free(&s->gmac);
}

static int gmac_digest(union state *s, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    return mbedtls_gcm_crypt_and_tag(&s->gmac, MBEDTLS_GCM_ENCRYPT, 0, nonce, 12, in, bytes, NULL, NULL, 16, tag);
}

static int poly1305_set_key(union state *s, const char *primitive, const uint8_t *key, unsigned bits) {
    (void)primitive;
    mbedtls_poly1305_init(&s->poly1305.context);
    memcpy(s->poly1305.key, key, bits / 8);
    return 0;
}

static void poly1305_free(union state *s) {
    mbedtls_poly1305_free(&s->poly1305.context);
    explicit_bzero(s->poly1305.key, sizeof s->poly1305.key);
}

static int poly1305_digest(union state *s, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *tag) {
    (void)nonce;
    int error = mbedtls_poly1305_starts(&s->poly1305.context, s->poly1305.key);
    if (!error) {
        error = mbedtls_poly1305_update(&s->poly1305.context, in, bytes);
    }
    return error ? error : mbedtls_poly1305_finish(&s->poly1305.context, tag);
}

static const struct family hmac = {hmac_set_key, hmac_free, hmac_digest};
static const struct family cmac = {cmac_set_key, cmac_free, cmac_digest};
static const struct family gmac = {gmac_set_key, gmac_free, gmac_digest};
static const struct family poly1305 = {poly1305_set_key, poly1305_free, poly1305_digest};

struct mac {
    const char *name;
    const struct family *family;
    const char *primitive; /* the library's name of the hash or block cipher */
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint32_t tag_bytes;
    uint64_t flags;
};

static const struct mac macs[] = {
    {"hmac-md5", &hmac, "MD5", 16, 0, 16, 0},
    {"hmac-sha-1", &hmac, "SHA1", 20, 0, 20, 0},
    {"hmac-sha-224", &hmac, "SHA224", 28, 0, 28, 0},
    {"hmac-sha-256", &hmac, "SHA256", 32, 0, 32, 0},
    {"hmac-sha-384", &hmac, "SHA384", 48, 0, 48, 0},
    {"hmac-sha-512", &hmac, "SHA512", 64, 0, 64, 0},
    {"hmac-sha3-224", &hmac, "SHA3-224", 28, 0, 28, 0},
    {"hmac-sha3-256", &hmac, "SHA3-256", 32, 0, 32, 0},
    {"hmac-sha3-384", &hmac, "SHA3-384", 48, 0, 48, 0},
    {"hmac-sha3-512", &hmac, "SHA3-512", 64, 0, 64, 0},
    {"hmac-ripemd-160", &hmac, "RIPEMD160", 20, 0, 20, 0},
    {"aes-128-cmac", &cmac, "AES-128-ECB", 16, 0, 16, 0},
    {"aes-192-cmac", &cmac, "AES-192-ECB", 24, 0, 16, 0},
    {"aes-256-cmac", &cmac, "AES-256-ECB", 32, 0, 16, 0},
    {"3des-cmac", &cmac, "DES-EDE3-ECB", 24, 0, 8, AEADLAB_HISTORICAL},
    {"aes-128-gmac", &gmac, NULL, 16, 12, 16, 0},
    {"aes-192-gmac", &gmac, NULL, 24, 12, 16, 0},
    {"aes-256-gmac", &gmac, NULL, 32, 12, 16, 0},
    {"poly1305", &poly1305, NULL, 32, 0, 16, AEADLAB_UNIVERSAL_HASH},
};

struct context {
    const struct family *family;
    uint32_t nonce_bytes;
    union state state;
};

static void key_free(void *context) {
    struct context *c = context;
    /* The library wipes the state before it frees it. */
    c->family->free(&c->state);
    free(c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct mac *mac = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = malloc(sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->family = mac->family;
    c->nonce_bytes = algorithm->nonce_bytes;
    const int error = mac->family->set_key(&c->state, mac->primitive, key, (unsigned)key_bytes * 8);
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
    if (nonce_bytes != c->nonce_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    return status(c->family->digest(&c->state, nonce, in, bytes, tag));
}

void add_macs(struct rows *rows, const struct kernels *kernels) {
    for (size_t i = 0; i < COUNT(macs); i++) {
        const struct mac *mac = &macs[i];
        if ((mac->family == &hmac && !mbedtls_md_info_from_string(mac->primitive)) ||
            (mac->family == &cmac && !mbedtls_cipher_info_from_string(mac->primitive))) {
            continue;
        }
        const int is_aes = strncmp(mac->name, "aes-", 4) == 0;
        const aeadlab_algorithm row = {
            .kernel = mac->family == &gmac ? kernels->aes_gcm
                      : is_aes             ? kernels->aes
                                           : NULL,
            .flags = mac->flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_MAC,
            .key_bytes = mac->key_bytes,
            .nonce_bytes = mac->nonce_bytes,
            .tag_bytes = mac->tag_bytes,
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, mac, sizeof *mac, "%s", mac->name);
    }
}

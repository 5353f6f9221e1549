/* The MACs of libgcrypt. */
#include "plugin.h"

struct mac {
    const char *name;
    const char *gcrypt;
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint32_t tag_bytes;
    uint64_t flags;
};

static const struct mac macs[] = {
    {"hmac-md5", "HMAC_MD5", 16, 0, 16, 0},
    {"hmac-sha-1", "HMAC_SHA1", 20, 0, 20, 0},
    {"hmac-sha-224", "HMAC_SHA224", 28, 0, 28, 0},
    {"hmac-sha-256", "HMAC_SHA256", 32, 0, 32, 0},
    {"hmac-sha-384", "HMAC_SHA384", 48, 0, 48, 0},
    {"hmac-sha-512", "HMAC_SHA512", 64, 0, 64, 0},
    {"hmac-sha3-224", "HMAC_SHA3_224", 28, 0, 28, 0},
    {"hmac-sha3-256", "HMAC_SHA3_256", 32, 0, 32, 0},
    {"hmac-sha3-384", "HMAC_SHA3_384", 48, 0, 48, 0},
    {"hmac-sha3-512", "HMAC_SHA3_512", 64, 0, 64, 0},
    {"hmac-sm3", "HMAC_SM3", 32, 0, 32, 0},
    {"hmac-ripemd-160", "HMAC_RIPEMD160", 20, 0, 20, 0},
    {"hmac-streebog-256", "HMAC_STRIBOG256", 32, 0, 32, 0},
    {"hmac-streebog-512", "HMAC_STRIBOG512", 64, 0, 64, 0},
    {"aes-128-cmac", "CMAC_AES", 16, 0, 16, 0},
    {"aes-192-cmac", "CMAC_AES", 24, 0, 16, 0},
    {"aes-256-cmac", "CMAC_AES", 32, 0, 16, 0},
    {"aria-128-cmac", "CMAC_ARIA", 16, 0, 16, 0},
    {"aria-192-cmac", "CMAC_ARIA", 24, 0, 16, 0},
    {"aria-256-cmac", "CMAC_ARIA", 32, 0, 16, 0},
    {"camellia-128-cmac", "CMAC_CAMELLIA", 16, 0, 16, 0},
    {"camellia-192-cmac", "CMAC_CAMELLIA", 24, 0, 16, 0},
    {"camellia-256-cmac", "CMAC_CAMELLIA", 32, 0, 16, 0},
    {"serpent-128-cmac", "CMAC_SERPENT", 16, 0, 16, 0},
    {"serpent-192-cmac", "CMAC_SERPENT", 24, 0, 16, 0},
    {"serpent-256-cmac", "CMAC_SERPENT", 32, 0, 16, 0},
    {"twofish-128-cmac", "CMAC_TWOFISH", 16, 0, 16, 0},
    {"twofish-256-cmac", "CMAC_TWOFISH", 32, 0, 16, 0},
    {"sm4-cmac", "CMAC_SM4", 16, 0, 16, 0},
    {"3des-cmac", "CMAC_3DES", 24, 0, 8, AEADLAB_HISTORICAL},
    {"aes-128-gmac", "GMAC_AES", 16, 12, 16, 0},
    {"aes-192-gmac", "GMAC_AES", 24, 12, 16, 0},
    {"aes-256-gmac", "GMAC_AES", 32, 12, 16, 0},
    {"poly1305", "POLY1305", 32, 0, 16, AEADLAB_UNIVERSAL_HASH},
    {"poly1305-aes", "POLY1305_AES", 32, 16, 16, 0},
};

struct context {
    gcry_mac_hd_t handle;
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint32_t tag_bytes;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *new = malloc(sizeof *new);
    if (!new) {
        return AEADLAB_INTERNAL;
    }
    new->key_bytes = algorithm->key_bytes;
    new->nonce_bytes = algorithm->nonce_bytes;
    new->tag_bytes = algorithm->tag_bytes;
    gcry_error_t error = gcry_mac_open(&new->handle, *(const int *)algorithm->data, 0, NULL);
    if (error) {
        free(new);
        return status(error);
    }
    error = gcry_mac_setkey(new->handle, key, key_bytes);
    if (error) {
        gcry_mac_close(new->handle);
        free(new);
        return status(error);
    }
    *context = new;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    struct context *c = context;
    /* libgcrypt wipes a handle on closing, except the key of Poly1305, which is overwritten here. */
    static const uint8_t zeros[64];
    gcry_mac_setkey(c->handle, zeros, c->key_bytes);
    gcry_mac_close(c->handle);
    free(c);
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    const struct context *c = context;
    if (nonce_bytes != c->nonce_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    size_t tag_bytes = c->tag_bytes;
    gcry_error_t error = nonce_bytes > 0 ? gcry_mac_setiv(c->handle, nonce, nonce_bytes) : gcry_mac_reset(c->handle);
    /* CMAC rejects NULL even with a length of 0. */
    if (!error && bytes > 0) {
        error = gcry_mac_write(c->handle, in, bytes);
    }
    if (!error) {
        error = gcry_mac_read(c->handle, tag, &tag_bytes);
    }
    return status(error);
}

void add_macs(struct rows *rows) {
    for (size_t i = 0; i < COUNT(macs); i++) {
        const struct mac *mac = &macs[i];
        const int algorithm = gcry_mac_map_name(mac->gcrypt);
        if (algorithm == 0 || gcry_mac_test_algo(algorithm)) {
            continue;
        }
        const aeadlab_algorithm row = {
            .flags = mac->flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_MAC,
            .key_bytes = mac->key_bytes,
            .nonce_bytes = mac->nonce_bytes,
            .tag_bytes = mac->tag_bytes,
            .max_bytes = mac->nonce_bytes == 12 || strstr(mac->name, "-cmac") ? ONE_CALL : 0,
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, &algorithm, sizeof algorithm, "%s", mac->name);
    }
}

/* The hashes of libgcrypt. */
#include "plugin.h"

struct hash {
    const char *name;
    const char *gcrypt;
    uint32_t digest_bytes;
    uint64_t flags;
};

static const struct hash hashes[] = {
    {"md5", "MD5", 16, AEADLAB_HISTORICAL},
    {"sha-1", "SHA1", 20, AEADLAB_HISTORICAL},
    {"sha-224", "SHA224", 28, 0},
    {"sha-256", "SHA256", 32, 0},
    {"sha-384", "SHA384", 48, 0},
    {"sha-512", "SHA512", 64, 0},
    {"sha-512-224", "SHA512_224", 28, 0},
    {"sha-512-256", "SHA512_256", 32, 0},
    {"sha3-224", "SHA3-224", 28, 0},
    {"sha3-256", "SHA3-256", 32, 0},
    {"sha3-384", "SHA3-384", 48, 0},
    {"sha3-512", "SHA3-512", 64, 0},
    {"shake-128", "SHAKE128", 32, 0},
    {"shake-256", "SHAKE256", 64, 0},
    {"sm3", "SM3", 32, 0},
    {"ripemd-160", "RIPEMD160", 20, 0},
    {"blake2b-256", "BLAKE2B_256", 32, 0},
    {"blake2b-512", "BLAKE2B_512", 64, 0},
    {"blake2s-256", "BLAKE2S_256", 32, 0},
    {"streebog-256", "STRIBOG256", 32, 0},
    {"streebog-512", "STRIBOG512", 64, 0},
    {"whirlpool", "WHIRLPOOL", 64, 0},
};

struct context {
    gcry_md_hd_t handle;
    int algorithm;
    int extendable;
    uint32_t digest_bytes;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    (void)key;
    if (key_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *new = malloc(sizeof *new);
    if (!new) {
        return AEADLAB_INTERNAL;
    }
    new->algorithm = *(const int *)algorithm->data;
    /* libgcrypt reports the length 0 for extendable-output functions. */
    new->extendable = gcry_md_get_algo_dlen(new->algorithm) == 0;
    new->digest_bytes = algorithm->tag_bytes;
    const gcry_error_t error = gcry_md_open(&new->handle, new->algorithm, 0);
    if (error) {
        free(new);
        return status(error);
    }
    *context = new;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    gcry_md_close(((struct context *)context)->handle);
    free(context);
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    const struct context *c = context;
    (void)nonce;
    if (nonce_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    gcry_md_reset(c->handle);
    gcry_md_write(c->handle, in, bytes);
    if (c->extendable) {
        return status(gcry_md_extract(c->handle, c->algorithm, tag, c->digest_bytes));
    }
    const unsigned char *result = gcry_md_read(c->handle, c->algorithm);
    if (!result) {
        return AEADLAB_INTERNAL;
    }
    memcpy(tag, result, c->digest_bytes);
    return AEADLAB_OK;
}

void add_hashes(struct rows *rows) {
    for (size_t i = 0; i < COUNT(hashes); i++) {
        const int algorithm = gcry_md_map_name(hashes[i].gcrypt);
        if (algorithm == 0 || gcry_md_test_algo(algorithm)) {
            continue;
        }
        const aeadlab_algorithm row = {
            .flags = hashes[i].flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_HASH,
            .tag_bytes = hashes[i].digest_bytes,
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, &algorithm, sizeof algorithm, "%s", hashes[i].name);
    }
}

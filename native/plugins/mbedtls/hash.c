/* The hashes of Mbed TLS. */
#include "plugin.h"

#include <mbedtls/md.h>

struct hash {
    const char *name;
    const char *mbedtls;
    uint64_t flags;
};

/* Hashes are looked up by the library's names; one that this build lacks is skipped. */
static const struct hash hashes[] = {
    {"md5", "MD5", AEADLAB_HISTORICAL}, {"sha-1", "SHA1", AEADLAB_HISTORICAL},
    {"sha-224", "SHA224", 0},           {"sha-256", "SHA256", 0},
    {"sha-384", "SHA384", 0},           {"sha-512", "SHA512", 0},
    {"sha3-224", "SHA3-224", 0},        {"sha3-256", "SHA3-256", 0},
    {"sha3-384", "SHA3-384", 0},        {"sha3-512", "SHA3-512", 0},
    {"ripemd-160", "RIPEMD160", 0},
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    (void)key;
    if (key_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    mbedtls_md_context_t *md = malloc(sizeof *md);
    if (!md) {
        return AEADLAB_INTERNAL;
    }
    mbedtls_md_init(md);
    if (mbedtls_md_setup(md, *(const mbedtls_md_info_t *const *)algorithm->data, 0)) {
        free(md);
        return AEADLAB_INTERNAL;
    }
    *context = md;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    mbedtls_md_free(context);
    free(context);
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    (void)nonce;
    if (nonce_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    int error = mbedtls_md_starts(context);
    for (size_t done = 0; done < bytes && !error; done += CHUNK_BYTES) {
        error = mbedtls_md_update(context, in + done, bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES);
    }
    return status(error ? error : mbedtls_md_finish(context, tag));
}

void add_hashes(struct rows *rows) {
    for (size_t i = 0; i < COUNT(hashes); i++) {
        const mbedtls_md_info_t *info = mbedtls_md_info_from_string(hashes[i].mbedtls);
        if (!info) {
            continue;
        }
        const aeadlab_algorithm row = {
            .flags = hashes[i].flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_HASH,
            .tag_bytes = mbedtls_md_get_size(info),
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, &info, sizeof info, "%s", hashes[i].name);
    }
}

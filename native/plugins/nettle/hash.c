/* The hashes of Nettle. */
#include "plugin.h"

#include <nettle/sha3.h>

static void shake256_start(void *context) {
    sha3_256_init(context);
}

static void shake256_update(void *context, size_t bytes, const uint8_t *in) {
    sha3_256_update(context, bytes, in);
}

static void shake256_digest(void *context, size_t bytes, uint8_t *digest) {
    sha3_256_shake(context, bytes, digest);
}

/* Nettle has functions of SHAKE but no such struct. */
static const struct nettle_hash shake256 = {
    "shake256", sizeof(struct sha3_256_ctx), 64, SHA3_256_BLOCK_SIZE, shake256_start, shake256_update, shake256_digest,
};

#ifdef SHA3_128_BLOCK_SIZE
static void shake128_start(void *context) {
    sha3_128_init(context);
}

static void shake128_update(void *context, size_t bytes, const uint8_t *in) {
    sha3_128_update(context, bytes, in);
}

static void shake128_digest(void *context, size_t bytes, uint8_t *digest) {
    sha3_128_shake(context, bytes, digest);
}

static const struct nettle_hash shake128 = {
    "shake128", sizeof(struct sha3_128_ctx), 32, SHA3_128_BLOCK_SIZE, shake128_start, shake128_update, shake128_digest,
};
#endif

struct hash {
    const char *name;
    const struct nettle_hash *nettle;
    uint64_t flags;
};

static const struct hash hashes[] = {
    {"md5", &nettle_md5, AEADLAB_HISTORICAL},
    {"sha-1", &nettle_sha1, AEADLAB_HISTORICAL},
    {"sha-224", &nettle_sha224, 0},
    {"sha-256", &nettle_sha256, 0},
    {"sha-384", &nettle_sha384, 0},
    {"sha-512", &nettle_sha512, 0},
    {"sha-512-224", &nettle_sha512_224, 0},
    {"sha-512-256", &nettle_sha512_256, 0},
    {"sha3-224", &nettle_sha3_224, 0},
    {"sha3-256", &nettle_sha3_256, 0},
    {"sha3-384", &nettle_sha3_384, 0},
    {"sha3-512", &nettle_sha3_512, 0},
#ifdef SHA3_128_BLOCK_SIZE
    {"shake-128", &shake128, 0},
#endif
    {"shake-256", &shake256, 0},
    {"sm3", &nettle_sm3, 0},
    {"ripemd-160", &nettle_ripemd160, 0},
    {"streebog-256", &nettle_streebog256, 0},
    {"streebog-512", &nettle_streebog512, 0},
};

struct context {
    const struct nettle_hash *nettle;
    max_align_t state[];
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct nettle_hash *nettle = *(const struct nettle_hash *const *)algorithm->data;
    (void)key;
    if (key_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = malloc(sizeof *c + nettle->context_size);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->nettle = nettle;
    nettle->init(c->state);
    *context = c;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    struct context *c = context;
    wipe_and_free(c, sizeof *c + c->nettle->context_size);
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    struct context *c = context;
    (void)nonce;
    if (nonce_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (bytes > 0) {
        c->nettle->update(c->state, bytes, in);
    }
    /* It resets the state. */
    c->nettle->digest(c->state, c->nettle->digest_size, tag);
    return AEADLAB_OK;
}

void add_hashes(struct rows *rows) {
    for (size_t i = 0; i < COUNT(hashes); i++) {
        const aeadlab_algorithm row = {
            .flags = hashes[i].flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_HASH,
            .tag_bytes = hashes[i].nettle->digest_size,
            .key_new = key_new,
            .key_free = key_free,
            .digest = digest,
        };
        rows_add(rows, &row, &hashes[i].nettle, sizeof hashes[i].nettle, "%s", hashes[i].name);
    }
}

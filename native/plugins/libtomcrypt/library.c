/* LibTomCrypt behind aeadlab.h: portable C without AES instructions, as in embedded programs. */
#include "../rows.h"

#include <tomcrypt.h>

enum { TAG_BYTES = 16, NONCE_BYTES = 12 };

/* LibTomCrypt ends the process if a pointer is NULL, even with a length of 0. */
static const uint8_t empty[1];

static const uint8_t *readable(const uint8_t *bytes) { return bytes ? bytes : empty; }

static int32_t status(int error) {
    switch (error) {
    case CRYPT_OK:
        return AEADLAB_OK;
    case CRYPT_INVALID_KEYSIZE:
    case CRYPT_INVALID_ARG:
    case CRYPT_OVERFLOW:
        return AEADLAB_BAD_ARGUMENT;
    default:
        return AEADLAB_INTERNAL;
    }
}

/* A mode: the size of its state, its key set-up, and its processing of a message. */
struct mode {
    size_t state_bytes;
    int (*init)(void *state, int primitive, const uint8_t *key, size_t key_bytes);
    int (*run)(void *state, int open, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
               const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag);
};

struct context {
    const struct mode *mode;
    size_t bytes;
    /* The state of a mode needs the alignment of malloc. */
    union {
        long double most_aligned;
        uint8_t bytes[1];
    } state;
};

struct primitive {
    const struct mode *mode;
    int index;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **new_context) {
    const struct primitive *primitive = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    const size_t bytes = sizeof(struct context) + primitive->mode->state_bytes;
    struct context *context = calloc(1, bytes);
    if (!context) {
        return AEADLAB_INTERNAL;
    }
    context->mode = primitive->mode;
    context->bytes = bytes;
    const int error = context->mode->init(context->state.bytes, primitive->index, readable(key), key_bytes);
    if (error != CRYPT_OK) {
        zeromem(context, bytes);
        free(context);
        return status(error);
    }
    *new_context = context;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    zeromem(context, ((struct context *)context)->bytes);
    free(context);
}

static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    struct context *c = context;
    return status(c->mode->run(c->state.bytes, 0, nonce, nonce_bytes, readable(ad), ad_bytes, readable(in), bytes,
                               bytes ? out : (uint8_t *)(uintptr_t)empty, tag));
}

static int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    struct context *c = context;
    uint8_t computed[TAG_BYTES];
    const int error = c->mode->run(c->state.bytes, 1, nonce, nonce_bytes, readable(ad), ad_bytes, readable(in), bytes,
                                   bytes ? out : (uint8_t *)(uintptr_t)empty, computed);
    if (error != CRYPT_OK) {
        return status(error);
    }
    const int differs = mem_neq(computed, tag, TAG_BYTES);
    zeromem(computed, sizeof computed);
    return differs ? AEADLAB_AUTH_FAILED : AEADLAB_OK;
}

static int gcm_key(void *state, int cipher, const uint8_t *key, size_t key_bytes) {
    return gcm_init(state, cipher, key, (int)key_bytes);
}

static int gcm_run(void *state, int open, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                   const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    unsigned long tag_bytes = TAG_BYTES;
    if (nonce_bytes == 0) {
        return CRYPT_INVALID_ARG;
    }
    int error = gcm_reset(state);
    if (error == CRYPT_OK) {
        error = gcm_add_iv(state, nonce, nonce_bytes);
    }
    if (error == CRYPT_OK) {
        error = gcm_add_aad(state, ad, ad_bytes);
    }
    if (error == CRYPT_OK) {
        /* Only the destination is written, although neither parameter is const. */
        uint8_t *input = (uint8_t *)(uintptr_t)in;
        error = open ? gcm_process(state, out, bytes, input, GCM_DECRYPT)
                     : gcm_process(state, input, bytes, out, GCM_ENCRYPT);
    }
    return error == CRYPT_OK ? gcm_done(state, tag, &tag_bytes) : error;
}

/* A new nonce does not discard the rest of the last message's keystream, so each message sets the key. */
struct chacha {
    chacha20poly1305_state state;
    uint8_t key[32];
};

static int chacha_key(void *context, int cipher, const uint8_t *key, size_t key_bytes) {
    struct chacha *chacha = context;
    (void)cipher;
    if (key_bytes != sizeof chacha->key) {
        return CRYPT_INVALID_KEYSIZE;
    }
    memcpy(chacha->key, key, key_bytes);
    return CRYPT_OK;
}

static int chacha_run(void *context, int open, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                      size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    unsigned long tag_bytes = TAG_BYTES;
    struct chacha *chacha = context;
    chacha20poly1305_state *state = &chacha->state;
    if (nonce_bytes != NONCE_BYTES) {
        return CRYPT_INVALID_ARG;
    }
    int error = chacha20poly1305_init(state, chacha->key, sizeof chacha->key);
    if (error == CRYPT_OK) {
        error = chacha20poly1305_setiv(state, nonce, nonce_bytes);
    }
    if (error == CRYPT_OK && ad_bytes > 0) {
        error = chacha20poly1305_add_aad(state, ad, ad_bytes);
    }
    if (error == CRYPT_OK) {
        error = (open ? chacha20poly1305_decrypt : chacha20poly1305_encrypt)(state, in, bytes, out);
    }
    /* LibTomCrypt 1.18 pads the associated data with the first byte of the message, so not before an empty message. */
    static const uint8_t padding[16];
    if (error == CRYPT_OK && bytes == 0 && ad_bytes % sizeof padding != 0) {
        error = poly1305_process(&state->poly, padding, sizeof padding - ad_bytes % sizeof padding);
    }
    return error == CRYPT_OK ? chacha20poly1305_done(state, tag, &tag_bytes) : error;
}

static const struct mode gcm = {sizeof(gcm_state), gcm_key, gcm_run};
static const struct mode chacha20_poly1305 = {sizeof(struct chacha), chacha_key, chacha_run};

struct hash_context {
    int index;
    hash_state state;
};

static int32_t hash_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **new_context) {
    (void)key;
    if (key_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct hash_context *context = malloc(sizeof *context);
    if (!context) {
        return AEADLAB_INTERNAL;
    }
    context->index = *(const int *)algorithm->data;
    *new_context = context;
    return AEADLAB_OK;
}

static void hash_free(void *context) { free(context); }

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    struct hash_context *c = context;
    const struct ltc_hash_descriptor *hash = &hash_descriptor[c->index];
    (void)nonce;
    if (nonce_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    int error = hash->init(&c->state);
    if (error == CRYPT_OK) {
        error = hash->process(&c->state, readable(in), bytes);
    }
    return status(error == CRYPT_OK ? hash->done(&c->state, tag) : error);
}

static const struct {
    const char *name;
    const struct ltc_cipher_descriptor *descriptor;
    uint32_t key_bytes;
} ciphers[] = {
    {"aes-128", &aes_desc, 16},           {"aes-192", &aes_desc, 24},           {"aes-256", &aes_desc, 32},
    {"camellia-128", &camellia_desc, 16}, {"camellia-192", &camellia_desc, 24}, {"camellia-256", &camellia_desc, 32},
};
static const struct {
    const char *name;
    const struct ltc_hash_descriptor *descriptor;
    uint64_t flags;
} hashes[] = {
    {"md5", &md5_desc, AEADLAB_HISTORICAL},
    {"sha-1", &sha1_desc, AEADLAB_HISTORICAL},
    {"sha-224", &sha224_desc, 0},
    {"sha-256", &sha256_desc, 0},
    {"sha-384", &sha384_desc, 0},
    {"sha-512", &sha512_desc, 0},
    {"sha-512-224", &sha512_224_desc, 0},
    {"sha-512-256", &sha512_256_desc, 0},
    {"sha3-224", &sha3_224_desc, 0},
    {"sha3-256", &sha3_256_desc, 0},
    {"sha3-384", &sha3_384_desc, 0},
    {"sha3-512", &sha3_512_desc, 0},
    {"ripemd-160", &rmd160_desc, 0},
    {"whirlpool", &whirlpool_desc, 0},
    {"blake2b-256", &blake2b_256_desc, 0},
    {"blake2b-512", &blake2b_512_desc, 0},
    {"blake2s-256", &blake2s_256_desc, 0},
};

static void add_aead(struct rows *rows, const char *name, uint32_t key_bytes, struct primitive primitive,
                     uint64_t flags, uint64_t max_bytes) {
    const aeadlab_algorithm row = {
        .flags = flags | AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG,
        .kind = AEADLAB_AEAD,
        .key_bytes = key_bytes,
        .nonce_bytes = NONCE_BYTES,
        .tag_bytes = TAG_BYTES,
        .max_bytes = max_bytes,
        .key_new = key_new,
        .key_free = key_free,
        .seal = seal,
        .open = open,
    };
    rows_add(rows, &row, &primitive, sizeof primitive, "%s", name);
}

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    if (rows.count > 0) {
        return rows_describe(&rows, &library, "libtomcrypt", SCRYPT);
    }
    rows.kernel = "portable C";
    /* The limits are the library's own: a byte or a block less than SP 800-38D and RFC 8439 allow. */
    for (size_t i = 0; i < COUNT(ciphers); i++) {
        char name[32];
        const int index = register_cipher(ciphers[i].descriptor);
        snprintf(name, sizeof name, "%s-gcm", ciphers[i].name);
        if (index >= 0) {
            add_aead(&rows, name, ciphers[i].key_bytes, (struct primitive){&gcm, index}, AEADLAB_ANY_NONCE_LENGTH,
                     (1ull << 36) - 33);
        }
    }
    add_aead(&rows, "chacha20-poly1305", 32, (struct primitive){&chacha20_poly1305, -1}, 0, ((1ull << 32) - 2) * 64);
    for (size_t i = 0; i < COUNT(hashes); i++) {
        const int index = register_hash(hashes[i].descriptor);
        const aeadlab_algorithm row = {
            .flags = hashes[i].flags | AEADLAB_THREAD_SAFE,
            .kind = AEADLAB_HASH,
            .tag_bytes = (uint32_t)hashes[i].descriptor->hashsize,
            .key_new = hash_new,
            .key_free = hash_free,
            .digest = digest,
        };
        if (index >= 0) {
            rows_add(&rows, &row, &index, sizeof index, "%s", hashes[i].name);
        }
    }
    return rows_describe(&rows, &library, "libtomcrypt", SCRYPT);
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "none: it is portable C that uses no CPU features";
}

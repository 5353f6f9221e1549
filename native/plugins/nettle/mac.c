/* The MACs of Nettle: HMAC, CMAC of each block cipher, GMAC as GCM with associated data only, and Poly1305-AES. */
#include "plugin.h"

#include <nettle/cmac.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/poly1305.h>

/* The functions of a family of MACs; `primitive` is its nettle_mac or nettle_cipher. */
struct family {
    size_t (*state_bytes)(const void *primitive);
    void (*set_key)(const void *primitive, void *state, const uint8_t *key);
    void (*digest)(const void *primitive, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                   uint8_t *tag);
};

static size_t generic_bytes(const void *primitive) {
    const struct nettle_mac *mac = primitive;
    return mac->context_size;
}

static void generic_set_key(const void *primitive, void *state, const uint8_t *key) {
    const struct nettle_mac *mac = primitive;
    mac->set_key(state, key);
}

static void generic_digest(const void *primitive, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                           uint8_t *tag) {
    const struct nettle_mac *mac = primitive;
    (void)nonce;
    if (bytes > 0) {
        mac->update(state, bytes, in);
    }
    /* It resets the state to that after the key set-up. */
    mac->digest(state, mac->digest_size, tag);
}

struct cmac {
    struct cmac128_key key;
    struct cmac128_ctx message;
    max_align_t schedule[];
};

static size_t cmac_bytes(const void *primitive) {
    const struct nettle_cipher *cipher = primitive;
    return sizeof(struct cmac) + cipher->context_size;
}

static void cmac_set_key(const void *primitive, void *state, const uint8_t *key) {
    const struct nettle_cipher *cipher = primitive;
    struct cmac *cmac = state;
    cipher->set_encrypt_key(cmac->schedule, key);
    cmac128_set_key(&cmac->key, cmac->schedule, cipher->encrypt);
    cmac128_init(&cmac->message);
}

static void cmac_digest(const void *primitive, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                        uint8_t *tag) {
    const struct nettle_cipher *cipher = primitive;
    struct cmac *cmac = state;
    (void)nonce;
    if (bytes > 0) {
        cmac128_update(&cmac->message, cmac->schedule, cipher->encrypt, bytes, in);
    }
    cmac128_digest(&cmac->message, &cmac->key, cmac->schedule, cipher->encrypt, CMAC128_DIGEST_SIZE, tag);
}

struct gmac {
    struct gcm_key key;
    max_align_t schedule[];
};

static size_t gmac_bytes(const void *primitive) {
    const struct nettle_cipher *cipher = primitive;
    return sizeof(struct gmac) + cipher->context_size;
}

static void gmac_set_key(const void *primitive, void *state, const uint8_t *key) {
    const struct nettle_cipher *cipher = primitive;
    struct gmac *gmac = state;
    cipher->set_encrypt_key(gmac->schedule, key);
    gcm_set_key(&gmac->key, gmac->schedule, cipher->encrypt);
}

static void gmac_digest(const void *primitive, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                        uint8_t *tag) {
    const struct nettle_cipher *cipher = primitive;
    struct gmac *gmac = state;
    struct gcm_ctx message;
    gcm_set_iv(&message, &gmac->key, GCM_IV_SIZE, nonce);
    if (bytes > 0) {
        gcm_update(&message, &gmac->key, bytes, in);
    }
    gcm_digest(&message, &gmac->key, gmac->schedule, cipher->encrypt, GCM_DIGEST_SIZE, tag);
}

static size_t poly1305_aes_bytes(const void *primitive) {
    (void)primitive;
    return sizeof(struct poly1305_aes_ctx);
}

static void poly1305_aes_key(const void *primitive, void *state, const uint8_t *key) {
    (void)primitive;
    poly1305_aes_set_key(state, key);
}

static void compute_poly1305_aes(const void *primitive, void *state, const uint8_t *nonce, size_t bytes,
                                 const uint8_t *in, uint8_t *tag) {
    (void)primitive;
    poly1305_aes_set_nonce(state, nonce);
    if (bytes > 0) {
        poly1305_aes_update(state, bytes, in);
    }
    poly1305_aes_digest(state, POLY1305_AES_DIGEST_SIZE, tag);
}

static const struct family generic = {generic_bytes, generic_set_key, generic_digest};
static const struct family cmac = {cmac_bytes, cmac_set_key, cmac_digest};
static const struct family gmac = {gmac_bytes, gmac_set_key, gmac_digest};
static const struct family poly1305_aes = {poly1305_aes_bytes, poly1305_aes_key, compute_poly1305_aes};

struct generic_mac {
    const char *name;
    const struct nettle_mac *nettle;
    uint64_t flags;
};

static const struct generic_mac generic_macs[] = {
    {"hmac-md5", &nettle_hmac_md5, 0},
    {"hmac-sha-1", &nettle_hmac_sha1, 0},
    {"hmac-sha-224", &nettle_hmac_sha224, 0},
    {"hmac-sha-256", &nettle_hmac_sha256, 0},
    {"hmac-sha-384", &nettle_hmac_sha384, 0},
    {"hmac-sha-512", &nettle_hmac_sha512, 0},
    {"hmac-sm3", &nettle_hmac_sm3, 0},
    {"hmac-ripemd-160", &nettle_hmac_ripemd160, 0},
    {"hmac-streebog-256", &nettle_hmac_streebog256, 0},
    {"hmac-streebog-512", &nettle_hmac_streebog512, 0},
    {"3des-cmac", &nettle_cmac_des3, AEADLAB_HISTORICAL},
};

/* The target of algorithm->data. */
struct mac {
    const struct family *family;
    const void *primitive;
};

struct context {
    struct mac mac;
    uint32_t nonce_bytes;
    max_align_t state[];
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct mac *mac = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = malloc(sizeof *c + mac->family->state_bytes(mac->primitive));
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->mac = *mac;
    c->nonce_bytes = algorithm->nonce_bytes;
    mac->family->set_key(mac->primitive, c->state, key);
    *context = c;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    struct context *c = context;
    wipe_and_free(c, sizeof *c + c->mac.family->state_bytes(c->mac.primitive));
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    struct context *c = context;
    if (nonce_bytes != c->nonce_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    c->mac.family->digest(c->mac.primitive, c->state, nonce, bytes, in, tag);
    return AEADLAB_OK;
}

static void add(struct rows *rows, const char *name, const char *suffix, const struct mac *mac, uint32_t key_bytes,
                uint32_t nonce_bytes, uint32_t tag_bytes, uint64_t flags) {
    const aeadlab_algorithm row = {
        .flags = flags | AEADLAB_THREAD_SAFE,
        .kind = AEADLAB_MAC,
        .key_bytes = key_bytes,
        .nonce_bytes = nonce_bytes,
        .tag_bytes = tag_bytes,
        .key_new = key_new,
        .key_free = key_free,
        .digest = digest,
    };
    rows_add(rows, &row, mac, sizeof *mac, "%s%s", name, suffix);
}

void add_macs(struct rows *rows) {
    for (size_t i = 0; i < COUNT(generic_macs); i++) {
        const struct generic_mac *row = &generic_macs[i];
        const struct nettle_mac *nettle = row->nettle;
        add(rows, row->name, "", &(struct mac){&generic, nettle}, nettle->key_size, 0, nettle->digest_size, row->flags);
    }
    for (size_t i = 0; i < block_cipher_count; i++) {
        const struct nettle_cipher *nettle = block_ciphers[i].nettle;
        if (nettle->block_size == 16) {
            add(rows, block_ciphers[i].name, "-cmac", &(struct mac){&cmac, nettle}, nettle->key_size, 0, 16, 0);
        }
    }
    add(rows, "aes-128", "-gmac", &(struct mac){&gmac, &nettle_aes128}, 16, 12, 16, 0);
    add(rows, "aes-192", "-gmac", &(struct mac){&gmac, &nettle_aes192}, 24, 12, 16, 0);
    add(rows, "aes-256", "-gmac", &(struct mac){&gmac, &nettle_aes256}, 32, 12, 16, 0);
    add(rows, "poly1305-aes", "", &(struct mac){&poly1305_aes, NULL}, 32, 16, 16, 0);
}

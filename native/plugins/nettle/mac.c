/* Nettle's MACs: HMAC, CMAC of every block cipher, GMAC as GCM without a message, and Poly1305-AES. */
#include "plugin.h"

#include <nettle/cmac.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/poly1305.h>

/* A MAC as the rest of this file sees it; `what` is the hash or block cipher that it is made of. */
struct family {
    size_t (*state_bytes)(const void *what);
    void (*set_key)(const void *what, void *state, const uint8_t *key);
    void (*digest)(const void *what, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in, uint8_t *tag);
};

static size_t described_bytes(const void *what) {
    const struct nettle_mac *mac = what;
    return mac->context_size;
}

static void described_set_key(const void *what, void *state, const uint8_t *key) {
    const struct nettle_mac *mac = what;
    mac->set_key(state, key);
}

static void described_digest(const void *what, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                             uint8_t *tag) {
    const struct nettle_mac *mac = what;
    (void)nonce;
    if (bytes > 0) {
        mac->update(state, bytes, in);
    }
    /* Leaves the state as it was after the key. */
    mac->digest(state, mac->digest_size, tag);
}

struct cmac {
    struct cmac128_key key;
    struct cmac128_ctx message;
    max_align_t schedule[];
};

static size_t cmac_bytes(const void *what) {
    const struct nettle_cipher *cipher = what;
    return sizeof(struct cmac) + cipher->context_size;
}

static void cmac_set_key(const void *what, void *state, const uint8_t *key) {
    const struct nettle_cipher *cipher = what;
    struct cmac *cmac = state;
    cipher->set_encrypt_key(cmac->schedule, key);
    cmac128_set_key(&cmac->key, cmac->schedule, cipher->encrypt);
    cmac128_init(&cmac->message);
}

static void cmac_digest(const void *what, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                        uint8_t *tag) {
    const struct nettle_cipher *cipher = what;
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

static size_t gmac_bytes(const void *what) {
    const struct nettle_cipher *cipher = what;
    return sizeof(struct gmac) + cipher->context_size;
}

static void gmac_set_key(const void *what, void *state, const uint8_t *key) {
    const struct nettle_cipher *cipher = what;
    struct gmac *gmac = state;
    cipher->set_encrypt_key(gmac->schedule, key);
    gcm_set_key(&gmac->key, gmac->schedule, cipher->encrypt);
}

static void gmac_digest(const void *what, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                        uint8_t *tag) {
    const struct nettle_cipher *cipher = what;
    struct gmac *gmac = state;
    struct gcm_ctx message;
    gcm_set_iv(&message, &gmac->key, GCM_IV_SIZE, nonce);
    if (bytes > 0) {
        gcm_update(&message, &gmac->key, bytes, in);
    }
    gcm_digest(&message, &gmac->key, gmac->schedule, cipher->encrypt, GCM_DIGEST_SIZE, tag);
}

static size_t poly1305_aes_bytes(const void *what) {
    (void)what;
    return sizeof(struct poly1305_aes_ctx);
}

static void poly1305_aes_key(const void *what, void *state, const uint8_t *key) {
    (void)what;
    poly1305_aes_set_key(state, key);
}

static void poly1305_aes_message(const void *what, void *state, const uint8_t *nonce, size_t bytes, const uint8_t *in,
                                 uint8_t *tag) {
    (void)what;
    poly1305_aes_set_nonce(state, nonce);
    if (bytes > 0) {
        poly1305_aes_update(state, bytes, in);
    }
    poly1305_aes_digest(state, POLY1305_AES_DIGEST_SIZE, tag);
}

static const struct family described = {described_bytes, described_set_key, described_digest};
static const struct family cmac = {cmac_bytes, cmac_set_key, cmac_digest};
static const struct family gmac = {gmac_bytes, gmac_set_key, gmac_digest};
static const struct family poly1305_aes = {poly1305_aes_bytes, poly1305_aes_key, poly1305_aes_message};

struct described_mac {
    const char *name;
    const struct nettle_mac *nettle;
    uint64_t flags;
};

static const struct described_mac described_macs[] = {
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

/* What a row's data points to. */
struct mac {
    const struct family *family;
    const void *what;
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
    struct context *c = malloc(sizeof *c + mac->family->state_bytes(mac->what));
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->mac = *mac;
    c->nonce_bytes = algorithm->nonce_bytes;
    mac->family->set_key(mac->what, c->state, key);
    *context = c;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    struct context *c = context;
    wipe_and_free(c, sizeof *c + c->mac.family->state_bytes(c->mac.what));
}

static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    struct context *c = context;
    if (nonce_bytes != c->nonce_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    c->mac.family->digest(c->mac.what, c->state, nonce, bytes, in, tag);
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
    for (size_t i = 0; i < COUNT(described_macs); i++) {
        const struct described_mac *row = &described_macs[i];
        const struct nettle_mac *nettle = row->nettle;
        add(rows, row->name, "", &(struct mac){&described, nettle}, nettle->key_size, 0, nettle->digest_size,
            row->flags);
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

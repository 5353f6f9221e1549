/* The ciphers of Nettle: its modes for each block cipher, and the stream ciphers. It has no OFB. */
#include "plugin.h"

#include <nettle/arcfour.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/chacha.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/salsa20.h>
#include <nettle/xts.h>

#define MAX_KEY_BYTES 64

static void set_des3_key(void *context, const uint8_t *key) {
    /* It returns whether the key is weak, and sets weak keys too. */
    (void)des3_set_key(context, key);
}

static void encrypt_des3(const void *context, size_t bytes, uint8_t *out, const uint8_t *in) {
    des3_encrypt(context, bytes, out, in);
}

static void decrypt_des3(const void *context, size_t bytes, uint8_t *out, const uint8_t *in) {
    des3_decrypt(context, bytes, out, in);
}

/* Nettle has no such struct of Triple DES. */
static const struct nettle_cipher des3 = {
    "des3",       sizeof(struct des3_ctx), DES3_BLOCK_SIZE, DES3_KEY_SIZE, set_des3_key, set_des3_key, encrypt_des3,
    decrypt_des3,
};

const struct block_cipher block_ciphers[] = {
    {"aes-128", &nettle_aes128, 1, 0},
    {"aes-192", &nettle_aes192, 1, 0},
    {"aes-256", &nettle_aes256, 1, 0},
    {"camellia-128", &nettle_camellia128, 1, 0},
    {"camellia-192", &nettle_camellia192, 1, 0},
    {"camellia-256", &nettle_camellia256, 1, 0},
#if __has_include(<nettle/sm4.h>)
    {"sm4", &nettle_sm4, 1, 0},
#endif
    {"serpent-128", &nettle_serpent128, 0, 0},
    {"serpent-192", &nettle_serpent192, 0, 0},
    {"serpent-256", &nettle_serpent256, 1, 0},
    {"twofish-128", &nettle_twofish128, 0, 0},
    {"twofish-192", &nettle_twofish192, 0, 0},
    {"twofish-256", &nettle_twofish256, 1, 0},
    {"3des", &des3, 0, AEADLAB_HISTORICAL},
};
const size_t block_cipher_count = COUNT(block_ciphers);

struct context {
    const struct nettle_cipher *nettle;
    const struct mode *mode;
    uint32_t nonce_bytes;
    void *schedule;
    void *decrypt_schedule; /* created by the first decryption of modes with has_decrypt_key */
    void *tweak;            /* XTS: the schedule of the second half of the key */
    uint8_t key[MAX_KEY_BYTES];
};

/* `iv` is a copy of the nonce, which the function may change. */
typedef void crypt_message(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in);

struct mode {
    const char *name;
    int has_iv;
    int whole_blocks;
    int has_decrypt_key; /* decryption has a key schedule of its own */
    int keys;
    size_t min_bytes;
    uint64_t max_bytes;
    crypt_message *encrypt;
    crypt_message *decrypt;
};

static void encrypt_ecb(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    (void)iv;
    c->nettle->encrypt(c->schedule, bytes, out, in);
}

static void decrypt_ecb(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    (void)iv;
    c->nettle->decrypt(c->decrypt_schedule, bytes, out, in);
}

static void encrypt_cbc(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    /* Nettle has special functions for AES, because CBC encryption is serial. */
    if (c->nettle == &nettle_aes128) {
        cbc_aes128_encrypt(c->schedule, iv, bytes, out, in);
    } else if (c->nettle == &nettle_aes192) {
        cbc_aes192_encrypt(c->schedule, iv, bytes, out, in);
    } else if (c->nettle == &nettle_aes256) {
        cbc_aes256_encrypt(c->schedule, iv, bytes, out, in);
    } else {
        cbc_encrypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
    }
}

static void decrypt_cbc(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    cbc_decrypt(c->decrypt_schedule, c->nettle->decrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void crypt_ctr(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    ctr_crypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void encrypt_cfb(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    cfb_encrypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void decrypt_cfb(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    cfb_decrypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void encrypt_xts(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    xts_encrypt_message(c->schedule, c->tweak, c->nettle->encrypt, iv, bytes, out, in);
}

static void decrypt_xts(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    xts_decrypt_message(c->decrypt_schedule, c->tweak, c->nettle->decrypt, c->nettle->encrypt, iv, bytes, out, in);
}

static void crypt_chacha20(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    chacha_set_nonce96(c->schedule, iv);
    chacha_crypt32(c->schedule, bytes, out, in);
}

static void crypt_salsa20(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    salsa20_set_nonce(c->schedule, iv);
    salsa20_crypt(c->schedule, bytes, out, in);
}

static void crypt_salsa20_12(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    salsa20_set_nonce(c->schedule, iv);
    salsa20r12_crypt(c->schedule, bytes, out, in);
}

static void crypt_rc4(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    (void)iv;
    /* Each message starts from a copy of the state after the key set-up. */
    struct arcfour_ctx stream = *(const struct arcfour_ctx *)c->schedule;
    arcfour_crypt(&stream, bytes, out, in);
    explicit_bzero(&stream, sizeof stream);
}

static const struct mode modes[] = {
    {"ecb", 0, 1, 1, 1, 0, 0, encrypt_ecb, decrypt_ecb},
    {"cbc", 1, 1, 1, 1, 0, 0, encrypt_cbc, decrypt_cbc},
    {"ctr", 1, 0, 0, 1, 0, 0, crypt_ctr, crypt_ctr},
    {"cfb", 1, 0, 0, 1, 0, 0, encrypt_cfb, decrypt_cfb},
};
/* IEEE 1619: at least one block, and at most 2^20. */
static const struct mode xts = {"xts", 1, 0, 1, 2, 16, 1ull << 24, encrypt_xts, decrypt_xts};

static void set_chacha20_key(void *context, const uint8_t *key) {
    chacha_set_key(context, key);
}

static void set_salsa20_key(void *context, const uint8_t *key) {
    salsa20_256_set_key(context, key);
}

static void set_rc4_key(void *context, const uint8_t *key) {
    arcfour128_set_key(context, key);
}

struct stream_cipher {
    const char *name;
    struct nettle_cipher nettle; /* only context size, key size and key set-up */
    struct mode mode;
    uint32_t nonce_bytes;
    uint64_t flags;
};

static const struct stream_cipher stream_ciphers[] = {
    {"chacha20",
     {"chacha", sizeof(struct chacha_ctx), 0, 32, set_chacha20_key, NULL, NULL, NULL},
     {"", 1, 0, 0, 1, 0, 1ull << 38, crypt_chacha20, crypt_chacha20},
     12,
     0},
    {"salsa20",
     {"salsa20", sizeof(struct salsa20_ctx), 0, 32, set_salsa20_key, NULL, NULL, NULL},
     {"", 1, 0, 0, 1, 0, 0, crypt_salsa20, crypt_salsa20},
     8,
     0},
    {"salsa20-12",
     {"salsa20r12", sizeof(struct salsa20_ctx), 0, 32, set_salsa20_key, NULL, NULL, NULL},
     {"", 1, 0, 0, 1, 0, 0, crypt_salsa20_12, crypt_salsa20_12},
     8,
     0},
    {"rc4",
     {"arcfour", sizeof(struct arcfour_ctx), 0, 16, set_rc4_key, NULL, NULL, NULL},
     {"", 0, 0, 0, 1, 0, 0, crypt_rc4, crypt_rc4},
     0,
     AEADLAB_HISTORICAL},
};

/* The target of algorithm->data. */
struct cipher {
    const struct nettle_cipher *nettle;
    const struct mode *mode;
};

static void key_free(void *context) {
    struct context *c = context;
    wipe_and_free(c->schedule, c->nettle->context_size);
    wipe_and_free(c->decrypt_schedule, c->nettle->context_size);
    wipe_and_free(c->tweak, c->nettle->context_size);
    wipe_and_free(c, sizeof *c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct cipher *cipher = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = calloc(1, sizeof *c);
    if (!c) {
        return AEADLAB_INTERNAL;
    }
    c->nettle = cipher->nettle;
    c->mode = cipher->mode;
    c->nonce_bytes = algorithm->nonce_bytes;
    memcpy(c->key, key, key_bytes);
    c->schedule = malloc(c->nettle->context_size);
    c->tweak = c->mode->keys == 2 ? malloc(c->nettle->context_size) : NULL;
    if (!c->schedule || (c->mode->keys == 2 && !c->tweak)) {
        key_free(c);
        return AEADLAB_INTERNAL;
    }
    c->nettle->set_encrypt_key(c->schedule, key);
    if (c->tweak) {
        c->nettle->set_encrypt_key(c->tweak, key + c->nettle->key_size);
    }
    *context = c;
    return AEADLAB_OK;
}

static int32_t process_message(const struct context *c, crypt_message *call, const uint8_t *nonce, size_t nonce_bytes,
                               const uint8_t *in, size_t bytes, uint8_t *out) {
    const size_t whole = c->mode->whole_blocks ? c->nettle->block_size : 1;
    uint8_t iv[16];
    if (nonce_bytes != c->nonce_bytes || bytes < c->mode->min_bytes || bytes % whole != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (nonce_bytes > 0) {
        memcpy(iv, nonce, nonce_bytes);
    }
    if (bytes > 0) {
        call(c, iv, bytes, out, in);
    }
    return AEADLAB_OK;
}

static int32_t encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    const struct context *c = context;
    return process_message(c, c->mode->encrypt, nonce, nonce_bytes, in, bytes, out);
}

static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    if (c->mode->has_decrypt_key && !c->decrypt_schedule) {
        c->decrypt_schedule = malloc(c->nettle->context_size);
        if (!c->decrypt_schedule) {
            return AEADLAB_INTERNAL;
        }
        c->nettle->set_decrypt_key(c->decrypt_schedule, c->key);
    }
    return process_message(c, c->mode->decrypt, nonce, nonce_bytes, in, bytes, out);
}

static void add(struct rows *rows, const char *name, const struct cipher *cipher, uint32_t nonce_bytes,
                uint64_t flags) {
    const struct mode *mode = cipher->mode;
    const aeadlab_algorithm row = {
        .flags = flags | AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE,
        .kind = AEADLAB_CIPHER,
        .key_bytes = cipher->nettle->key_size * (uint32_t)mode->keys,
        .nonce_bytes = nonce_bytes,
        .block_bytes = mode->whole_blocks ? cipher->nettle->block_size : 1,
        .max_bytes = mode->max_bytes,
        .key_new = key_new,
        .key_free = key_free,
        .encrypt = encrypt,
        .decrypt = decrypt,
    };
    rows_add(rows, &row, cipher, sizeof *cipher, "%s%s%s", name, *mode->name ? "-" : "", mode->name);
}

void add_ciphers(struct rows *rows) {
    for (size_t i = 0; i < block_cipher_count; i++) {
        const struct block_cipher *block = &block_ciphers[i];
        for (size_t j = 0; j < COUNT(modes); j++) {
            const struct cipher cipher = {block->nettle, &modes[j]};
            add(rows, block->name, &cipher, modes[j].has_iv ? block->nettle->block_size : 0, block->flags);
        }
    }
    add(rows, "aes-128", &(struct cipher){&nettle_aes128, &xts}, 16, 0);
    add(rows, "aes-256", &(struct cipher){&nettle_aes256, &xts}, 16, 0);
    for (size_t i = 0; i < COUNT(stream_ciphers); i++) {
        const struct stream_cipher *stream = &stream_ciphers[i];
        add(rows, stream->name, &(struct cipher){&stream->nettle, &stream->mode}, stream->nonce_bytes, stream->flags);
    }
}

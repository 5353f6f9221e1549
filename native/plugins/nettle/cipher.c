/* Nettle's ciphers: its modes for every block cipher, and the stream ciphers. It has no OFB. */
#include "plugin.h"

#include <nettle/arcfour.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/chacha.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/salsa20.h>
#include <nettle/xts.h>

#define LONGEST_KEY 64

static void des3_schedule(void *context, const uint8_t *key) {
    /* Says whether the key is weak, and sets it anyway. */
    (void)des3_set_key(context, key);
}

static void des3_forward(const void *context, size_t bytes, uint8_t *out, const uint8_t *in) {
    des3_encrypt(context, bytes, out, in);
}

static void des3_backward(const void *context, size_t bytes, uint8_t *out, const uint8_t *in) {
    des3_decrypt(context, bytes, out, in);
}

/* Triple DES alone has no such struct in Nettle. */
static const struct nettle_cipher des3 = {
    "des3",        sizeof(struct des3_ctx), DES3_BLOCK_SIZE, DES3_KEY_SIZE,
    des3_schedule, des3_schedule,           des3_forward,    des3_backward,
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
    void *inverse; /* made when first decrypting, where that needs another key schedule */
    void *tweak; /* XTS: the schedule of the second half of the key */
    uint8_t key[LONGEST_KEY];
};

/* `iv` is a copy of the nonce, which may be changed. */
typedef void crypt_message(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in);

struct mode {
    const char *name;
    int has_iv;
    int whole_blocks;
    int backwards; /* decrypting runs the block cipher backwards */
    int keys;
    size_t least_bytes;
    uint64_t max_bytes;
    crypt_message *encrypt;
    crypt_message *decrypt;
};

static void ecb_forward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    (void)iv;
    c->nettle->encrypt(c->schedule, bytes, out, in);
}

static void ecb_backward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    (void)iv;
    c->nettle->decrypt(c->inverse, bytes, out, in);
}

static void cbc_forward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    /* AES has functions of its own for the one mode where blocks wait for each other. */
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

static void cbc_backward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    cbc_decrypt(c->inverse, c->nettle->decrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void ctr_either(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    ctr_crypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void cfb_forward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    cfb_encrypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void cfb_backward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    cfb_decrypt(c->schedule, c->nettle->encrypt, c->nettle->block_size, iv, bytes, out, in);
}

static void xts_forward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    xts_encrypt_message(c->schedule, c->tweak, c->nettle->encrypt, iv, bytes, out, in);
}

static void xts_backward(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    xts_decrypt_message(c->inverse, c->tweak, c->nettle->decrypt, c->nettle->encrypt, iv, bytes, out, in);
}

static void chacha20_either(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    chacha_set_nonce96(c->schedule, iv);
    chacha_crypt32(c->schedule, bytes, out, in);
}

static void salsa20_either(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    salsa20_set_nonce(c->schedule, iv);
    salsa20_crypt(c->schedule, bytes, out, in);
}

static void salsa20_12_either(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    salsa20_set_nonce(c->schedule, iv);
    salsa20r12_crypt(c->schedule, bytes, out, in);
}

static void rc4_either(const struct context *c, uint8_t *iv, size_t bytes, uint8_t *out, const uint8_t *in) {
    (void)iv;
    /* The state after key set-up stays in the context: every message starts from it. */
    struct arcfour_ctx stream = *(const struct arcfour_ctx *)c->schedule;
    arcfour_crypt(&stream, bytes, out, in);
    explicit_bzero(&stream, sizeof stream);
}

static const struct mode modes[] = {
    {"ecb", 0, 1, 1, 1, 0, 0, ecb_forward, ecb_backward},
    {"cbc", 1, 1, 1, 1, 0, 0, cbc_forward, cbc_backward},
    {"ctr", 1, 0, 0, 1, 0, 0, ctr_either, ctr_either},
    {"cfb", 1, 0, 0, 1, 0, 0, cfb_forward, cfb_backward},
};
/* IEEE 1619: at least one block, and at most 2^20. */
static const struct mode xts = {"xts", 1, 0, 1, 2, 16, 1ull << 24, xts_forward, xts_backward};

static void chacha20_schedule(void *context, const uint8_t *key) {
    chacha_set_key(context, key);
}

static void salsa20_schedule(void *context, const uint8_t *key) {
    salsa20_256_set_key(context, key);
}

static void rc4_schedule(void *context, const uint8_t *key) {
    arcfour128_set_key(context, key);
}

struct stream_cipher {
    const char *name;
    struct nettle_cipher nettle; /* without block size and without functions that take whole blocks */
    struct mode mode;
    uint32_t nonce_bytes;
    uint64_t flags;
};

static const struct stream_cipher stream_ciphers[] = {
    {"chacha20",
     {"chacha", sizeof(struct chacha_ctx), 0, 32, chacha20_schedule, NULL, NULL, NULL},
     {"", 1, 0, 0, 1, 0, 1ull << 38, chacha20_either, chacha20_either},
     12,
     0},
    {"salsa20",
     {"salsa20", sizeof(struct salsa20_ctx), 0, 32, salsa20_schedule, NULL, NULL, NULL},
     {"", 1, 0, 0, 1, 0, 0, salsa20_either, salsa20_either},
     8,
     0},
    {"salsa20-12",
     {"salsa20r12", sizeof(struct salsa20_ctx), 0, 32, salsa20_schedule, NULL, NULL, NULL},
     {"", 1, 0, 0, 1, 0, 0, salsa20_12_either, salsa20_12_either},
     8,
     0},
    {"rc4",
     {"arcfour", sizeof(struct arcfour_ctx), 0, 16, rc4_schedule, NULL, NULL, NULL},
     {"", 0, 0, 0, 1, 0, 0, rc4_either, rc4_either},
     0,
     AEADLAB_HISTORICAL},
};

/* What a row's data points to. */
struct cipher {
    const struct nettle_cipher *nettle;
    const struct mode *mode;
};

static void key_free(void *context) {
    struct context *c = context;
    wipe_and_free(c->schedule, c->nettle->context_size);
    wipe_and_free(c->inverse, c->nettle->context_size);
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

static int32_t crypt_any(const struct context *c, crypt_message *call, const uint8_t *nonce, size_t nonce_bytes,
                         const uint8_t *in, size_t bytes, uint8_t *out) {
    const size_t whole = c->mode->whole_blocks ? c->nettle->block_size : 1;
    uint8_t iv[16];
    if (nonce_bytes != c->nonce_bytes || bytes < c->mode->least_bytes || bytes % whole != 0) {
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
    return crypt_any(c, c->mode->encrypt, nonce, nonce_bytes, in, bytes, out);
}

static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    struct context *c = context;
    if (c->mode->backwards && !c->inverse) {
        c->inverse = malloc(c->nettle->context_size);
        if (!c->inverse) {
            return AEADLAB_INTERNAL;
        }
        c->nettle->set_decrypt_key(c->inverse, c->key);
    }
    return crypt_any(c, c->mode->decrypt, nonce, nonce_bytes, in, bytes, out);
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

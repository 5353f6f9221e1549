/* The ciphers of libgcrypt: its modes for each block cipher, XTS, and the stream ciphers. */
#include "plugin.h"

const struct block_cipher block_ciphers[BLOCK_CIPHERS] = {
    {"aes-128", "AES", 16, 16, 1, 0},
    {"aes-192", "AES192", 24, 16, 1, 0},
    {"aes-256", "AES256", 32, 16, 1, 0},
    {"aria-128", "ARIA128", 16, 16, 1, 0},
    {"aria-192", "ARIA192", 24, 16, 1, 0},
    {"aria-256", "ARIA256", 32, 16, 1, 0},
    {"camellia-128", "CAMELLIA128", 16, 16, 1, 0},
    {"camellia-192", "CAMELLIA192", 24, 16, 1, 0},
    {"camellia-256", "CAMELLIA256", 32, 16, 1, 0},
    {"sm4", "SM4", 16, 16, 1, 0},
    {"serpent-128", "SERPENT128", 16, 16, 0, 0},
    {"serpent-192", "SERPENT192", 24, 16, 0, 0},
    {"serpent-256", "SERPENT256", 32, 16, 1, 0},
    {"twofish-128", "TWOFISH128", 16, 16, 0, 0},
    {"twofish-256", "TWOFISH", 32, 16, 1, 0},
    {"3des", "3DES", 24, 8, 0, AEADLAB_HISTORICAL},
};

/* The first call of a message. */
enum start { WITHOUT_NONCE, WITH_NONCE, WITH_COUNTER, FROM_INITIAL_STATE };

struct mode {
    const char *name;
    int gcrypt;
    enum start start;
    int whole_blocks;
};

static const struct mode modes[] = {
    {"ecb", GCRY_CIPHER_MODE_ECB, WITHOUT_NONCE, 1}, {"cbc", GCRY_CIPHER_MODE_CBC, WITH_NONCE, 1},
    {"ctr", GCRY_CIPHER_MODE_CTR, WITH_COUNTER, 0},  {"cfb", GCRY_CIPHER_MODE_CFB, WITH_NONCE, 0},
    {"ofb", GCRY_CIPHER_MODE_OFB, WITH_NONCE, 0},
};

struct other_cipher {
    const char *name;
    const char *gcrypt;
    int mode;
    enum start start;
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    uint64_t flags;
    uint64_t max_bytes;
};

static const struct other_cipher other_ciphers[] = {
    /* libgcrypt accepts data units of at most 2^20 blocks; IEEE 1619 requires at least one. */
    {"aes-128-xts", "AES", GCRY_CIPHER_MODE_XTS, WITH_NONCE, 32, 16, 0, 1ull << 24},
    {"aes-256-xts", "AES256", GCRY_CIPHER_MODE_XTS, WITH_NONCE, 64, 16, 0, 1ull << 24},
    {"chacha20", "CHACHA20", GCRY_CIPHER_MODE_STREAM, WITH_NONCE, 32, 12, 0, 1ull << 38},
    {"salsa20", "SALSA20", GCRY_CIPHER_MODE_STREAM, WITH_NONCE, 32, 8, 0, 0},
    {"salsa20-12", "SALSA20R12", GCRY_CIPHER_MODE_STREAM, WITH_NONCE, 32, 8, 0, 0},
    {"rc4", "ARCFOUR", GCRY_CIPHER_MODE_STREAM, FROM_INITIAL_STATE, 16, 0, AEADLAB_HISTORICAL, 0},
};

/* The target of algorithm->data. */
struct cipher {
    int algorithm;
    int mode;
    enum start start;
    uint32_t nonce_bytes;
};

struct context {
    gcry_cipher_hd_t handle;
    enum start start;
    uint32_t nonce_bytes;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    const struct cipher *cipher = algorithm->data;
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *new = malloc(sizeof *new);
    if (!new) {
        return AEADLAB_INTERNAL;
    }
    new->start = cipher->start;
    new->nonce_bytes = cipher->nonce_bytes;
    const int32_t result = keyed_cipher(&new->handle, cipher->algorithm, cipher->mode, key, key_bytes);
    if (result != AEADLAB_OK) {
        free(new);
        return result;
    }
    *context = new;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    /* libgcrypt wipes a handle on closing. */
    gcry_cipher_close(((struct context *)context)->handle);
    free(context);
}

static gcry_error_t start(const struct context *c, const uint8_t *nonce, size_t nonce_bytes) {
    if (nonce_bytes != c->nonce_bytes) {
        return gcry_error(GPG_ERR_INV_LENGTH);
    }
    switch (c->start) {
    case WITH_NONCE:
        return gcry_cipher_setiv(c->handle, nonce, nonce_bytes);
    case WITH_COUNTER:
        return gcry_cipher_setctr(c->handle, nonce, nonce_bytes);
    case FROM_INITIAL_STATE:
        return gcry_cipher_reset(c->handle);
    default:
        return 0;
    }
}

static int32_t encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    const struct context *c = context;
    const gcry_error_t error = start(c, nonce, nonce_bytes);
    return status(error ? error : gcry_cipher_encrypt(c->handle, out, bytes, in, bytes));
}

static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                       uint8_t *out) {
    const struct context *c = context;
    const gcry_error_t error = start(c, nonce, nonce_bytes);
    return status(error ? error : gcry_cipher_decrypt(c->handle, out, bytes, in, bytes));
}

/* Add a row; `row` has the fields that differ between ciphers. */
static void add(struct rows *rows, aeadlab_algorithm row, const struct cipher *cipher, const char *name,
                const char *mode) {
    if (!has_mode(cipher->algorithm, cipher->mode)) {
        return;
    }
    row.flags |= AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE;
    row.kind = AEADLAB_CIPHER;
    row.nonce_bytes = cipher->nonce_bytes;
    row.key_new = key_new;
    row.key_free = key_free;
    row.encrypt = encrypt;
    row.decrypt = decrypt;
    rows_add(rows, &row, cipher, sizeof *cipher, "%s%s", name, mode);
}

void add_ciphers(struct rows *rows) {
    for (size_t i = 0; i < BLOCK_CIPHERS; i++) {
        const struct block_cipher *block = &block_ciphers[i];
        for (size_t j = 0; j < COUNT(modes); j++) {
            const struct cipher cipher = {
                .algorithm = gcry_cipher_map_name(block->gcrypt),
                .mode = modes[j].gcrypt,
                .start = modes[j].start,
                .nonce_bytes = modes[j].start == WITHOUT_NONCE ? 0 : block->block_bytes,
            };
            const aeadlab_algorithm row = {
                .flags = block->flags,
                .key_bytes = block->key_bytes,
                .block_bytes = modes[j].whole_blocks ? block->block_bytes : 1,
            };
            char mode[8];
            snprintf(mode, sizeof mode, "-%s", modes[j].name);
            add(rows, row, &cipher, block->name, mode);
        }
    }
    for (size_t i = 0; i < COUNT(other_ciphers); i++) {
        const struct other_cipher *other = &other_ciphers[i];
        const struct cipher cipher = {
            .algorithm = gcry_cipher_map_name(other->gcrypt),
            .mode = other->mode,
            .start = other->start,
            .nonce_bytes = other->nonce_bytes,
        };
        const aeadlab_algorithm row = {
            .flags = other->flags,
            .key_bytes = other->key_bytes,
            .max_bytes = other->max_bytes,
        };
        add(rows, row, &cipher, other->name, "");
    }
}

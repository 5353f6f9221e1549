/*
 * AES-128-CTR with lookup tables, the kind of code that Tor had in 2007, for the study `cells`. Not constant-time: do
 * not use it to protect data.
 */
#include "../rows.h"
#include "plugin.h"

uint32_t rijndael_tables[4][256];
uint8_t rijndael_sbox[256];

static uint8_t multiply_by_2(uint8_t byte) {
    return (uint8_t)(byte << 1 ^ (byte & 0x80 ? 0x1b : 0));
}

static uint8_t rotate(uint8_t byte, int by) {
    return (uint8_t)(byte << by | byte >> (8 - by));
}

/* FIPS 197 section 5.1.1: the inverse in GF(2^8), then an affine map. The powers of 3 are all elements but 0, and the
 * powers of its inverse 0xf6 are their inverses. */
static void make_tables(void) {
    uint8_t power = 1, inverse = 1;
    rijndael_sbox[0] = 0x63;
    do {
        power ^= multiply_by_2(power);
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        rijndael_sbox[power] =
            inverse ^ rotate(inverse, 1) ^ rotate(inverse, 2) ^ rotate(inverse, 3) ^ rotate(inverse, 4) ^ 0x63;
    } while (power != 1);
    for (int i = 0; i < 256; i++) {
        const uint8_t s = rijndael_sbox[i], s2 = multiply_by_2(s), s3 = (uint8_t)(s2 ^ s);
        const uint32_t word = (uint32_t)s2 << 24 | (uint32_t)s << 16 | (uint32_t)s << 8 | s3;
        for (int j = 0; j < 4; j++) {
            rijndael_tables[j][i] = j ? word >> 8 * j | word << (32 - 8 * j) : word;
        }
    }
}

static uint32_t substitute(uint32_t word) {
    uint32_t result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        result |= (uint32_t)rijndael_sbox[word >> shift & 255] << shift;
    }
    return result;
}

/* FIPS 197 section 5.2. */
static void expand(struct schedule *schedule, const uint8_t key[BLOCK]) {
    uint32_t *w = schedule->words;
    schedule->rounds = ROUNDS;
    for (int i = 0; i < 4; i++) {
        w[i] = load(key + 4 * i);
    }
    uint8_t constant = 1;
    for (int i = 4; i < WORDS; i++) {
        uint32_t word = w[i - 1];
        if (i % 4 == 0) {
            word = substitute(word << 8 | word >> 24) ^ (uint32_t)constant << 24;
            constant = multiply_by_2(constant);
        }
        w[i] = w[i - 4] ^ word;
    }
}

struct context {
    struct schedule schedule;
    rijndael_variant *variant;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **new_context) {
    if (key_bytes != BLOCK) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *context = malloc(sizeof *context);
    if (!context) {
        return AEADLAB_INTERNAL;
    }
    expand(&context->schedule, key);
    context->variant = *(rijndael_variant *const *)algorithm->data;
    *new_context = context;
    return AEADLAB_OK;
}

static void key_free(void *context) {
    explicit_bzero(context, sizeof(struct context));
    free(context);
}

static int32_t crypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                     uint8_t *out) {
    if (nonce_bytes != BLOCK) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *c = context;
    c->variant(&c->schedule, nonce, in, bytes, out);
    return AEADLAB_OK;
}

static void add(struct rows *rows, rijndael_variant *variant, const char *name, int level) {
    const aeadlab_algorithm model = {
        /* The build text of the library has -O3 -march=native, as that of all plugins; the variants have neither. */
        .kernel = level == 2 ? "tables of 4 KiB, -O2, any CPU" : "tables of 4 KiB, -O3, any CPU",
        .flags = AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_HISTORICAL,
        .kind = AEADLAB_CIPHER,
        .key_bytes = BLOCK,
        .nonce_bytes = BLOCK,
        .key_new = key_new,
        .key_free = key_free,
        .encrypt = crypt,
        .decrypt = crypt,
    };
    rows_add(rows, &model, &variant, sizeof variant, "aes-128-ctr.%s-o%d", name, level);
}

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    if (rows.count == 0) {
        make_tables();
        for (int level = 2; level <= 3; level++) {
            const struct rijndael_variants *variants = level == 2 ? &rijndael_variants_o2 : &rijndael_variants_o3;
            add(&rows, variants->plain, "plain", level);
            add(&rows, variants->counter_optimization, "counter-optimization", level);
            add(&rows, variants->full_unroll, "full-unroll", level);
        }
    }
    return rows_describe(&rows, &library, "rijndael", "1");
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "none: it is portable C that uses no CPU features";
}

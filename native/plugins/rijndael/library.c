/*
 * AES-128-CTR by tables, written for the study of cells: what Tor's messages took in 2007. For comparison only, since
 * it is not constant-time.
 */
#include "../rows.h"
#include "rijndael.h"

uint32_t rijndael_tables[4][256];
uint8_t rijndael_sbox[256];

static uint8_t twice(uint8_t byte) {
    return (uint8_t)(byte << 1 ^ (byte & 0x80 ? 0x1b : 0));
}

static uint8_t rotated(uint8_t byte, int by) {
    return (uint8_t)(byte << by | byte >> (8 - by));
}

/* FIPS 197 section 5.1.1: the inverse in GF(2^8), then an affine map. Powers of 3 go through all but 0, and those of
 * its inverse 0xf6 through their inverses. */
static void make_tables(void) {
    uint8_t power = 1, inverse = 1;
    rijndael_sbox[0] = 0x63;
    do {
        power ^= twice(power);
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        rijndael_sbox[power] =
            inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^ rotated(inverse, 4) ^ 0x63;
    } while (power != 1);
    for (int i = 0; i < 256; i++) {
        const uint8_t s = rijndael_sbox[i], s2 = twice(s), s3 = (uint8_t)(s2 ^ s);
        const uint32_t word = (uint32_t)s2 << 24 | (uint32_t)s << 16 | (uint32_t)s << 8 | s3;
        for (int j = 0; j < 4; j++) {
            rijndael_tables[j][i] = j ? word >> 8 * j | word << (32 - 8 * j) : word;
        }
    }
}

static uint32_t substituted(uint32_t word) {
    uint32_t found = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        found |= (uint32_t)rijndael_sbox[word >> shift & 255] << shift;
    }
    return found;
}

/* FIPS 197 section 5.2. */
static void expand(struct schedule *schedule, const uint8_t key[BLOCK]) {
    uint32_t *w = schedule->words;
    for (int i = 0; i < 4; i++) {
        w[i] = (uint32_t)key[4 * i] << 24 | (uint32_t)key[4 * i + 1] << 16 | (uint32_t)key[4 * i + 2] << 8 |
               key[4 * i + 3];
    }
    uint8_t constant = 1;
    for (int i = 4; i < WORDS; i++) {
        uint32_t word = w[i - 1];
        if (i % 4 == 0) {
            word = substituted(word << 8 | word >> 24) ^ (uint32_t)constant << 24;
            constant = twice(constant);
        }
        w[i] = w[i - 4] ^ word;
    }
}

struct context {
    struct schedule schedule;
    rijndael_way *way;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    if (key_bytes != BLOCK) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct context *context = malloc(sizeof *context);
    if (!context) {
        return AEADLAB_INTERNAL;
    }
    expand(&context->schedule, key);
    context->way = *(rijndael_way *const *)algorithm->data;
    *made = context;
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
    const struct context *c = context;
    c->way(&c->schedule, nonce, in, bytes, out);
    return AEADLAB_OK;
}

static void add(struct rows *rows, rijndael_way *way, const char *name, int level) {
    const aeadlab_algorithm model = {
        /* What the library as a whole was built with says -O3, as of all plugins. */
        .kernel = level == 2 ? "tables of 4 KiB, compiled with -O2" : "tables of 4 KiB, compiled with -O3",
        .flags = AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_HISTORICAL,
        .kind = AEADLAB_CIPHER,
        .key_bytes = BLOCK,
        .nonce_bytes = BLOCK,
        .key_new = key_new,
        .key_free = key_free,
        .encrypt = crypt,
        .decrypt = crypt,
    };
    rows_add(rows, &model, &way, sizeof way, "aes-128-ctr.%s-o%d", name, level);
}

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    if (rows.count == 0) {
        make_tables();
        for (int level = 2; level <= 3; level++) {
            const struct rijndael_ways *ways = level == 2 ? &rijndael_ways_o2 : &rijndael_ways_o3;
            add(&rows, ways->plain, "plain", level);
            add(&rows, ways->counter_optimization, "counter-optimization", level);
            add(&rows, ways->full_unroll, "full-unroll", level);
        }
    }
    return rows_describe(&rows, &library, "rijndael", "1");
}

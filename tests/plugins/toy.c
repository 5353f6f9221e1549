/*
 * A plugin for tests: library "toy" with the AEAD "xor-tag", whose keystream and tag depend on every bit and protect
 * nothing. Each macro below adds one fault when defined on the command line of the compiler.
 */
#include "aeadlab.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef LIBRARY
#define LIBRARY "toy"
#endif
#ifndef ALGORITHM
#define ALGORITHM "xor-tag"
#endif
#ifndef VERSION
#define VERSION "1.2.3"
#endif
#ifndef ABI
#define ABI AEADLAB_ABI_VERSION
#endif
#ifndef FLAGS
#define FLAGS (AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE)
#endif
#ifndef KIND
#define KIND AEADLAB_AEAD
#endif
#ifndef BLOCK_BYTES
#define BLOCK_BYTES 1
#endif
#ifndef NONCE_BYTES
#define NONCE_BYTES 12
#endif
#ifndef TAG_BYTES
#define TAG_BYTES 16
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(aeadlab_algorithm)
#endif
#ifndef LIBRARY_SIZE
#define LIBRARY_SIZE sizeof(aeadlab_library)
#endif
#ifndef DESCRIBED_KEY_BYTES
#define DESCRIBED_KEY_BYTES KEY_BYTES
#endif
#ifndef MAX_BYTES
#define MAX_BYTES 0
#endif
#ifndef MAX_AD_BYTES
#define MAX_AD_BYTES 0
#endif
#ifndef COUNT
#define COUNT 1
#endif
/* The array of the descriptor, an entry of the array, and functions of the entry. */
#ifndef ALGORITHMS
#define ALGORITHMS algorithms
#endif
#ifndef ENTRY
#define ENTRY &toy
#endif
#ifndef KEY_NEW
#define KEY_NEW key_new
#endif
#ifndef SEAL
#define SEAL seal
#endif
#ifndef DIGEST
#define DIGEST NULL
#endif
/* Statements executed at load time, before each message, after each key set-up, and after each sealed message. */
#ifndef ON_LOAD
#define ON_LOAD
#endif
#ifndef ON_MESSAGE
#define ON_MESSAGE
#endif
#ifndef ON_KEYED
#define ON_KEYED
#endif
#ifndef ON_SEALED
#define ON_SEALED
#endif
/* Results of `seal`, and of `open` for a wrong tag. */
#ifndef SEALED
#define SEALED AEADLAB_OK
#endif
#ifndef FORGED
#define FORGED AEADLAB_AUTH_FAILED
#endif

/* Functions of runs of blocks, and statements executed after each sealed run and after each opened one. */
#ifndef SEAL_MANY
#define SEAL_MANY NULL
#endif
#ifndef OPEN_MANY
#define OPEN_MANY NULL
#endif
#ifndef ON_SEALED_MANY
#define ON_SEALED_MANY
#endif
#ifndef ON_OPENED_MANY
#define ON_OPENED_MANY
#endif

enum { KEY_BYTES = 32 };

#ifdef SETTINGS
/* Appends an event to a file that the test reads. */
static void record(const char *event, size_t number) {
    const char *path = getenv("TOY_LOG");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL) return;
    fprintf(file, "%s %zu\n", event, number);
    fclose(file);
}

int32_t aeadlab_set_threads(size_t threads) {
    record("threads", threads);
    return threads == 7 ? AEADLAB_BAD_ARGUMENT : AEADLAB_OK;
}

int32_t aeadlab_set_block_size(size_t bytes) {
    record("blocks", bytes);
    return bytes == 7 ? AEADLAB_BAD_ARGUMENT : AEADLAB_OK;
}
#endif

#ifdef FEATURE_SWITCH
const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return FEATURE_SWITCH;
}
#endif

typedef struct {
    uint8_t key[KEY_BYTES];
} context;

/* FNV-1a: a changed byte changes the result for every suffix. */
static uint64_t absorb(uint64_t state, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) state = (state ^ bytes[i]) * 1099511628211u;
    return state;
}

static void tag_of(const context *c, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                   const uint8_t *text, size_t bytes, uint8_t tag[16]) {
    const uint64_t lengths[2] = {ad_bytes, bytes};
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t state = absorb(14695981039346656037u + half, c->key, KEY_BYTES);
        state = absorb(state, nonce, nonce_bytes);
        state = absorb(state, (const uint8_t *)lengths, sizeof lengths);
        state = absorb(absorb(state, ad, ad_bytes), text, bytes);
        memcpy(tag + 8 * half, &state, 8);
    }
}

static void mix(const context *c, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                uint8_t *out) {
    const uint8_t from_nonce = (uint8_t)absorb(1, nonce, nonce_bytes);
    for (size_t i = 0; i < bytes; i++) out[i] = in[i] ^ c->key[i % KEY_BYTES] ^ from_nonce ^ (uint8_t)(i / KEY_BYTES);
}

static const aeadlab_algorithm toy;

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    /* The host may not pass a copy of the entry. */
    if (algorithm != &toy) return AEADLAB_BAD_ARGUMENT;
    context *c = malloc(sizeof *c);
    if (c == NULL) return AEADLAB_INTERNAL;
    memcpy(c->key, key, key_bytes);
    *made = c;
    ON_KEYED;
    return AEADLAB_OK;
}

static void key_free(void *context) { free(context); }

static int32_t seal(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    ON_MESSAGE;
    mix(made, nonce, nonce_bytes, in, bytes, out);
    tag_of(made, nonce, nonce_bytes, ad, ad_bytes, out, bytes, tag);
    ON_SEALED;
    return SEALED;
}

static int32_t open_(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                     const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    ON_MESSAGE;
    uint8_t right[16];
    tag_of(made, nonce, nonce_bytes, ad, ad_bytes, in, bytes, right);
    mix(made, nonce, nonce_bytes, in, bytes, out);
    return memcmp(right, tag, sizeof right) == 0 ? AEADLAB_OK : FORGED;
}

/* Seals or opens a run block by block. */
static inline int32_t run(void *made, const aeadlab_blocks *b, int opening) {
    uint8_t nonce[NONCE_BYTES];
    memcpy(nonce, b->nonce, b->nonce_bytes);
    uint8_t *index = nonce + b->nonce_bytes - 5;
    const uint32_t first = (uint32_t)index[0] << 24 | (uint32_t)index[1] << 16 | (uint32_t)index[2] << 8 | index[3];
    int32_t status = AEADLAB_OK;
    for (size_t i = 0; i < b->count; i++) {
        const int last = i + 1 == b->count;
        for (int byte = 0; byte < 4; byte++) index[byte] = (uint8_t)((first + (uint32_t)i) >> (24 - 8 * byte));
        index[4] = last ? (uint8_t)b->last : 0;
        const uint8_t *in = b->in + i * b->in_stride;
        uint8_t *out = b->out + i * b->out_stride, *tag = b->tags + i * b->tag_stride;
        const size_t bytes = last ? b->last_bytes : b->block_bytes, ad_bytes = i == 0 ? b->ad_bytes : 0;
        const int32_t one = opening ? open_(made, nonce, b->nonce_bytes, b->ad, ad_bytes, in, bytes, out, tag)
                                    : seal(made, nonce, b->nonce_bytes, b->ad, ad_bytes, in, bytes, out, tag);
        if (one != AEADLAB_OK) status = one;
    }
    return status;
}

static inline int32_t seal_many(void *made, const aeadlab_blocks *b) {
    const int32_t status = run(made, b, 0);
    ON_SEALED_MANY;
    return status;
}

static inline int32_t open_many(void *made, const aeadlab_blocks *b) {
    int32_t status = run(made, b, 1);
    ON_OPENED_MANY;
    return status;
}

static const aeadlab_algorithm toy = {
    .struct_size = STRUCT_SIZE,
    .name = ALGORITHM,
    .kernel = "portable C",
    .flags = FLAGS | AEADLAB_RESEARCH,
    .kind = KIND,
    .key_bytes = DESCRIBED_KEY_BYTES,
    .nonce_bytes = NONCE_BYTES,
    .tag_bytes = TAG_BYTES,
    .block_bytes = BLOCK_BYTES,
    .max_ad_bytes = MAX_AD_BYTES,
    .max_bytes = MAX_BYTES,
    .key_new = KEY_NEW,
    .key_free = key_free,
    .seal = SEAL,
    .open = open_,
    .digest = DIGEST,
    .seal_many = SEAL_MANY,
    .open_many = OPEN_MANY,
};

static const aeadlab_algorithm *const algorithms[] = {ENTRY, ENTRY};

static const aeadlab_library library = {
    .abi_version = ABI,
    .struct_size = LIBRARY_SIZE,
    .name = LIBRARY,
    .version = VERSION,
    .build = "for tests",
    .algorithm_count = COUNT,
    .algorithms = ALGORITHMS,
};

const aeadlab_library *aeadlab_library_v1(void) {
    ON_LOAD;
    return &library;
}

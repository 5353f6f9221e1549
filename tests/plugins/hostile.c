/*
 * Plugins that break the contract of aeadlab.h, one algorithm for each fault in the table at the end. Keystream and tag
 * are those of toy.c: they depend on every bit and protect nothing. The rows with NONE are correct.
 */
#include "aeadlab.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 32, NONCE_BYTES = 12, TAG_BYTES = 16, STATIC_BYTES = 1 << 12, ONE_LENGTH = 513 };

typedef enum {
    NONE,
    WRITES_KEY,
    WRITES_NONCE,
    WRITES_AD,
    WRITES_INPUT,
    RESTORES_INPUT,
    WRITES_INPUT_ON_OPEN,
    WRITES_TAG_ON_OPEN,
    READS_BEHIND_KEY,
    READS_BEHIND_NONCE,
    READS_BEHIND_AD,
    READS_BEHIND_INPUT,
    READS_BEFORE_INPUT,
    READS_BEHIND_TAG_ON_OPEN,
    WRITES_BEHIND_OUTPUT,
    WRITES_BEFORE_OUTPUT,
    WRITES_BEHIND_TAG,
    CLEARS_OUTPUT_FIRST,
    WRONG_IN_PLACE_AT_ONE_LENGTH,
    OPENS_IN_PLACE_WRONGLY,
    WRONG_WITH_THE_TAG_BEHIND,
    ACCEPTS_FORGERIES_IN_PLACE,
    STATIC_BUFFER,
    STATIC_KEY,
    REMEMBERS_THE_MESSAGE,
    RELEASES_PLAINTEXT,
    KEEPS_THE_KEY_POINTER,
} fault;

typedef struct {
    uint8_t key[KEY_BYTES];
    fault fault;
    uint8_t memory;
    uint64_t position;
    const uint8_t *given_key;
} context;

static uint8_t static_key[KEY_BYTES];
static uint8_t static_buffer[STATIC_BYTES];

static const uint8_t *key_of(const context *c) {
    return c->fault == STATIC_KEY ? static_key : c->fault == KEEPS_THE_KEY_POINTER ? c->given_key : c->key;
}

static void touch(const uint8_t *byte) { *(volatile uint8_t *)(uintptr_t)byte ^= 1; }

/* Makes the time in which static data are used longer than the rest of a call. */
static void linger(void) {
    for (volatile int i = 0; i < 10000; i++) {}
}

static void look(const uint8_t *byte) { (void)*(const volatile uint8_t *)byte; }

/* FNV-1a: a changed byte changes the result for every suffix. */
static uint64_t absorb(uint64_t state, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) state = (state ^ bytes[i]) * 1099511628211u;
    return state;
}

static void tag_of(const context *c, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                   const uint8_t *text, size_t bytes, uint8_t tag[TAG_BYTES]) {
    const uint64_t lengths[2] = {ad_bytes, bytes};
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t state = absorb(14695981039346656037u + half, key_of(c), KEY_BYTES);
        state = absorb(absorb(state, nonce, nonce_bytes), (const uint8_t *)lengths, sizeof lengths);
        state = absorb(absorb(state, ad, ad_bytes), text, bytes);
        memcpy(tag + 8 * half, &state, 8);
    }
}

static void mix(context *c, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes, uint8_t *out) {
    const uint8_t *key = key_of(c);
    uint8_t start = (uint8_t)absorb(1, nonce, nonce_bytes);
    if (c->fault == REMEMBERS_THE_MESSAGE) start ^= c->memory;
    uint8_t *to = c->fault == STATIC_BUFFER && bytes <= STATIC_BYTES ? static_buffer : out;
    for (size_t i = 0; i < bytes; i++) to[i] = in[i] ^ key[i % KEY_BYTES] ^ start ^ (uint8_t)(i / KEY_BYTES);
    if (to == out) return;
    linger();
    memcpy(out, to, bytes);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    context *c = calloc(1, sizeof *c);
    if (c == NULL) return AEADLAB_INTERNAL;
    c->fault = *(const fault *)algorithm->data;
    if (key_bytes > 0) memcpy(c->key, key, key_bytes);
    c->given_key = key;
    memcpy(static_key, c->key, KEY_BYTES);
    if (c->fault == WRITES_KEY) touch(key);
    if (c->fault == READS_BEHIND_KEY) look(key + key_bytes);
    *made = c;
    return AEADLAB_OK;
}

static void key_free(void *made) { free(made); }

/* The faults that all kinds have in common. */
static void before(const context *c, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                   const uint8_t *in, size_t bytes) {
    if (c->fault == WRITES_NONCE) touch(nonce);
    if (c->fault == READS_BEHIND_NONCE) look(nonce + nonce_bytes);
    if (c->fault == WRITES_AD && ad_bytes > 0) touch(ad);
    if (c->fault == READS_BEHIND_AD) look(ad + ad_bytes);
    if (c->fault == WRITES_INPUT && bytes > 0) touch(in);
    if (c->fault == RESTORES_INPUT && bytes > 0) touch(in), touch(in);
    if (c->fault == READS_BEHIND_INPUT) look(in + bytes);
    if (c->fault == READS_BEFORE_INPUT) look(in - 1);
}

static void before_output(const context *c, const uint8_t *in, uint8_t *out, size_t bytes) {
    if (c->fault == CLEARS_OUTPUT_FIRST) memset(out, 0, bytes);
    if (c->fault == WRITES_BEHIND_OUTPUT) touch(out + bytes);
    if (c->fault == WRITES_BEFORE_OUTPUT) touch(out - 1);
    if (c->fault == WRONG_IN_PLACE_AT_ONE_LENGTH && in == out && bytes == ONE_LENGTH) out[bytes - 1] ^= 1;
}

static int32_t seal(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    context *c = made;
    before(c, nonce, nonce_bytes, ad, ad_bytes, in, bytes);
    before_output(c, in, out, bytes);
    const uint8_t last = bytes > 0 ? in[bytes - 1] : 0;
    mix(c, nonce, nonce_bytes, in, bytes, out);
    c->memory = last;
    if (c->fault == WRONG_WITH_THE_TAG_BEHIND && tag == out + bytes && bytes > 0) out[0] ^= 1;
    tag_of(c, nonce, nonce_bytes, ad, ad_bytes, out, bytes, tag);
    if (c->fault == WRITES_BEHIND_TAG) touch(tag + TAG_BYTES);
    return AEADLAB_OK;
}

static int32_t open_(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                     const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    context *c = made;
    uint8_t right[TAG_BYTES];
    before(c, nonce, nonce_bytes, ad, ad_bytes, in, bytes);
    if (c->fault == WRITES_INPUT_ON_OPEN && bytes > 0 && in != out) touch(in);
    if (c->fault == WRITES_TAG_ON_OPEN) touch(tag);
    if (c->fault == READS_BEHIND_TAG_ON_OPEN) look(tag + TAG_BYTES);
    tag_of(c, nonce, nonce_bytes, ad, ad_bytes, in, bytes, right);
    const int forged = memcmp(right, tag, TAG_BYTES) != 0;
    if (forged && c->fault == ACCEPTS_FORGERIES_IN_PLACE && in == out) return AEADLAB_OK;
    if (forged && c->fault != RELEASES_PLAINTEXT) return AEADLAB_AUTH_FAILED;
    mix(c, nonce, nonce_bytes, in, bytes, out);
    if (c->fault == OPENS_IN_PLACE_WRONGLY && in == out && bytes > 0) out[bytes - 1] ^= 1;
    return forged ? AEADLAB_AUTH_FAILED : AEADLAB_OK;
}

static int32_t crypt(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                     uint8_t *out) {
    before(made, nonce, nonce_bytes, NULL, 0, in, bytes);
    before_output(made, in, out, bytes);
    mix(made, nonce, nonce_bytes, in, bytes, out);
    return AEADLAB_OK;
}

static int32_t digest(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                      uint8_t *tag) {
    context *c = made;
    before(c, nonce, nonce_bytes, NULL, 0, in, bytes);
    uint8_t *to = c->fault == STATIC_BUFFER ? static_buffer : tag;
    tag_of(c, nonce, nonce_bytes, NULL, 0, in, bytes, to);
    if (c->fault == REMEMBERS_THE_MESSAGE) to[0] ^= c->memory;
    c->memory = bytes > 0 ? in[bytes - 1] : 0;
    if (to != tag) {
        linger();
        memcpy(tag, to, TAG_BYTES);
    }
    if (c->fault == WRITES_BEHIND_TAG) touch(tag + TAG_BYTES);
    return AEADLAB_OK;
}

static int32_t generate(void *made, uint8_t *out, size_t bytes) {
    context *c = made;
    before_output(c, NULL, out, bytes);
    for (size_t i = 0; i < bytes; i++, c->position++) {
        /* SplitMix64 of the position: its bytes pass the tests of randomness. */
        uint64_t word = absorb(1, key_of(c), KEY_BYTES) + c->position * 0x9e3779b97f4a7c15u;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
        out[i] = (uint8_t)(word >> 56);
    }
    return AEADLAB_OK;
}

#define ROW(NAME, FAULT, FLAGS, ...)                                                                                   \
    static const fault NAME##_fault = FAULT;                                                                           \
    static const aeadlab_algorithm NAME = {                                                                            \
        .struct_size = sizeof(aeadlab_algorithm), .name = #NAME, .data = &NAME##_fault, .block_bytes = 1,               \
        .flags = AEADLAB_RESEARCH | AEADLAB_THREAD_SAFE | (FLAGS), .key_new = key_new, .key_free = key_free, __VA_ARGS__ \
    };
#define AEAD(NAME, FAULT)                                                                                              \
    ROW(aead_##NAME, FAULT, AEADLAB_IN_PLACE, .kind = AEADLAB_AEAD, .key_bytes = KEY_BYTES, .nonce_bytes = NONCE_BYTES, \
        .tag_bytes = TAG_BYTES, .seal = seal, .open = open_)
#define CIPHER(NAME, FAULT)                                                                                            \
    ROW(cipher_##NAME, FAULT, AEADLAB_IN_PLACE, .kind = AEADLAB_CIPHER, .key_bytes = KEY_BYTES,                         \
        .nonce_bytes = NONCE_BYTES, .encrypt = crypt, .decrypt = crypt)
#define MAC(NAME, FAULT)                                                                                               \
    ROW(mac_##NAME, FAULT, 0, .kind = AEADLAB_MAC, .key_bytes = KEY_BYTES, .nonce_bytes = NONCE_BYTES,                  \
        .tag_bytes = TAG_BYTES, .digest = digest)
#define HASH(NAME, FAULT)                                                                                              \
    ROW(hash_##NAME, FAULT, 0, .kind = AEADLAB_HASH, .tag_bytes = TAG_BYTES, .digest = digest)
#define GENERATOR(NAME, FAULT)                                                                                         \
    ROW(generator_##NAME, FAULT, 0, .kind = AEADLAB_GENERATOR, .key_bytes = KEY_BYTES, .generate = generate)

/* The table: kind, name and fault. The name of an algorithm is that of its kind and row: "aead_writes_key". */
#define TABLE(X)                                                                                                       \
    X(AEAD, aead, correct, NONE)                                                                                       \
    X(AEAD, aead, releases_plaintext, RELEASES_PLAINTEXT)                                                              \
    X(AEAD, aead, writes_key, WRITES_KEY)                                                                              \
    X(AEAD, aead, writes_nonce, WRITES_NONCE)                                                                          \
    X(AEAD, aead, writes_associated_data, WRITES_AD)                                                                   \
    X(AEAD, aead, writes_input, WRITES_INPUT)                                                                          \
    X(AEAD, aead, restores_input, RESTORES_INPUT)                                                                      \
    X(AEAD, aead, writes_input_on_open, WRITES_INPUT_ON_OPEN)                                                          \
    X(AEAD, aead, writes_tag_on_open, WRITES_TAG_ON_OPEN)                                                              \
    X(AEAD, aead, reads_behind_key, READS_BEHIND_KEY)                                                                  \
    X(AEAD, aead, reads_behind_nonce, READS_BEHIND_NONCE)                                                              \
    X(AEAD, aead, reads_behind_associated_data, READS_BEHIND_AD)                                                       \
    X(AEAD, aead, reads_behind_input, READS_BEHIND_INPUT)                                                              \
    X(AEAD, aead, reads_before_input, READS_BEFORE_INPUT)                                                              \
    X(AEAD, aead, reads_behind_tag_on_open, READS_BEHIND_TAG_ON_OPEN)                                                  \
    X(AEAD, aead, writes_behind_output, WRITES_BEHIND_OUTPUT)                                                          \
    X(AEAD, aead, writes_before_output, WRITES_BEFORE_OUTPUT)                                                          \
    X(AEAD, aead, writes_behind_tag, WRITES_BEHIND_TAG)                                                                \
    X(AEAD, aead, clears_output_first, CLEARS_OUTPUT_FIRST)                                                            \
    X(AEAD, aead, wrong_in_place_at_one_length, WRONG_IN_PLACE_AT_ONE_LENGTH)                                          \
    X(AEAD, aead, opens_in_place_wrongly, OPENS_IN_PLACE_WRONGLY)                                                      \
    X(AEAD, aead, wrong_with_the_tag_behind, WRONG_WITH_THE_TAG_BEHIND)                                                \
    X(AEAD, aead, accepts_forgeries_in_place, ACCEPTS_FORGERIES_IN_PLACE)                                              \
    X(AEAD, aead, static_buffer, STATIC_BUFFER)                                                                        \
    X(AEAD, aead, static_key, STATIC_KEY)                                                                              \
    X(AEAD, aead, remembers_the_message, REMEMBERS_THE_MESSAGE)                                                        \
    X(AEAD, aead, keeps_the_key_pointer, KEEPS_THE_KEY_POINTER)                                                        \
    X(CIPHER, cipher, correct, NONE)                                                                                   \
    X(CIPHER, cipher, writes_input, WRITES_INPUT)                                                                      \
    X(CIPHER, cipher, writes_nonce, WRITES_NONCE)                                                                      \
    X(CIPHER, cipher, clears_output_first, CLEARS_OUTPUT_FIRST)                                                        \
    X(CIPHER, cipher, wrong_in_place_at_one_length, WRONG_IN_PLACE_AT_ONE_LENGTH)                                      \
    X(CIPHER, cipher, static_buffer, STATIC_BUFFER)                                                                    \
    X(CIPHER, cipher, static_key, STATIC_KEY)                                                                          \
    X(MAC, mac, correct, NONE)                                                                                         \
    X(MAC, mac, writes_key, WRITES_KEY)                                                                                \
    X(MAC, mac, writes_nonce, WRITES_NONCE)                                                                            \
    X(MAC, mac, writes_input, WRITES_INPUT)                                                                            \
    X(MAC, mac, writes_behind_tag, WRITES_BEHIND_TAG)                                                                  \
    X(MAC, mac, static_buffer, STATIC_BUFFER)                                                                          \
    X(MAC, mac, keeps_the_key_pointer, KEEPS_THE_KEY_POINTER)                                                          \
    X(MAC, mac, remembers_the_message, REMEMBERS_THE_MESSAGE)                                                          \
    X(HASH, hash, correct, NONE)                                                                                       \
    X(HASH, hash, writes_input, WRITES_INPUT)                                                                          \
    X(HASH, hash, static_buffer, STATIC_BUFFER)                                                                        \
    X(GENERATOR, generator, correct, NONE)                                                                             \
    X(GENERATOR, generator, writes_key, WRITES_KEY)                                                                    \
    X(GENERATOR, generator, writes_before_output, WRITES_BEFORE_OUTPUT)                                                \
    X(GENERATOR, generator, static_key, STATIC_KEY)

#define DEFINE(MACRO, KIND, NAME, FAULT) MACRO(NAME, FAULT)
#define ADDRESS(MACRO, KIND, NAME, FAULT) &KIND##_##NAME,

TABLE(DEFINE)

static const aeadlab_algorithm *const algorithms[] = {TABLE(ADDRESS)};

static const aeadlab_library library = {
    .abi_version = AEADLAB_ABI_VERSION,
    .struct_size = sizeof(aeadlab_library),
    .name = "hostile",
    .version = "1",
    .build = "for tests",
    .algorithm_count = sizeof algorithms / sizeof *algorithms,
    .algorithms = algorithms,
};

const aeadlab_library *aeadlab_library_v1(void) { return &library; }

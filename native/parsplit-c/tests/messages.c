/*
 * Tests of the functions of parsplit.h for one standard message. Exits with the number of failed checks, and prints each
 * to stderr. Buffers have exactly the required lengths, so that valgrind detects accesses beyond them.
 *
 * `messages seal NAME KEY NONCE AD BYTES THREADS [PLUGIN ALGORITHM]` prints the ciphertext and the tag of the fixed
 * text of BYTES bytes, sealed whole, and fails unless parts and opening agree; the first three values are hexadecimal.
 */
#include "parsplit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            failures++;                                                                         \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, parsplit_last_error()); \
        }                                                                                       \
    } while (0)

static const uint8_t KEY[32] = {1, 2, 3}, NONCE[12] = {9}, AD[5] = "order";

static uint8_t *allocate(size_t bytes) {
    uint8_t *buffer = malloc(bytes ? bytes : 1);
    if (buffer == NULL) abort();
    for (size_t i = 0; i < bytes; i++) buffer[i] = (uint8_t)(i * 7);
    return buffer;
}

static int all_zero(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) return 0;
    }
    return 1;
}

static size_t decode(const char *text, uint8_t *bytes, size_t most) {
    size_t count = strlen(text) / 2;
    if (count > most) abort();
    for (size_t i = 0; i < count; i++) {
        unsigned value = 0;
        if (sscanf(text + 2 * i, "%2x", &value) != 1) abort();
        bytes[i] = (uint8_t)value;
    }
    return count;
}

static parsplit_message *new_message(const char *name) {
    parsplit_message_options options = PARSPLIT_MESSAGE_DEFAULTS;
    parsplit_message *handle = NULL;
    options.threads = 2;
    options.segment_bytes = 64;
    options.serial_below = 0;
    CHECK(parsplit_message_new(name, KEY, sizeof KEY, &options, &handle) == PARSPLIT_OK);
    return handle;
}

/* Seals by parts of 48 bytes, in random order, and compares with the whole message. */
static void test_parts(const parsplit_message *handle, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                       size_t ad_bytes, const uint8_t *text, size_t bytes, const uint8_t *sealed, const uint8_t *tag) {
    size_t part_bytes = 0, count = (bytes + 47) / 48;
    CHECK(parsplit_message_part_bytes(handle, &part_bytes) == PARSPLIT_OK);
    CHECK(part_bytes >= 48 && part_bytes <= PARSPLIT_MAX_PART_BYTES);
    uint8_t *out = allocate(bytes), *parts = allocate(count * part_bytes), computed[16];
    size_t *order = malloc((count ? count : 1) * sizeof *order);
    if (order == NULL) abort();
    for (size_t i = 0; i < count; i++) {
        size_t other = (size_t)rand() % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t place = 0; place < count; place++) {
        size_t i = order[place];
        size_t offset = 48 * i, length = bytes - offset < 48 ? bytes - offset : 48;
        CHECK(parsplit_message_seal_part(handle, nonce, nonce_bytes, ad, ad_bytes, bytes, offset, text + offset, length,
                                         out + offset, parts + place * part_bytes) == PARSPLIT_OK);
    }
    CHECK(parsplit_message_finish(handle, nonce, nonce_bytes, ad, ad_bytes, bytes, parts, count, computed)
          == PARSPLIT_OK);
    CHECK(memcmp(out, sealed, bytes) == 0 && memcmp(computed, tag, 16) == 0);
    free(out), free(parts), free(order);
}

static void test_message(const char *name) {
    enum { BYTES = 1000 };
    parsplit_message *handle = new_message(name);
    uint8_t *text = allocate(BYTES), *sealed = allocate(BYTES), *opened = allocate(BYTES), tag[16], wrong[16];
    CHECK(parsplit_message_seal(handle, NONCE, 12, AD, 5, text, BYTES, sealed, tag) == PARSPLIT_OK);
    CHECK(parsplit_message_open(handle, NONCE, 12, AD, 5, sealed, BYTES, opened, tag) == PARSPLIT_OK);
    CHECK(memcmp(opened, text, BYTES) == 0);
    test_parts(handle, NONCE, 12, AD, 5, text, BYTES, sealed, tag);
    /* Every bit of the tag. */
    for (int bit = 0; bit < 128; bit++) {
        memcpy(wrong, tag, 16);
        wrong[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(opened, 1, BYTES);
        CHECK(parsplit_message_open(handle, NONCE, 12, AD, 5, sealed, BYTES, opened, wrong) == PARSPLIT_AUTH_FAILED);
        CHECK(all_zero(opened, BYTES));
    }
    /* Every bit of a ciphertext of 20 bytes. */
    CHECK(parsplit_message_seal(handle, NONCE, 12, AD, 5, text, 20, sealed, tag) == PARSPLIT_OK);
    for (int bit = 0; bit < 160; bit++) {
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(opened, 1, 20);
        CHECK(parsplit_message_open(handle, NONCE, 12, AD, 5, sealed, 20, opened, tag) == PARSPLIT_AUTH_FAILED);
        CHECK(all_zero(opened, 20));
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    /* In place, and without text. */
    memcpy(opened, text, BYTES);
    CHECK(parsplit_message_seal(handle, NONCE, 12, AD, 5, opened, BYTES, opened, tag) == PARSPLIT_OK);
    CHECK(parsplit_message_open(handle, NONCE, 12, AD, 5, opened, BYTES, opened, tag) == PARSPLIT_OK);
    CHECK(memcmp(opened, text, BYTES) == 0);
    CHECK(parsplit_message_open(handle, NONCE, 12, AD, 4, opened, BYTES, opened, tag) == PARSPLIT_AUTH_FAILED);
    CHECK(all_zero(opened, BYTES));
    CHECK(parsplit_message_seal(handle, NONCE, 12, AD, 5, NULL, 0, NULL, tag) == PARSPLIT_OK);
    CHECK(parsplit_message_open(handle, NONCE, 12, AD, 5, NULL, 0, NULL, tag) == PARSPLIT_OK);
    CHECK(parsplit_message_open(handle, NONCE, 12, NULL, 0, NULL, 0, NULL, tag) == PARSPLIT_AUTH_FAILED);
    parsplit_message_free(handle);
    free(text), free(sealed), free(opened);
}

static int says(const char *text) { return strstr(parsplit_last_error(), text) != NULL; }

static void test_rejections(void) {
    parsplit_message *handle = new_message("aes-gcm"), *other = new_message("chacha20-poly1305"), *none = NULL;
    parsplit_message_options options = PARSPLIT_MESSAGE_DEFAULTS;
    uint8_t *text = allocate(100), *out = allocate(100), tag[16];
    const parsplit_message *own = handle;
#define SEAL(...) parsplit_message_seal(own, __VA_ARGS__)
    CHECK(parsplit_message_new("aes-ccm", KEY, 32, NULL, &none) == PARSPLIT_BAD_ARGUMENT && says("aes-ccm"));
    CHECK(parsplit_message_new(NULL, KEY, 32, NULL, &none) == PARSPLIT_BAD_ARGUMENT && says("name"));
    CHECK(parsplit_message_new("aes-gcm", KEY, 31, NULL, &none) == PARSPLIT_BAD_ARGUMENT && says("31"));
    CHECK(parsplit_message_new("aes-gcm", NULL, 32, NULL, &none) == PARSPLIT_BAD_ARGUMENT && says("NULL"));
    CHECK(parsplit_message_new("aes-gcm", KEY, 32, NULL, NULL) == PARSPLIT_BAD_ARGUMENT && says("NULL"));
    options.segment_bytes = 20;
    CHECK(parsplit_message_new("aes-gcm", KEY, 32, &options, &none) == PARSPLIT_BAD_ARGUMENT && says("20"));
    options.segment_bytes = 0, options.threads = 257;
    CHECK(parsplit_message_new("aes-gcm", KEY, 32, &options, &none) == PARSPLIT_BAD_ARGUMENT && says("257"));
    options.threads = 1, options.schedule = "none";
    CHECK(parsplit_message_new("aes-gcm", KEY, 32, &options, &none) == PARSPLIT_BAD_ARGUMENT && says("none"));
    options.struct_size = 8;
    CHECK(parsplit_message_new("aes-gcm", KEY, 32, &options, &none) == PARSPLIT_BAD_ARGUMENT
          && says("PARSPLIT_MESSAGE_DEFAULTS"));
    /* The built-in algorithm takes nonces of 12 bytes only. */
    CHECK(parsplit_message_of(parsplit_aes_256_gcm(), KEY, 32, NULL, &none) == PARSPLIT_BAD_ARGUMENT && says("16 bytes"));
    CHECK(parsplit_message_of(NULL, KEY, 32, NULL, &none) == PARSPLIT_BAD_ARGUMENT && says("NULL"));
    CHECK(none == NULL);
    CHECK(parsplit_message_seal(NULL, NONCE, 12, AD, 5, text, 100, out, tag) == PARSPLIT_BAD_ARGUMENT && says("NULL"));
    CHECK(SEAL(NONCE, 0, AD, 5, text, 100, out, tag) == PARSPLIT_BAD_ARGUMENT && says("nonce"));
    CHECK(parsplit_message_seal(other, NONCE, 11, AD, 5, text, 100, out, tag) == PARSPLIT_BAD_ARGUMENT && says("11"));
    CHECK(SEAL(NONCE, 12, AD, 5, NULL, 100, out, tag) == PARSPLIT_BAD_ARGUMENT && says("message"));
    CHECK(SEAL(NONCE, 12, AD, 5, text, 100, NULL, tag) == PARSPLIT_BAD_ARGUMENT && says("output"));
    CHECK(SEAL(NONCE, 12, AD, 5, text, 100, out, NULL) == PARSPLIT_BAD_ARGUMENT && says("tag"));
    CHECK(SEAL(NONCE, 12, NULL, 5, text, 100, out, tag) == PARSPLIT_BAD_ARGUMENT && says("associated data"));
    CHECK(SEAL(NONCE, 12, AD, 5, text, (size_t)-1, out, tag) == PARSPLIT_BAD_ARGUMENT && says("address space"));
    /* The limit precedes every access, so that no such memory is required. */
    CHECK(SEAL(NONCE, 12, NULL, 0, text, (size_t)68719476705, out, tag) == PARSPLIT_BAD_ARGUMENT && says("68719476704"));
    CHECK(SEAL(NONCE, 12, AD, 5, text, 99, text + 1, tag) == PARSPLIT_BAD_ARGUMENT && says("overlap"));
    CHECK(SEAL(NONCE, 12, AD, 5, text, 100, out, out + 90) == PARSPLIT_BAD_ARGUMENT && says("overlap"));
    CHECK(SEAL(out, 12, AD, 5, text, 100, out, tag) == PARSPLIT_BAD_ARGUMENT && says("overlap"));
    parsplit_message_interrupt(handle);
    CHECK(SEAL(NONCE, 12, AD, 5, text, 100, out, tag) == PARSPLIT_INTERRUPTED);
    parsplit_message_resume(handle);
    CHECK(SEAL(NONCE, 12, AD, 5, text, 100, out, tag) == PARSPLIT_OK);
    parsplit_message_interrupt(NULL), parsplit_message_resume(NULL), parsplit_message_free(NULL);
    parsplit_message_free(handle), parsplit_message_free(other);
    free(text), free(out);
}

static void test_wrong_parts(void) {
    enum { BYTES = 100, PART = 48 };
    parsplit_message *handle = new_message("aes-gcm");
    uint8_t *text = allocate(BYTES), *out = allocate(BYTES), *parts = allocate(3 * PART), tag[16];
#define SEAL_PART(offset, bytes, part) \
    parsplit_message_seal_part(handle, NONCE, 12, AD, 5, BYTES, offset, text + offset, bytes, out + offset, part)
#define FINISH(first, count) parsplit_message_finish(handle, NONCE, 12, AD, 5, BYTES, first, count, tag)
    CHECK(SEAL_PART(0, 48, parts) == PARSPLIT_OK && SEAL_PART(48, 52, parts + PART) == PARSPLIT_OK);
    CHECK(SEAL_PART(8, 16, parts) == PARSPLIT_BAD_ARGUMENT && says("multiples of 16"));
    CHECK(SEAL_PART(0, 20, parts) == PARSPLIT_BAD_ARGUMENT && says("multiples of 16"));
    CHECK(SEAL_PART(96, 5, parts) == PARSPLIT_BAD_ARGUMENT && says("after the message"));
    CHECK(SEAL_PART(0, 48, NULL) == PARSPLIT_BAD_ARGUMENT && says("part"));
    CHECK(parsplit_message_seal_part(handle, NONCE, 12, AD, 5, BYTES, 0, text, 48, text + 16, parts)
              == PARSPLIT_BAD_ARGUMENT
          && says("overlap"));
    CHECK(parsplit_message_seal_part(handle, NONCE, 12, AD, 5, UINT64_C(68719476705), 0, text, 48, out, parts)
              == PARSPLIT_BAD_ARGUMENT
          && says("68719476704"));
    CHECK(FINISH(parts, 1) == PARSPLIT_BAD_ARGUMENT && says("48 to 100"));
    CHECK(FINISH(parts + PART, 1) == PARSPLIT_BAD_ARGUMENT && says("0 to 48"));
    CHECK(FINISH(NULL, 0) == PARSPLIT_BAD_ARGUMENT && says("0 to 100"));
    CHECK(FINISH(NULL, 1) == PARSPLIT_BAD_ARGUMENT && says("NULL"));
    CHECK(FINISH(parts, SIZE_MAX / 2) == PARSPLIT_BAD_ARGUMENT && says("address space"));
    memcpy(parts + 2 * PART, parts, PART);
    CHECK(FINISH(parts, 3) == PARSPLIT_BAD_ARGUMENT && says("overlaps"));
    CHECK(SEAL_PART(32, 16, parts + 2 * PART) == PARSPLIT_OK);
    CHECK(FINISH(parts, 3) == PARSPLIT_BAD_ARGUMENT && says("overlaps"));
    CHECK(parsplit_message_seal_part(handle, NONCE, 11, AD, 5, BYTES, 48, text + 48, 52, out + 48, parts + 2 * PART)
          == PARSPLIT_OK);
    memcpy(parts + PART, parts + 2 * PART, PART);
    CHECK(FINISH(parts, 2) == PARSPLIT_BAD_ARGUMENT && says("another message"));
    parsplit_message_free(handle);
    free(text), free(out), free(parts);
}

static int seal(char **given, int count) {
    uint8_t key[32], nonce[64], ad[64], tag[16];
    size_t key_bytes = decode(given[1], key, sizeof key), nonce_bytes = decode(given[2], nonce, sizeof nonce);
    size_t ad_bytes = decode(given[3], ad, sizeof ad), bytes = strtoul(given[4], NULL, 10);
    parsplit_message_options options = PARSPLIT_MESSAGE_DEFAULTS;
    parsplit_message *handle = NULL;
    const aeadlab_algorithm *algorithm = NULL;
    options.threads = strtoul(given[5], NULL, 10);
    options.segment_bytes = 4096;
    options.serial_below = 0;
    if (count > 6) {
        CHECK(parsplit_load(given[6], given[7], &algorithm) == PARSPLIT_OK);
        CHECK(parsplit_message_of(algorithm, key, key_bytes, &options, &handle) == PARSPLIT_OK);
    } else {
        CHECK(parsplit_message_new(given[0], key, key_bytes, &options, &handle) == PARSPLIT_OK);
    }
    uint8_t *text = allocate(bytes), *sealed = allocate(bytes), *opened = allocate(bytes);
    CHECK(parsplit_message_seal(handle, nonce, nonce_bytes, ad, ad_bytes, text, bytes, sealed, tag) == PARSPLIT_OK);
    CHECK(parsplit_message_open(handle, nonce, nonce_bytes, ad, ad_bytes, sealed, bytes, opened, tag) == PARSPLIT_OK);
    CHECK(memcmp(opened, text, bytes) == 0);
    test_parts(handle, nonce, nonce_bytes, ad, ad_bytes, text, bytes, sealed, tag);
    for (size_t i = 0; i < bytes; i++) printf("%02x", sealed[i]);
    for (size_t i = 0; i < 16; i++) printf("%02x", tag[i]);
    printf("\n");
    parsplit_message_free(handle);
    free(text), free(sealed), free(opened);
    return failures;
}

int main(int argc, char **argv) {
    if (argc >= 8) return seal(argv + 2, argc - 2);
    test_message("aes-gcm");
    test_message("chacha20-poly1305");
    test_rejections();
    test_wrong_parts();
    return failures;
}

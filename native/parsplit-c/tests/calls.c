/*
 * Tests of each function of parsplit.h. Exits with the number of failed checks, and prints each to stderr. Buffers have
 * exactly the required lengths, so that valgrind detects accesses beyond them. `calls no-fork` omits the test of fork:
 * valgrind reports the memory that a child process inherits and does not use, such as that of threads, as leaked.
 */
#include "parsplit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            failures++;                                                                         \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, parsplit_last_error()); \
        }                                                                                       \
    } while (0)

enum { BLOCK = 1000, BYTES = 10500, TAGS = 11 * 16, SEALED = BYTES + TAGS };

static const uint8_t KEY[32] = {1, 2, 3}, NONCE[7] = {9}, AD[5] = "order";

/* Returns a buffer with a fixed content. */
static uint8_t *allocate(size_t bytes) {
    uint8_t *buffer = malloc(bytes ? bytes : 1);
    if (buffer == NULL) abort();
    for (size_t i = 0; i < bytes; i++) buffer[i] = (uint8_t)(i * 7);
    return buffer;
}

static int all_equal(const uint8_t *bytes, size_t count, uint8_t value) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != value) return 0;
    }
    return 1;
}

static parsplit *new_handle(size_t threads) {
    parsplit_options options = PARSPLIT_DEFAULTS;
    parsplit *handle = NULL;
    options.block_size = BLOCK;
    options.threads = threads;
    options.serial_below = 0;
    CHECK(parsplit_new(parsplit_aes_256_gcm(), KEY, sizeof KEY, &options, &handle) == PARSPLIT_OK);
    return handle;
}

static void test_seal_and_open(size_t threads, const uint8_t *expected) {
    parsplit *handle = new_handle(threads);
    uint8_t *text = allocate(BYTES), *sealed = allocate(SEALED), *opened = allocate(BYTES), *tags = allocate(TAGS);
    size_t bytes = 0;
    CHECK(parsplit_nonce_bytes(handle, &bytes) == PARSPLIT_OK && bytes == 7);
    CHECK(parsplit_sealed_bytes(handle, BYTES, &bytes) == PARSPLIT_OK && bytes == SEALED);
    CHECK(parsplit_tags_bytes(handle, BYTES, &bytes) == PARSPLIT_OK && bytes == TAGS);
    CHECK(parsplit_opened_bytes(handle, SEALED, &bytes) == PARSPLIT_OK && bytes == BYTES);
    CHECK(parsplit_opened_bytes(handle, 15, &bytes) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED) == PARSPLIT_OK);
    CHECK(memcmp(sealed, expected, SEALED) == 0);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, sealed, SEALED, opened, BYTES) == PARSPLIT_OK);
    CHECK(memcmp(opened, text, BYTES) == 0);
    /* Seal and open in place. */
    memcpy(sealed, text, BYTES);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, sealed, BYTES, sealed, SEALED) == PARSPLIT_OK);
    CHECK(memcmp(sealed, expected, SEALED) == 0);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, sealed, SEALED, sealed, SEALED) == PARSPLIT_OK);
    CHECK(memcmp(sealed, text, BYTES) == 0);
    /* Detached tags. */
    CHECK(parsplit_seal_detached(handle, NONCE, 7, AD, 5, text, BYTES, opened, tags, TAGS) == PARSPLIT_OK);
    CHECK(memcmp(opened, expected, BYTES) == 0 && memcmp(tags, expected + BYTES, TAGS) == 0);
    CHECK(parsplit_open_detached(handle, NONCE, 7, AD, 5, opened, BYTES, opened, tags, TAGS) == PARSPLIT_OK);
    CHECK(memcmp(opened, text, BYTES) == 0);
    CHECK(parsplit_open_detached(handle, NONCE, 7, AD, 5, opened, BYTES, opened, tags, TAGS - 1)
          == PARSPLIT_BAD_ARGUMENT);
    /* An empty message has one tag. */
    CHECK(parsplit_seal(handle, NONCE, 7, NULL, 0, NULL, 0, tags, 16) == PARSPLIT_OK);
    CHECK(parsplit_open(handle, NONCE, 7, NULL, 0, tags, 16, NULL, 0) == PARSPLIT_OK);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, tags, 16, NULL, 0) == PARSPLIT_AUTH_FAILED);
    parsplit_free(handle);
    free(text), free(sealed), free(opened), free(tags);
}

static void test_rejections(const uint8_t *expected) {
    parsplit *handle = new_handle(2);
    uint8_t *sealed = allocate(SEALED), *opened = allocate(BYTES);
    const size_t changed[] = {0, BLOCK, BYTES - 1, BYTES, SEALED - 1};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        memcpy(sealed, expected, SEALED);
        sealed[changed[i]] ^= 0x80;
        memset(opened, 0xee, BYTES);
        CHECK(parsplit_open(handle, NONCE, 7, AD, 5, sealed, SEALED, opened, BYTES) == PARSPLIT_AUTH_FAILED);
        CHECK(all_equal(opened, BYTES, 0));
        CHECK(strstr(parsplit_last_error(), "tag does not match") != NULL);
    }
    /* Rejected arguments leave the output unchanged. */
    memset(opened, 0xee, BYTES);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, expected, SEALED, opened, BYTES - 1) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_open(handle, NONCE, 12, AD, 5, expected, SEALED, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_open(handle, NONCE, 7, NULL, 5, expected, SEALED, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, NULL, SEALED, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, expected, SIZE_MAX, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_open(handle, NONCE, 7, opened, 5, expected, SEALED, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_open(NULL, NONCE, 7, AD, 5, expected, SEALED, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, opened, 5000, opened + 1, 5096) == PARSPLIT_BAD_ARGUMENT);
    CHECK(strstr(parsplit_last_error(), "overlap") != NULL);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, opened, BYTES, sealed, SEALED - 1) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, NULL, BYTES, sealed, SEALED) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, opened, SIZE_MAX, sealed, SEALED) == PARSPLIT_BAD_ARGUMENT);
    CHECK(all_equal(opened, BYTES, 0xee));
    CHECK(parsplit_threads(handle, 257) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_block_size(handle, 0) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_sealed_bytes(handle, BYTES, NULL) == PARSPLIT_BAD_ARGUMENT);
    /* Rejected arguments leave the handle unchanged and usable. */
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, expected, SEALED, opened, BYTES) == PARSPLIT_OK);
    CHECK(parsplit_block_size(handle, 2 * BLOCK) == PARSPLIT_OK && parsplit_threads(handle, 5) == PARSPLIT_OK);
    CHECK(parsplit_open(handle, NONCE, 7, AD, 5, expected, SEALED, opened, BYTES) == PARSPLIT_BAD_ARGUMENT);
    size_t bytes;
    CHECK(parsplit_sealed_bytes(handle, BYTES, &bytes) == PARSPLIT_OK && bytes == BYTES + 6 * 16);
    CHECK(parsplit_block_size(handle, 1) == PARSPLIT_OK);
    CHECK(parsplit_sealed_bytes(handle, ((size_t)1 << 32) + 1, &bytes) == PARSPLIT_BAD_ARGUMENT);
    parsplit_free(handle);
    parsplit_free(NULL);
    free(sealed), free(opened);
}

static void test_invalid_handles(void) {
    parsplit *handle = NULL;
    parsplit_options options = PARSPLIT_DEFAULTS;
    const aeadlab_algorithm *gcm = parsplit_aes_256_gcm();
    aeadlab_algorithm other = *gcm;
    CHECK(parsplit_new(NULL, KEY, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_new(gcm, KEY, 31, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_new(gcm, NULL, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_new(gcm, KEY, 32, NULL, NULL) == PARSPLIT_BAD_ARGUMENT);
    options.struct_size--;
    CHECK(parsplit_new(gcm, KEY, 32, &options, &handle) == PARSPLIT_BAD_ARGUMENT);
    options.struct_size++, options.schedule = "no-such";
    CHECK(parsplit_new(gcm, KEY, 32, &options, &handle) == PARSPLIT_BAD_ARGUMENT);
    CHECK(strstr(parsplit_last_error(), "guided") != NULL);
    options.schedule = NULL, options.block_size = 0;
    CHECK(parsplit_new(gcm, KEY, 32, &options, &handle) == PARSPLIT_BAD_ARGUMENT);
    other.struct_size = 8;
    CHECK(parsplit_new(&other, KEY, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    other = *gcm, other.kind = AEADLAB_CIPHER;
    CHECK(parsplit_new(&other, KEY, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    other = *gcm, other.nonce_bytes = 8;
    CHECK(parsplit_new(&other, KEY, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    other = *gcm, other.open = NULL;
    CHECK(parsplit_new(&other, KEY, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    other = *gcm, other.tag_bytes = 65;
    CHECK(parsplit_new(&other, KEY, 32, NULL, &handle) == PARSPLIT_BAD_ARGUMENT);
    CHECK(handle == NULL);
    CHECK(parsplit_load("/no/such.so", NULL, &gcm) == PARSPLIT_BAD_ARGUMENT);
    CHECK(parsplit_load(NULL, NULL, &gcm) == PARSPLIT_BAD_ARGUMENT);
}

static void test_one_call_per_message(const uint8_t *text) {
    uint8_t *sealed = allocate(BYTES), *opened = allocate(BYTES), mac[TAGS];
    CHECK(parsplit_mac_bytes(BYTES) == 16 && parsplit_mac_bytes(0) == 16);
    CHECK(parsplit_set_block_size(BLOCK) == PARSPLIT_OK && parsplit_mac_bytes(BYTES) == TAGS);
    for (size_t threads = 1; threads < 4; threads++) {
        CHECK(parsplit_set_threads(threads) == PARSPLIT_OK);
        CHECK(parsplit_encrypt(text, sealed, mac, KEY, NONCE, BYTES) == BYTES);
        CHECK(parsplit_decrypt(sealed, opened, mac, KEY, NONCE, BYTES) == BYTES);
        CHECK(memcmp(opened, text, BYTES) == 0);
        mac[TAGS - 1] ^= 1;
        CHECK(parsplit_decrypt(sealed, opened, mac, KEY, NONCE, BYTES) == PARSPLIT_FAILED);
        CHECK(all_equal(opened, BYTES, 0));
    }
    /* A handle returns the same bytes for a message without associated data. */
    parsplit *handle = new_handle(1);
    uint8_t *whole = allocate(SEALED);
    CHECK(parsplit_seal(handle, NONCE, 7, NULL, 0, text, BYTES, whole, SEALED) == PARSPLIT_OK);
    mac[TAGS - 1] ^= 1;
    CHECK(memcmp(whole, sealed, BYTES) == 0 && memcmp(whole + BYTES, mac, TAGS) == 0);
    parsplit_free(handle);
    CHECK(parsplit_encrypt(NULL, sealed, mac, KEY, NONCE, BYTES) == PARSPLIT_FAILED);
    CHECK(parsplit_encrypt(text, sealed, mac, KEY, NONCE, SIZE_MAX) == 0);
    CHECK(parsplit_set_threads(257) == PARSPLIT_BAD_ARGUMENT && parsplit_use(NULL) == PARSPLIT_OK);
    CHECK(parsplit_set_threads(0) == PARSPLIT_OK && parsplit_set_block_size(0) == PARSPLIT_OK);
    free(sealed), free(opened), free(whole);
}

/* An algorithm defined by the program: it wraps seal, and uses the handle during a call of that handle. */
static parsplit *handle_in_use;
static int32_t (*const *wrapped_seal)(void *, const uint8_t *, size_t, const uint8_t *, size_t, const uint8_t *, size_t,
                                 uint8_t *, uint8_t *);
static int32_t nested_status;

static int32_t seal_during_call(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                            size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    size_t length;
    nested_status = parsplit_sealed_bytes(handle_in_use, 1, &length);
    if (in[0] == 0xff) parsplit_interrupt(handle_in_use);
    return (*wrapped_seal)(context, nonce, nonce_bytes, ad, ad_bytes, in, bytes, out, tag);
}

static void test_exclusive_use_and_interruption(void) {
    aeadlab_algorithm own = *parsplit_aes_256_gcm();
    parsplit_options options = PARSPLIT_DEFAULTS;
    uint8_t *text = allocate(BYTES), *sealed = allocate(SEALED);
    wrapped_seal = &parsplit_aes_256_gcm()->seal;
    own.seal = seal_during_call;
    options.block_size = BLOCK, options.threads = 1;
    CHECK(parsplit_new(&own, KEY, 32, &options, &handle_in_use) == PARSPLIT_OK);
    CHECK(parsplit_seal(handle_in_use, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED) == PARSPLIT_OK);
    CHECK(nested_status == PARSPLIT_BAD_ARGUMENT);
    text[5 * BLOCK] = 0xff;
    CHECK(parsplit_seal(handle_in_use, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED) == PARSPLIT_INTERRUPTED);
    CHECK(all_equal(sealed, SEALED, 0));
    text[5 * BLOCK] = 0;
    CHECK(parsplit_seal(handle_in_use, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED) == PARSPLIT_INTERRUPTED);
    parsplit_resume(handle_in_use);
    CHECK(parsplit_seal(handle_in_use, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED) == PARSPLIT_OK);
    parsplit_free(handle_in_use);
    free(text), free(sealed);
}

/* A child process has none of its parent's threads and starts its own. */
static void test_after_fork(const uint8_t *text, const uint8_t *expected) {
    parsplit *handle = new_handle(3);
    uint8_t *sealed = allocate(SEALED);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED) == PARSPLIT_OK);
    pid_t child = fork();
    if (child == 0) {
        memset(sealed, 0, SEALED);
        int status = parsplit_seal(handle, NONCE, 7, AD, 5, text, BYTES, sealed, SEALED);
        _exit(status != PARSPLIT_OK || memcmp(sealed, expected, SEALED) != 0);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    parsplit_free(handle);
    free(sealed);
}

static void *test_in_thread(void *expected) {
    test_seal_and_open(2, expected);
    return NULL;
}

int main(int argc, char **argv) {
    int forks = argc < 2 || strcmp(argv[1], "no-fork") != 0;
    uint8_t *text = allocate(BYTES), *expected = allocate(SEALED);
    parsplit *handle = new_handle(1);
    CHECK(strlen(parsplit_last_error()) == 0);
    CHECK(parsplit_seal(handle, NONCE, 7, AD, 5, text, BYTES, expected, SEALED) == PARSPLIT_OK);
    parsplit_free(handle);
    CHECK(memcmp(text, expected, BYTES) != 0);
    for (size_t threads = 0; threads <= 5; threads++) test_seal_and_open(threads, expected);
    pthread_t callers[3];
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&callers[i], NULL, test_in_thread, expected) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(callers[i], NULL) == 0);
    if (forks) test_after_fork(text, expected);
    test_rejections(expected);
    test_invalid_handles();
    test_one_call_per_message(text);
    test_exclusive_use_and_interruption();
    CHECK(strlen(parsplit_version()) >= 5);
    free(text), free(expected);
    return failures;
}

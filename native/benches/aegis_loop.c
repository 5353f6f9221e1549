/*
 * The cost of AEGIS for a program that calls the library directly: one call per message with the raw key, a nonce and a
 * tag. The function is passed as an address, so that it is the one that aeadlab.h calls in the same comparison.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { LIBAEGIS, LIBSODIUM }; /* the library of the function */
enum { NONCE = 32, KEY = 32, TAG = 32, PAGE = 4096 };

typedef int (*libaegis_seal)(uint8_t *c, uint8_t *mac, size_t maclen, const uint8_t *m, size_t mlen, const uint8_t *ad,
                             size_t adlen, const uint8_t *npub, const uint8_t *k);
typedef int (*libsodium_seal)(unsigned char *c, unsigned char *mac, unsigned long long *maclen, const unsigned char *m,
                              unsigned long long mlen, const unsigned char *ad, unsigned long long adlen,
                              const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);

/* Input and output have separate pages, as in the memory of a case. */
static uint8_t input[PAGE] __attribute__((aligned(PAGE)));
static uint8_t output[PAGE + TAG] __attribute__((aligned(PAGE)));
static uint8_t nonce[NONCE] __attribute__((aligned(64)));
static uint8_t key[KEY] __attribute__((aligned(64)));

/* Set the key. Return 1, or 0 if it is too long. */
int loop_key(const uint8_t *given, size_t bytes) {
    if (bytes > KEY) return 0;
    memcpy(key, given, bytes);
    return 1;
}

static inline int seal(int library, void *function, size_t bytes, size_t tag) {
    if (library == LIBAEGIS) {
        return ((libaegis_seal)function)(output, output + bytes, tag, input, bytes, NULL, 0, nonce, key);
    }
    return ((libsodium_seal)function)(output, output + bytes, NULL, input, bytes, NULL, 0, NULL, nonce, key);
}

/* Seal messages of `bytes` zeros. Return the time in nanoseconds, or -1. With `increments` the nonces are 1, 2, ... */
int64_t loop_seal(int library, void *function, int increments, size_t bytes, size_t tag, uint64_t messages) {
    struct timespec start, end;
    if (bytes > PAGE || tag > TAG) return -1;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t i = 1; i <= messages; i++) {
        if (increments) memcpy(nonce, &i, sizeof i);
        if (seal(library, function, bytes, tag) != 0) return -1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) * 1000000000 + (end.tv_nsec - start.tv_nsec);
}

/* Return the last sealed message with its tag. */
const uint8_t *loop_sealed(void) { return output; }

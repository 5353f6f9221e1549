/*
 * Ascon-AEAD128 (NIST SP 800-232) behind aeadlab.h, correct except where a macro states a fault of one length. Sealing
 * and opening are faulty in the same way, so that a round trip does not show it.
 */
#include "ascon.c"

#include "aeadlab.h"

#include <stdio.h>
#include <stdlib.h>

/* unistd.h declares another function crypt. */
unsigned sleep(unsigned seconds);

#ifndef LIBRARY
#define LIBRARY "faulty"
#endif
/* Whether the ciphertext is wrong for a message of `bytes`, and whether only the opened message is. */
#ifndef WRONG
#define WRONG 0
#endif
#ifndef OPENS_WRONG
#define OPENS_WRONG 0
#endif
#ifndef ACCEPTS
#define ACCEPTS 0
#endif
/* Length of the associated data that is authenticated. */
#ifndef AD_BYTES
#define AD_BYTES ad_bytes
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef MAX_BYTES
#define MAX_BYTES 0
#endif

typedef struct {
    uint8_t key[16];
} context;

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    (void)algorithm;
    context *c = malloc(sizeof *c);
    if (c == NULL) return AEADLAB_INTERNAL;
    memcpy(c->key, key, key_bytes);
    *made = c;
    return AEADLAB_OK;
}

static void key_free(void *made) { free(made); }

static int32_t seal(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    (void)nonce_bytes;
    run(((context *)made)->key, nonce, ad, AD_BYTES, in, bytes, out, tag, 0);
    if (WRONG) out[bytes / 2] ^= 1;
    return AEADLAB_OK;
}

static int32_t open_(void *made, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                     const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    uint8_t right[TAG_BYTES];
    (void)nonce_bytes;
    uint8_t *copy = NULL;
    if (WRONG) {
        copy = malloc(bytes);
        if (copy == NULL) return AEADLAB_INTERNAL;
        memcpy(copy, in, bytes);
        copy[bytes / 2] ^= 1;
    }
    run(((context *)made)->key, nonce, ad, AD_BYTES, copy != NULL ? copy : in, bytes, out, right, 1);
    free(copy);
    if (OPENS_WRONG) out[bytes / 2] ^= 1;
    return ACCEPTS || memcmp(right, tag, TAG_BYTES) == 0 ? AEADLAB_OK : AEADLAB_AUTH_FAILED;
}

static const aeadlab_algorithm faulty = {
    .struct_size = sizeof faulty,
    .name = "ascon-aead128",
    .flags = AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG | FLAGS,
    .kind = AEADLAB_AEAD,
    .key_bytes = 16,
    .nonce_bytes = 16,
    .tag_bytes = TAG_BYTES,
    .block_bytes = 1,
    .max_bytes = MAX_BYTES,
    .key_new = key_new,
    .key_free = key_free,
    .seal = seal,
    .open = open_,
};

static const aeadlab_algorithm *const algorithms[] = {&faulty};
static const aeadlab_library library = {
    .abi_version = AEADLAB_ABI_VERSION,
    .struct_size = sizeof library,
    .name = LIBRARY,
    .version = "1.0",
    .algorithm_count = 1,
    .algorithms = algorithms,
};

AEADLAB_EXPORT const aeadlab_library *aeadlab_library_v1(void) { return &library; }

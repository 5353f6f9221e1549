/*
 * A generator for tests, whose output is a hashed counter. It records key, thread and length of each request in an
 * array that the test reads.
 */
#include "aeadlab.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef MAX_BYTES
#define MAX_BYTES 0
#endif
/* Statements executed after each request, which may change `out` and return another status. */
#ifndef ON_REQUEST
#define ON_REQUEST
#endif

enum { KEY_BYTES = 8, MAX_REQUESTS = 1 << 16 };

struct request {
    uint64_t context, key, thread, bytes;
};

AEADLAB_EXPORT struct request requests[MAX_REQUESTS];
AEADLAB_EXPORT atomic_size_t request_count, contexts;

struct context {
    uint64_t number, key, next;
};

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    (void)algorithm;
    struct context *c = calloc(1, sizeof *c);
    if (c == NULL) return AEADLAB_INTERNAL;
    memcpy(&c->key, key, key_bytes);
    c->number = atomic_fetch_add(&contexts, 1);
    *made = c;
    return AEADLAB_OK;
}

static void key_free(void *context) { free(context); }

static int32_t generate(void *context, uint8_t *out, size_t bytes) {
    struct context *c = context;
    const size_t index = atomic_fetch_add(&request_count, 1);
    if (index < MAX_REQUESTS) requests[index] = (struct request){c->number, c->key, (uint64_t)pthread_self(), bytes};
    for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t)((c->key + ++c->next) * 0x9e3779b97f4a7c15u >> 56);
    ON_REQUEST;
    return AEADLAB_OK;
}

static const aeadlab_algorithm counting = {
    .struct_size = sizeof(aeadlab_algorithm),
    .name = "counting",
    .flags = AEADLAB_THREAD_SAFE | AEADLAB_RESEARCH,
    .kind = AEADLAB_GENERATOR,
    .key_bytes = KEY_BYTES,
    .block_bytes = 1,
    .max_bytes = MAX_BYTES,
    .key_new = key_new,
    .key_free = key_free,
    .generate = generate,
};

static const aeadlab_algorithm *const algorithms[] = {&counting};

static const aeadlab_library library = {
    .abi_version = AEADLAB_ABI_VERSION,
    .struct_size = sizeof library,
    .name = "toy",
    .version = "1.2.3",
    .build = "for tests",
    .algorithm_count = 1,
    .algorithms = algorithms,
};

const aeadlab_library *aeadlab_library_v1(void) { return &library; }

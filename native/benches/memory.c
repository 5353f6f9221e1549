/*
 * Experiments with the memory traffic of ParSplit's blocks: wrappers around the aes-256-gcm of another plugin.
 *
 * They are a plugin, so that the engine is not changed. native/benches/memory.py builds and times them.
 *
 *   gcm-plain           the wrapper alone: its overhead
 *   gcm-prefetch        prefetches the input of the next block into the second-level cache before it seals a block
 *   gcm-prefetch-both   prefetches the output of the next block too, for writing
 *   gcm-scratch         seals into a scratch buffer that stays in the second-level cache, then copies it with ordinary
 *                       stores: the overhead of the scratch buffer
 *   gcm-stream          likewise, with non-temporal stores, which do not read a cache line before they write it
 *
 * AEADLAB_WRAPPED names the plugin whose aes-256-gcm is wrapped.
 */
#include "aeadlab.h"

#include <dlfcn.h>
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, LONGEST = 1 << 20 };

enum way { PLAIN, PREFETCH, PREFETCH_BOTH, SCRATCH, STREAM };

static const aeadlab_algorithm *wrapped;

typedef struct {
    enum way way;
    void *inner;
    uint8_t *scratch;
} context;

static void prefetch(const uint8_t *from, size_t bytes) {
    /* The CPU ignores prefetches beyond the end of the message. */
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(from + i, 0, 2);
}

static void prefetch_for_writing(const uint8_t *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(from + i, 1, 2);
}

static void stream_out(uint8_t *out, const uint8_t *from, size_t bytes) {
    const size_t whole = (uintptr_t)out % 16 == 0 ? bytes / LINE * LINE : 0;
    for (size_t i = 0; i < whole; i += LINE) {
        const __m128i *line = (const __m128i *)(from + i);
        __m128i *to = (__m128i *)(out + i);
        const __m128i a = _mm_load_si128(line), b = _mm_load_si128(line + 1);
        const __m128i c = _mm_load_si128(line + 2), d = _mm_load_si128(line + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
    memcpy(out + whole, from + whole, bytes - whole);
    _mm_sfence();
}

static void key_free(void *given) {
    context *c = given;
    if (c->inner != NULL) wrapped->key_free(c->inner);
    free(c->scratch);
    free(c);
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    context *c = calloc(1, sizeof *c);
    if (c == NULL) return AEADLAB_INTERNAL;
    c->way = *(const enum way *)algorithm->data;
    const int detour = c->way == SCRATCH || c->way == STREAM;
    if (detour && posix_memalign((void **)&c->scratch, 4096, LONGEST) != 0) c->scratch = NULL;
    int32_t status = detour && c->scratch == NULL ? AEADLAB_INTERNAL : wrapped->key_new(wrapped, key, key_bytes, &c->inner);
    if (status != AEADLAB_OK) {
        key_free(c);
        return status;
    }
    *made = c;
    return AEADLAB_OK;
}

static int32_t seal(void *given, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    context *c = given;
    uint8_t *to = out;
    switch (c->way) {
    case PLAIN:
        break;
    case PREFETCH_BOTH:
        prefetch_for_writing(out + bytes, bytes);
        prefetch(in + bytes, bytes);
        break;
    case PREFETCH:
        prefetch(in + bytes, bytes);
        break;
    case SCRATCH:
    case STREAM:
        if (bytes <= LONGEST) to = c->scratch;
        break;
    }
    const int32_t status = wrapped->seal(c->inner, nonce, nonce_bytes, ad, ad_bytes, in, bytes, to, tag);
    if (status == AEADLAB_OK && to != out) {
        if (c->way == STREAM)
            stream_out(out, to, bytes);
        else
            memcpy(out, to, bytes);
    }
    return status;
}

static int32_t open_(void *given, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                     const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    return wrapped->open(((context *)given)->inner, nonce, nonce_bytes, ad, ad_bytes, in, bytes, out, tag);
}

#define ROW(NAME, WAY)                                                                                                 \
    {                                                                                                                  \
        .struct_size = sizeof(aeadlab_algorithm), .name = NAME, .data = &ways[WAY],                                    \
        .flags = AEADLAB_RESEARCH | AEADLAB_THREAD_SAFE | AEADLAB_IN_PLACE, .kind = AEADLAB_AEAD, .key_bytes = 32,     \
        .nonce_bytes = 12, .tag_bytes = 16, .block_bytes = 1, .key_new = key_new, .key_free = key_free, .seal = seal,  \
        .open = open_                                                                                                  \
    }

static const enum way ways[] = {PLAIN, PREFETCH, PREFETCH_BOTH, SCRATCH, STREAM};
static const aeadlab_algorithm rows[] = {
    ROW("gcm-plain", PLAIN),     ROW("gcm-prefetch", PREFETCH), ROW("gcm-prefetch-both", PREFETCH_BOTH),
    ROW("gcm-scratch", SCRATCH), ROW("gcm-stream", STREAM),
};
static const aeadlab_algorithm *const algorithms[] = {&rows[0], &rows[1], &rows[2], &rows[3], &rows[4]};

const aeadlab_library *aeadlab_library_v1(void) {
    static const aeadlab_library library = {
        .abi_version = AEADLAB_ABI_VERSION,
        .struct_size = sizeof(aeadlab_library),
        .name = "memory",
        .version = "1",
        .algorithm_count = sizeof algorithms / sizeof *algorithms,
        .algorithms = algorithms,
    };
    const char *path = getenv("AEADLAB_WRAPPED");
    void *plugin = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const aeadlab_library *(*describe)(void) = NULL;
    if (plugin != NULL) *(void **)&describe = dlsym(plugin, "aeadlab_library_v1");
    if (describe == NULL) return NULL;
    const aeadlab_library *found = describe();
    for (size_t i = 0; i < found->algorithm_count; i++)
        if (strcmp(found->algorithms[i]->name, "aes-256-gcm") == 0) wrapped = found->algorithms[i];
    return wrapped == NULL ? NULL : &library;
}

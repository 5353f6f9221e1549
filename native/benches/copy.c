/*
 * An "AEAD" that copies with ordinary stores, as ciphers write, and has a tag of zeros: the limit of memory for ParSplit
 * with the same buffers, blocks and threads. The C library's memcpy is no such limit, because it writes long copies
 * without reading the lines of the output first. native/benches/reused.py builds and times it.
 */
#include "aeadlab.h"

#include <string.h>

typedef uint8_t line __attribute__((vector_size(64), aligned(1), may_alias));

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **made) {
    (void)key, (void)key_bytes;
    *made = (void *)algorithm;
    return AEADLAB_OK;
}

static void key_free(void *context) { (void)context; }

static void copy(uint8_t *out, const uint8_t *in, size_t bytes) {
    size_t i = 0;
    for (; i + sizeof(line) <= bytes; i += sizeof(line)) {
        *(line *)(out + i) = *(const line *)(in + i);
        /* Keeps the compiler from replacing the loop by a call of memcpy. */
        __asm__ volatile("" ::: "memory");
    }
    memcpy(out + i, in + i, bytes - i);
}

static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                    const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    (void)context, (void)nonce, (void)nonce_bytes, (void)ad, (void)ad_bytes;
    copy(out, in, bytes);
    memset(tag, 0, 16);
    return AEADLAB_OK;
}

static int32_t open_(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                     const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    (void)context, (void)nonce, (void)nonce_bytes, (void)ad, (void)ad_bytes, (void)tag;
    copy(out, in, bytes);
    return AEADLAB_OK;
}

static const aeadlab_algorithm ordinary = {
    .struct_size = sizeof(aeadlab_algorithm), .name = "ordinary-stores", .kind = AEADLAB_AEAD,
    .flags = AEADLAB_BASELINE | AEADLAB_THREAD_SAFE, .key_bytes = 32, .nonce_bytes = 12, .tag_bytes = 16,
    .block_bytes = 1, .key_new = key_new, .key_free = key_free, .seal = seal, .open = open_,
};
static const aeadlab_algorithm *const algorithms[] = {&ordinary};

const aeadlab_library *aeadlab_library_v1(void) {
    static const aeadlab_library library = {
        .abi_version = AEADLAB_ABI_VERSION, .struct_size = sizeof(aeadlab_library), .name = "copy", .version = "1",
        .algorithm_count = 1, .algorithms = algorithms,
    };
    return &library;
}

/* ChaCha20 (RFC 8439 section 2.4, the counter starting at 0) as a plugin, in portable C11. */
#include "aeadlab.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 32, NONCE_BYTES = 12, BLOCK = 64 };

typedef struct {
    uint32_t key[KEY_BYTES / 4];
} context;

static uint32_t load(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint32_t rotate_left(uint32_t word, int by) { return word << by | word >> (32 - by); }

static void quarter_round(uint32_t x[16], int a, int b, int c, int d) {
    x[a] += x[b], x[d] = rotate_left(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = rotate_left(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = rotate_left(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = rotate_left(x[b] ^ x[c], 7);
}

static void keystream(const uint32_t state[16], uint8_t out[BLOCK]) {
    uint32_t x[16];
    memcpy(x, state, sizeof x);
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 4; j++) quarter_round(x, j, j + 4, j + 8, j + 12);
        for (int j = 0; j < 4; j++) quarter_round(x, j, (j + 1) % 4 + 4, (j + 2) % 4 + 8, (j + 3) % 4 + 12);
    }
    for (int i = 0; i < BLOCK; i++) out[i] = (uint8_t)((x[i / 4] + state[i / 4]) >> 8 * (i % 4));
}

/* The compiler would remove a plain memset before free. */
static void wipe(void *memory, size_t bytes) {
    volatile uint8_t *at = memory;
    while (bytes-- > 0) *at++ = 0;
}

static int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **created) {
    (void)algorithm;
    if (key_bytes != KEY_BYTES) return AEADLAB_BAD_ARGUMENT;
    context *c = malloc(sizeof *c);
    if (c == NULL) return AEADLAB_INTERNAL;
    for (int i = 0; i < KEY_BYTES / 4; i++) c->key[i] = load(key + 4 * i);
    *created = c;
    return AEADLAB_OK;
}

static void key_free(void *opaque) {
    wipe(opaque, sizeof(context));
    free(opaque);
}

static int32_t crypt(void *opaque, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                     uint8_t *out) {
    const context *c = opaque;
    if (nonce_bytes != NONCE_BYTES) return AEADLAB_BAD_ARGUMENT;
    uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    uint8_t stream[BLOCK];
    memcpy(state + 4, c->key, sizeof c->key);
    for (int i = 0; i < NONCE_BYTES / 4; i++) state[13 + i] = load(nonce + 4 * i);
    for (size_t done = 0; done < bytes; done += BLOCK, state[12]++) {
        const size_t length = bytes - done < BLOCK ? bytes - done : BLOCK;
        keystream(state, stream);
        for (size_t i = 0; i < length; i++) out[done + i] = in[done + i] ^ stream[i];
    }
    wipe(state, sizeof state);
    wipe(stream, sizeof stream);
    return AEADLAB_OK;
}

static const aeadlab_algorithm chacha20 = {
    .struct_size = sizeof(aeadlab_algorithm),
    .name = "chacha20",
    .kernel = "portable C",
    .flags = AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE,
    .kind = AEADLAB_CIPHER,
    .key_bytes = KEY_BYTES,
    .nonce_bytes = NONCE_BYTES,
    .block_bytes = 1,
    .max_bytes = (uint64_t)BLOCK << 32,
    .key_new = key_new,
    .key_free = key_free,
    .encrypt = crypt,
    .decrypt = crypt,
};

static const aeadlab_algorithm *const algorithms[] = {&chacha20};

static const aeadlab_library library = {
    .abi_version = AEADLAB_ABI_VERSION,
    .struct_size = sizeof(aeadlab_library),
    .name = "template-c",
    .version = "1.0",
    .build = "C compiler " __VERSION__,
    .algorithm_count = sizeof algorithms / sizeof *algorithms,
    .algorithms = algorithms,
};

const aeadlab_library *aeadlab_library_v1(void) { return &library; }

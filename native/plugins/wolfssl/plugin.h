/* wolfSSL behind aeadlab.h, through its wc_ functions: the declarations that the files of this folder share. */
#ifndef AEADLAB_WOLFSSL_H
#define AEADLAB_WOLFSSL_H

#include "../rows.h"

/* The options of the build, on which the size of every struct depends. */
#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/types.h>

/* wolfSSL takes 32-bit lengths. A chunk is a multiple of every block size, so chunks do not change the result. */
#define CHUNK_BYTES (1u << 30)
/* The limit of messages that must be passed in one call. */
#define ONE_CALL 0xffffffffull

/* The code paths of AES and GHASH in this build. */
#if defined(WOLFSSL_AESNI)
#define AES_KERNEL (__builtin_cpu_supports("aes") ? "AES-NI" : "C")
#define GCM_KERNEL (__builtin_cpu_supports("aes") ? "AES-NI, PCLMULQDQ" : "C")
#elif defined(WOLFSSL_ARMASM)
#define AES_KERNEL "ARMv8"
#define GCM_KERNEL "ARMv8"
#else
#define AES_KERNEL "C"
#if defined(GCM_TABLE_4BIT)
#define GCM_KERNEL "C, 4-bit tables"
#elif defined(GCM_TABLE)
#define GCM_KERNEL "C, 8-bit tables"
#else
#define GCM_KERNEL "C"
#endif
#endif

void add_aeads(struct rows *rows);
void add_ciphers(struct rows *rows);
void add_hashes(struct rows *rows);
void add_macs(struct rows *rows);

/* Return the status of an error of wolfSSL. */
static inline int32_t status(int error) {
    switch (error) {
    case 0:
        return AEADLAB_OK;
    case AES_GCM_AUTH_E:
    case AES_CCM_AUTH_E:
    case AES_SIV_AUTH_E:
    case MAC_CMP_FAILED_E:
        return AEADLAB_AUTH_FAILED;
    case BAD_FUNC_ARG:
        return AEADLAB_BAD_ARGUMENT;
    default:
        return AEADLAB_INTERNAL;
    }
}

/* Return a zeroed context with the alignment of vectors, or NULL. */
static inline void *new_context(size_t bytes) {
    const size_t rounded = (bytes + 63) / 64 * 64;
    void *context = aligned_alloc(64, rounded);
    return context ? memset(context, 0, rounded) : NULL;
}

static inline void wipe_and_free(void *context, size_t bytes) {
    explicit_bzero(context, bytes);
    free(context);
}

/* Replace NULL, which wolfSSL rejects even with a length of 0. */
static inline const uint8_t *readable(const uint8_t *pointer) {
    static const uint8_t empty[16];
    return pointer ? pointer : empty;
}

#endif

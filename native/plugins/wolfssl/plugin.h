/* wolfSSL, by its wc_ functions, behind aeadlab.h: what the files of this folder share. */
#ifndef AEADLAB_WOLFSSL_H
#define AEADLAB_WOLFSSL_H

#include "../rows.h"

/* What was compiled in, on which the size of every struct depends. */
#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/types.h>

/* wolfSSL has lengths of 32 bits; a multiple of every block size, so that pieces do not change the result. */
#define PIECE (1u << 30)
/* Where a message has to be given in one piece. */
#define ONE_CALL 0xffffffffull

/* The code that was compiled in for AES and for GHASH. */
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

/* An error of wolfSSL as a status. */
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

/* A context whose content may have to be aligned to a vector, zeroed. */
static inline void *new_context(size_t bytes) {
    const size_t whole = (bytes + 63) / 64 * 64;
    void *context = aligned_alloc(64, whole);
    return context ? memset(context, 0, whole) : NULL;
}

static inline void wipe_and_free(void *context, size_t bytes) {
    explicit_bzero(context, bytes);
    free(context);
}

/* wolfSSL refuses NULL even where there is nothing to read or write. */
static inline const uint8_t *readable(const uint8_t *pointer) {
    static const uint8_t nothing[16];
    return pointer ? pointer : nothing;
}

#endif

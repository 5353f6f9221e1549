/* Mbed TLS behind aeadlab.h: the declarations that the files of this folder share. */
#ifndef AEADLAB_MBEDTLS_H
#define AEADLAB_MBEDTLS_H

#include "../rows.h"

#include <mbedtls/ccm.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/cipher.h>
#include <mbedtls/gcm.h>

/* The code paths that the library reports for this CPU, or NULL. */
struct kernels {
    const char *aes;
    const char *aes_gcm;
    const char *ghash;
};

/* MD5, SHA-1, SHA-2 with 32-bit words and RIPEMD-160 count the bytes of one update in 32 bits. */
#define CHUNK_BYTES ((size_t)1 << 30)

void add_aeads(struct rows *rows, const struct kernels *kernels);
void add_ciphers(struct rows *rows, const struct kernels *kernels);
void add_hashes(struct rows *rows);
void add_macs(struct rows *rows, const struct kernels *kernels);

/* Return the status of an error of Mbed TLS. */
static inline int32_t status(int error) {
    switch (error) {
    case 0:
        return AEADLAB_OK;
    case MBEDTLS_ERR_GCM_AUTH_FAILED:
    case MBEDTLS_ERR_CCM_AUTH_FAILED:
    case MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED:
        return AEADLAB_AUTH_FAILED;
    case MBEDTLS_ERR_GCM_BAD_INPUT:
    case MBEDTLS_ERR_CCM_BAD_INPUT:
        return AEADLAB_BAD_ARGUMENT;
    default:
        return AEADLAB_INTERNAL;
    }
}

#endif

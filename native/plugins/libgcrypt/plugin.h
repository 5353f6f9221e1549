/* libgcrypt behind aeadlab.h: the declarations that the files of this folder share. */
#ifndef AEADLAB_LIBGCRYPT_H
#define AEADLAB_LIBGCRYPT_H

#include "../rows.h"

#include <gcrypt.h>

/* Algorithms are looked up by libgcrypt's names; one that this build lacks has the number 0. */
struct block_cipher {
    const char *name;
    const char *gcrypt;
    uint32_t key_bytes;
    uint32_t block_bytes;
    int has_aeads;
    uint64_t flags;
};

/* The most bytes of one call for which 1.10.1 computes GCM, GMAC, GCM-SIV, ChaCha20-Poly1305, CMAC and SIV
 * correctly. */
#define ONE_CALL UINT32_MAX

#define BLOCK_CIPHERS 16
extern const struct block_cipher block_ciphers[BLOCK_CIPHERS];

void add_aeads(struct rows *rows);
void add_ciphers(struct rows *rows);
void add_hashes(struct rows *rows);
void add_macs(struct rows *rows);

/* Return the status of a libgcrypt error. */
static inline int32_t status(gcry_error_t error) {
    switch (gcry_err_code(error)) {
    case GPG_ERR_NO_ERROR:
        return AEADLAB_OK;
    case GPG_ERR_CHECKSUM:
        return AEADLAB_AUTH_FAILED;
    case GPG_ERR_INV_LENGTH:
    case GPG_ERR_INV_ARG:
    case GPG_ERR_BUFFER_TOO_SHORT:
        return AEADLAB_BAD_ARGUMENT;
    default:
        return AEADLAB_INTERNAL;
    }
}

/* Open a cipher and set its key; on failure *handle is NULL. Weak keys are allowed: test vectors of 3DES have them. */
static inline int32_t keyed_cipher(gcry_cipher_hd_t *handle, int algorithm, int mode, const uint8_t *key,
                                   size_t key_bytes) {
    gcry_error_t error = gcry_cipher_open(handle, algorithm, mode, 0);
    if (error) {
        *handle = NULL;
        return status(error);
    }
    gcry_cipher_ctl(*handle, GCRYCTL_SET_ALLOW_WEAK_KEY, NULL, 1);
    error = gcry_cipher_setkey(*handle, key, key_bytes);
    if (error && gcry_err_code(error) != GPG_ERR_WEAK_KEY) {
        gcry_cipher_close(*handle);
        *handle = NULL;
        return status(error);
    }
    return AEADLAB_OK;
}

/* Return whether this build has the algorithm in this mode. */
static inline int has_mode(int algorithm, int mode) {
    gcry_cipher_hd_t handle = NULL;
    if (algorithm == 0 || gcry_cipher_open(&handle, algorithm, mode, 0)) {
        return 0;
    }
    gcry_cipher_close(handle);
    return 1;
}

#endif

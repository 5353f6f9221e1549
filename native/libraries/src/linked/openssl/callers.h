/* Counter mode around OpenSSL's AES, a block for each call: the declarations that the files of this folder share. */
#ifndef AEADLAB_OPENSSL_CALLERS_H
#define AEADLAB_OPENSSL_CALLERS_H

#include <stddef.h>
#include <stdint.h>

/* Encrypt or decrypt a message; `nonce` is the first counter block. Return 1, or 0 if OpenSSL fails. */
typedef int openssl_caller(void *key, const uint8_t *nonce, const uint8_t *in, size_t bytes, uint8_t *out);

/* `aes_encrypt` takes an AES_KEY, `evp` a context of AES-128-ECB. */
struct openssl_callers {
    openssl_caller *aes_encrypt, *evp;
};

extern const struct openssl_callers openssl_callers_o2, openssl_callers_o3;

#endif

/*
 * crypto_aead.h: the interface of SUPERCOP, CAESAR and NIST's lightweight cryptography, for compiling such code.
 *
 * Implementations include this header by its name and do not contain it. They contain api.h, which defines
 * CRYPTO_KEYBYTES, CRYPTO_NSECBYTES, CRYPTO_NPUBBYTES and CRYPTO_ABYTES, the lengths of k, nsec, npub and the tag in
 * bytes. docs/ADDING-AN-IMPLEMENTATION.md, section "Legacy shapes", describes how the lab loads the compiled code.
 *
 * It is in a folder of its own, because the native extension is not compiled with it.
 */
#ifndef CRYPTO_AEAD_H
#define CRYPTO_AEAD_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Encrypts and authenticates a message.
 *
 * c      receives the ciphertext, mlen bytes, followed by the tag, CRYPTO_ABYTES bytes
 * clen   receives mlen + CRYPTO_ABYTES
 * m      message of mlen bytes
 * ad     associated data of adlen bytes, which is authenticated and not encrypted
 * nsec   secret message number of CRYPTO_NSECBYTES bytes; the lab passes NULL
 * npub   nonce of CRYPTO_NPUBBYTES bytes
 * k      key of CRYPTO_KEYBYTES bytes
 *
 * Returns 0, or any other value after an error. The lab passes disjoint buffers; one of zero bytes may be NULL.
 */
int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m, unsigned long long mlen,
                        const unsigned char *ad, unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k);

/*
 * Checks the tag of c, which is clen bytes long with it, and decrypts; the other parameters are those of encryption.
 *
 * m      receives the message, clen - CRYPTO_ABYTES bytes
 * mlen   receives clen - CRYPTO_ABYTES
 * nsec   receives the secret message number; the lab passes NULL
 *
 * Returns 0, or any other value if the tag does not match; m is then not to be used.
 */
int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec, const unsigned char *c,
                        unsigned long long clen, const unsigned char *ad, unsigned long long adlen,
                        const unsigned char *npub, const unsigned char *k);

#ifdef __cplusplus
}
#endif

#endif

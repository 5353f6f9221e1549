/*
 * The cost of AES-256-GCM for a program that calls OpenSSL directly: one context, a new nonce for each message, and the
 * tag. loop.py compares it with the same messages through aeadlab.h. tools.py compares all loop bodies with `openssl
 * speed`, which does not report whether it sets the key and the nonce for each message.
 */
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <stdint.h>
#include <string.h>
#include <time.h>

enum { UPDATE, MESSAGE, MESSAGE_AND_KEY }; /* the body of the loop */
enum { NONCE = 12, TAG = 16, MOST = 65536 };

static uint8_t input[MOST] __attribute__((aligned(64)));
static uint8_t output[MOST + TAG] __attribute__((aligned(64)));
static uint8_t nonce[NONCE];
static uint8_t key[32];
static EVP_CIPHER_CTX *context;

const char *loop_version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }

/* Set the key. Return 1, or 0 if OpenSSL fails. */
int loop_key(const uint8_t given[32]) {
    memcpy(key, given, sizeof key);
    EVP_CIPHER_CTX_free(context);
    context = EVP_CIPHER_CTX_new();
    return context != NULL && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, NULL);
}

/* Encrypt messages of `bytes` zeros with the nonces 1, 2, ... Return the time in nanoseconds, or -1. */
int64_t loop_seal(int what, size_t bytes, uint64_t messages) {
    struct timespec start, end;
    int made, last;
    /* OpenSSL does not continue a message after its tag. */
    if (bytes > MOST || !EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce)) return -1;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t i = 1; i <= messages; i++) {
        memcpy(nonce, &i, sizeof i);
        const uint8_t *again = what == MESSAGE_AND_KEY ? key : NULL;
        if (what != UPDATE && !EVP_EncryptInit_ex(context, NULL, NULL, again, nonce)) {
            return -1;
        }
        if (!EVP_EncryptUpdate(context, output, &made, input, (int)bytes)) return -1;
        if (what != UPDATE &&
            (!EVP_EncryptFinal_ex(context, output + made, &last) ||
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, output + bytes) <= 0)) {
            return -1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) * 1000000000 + (end.tv_nsec - start.tv_nsec);
}

/* Return the last sealed message with its tag. */
const uint8_t *loop_sealed(void) { return output; }

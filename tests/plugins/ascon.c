/*
 * Ascon-AEAD128 (NIST SP 800-232) with the legacy interfaces: crypto_aead_encrypt and crypto_aead_decrypt, and with
 * -DETH the functions of the ETH paper, which have no associated data. It is correct unless a macro adds a fault;
 * little-endian only.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
/* Statements executed after a message is sealed into `c` followed by its tag, or into `out` and `mac`. */
#ifndef ON_SEALED
#define ON_SEALED
#endif
/* Statements executed before a message is sealed, and before one is opened. */
#ifndef ON_SEAL
#define ON_SEAL
#endif
#ifndef ON_OPEN
#define ON_OPEN
#endif
/* Storage of the state of a message: with `static` the functions are not thread-safe. */
#ifndef STORAGE
#define STORAGE
#endif
/* Result of opening a message with a forged tag. */
#ifndef FORGED
#define FORGED -1
#endif

enum { RATE = 16, TAG_BYTES = 16 };

typedef struct {
    uint64_t x[5];
} ascon;

static uint64_t rotated(uint64_t word, unsigned by) { return word >> by | word << (64 - by); }

static void permute(ascon *s, unsigned rounds) {
    uint64_t *x = s->x;
    for (unsigned round = 12 - rounds; round < 12; round++) {
        uint64_t t[5];
        x[2] ^= (uint64_t)((15 - round) << 4 | round);
        x[0] ^= x[4], x[4] ^= x[3], x[2] ^= x[1];
        for (unsigned i = 0; i < 5; i++) t[i] = x[i] ^ (~x[(i + 1) % 5] & x[(i + 2) % 5]);
        t[1] ^= t[0], t[0] ^= t[4], t[3] ^= t[2], t[2] = ~t[2];
        x[0] = t[0] ^ rotated(t[0], 19) ^ rotated(t[0], 28);
        x[1] = t[1] ^ rotated(t[1], 61) ^ rotated(t[1], 39);
        x[2] = t[2] ^ rotated(t[2], 1) ^ rotated(t[2], 6);
        x[3] = t[3] ^ rotated(t[3], 10) ^ rotated(t[3], 17);
        x[4] = t[4] ^ rotated(t[4], 7) ^ rotated(t[4], 41);
    }
}

/* Encrypts or decrypts with the first bytes of the state, which then contain the ciphertext. */
static void crypt(ascon *s, const uint8_t *in, size_t bytes, uint8_t *out, int opening) {
    uint8_t *rate = (uint8_t *)s->x;
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t given = in[i], made = given ^ rate[i];
        if (out != NULL) out[i] = made;
        rate[i] = opening ? given : made;
    }
}

static void absorb(ascon *s, const uint8_t *in, size_t bytes, uint8_t *out, int opening) {
    for (; bytes >= RATE; bytes -= RATE, in += RATE) {
        crypt(s, in, RATE, out, opening);
        permute(s, 8);
        if (out != NULL) out += RATE;
    }
    crypt(s, in, bytes, out, opening);
    ((uint8_t *)s->x)[bytes] ^= 1;
}

static void run(const uint8_t *key, const uint8_t *nonce, const uint8_t *ad, size_t ad_bytes, const uint8_t *in,
                size_t bytes, uint8_t *out, uint8_t tag[TAG_BYTES], int opening) {
    STORAGE ascon s;
    uint64_t k[2];
    s.x[0] = 0x00001000808c0001u;
    memcpy(k, key, sizeof k);
    memcpy(s.x + 1, k, sizeof k);
    memcpy(s.x + 3, nonce, 16);
    permute(&s, 12);
    s.x[3] ^= k[0], s.x[4] ^= k[1];
    if (ad_bytes > 0) {
        absorb(&s, ad, ad_bytes, NULL, 0);
        permute(&s, 8);
    }
    s.x[4] ^= (uint64_t)1 << 63;
    absorb(&s, in, bytes, out, opening);
    s.x[2] ^= k[0], s.x[3] ^= k[1];
    permute(&s, 12);
    s.x[3] ^= k[0], s.x[4] ^= k[1];
    memcpy(tag, s.x + 3, TAG_BYTES);
}

#ifdef ETH

EXPORT size_t encrypt(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key, const uint8_t *iv,
                      size_t bytes);
EXPORT size_t decrypt(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key, const uint8_t *iv,
                      size_t bytes);

size_t encrypt(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key, const uint8_t *iv, size_t bytes) {
    ON_SEAL;
    run(key, iv, NULL, 0, in, bytes, out, mac, 0);
    ON_SEALED;
    return bytes;
}

size_t decrypt(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key, const uint8_t *iv, size_t bytes) {
    uint8_t right[TAG_BYTES];
    ON_OPEN;
    run(key, iv, NULL, 0, in, bytes, out, right, 1);
    return memcmp(right, mac, TAG_BYTES) == 0 ? bytes : (size_t)FORGED;
}

#else

#include "crypto_aead.h"

typedef unsigned long long length;

int crypto_aead_encrypt(uint8_t *c, length *clen, const uint8_t *m, length mlen, const uint8_t *ad, length adlen,
                        const uint8_t *nsec, const uint8_t *npub, const uint8_t *k) {
    (void)nsec;
    ON_SEAL;
    run(k, npub, ad, adlen, m, mlen, c, c + mlen, 0);
    *clen = mlen + TAG_BYTES;
    ON_SEALED;
    return 0;
}

int crypto_aead_decrypt(uint8_t *m, length *mlen, uint8_t *nsec, const uint8_t *c, length clen, const uint8_t *ad,
                        length adlen, const uint8_t *npub, const uint8_t *k) {
    uint8_t right[TAG_BYTES];
    (void)nsec;
    ON_OPEN;
    if (clen < TAG_BYTES) return -1;
    *mlen = clen - TAG_BYTES;
    run(k, npub, ad, adlen, c, *mlen, m, right, 1);
    return memcmp(right, c + *mlen, TAG_BYTES) == 0 ? 0 : FORGED;
}

#endif

/* The shapes eth-cipher and eth-hash: XOR with a repeated key of 32 bytes, and CRC-32C. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
/* Statements executed before the functions return. */
#ifndef ON_ENCRYPTED
#define ON_ENCRYPTED
#endif
#ifndef ON_HASHED
#define ON_HASHED
#endif
/* What the functions return. */
#ifndef RESULT
#define RESULT bytes
#endif

EXPORT size_t encrypt(const uint8_t *in, uint8_t *out, const uint8_t *key, const uint8_t *iv, size_t bytes) {
    (void)iv;
    for (size_t i = 0; i < bytes; i++) out[i] = in[i] ^ key[i % 32];
    ON_ENCRYPTED;
    return RESULT;
}

EXPORT size_t decrypt(const uint8_t *in, uint8_t *out, const uint8_t *key, const uint8_t *iv, size_t bytes) {
    (void)iv;
    for (size_t i = 0; i < bytes; i++) out[i] = in[i] ^ key[i % 32];
    return RESULT;
}

EXPORT size_t hash(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key, const uint8_t *iv, size_t bytes) {
    (void)out, (void)key, (void)iv;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= in[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    crc = ~crc;
    for (int i = 0; i < 4; i++) mac[i] = (uint8_t)(crc >> (24 - 8 * i));
    ON_HASHED;
    return RESULT;
}

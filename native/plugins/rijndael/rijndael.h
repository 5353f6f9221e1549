/* AES-128 by tables, as programs had it before processors had instructions for it; what the files here share. */
#ifndef AEADLAB_RIJNDAEL_H
#define AEADLAB_RIJNDAEL_H

#include <stddef.h>
#include <stdint.h>

enum { ROUNDS = 10, WORDS = 4 * (ROUNDS + 1), BLOCK = 16 };

/* The round keys, as big-endian words. */
struct schedule {
    uint32_t words[WORDS];
};

/* SubBytes and MixColumns in one: column `i` of the matrix times the S-box of a byte in its place. */
extern uint32_t rijndael_tables[4][256];
extern uint8_t rijndael_sbox[256];

/* A message in counter mode; `nonce` is the first counter block. */
typedef void rijndael_way(const struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                          uint8_t *out);

struct rijndael_ways {
    rijndael_way *plain, *counter_optimization, *full_unroll;
};

extern const struct rijndael_ways rijndael_ways_o2, rijndael_ways_o3;

#endif

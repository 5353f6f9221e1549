/* AES-128 with lookup tables, without AES instructions: the declarations that the files of this folder share. */
#ifndef AEADLAB_RIJNDAEL_H
#define AEADLAB_RIJNDAEL_H

#include "counter_mode.h"

enum { ROUNDS = 10, WORDS = 4 * (ROUNDS + 1) };

/* The round keys, as big-endian words. */
struct schedule {
    uint32_t words[WORDS];
    int rounds;
};

/* SubBytes and MixColumns combined: entry [i][b] is column i of the matrix times the S-box of b. */
extern uint32_t rijndael_tables[4][256];
extern uint8_t rijndael_sbox[256];

/* Encrypt a message in counter mode; `nonce` is the first counter block. */
typedef void rijndael_variant(struct schedule *schedule, const uint8_t nonce[BLOCK], const uint8_t *in, size_t bytes,
                              uint8_t *out);

struct rijndael_variants {
    rijndael_variant *plain, *counter_optimization, *full_unroll;
};

extern const struct rijndael_variants rijndael_variants_o2, rijndael_variants_o3;

#endif

/* Nettle behind aeadlab.h: the declarations that the files of this folder share. */
#ifndef AEADLAB_NETTLE_H
#define AEADLAB_NETTLE_H

#include "../rows.h"

#include <nettle/nettle-meta.h>

/* A block cipher is a struct of functions, which the modes of operation of Nettle take. */
struct block_cipher {
    const char *name;
    const struct nettle_cipher *nettle;
    int has_aeads;
    uint64_t flags;
};

extern const struct block_cipher block_ciphers[];
extern const size_t block_cipher_count;

void add_aeads(struct rows *rows);
void add_ciphers(struct rows *rows);
void add_hashes(struct rows *rows);
void add_macs(struct rows *rows);

/* Contexts of Nettle are plain memory that the caller has to wipe. */
static inline void wipe_and_free(void *memory, size_t bytes) {
    if (memory) {
        explicit_bzero(memory, bytes);
        free(memory);
    }
}

#endif

/*
 * aeadlab.h, version 1 of the C ABI: what runs an algorithm on one side, what is run on the other.
 *
 * A shared library that exports aeadlab_library_v1() can be listed, verified, timed and, if it is
 * an AEAD, made parallel by ParSplit. This file is the whole contract.
 *
 * Lifetime     A library is never unloaded. The descriptor and all it points to live until the process ends and
 *              never change. Every process that uses the library loads it anew; none forks while it is in use.
 * Threads      Everything reachable from the descriptor may be read by any thread. A context is used by one
 *              thread at a time, not always the same one. With AEADLAB_THREAD_SAFE any function may be called by
 *              several threads at once, with different contexts; without it the host makes one call of the library
 *              at a time. A thread of the host may have a stack of no more than 2 MiB.
 * Ownership    Every pointer argument belongs to the caller and is valid during the call only: what is needed later,
 *              such as the key, is copied. A context belongs to the caller from a successful key_new until key_free.
 * Buffers      `in` and `out` are `bytes` long and either do not overlap, or, with AEADLAB_IN_PLACE, are equal.
 *              Nothing outside `out` and `tag` may be written, nothing outside the arguments read. No alignment is
 *              promised. A pointer to zero bytes may be NULL.
 * Errors       A status, never an exception, a panic, a signal or exit(). After any status but AEADLAB_OK the content
 *              of `out` and `tag` is unspecified, and the host gives none of it to anybody. A context can be used
 *              again after a failed call.
 * Strings      UTF-8, ended by a zero byte. Names have lower-case letters, digits and - + . _ only.
 */
#ifndef AEADLAB_H
#define AEADLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AEADLAB_ABI_VERSION 1u

/* Status of a call. */
#define AEADLAB_OK 0
#define AEADLAB_AUTH_FAILED 1 /* open: the tag does not match */
#define AEADLAB_BAD_ARGUMENT 2 /* a length that the algorithm does not take */
#define AEADLAB_INTERNAL 3 /* anything else: out of memory, the library refused */

/* What an algorithm is: aeadlab_algorithm.kind. */
#define AEADLAB_AEAD 1u /* seal, open */
#define AEADLAB_CIPHER 2u /* encrypt, decrypt */
#define AEADLAB_HASH 3u /* digest; key_bytes = nonce_bytes = 0 */
#define AEADLAB_MAC 4u /* digest, with a key and perhaps a nonce */
#define AEADLAB_GENERATOR 5u /* generate */

/* aeadlab_algorithm.flags */
#define AEADLAB_IN_PLACE (1ull << 0) /* in == out is allowed */
#define AEADLAB_THREAD_SAFE (1ull << 1) /* different contexts in different threads at once */
#define AEADLAB_ANY_NONCE_LENGTH (1ull << 2) /* nonce_bytes is the usual length; others are taken too */
#define AEADLAB_OPEN_COMPUTES_TAG (1ull << 3) /* open computes the tag itself and compares it */
#define AEADLAB_UNIVERSAL_HASH (1ull << 4) /* a bare universal hash: not a MAC without masking */
#define AEADLAB_BASELINE (1ull << 5) /* a reference line such as memcpy: no security at all */
#define AEADLAB_RESEARCH (1ull << 6) /* not standardised, for study only */
#define AEADLAB_HISTORICAL (1ull << 7) /* broken, withdrawn, or not constant-time */
#define AEADLAB_NOT_CRYPTOGRAPHIC (1ull << 8) /* a checksum */
#define AEADLAB_PARALLEL (1ull << 9) /* uses several threads by itself: see aeadlab_set_threads */
#define AEADLAB_NO_ASSOCIATED_DATA (1ull << 10) /* an AEAD whose ad_bytes must be 0, else AEADLAB_BAD_ARGUMENT */
/* Other bits are 0. */

typedef struct aeadlab_algorithm aeadlab_algorithm;

/*
 * Makes a context: key set-up, and whatever else is needed once. `algorithm` is the entry the function was found
 * in, so that one function can serve a table of algorithms through `algorithm->data`. `key` is `key_bytes` long,
 * always algorithm->key_bytes (0 and NULL for a hash). On success *context is not NULL; after any other status it is
 * not looked at, and key_free is not called.
 * Threads: any. Lifetime: the context lives until key_free, across any number of messages.
 * Ownership: the key is the caller's, and is copied.
 */
typedef int32_t (*aeadlab_key_new_fn)(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                                      void **context);

/*
 * Frees a context and wipes the key material that it holds. NULL is not passed, nor a context twice.
 * Threads: any, perhaps another than key_new's; no call with the context is running.
 */
typedef void (*aeadlab_key_free_fn)(void *context);

/*
 * AEAD, one message. Writes `bytes` of ciphertext to `out` and algorithm->tag_bytes to `tag`.
 * The tag does not overlap the buffers, but may lie right behind `out`. A context seals and opens any number of
 * messages in any order; the host never repeats a nonce except to time the same call again. `nonce_bytes` is
 * algorithm->nonce_bytes unless AEADLAB_ANY_NONCE_LENGTH is set; a length that the algorithm does not take, of nonce or
 * message, is AEADLAB_BAD_ARGUMENT.
 * Threads: one at a time per context. Ownership: all buffers are the caller's; nothing of them is kept.
 */
typedef int32_t (*aeadlab_seal_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                   size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag);

/* AEAD, one message back, as above. AEADLAB_AUTH_FAILED if `tag` is not the tag of (nonce, ad, in), compared in a
 * time that does not depend on where it differs. `tag` is read, never written. */
typedef int32_t (*aeadlab_open_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                   size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out,
                                   const uint8_t *tag);

/* Cipher without authentication, `bytes` in and `bytes` out, no padding; `bytes` is a multiple of block_bytes. Each call
 * is a message of its own: a stream starts anew. Threads, nonces and ownership as for seal. */
typedef int32_t (*aeadlab_crypt_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                                    size_t bytes, uint8_t *out);

/* Hash or MAC of one message; writes algorithm->tag_bytes to `tag`. Threads, nonces and ownership as for seal. */
typedef int32_t (*aeadlab_digest_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                                     size_t bytes, uint8_t *tag);

/* Generator: the next `bytes` bytes of output, continuing where the last call ended. Threads as for seal. */
typedef int32_t (*aeadlab_generate_fn)(void *context, uint8_t *out, size_t bytes);

/* One algorithm. Functions that do not belong to its kind are NULL, those that do are not. Limits: keys and nonces
 * of 1024 bytes, tags of 64, blocks of 4096. */
struct aeadlab_algorithm {
    size_t struct_size; /* sizeof(aeadlab_algorithm) where the library was compiled */
    const char *name; /* lower case, the field's usual name: "aes-256-gcm" */
    const char *kernel; /* the code path that the library says it chose, or NULL */
    const void *data; /* the library's own */
    uint64_t flags;
    uint32_t kind;
    uint32_t key_bytes; /* 0 for a hash, at least 1 for a MAC */
    uint32_t nonce_bytes; /* 0 for a hash */
    uint32_t tag_bytes; /* tag or digest; 0 for a cipher or a generator, at least 1 for the others */
    uint32_t block_bytes; /* a message is a multiple of this; 1 = any length */
    uint32_t reserved; /* 0 */
    uint64_t max_bytes; /* longest message, of a generator output under one key; 0 = no limit of its own */
    aeadlab_key_new_fn key_new;
    aeadlab_key_free_fn key_free;
    aeadlab_seal_fn seal;
    aeadlab_open_fn open;
    aeadlab_crypt_fn encrypt;
    aeadlab_crypt_fn decrypt;
    aeadlab_digest_fn digest;
    aeadlab_generate_fn generate;
};

/* One library. `algorithms` is an array of 1 to 4096 pointers, so that an entry may grow in a later version; no two
 * entries have one name. */
typedef struct aeadlab_library {
    uint32_t abi_version; /* AEADLAB_ABI_VERSION */
    uint32_t reserved; /* 0 */
    size_t struct_size; /* sizeof(aeadlab_library) */
    const char *name; /* lower case: "openssl" */
    const char *version; /* what the library itself reports at run time */
    const char *build; /* compiler and flags, or NULL */
    size_t algorithm_count;
    const aeadlab_algorithm *const *algorithms;
} aeadlab_library;

#if defined(_WIN32)
#define AEADLAB_EXPORT __declspec(dllexport)
#else
#define AEADLAB_EXPORT __attribute__((visibility("default")))
#endif

/* The one symbol a plugin must export. Returns the same descriptor each time, or NULL if the library cannot work
 * on this machine. Called before anything else, from one thread; in a child process first, which has 30 seconds.
 * Ownership: the descriptor is the library's. */
AEADLAB_EXPORT const aeadlab_library *aeadlab_library_v1(void);

/* Optional exports, for implementations that are parallel themselves (the paper's thread and block-size modes) and
 * have the flag AEADLAB_PARALLEL. They apply to every later call of the library, with any context, and are called
 * while no other call is running; before each measurement, so that a number that was told before costs little.
 * `threads` is at least 1; `bytes` 0 is the library's own choice of blocks, which it always takes. They return
 * AEADLAB_OK or AEADLAB_BAD_ARGUMENT, and then nothing has changed. */
AEADLAB_EXPORT int32_t aeadlab_set_threads(size_t threads);
AEADLAB_EXPORT int32_t aeadlab_set_block_size(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif

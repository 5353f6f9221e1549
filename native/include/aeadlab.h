/*
 * aeadlab.h: the C ABI between implementations of cryptographic algorithms and the host, version 1.
 *
 * A plugin is a shared library that exports aeadlab_library_v1(). The host lists its algorithms, verifies them,
 * measures them and, for an AEAD, makes them parallel with ParSplit. This header is the complete contract.
 *
 * Lifetime     A plugin is never unloaded. The descriptor and everything it points to are valid and constant until the
 *              process ends. Each process that uses a plugin loads it anew; the host does not fork while it uses one.
 * Threads      Any thread may read the descriptor. A context is used by one thread at a time, which may be a different
 *              thread for each call. With AEADLAB_THREAD_SAFE the host calls any function from several threads at once,
 *              each with its own context; without it the host makes one call of the plugin at a time. A thread of the
 *              host may have a stack of only 2 MiB.
 * Ownership    The caller owns the memory of every pointer argument, and it is valid during the call only. A plugin
 *              copies what it needs later, such as the key. The caller owns a context from a successful key_new until
 *              key_free.
 * Buffers      `in` and `out` are `bytes` bytes long and disjoint or, with AEADLAB_IN_PLACE, equal. A function writes
 *              only to `out` and `tag` and reads only its arguments. Pointers have no guaranteed alignment. A pointer
 *              to zero bytes may be NULL.
 * Lengths      The host never passes a message longer than max_bytes, nor associated data longer than max_ad_bytes, and
 *              its caller gets an error that names both numbers. They are limits of one call: where the library counts
 *              in 32 bits, its limit is lower than that of the algorithm.
 * Errors       A function returns a status. It does not throw, panic, raise a signal or call exit(). After any status
 *              other than AEADLAB_OK the content of `out` and `tag` is unspecified, and the host discards it. A context
 *              remains usable after an error.
 * Strings      UTF-8 with a terminating zero byte. Names consist of lower-case letters, digits and - + . _
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
#define AEADLAB_BAD_ARGUMENT 2 /* key, nonce, associated data or length that the algorithm does not support */
#define AEADLAB_INTERNAL 3 /* any other error, such as lack of memory */

/* Kinds of algorithms: aeadlab_algorithm.kind. */
#define AEADLAB_AEAD 1u /* seal, open */
#define AEADLAB_CIPHER 2u /* encrypt, decrypt */
#define AEADLAB_HASH 3u /* digest; key_bytes = nonce_bytes = 0 */
#define AEADLAB_MAC 4u /* digest, with a key and an optional nonce */
#define AEADLAB_GENERATOR 5u /* generate */

/* Properties of algorithms: aeadlab_algorithm.flags. All other bits are 0. */
#define AEADLAB_IN_PLACE (1ull << 0) /* in == out is allowed */
#define AEADLAB_THREAD_SAFE (1ull << 1) /* several threads may use different contexts at once */
#define AEADLAB_ANY_NONCE_LENGTH (1ull << 2) /* nonce_bytes is the usual length; others are supported too */
#define AEADLAB_OPEN_COMPUTES_TAG (1ull << 3) /* open computes the tag itself and compares it */
#define AEADLAB_UNIVERSAL_HASH (1ull << 4) /* a universal hash: not a MAC unless its output is encrypted, as in GMAC */
#define AEADLAB_BASELINE (1ull << 5) /* a baseline such as memcpy, without any security */
#define AEADLAB_RESEARCH (1ull << 6) /* not standardised; for study only */
#define AEADLAB_HISTORICAL (1ull << 7) /* broken, withdrawn, or not constant-time */
#define AEADLAB_NOT_CRYPTOGRAPHIC (1ull << 8) /* a checksum */
#define AEADLAB_PARALLEL (1ull << 9) /* uses several threads by itself: see aeadlab_set_threads */
#define AEADLAB_NO_ASSOCIATED_DATA (1ull << 10) /* ad_bytes must be 0, otherwise AEADLAB_BAD_ARGUMENT */
#define AEADLAB_MANY (1ull << 11) /* an AEAD with seal_many and open_many */

/* Hints: aeadlab_blocks.hints. They never change a result, and unknown bits are ignored. */
#define AEADLAB_PAST_CACHE (1u << 0) /* `out` belongs to a message beyond the last-level cache: streaming stores pay */

typedef struct aeadlab_algorithm aeadlab_algorithm;

/*
 * Creates a context: sets up the key, and does all other work that is needed once.
 *
 * `algorithm` is the entry that contains this function pointer, so that one function can serve a table of algorithms
 * through `algorithm->data`. `key` has `key_bytes` bytes, which always equals algorithm->key_bytes (NULL and 0 for a
 * hash). On success the function stores a non-NULL pointer in *context. After any other status the host neither reads
 * *context nor calls key_free.
 *
 * Threads: any. Ownership: the caller owns the key, which the plugin copies, and on success the context.
 * Lifetime: the context is valid until key_free, for any number of messages.
 */
typedef int32_t (*aeadlab_key_new_fn)(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                                      void **context);

/*
 * Frees a context and wipes the key material that it holds. The host never passes NULL, nor a context twice.
 *
 * Threads: any, also another thread than that of key_new; no other call with the context is running.
 */
typedef void (*aeadlab_key_free_fn)(void *context);

/*
 * Seals one message with an AEAD: writes `bytes` bytes of ciphertext to `out` and algorithm->tag_bytes bytes to `tag`.
 *
 * `tag` does not overlap the other buffers, but may directly follow `out`. A context seals and opens any number of
 * messages in any order. The host passes a nonce again where verification or timing repeats a call. `nonce_bytes`
 * equals algorithm->nonce_bytes unless AEADLAB_ANY_NONCE_LENGTH is set. Returns AEADLAB_BAD_ARGUMENT for a nonce or
 * message length that the algorithm does not support.
 *
 * Threads: one at a time per context. Ownership: the caller owns all buffers; the plugin keeps no pointer to them.
 */
typedef int32_t (*aeadlab_seal_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                   size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag);

/*
 * Opens one message with an AEAD: writes `bytes` bytes of plaintext to `out`. `tag` is only read.
 *
 * Returns AEADLAB_AUTH_FAILED unless `tag` is the tag of (nonce, ad, in). The time of the comparison does not depend on
 * the position of a difference.
 *
 * Threads, nonces and ownership: as for seal.
 */
typedef int32_t (*aeadlab_open_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                   size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out,
                                   const uint8_t *tag);

/*
 * A run of consecutive blocks of one ParSplit message. Each block is a message of the AEAD. Block i, from 0 on, is read
 * at in + i * in_stride and written at out + i * out_stride; its tag is at tags + i * tag_stride.
 *
 * The nonce of block i follows STREAM: prefix, be32(index + i), and one byte that is `last` for the last block of the
 * run and 0 for the others. `nonce` is prefix, be32(index) and 0; index + count - 1 is at most 2^32 - 1.
 */
typedef struct aeadlab_blocks {
    const uint8_t *nonce;
    size_t nonce_bytes; /* algorithm->nonce_bytes, at least 12 */
    uint32_t last; /* 1 if the message ends with this run, otherwise 0 */
    uint32_t hints;
    const uint8_t *ad; /* the associated data of the first block; the others have none */
    size_t ad_bytes;
    size_t count; /* number of blocks, at least 1 */
    size_t block_bytes; /* length of each block but the last, at least 1 */
    size_t last_bytes; /* length of the last block, at most block_bytes; 0 only if count is 1 */
    const uint8_t *in;
    size_t in_stride; /* at least block_bytes, as out_stride */
    uint8_t *out;
    size_t out_stride;
    uint8_t *tags; /* written by seal_many, only read by open_many */
    size_t tag_stride; /* at least algorithm->tag_bytes */
} aeadlab_blocks;

/*
 * seal_many and open_many: the same bytes and the same result as one call of seal or open for each block, in less time.
 *
 * The blocks of `in` and `out` are disjoint or, with AEADLAB_IN_PLACE, equal, and then so are the strides. Tags may lie
 * between the blocks, but overlap none of them; bytes between blocks and tags are neither read nor written. `blocks` is
 * valid during the call only. open_many returns AEADLAB_AUTH_FAILED unless the tags of all blocks match, and the host
 * then discards the complete output.
 *
 * Threads and ownership: as for seal.
 */
typedef int32_t (*aeadlab_many_fn)(void *context, const aeadlab_blocks *blocks);

/*
 * Encrypts or decrypts one message with a cipher: reads and writes `bytes` bytes, a multiple of block_bytes, without
 * padding. Each call processes a separate message: a stream cipher starts again.
 *
 * Threads, nonces and ownership: as for seal.
 */
typedef int32_t (*aeadlab_crypt_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                                    size_t bytes, uint8_t *out);

/*
 * Computes the hash or MAC of one message: writes algorithm->tag_bytes bytes to `tag`.
 *
 * Threads, nonces and ownership: as for seal.
 */
typedef int32_t (*aeadlab_digest_fn)(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                                     size_t bytes, uint8_t *tag);

/*
 * Writes the next `bytes` bytes of a generator's output to `out`, which continue those of the previous call.
 *
 * Threads and ownership: as for seal.
 */
typedef int32_t (*aeadlab_generate_fn)(void *context, uint8_t *out, size_t bytes);

/*
 * An algorithm. The functions of its kind are set, all others are NULL. Keys and nonces have at most 1024 bytes, tags
 * at most 64, blocks at most 4096.
 *
 * Fields are only ever appended. The host reads none beyond struct_size, so that a plugin that was compiled with an
 * earlier header remains valid.
 */
struct aeadlab_algorithm {
    size_t struct_size; /* sizeof(aeadlab_algorithm) when the plugin was compiled */
    const char *name; /* the usual name in lower case: "aes-256-gcm" */
    const char *kernel; /* the code path that the library reports as selected, or NULL */
    const void *data; /* for the plugin's own use */
    uint64_t flags;
    uint32_t kind;
    uint32_t key_bytes; /* 0 for a hash, at least 1 for a MAC */
    uint32_t nonce_bytes; /* 0 for a hash */
    uint32_t tag_bytes; /* length of tag or digest; 0 for a cipher or generator, at least 1 otherwise */
    uint32_t block_bytes; /* message lengths are multiples of this; 1 = any length */
    uint32_t max_ad_bytes; /* longest associated data; 0 = unlimited */
    uint64_t max_bytes; /* longest message, or a generator's longest output for one key; 0 = unlimited */
    aeadlab_key_new_fn key_new;
    aeadlab_key_free_fn key_free;
    aeadlab_seal_fn seal;
    aeadlab_open_fn open;
    aeadlab_crypt_fn encrypt;
    aeadlab_crypt_fn decrypt;
    aeadlab_digest_fn digest;
    aeadlab_generate_fn generate;
    /* The first header ended here. Both are set with AEADLAB_MANY, and NULL without. */
    aeadlab_many_fn seal_many;
    aeadlab_many_fn open_many;
};

/*
 * The descriptor of a library. `algorithms` is an array of 1 to 4096 pointers to entries, which can therefore be longer
 * in a later version. No two entries have the same name.
 */
typedef struct aeadlab_library {
    uint32_t abi_version; /* AEADLAB_ABI_VERSION */
    uint32_t reserved; /* 0 */
    size_t struct_size; /* sizeof(aeadlab_library) */
    const char *name; /* lower case: "openssl" */
    const char *version; /* the version that the library reports at run time */
    const char *build; /* compiler and flags, or NULL */
    size_t algorithm_count;
    const aeadlab_algorithm *const *algorithms;
} aeadlab_library;

#if defined(_WIN32)
#define AEADLAB_EXPORT __declspec(dllexport)
#else
#define AEADLAB_EXPORT __attribute__((visibility("default")))
#endif

/*
 * The only required export. Returns the same descriptor for each call, or NULL if the library cannot be used on this
 * machine.
 *
 * Threads: one; the host calls it before any other function. It first calls it in a child process, which is limited to
 * 30 seconds. Ownership: the plugin owns the descriptor. Lifetime: until the process ends.
 */
AEADLAB_EXPORT const aeadlab_library *aeadlab_library_v1(void);

/*
 * Optional exports for algorithms with AEADLAB_PARALLEL: they set the thread count, at least 1, and the block size in
 * bytes, where 0 selects the library's default and is always supported. They apply to all later calls with any context.
 *
 * The host calls them before each measurement, so that a call with an unchanged value must be cheap. They return
 * AEADLAB_OK, or AEADLAB_BAD_ARGUMENT and change nothing.
 *
 * Threads: one, while no other call of the plugin is running.
 */
AEADLAB_EXPORT int32_t aeadlab_set_threads(size_t threads);
AEADLAB_EXPORT int32_t aeadlab_set_block_size(size_t bytes);

/*
 * Optional export: the environment variable that makes the library ignore CPU features, so that the host can time its
 * other code paths in a child process. `algorithm` is the name of an algorithm in the descriptor. Returns one of
 *   "OPENSSL_ia32cap:N"        N 64-bit words of feature bits, as OpenSSL reads them
 *   "BOTAN_CLEAR_CPUID", "AEADLAB_LIBGCRYPT_CLEAR"   a comma-separated list of features to ignore
 *   "NETTLE_FAT_OVERRIDE"      a comma-separated list of features to use
 *   "GLIBC_TUNABLES"           the tunable glibc.cpu.hwcaps
 *   "none: REASON"             there is no such variable; REASON is one clause
 * or NULL if the plugin does not declare it. The host treats any other text like NULL.
 *
 * Threads: any. Ownership: the plugin owns the string. Lifetime: until the process ends.
 */
AEADLAB_EXPORT const char *aeadlab_feature_switch(const char *algorithm);

#ifdef __cplusplus
}
#endif

#endif

/*
 * parsplit.h: the C API of ParSplit, which makes a single-threaded AEAD behind aeadlab.h parallel, and of standard
 * messages of AES-GCM and ChaCha20-Poly1305 on several threads.
 *
 * A message is split into blocks of equal size. Block i is sealed with the nonce prefix || be32(i) || last (STREAM:
 * Hoang, Reyhanitabar, Rogaway, Vizar, CRYPTO 2015), and the tags of all blocks follow the ciphertext. Opening returns
 * the whole message or nothing. docs/PARSPLIT-C.md describes building and linking, docs/SECURITY.md the guarantees.
 *
 * Threads      A handle is used by one thread at a time, which may be a different thread for each call. A call with a
 *              handle that is in use returns PARSPLIT_BAD_ARGUMENT and changes nothing. Any number of threads may use
 *              different handles at once, unless the algorithm lacks AEADLAB_THREAD_SAFE: then the caller ensures that
 *              only one call at a time uses its plugin. Each function below states further rules.
 * Ownership    The caller owns the memory of every pointer argument, and it is valid during the call only. Keys are
 *              copied.
 * Buffers      Pointers need no alignment. A pointer to zero bytes may be NULL. No function accesses memory beyond the
 *              given lengths.
 * Errors       A function returns a status. It does not raise a signal, call exit() or throw. If a function that seals
 *              or opens returns anything but PARSPLIT_OK, its output is unchanged (the error precedes the first block)
 *              or filled with zeros.
 * Stack        A call needs 64 KiB of stack, of which 12 KiB (40 KiB with algorithms for research) are overwritten.
 * Wiping       ParSplit and the implementation wipe keys when a handle is freed. Implementations leave keys in stack
 *              frames that have returned and in vector registers: ParSplit overwrites the registers and the stack below
 *              its frames, in its threads too. ParSplit wipes the output of a call that fails. The caller wipes its own
 *              copies of keys and plaintext: see parsplit_wipe.
 * fork         A child process may use the handles that no thread was using at the time of the fork; for all others
 *              functions return PARSPLIT_BAD_ARGUMENT. It starts threads and takes locks of its own. It seals no message
 *              with a nonce that its parent uses.
 */
#ifndef PARSPLIT_H
#define PARSPLIT_H

#include "aeadlab.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status of a call. The first four are those of aeadlab.h. */
#define PARSPLIT_OK 0
#define PARSPLIT_AUTH_FAILED 1 /* a tag does not match: wrong key, nonce or associated data, or changed data */
#define PARSPLIT_BAD_ARGUMENT 2 /* parsplit_last_error names the argument and what is expected */
#define PARSPLIT_INTERNAL 3 /* the implementation returned an error, or there is a bug in ParSplit */
#define PARSPLIT_INTERRUPTED 4 /* parsplit_interrupt ended the call */

/* The largest thread count. */
#define PARSPLIT_MAX_THREADS 256u

/*
 * Returns the message of the last call of this thread that returned an error, or "" if there was none. It contains no
 * secrets.
 *
 * Threads: any. Ownership: ParSplit owns the string. Lifetime: until this thread's next call that returns an error.
 */
AEADLAB_EXPORT const char *parsplit_last_error(void);

/*
 * Returns the version of this library, such as "0.1.0".
 *
 * Threads: any. Ownership: ParSplit owns the string. Lifetime: until the process ends.
 */
AEADLAB_EXPORT const char *parsplit_version(void);

/*
 * Overwrites `bytes` bytes with zeros; the compiler does not remove these writes. `memory` may be NULL.
 *
 * Threads: any, while no other thread uses the memory.
 */
AEADLAB_EXPORT void parsplit_wipe(void *memory, size_t bytes);

/*
 * Algorithms
 *
 * One algorithm is built in. All others come from plugins, which are shared libraries that export aeadlab_library_v1,
 * or from the program, which may define a constant aeadlab_algorithm. A descriptor is valid until the process ends.
 */

/*
 * Returns the built-in algorithm: AES-256-GCM of RustCrypto.
 *
 * Threads: any. Ownership: ParSplit owns the descriptor. Lifetime: until the process ends.
 */
AEADLAB_EXPORT const aeadlab_algorithm *parsplit_aes_256_gcm(void);

/*
 * Loads the plugin at `path` and stores its algorithm `name` in *algorithm; if `name` is NULL, the first algorithm that
 * ParSplit supports. This runs the plugin's code with the rights of the process.
 *
 * Threads: any. Ownership: the plugin owns the descriptor. Lifetime: until the process ends, since a plugin is never
 * unloaded.
 */
AEADLAB_EXPORT int32_t parsplit_load(const char *path, const char *name, const aeadlab_algorithm **algorithm);

/*
 * Handles
 *
 * A handle holds an algorithm, its key, and the settings for splitting messages.
 */
typedef struct parsplit parsplit;

typedef struct parsplit_options {
    size_t struct_size; /* sizeof(parsplit_options) */
    size_t block_size; /* bytes per block, at least 1; equal for sealing and opening */
    size_t threads; /* 1 to PARSPLIT_MAX_THREADS; 0 = one per available core, or 1 without AEADLAB_THREAD_SAFE */
    size_t serial_below; /* shorter messages, in bytes, are processed by the calling thread alone */
    const char *schedule; /* assignment of blocks to threads, a name in docs/SCHEDULES.md; NULL = "dynamic" */
} parsplit_options;

/* The default options, as an initialiser: `parsplit_options options = PARSPLIT_DEFAULTS;` */
#define PARSPLIT_DEFAULTS { sizeof(parsplit_options), (size_t)64 << 10, 0, (size_t)512 << 10, NULL }

/*
 * Creates a handle with a key of `key_bytes` bytes, which equals algorithm->key_bytes, and stores it in *handle. If
 * `options` is NULL, PARSPLIT_DEFAULTS applies. Rejects algorithms that are not AEADs, nonces shorter than 12 bytes,
 * and more than one thread without AEADLAB_THREAD_SAFE.
 *
 * Threads: any. Ownership: the caller owns the handle; the key is copied. Lifetime: the handle is valid until
 * parsplit_free; `algorithm` must be valid until the process ends.
 */
AEADLAB_EXPORT int32_t parsplit_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                                    const parsplit_options *options, parsplit **handle);

/*
 * Frees a handle and wipes its key. `handle` may be NULL.
 *
 * Threads: any, while no other call uses the handle, and none does later.
 */
AEADLAB_EXPORT void parsplit_free(parsplit *handle);

/*
 * Sets the thread count or the block size, in bytes, for later messages. The values are those of parsplit_options. An
 * error changes nothing. The key remains set up.
 *
 * Threads: one at a time per handle.
 */
AEADLAB_EXPORT int32_t parsplit_threads(parsplit *handle, size_t threads);
AEADLAB_EXPORT int32_t parsplit_block_size(parsplit *handle, size_t bytes);

/*
 * Store lengths in bytes:
 *   parsplit_nonce_bytes     of the nonce, which is 5 less than algorithm->nonce_bytes
 *   parsplit_sealed_bytes    of a sealed message, tags included, for a message of `bytes` bytes
 *   parsplit_tags_bytes      of all tags of a message of `bytes` bytes
 *   parsplit_opened_bytes    of the message in a sealed message of `sealed_bytes` bytes
 * They reject more than 2^32 blocks, and parsplit_opened_bytes also rejects lengths that no sealed message can have.
 *
 * Threads: one at a time per handle.
 */
AEADLAB_EXPORT int32_t parsplit_nonce_bytes(parsplit *handle, size_t *nonce_bytes);
AEADLAB_EXPORT int32_t parsplit_sealed_bytes(parsplit *handle, size_t bytes, size_t *sealed_bytes);
AEADLAB_EXPORT int32_t parsplit_tags_bytes(parsplit *handle, size_t bytes, size_t *tags_bytes);
AEADLAB_EXPORT int32_t parsplit_opened_bytes(parsplit *handle, size_t sealed_bytes, size_t *bytes);

/*
 * Seals the `bytes` bytes of `in`: writes the ciphertext followed by the tags to `out`.
 *
 * `out_bytes` is at least the length from parsplit_sealed_bytes. `in` and `out` are disjoint or, if the algorithm has
 * AEADLAB_IN_PLACE, equal. `nonce` and `ad` do not overlap `out`. The caller never uses a nonce twice with the same
 * key: ParSplit cannot detect it, and with most AEADs it breaks confidentiality and authenticity.
 *
 * Threads: one at a time per handle; when the function returns, no thread of ParSplit accesses the buffers any more.
 */
AEADLAB_EXPORT int32_t parsplit_seal(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                     size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out, size_t out_bytes);

/*
 * Opens the `sealed_bytes` bytes of `in`: writes the message to `out`.
 *
 * `out_bytes` is at least the length from parsplit_opened_bytes. If a tag does not match, returns PARSPLIT_AUTH_FAILED
 * and fills `out` with zeros; in place this destroys the ciphertext.
 *
 * Buffers and threads: as for parsplit_seal.
 */
AEADLAB_EXPORT int32_t parsplit_open(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                     size_t ad_bytes, const uint8_t *in, size_t sealed_bytes, uint8_t *out,
                                     size_t out_bytes);

/*
 * Seal and open with the tags in a separate buffer: `in` and `out` have `bytes` bytes, and `tags_bytes` is the length
 * from parsplit_tags_bytes. `tags` does not overlap `out`; when sealing it overlaps no other buffer either.
 *
 * Buffers and threads: as for parsplit_seal.
 */
AEADLAB_EXPORT int32_t parsplit_seal_detached(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes,
                                              const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes,
                                              uint8_t *out, uint8_t *tags, size_t tags_bytes);
AEADLAB_EXPORT int32_t parsplit_open_detached(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes,
                                              const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes,
                                              uint8_t *out, const uint8_t *tags, size_t tags_bytes);

/*
 * parsplit_interrupt ends the running call of a handle with PARSPLIT_INTERRUPTED as soon as the blocks in progress are
 * complete. All later calls that seal or open also return PARSPLIT_INTERRUPTED, until parsplit_resume. Both functions
 * only set or clear a flag. `handle` may be NULL.
 *
 * Threads: any, also while another thread uses the handle, and signal handlers. Lifetime: before parsplit_free.
 */
AEADLAB_EXPORT void parsplit_interrupt(parsplit *handle);
AEADLAB_EXPORT void parsplit_resume(parsplit *handle);

/*
 * One standard message
 *
 * These functions seal and open one message of AES-GCM or ChaCha20-Poly1305 on several threads. Ciphertext and tag are
 * those of any other implementation; no format and no block size of ParSplit is involved. docs/ONE-MESSAGE.md explains
 * how. A handle of these functions may be used by any number of threads at once.
 */
typedef struct parsplit_message parsplit_message;

/* The length of a tag in bytes, and the largest length of a part. */
#define PARSPLIT_TAG_BYTES 16u
#define PARSPLIT_MAX_PART_BYTES 49u

typedef struct parsplit_message_options {
    size_t struct_size; /* sizeof(parsplit_message_options) */
    size_t threads; /* 1 to PARSPLIT_MAX_THREADS; 0 = one per available core */
    size_t segment_bytes; /* bytes that a thread processes at a time, a multiple of 16; 0 = chosen for each message */
    size_t serial_below; /* shorter messages, in bytes, are processed by the calling thread alone */
    const char *schedule; /* assignment of segments to threads, a name in docs/SCHEDULES.md; NULL = "dynamic" */
} parsplit_message_options;

/* The default options, as an initialiser. */
#define PARSPLIT_MESSAGE_DEFAULTS { sizeof(parsplit_message_options), 0, 0, (size_t)512 << 10, NULL }

/*
 * Create a handle with a key, and store it in *handle. If `options` is NULL, PARSPLIT_MESSAGE_DEFAULTS applies.
 *   parsplit_message_new  the project's own code; `name` is "aes-gcm", with a key of 16, 24 or 32 bytes, or
 *                         "chacha20-poly1305", with one of 32 bytes
 *   parsplit_message_of   AES-GCM of a plugin or of the program, which takes nonces of 16 bytes and has
 *                         AEADLAB_THREAD_SAFE; rejected unless two segments equal one message
 *
 * Threads: any. Ownership: the caller owns the handle; the key is copied. Lifetime: the handle is valid until
 * parsplit_message_free; `algorithm` must be valid until the process ends.
 */
AEADLAB_EXPORT int32_t parsplit_message_new(const char *name, const uint8_t *key, size_t key_bytes,
                                            const parsplit_message_options *options, parsplit_message **handle);
AEADLAB_EXPORT int32_t parsplit_message_of(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                                           const parsplit_message_options *options, parsplit_message **handle);

/*
 * Frees a handle and wipes its key. `handle` may be NULL.
 *
 * Threads: any, while no other call uses the handle, and none does later.
 */
AEADLAB_EXPORT void parsplit_message_free(parsplit_message *handle);

/*
 * Seal and open the `bytes` bytes of `in` to `out` of the same length; the tag has PARSPLIT_TAG_BYTES bytes. A message
 * without text has GMAC as its tag.
 *
 * `in` and `out` are equal or disjoint. `nonce`, `ad` and `tag` do not overlap `out`. ChaCha20-Poly1305 takes nonces of
 * 12 bytes, AES-GCM of any length but 0, and at most 2^36 - 32 bytes of text. The caller never uses a nonce twice with
 * the same key. If the tag does not match, parsplit_message_open returns PARSPLIT_AUTH_FAILED and fills `out` with
 * zeros; in place this destroys the ciphertext.
 *
 * Threads: any; when the function returns, no thread of ParSplit accesses the buffers any more.
 */
AEADLAB_EXPORT int32_t parsplit_message_seal(const parsplit_message *handle, const uint8_t *nonce, size_t nonce_bytes,
                                             const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes,
                                             uint8_t *out, uint8_t *tag);
AEADLAB_EXPORT int32_t parsplit_message_open(const parsplit_message *handle, const uint8_t *nonce, size_t nonce_bytes,
                                             const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes,
                                             uint8_t *out, const uint8_t *tag);

/*
 * Seal a message of `message_bytes` bytes by parts, in any order, in any number of threads, processes and machines.
 *
 * parsplit_message_seal_part seals the `bytes` bytes at `offset` to `out` and writes a part of
 * parsplit_message_part_bytes bytes to `part`. Offsets and lengths are multiples of 16, except for the length of the
 * part that ends the message. parsplit_message_finish takes `part_count` parts, one directly after the other and in any
 * order, and writes the tag. It rejects a part that is missing, repeated, overlaps another or belongs to another
 * message. Nonce, associated data and `message_bytes` are the same in all calls; a nonce is used for one message only.
 *
 * A part is as secret as the key: with the ciphertext it reveals the key of the hash, and so allows forgeries.
 *
 * Buffers and threads: as for parsplit_message_seal; `part` does not overlap `out`.
 */
AEADLAB_EXPORT int32_t parsplit_message_part_bytes(const parsplit_message *handle, size_t *part_bytes);
AEADLAB_EXPORT int32_t parsplit_message_seal_part(const parsplit_message *handle, const uint8_t *nonce,
                                                  size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                                                  uint64_t message_bytes, uint64_t offset, const uint8_t *in,
                                                  size_t bytes, uint8_t *out, uint8_t *part);
AEADLAB_EXPORT int32_t parsplit_message_finish(const parsplit_message *handle, const uint8_t *nonce, size_t nonce_bytes,
                                               const uint8_t *ad, size_t ad_bytes, uint64_t message_bytes,
                                               const uint8_t *parts, size_t part_count, uint8_t *tag);

/* parsplit_interrupt and parsplit_resume for the calls of this handle that seal or open whole messages. */
AEADLAB_EXPORT void parsplit_message_interrupt(parsplit_message *handle);
AEADLAB_EXPORT void parsplit_message_resume(parsplit_message *handle);

/*
 * One call per message
 *
 * The interface of Engljaehringer et al., "Authenticated Encryption: A Comprehensive Benchmark". Each call sets up the
 * key and uses the algorithm, thread count and block size that are set for the process when the call begins. Threads:
 * any number at once, for all functions.
 */

/* The result of parsplit_encrypt, parsplit_decrypt and parsplit_mac_bytes after an error. If `bytes` is SIZE_MAX, which
 * no message can have, the first two return 0 instead. */
#define PARSPLIT_FAILED SIZE_MAX

/*
 * Sets the algorithm of later calls. NULL selects parsplit_aes_256_gcm(), which is the default.
 *
 * Lifetime: `algorithm` must be valid until the process ends.
 */
AEADLAB_EXPORT int32_t parsplit_use(const aeadlab_algorithm *algorithm);

/* Set the thread count, and the block size in bytes, of later calls. 0 selects the default: one thread per available
 * core, or 1 without AEADLAB_THREAD_SAFE, and 64 KiB. */
AEADLAB_EXPORT int32_t parsplit_set_threads(size_t threads);
AEADLAB_EXPORT int32_t parsplit_set_block_size(size_t bytes);

/* Returns the length of `mac` in bytes for a message of `bytes` bytes, one tag per block; PARSPLIT_FAILED if no message
 * can have this length. */
AEADLAB_EXPORT size_t parsplit_mac_bytes(size_t bytes);

/*
 * Seal and open the `bytes` bytes of `in`, without associated data, to `out`, which is equal to `in` or disjoint.
 *
 * `key` has algorithm->key_bytes bytes, `iv` 5 bytes less than algorithm->nonce_bytes (7 for AES-GCM), and `mac`
 * parsplit_mac_bytes(bytes) bytes. ParSplit cannot check these three lengths. Sealing writes `mac`, opening reads it.
 * Both return `bytes`; any other value reports an error, after which `out` is unchanged or filled with zeros.
 */
AEADLAB_EXPORT size_t parsplit_encrypt(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key,
                                       const uint8_t *iv, size_t bytes);
AEADLAB_EXPORT size_t parsplit_decrypt(const uint8_t *in, uint8_t *out, const uint8_t *mac, const uint8_t *key,
                                       const uint8_t *iv, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif

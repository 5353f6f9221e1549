/*
 * parsplit.h: ParSplit from C. Any single-threaded AEAD behind aeadlab.h, over many threads.
 *
 * A message is cut into blocks of one size, block i is sealed under the nonce prefix || be32(i) || last (STREAM, Hoang,
 * Reyhanitabar, Rogaway, Vizar, CRYPTO 2015), and the tags stand behind the ciphertext. Opening is all or nothing.
 * docs/PARSPLIT-C.md says how to build and link; docs/SECURITY.md what is promised.
 *
 * Threads      A handle is used by one thread at a time, not always the same one: a call on a handle that is in use is
 *              refused with PARSPLIT_BAD_ARGUMENT and touches nothing. Different handles are used by any number of
 *              threads at once, unless their algorithm lacks AEADLAB_THREAD_SAFE: then the caller sees to it that one
 *              call at a time is made of all that use its library. What else holds is said per function.
 * Ownership    Every pointer argument belongs to the caller and is valid during the call only; keys are copied.
 * Buffers      No alignment is asked for. A pointer to zero bytes may be NULL. Nothing outside the lengths is touched.
 * Errors       A status, never a signal, exit() or an exception. After any status but PARSPLIT_OK of a call that seals
 *              or opens, the output is either as it was, when the call was refused before any work, or zeros.
 * Wiping       Keys are wiped when a handle is freed, by the implementation and here; so is what a call that failed
 *              had written. The caller wipes its own copies: parsplit_wipe.
 * fork         The child of a fork may use the handles that nobody was using when it forked: it starts its own threads.
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
#define PARSPLIT_BAD_ARGUMENT 2 /* parsplit_last_error says which and what was wanted */
#define PARSPLIT_INTERNAL 3 /* the implementation refused a block, or a bug */
#define PARSPLIT_INTERRUPTED 4 /* parsplit_interrupt ended it */

/* The largest thread count. */
#define PARSPLIT_MAX_THREADS 256u

/* Why the last call of this thread that did not return PARSPLIT_OK did not; "" before. Holds no secrets.
 * Threads: any. Lifetime: until this thread's next call that fails. Ownership: ParSplit's. */
AEADLAB_EXPORT const char *parsplit_last_error(void);

/* The version of this library, such as "0.1.0". Threads: any. Lifetime: the process's. */
AEADLAB_EXPORT const char *parsplit_version(void);

/* Writes zeros that no compiler leaves out. Threads: any, nobody else using the memory. */
AEADLAB_EXPORT void parsplit_wipe(void *memory, size_t bytes);

/*
 * Algorithms. ParSplit contains one; all others come from shared libraries that export aeadlab_library_v1, or from the
 * program itself, which may fill in a constant aeadlab_algorithm of its own. A descriptor lives until the process ends.
 */

/* AES-256-GCM of RustCrypto, compiled in. Threads: any. */
AEADLAB_EXPORT const aeadlab_algorithm *parsplit_aes_256_gcm(void);

/* Loads the plugin at `path`, which is never unloaded, and finds the algorithm `name` in it; with NULL the first that
 * ParSplit can use. Runs the file's code with the rights of this process.
 * Threads: any. Lifetime: *algorithm stays valid until the process ends. */
AEADLAB_EXPORT int32_t parsplit_load(const char *path, const char *name, const aeadlab_algorithm **algorithm);

/*
 * Handles: an algorithm, its key, and how messages are cut.
 */
typedef struct parsplit parsplit;

typedef struct parsplit_options {
    size_t struct_size; /* sizeof(parsplit_options) */
    size_t block_size; /* bytes per block, at least 1; both sides must agree on it */
    size_t threads; /* 1 to PARSPLIT_MAX_THREADS; 0 = as many as this process may use, 1 if not AEADLAB_THREAD_SAFE */
    size_t serial_below; /* messages of fewer bytes stay on the caller's thread */
    const char *schedule; /* who does which block, a name of docs/SCHEDULES.md; NULL = "dynamic" */
} parsplit_options;

/* Where to start from: `parsplit_options options = PARSPLIT_DEFAULTS;`, and then what differs. */
#define PARSPLIT_DEFAULTS { sizeof(parsplit_options), (size_t)64 << 10, 0, (size_t)512 << 10, NULL }

/* Makes a handle and sets up the key, `key_bytes` being algorithm->key_bytes. `options` NULL means PARSPLIT_DEFAULTS.
 * Refused are what is no AEAD, nonces under 12 bytes, several threads without AEADLAB_THREAD_SAFE.
 * Threads: any. Lifetime: *handle lives until parsplit_free; `algorithm` as long as the process. Ownership: the handle
 * is the caller's; the key is copied. */
AEADLAB_EXPORT int32_t parsplit_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                                    const parsplit_options *options, parsplit **handle);

/* Frees a handle and wipes its key. NULL is allowed. No call on the handle is running, nor comes after. */
AEADLAB_EXPORT void parsplit_free(parsplit *handle);

/* For the messages from now on; refused values change nothing. Keys that were set up are kept. Threads: as a handle. */
AEADLAB_EXPORT int32_t parsplit_threads(parsplit *handle, size_t threads);
AEADLAB_EXPORT int32_t parsplit_block_size(parsplit *handle, size_t bytes);

/* Lengths in bytes: of the nonce, which is the algorithm's less 5; of a message sealed, tags included; of all its tags;
 * of the message in `sealed_bytes`. Refused are more than 2^32 blocks, and lengths that no message has. */
AEADLAB_EXPORT int32_t parsplit_nonce_bytes(parsplit *handle, size_t *nonce_bytes);
AEADLAB_EXPORT int32_t parsplit_sealed_bytes(parsplit *handle, size_t bytes, size_t *sealed_bytes);
AEADLAB_EXPORT int32_t parsplit_tags_bytes(parsplit *handle, size_t bytes, size_t *tags_bytes);
AEADLAB_EXPORT int32_t parsplit_opened_bytes(parsplit *handle, size_t sealed_bytes, size_t *bytes);

/*
 * Seals `bytes` of `in` into `out`: ciphertext, then the tags. `out_bytes` is at least parsplit_sealed_bytes. `in` and
 * `out` are apart, or equal where the algorithm has AEADLAB_IN_PLACE; `ad` is apart from `out`. `nonce` is never used
 * twice with one key: ParSplit cannot notice it, and with most AEADs it breaks everything.
 * Threads: as a handle; returns when its own threads are done with the buffers.
 */
AEADLAB_EXPORT int32_t parsplit_seal(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                     size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out, size_t out_bytes);

/* Opens `sealed_bytes` of `in` into `out`; `out_bytes` is at least parsplit_opened_bytes. Buffers and threads as for
 * parsplit_seal. If any tag does not match: PARSPLIT_AUTH_FAILED, and zeros in `out`; in place the ciphertext is lost.
 */
AEADLAB_EXPORT int32_t parsplit_open(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad,
                                     size_t ad_bytes, const uint8_t *in, size_t sealed_bytes, uint8_t *out,
                                     size_t out_bytes);

/* The same with the tags elsewhere: `bytes` in and `bytes` out, `tags_bytes` being parsplit_tags_bytes of them. `tags`
 * is apart from `out`, and when sealing from `in`. */
AEADLAB_EXPORT int32_t parsplit_seal_detached(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes,
                                              const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes,
                                              uint8_t *out, uint8_t *tags, size_t tags_bytes);
AEADLAB_EXPORT int32_t parsplit_open_detached(parsplit *handle, const uint8_t *nonce, size_t nonce_bytes,
                                              const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes,
                                              uint8_t *out, const uint8_t *tags, size_t tags_bytes);

/* Ends the call that is running on the handle at the end of the blocks in work, and every later one, with
 * PARSPLIT_INTERRUPTED, until parsplit_resume. Does nothing but store a word.
 * Threads: any, and signal handlers, while the handle lives. */
AEADLAB_EXPORT void parsplit_interrupt(parsplit *handle);
AEADLAB_EXPORT void parsplit_resume(parsplit *handle);

/*
 * The paper's shape: one call per message, key set-up included. What a handle keeps is set for the process: each call
 * takes what was set when it began. Threads: any, at once.
 */

/* What these calls return where they failed; with bytes == SIZE_MAX, which no message has, 0. Anything but `bytes`. */
#define PARSPLIT_FAILED SIZE_MAX

/* The algorithm of later calls; NULL = parsplit_aes_256_gcm(), which it is at first. */
AEADLAB_EXPORT int32_t parsplit_use(const aeadlab_algorithm *algorithm);
/* Threads and bytes per block of later calls. At first, and with 0, as many threads as this process may use and
 * 64 KiB. */
AEADLAB_EXPORT int32_t parsplit_set_threads(size_t threads);
AEADLAB_EXPORT int32_t parsplit_set_block_size(size_t bytes);

/* Bytes of `mac` for a message: a tag per block. PARSPLIT_FAILED where no message has this length. */
AEADLAB_EXPORT size_t parsplit_mac_bytes(size_t bytes);

/* Seals and opens `bytes` of `in` into `out`, equal or apart, without associated data. `key` has the algorithm's
 * length, `iv` its nonce's less 5 (7 for AES-GCM), `mac` has parsplit_mac_bytes(bytes): nothing can check that they
 * do. Only when sealing is `mac` written. They return `bytes`; anything else is a failure, with `out` as after
 * parsplit_seal. */
AEADLAB_EXPORT size_t parsplit_encrypt(const uint8_t *in, uint8_t *out, uint8_t *mac, const uint8_t *key,
                                       const uint8_t *iv, size_t bytes);
AEADLAB_EXPORT size_t parsplit_decrypt(const uint8_t *in, uint8_t *out, const uint8_t *mac, const uint8_t *key,
                                       const uint8_t *iv, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif

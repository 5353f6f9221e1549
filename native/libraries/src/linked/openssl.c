/*
 * OpenSSL 3 through EVP. This file serves the vendored OpenSSL that is linked into the extension and, as the plugin
 * openssl-system, the one of the computer. Algorithms that an OpenSSL lacks are detected at run time and not listed.
 *
 * Contexts are reused: EVP starts a new message under the old key when it is initialised without a key. Some algorithms
 * allocate for each message although their context is reused: GCM-SIV, which fetches AES for the keys that it derives
 * from the nonce, SIV, KMAC, and in version 3.0 all digests and their HMACs.
 */
#include "aeadlab.h"
#include "openssl/callers.h"

/* AES_encrypt, deprecated since 3.0, is listed for comparison. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* EVP takes lengths as int. A chunk is a multiple of every block size, so chunks do not change the result. */
#define CHUNK_BYTES ((size_t)1 << 30)
#define MAX_KEY_BYTES 64
#define TAG_BYTES 16
/* The nonce has the length of a block. */
#define BLOCK_SIZED UINT32_MAX

/* Properties by which the calls of algorithms differ. */
enum {
    WHOLE_BLOCKS = 1 << 0, /* messages are whole blocks, since nothing is padded here */
    SYMMETRIC = 1 << 1, /* decryption equals encryption */
    COUNTER_FIRST = 1 << 2, /* EVP's IV is a 32-bit counter, then the nonce */
    ANY_NONCE = 1 << 3, /* nonces of any length */
    LENGTH_FIRST = 1 << 4, /* the length of the message is set before the message */
    ONE_UPDATE = 1 << 5, /* a message is one update, also if it is empty, and so are associated data */
    EMPTY_AD = 1 << 6, /* empty associated data is a component that must be passed */
    KEEPS_AD = 1 << 7, /* a context keeps the associated data of the last message until it gets empty ones */
    NONCE_IS_AD = 1 << 8, /* RFC 5297 section 3: the nonce is the last component of the associated data */
    SINGLE_USE = 1 << 9, /* a context serves one message, so each message takes a copy */
    REKEYED = 1 << 10, /* each message sets the key again: the last message consumed it, or it is a one-time key */
    XOF = 1 << 11, /* the digest can have any length */
    SETTABLE_SIZE = 1 << 12, /* the length of the digest is a parameter */
    HAS_HMAC = 1 << 13,
};

struct mode {
    const char *name;
    const char *evp;
    uint32_t kind;
    uint32_t keys; /* number of keys of the block cipher */
    uint32_t nonce_bytes;
    uint32_t traits;
    uint64_t max_bytes;
};

static const struct mode MODES[] = {
    {"ecb", "ECB", AEADLAB_CIPHER, 1, 0, WHOLE_BLOCKS, 0},
    {"cbc", "CBC", AEADLAB_CIPHER, 1, BLOCK_SIZED, WHOLE_BLOCKS, 0},
    {"ctr", "CTR", AEADLAB_CIPHER, 1, BLOCK_SIZED, SYMMETRIC, 0},
    {"cfb", "CFB", AEADLAB_CIPHER, 1, BLOCK_SIZED, 0, 0},
    {"ofb", "OFB", AEADLAB_CIPHER, 1, BLOCK_SIZED, SYMMETRIC, 0},
    /* IEEE 1619: a data unit has at most 2^20 blocks. */
    {"xts", "XTS", AEADLAB_CIPHER, 2, 16, ONE_UPDATE, 1 << 24},
    /* SP 800-38D: a plaintext has at most 2^39 - 256 bits. */
    {"gcm", "GCM", AEADLAB_AEAD, 1, 12, ANY_NONCE, (1ull << 36) - 32},
    /* A nonce of 12 bytes leaves 3 bytes for the message length. */
    {"ccm", "CCM", AEADLAB_AEAD, 1, 12, LENGTH_FIRST | ONE_UPDATE, (1 << 24) - 1},
    {"ocb", "OCB", AEADLAB_AEAD, 1, 12, ANY_NONCE, 0},
    {"gcm-siv", "GCM-SIV", AEADLAB_AEAD, 1, 12, ONE_UPDATE | KEEPS_AD, INT_MAX},
    {"siv", "SIV", AEADLAB_AEAD, 2, 16, ONE_UPDATE | EMPTY_AD | NONCE_IS_AD | ANY_NONCE | SINGLE_USE, INT_MAX},
};

/* Stream ciphers: `evp` is the whole EVP name, and `keys` the length of the key in bytes. */
static const struct mode STREAMS[] = {
    /* RFC 8439 section 2.8: a 32-bit counter of 64-byte blocks, the first of which is the key of Poly1305. */
    {"chacha20-poly1305", "ChaCha20-Poly1305", AEADLAB_AEAD, 32, 12, 0, (1ull << 38) - 64},
    {"chacha20", "ChaCha20", AEADLAB_CIPHER, 32, 12, SYMMETRIC | COUNTER_FIRST, 1ull << 38},
    {"rc4", "RC4", AEADLAB_CIPHER, 16, 0, SYMMETRIC | REKEYED, 0},
};

/* Names and MACs of a block cipher. */
enum {
    NAME_HAS_BITS = 1 << 0, /* our name contains the key length */
    EVP_NAME_HAS_BITS = 1 << 1, /* EVP's name contains the key length */
    HAS_CMAC = 1 << 2,
    HAS_GMAC = 1 << 3,
};

static const struct block_cipher {
    const char *name;
    const char *evp;
    uint32_t key_bits[3]; /* ends with 0 */
    uint32_t traits;
    uint32_t block_bytes;
    uint64_t flags;
} BLOCK_CIPHERS[] = {
    {"aes", "AES", {128, 192, 256}, NAME_HAS_BITS | EVP_NAME_HAS_BITS | HAS_CMAC | HAS_GMAC, 16, 0},
    {"aria", "ARIA", {128, 192, 256}, NAME_HAS_BITS | EVP_NAME_HAS_BITS | HAS_CMAC, 16, 0},
    {"camellia", "CAMELLIA", {128, 192, 256}, NAME_HAS_BITS | EVP_NAME_HAS_BITS | HAS_CMAC, 16, 0},
    {"sm4", "SM4", {128}, HAS_CMAC, 16, 0},
    {"3des", "DES-EDE3", {192}, HAS_CMAC, 8, AEADLAB_HISTORICAL},
    {"des", "DES", {64}, 0, 8, AEADLAB_HISTORICAL},
    {"blowfish", "BF", {128}, NAME_HAS_BITS, 8, AEADLAB_HISTORICAL},
    {"cast5", "CAST5", {128}, NAME_HAS_BITS, 8, AEADLAB_HISTORICAL},
};

static const struct digest {
    const char *name;
    const char *evp;
    uint32_t bytes;
    uint32_t traits;
    uint64_t flags;
} DIGESTS[] = {
    {"md4", "MD4", 16, 0, AEADLAB_HISTORICAL},
    {"md5", "MD5", 16, HAS_HMAC, AEADLAB_HISTORICAL},
    {"sha-1", "SHA1", 20, HAS_HMAC, AEADLAB_HISTORICAL},
    {"sha-224", "SHA2-224", 28, HAS_HMAC, 0},
    {"sha-256", "SHA2-256", 32, HAS_HMAC, 0},
    {"sha-384", "SHA2-384", 48, HAS_HMAC, 0},
    {"sha-512", "SHA2-512", 64, HAS_HMAC, 0},
    {"sha-512-224", "SHA2-512/224", 28, HAS_HMAC, 0},
    {"sha-512-256", "SHA2-512/256", 32, HAS_HMAC, 0},
    {"sha3-224", "SHA3-224", 28, HAS_HMAC, 0},
    {"sha3-256", "SHA3-256", 32, HAS_HMAC, 0},
    {"sha3-384", "SHA3-384", 48, HAS_HMAC, 0},
    {"sha3-512", "SHA3-512", 64, HAS_HMAC, 0},
    {"keccak-224", "KECCAK-224", 28, 0, 0},
    {"keccak-256", "KECCAK-256", 32, 0, 0},
    {"keccak-384", "KECCAK-384", 48, 0, 0},
    {"keccak-512", "KECCAK-512", 64, 0, 0},
    {"shake-128", "SHAKE-128", 32, XOF, 0},
    {"shake-256", "SHAKE-256", 64, XOF, 0},
    {"sm3", "SM3", 32, HAS_HMAC, 0},
    {"ripemd-160", "RIPEMD-160", 20, HAS_HMAC, 0},
    {"whirlpool", "WHIRLPOOL", 64, 0, 0},
    {"blake2b-256", "BLAKE2B-512", 32, SETTABLE_SIZE, 0},
    {"blake2b-512", "BLAKE2B-512", 64, 0, 0},
    {"blake2s-256", "BLAKE2S-256", 32, 0, 0},
};

struct mac {
    const char *name;
    const char *evp;
    uint32_t key_bytes;
    uint32_t tag_bytes;
    uint32_t traits;
    uint32_t rounds[2]; /* SipHash: compression and finalisation rounds */
    uint64_t flags;
};

static const struct mac MACS[] = {
    {"kmac-128", "KMAC-128", 32, 32, 0, {0}, 0},
    {"kmac-256", "KMAC-256", 32, 64, 0, {0}, 0},
    {"poly1305", "POLY1305", 32, 16, REKEYED, {0}, AEADLAB_UNIVERSAL_HASH},
    {"siphash-2-4", "SIPHASH", 16, 8, 0, {2, 4}, 0},
    {"siphash-1-3", "SIPHASH", 16, 8, 0, {1, 3}, 0},
    {"blake2b-keyed", "BLAKE2BMAC", 32, 64, 0, {0}, 0},
    {"blake2s-keyed", "BLAKE2SMAC", 32, 32, 0, {0}, 0},
};

/* An entry of the descriptor; its `algorithm.data` points back to it. A method, a caller or both are set. */
struct row {
    aeadlab_algorithm algorithm;
    char name[32];
    EVP_CIPHER *cipher;
    EVP_MD *digest;
    EVP_MAC *mac;
    openssl_caller *caller; /* counter mode outside OpenSSL */
    uint32_t traits;
    uint32_t rounds[2];
    const char *primitive_parameter; /* the parameter that names the cipher or digest of a MAC */
    char primitive[32];
};

static struct row rows[256];
static const aeadlab_algorithm *algorithms[sizeof rows / sizeof *rows];
static size_t row_count;

/* Empty the thread's queue of errors and return `status`. Another user of the same OpenSSL, such as Python's ssl
 * module, would take the errors for its own. */
static int32_t failed(int32_t status) {
    ERR_clear_error();
    return status;
}

static const struct row *row_of(const aeadlab_algorithm *algorithm) {
    return (const struct row *)algorithm->data;
}

/* EVP fixes the direction with the key. The context of a direction is created when it is first needed. */
struct cipher_keys {
    const struct row *row;
    EVP_CIPHER_CTX *contexts[2]; /* to decrypt, to encrypt */
    size_t nonce_bytes[2]; /* the nonce length that is set in each */
    EVP_CIPHER_CTX *copy;
    uint8_t key[MAX_KEY_BYTES];
};

static int32_t cipher_key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                              void **context) {
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct cipher_keys *keys = calloc(1, sizeof *keys);
    if (keys == NULL) {
        return AEADLAB_INTERNAL;
    }
    keys->row = row_of(algorithm);
    memcpy(keys->key, key, key_bytes);
    *context = keys;
    return AEADLAB_OK;
}

static void cipher_key_free(void *context) {
    struct cipher_keys *keys = context;
    EVP_CIPHER_CTX_free(keys->contexts[0]);
    EVP_CIPHER_CTX_free(keys->contexts[1]);
    EVP_CIPHER_CTX_free(keys->copy);
    OPENSSL_cleanse(keys, sizeof *keys);
    free(keys);
}

static int set_key(const struct cipher_keys *keys, EVP_CIPHER_CTX *context, int encrypt) {
    const struct row *row = keys->row;
    const aeadlab_algorithm *a = &row->algorithm;
    /* SM4-XTS has two standards, and no other library has its default, GB/T 17964. Others ignore the parameter. */
    char standard[] = "IEEE";
    const OSSL_PARAM ieee[] = {OSSL_PARAM_construct_utf8_string("xts_standard", standard, 0), OSSL_PARAM_END};
    const int is_xts = EVP_CIPHER_get_mode(row->cipher) == EVP_CIPH_XTS_MODE;
    if (!EVP_CipherInit_ex(context, row->cipher, NULL, NULL, NULL, encrypt)) {
        return 0;
    }
    if (is_xts && !EVP_CIPHER_CTX_set_params(context, ieee)) {
        return 0;
    }
    /* CCM's key set-up depends on the lengths of nonce and tag. */
    if (row->traits & LENGTH_FIRST &&
        (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)a->nonce_bytes, NULL) <= 0 ||
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, NULL) <= 0)) {
        return 0;
    }
    if (!EVP_CipherInit_ex(context, NULL, NULL, keys->key, NULL, encrypt)) {
        return 0;
    }
    /* With padding, decryption holds back the last block. Encryption pads in EVP_CipherFinal, which is not called. */
    return encrypt || !(row->traits & WHOLE_BLOCKS) || EVP_CIPHER_CTX_set_padding(context, 0);
}

/* Return the keyed context of a direction, or NULL. */
static EVP_CIPHER_CTX *keyed_context(struct cipher_keys *keys, int encrypt) {
    if (keys->contexts[encrypt] == NULL) {
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        if (context == NULL || !set_key(keys, context, encrypt)) {
            EVP_CIPHER_CTX_free(context);
            return NULL;
        }
        keys->nonce_bytes[encrypt] = (size_t)EVP_CIPHER_CTX_get_iv_length(context);
        keys->contexts[encrypt] = context;
    }
    if (!(keys->row->traits & SINGLE_USE)) {
        return keys->contexts[encrypt];
    }
    /* SIV keeps its input until a key is set, and setting one fetches algorithms and allocates more than a copy. */
    if (keys->copy == NULL && (keys->copy = EVP_CIPHER_CTX_new()) == NULL) {
        return NULL;
    }
    return EVP_CIPHER_CTX_copy(keys->copy, keys->contexts[encrypt]) ? keys->copy : NULL;
}

/* Pass input in chunks. With `out` NULL it is associated data, and `written` is not used. */
static int update(EVP_CIPHER_CTX *context, const uint8_t *in, size_t bytes, uint8_t *out, size_t *written) {
    for (;;) {
        const size_t chunk = bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES;
        int produced = 0;
        if (!EVP_CipherUpdate(context, out, &produced, in, (int)chunk)) {
            return 0;
        }
        if (out != NULL) {
            out += produced;
            *written += (size_t)produced;
        }
        in += chunk;
        bytes -= chunk;
        if (bytes == 0) {
            return 1;
        }
    }
}

static int update_once(EVP_CIPHER_CTX *context, const uint8_t *in, size_t bytes, uint8_t *out, size_t *written) {
    int produced = 0;
    const int updated = EVP_CipherUpdate(context, out, &produced, in, (int)bytes);
    *written += (size_t)produced;
    return updated;
}

/* Process one message of an AEAD. NULL input or output has another meaning in EVP, so empty buffers need pointers. */
static int32_t run_aead(struct cipher_keys *keys, int encrypt, const uint8_t *nonce, size_t nonce_bytes,
                        const uint8_t *ad, size_t ad_bytes, const uint8_t *in, size_t bytes, uint8_t *out,
                        uint8_t *tag) {
    static const uint8_t empty[1];
    uint8_t unused_output[EVP_MAX_BLOCK_LENGTH];
    const struct row *row = keys->row;
    const aeadlab_algorithm *a = &row->algorithm;
    const uint32_t traits = row->traits;
    if (traits & ANY_NONCE ? nonce_bytes == 0 || nonce_bytes > INT_MAX : nonce_bytes != a->nonce_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if ((a->max_bytes != 0 && bytes > a->max_bytes) || (a->max_ad_bytes != 0 && ad_bytes > a->max_ad_bytes)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (bytes == 0) {
        in = empty;
        out = unused_output;
    }
    if (ad_bytes == 0) {
        ad = empty;
    }
    EVP_CIPHER_CTX *context = keyed_context(keys, encrypt);
    if (context == NULL) {
        return failed(AEADLAB_INTERNAL);
    }
    if (!(traits & NONCE_IS_AD)) {
        if (nonce_bytes != keys->nonce_bytes[encrypt]) {
            if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce_bytes, NULL) <= 0) {
                return failed(AEADLAB_BAD_ARGUMENT);
            }
            keys->nonce_bytes[encrypt] = nonce_bytes;
        }
        if (!EVP_CipherInit_ex(context, NULL, NULL, NULL, nonce, -1)) {
            return failed(AEADLAB_INTERNAL);
        }
    }
    size_t written = 0;
    int unused;
    if ((!encrypt && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) <= 0) ||
        (traits & LENGTH_FIRST && !EVP_CipherUpdate(context, NULL, &unused, NULL, (int)bytes)) ||
        (traits & KEEPS_AD && !EVP_CipherUpdate(context, NULL, &unused, ad, 0)) ||
        ((ad_bytes != 0 || traits & EMPTY_AD) && !update(context, ad, ad_bytes, NULL, NULL)) ||
        (traits & NONCE_IS_AD && !EVP_CipherUpdate(context, NULL, &unused, nonce, (int)nonce_bytes))) {
        return failed(AEADLAB_INTERNAL);
    }
    /* Algorithms with one update compare the tag in it. */
    const int updated = traits & ONE_UPDATE ? update_once(context, in, bytes, out, &written)
                                            : bytes == 0 || update(context, in, bytes, out, &written);
    /* OCB writes its last partial block here. */
    if (!updated || !EVP_CipherFinal_ex(context, out + written, &unused)) {
        return failed(encrypt ? AEADLAB_INTERNAL : AEADLAB_AUTH_FAILED);
    }
    if (encrypt && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) <= 0) {
        return failed(AEADLAB_INTERNAL);
    }
    return AEADLAB_OK;
}

static int32_t aead_seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                         const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    return run_aead(context, 1, nonce, nonce_bytes, ad, ad_bytes, in, bytes, out, tag);
}

static int32_t aead_open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                         const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    /* EVP only reads the tag, although its parameter is not const. */
    return run_aead(context, 0, nonce, nonce_bytes, ad, ad_bytes, in, bytes, out, (uint8_t *)tag);
}

static int32_t run_cipher(struct cipher_keys *keys, int encrypt, const uint8_t *nonce, size_t nonce_bytes,
                          const uint8_t *in, size_t bytes, uint8_t *out) {
    const struct row *row = keys->row;
    const aeadlab_algorithm *a = &row->algorithm;
    const uint32_t traits = row->traits;
    uint8_t counter_and_nonce[16] = {0};
    if (nonce_bytes != a->nonce_bytes || bytes % a->block_bytes != 0 ||
        (a->max_bytes != 0 && bytes > a->max_bytes) || (traits & ONE_UPDATE && bytes < 16)) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (bytes == 0) {
        return AEADLAB_OK;
    }
    EVP_CIPHER_CTX *context = keyed_context(keys, encrypt || traits & SYMMETRIC);
    if (context == NULL) {
        return failed(AEADLAB_INTERNAL);
    }
    if (traits & COUNTER_FIRST) {
        memcpy(counter_and_nonce + 4, nonce, nonce_bytes);
        nonce = counter_and_nonce;
    }
    const uint8_t *key = traits & REKEYED ? keys->key : NULL;
    /* ECB has no state to reset. */
    if ((nonce_bytes != 0 || key != NULL) && !EVP_CipherInit_ex(context, NULL, NULL, key, nonce, -1)) {
        return failed(AEADLAB_INTERNAL);
    }
    size_t written = 0;
    if (!update(context, in, bytes, out, &written) || written != bytes) {
        return failed(AEADLAB_INTERNAL);
    }
    return AEADLAB_OK;
}

static int32_t cipher_encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                              size_t bytes, uint8_t *out) {
    return run_cipher(context, 1, nonce, nonce_bytes, in, bytes, out);
}

static int32_t cipher_decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in,
                              size_t bytes, uint8_t *out) {
    return run_cipher(context, 0, nonce, nonce_bytes, in, bytes, out);
}

struct hash {
    EVP_MD_CTX *context;
    uint32_t tag_bytes;
    uint32_t traits;
};

static void hash_free(void *context) {
    struct hash *hash = context;
    EVP_MD_CTX_free(hash->context);
    free(hash);
}

static int32_t hash_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    (void)key;
    const struct row *row = row_of(algorithm);
    if (key_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct hash *hash = calloc(1, sizeof *hash);
    if (hash == NULL) {
        return AEADLAB_INTERNAL;
    }
    size_t size = algorithm->tag_bytes;
    const OSSL_PARAM sized[] = {OSSL_PARAM_construct_size_t(OSSL_DIGEST_PARAM_SIZE, &size), OSSL_PARAM_END};
    hash->tag_bytes = algorithm->tag_bytes;
    hash->traits = row->traits;
    hash->context = EVP_MD_CTX_new();
    if (hash->context == NULL ||
        !EVP_DigestInit_ex2(hash->context, row->digest, row->traits & SETTABLE_SIZE ? sized : NULL)) {
        hash_free(hash);
        return failed(AEADLAB_INTERNAL);
    }
    *context = hash;
    return AEADLAB_OK;
}

static int32_t hash_digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *tag) {
    (void)nonce;
    const struct hash *hash = context;
    if (nonce_bytes != 0) {
        return AEADLAB_BAD_ARGUMENT;
    }
    if (!EVP_DigestInit_ex2(hash->context, NULL, NULL) || !EVP_DigestUpdate(hash->context, in, bytes)) {
        return failed(AEADLAB_INTERNAL);
    }
    const int done = hash->traits & XOF ? EVP_DigestFinalXOF(hash->context, tag, hash->tag_bytes)
                                     : EVP_DigestFinal_ex(hash->context, tag, NULL);
    return done ? AEADLAB_OK : failed(AEADLAB_INTERNAL);
}

struct mac_keys {
    const struct row *row;
    EVP_MAC_CTX *context;
    uint8_t key[MAX_KEY_BYTES]; /* with REKEYED only */
};

static void mac_key_free(void *context) {
    struct mac_keys *keys = context;
    EVP_MAC_CTX_free(keys->context);
    OPENSSL_cleanse(keys, sizeof *keys);
    free(keys);
}

static int32_t mac_key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                           void **context) {
    const struct row *row = row_of(algorithm);
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct mac_keys *keys = calloc(1, sizeof *keys);
    if (keys == NULL) {
        return AEADLAB_INTERNAL;
    }
    keys->row = row;
    size_t size = algorithm->tag_bytes;
    unsigned int rounds[] = {row->rounds[0], row->rounds[1]};
    OSSL_PARAM parameters[4];
    size_t count = 0;
    if (row->primitive_parameter != NULL) {
        parameters[count++] = OSSL_PARAM_construct_utf8_string(row->primitive_parameter, (char *)row->primitive, 0);
    } else {
        parameters[count++] = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size);
    }
    if (rounds[0] != 0) {
        parameters[count++] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &rounds[0]);
        parameters[count++] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &rounds[1]);
    }
    parameters[count] = OSSL_PARAM_construct_end();
    keys->context = EVP_MAC_CTX_new(row->mac);
    if (keys->context == NULL || !EVP_MAC_init(keys->context, key, key_bytes, parameters)) {
        mac_key_free(keys);
        return failed(AEADLAB_INTERNAL);
    }
    if (row->traits & REKEYED) {
        memcpy(keys->key, key, key_bytes);
    }
    *context = keys;
    return AEADLAB_OK;
}

static int32_t mac_digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                          uint8_t *tag) {
    const struct mac_keys *keys = context;
    const aeadlab_algorithm *a = &keys->row->algorithm;
    if (nonce_bytes != a->nonce_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    const int rekeyed = (keys->row->traits & REKEYED) != 0;
    const OSSL_PARAM iv[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, (void *)nonce, nonce_bytes),
                             OSSL_PARAM_END};
    size_t produced = 0;
    if (!EVP_MAC_init(keys->context, rekeyed ? keys->key : NULL, rekeyed ? a->key_bytes : 0,
                      nonce_bytes != 0 ? iv : NULL) ||
        !EVP_MAC_update(keys->context, in, bytes) || !EVP_MAC_final(keys->context, tag, &produced, a->tag_bytes) ||
        produced != a->tag_bytes) {
        return failed(AEADLAB_INTERNAL);
    }
    return AEADLAB_OK;
}

/* The first two words of OPENSSL_ia32cap: the CPU features that OpenSSL's dispatchers for x86-64 test. */
static uint64_t cpu[2];
#define AESNI (1ull << 57)
#define SHA (1ull << 29)
#define AVX512F_DQ_BW (1ull << 16 | 1ull << 17 | 1ull << 30)
#define AVX512VL (1ull << 31)
#define VBMI2 (1ull << 38)
#define VAES (1ull << 41)
#define VPCLMULQDQ (1ull << 42)

static void read_cpu(void) {
    const char *settings = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    const char *words = settings != NULL ? strstr(settings, "OPENSSL_ia32cap=") : NULL;
    if (words != NULL) {
        char *end;
        cpu[0] = strtoull(strchr(words, '=') + 1, &end, 16);
        cpu[1] = *end == ':' ? strtoull(end + 1, NULL, 16) : 0;
    }
}

static const char *aes_kernel(const char *mode) {
    static const struct {
        const char *mode;
        unsigned major, minor; /* the first version with the code path */
        uint64_t features;
    } wide[] = {
        {"gcm", 3, 1, AVX512F_DQ_BW | AVX512VL | VAES | VPCLMULQDQ},
        {"gmac", 3, 1, AVX512F_DQ_BW | AVX512VL | VAES | VPCLMULQDQ},
        {"xts", 3, 5, AVX512F_DQ_BW | AVX512VL | VAES | VPCLMULQDQ | VBMI2},
        {"cfb", 3, 6, AVX512F_DQ_BW | VAES},
    };
    const unsigned major = OPENSSL_version_major(), minor = OPENSSL_version_minor();
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        const int has = major > wide[i].major || (major == wide[i].major && minor >= wide[i].minor);
        if (has && strcmp(mode, wide[i].mode) == 0 && (cpu[1] & wide[i].features) == wide[i].features) {
            return "VAES, AVX-512";
        }
    }
    return cpu[0] & AESNI ? "AES-NI" : NULL;
}

static const char *cipher_kernel(const struct block_cipher *cipher, const char *mode) {
    return strcmp(cipher->name, "aes") == 0 ? aes_kernel(mode) : NULL;
}

static const char *digest_kernel(const struct digest *digest) {
    static const char *const extended[] = {"sha-1", "sha-224", "sha-256"};
    for (size_t i = 0; i < sizeof extended / sizeof *extended; i++) {
        if (cpu[1] & SHA && strcmp(digest->name, extended[i]) == 0) {
            return "SHA extensions";
        }
    }
    return NULL;
}

/* Return the next row with the common fields set, not yet listed; NULL if the table is full. */
static struct row *new_row(uint32_t kind, uint64_t flags, const char *kernel) {
    if (row_count == sizeof rows / sizeof *rows) {
        return NULL;
    }
    struct row *row = &rows[row_count];
    memset(row, 0, sizeof *row);
    row->algorithm.struct_size = sizeof row->algorithm;
    row->algorithm.name = row->name;
    row->algorithm.kernel = kernel;
    row->algorithm.data = row;
    row->algorithm.flags = flags | AEADLAB_THREAD_SAFE;
    row->algorithm.kind = kind;
    row->algorithm.block_bytes = 1;
    return row;
}

static void list_row(const struct row *row) {
    algorithms[row_count++] = &row->algorithm;
}

/* Return whether an AEAD seals an empty message. SIV of OpenSSL 3.0 does not, although RFC 5297 allows it. */
static int seals_empty_messages(const aeadlab_algorithm *algorithm) {
    static const uint8_t key[MAX_KEY_BYTES], nonce[16];
    uint8_t tag[TAG_BYTES];
    void *context;
    if (algorithm->key_new(algorithm, key, algorithm->key_bytes, &context) != AEADLAB_OK) {
        return 0;
    }
    const int32_t status = algorithm->seal(context, nonce, algorithm->nonce_bytes, NULL, 0, NULL, 0, NULL, tag);
    algorithm->key_free(context);
    return status == AEADLAB_OK;
}

static void add_cipher(OSSL_LIB_CTX *libctx, const char *name, const char *evp, const struct mode *mode,
                       uint32_t key_bytes, uint32_t block_bytes, uint64_t flags, const char *kernel) {
    struct row *row = new_row(mode->kind, flags | AEADLAB_IN_PLACE, kernel);
    if (row == NULL || (row->cipher = EVP_CIPHER_fetch(libctx, evp, NULL)) == NULL) {
        return;
    }
    aeadlab_algorithm *a = &row->algorithm;
    snprintf(row->name, sizeof row->name, "%s", name);
    row->traits = mode->traits;
    a->key_bytes = key_bytes;
    a->nonce_bytes = mode->nonce_bytes == BLOCK_SIZED ? block_bytes : mode->nonce_bytes;
    a->max_bytes = mode->max_bytes;
    a->max_ad_bytes = mode->kind == AEADLAB_AEAD && mode->traits & ONE_UPDATE ? CHUNK_BYTES : 0;
    a->key_new = cipher_key_new;
    a->key_free = cipher_key_free;
    if (mode->kind == AEADLAB_AEAD) {
        a->tag_bytes = TAG_BYTES;
        a->flags |= AEADLAB_OPEN_COMPUTES_TAG | (mode->traits & ANY_NONCE ? AEADLAB_ANY_NONCE_LENGTH : 0);
        a->seal = aead_seal;
        a->open = aead_open;
    } else {
        a->block_bytes = mode->traits & WHOLE_BLOCKS ? block_bytes : 1;
        a->encrypt = cipher_encrypt;
        a->decrypt = cipher_decrypt;
    }
    if (mode->kind == AEADLAB_AEAD && !seals_empty_messages(a)) {
        EVP_CIPHER_free(row->cipher);
        return;
    }
    list_row(row);
}

/* `primitive_parameter` and `primitive` are NULL if a MAC has no underlying cipher or digest. */
static void add_mac(OSSL_LIB_CTX *libctx, const char *name, const struct mac *mac, uint32_t nonce_bytes,
                    const char *primitive_parameter, const char *primitive, const char *kernel) {
    static const uint8_t key[MAX_KEY_BYTES];
    struct row *row = new_row(AEADLAB_MAC, mac->flags, kernel);
    if (row == NULL || (row->mac = EVP_MAC_fetch(libctx, mac->evp, NULL)) == NULL) {
        return;
    }
    aeadlab_algorithm *a = &row->algorithm;
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->primitive, sizeof row->primitive, "%s", primitive != NULL ? primitive : "");
    row->primitive_parameter = primitive_parameter;
    row->traits = mac->traits;
    row->rounds[0] = mac->rounds[0];
    row->rounds[1] = mac->rounds[1];
    a->key_bytes = mac->key_bytes;
    a->nonce_bytes = nonce_bytes;
    a->tag_bytes = mac->tag_bytes;
    a->key_new = mac_key_new;
    a->key_free = mac_key_free;
    a->digest = mac_digest;
    /* Only a key set-up shows whether this OpenSSL has the primitive. */
    void *context;
    if (a->key_new(a, key, a->key_bytes, &context) == AEADLAB_OK) {
        a->key_free(context);
        list_row(row);
    } else {
        EVP_MAC_free(row->mac);
    }
}

#define PREFIX_BYTES 16

static void append_bits(char out[PREFIX_BYTES], const char *name, uint32_t bits) {
    const int end = snprintf(out, PREFIX_BYTES, "%s", name);
    if (bits != 0) {
        snprintf(out + end, PREFIX_BYTES - (size_t)end, "-%u", (unsigned)bits);
    }
}

static void add_block_cipher(OSSL_LIB_CTX *libctx, const struct block_cipher *cipher, uint32_t bits) {
    char prefix[PREFIX_BYTES], evp_prefix[PREFIX_BYTES], name[32], evp[32];
    append_bits(prefix, cipher->name, cipher->traits & NAME_HAS_BITS ? bits : 0);
    append_bits(evp_prefix, cipher->evp, cipher->traits & EVP_NAME_HAS_BITS ? bits : 0);
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        const struct mode *mode = &MODES[i];
        snprintf(name, sizeof name, "%s-%s", prefix, mode->name);
        snprintf(evp, sizeof evp, "%s-%s", evp_prefix, mode->evp);
        add_cipher(libctx, name, evp, mode, mode->keys * bits / 8, cipher->block_bytes, cipher->flags,
                   cipher_kernel(cipher, mode->name));
    }
    if (cipher->traits & HAS_CMAC) {
        const struct mac cmac = {NULL, "CMAC", bits / 8, cipher->block_bytes, 0, {0}, cipher->flags};
        snprintf(name, sizeof name, "%s-cmac", prefix);
        snprintf(evp, sizeof evp, "%s-CBC", evp_prefix);
        add_mac(libctx, name, &cmac, 0, OSSL_MAC_PARAM_CIPHER, evp, cipher_kernel(cipher, "cmac"));
    }
    if (cipher->traits & HAS_GMAC) {
        const struct mac gmac = {NULL, "GMAC", bits / 8, TAG_BYTES, 0, {0}, cipher->flags};
        snprintf(name, sizeof name, "%s-gmac", prefix);
        snprintf(evp, sizeof evp, "%s-GCM", evp_prefix);
        add_mac(libctx, name, &gmac, 12, OSSL_MAC_PARAM_CIPHER, evp, cipher_kernel(cipher, "gmac"));
    }
}

static void add_digest(OSSL_LIB_CTX *libctx, const struct digest *digest) {
    struct row *row = new_row(AEADLAB_HASH, digest->flags, digest_kernel(digest));
    if (row == NULL || (row->digest = EVP_MD_fetch(libctx, digest->evp, NULL)) == NULL) {
        return;
    }
    /* An unknown parameter is ignored without an error, and the digest would have another length. */
    const OSSL_PARAM *settable = EVP_MD_settable_ctx_params(row->digest);
    if (digest->traits & SETTABLE_SIZE &&
        (settable == NULL || !OSSL_PARAM_locate_const(settable, OSSL_DIGEST_PARAM_SIZE))) {
        EVP_MD_free(row->digest);
        return;
    }
    aeadlab_algorithm *a = &row->algorithm;
    snprintf(row->name, sizeof row->name, "%s", digest->name);
    row->traits = digest->traits;
    a->tag_bytes = digest->bytes;
    a->key_new = hash_new;
    a->key_free = hash_free;
    a->digest = hash_digest;
    list_row(row);
    if (digest->traits & HAS_HMAC) {
        const struct mac hmac = {NULL, "HMAC", digest->bytes, digest->bytes, 0, {0}, digest->flags};
        char name[32];
        snprintf(name, sizeof name, "hmac-%s", digest->name);
        add_mac(libctx, name, &hmac, 0, OSSL_MAC_PARAM_DIGEST, digest->evp, digest_kernel(digest));
    }
}

/* A block for each call, as in 2007: AES_encrypt, which does not use AES instructions, and EVP's ECB. */
struct low_level {
    AES_KEY schedule;
    openssl_caller *crypt;
};

static int32_t low_level_key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes,
                                 void **context) {
    if (key_bytes != algorithm->key_bytes) {
        return AEADLAB_BAD_ARGUMENT;
    }
    struct low_level *low_level = malloc(sizeof *low_level);
    if (low_level == NULL || AES_set_encrypt_key(key, (int)key_bytes * 8, &low_level->schedule) != 0) {
        free(low_level);
        return AEADLAB_INTERNAL;
    }
    low_level->crypt = row_of(algorithm)->caller;
    *context = low_level;
    return AEADLAB_OK;
}

static void low_level_key_free(void *context) {
    OPENSSL_cleanse(context, sizeof(struct low_level));
    free(context);
}

static int32_t low_level_crypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                               uint8_t *out) {
    struct low_level *low_level = context;
    if (nonce_bytes != AES_BLOCK_SIZE) {
        return AEADLAB_BAD_ARGUMENT;
    }
    return low_level->crypt(&low_level->schedule, nonce, in, bytes, out) ? AEADLAB_OK : AEADLAB_INTERNAL;
}

static int32_t evp_block_crypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                               uint8_t *out) {
    struct cipher_keys *keys = context;
    if (nonce_bytes != AES_BLOCK_SIZE) {
        return AEADLAB_BAD_ARGUMENT;
    }
    EVP_CIPHER_CTX *evp = keyed_context(keys, 1);
    return evp != NULL && keys->row->caller(evp, nonce, in, bytes, out) ? AEADLAB_OK : failed(AEADLAB_INTERNAL);
}

static void add_caller(OSSL_LIB_CTX *libctx, const char *name, openssl_caller *caller, int is_evp, const char *kernel) {
    struct row *row = new_row(AEADLAB_CIPHER, AEADLAB_IN_PLACE | AEADLAB_HISTORICAL, kernel);
    if (row == NULL || (is_evp && (row->cipher = EVP_CIPHER_fetch(libctx, "AES-128-ECB", NULL)) == NULL)) {
        return;
    }
    aeadlab_algorithm *a = &row->algorithm;
    snprintf(row->name, sizeof row->name, "aes-128-ctr.%s", name);
    row->caller = caller;
    a->key_bytes = 16;
    a->nonce_bytes = AES_BLOCK_SIZE;
    a->key_new = is_evp ? cipher_key_new : low_level_key_new;
    a->key_free = is_evp ? cipher_key_free : low_level_key_free;
    a->encrypt = a->decrypt = is_evp ? evp_block_crypt : low_level_crypt;
    list_row(row);
}

/* The document has EVP at -O2 only. */
static void add_callers(OSSL_LIB_CTX *libctx) {
    add_caller(libctx, "aes-encrypt-o2", openssl_callers_o2.aes_encrypt, 0, "AES_encrypt, its caller compiled with -O2");
    add_caller(libctx, "aes-encrypt-o3", openssl_callers_o3.aes_encrypt, 0, "AES_encrypt, its caller compiled with -O3");
    add_caller(libctx, "evp-block-o2", openssl_callers_o2.evp, 1, "ECB, a call for each block, compiled with -O2");
}

static aeadlab_library library = {
    .abi_version = AEADLAB_ABI_VERSION,
    .struct_size = sizeof library,
    .name = AEADLAB_LIBRARY,
    .algorithms = algorithms,
};

static void describe(void) {
    static const char product[] = "OpenSSL ";
    /* A thread may hold a context when the process ends. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    const char *version = OpenSSL_version(OPENSSL_VERSION);
    library.version = strncmp(version, product, strlen(product)) == 0 ? version + strlen(product) : version;
    library.build = OpenSSL_version(OPENSSL_CFLAGS);
    read_cpu();
    /* In a separate library context the computer's configuration file cannot remove or replace algorithms, and the
     * legacy provider is not visible to other users. Fetched algorithms are never freed. */
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    if (libctx != NULL && OSSL_PROVIDER_load(libctx, "default") != NULL) {
        OSSL_PROVIDER_load(libctx, "legacy");
        for (size_t i = 0; i < sizeof BLOCK_CIPHERS / sizeof *BLOCK_CIPHERS; i++) {
            const struct block_cipher *cipher = &BLOCK_CIPHERS[i];
            const size_t lengths = sizeof cipher->key_bits / sizeof *cipher->key_bits;
            for (size_t j = 0; j < lengths && cipher->key_bits[j] != 0; j++) {
                add_block_cipher(libctx, cipher, cipher->key_bits[j]);
            }
        }
        add_callers(libctx);
        for (size_t i = 0; i < sizeof STREAMS / sizeof *STREAMS; i++) {
            const struct mode *stream = &STREAMS[i];
            const uint64_t flags = strcmp(stream->name, "rc4") == 0 ? AEADLAB_HISTORICAL : 0;
            add_cipher(libctx, stream->name, stream->evp, stream, stream->keys, 1, flags, NULL);
        }
        for (size_t i = 0; i < sizeof DIGESTS / sizeof *DIGESTS; i++) {
            add_digest(libctx, &DIGESTS[i]);
        }
        for (size_t i = 0; i < sizeof MACS / sizeof *MACS; i++) {
            add_mac(libctx, MACS[i].name, &MACS[i], 0, NULL, NULL, NULL);
        }
    }
    library.algorithm_count = row_count;
    ERR_clear_error();
}

const aeadlab_library *aeadlab_library_v1(void) {
    static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
    CRYPTO_THREAD_run_once(&once, describe);
    return &library;
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "OPENSSL_ia32cap:5";
}

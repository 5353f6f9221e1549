// Botan behind aeadlab.h: the declarations that the files of this folder share.

#ifndef AEADLAB_BOTAN_H
#define AEADLAB_BOTAN_H

#include "aeadlab_cpp.h"

#include <botan/cipher_mode.h>
#include <botan/version.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

void add_aeads(aeadlab::Table &table);
void add_ciphers(aeadlab::Table &table);
void add_hashes(aeadlab::Table &table);
void add_macs(aeadlab::Table &table);

#if BOTAN_VERSION_MAJOR >= 3
constexpr auto ENCRYPTION = Botan::Cipher_Dir::Encryption;
constexpr auto DECRYPTION = Botan::Cipher_Dir::Decryption;
#else
constexpr auto ENCRYPTION = Botan::Cipher_Dir::ENCRYPTION;
constexpr auto DECRYPTION = Botan::Cipher_Dir::DECRYPTION;
#endif

using Secure = Botan::secure_vector<uint8_t>;

// A block cipher with one key length: our name and Botan's.
struct BlockCipher {
    std::string name, botan_name;
    uint32_t key_bytes, block_bytes;
    uint64_t flags;
};

// Return the block ciphers of this build.
std::vector<BlockCipher> block_ciphers();

// Return Botan's provider of a block cipher, hash or stream cipher, such as "aesni" or "avx2". It is empty for "base",
// which classes with several code paths report too.
std::string provider_of(const std::string &botan_name);

// Return a new object of Botan, or NULL if this build lacks the algorithm or a part of it.
template <typename T, typename... Arguments>
std::unique_ptr<T> try_create(const std::string &botan_name, Arguments... arguments) {
    try {
        return T::create(botan_name, arguments...);
    } catch (const Botan::Exception &) {
        return nullptr;
    }
}

// A mode object of Botan for one direction. It works in place only, so a message with a separate output is copied
// there, in chunks that stay in the first-level cache. Partial granules and the tag must be in a secure_vector; each
// context keeps one, because a new one is an allocation from locked memory.
template <typename Mode> struct Direction {
    std::unique_ptr<Mode> mode;
    size_t granularity = 1;
    size_t chunk_bytes = 0;

    // Create the mode object at the first call.
    Direction &with_key(const std::string &botan_name, Botan::Cipher_Dir direction, const Secure &key) {
        if (!mode) {
            auto created = Mode::create_or_throw(botan_name, direction);
            created->set_key(key.data(), key.size());
            granularity = created->update_granularity();
            constexpr size_t target_bytes = 16384;
            chunk_bytes = granularity < target_bytes ? target_bytes - target_bytes % granularity : granularity;
            mode = std::move(created);
        }
        return *this;
    }

    // Process `bytes`, a multiple of the granularity.
    void process(const uint8_t *in, size_t bytes, uint8_t *out) {
        if (in == out) {
            mode->process(out, bytes);
            return;
        }
        for (size_t done = 0; done < bytes;) {
            const size_t chunk = bytes - done < chunk_bytes ? bytes - done : chunk_bytes;
            std::memcpy(out + done, in + done, chunk);
            mode->process(out + done, chunk);
            done += chunk;
        }
    }
};

// memcpy that accepts NULL with a length of 0.
inline void copy(uint8_t *to, const uint8_t *from, size_t bytes) {
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

#endif

// What the files of this plugin share: the library's names for things, and messages fed in pieces.

#ifndef AEADLAB_PLUGIN_BOTAN_H
#define AEADLAB_PLUGIN_BOTAN_H

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

// A block cipher with one key length: our name and the library's.
struct BlockCipher {
    std::string name, theirs;
    uint32_t key_bytes, block_bytes;
    uint64_t flags;
};

// All that the library has at run time.
std::vector<BlockCipher> block_ciphers();

// What the library calls its code for a block cipher, hash or stream cipher: "aesni", "avx2". Empty for "base", since
// classes with several code paths say that too.
std::string provider_of(const std::string &theirs);

// A new object of the library, or NULL where it does not have it or was built without a part of it.
template <typename T, typename... More> std::unique_ptr<T> made(const std::string &theirs, More... more) {
    try {
        return T::create(theirs, more...);
    } catch (const Botan::Exception &) {
        return nullptr;
    }
}

// The library's mode object for one direction. It works in place only: a separate output gets the input copied to it
// first, in pieces that stay in the first cache. What is no multiple of its granularity, and the tag, must be in a
// secure_vector: one is kept in the context, since a new one is an allocation from locked memory.
template <typename Mode> struct Direction {
    std::unique_ptr<Mode> mode;
    size_t granularity = 1;
    size_t piece = 0;

    // The first call makes it: who only seals does not pay for opening.
    Direction &keyed(const std::string &theirs, Botan::Cipher_Dir direction, const Secure &key) {
        if (!mode) {
            auto made = Mode::create_or_throw(theirs, direction);
            made->set_key(key.data(), key.size());
            granularity = made->update_granularity();
            constexpr size_t at_a_time = 16384;
            piece = granularity < at_a_time ? at_a_time - at_a_time % granularity : granularity;
            mode = std::move(made);
        }
        return *this;
    }

    // Processes the first `bytes`, a multiple of the granularity.
    void process(const uint8_t *in, size_t bytes, uint8_t *out) {
        if (in == out) {
            mode->process(out, bytes);
            return;
        }
        for (size_t done = 0; done < bytes;) {
            const size_t now = bytes - done < piece ? bytes - done : piece;
            std::memcpy(out + done, in + done, now);
            mode->process(out + done, now);
            done += now;
        }
    }
};

// memcpy that may be given NULL for nothing.
inline void copy(uint8_t *to, const uint8_t *from, size_t bytes) {
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

#endif

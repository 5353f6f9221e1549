// Crypto++ behind aeadlab.h: the declarations that the files of this folder share.

#ifndef AEADLAB_CRYPTOPP_H
#define AEADLAB_CRYPTOPP_H

#include "aeadlab_cpp.h"

#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/camellia.h>
#include <cryptopp/des.h>
#include <cryptopp/serpent.h>
#include <cryptopp/sm4.h>
#include <cryptopp/twofish.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

void add_aeads(aeadlab::Table &table);
void add_ciphers(aeadlab::Table &table);
void add_hashes(aeadlab::Table &table);
void add_macs(aeadlab::Table &table);

// A function that creates an object of the library.
template <typename Base> using Factory = std::unique_ptr<Base> (*)();

template <typename Base, typename T> std::unique_ptr<Base> create() { return std::make_unique<T>(); }

// A block cipher with one key length: "aes-256", or "sm4" where there is only one.
template <typename T> struct BlockCipher {
    using type = T;
    // ARIA writes a block before it XORs it with another, which is overwritten if it is in the same place.
    static constexpr uint64_t xor_in_place = std::is_same_v<T, CryptoPP::ARIA> ? 0 : AEADLAB_IN_PLACE;
    std::string name;
    uint32_t key_bytes;
    uint64_t flags;
};

template <typename T, typename Use> void each_key(const char *name, uint64_t flags, const Use &use) {
    constexpr uint32_t shortest = T::MIN_KEYLENGTH, longest = T::MAX_KEYLENGTH;
    if constexpr (shortest == longest) {
        use(BlockCipher<T>{name, shortest, flags});
    } else {
        for (const uint32_t bytes : {16u, 24u, 32u}) {
            use(BlockCipher<T>{name + ("-" + std::to_string(8 * bytes)), bytes, flags});
        }
    }
}

template <typename Use> void each_block_cipher(const Use &use) {
    each_key<CryptoPP::AES>("aes", 0, use);
    each_key<CryptoPP::ARIA>("aria", 0, use);
    each_key<CryptoPP::Camellia>("camellia", 0, use);
    each_key<CryptoPP::SM4>("sm4", 0, use);
    each_key<CryptoPP::Serpent>("serpent", 0, use);
    each_key<CryptoPP::Twofish>("twofish", 0, use);
    each_key<CryptoPP::DES_EDE3>("3des", AEADLAB_HISTORICAL, use);
}

#endif

// The MACs of Crypto++: of hashes, of block ciphers, and the universal hashes.

// MD5 is in the namespace Weak.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include "plugin.h"

#include <cryptopp/blake2.h>
#include <cryptopp/cmac.h>
#include <cryptopp/gcm.h>
#include <cryptopp/hmac.h>
#include <cryptopp/md5.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/siphash.h>
#include <cryptopp/sm3.h>
#include <cryptopp/whrlpool.h>

#include <type_traits>
#include <vector>

using aeadlab::Bytes;
using CryptoPP::MessageAuthenticationCode;

namespace {

using MacFactory = Factory<MessageAuthenticationCode>;

class Mac {
  public:
    Mac(const aeadlab_algorithm &row, const uint8_t *key)
        : mac_((*static_cast<const MacFactory *>(row.data))()), tag_bytes_(row.tag_bytes) {
        mac_->SetKey(key, row.key_bytes);
    }

    // The tag resets the object to the state after the key.
    int32_t digest(Bytes, Bytes in, uint8_t *tag) {
        mac_->CalculateTruncatedDigest(tag, tag_bytes_, in.data, in.size);
        return AEADLAB_OK;
    }

  private:
    std::unique_ptr<MessageAuthenticationCode> mac_;
    size_t tag_bytes_;
};

// GMAC as GCM with the message as associated data: the library has no GMAC.
class Gmac {
  public:
    Gmac(const aeadlab_algorithm &row, const uint8_t *key) : tag_bytes_(row.tag_bytes) {
        const std::vector<uint8_t> nonce(row.nonce_bytes);
        gcm_.SetKeyWithIV(key, row.key_bytes, nonce.data(), nonce.size());
    }

    int32_t digest(Bytes nonce, Bytes in, uint8_t *tag) {
        gcm_.EncryptAndAuthenticate(nullptr, tag, tag_bytes_, nonce.data, static_cast<int>(nonce.size), in.data,
                                    in.size, nullptr, 0);
        return AEADLAB_OK;
    }

  private:
    CryptoPP::GCM<CryptoPP::AES>::Encryption gcm_;
    size_t tag_bytes_;
};

template <typename T> constexpr MacFactory mac = create<MessageAuthenticationCode, T>;

void add(aeadlab::Table &table, const std::string &name, const MacFactory &factory, uint32_t key_bytes,
         uint32_t tag_bytes, uint64_t flags) {
    auto row = aeadlab::digest<Mac>({key_bytes, 0, tag_bytes}, AEADLAB_THREAD_SAFE | flags);
    row.data = &factory;
    table.add(row, name, factory()->AlgorithmProvider());
}

struct Spec {
    const char *name;
    uint32_t key_bytes, tag_bytes;
    MacFactory create;
    uint64_t flags = 0;
};

const Spec MACS[] = {
    {"hmac-md5", 16, 16, mac<CryptoPP::HMAC<CryptoPP::Weak::MD5>>},
    {"hmac-sha-1", 20, 20, mac<CryptoPP::HMAC<CryptoPP::SHA1>>},
    {"hmac-sha-224", 28, 28, mac<CryptoPP::HMAC<CryptoPP::SHA224>>},
    {"hmac-sha-256", 32, 32, mac<CryptoPP::HMAC<CryptoPP::SHA256>>},
    {"hmac-sha-384", 48, 48, mac<CryptoPP::HMAC<CryptoPP::SHA384>>},
    {"hmac-sha-512", 64, 64, mac<CryptoPP::HMAC<CryptoPP::SHA512>>},
    {"hmac-sha3-256", 32, 32, mac<CryptoPP::HMAC<CryptoPP::SHA3_256>>},
    {"hmac-sha3-512", 64, 64, mac<CryptoPP::HMAC<CryptoPP::SHA3_512>>},
    {"hmac-sm3", 32, 32, mac<CryptoPP::HMAC<CryptoPP::SM3>>},
    {"hmac-ripemd-160", 20, 20, mac<CryptoPP::HMAC<CryptoPP::RIPEMD160>>},
    {"hmac-whirlpool", 64, 64, mac<CryptoPP::HMAC<CryptoPP::Whirlpool>>},
    {"poly1305", 32, 16, mac<CryptoPP::Poly1305TLS>, AEADLAB_UNIVERSAL_HASH},
    {"siphash-2-4", 16, 8, mac<CryptoPP::SipHash<2, 4>>},
    {"siphash-1-3", 16, 8, mac<CryptoPP::SipHash<1, 3>>},
    {"blake2b-keyed", 32, 64, mac<CryptoPP::BLAKE2b>},
    {"blake2s-keyed", 32, 32, mac<CryptoPP::BLAKE2s>},
};

} // namespace

void add_macs(aeadlab::Table &table) {
    const std::string gcm = CryptoPP::GCM<CryptoPP::AES>::Encryption().AlgorithmProvider();
    for (const Spec &spec : MACS) {
        add(table, spec.name, spec.create, spec.key_bytes, spec.tag_bytes, spec.flags);
    }
    each_block_cipher([&](const auto &cipher) {
        using T = typename std::decay_t<decltype(cipher)>::type;
        const uint32_t block = T::BLOCKSIZE;
        add(table, cipher.name + "-cmac", mac<CryptoPP::CMAC<T>>, cipher.key_bytes, block, cipher.flags);
        if constexpr (std::is_same_v<T, CryptoPP::AES>) {
            const auto row = aeadlab::digest<Gmac>({cipher.key_bytes, 12, 16}, AEADLAB_THREAD_SAFE);
            table.add(row, cipher.name + "-gmac", gcm);
        }
    });
}

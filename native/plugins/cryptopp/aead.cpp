// The AEADs of Crypto++: GCM, CCM and EAX for each block cipher, ChaCha20-Poly1305 and XChaCha20-Poly1305.

#include "plugin.h"

#include <cryptopp/ccm.h>
#include <cryptopp/chachapoly.h>
#include <cryptopp/eax.h>
#include <cryptopp/gcm.h>
#include <cryptopp/secblock.h>

#include <type_traits>
#include <vector>

using aeadlab::Bytes;
using CryptoPP::AuthenticatedSymmetricCipher;

namespace {

struct Factories {
    Factory<AuthenticatedSymmetricCipher> sealing, opening;
};

template <typename Mode>
constexpr Factories factories = {create<AuthenticatedSymmetricCipher, typename Mode::Encryption>,
                                 create<AuthenticatedSymmetricCipher, typename Mode::Decryption>};

// An object of the library has one direction; each is created when it is first needed. ChaCha20-Poly1305 of the library
// sets both its keys with each nonce.
class Aead {
  public:
    Aead(const aeadlab_algorithm &row, const uint8_t *key)
        : factories_(*static_cast<const Factories *>(row.data)), key_(key, row.key_bytes),
          nonce_bytes_(row.nonce_bytes), tag_bytes_(row.tag_bytes) {}

    int32_t seal(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, uint8_t *tag) {
        keyed(sealing_, factories_.sealing)
            .EncryptAndAuthenticate(out, tag, tag_bytes_, nonce.data, static_cast<int>(nonce.size), ad.data, ad.size,
                                    in.data, in.size);
        return AEADLAB_OK;
    }

    int32_t open(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, const uint8_t *tag) {
        const bool valid = keyed(opening_, factories_.opening)
                               .DecryptAndVerify(out, tag, tag_bytes_, nonce.data, static_cast<int>(nonce.size),
                                                 ad.data, ad.size, in.data, in.size);
        return valid ? AEADLAB_OK : AEADLAB_AUTH_FAILED;
    }

  private:
    using Object = std::unique_ptr<AuthenticatedSymmetricCipher>;

    AuthenticatedSymmetricCipher &keyed(Object &object, Factory<AuthenticatedSymmetricCipher> factory) {
        if (!object) {
            auto created = factory();
            const std::vector<uint8_t> nonce(nonce_bytes_);
            created->SetKeyWithIV(key_, key_.size(), nonce.data(), nonce.size());
            // Setting the key also starts a message. EAX computes wrong tags if that message is not finished.
            uint8_t tag[16];
            created->TruncatedFinal(tag, tag_bytes_);
            object = std::move(created);
        }
        return *object;
    }

    const Factories &factories_;
    CryptoPP::SecByteBlock key_;
    size_t nonce_bytes_, tag_bytes_;
    Object sealing_, opening_;
};

template <typename Mode>
void add(aeadlab::Table &table, const std::string &name, aeadlab::Lengths lengths, uint64_t flags, uint64_t max_bytes) {
    auto row = aeadlab::aead<Aead>(lengths, AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG | flags);
    row.data = &factories<Mode>;
    row.max_bytes = max_bytes;
    table.add(row, name, factories<Mode>.sealing()->AlgorithmProvider());
}

} // namespace

void add_aeads(aeadlab::Table &table) {
    each_block_cipher([&](const auto &cipher) {
        using T = typename std::decay_t<decltype(cipher)>::type;
        // Serpent and Twofish are listed with the longest key only.
        const bool all_key_lengths = !std::is_same_v<T, CryptoPP::Serpent> && !std::is_same_v<T, CryptoPP::Twofish>;
        if constexpr (T::BLOCKSIZE == 16) {
            if (all_key_lengths || cipher.key_bytes == 32) {
                const uint64_t flags = cipher.xor_in_place;
                const uint32_t key = cipher.key_bytes;
                // SP 800-38D: a plaintext is at most 2^39 - 256 bits. With other nonce lengths the library increments
                // more than the 32 bits of the counter, which is wrong.
                add<CryptoPP::GCM<T>>(table, cipher.name + "-gcm", {key, 12, 16}, flags, (1ull << 36) - 32);
                // A nonce of 12 bytes leaves 3 bytes for the message length (SP 800-38C).
                add<CryptoPP::CCM<T>>(table, cipher.name + "-ccm", {key, 12, 16}, flags, (1ull << 24) - 1);
                add<CryptoPP::EAX<T>>(table, cipher.name + "-eax", {key, 16, 16}, flags | AEADLAB_ANY_NONCE_LENGTH, 0);
            }
        }
    });
    // RFC 8439: 2^32 - 1 blocks of 64 bytes.
    const uint64_t chacha_bytes = (1ull << 38) - 64;
    add<CryptoPP::ChaCha20Poly1305>(table, "chacha20-poly1305", {32, 12, 16}, AEADLAB_IN_PLACE, chacha_bytes);
    add<CryptoPP::XChaCha20Poly1305>(table, "xchacha20-poly1305", {32, 24, 16}, AEADLAB_IN_PLACE, chacha_bytes);
}

// AEADs: block ciphers in GCM, CCM and EAX, and ChaCha20-Poly1305.

#include "cryptopp.h"

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

struct Makers {
    Maker<AuthenticatedSymmetricCipher> sealing, opening;
};

template <typename Mode>
constexpr Makers makers = {make<AuthenticatedSymmetricCipher, typename Mode::Encryption>,
                           make<AuthenticatedSymmetricCipher, typename Mode::Decryption>};

// The library fixes the direction with the object. The second is made when first needed: who only seals does not
// pay for it. ChaCha20-Poly1305 sets both its keys with every nonce, which is how the library does it.
class Aead {
  public:
    Aead(const aeadlab_algorithm &row, const uint8_t *key)
        : makers_(*static_cast<const Makers *>(row.data)), key_(key, row.key_bytes), nonce_bytes_(row.nonce_bytes),
          tag_bytes_(row.tag_bytes) {}

    int32_t seal(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, uint8_t *tag) {
        keyed(sealing_, makers_.sealing)
            .EncryptAndAuthenticate(out, tag, tag_bytes_, nonce.data, static_cast<int>(nonce.size), ad.data, ad.size,
                                    in.data, in.size);
        return AEADLAB_OK;
    }

    int32_t open(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, const uint8_t *tag) {
        const bool right = keyed(opening_, makers_.opening)
                               .DecryptAndVerify(out, tag, tag_bytes_, nonce.data, static_cast<int>(nonce.size),
                                                 ad.data, ad.size, in.data, in.size);
        return right ? AEADLAB_OK : AEADLAB_AUTH_FAILED;
    }

  private:
    using Place = std::unique_ptr<AuthenticatedSymmetricCipher>;

    AuthenticatedSymmetricCipher &keyed(Place &place, Maker<AuthenticatedSymmetricCipher> maker) {
        if (!place) {
            auto made = maker();
            const std::vector<uint8_t> nonce(nonce_bytes_);
            made->SetKeyWithIV(key_, key_.size(), nonce.data(), nonce.size());
            // The key comes with a nonce only, which begins a message. EAX computes wrong tags if that is left open.
            uint8_t tag[16];
            made->TruncatedFinal(tag, tag_bytes_);
            place = std::move(made);
        }
        return *place;
    }

    const Makers &makers_;
    CryptoPP::SecByteBlock key_;
    size_t nonce_bytes_, tag_bytes_;
    Place sealing_, opening_;
};

template <typename Mode>
void add(aeadlab::Table &table, const std::string &name, aeadlab::Lengths lengths, uint64_t flags,
         uint64_t max_bytes) {
    auto row = aeadlab::aead<Aead>(lengths, AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG | flags);
    row.data = &makers<Mode>;
    row.max_bytes = max_bytes;
    table.add(row, name, makers<Mode>.sealing()->AlgorithmProvider());
}

} // namespace

void add_aeads(aeadlab::Table &table) {
    each_block_cipher([&](const auto &cipher) {
        using T = typename std::decay_t<decltype(cipher)>::type;
        // For Serpent and Twofish the longest key stands for all.
        const bool usual = !std::is_same_v<T, CryptoPP::Serpent> && !std::is_same_v<T, CryptoPP::Twofish>;
        if constexpr (T::BLOCKSIZE == 16) {
            if (usual || cipher.key_bytes == 32) {
                const uint64_t flags = cipher.combining_in_place;
                const uint32_t key = cipher.key_bytes;
                // SP 800-38D: a plaintext is at most 2^39 - 256 bits. With other nonces the library carries beyond
                // the 32 bits of the counter, which is wrong.
                add<CryptoPP::GCM<T>>(table, cipher.name + "-gcm", {key, 12, 16}, flags, (1ull << 36) - 32);
                // With nonces of 12 bytes there are 3 for the length (SP 800-38C).
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

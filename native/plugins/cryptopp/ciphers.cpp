// Ciphers without authentication: block ciphers in their modes, and stream ciphers.

// RC4 is kept in a namespace of that name.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include "cryptopp.h"

#include <cryptopp/algparam.h>
#include <cryptopp/arc4.h>
#include <cryptopp/argnames.h>
#include <cryptopp/chacha.h>
#include <cryptopp/hc128.h>
#include <cryptopp/modes.h>
#include <cryptopp/salsa.h>
#include <cryptopp/secblock.h>
#include <cryptopp/xts.h>

#include <vector>

using aeadlab::Bytes;
using CryptoPP::SymmetricCipher;

namespace {

struct Kind {
    Maker<SymmetricCipher> encrypting, decrypting; // the second is NULL where they are the same
    int rounds = 0; // 0: the cipher's own
    bool rekeyed = false; // it has no nonce and starts anew with its key only
    bool steals = false; // ciphertext stealing: any length from 16 bytes
};

// The library fixes the direction with the object. The second is made when first needed.
class Cipher {
  public:
    Cipher(const aeadlab_algorithm &row, const uint8_t *key)
        : kind_(*static_cast<const Kind *>(row.data)), key_(key, row.key_bytes), first_nonce_(row.nonce_bytes) {}

    int32_t encrypt(Bytes nonce, Bytes in, uint8_t *out) {
        return process(keyed(encrypting_, kind_.encrypting), nonce, in, out);
    }

    int32_t decrypt(Bytes nonce, Bytes in, uint8_t *out) {
        if (kind_.decrypting == nullptr) {
            return encrypt(nonce, in, out);
        }
        return process(keyed(decrypting_, kind_.decrypting), nonce, in, out);
    }

  private:
    using Place = std::unique_ptr<SymmetricCipher>;

    SymmetricCipher &keyed(Place &place, Maker<SymmetricCipher> maker) {
        if (!place) {
            auto made = maker();
            set_key(*made);
            place = std::move(made);
        }
        return *place;
    }

    void set_key(SymmetricCipher &cipher) {
        // XChaCha20 would start at block 1. Parameters that a cipher does not know are passed over.
        auto parameters = CryptoPP::MakeParameters("InitialBlock", CryptoPP::word64(0), false);
        if (kind_.rounds != 0) {
            parameters(CryptoPP::Name::Rounds(), kind_.rounds);
        }
        if (!first_nonce_.empty()) {
            const CryptoPP::ConstByteArrayParameter nonce(first_nonce_.data(), first_nonce_.size());
            parameters(CryptoPP::Name::IV(), nonce);
        }
        cipher.SetKey(key_, key_.size(), parameters);
    }

    int32_t process(SymmetricCipher &cipher, Bytes nonce, Bytes in, uint8_t *out) {
        if (kind_.rekeyed) {
            cipher.SetKey(key_, key_.size());
        } else if (nonce.size != 0) {
            cipher.Resynchronize(nonce.data, static_cast<int>(nonce.size));
        }
        if (kind_.steals) {
            return process_xts(cipher, in, out);
        }
        if (in.size != 0) {
            cipher.ProcessData(out, in.data, in.size);
        }
        return AEADLAB_OK;
    }

    // ProcessLastBlock must not be given more than its last two blocks: it divides longer messages wrongly.
    static int32_t process_xts(SymmetricCipher &cipher, Bytes in, uint8_t *out) {
        constexpr size_t block = 16;
        if (in.size < block) {
            return AEADLAB_BAD_ARGUMENT;
        }
        const size_t rest = in.size % block;
        const size_t last = rest == 0 ? 0 : block + rest;
        const size_t first = in.size - last;
        if (first != 0) {
            cipher.ProcessData(out, in.data, first);
        }
        if (last != 0) {
            cipher.ProcessLastBlock(out + first, last, in.data + first, last);
        }
        return AEADLAB_OK;
    }

    const Kind &kind_;
    CryptoPP::SecByteBlock key_;
    const std::vector<uint8_t> first_nonce_;
    Place encrypting_, decrypting_;
};

template <typename Mode>
constexpr Kind directed = {make<SymmetricCipher, typename Mode::Encryption>,
                           make<SymmetricCipher, typename Mode::Decryption>};
template <typename Mode> constexpr Kind keystream = {make<SymmetricCipher, typename Mode::Encryption>, nullptr};
template <typename Mode, int rounds>
constexpr Kind reduced = {make<SymmetricCipher, typename Mode::Encryption>, nullptr, rounds};
constexpr Kind rc4 = {make<SymmetricCipher, CryptoPP::Weak::ARC4::Encryption>, nullptr, 0, true};
constexpr Kind aes_xts = {make<SymmetricCipher, CryptoPP::XTS<CryptoPP::AES>::Encryption>,
                          make<SymmetricCipher, CryptoPP::XTS<CryptoPP::AES>::Decryption>, 0, false, true};

void add(aeadlab::Table &table, const std::string &name, const Kind &kind, aeadlab::Lengths lengths,
         uint64_t flags, uint32_t block_bytes = 1, uint64_t max_bytes = 0) {
    auto row = aeadlab::cipher<Cipher>(lengths, AEADLAB_THREAD_SAFE | flags);
    row.data = &kind;
    row.block_bytes = block_bytes;
    row.max_bytes = max_bytes;
    table.add(row, name, kind.encrypting()->AlgorithmProvider());
}

struct Stream {
    const char *name;
    const Kind &kind;
    uint32_t key_bytes, nonce_bytes;
    uint64_t flags;
};

// XChaCha20 with 12 rounds is left out: the library keeps 20 where the key is derived from the nonce. So is HC-256, whose
// keystream is not eSTREAM's (weidai11/cryptopp issue 1280). HC-128 writes its keystream to the output before it combines
// it with the input.
const Stream STREAMS[] = {
    {"xchacha20", keystream<CryptoPP::XChaCha20>, 32, 24, AEADLAB_IN_PLACE},
    {"salsa20", keystream<CryptoPP::Salsa20>, 32, 8, AEADLAB_IN_PLACE},
    {"salsa20-12", reduced<CryptoPP::Salsa20, 12>, 32, 8, AEADLAB_IN_PLACE},
    {"salsa20-8", reduced<CryptoPP::Salsa20, 8>, 32, 8, AEADLAB_IN_PLACE},
    {"xsalsa20", keystream<CryptoPP::XSalsa20>, 32, 24, AEADLAB_IN_PLACE},
    {"hc-128", keystream<CryptoPP::HC128>, 16, 16, 0},
    {"rc4", rc4, 16, 0, AEADLAB_IN_PLACE | AEADLAB_HISTORICAL},
};

} // namespace

void add_ciphers(aeadlab::Table &table) {
    each_block_cipher([&](const auto &cipher) {
        using T = typename std::decay_t<decltype(cipher)>::type;
        const uint32_t key = cipher.key_bytes, block = T::BLOCKSIZE;
        const std::string &name = cipher.name;
        const uint64_t flags = cipher.flags | AEADLAB_IN_PLACE;
        const uint64_t combining = cipher.flags | cipher.combining_in_place;
        add(table, name + "-ecb", directed<CryptoPP::ECB_Mode<T>>, {key, 0, 0}, flags, block);
        add(table, name + "-cbc", directed<CryptoPP::CBC_Mode<T>>, {key, block, 0}, flags, block);
        add(table, name + "-ctr", keystream<CryptoPP::CTR_Mode<T>>, {key, block, 0}, combining);
        add(table, name + "-cfb", directed<CryptoPP::CFB_Mode<T>>, {key, block, 0}, combining);
        add(table, name + "-ofb", keystream<CryptoPP::OFB_Mode<T>>, {key, block, 0}, flags);
    });
    add(table, "aes-128-xts", aes_xts, {32, 16, 0}, AEADLAB_IN_PLACE);
    add(table, "aes-256-xts", aes_xts, {64, 16, 0}, AEADLAB_IN_PLACE);
    // RFC 8439: 2^32 blocks of 64 bytes.
    add(table, "chacha20", keystream<CryptoPP::ChaChaTLS>, {32, 12, 0}, AEADLAB_IN_PLACE, 1, 1ull << 38);
    for (const Stream &stream : STREAMS) {
        add(table, stream.name, stream.kind, {stream.key_bytes, stream.nonce_bytes, 0}, stream.flags);
    }
}

// The ciphers of Crypto++: its modes for each block cipher, and the stream ciphers.

// RC4 is in the namespace Weak.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include "plugin.h"

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

// The target of algorithm->data.
struct Spec {
    Factory<SymmetricCipher> encrypting, decrypting; // the second is NULL if they are the same
    int rounds = 0;                                  // 0: the default of the cipher
    bool rekeyed = false;                            // without a nonce, each message sets the key again
    bool ciphertext_stealing = false;                // any length of at least 16 bytes
};

// An object of the library has one direction; each is created when it is first needed.
class Cipher {
  public:
    Cipher(const aeadlab_algorithm &row, const uint8_t *key)
        : spec_(*static_cast<const Spec *>(row.data)), key_(key, row.key_bytes), first_nonce_(row.nonce_bytes) {}

    int32_t encrypt(Bytes nonce, Bytes in, uint8_t *out) {
        return process(keyed(encrypting_, spec_.encrypting), nonce, in, out);
    }

    int32_t decrypt(Bytes nonce, Bytes in, uint8_t *out) {
        if (spec_.decrypting == nullptr) {
            return encrypt(nonce, in, out);
        }
        return process(keyed(decrypting_, spec_.decrypting), nonce, in, out);
    }

  private:
    using Object = std::unique_ptr<SymmetricCipher>;

    SymmetricCipher &keyed(Object &object, Factory<SymmetricCipher> factory) {
        if (!object) {
            auto created = factory();
            set_key(*created);
            object = std::move(created);
        }
        return *object;
    }

    void set_key(SymmetricCipher &cipher) {
        // The default of XChaCha20 is block 1. Ciphers ignore unknown parameters.
        auto parameters = CryptoPP::MakeParameters("InitialBlock", CryptoPP::word64(0), false);
        if (spec_.rounds != 0) {
            parameters(CryptoPP::Name::Rounds(), spec_.rounds);
        }
        if (!first_nonce_.empty()) {
            const CryptoPP::ConstByteArrayParameter nonce(first_nonce_.data(), first_nonce_.size());
            parameters(CryptoPP::Name::IV(), nonce);
        }
        cipher.SetKey(key_, key_.size(), parameters);
    }

    int32_t process(SymmetricCipher &cipher, Bytes nonce, Bytes in, uint8_t *out) {
        if (spec_.rekeyed) {
            cipher.SetKey(key_, key_.size());
        } else if (nonce.size != 0) {
            cipher.Resynchronize(nonce.data, static_cast<int>(nonce.size));
        }
        if (spec_.ciphertext_stealing) {
            return process_xts(cipher, in, out);
        }
        if (in.size != 0) {
            cipher.ProcessData(out, in.data, in.size);
        }
        return AEADLAB_OK;
    }

    // ProcessLastBlock takes at most the last two blocks: it splits longer messages wrongly.
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

    const Spec &spec_;
    CryptoPP::SecByteBlock key_;
    const std::vector<uint8_t> first_nonce_;
    Object encrypting_, decrypting_;
};

template <typename Mode>
constexpr Spec block_mode = {create<SymmetricCipher, typename Mode::Encryption>,
                             create<SymmetricCipher, typename Mode::Decryption>};
template <typename Mode> constexpr Spec keystream = {create<SymmetricCipher, typename Mode::Encryption>, nullptr};
template <typename Mode, int rounds>
constexpr Spec reduced_rounds = {create<SymmetricCipher, typename Mode::Encryption>, nullptr, rounds};
constexpr Spec rc4 = {create<SymmetricCipher, CryptoPP::Weak::ARC4::Encryption>, nullptr, 0, true};
constexpr Spec aes_xts = {create<SymmetricCipher, CryptoPP::XTS<CryptoPP::AES>::Encryption>,
                          create<SymmetricCipher, CryptoPP::XTS<CryptoPP::AES>::Decryption>, 0, false, true};

void add(aeadlab::Table &table, const std::string &name, const Spec &spec, aeadlab::Lengths lengths, uint64_t flags,
         uint32_t block_bytes = 1, uint64_t max_bytes = 0) {
    auto row = aeadlab::cipher<Cipher>(lengths, AEADLAB_THREAD_SAFE | flags);
    row.data = &spec;
    row.block_bytes = block_bytes;
    row.max_bytes = max_bytes;
    table.add(row, name, spec.encrypting()->AlgorithmProvider());
}

struct Stream {
    const char *name;
    const Spec &spec;
    uint32_t key_bytes, nonce_bytes;
    uint64_t flags;
};

// XChaCha20 with 12 rounds is not listed, because the library derives its key from the nonce with 20 rounds; nor is
// HC-256, whose keystream differs from eSTREAM's (weidai11/cryptopp issue 1280). HC-128 writes its keystream to the
// output before it XORs it with the input, so it does not work in place.
const Stream STREAMS[] = {
    {"xchacha20", keystream<CryptoPP::XChaCha20>, 32, 24, AEADLAB_IN_PLACE},
    {"salsa20", keystream<CryptoPP::Salsa20>, 32, 8, AEADLAB_IN_PLACE},
    {"salsa20-12", reduced_rounds<CryptoPP::Salsa20, 12>, 32, 8, AEADLAB_IN_PLACE},
    {"salsa20-8", reduced_rounds<CryptoPP::Salsa20, 8>, 32, 8, AEADLAB_IN_PLACE},
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
        const uint64_t xor_flags = cipher.flags | cipher.xor_in_place;
        add(table, name + "-ecb", block_mode<CryptoPP::ECB_Mode<T>>, {key, 0, 0}, flags, block);
        add(table, name + "-cbc", block_mode<CryptoPP::CBC_Mode<T>>, {key, block, 0}, flags, block);
        add(table, name + "-ctr", keystream<CryptoPP::CTR_Mode<T>>, {key, block, 0}, xor_flags);
        add(table, name + "-cfb", block_mode<CryptoPP::CFB_Mode<T>>, {key, block, 0}, xor_flags);
        add(table, name + "-ofb", keystream<CryptoPP::OFB_Mode<T>>, {key, block, 0}, flags);
    });
    // IEEE 1619: a data unit has at most 2^20 blocks.
    add(table, "aes-128-xts", aes_xts, {32, 16, 0}, AEADLAB_IN_PLACE, 1, 1 << 24);
    add(table, "aes-256-xts", aes_xts, {64, 16, 0}, AEADLAB_IN_PLACE, 1, 1 << 24);
    // RFC 8439: 2^32 blocks of 64 bytes.
    add(table, "chacha20", keystream<CryptoPP::ChaChaTLS>, {32, 12, 0}, AEADLAB_IN_PLACE, 1, 1ull << 38);
    for (const Stream &stream : STREAMS) {
        add(table, stream.name, stream.spec, {stream.key_bytes, stream.nonce_bytes, 0}, stream.flags);
    }
}

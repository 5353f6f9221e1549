// Crypto++ behind aeadlab.h.

#include "aeadlab.h"

#include <cryptopp/aes.h>
#include <cryptopp/gcm.h>
#include <cryptopp/secblock.h>

#include <optional>
#include <string>

namespace {

using CryptoPP::AES;
using CryptoPP::GCM;

// GCM fixes the direction with the object. The second is made when first needed: who only seals does not pay for it.
struct GcmAes {
    CryptoPP::SecByteBlock key;
    std::optional<GCM<AES>::Encryption> sealing;
    std::optional<GCM<AES>::Decryption> opening;

    template <typename Direction> Direction &keyed(std::optional<Direction> &place) {
        if (!place) {
            static const uint8_t nonce[12] = {};
            place.emplace().SetKeyWithIV(key, key.size(), nonce, sizeof nonce);
        }
        return *place;
    }
};

template <typename Call> int32_t guarded(const Call &call) {
    try {
        return call();
    } catch (const CryptoPP::InvalidArgument &) {
        return AEADLAB_BAD_ARGUMENT;
    } catch (...) {
        return AEADLAB_INTERNAL;
    }
}

int32_t key_new(const aeadlab_algorithm *algorithm, const uint8_t *key, size_t key_bytes, void **context) {
    return guarded([&] {
        if (key_bytes != algorithm->key_bytes) {
            return AEADLAB_BAD_ARGUMENT;
        }
        *context = new GcmAes{CryptoPP::SecByteBlock(key, key_bytes), {}, {}};
        return AEADLAB_OK;
    });
}

void key_free(void *context) {
    // Crypto++ keeps keys in blocks that are wiped when freed.
    delete static_cast<GcmAes *>(context);
}

int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
             const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
    return guarded([&] {
        auto *keys = static_cast<GcmAes *>(context);
        auto &cipher = keys->keyed(keys->sealing);
        cipher.EncryptAndAuthenticate(out, tag, cipher.DigestSize(), nonce, static_cast<int>(nonce_bytes), ad,
                                      ad_bytes, in, bytes);
        return AEADLAB_OK;
    });
}

int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
             const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
    return guarded([&] {
        auto *keys = static_cast<GcmAes *>(context);
        auto &cipher = keys->keyed(keys->opening);
        const bool right = cipher.DecryptAndVerify(out, tag, cipher.DigestSize(), nonce,
                                                   static_cast<int>(nonce_bytes), ad, ad_bytes, in, bytes);
        return right ? AEADLAB_OK : AEADLAB_AUTH_FAILED;
    });
}

aeadlab_algorithm gcm(const char *name, uint32_t key_bytes, const char *kernel) {
    aeadlab_algorithm row{};
    row.struct_size = sizeof row;
    row.name = name;
    row.kernel = kernel;
    row.flags = AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG;
    row.kind = AEADLAB_AEAD;
    row.key_bytes = key_bytes;
    row.nonce_bytes = 12;
    row.tag_bytes = 16;
    row.block_bytes = 1;
    row.max_bytes = (1ull << 36) - 32; // SP 800-38D
    row.key_new = key_new;
    row.key_free = key_free;
    row.seal = seal;
    row.open = open;
    return row;
}

} // namespace

extern "C" const aeadlab_library *aeadlab_library_v1(void) {
    static const std::string version = [] {
        const int number = CryptoPP::LibraryVersion();
        return std::to_string(number / 100) + "." + std::to_string(number / 10 % 10) + "." +
               std::to_string(number % 10);
    }();
    static const std::string kernel = GCM<AES>::Encryption().AlgorithmProvider();
    static const aeadlab_algorithm rows[] = {
        gcm("aes-128-gcm", 16, kernel.c_str()),
        gcm("aes-192-gcm", 24, kernel.c_str()),
        gcm("aes-256-gcm", 32, kernel.c_str()),
    };
    static const aeadlab_algorithm *const pointers[] = {&rows[0], &rows[1], &rows[2]};
    static const aeadlab_library library = {
        AEADLAB_ABI_VERSION,
        0,
        sizeof(aeadlab_library),
        "cryptopp",
        version.c_str(),
        AEADLAB_BUILD,
        sizeof pointers / sizeof *pointers,
        pointers,
    };
    return &library;
}

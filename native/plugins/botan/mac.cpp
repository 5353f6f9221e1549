// The MACs of Botan: of hashes, of block ciphers, and the universal hashes.

#include "plugin.h"

#include <botan/aead.h>
#include <botan/mac.h>

#include <deque>

using aeadlab::Bytes;

namespace {

// The target of algorithm->data.
struct Spec {
    std::string name, botan_name, primitive;
    uint32_t key_bytes, tag_bytes;
    uint64_t flags = 0;
    bool rekeyed = false; // each message sets the key again, which Botan clears with each tag
};

class Mac {
  public:
    Mac(const aeadlab_algorithm &row, const uint8_t *key)
        : spec_(*static_cast<const Spec *>(row.data)), key_(key, key + row.key_bytes),
          mac_(Botan::MessageAuthenticationCode::create_or_throw(spec_.botan_name)) {
        mac_->set_key(key_.data(), key_.size());
    }

    int32_t digest(Bytes nonce, Bytes in, uint8_t *tag) {
        if (spec_.rekeyed) {
            mac_->set_key(key_.data(), key_.size());
        }
        mac_->start(nonce.data, nonce.size);
        mac_->update(in.data, in.size);
        mac_->final(tag);
        return AEADLAB_OK;
    }

  private:
    const Spec &spec_;
    Secure key_;
    std::unique_ptr<Botan::MessageAuthenticationCode> mac_;
};

// Botan's GMAC clears its key with each tag. GCM with the message as associated data is the same function with the same
// GHASH and keeps the key.
class Gmac {
  public:
    Gmac(const aeadlab_algorithm &row, const uint8_t *key)
        : gcm_(Botan::AEAD_Mode::create_or_throw(static_cast<const Spec *>(row.data)->botan_name, ENCRYPTION)) {
        gcm_->set_key(key, row.key_bytes);
    }

    int32_t digest(Bytes nonce, Bytes in, uint8_t *tag) {
        gcm_->set_associated_data(in.data, in.size);
        gcm_->start(nonce.data, nonce.size);
        tag_.clear();
        gcm_->finish(tag_);
        copy(tag, tag_.data(), tag_.size());
        return AEADLAB_OK;
    }

  private:
    std::unique_ptr<Botan::AEAD_Mode> gcm_;
    Secure tag_;
};

const Spec *store(Spec spec) {
    static auto &specs = *new std::deque<Spec>;
    return &specs.emplace_back(std::move(spec));
}

void add(aeadlab::Table &table, const Spec &spec) {
    if (try_create<Botan::MessageAuthenticationCode>(spec.botan_name)) {
        auto row = aeadlab::digest<Mac>({spec.key_bytes, 0, spec.tag_bytes}, AEADLAB_THREAD_SAFE | spec.flags);
        row.data = store(spec);
        table.add(row, spec.name, provider_of(spec.primitive));
    }
}

const Spec MACS[] = {
    {"hmac-md5", "HMAC(MD5)", "MD5", 16, 16},
    {"hmac-sha-1", "HMAC(SHA-1)", "SHA-1", 20, 20},
    {"hmac-sha-224", "HMAC(SHA-224)", "SHA-224", 28, 28},
    {"hmac-sha-256", "HMAC(SHA-256)", "SHA-256", 32, 32},
    {"hmac-sha-384", "HMAC(SHA-384)", "SHA-384", 48, 48},
    {"hmac-sha-512", "HMAC(SHA-512)", "SHA-512", 64, 64},
    {"hmac-sha3-256", "HMAC(SHA-3(256))", "SHA-3(256)", 32, 32},
    {"hmac-sha3-512", "HMAC(SHA-3(512))", "SHA-3(512)", 64, 64},
    {"hmac-sm3", "HMAC(SM3)", "SM3", 32, 32},
    {"hmac-ripemd-160", "HMAC(RIPEMD-160)", "RIPEMD-160", 20, 20},
    {"hmac-whirlpool", "HMAC(Whirlpool)", "Whirlpool", 64, 64},
    {"poly1305", "Poly1305", "", 32, 16, AEADLAB_UNIVERSAL_HASH, true},
    {"siphash-2-4", "SipHash(2,4)", "", 16, 8, 0, true},
    {"siphash-1-3", "SipHash(1,3)", "", 16, 8, 0, true},
    {"blake2b-keyed", "BLAKE2b(512)", "BLAKE2b(512)", 32, 64},
    {"kmac-128", "KMAC-128(256)", "", 32, 32},
    {"kmac-256", "KMAC-256(512)", "", 32, 64},
};

} // namespace

void add_macs(aeadlab::Table &table) {
    for (const Spec &spec : MACS) {
        add(table, spec);
    }
    for (const BlockCipher &cipher : block_ciphers()) {
        const std::string &name = cipher.name, &botan_name = cipher.botan_name;
        add(table, {name + "-cmac", "CMAC(" + botan_name + ")", botan_name, cipher.key_bytes, cipher.block_bytes,
                    cipher.flags});
        const auto gcm = try_create<Botan::AEAD_Mode>(botan_name + "/GCM", ENCRYPTION);
        if (gcm && botan_name.rfind("AES", 0) == 0) {
            const uint64_t flags = AEADLAB_THREAD_SAFE | AEADLAB_ANY_NONCE_LENGTH;
            auto row = aeadlab::digest<Gmac>({cipher.key_bytes, 12, 16}, flags);
            row.data = store({name + "-gmac", botan_name + "/GCM", botan_name, cipher.key_bytes, 16});
            table.add(row, name + "-gmac", gcm->provider() == "base" ? "" : "GHASH " + gcm->provider());
        }
    }
}

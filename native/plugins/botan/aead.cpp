// The AEADs of Botan: its modes for each block cipher, ChaCha20-Poly1305, XChaCha20-Poly1305 and Ascon.

#include "plugin.h"

#include <botan/aead.h>

#include <deque>

using aeadlab::Bytes;

namespace {

// How Botan takes a message.
enum class Input {
    chunks,
    whole,           // it buffers the message until the end
    whole_tag_first, // likewise, with the tag before the ciphertext
};

// The target of algorithm->data.
struct Spec {
    std::string botan_name;
    Input input;
    bool reset_each; // associated data of another message requires reset()
};

class Aead {
  public:
    Aead(const aeadlab_algorithm &row, const uint8_t *key)
        : spec_(*static_cast<const Spec *>(row.data)), key_(key, key + row.key_bytes), tag_bytes_(row.tag_bytes) {}

    int32_t seal(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, uint8_t *tag) {
        return message(sealing_, ENCRYPTION, nonce, ad, [&](Direction<Botan::AEAD_Mode> &direction) {
            const size_t first = process_first(direction, in, out);
            rest_.reserve(in.size - first + tag_bytes_);
            rest_.assign(in.data + first, in.data + in.size);
            direction.mode->finish(rest_);
            const bool tag_first = spec_.input == Input::whole_tag_first;
            const size_t rest = in.size - first;
            copy(out + first, rest_.data() + (tag_first ? tag_bytes_ : 0), rest);
            copy(tag, rest_.data() + (tag_first ? 0 : rest), tag_bytes_);
        });
    }

    int32_t open(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, const uint8_t *tag) {
        return message(opening_, DECRYPTION, nonce, ad, [&](Direction<Botan::AEAD_Mode> &direction) {
            const size_t first = process_first(direction, in, out);
            const bool tag_first = spec_.input == Input::whole_tag_first;
            const size_t rest = in.size - first;
            rest_.resize(rest + tag_bytes_);
            copy(rest_.data() + (tag_first ? tag_bytes_ : 0), in.data + first, rest);
            copy(rest_.data() + (tag_first ? 0 : rest), tag, tag_bytes_);
            direction.mode->finish(rest_);
            copy(out + first, rest_.data(), rest);
        });
    }

  private:
    struct AeadDirection : Direction<Botan::AEAD_Mode> {
        bool without_ad = false;
    };

    template <typename Body>
    int32_t message(AeadDirection &direction, Botan::Cipher_Dir cipher_dir, Bytes nonce, Bytes ad, const Body &body) {
        // Botan does not authenticate an empty nonce in SIV, against RFC 5297.
        if (nonce.size == 0 && spec_.input == Input::whole_tag_first) {
            return AEADLAB_BAD_ARGUMENT;
        }
        direction.with_key(spec_.botan_name, cipher_dir, key_);
        try {
            // Botan keeps associated data from one message to the next.
            if (ad.size != 0 || !direction.without_ad) {
                direction.mode->set_associated_data(ad.data, ad.size);
                direction.without_ad = ad.size == 0;
            }
            direction.mode->start(nonce.data, nonce.size);
            body(direction);
        } catch (...) {
            reset(direction);
            throw;
        }
        if (spec_.reset_each) {
            reset(direction);
        }
        return AEADLAB_OK;
    }

    static void reset(AeadDirection &direction) {
        direction.mode->reset();
        direction.without_ad = false;
    }

    size_t process_first(Direction<Botan::AEAD_Mode> &direction, Bytes in, uint8_t *out) const {
        if (spec_.input != Input::chunks) {
            return 0;
        }
        const size_t first = in.size - in.size % direction.granularity;
        direction.process(in.data, first, out);
        return first;
    }

    const Spec &spec_;
    Secure key_;
    size_t tag_bytes_;
    AeadDirection sealing_, opening_;
    Secure rest_;
};

void add(aeadlab::Table &table, const std::string &name, const std::string &botan_name, const std::string &kernel,
         Input input, aeadlab::Lengths lengths, uint64_t flags = 0, uint64_t max_bytes = 0) {
    static auto &specs = *new std::deque<Spec>;
    if (!try_create<Botan::AEAD_Mode>(botan_name, ENCRYPTION)) {
        return;
    }
    const uint64_t all = AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG;
    auto row = aeadlab::aead<Aead>(lengths, all | flags);
    row.data = &specs.emplace_back(Spec{botan_name, input, name.find("-eax") != std::string::npos});
    row.max_bytes = max_bytes;
    table.add(row, name, kernel);
}

// Return the providers of the cipher and of GHASH; the mode reports the latter.
std::string gcm_kernel(const std::string &botan_name, const std::string &provider) {
    const auto mode = try_create<Botan::AEAD_Mode>(botan_name, ENCRYPTION);
    const std::string ghash = mode ? mode->provider() : "base";
    if (ghash == "base") {
        return provider;
    }
    return provider.empty() ? "GHASH " + ghash : provider + ", GHASH " + ghash;
}

} // namespace

void add_aeads(aeadlab::Table &table) {
    const uint64_t any = AEADLAB_ANY_NONCE_LENGTH;
    for (const BlockCipher &cipher : block_ciphers()) {
        const std::string &name = cipher.name, &botan_name = cipher.botan_name;
        const uint32_t key = cipher.key_bytes;
        // Serpent and Twofish are listed with the longest key only.
        const bool short_key = key != 32 && (botan_name == "Serpent" || botan_name == "Twofish");
        // The AEAD mode of Kuznyechik is MGM, which Botan lacks.
        if (cipher.block_bytes != 16 || short_key || name == "kuznyechik") {
            continue;
        }
        const std::string provider = provider_of(botan_name);
        // SP 800-38D: a plaintext is at most 2^39 - 256 bits.
        add(table, name + "-gcm", botan_name + "/GCM", gcm_kernel(botan_name + "/GCM", provider), Input::chunks,
            {key, 12, 16}, any, (1ull << 36) - 32);
        // A nonce of 12 bytes leaves 3 bytes for the message length (SP 800-38C).
        add(table, name + "-ccm", botan_name + "/CCM(16,3)", provider, Input::whole, {key, 12, 16}, 0,
            (1ull << 24) - 1);
        add(table, name + "-eax", botan_name + "/EAX", provider, Input::chunks, {key, 16, 16}, any);
        add(table, name + "-ocb", botan_name + "/OCB", provider, Input::chunks, {key, 12, 16}, any);
        if (botan_name.rfind("AES", 0) == 0) {
            add(table, name + "-siv", botan_name + "/SIV", provider, Input::whole_tag_first, {2 * key, 16, 16}, any);
        }
    }
    // RFC 8439: 2^32 - 1 blocks of 64 bytes.
    const uint64_t chacha_bytes = (1ull << 38) - 64;
    const std::string chacha = provider_of("ChaCha");
    for (const auto &[name, nonce] : {std::pair("chacha20-poly1305", 12u), std::pair("xchacha20-poly1305", 24u)}) {
        add(table, name, "ChaCha20Poly1305", chacha, Input::chunks, {32, nonce, 16}, 0, chacha_bytes);
    }
    add(table, "ascon-aead128", "Ascon-AEAD128", "", Input::chunks, {16, 16, 16});
}

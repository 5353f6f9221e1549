// AEADs.

#include "botan.h"

#include <botan/aead.h>

#include <deque>

using aeadlab::Bytes;

namespace {

// How the library takes a message.
enum class Taking {
    pieces,
    whole, // it keeps everything until the end
    whole_tag_first, // and has the tag before the ciphertext
};

struct Kind {
    std::string theirs;
    Taking taking;
    bool reset_each; // it takes associated data for another message only after reset()
};

class Aead {
  public:
    Aead(const aeadlab_algorithm &row, const uint8_t *key)
        : kind_(*static_cast<const Kind *>(row.data)), key_(key, key + row.key_bytes), tag_bytes_(row.tag_bytes) {}

    int32_t seal(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, uint8_t *tag) {
        return message(sealing_, ENCRYPTION, nonce, ad, [&](Direction<Botan::AEAD_Mode> &way) {
            const size_t first = process_first(way, in, out);
            rest_.reserve(in.size - first + tag_bytes_);
            rest_.assign(in.data + first, in.data + in.size);
            way.mode->finish(rest_);
            const bool tag_first = kind_.taking == Taking::whole_tag_first;
            const size_t rest = in.size - first;
            copy(out + first, rest_.data() + (tag_first ? tag_bytes_ : 0), rest);
            copy(tag, rest_.data() + (tag_first ? 0 : rest), tag_bytes_);
        });
    }

    int32_t open(Bytes nonce, Bytes ad, Bytes in, uint8_t *out, const uint8_t *tag) {
        return message(opening_, DECRYPTION, nonce, ad, [&](Direction<Botan::AEAD_Mode> &way) {
            const size_t first = process_first(way, in, out);
            const bool tag_first = kind_.taking == Taking::whole_tag_first;
            const size_t rest = in.size - first;
            rest_.resize(rest + tag_bytes_);
            copy(rest_.data() + (tag_first ? tag_bytes_ : 0), in.data + first, rest);
            copy(rest_.data() + (tag_first ? 0 : rest), tag, tag_bytes_);
            way.mode->finish(rest_);
            copy(out + first, rest_.data(), rest);
        });
    }

  private:
    struct Way : Direction<Botan::AEAD_Mode> {
        bool without_ad = false;
    };

    template <typename Body>
    int32_t message(Way &way, Botan::Cipher_Dir direction, Bytes nonce, Bytes ad, const Body &body) {
        // SIV would leave an empty nonce out of what it authenticates (RFC 5297 has it in).
        if (nonce.size == 0 && kind_.taking == Taking::whole_tag_first) {
            return AEADLAB_BAD_ARGUMENT;
        }
        way.keyed(kind_.theirs, direction, key_);
        try {
            // The library keeps associated data from one message to the next.
            if (ad.size != 0 || !way.without_ad) {
                way.mode->set_associated_data(ad.data, ad.size);
                way.without_ad = ad.size == 0;
            }
            way.mode->start(nonce.data, nonce.size);
            body(way);
        } catch (...) {
            reset(way);
            throw;
        }
        if (kind_.reset_each) {
            reset(way);
        }
        return AEADLAB_OK;
    }

    static void reset(Way &way) {
        way.mode->reset();
        way.without_ad = false;
    }

    size_t process_first(Direction<Botan::AEAD_Mode> &way, Bytes in, uint8_t *out) const {
        if (kind_.taking != Taking::pieces) {
            return 0;
        }
        const size_t first = in.size - in.size % way.granularity;
        way.process(in.data, first, out);
        return first;
    }

    const Kind &kind_;
    Secure key_;
    size_t tag_bytes_;
    Way sealing_, opening_;
    Secure rest_;
};

void add(aeadlab::Table &table, const std::string &name, const std::string &theirs, const std::string &kernel,
         Taking taking, aeadlab::Lengths lengths, uint64_t flags = 0, uint64_t max_bytes = 0) {
    static auto &kinds = *new std::deque<Kind>;
    if (!made<Botan::AEAD_Mode>(theirs, ENCRYPTION)) {
        return;
    }
    const uint64_t all = AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | AEADLAB_OPEN_COMPUTES_TAG;
    auto row = aeadlab::aead<Aead>(lengths, all | flags);
    row.data = &kinds.emplace_back(Kind{theirs, taking, name.find("-eax") != std::string::npos});
    row.max_bytes = max_bytes;
    table.add(row, name, kernel);
}

// GHASH has its own provider, which the mode tells.
std::string gcm_kernel(const std::string &theirs, const std::string &provider) {
    const auto mode = made<Botan::AEAD_Mode>(theirs, ENCRYPTION);
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
        const std::string &name = cipher.name, &theirs = cipher.theirs;
        const uint32_t key = cipher.key_bytes;
        // For Serpent and Twofish the longest key stands for all.
        const bool short_key = key != 32 && (theirs == "Serpent" || theirs == "Twofish");
        // Kuznyechik has a mode of its own, MGM, which the library does not have.
        if (cipher.block_bytes != 16 || short_key || name == "kuznyechik") {
            continue;
        }
        const std::string provider = provider_of(theirs);
        // SP 800-38D: a plaintext is at most 2^39 - 256 bits.
        add(table, name + "-gcm", theirs + "/GCM", gcm_kernel(theirs + "/GCM", provider), Taking::pieces,
            {key, 12, 16}, any, (1ull << 36) - 32);
        // With nonces of 12 bytes there are 3 for the length (SP 800-38C).
        add(table, name + "-ccm", theirs + "/CCM(16,3)", provider, Taking::whole, {key, 12, 16}, 0, (1ull << 24) - 1);
        add(table, name + "-eax", theirs + "/EAX", provider, Taking::pieces, {key, 16, 16}, any);
        add(table, name + "-ocb", theirs + "/OCB", provider, Taking::pieces, {key, 12, 16}, any);
        if (theirs.rfind("AES", 0) == 0) {
            add(table, name + "-siv", theirs + "/SIV", provider, Taking::whole_tag_first, {2 * key, 16, 16}, any);
        }
    }
    // RFC 8439: 2^32 - 1 blocks of 64 bytes.
    const uint64_t chacha_bytes = (1ull << 38) - 64;
    const std::string chacha = provider_of("ChaCha");
    for (const auto &[name, nonce] : {std::pair("chacha20-poly1305", 12u), std::pair("xchacha20-poly1305", 24u)}) {
        add(table, name, "ChaCha20Poly1305", chacha, Taking::pieces, {32, nonce, 16}, 0, chacha_bytes);
    }
    add(table, "ascon-aead128", "Ascon-AEAD128", "", Taking::pieces, {16, 16, 16});
}

// Ciphers without authentication: block ciphers in their modes, and stream ciphers.

#include "botan.h"

#include <botan/block_cipher.h>
#include <botan/stream_cipher.h>

#include <deque>

using aeadlab::Bytes;

namespace {

struct Kind {
    std::string theirs;
    size_t least = 0; // the shortest message
    bool rekeyed = false; // it has no nonce and starts anew with its key only
};

const Kind &kind_of(const aeadlab_algorithm &row) { return *static_cast<const Kind *>(row.data); }

// ECB: the block cipher itself, with as many blocks at a time as there are.
class Blocks {
  public:
    Blocks(const aeadlab_algorithm &row, const uint8_t *key)
        : cipher_(Botan::BlockCipher::create_or_throw(kind_of(row).theirs)) {
        cipher_->set_key(key, row.key_bytes);
    }

    int32_t encrypt(Bytes, Bytes in, uint8_t *out) {
        cipher_->encrypt_n(in.data, out, in.size / cipher_->block_size());
        return AEADLAB_OK;
    }

    int32_t decrypt(Bytes, Bytes in, uint8_t *out) {
        cipher_->decrypt_n(in.data, out, in.size / cipher_->block_size());
        return AEADLAB_OK;
    }

  private:
    std::unique_ptr<Botan::BlockCipher> cipher_;
};

// CBC, CFB and XTS.
class Mode {
  public:
    Mode(const aeadlab_algorithm &row, const uint8_t *key) : kind_(kind_of(row)), key_(key, key + row.key_bytes) {}

    int32_t encrypt(Bytes nonce, Bytes in, uint8_t *out) {
        return process(encrypting_.keyed(kind_.theirs, ENCRYPTION, key_), nonce, in, out);
    }

    int32_t decrypt(Bytes nonce, Bytes in, uint8_t *out) {
        return process(decrypting_.keyed(kind_.theirs, DECRYPTION, key_), nonce, in, out);
    }

  private:
    using Way = Direction<Botan::Cipher_Mode>;

    int32_t process(Way &way, Bytes nonce, Bytes in, uint8_t *out) {
        if (in.size < kind_.least) {
            return AEADLAB_BAD_ARGUMENT;
        }
        way.mode->start(nonce.data, nonce.size);
        size_t rest = in.size % way.granularity;
        // Ciphertext stealing needs a whole block with what is left over.
        if (rest != 0 && rest < way.mode->minimum_final_size()) {
            rest += way.granularity;
        }
        const size_t first = in.size - rest;
        way.process(in.data, first, out);
        if (rest != 0) {
            rest_.assign(in.data + first, in.data + in.size);
            way.mode->finish(rest_);
            copy(out + first, rest_.data(), rest);
        }
        return AEADLAB_OK;
    }

    const Kind &kind_;
    Secure key_;
    Way encrypting_, decrypting_;
    Secure rest_;
};

class Stream {
  public:
    Stream(const aeadlab_algorithm &row, const uint8_t *key)
        : kind_(kind_of(row)), key_(key, key + row.key_bytes),
          cipher_(Botan::StreamCipher::create_or_throw(kind_.theirs)) {
        cipher_->set_key(key_.data(), key_.size());
    }

    int32_t encrypt(Bytes nonce, Bytes in, uint8_t *out) {
        if (kind_.rekeyed) {
            cipher_->set_key(key_.data(), key_.size());
        } else {
            cipher_->set_iv(nonce.data, nonce.size);
        }
        cipher_->cipher(in.data, out, in.size);
        return AEADLAB_OK;
    }

    int32_t decrypt(Bytes nonce, Bytes in, uint8_t *out) { return encrypt(nonce, in, out); }

  private:
    const Kind &kind_;
    Secure key_;
    std::unique_ptr<Botan::StreamCipher> cipher_;
};

const void *kept(Kind kind) {
    static auto &kinds = *new std::deque<Kind>;
    return &kinds.emplace_back(std::move(kind));
}

template <typename Context>
void add(aeadlab::Table &table, const std::string &name, const Kind &kind, const std::string &kernel,
         aeadlab::Lengths lengths, uint64_t flags = 0, uint32_t block_bytes = 1, uint64_t max_bytes = 0) {
    auto row = aeadlab::cipher<Context>(lengths, AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | flags);
    row.data = kept(kind);
    row.block_bytes = block_bytes;
    row.max_bytes = max_bytes;
    table.add(row, name, kernel);
}

struct StreamRow {
    const char *name, *theirs;
    uint32_t key_bytes, nonce_bytes;
    uint64_t flags;
    bool rekeyed;
    uint64_t max_bytes;
};

// RFC 8439: 2^32 blocks of 64 bytes.
constexpr uint64_t CHACHA_BYTES = 1ull << 38;

const StreamRow STREAMS[] = {
    {"chacha20", "ChaCha(20)", 32, 12, 0, false, CHACHA_BYTES},
    {"chacha12", "ChaCha(12)", 32, 12, 0, false, CHACHA_BYTES},
    {"chacha8", "ChaCha(8)", 32, 12, 0, false, CHACHA_BYTES},
    {"xchacha20", "ChaCha(20)", 32, 24, 0, false, 0},
    {"salsa20", "Salsa20", 32, 8, 0, false, 0},
    {"xsalsa20", "Salsa20", 32, 24, 0, false, 0},
    {"rc4", "RC4", 16, 0, AEADLAB_HISTORICAL, true, 0},
};

} // namespace

void add_ciphers(aeadlab::Table &table) {
    for (const BlockCipher &cipher : block_ciphers()) {
        const std::string &name = cipher.name, &theirs = cipher.theirs;
        const uint32_t key = cipher.key_bytes, block = cipher.block_bytes;
        const std::string kernel = provider_of(theirs);
        add<Blocks>(table, name + "-ecb", {theirs}, kernel, {key, 0, 0}, cipher.flags, block);
        add<Mode>(table, name + "-cbc", {theirs + "/CBC/NoPadding"}, kernel, {key, block, 0}, cipher.flags, block);
        add<Stream>(table, name + "-ctr", {"CTR-BE(" + theirs + ")"}, kernel, {key, block, 0}, cipher.flags);
        add<Mode>(table, name + "-cfb", {theirs + "/CFB"}, kernel, {key, block, 0}, cipher.flags);
        add<Stream>(table, name + "-ofb", {"OFB(" + theirs + ")"}, kernel, {key, block, 0}, cipher.flags);
        if (name == "aes-128" || name == "aes-256") {
            add<Mode>(table, name + "-xts", {theirs + "/XTS", block}, kernel, {2 * key, block, 0});
        }
    }
    for (const StreamRow &stream : STREAMS) {
        if (made<Botan::StreamCipher>(stream.theirs)) {
            add<Stream>(table, stream.name, {stream.theirs, 0, stream.rekeyed}, provider_of(stream.theirs),
                        {stream.key_bytes, stream.nonce_bytes, 0}, stream.flags, 1, stream.max_bytes);
        }
    }
}

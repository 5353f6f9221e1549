// The ciphers of Botan: its modes for each block cipher, and the stream ciphers.

#include "plugin.h"

#include <botan/block_cipher.h>
#include <botan/stream_cipher.h>

#include <deque>

using aeadlab::Bytes;

namespace {

// The target of algorithm->data.
struct Spec {
    std::string botan_name;
    size_t min_bytes = 0; // of a message
    bool rekeyed = false; // without a nonce, each message sets the key again
};

const Spec &spec_of(const aeadlab_algorithm &row) { return *static_cast<const Spec *>(row.data); }

// ECB: the block cipher itself, in one call for all blocks.
class Ecb {
  public:
    Ecb(const aeadlab_algorithm &row, const uint8_t *key)
        : cipher_(Botan::BlockCipher::create_or_throw(spec_of(row).botan_name)) {
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
    Mode(const aeadlab_algorithm &row, const uint8_t *key) : spec_(spec_of(row)), key_(key, key + row.key_bytes) {}

    int32_t encrypt(Bytes nonce, Bytes in, uint8_t *out) {
        return process(encrypting_.with_key(spec_.botan_name, ENCRYPTION, key_), nonce, in, out);
    }

    int32_t decrypt(Bytes nonce, Bytes in, uint8_t *out) {
        return process(decrypting_.with_key(spec_.botan_name, DECRYPTION, key_), nonce, in, out);
    }

  private:
    using CipherDirection = Direction<Botan::Cipher_Mode>;

    int32_t process(CipherDirection &direction, Bytes nonce, Bytes in, uint8_t *out) {
        if (in.size < spec_.min_bytes) {
            return AEADLAB_BAD_ARGUMENT;
        }
        direction.mode->start(nonce.data, nonce.size);
        size_t rest = in.size % direction.granularity;
        // Ciphertext stealing needs a whole block besides the partial one.
        if (rest != 0 && rest < direction.mode->minimum_final_size()) {
            rest += direction.granularity;
        }
        const size_t first = in.size - rest;
        direction.process(in.data, first, out);
        if (rest != 0) {
            rest_.assign(in.data + first, in.data + in.size);
            direction.mode->finish(rest_);
            copy(out + first, rest_.data(), rest);
        }
        return AEADLAB_OK;
    }

    const Spec &spec_;
    Secure key_;
    CipherDirection encrypting_, decrypting_;
    Secure rest_;
};

class Stream {
  public:
    Stream(const aeadlab_algorithm &row, const uint8_t *key)
        : spec_(spec_of(row)), key_(key, key + row.key_bytes),
          cipher_(Botan::StreamCipher::create_or_throw(spec_.botan_name)) {
        cipher_->set_key(key_.data(), key_.size());
    }

    int32_t encrypt(Bytes nonce, Bytes in, uint8_t *out) {
        if (spec_.rekeyed) {
            cipher_->set_key(key_.data(), key_.size());
        } else {
            cipher_->set_iv(nonce.data, nonce.size);
        }
        cipher_->cipher(in.data, out, in.size);
        return AEADLAB_OK;
    }

    int32_t decrypt(Bytes nonce, Bytes in, uint8_t *out) { return encrypt(nonce, in, out); }

  private:
    const Spec &spec_;
    Secure key_;
    std::unique_ptr<Botan::StreamCipher> cipher_;
};

const void *store(Spec spec) {
    static auto &specs = *new std::deque<Spec>;
    return &specs.emplace_back(std::move(spec));
}

template <typename Context>
void add(aeadlab::Table &table, const std::string &name, const Spec &spec, const std::string &kernel,
         aeadlab::Lengths lengths, uint64_t flags = 0, uint32_t block_bytes = 1, uint64_t max_bytes = 0) {
    auto row = aeadlab::cipher<Context>(lengths, AEADLAB_IN_PLACE | AEADLAB_THREAD_SAFE | flags);
    row.data = store(spec);
    row.block_bytes = block_bytes;
    row.max_bytes = max_bytes;
    table.add(row, name, kernel);
}

struct StreamRow {
    const char *name, *botan_name;
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
        const std::string &name = cipher.name, &botan_name = cipher.botan_name;
        const uint32_t key = cipher.key_bytes, block = cipher.block_bytes;
        const std::string kernel = provider_of(botan_name);
        add<Ecb>(table, name + "-ecb", {botan_name}, kernel, {key, 0, 0}, cipher.flags, block);
        add<Mode>(table, name + "-cbc", {botan_name + "/CBC/NoPadding"}, kernel, {key, block, 0}, cipher.flags, block);
        add<Stream>(table, name + "-ctr", {"CTR-BE(" + botan_name + ")"}, kernel, {key, block, 0}, cipher.flags);
        add<Mode>(table, name + "-cfb", {botan_name + "/CFB"}, kernel, {key, block, 0}, cipher.flags);
        add<Stream>(table, name + "-ofb", {"OFB(" + botan_name + ")"}, kernel, {key, block, 0}, cipher.flags);
        if (name == "aes-128" || name == "aes-256") {
            // IEEE 1619: a data unit has at most 2^20 blocks.
            add<Mode>(table, name + "-xts", {botan_name + "/XTS", block}, kernel, {2 * key, block, 0}, 0, 1, 1 << 24);
        }
    }
    for (const StreamRow &stream : STREAMS) {
        if (try_create<Botan::StreamCipher>(stream.botan_name)) {
            add<Stream>(table, stream.name, {stream.botan_name, 0, stream.rekeyed}, provider_of(stream.botan_name),
                        {stream.key_bytes, stream.nonce_bytes, 0}, stream.flags, 1, stream.max_bytes);
        }
    }
}

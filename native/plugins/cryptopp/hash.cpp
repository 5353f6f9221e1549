// The hashes of Crypto++.

// MD5 is in the namespace Weak.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include "plugin.h"

#include <cryptopp/blake2.h>
#include <cryptopp/keccak.h>
#include <cryptopp/md5.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/shake.h>
#include <cryptopp/sm3.h>
#include <cryptopp/whrlpool.h>

using aeadlab::Bytes;
using CryptoPP::HashTransformation;

namespace {

// The target of algorithm->data.
struct Spec {
    const char *name;
    uint32_t digest_bytes;
    Factory<HashTransformation> create;
    uint64_t flags = 0;
};

class Hash {
  public:
    Hash(const aeadlab_algorithm &row, const uint8_t *)
        : hash_(static_cast<const Spec *>(row.data)->create()), digest_bytes_(row.tag_bytes) {}

    // The digest resets the object.
    int32_t digest(Bytes, Bytes in, uint8_t *digest) {
        hash_->CalculateTruncatedDigest(digest, digest_bytes_, in.data, in.size);
        return AEADLAB_OK;
    }

  private:
    std::unique_ptr<HashTransformation> hash_;
    size_t digest_bytes_;
};

template <typename T, unsigned bytes> std::unique_ptr<HashTransformation> with_length() {
    const bool tree = false;
    return std::make_unique<T>(tree, bytes);
}

template <typename T> constexpr Factory<HashTransformation> with_own_length = create<HashTransformation, T>;

const Spec HASHES[] = {
    {"md5", 16, with_own_length<CryptoPP::Weak::MD5>, AEADLAB_HISTORICAL},
    {"sha-1", 20, with_own_length<CryptoPP::SHA1>, AEADLAB_HISTORICAL},
    {"sha-224", 28, with_own_length<CryptoPP::SHA224>},
    {"sha-256", 32, with_own_length<CryptoPP::SHA256>},
    {"sha-384", 48, with_own_length<CryptoPP::SHA384>},
    {"sha-512", 64, with_own_length<CryptoPP::SHA512>},
    {"sha3-224", 28, with_own_length<CryptoPP::SHA3_224>},
    {"sha3-256", 32, with_own_length<CryptoPP::SHA3_256>},
    {"sha3-384", 48, with_own_length<CryptoPP::SHA3_384>},
    {"sha3-512", 64, with_own_length<CryptoPP::SHA3_512>},
    {"keccak-224", 28, with_own_length<CryptoPP::Keccak_224>},
    {"keccak-256", 32, with_own_length<CryptoPP::Keccak_256>},
    {"keccak-384", 48, with_own_length<CryptoPP::Keccak_384>},
    {"keccak-512", 64, with_own_length<CryptoPP::Keccak_512>},
    {"shake-128", 32, with_own_length<CryptoPP::SHAKE128>},
    {"shake-256", 64, with_own_length<CryptoPP::SHAKE256>},
    {"sm3", 32, with_own_length<CryptoPP::SM3>},
    {"ripemd-160", 20, with_own_length<CryptoPP::RIPEMD160>},
    {"blake2b-256", 32, with_length<CryptoPP::BLAKE2b, 32>},
    {"blake2b-512", 64, with_length<CryptoPP::BLAKE2b, 64>},
    {"blake2s-256", 32, with_length<CryptoPP::BLAKE2s, 32>},
    {"whirlpool", 64, with_own_length<CryptoPP::Whirlpool>},
};

} // namespace

void add_hashes(aeadlab::Table &table) {
    for (const Spec &spec : HASHES) {
        auto row = aeadlab::digest<Hash>({0, 0, spec.digest_bytes}, AEADLAB_THREAD_SAFE | spec.flags);
        row.data = &spec;
        table.add(row, spec.name, spec.create()->AlgorithmProvider());
    }
}

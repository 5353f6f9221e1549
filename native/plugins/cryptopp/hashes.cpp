// Hashes.

// MD5 is kept in a namespace of that name.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include "cryptopp.h"

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

struct Kind {
    const char *name;
    uint32_t digest_bytes;
    Maker<HashTransformation> make;
    uint64_t flags = 0;
};

class Hash {
  public:
    Hash(const aeadlab_algorithm &row, const uint8_t *)
        : hash_(static_cast<const Kind *>(row.data)->make()), digest_bytes_(row.tag_bytes) {}

    // Every digest leaves the object as new.
    int32_t digest(Bytes, Bytes in, uint8_t *digest) {
        hash_->CalculateTruncatedDigest(digest, digest_bytes_, in.data, in.size);
        return AEADLAB_OK;
    }

  private:
    std::unique_ptr<HashTransformation> hash_;
    size_t digest_bytes_;
};

template <typename T, unsigned bytes> std::unique_ptr<HashTransformation> sized() {
    const bool tree = false;
    return std::make_unique<T>(tree, bytes);
}

template <typename T> constexpr Maker<HashTransformation> plain = make<HashTransformation, T>;

const Kind HASHES[] = {
    {"md5", 16, plain<CryptoPP::Weak::MD5>, AEADLAB_HISTORICAL},
    {"sha-1", 20, plain<CryptoPP::SHA1>, AEADLAB_HISTORICAL},
    {"sha-224", 28, plain<CryptoPP::SHA224>},
    {"sha-256", 32, plain<CryptoPP::SHA256>},
    {"sha-384", 48, plain<CryptoPP::SHA384>},
    {"sha-512", 64, plain<CryptoPP::SHA512>},
    {"sha3-224", 28, plain<CryptoPP::SHA3_224>},
    {"sha3-256", 32, plain<CryptoPP::SHA3_256>},
    {"sha3-384", 48, plain<CryptoPP::SHA3_384>},
    {"sha3-512", 64, plain<CryptoPP::SHA3_512>},
    {"keccak-224", 28, plain<CryptoPP::Keccak_224>},
    {"keccak-256", 32, plain<CryptoPP::Keccak_256>},
    {"keccak-384", 48, plain<CryptoPP::Keccak_384>},
    {"keccak-512", 64, plain<CryptoPP::Keccak_512>},
    {"shake-128", 32, plain<CryptoPP::SHAKE128>},
    {"shake-256", 64, plain<CryptoPP::SHAKE256>},
    {"sm3", 32, plain<CryptoPP::SM3>},
    {"ripemd-160", 20, plain<CryptoPP::RIPEMD160>},
    {"blake2b-256", 32, sized<CryptoPP::BLAKE2b, 32>},
    {"blake2b-512", 64, sized<CryptoPP::BLAKE2b, 64>},
    {"blake2s-256", 32, sized<CryptoPP::BLAKE2s, 32>},
    {"whirlpool", 64, plain<CryptoPP::Whirlpool>},
};

} // namespace

void add_hashes(aeadlab::Table &table) {
    for (const Kind &kind : HASHES) {
        auto row = aeadlab::digest<Hash>({0, 0, kind.digest_bytes}, AEADLAB_THREAD_SAFE | kind.flags);
        row.data = &kind;
        table.add(row, kind.name, kind.make()->AlgorithmProvider());
    }
}

// The hashes of Botan.

#include "plugin.h"

#include <botan/hash.h>

using aeadlab::Bytes;

namespace {

// The target of algorithm->data.
struct Spec {
    const char *name, *botan_name;
    uint32_t digest_bytes;
    uint64_t flags = 0;
};

class Hash {
  public:
    Hash(const aeadlab_algorithm &row, const uint8_t *)
        : hash_(Botan::HashFunction::create_or_throw(static_cast<const Spec *>(row.data)->botan_name)) {}

    // `final` resets the object.
    int32_t digest(Bytes, Bytes in, uint8_t *digest) {
        hash_->update(in.data, in.size);
        hash_->final(digest);
        return AEADLAB_OK;
    }

  private:
    std::unique_ptr<Botan::HashFunction> hash_;
};

const Spec HASHES[] = {
    {"md5", "MD5", 16, AEADLAB_HISTORICAL},
    {"sha-1", "SHA-1", 20, AEADLAB_HISTORICAL},
    {"sha-224", "SHA-224", 28},
    {"sha-256", "SHA-256", 32},
    {"sha-384", "SHA-384", 48},
    {"sha-512", "SHA-512", 64},
    {"sha-512-256", "SHA-512-256", 32},
    {"sha3-224", "SHA-3(224)", 28},
    {"sha3-256", "SHA-3(256)", 32},
    {"sha3-384", "SHA-3(384)", 48},
    {"sha3-512", "SHA-3(512)", 64},
    {"keccak-224", "Keccak-1600(224)", 28},
    {"keccak-256", "Keccak-1600(256)", 32},
    {"keccak-384", "Keccak-1600(384)", 48},
    {"keccak-512", "Keccak-1600(512)", 64},
    {"shake-128", "SHAKE-128(256)", 32},
    {"shake-256", "SHAKE-256(512)", 64},
    {"sm3", "SM3", 32},
    {"ripemd-160", "RIPEMD-160", 20},
    {"blake2b-256", "BLAKE2b(256)", 32},
    {"blake2b-512", "BLAKE2b(512)", 64},
    {"blake2s-256", "BLAKE2s(256)", 32},
    {"streebog-256", "Streebog-256", 32},
    {"streebog-512", "Streebog-512", 64},
    {"whirlpool", "Whirlpool", 64},
    {"ascon-hash256", "Ascon-Hash256", 32},
};

} // namespace

void add_hashes(aeadlab::Table &table) {
    for (const Spec &spec : HASHES) {
        if (try_create<Botan::HashFunction>(spec.botan_name)) {
            auto row = aeadlab::digest<Hash>({0, 0, spec.digest_bytes}, AEADLAB_THREAD_SAFE | spec.flags);
            row.data = &spec;
            table.add(row, spec.name, provider_of(spec.botan_name));
        }
    }
}

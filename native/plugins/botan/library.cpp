// The descriptor of Botan, versions 2 and 3.

#include "plugin.h"

#include <botan/block_cipher.h>
#include <botan/exceptn.h>
#include <botan/hash.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#if BOTAN_VERSION_MAJOR < 3
#include <botan/cpuid.h>

#include <cstdlib>
#include <sstream>
#endif

int32_t aeadlab::status_of_exception() noexcept {
    try {
        throw;
    } catch (const Botan::Invalid_Authentication_Tag &) {
        return AEADLAB_AUTH_FAILED;
    } catch (const Botan::Invalid_Argument &) {
        return AEADLAB_BAD_ARGUMENT;
    } catch (...) {
        return AEADLAB_INTERNAL;
    }
}

std::vector<BlockCipher> block_ciphers() {
    struct Family {
        std::string name, botan_name;
        bool name_has_bits;
    };
    std::vector<BlockCipher> all;
    const auto add = [&](const BlockCipher &cipher) {
        if (try_create<Botan::BlockCipher>(cipher.botan_name)) {
            all.push_back(cipher);
        }
    };
    for (const auto &[name, botan_name, name_has_bits] : {
             Family{"aes", "AES", true},
             Family{"aria", "ARIA", true},
             Family{"camellia", "Camellia", true},
             Family{"serpent", "Serpent", false},
             Family{"twofish", "Twofish", false},
         }) {
        for (const uint32_t key_bytes : {16u, 24u, 32u}) {
            const std::string bits = std::to_string(8 * key_bytes);
            add({name + "-" + bits, name_has_bits ? botan_name + "-" + bits : botan_name, key_bytes, 16, 0});
        }
    }
    add({"sm4", "SM4", 16, 16, 0});
    add({"kuznyechik", "Kuznyechik", 32, 16, 0});
    add({"3des", "TripleDES", 24, 8, AEADLAB_HISTORICAL});
    return all;
}

std::string provider_of(const std::string &botan_name) {
    std::string provider;
    if (const auto cipher = try_create<Botan::BlockCipher>(botan_name)) {
        provider = cipher->provider();
    } else if (const auto hash = try_create<Botan::HashFunction>(botan_name)) {
        provider = hash->provider();
    } else if (const auto stream = try_create<Botan::StreamCipher>(botan_name)) {
        provider = stream->provider();
    }
    return provider == "base" ? "" : provider;
}

// Clear the CPU features in BOTAN_CLEAR_CPUID, which Botan 3 reads itself and version 2 does not.
static void clear_features() {
#if BOTAN_VERSION_MAJOR < 3
    const char *list = std::getenv("BOTAN_CLEAR_CPUID");
    std::istringstream names(list ? list : "");
    for (std::string name; std::getline(names, name, ',');) {
        for (const auto bit : Botan::CPUID::bit_from_string(name)) {
            Botan::CPUID::clear_cpuid_bit(bit);
        }
    }
#endif
}

static const aeadlab_library *describe() {
    clear_features();
    static auto &table = *new aeadlab::Table;
    add_aeads(table);
    add_ciphers(table);
    add_hashes(table);
    add_macs(table);
    return table.library("botan", Botan::short_version_string(), AEADLAB_BUILD);
}

extern "C" const aeadlab_library *aeadlab_library_v1(void) {
    try {
        static const aeadlab_library *const library = describe();
        return library;
    } catch (...) {
        return nullptr;
    }
}

extern "C" const char *aeadlab_feature_switch(const char *) { return "BOTAN_CLEAR_CPUID"; }

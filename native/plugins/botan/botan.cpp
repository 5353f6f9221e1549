// Botan behind aeadlab.h, versions 2 and 3.

#include "botan.h"

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
        std::string name, theirs;
        bool size_in_their_name;
    };
    std::vector<BlockCipher> all;
    const auto add = [&](const BlockCipher &cipher) {
        if (made<Botan::BlockCipher>(cipher.theirs)) {
            all.push_back(cipher);
        }
    };
    for (const auto &[name, theirs, size_in_their_name] : {
             Family{"aes", "AES", true},
             Family{"aria", "ARIA", true},
             Family{"camellia", "Camellia", true},
             Family{"serpent", "Serpent", false},
             Family{"twofish", "Twofish", false},
         }) {
        for (const uint32_t key_bytes : {16u, 24u, 32u}) {
            const std::string bits = std::to_string(8 * key_bytes);
            add({name + "-" + bits, size_in_their_name ? theirs + "-" + bits : theirs, key_bytes, 16, 0});
        }
    }
    add({"sm4", "SM4", 16, 16, 0});
    add({"kuznyechik", "Kuznyechik", 32, 16, 0});
    add({"3des", "TripleDES", 24, 8, AEADLAB_HISTORICAL});
    return all;
}

std::string provider_of(const std::string &theirs) {
    std::string provider;
    if (const auto cipher = made<Botan::BlockCipher>(theirs)) {
        provider = cipher->provider();
    } else if (const auto hash = made<Botan::HashFunction>(theirs)) {
        provider = hash->provider();
    } else if (const auto stream = made<Botan::StreamCipher>(theirs)) {
        provider = stream->provider();
    }
    return provider == "base" ? "" : provider;
}

// Botan 3 reads BOTAN_CLEAR_CPUID itself; version 2 has the switch and the names, but not the variable.
static void clear_features() {
#if BOTAN_VERSION_MAJOR < 3
    const char *given = std::getenv("BOTAN_CLEAR_CPUID");
    std::istringstream names(given ? given : "");
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

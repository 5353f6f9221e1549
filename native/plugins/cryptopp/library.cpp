// The descriptor of Crypto++.

#include "plugin.h"

#include <cryptopp/cryptlib.h>

int32_t aeadlab::status_of_exception() noexcept {
    try {
        throw;
    } catch (const CryptoPP::InvalidArgument &) {
        return AEADLAB_BAD_ARGUMENT;
    } catch (...) {
        return AEADLAB_INTERNAL;
    }
}

static const aeadlab_library *describe() {
    static auto &table = *new aeadlab::Table;
    add_aeads(table);
    add_ciphers(table);
    add_hashes(table);
    add_macs(table);
    const int number = CryptoPP::LibraryVersion();
    const auto version =
        std::to_string(number / 100) + "." + std::to_string(number / 10 % 10) + "." + std::to_string(number % 10);
    return table.library("cryptopp", version, AEADLAB_BUILD);
}

extern "C" const aeadlab_library *aeadlab_library_v1(void) {
    try {
        static const aeadlab_library *const library = describe();
        return library;
    } catch (...) {
        return nullptr;
    }
}

extern "C" const char *aeadlab_feature_switch(const char *) {
    return "none: it detects CPU features itself and reads no setting";
}

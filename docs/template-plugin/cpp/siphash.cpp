// SipHash-2-4 (Aumasson and Bernstein, INDOCRYPT 2012) as a plugin, in C++17 with the classes of aeadlab_cpp.h.
#include "aeadlab_cpp.h"

#include <cstdint>
#include <stdexcept>

namespace {

constexpr aeadlab::Lengths LENGTHS{16, 0, 8};

uint64_t load(const uint8_t *from, size_t bytes = 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < bytes; i++) {
        word |= static_cast<uint64_t>(from[i]) << 8 * i;
    }
    return word;
}

uint64_t rotate_left(uint64_t word, int by) { return word << by | word >> (64 - by); }

struct State {
    uint64_t a, b, c, d;

    void rounds(int count) {
        while (count-- > 0) {
            a += b, b = rotate_left(b, 13) ^ a, a = rotate_left(a, 32);
            c += d, d = rotate_left(d, 16) ^ c;
            a += d, d = rotate_left(d, 21) ^ a;
            c += b, b = rotate_left(b, 17) ^ c, c = rotate_left(c, 32);
        }
    }

    void absorb(uint64_t word) {
        d ^= word;
        rounds(2);
        a ^= word;
    }
};

class SipHash {
  public:
    SipHash(const aeadlab_algorithm &, const uint8_t *key) : low_(load(key)), high_(load(key + 8)) {}
    SipHash(const SipHash &) = default;
    SipHash &operator=(const SipHash &) = delete;

    // The compiler would remove plain assignments in a destructor.
    ~SipHash() {
        *const_cast<volatile uint64_t *>(&low_) = 0;
        *const_cast<volatile uint64_t *>(&high_) = 0;
    }

    int32_t digest(aeadlab::Bytes, aeadlab::Bytes message, uint8_t *tag) {
        State state{low_ ^ 0x736f6d6570736575, high_ ^ 0x646f72616e646f6d, low_ ^ 0x6c7967656e657261,
                    high_ ^ 0x7465646279746573};
        const size_t rest = message.size % 8;
        const uint8_t *const end = message.data + (message.size - rest);
        for (const uint8_t *at = message.data; at != end; at += 8) {
            state.absorb(load(at));
        }
        state.absorb(load(end, rest) | static_cast<uint64_t>(message.size) << 56);
        state.c ^= 0xff;
        state.rounds(4);
        const uint64_t sum = state.a ^ state.b ^ state.c ^ state.d;
        for (int i = 0; i < 8; i++) {
            tag[i] = static_cast<uint8_t>(sum >> 8 * i);
        }
        return AEADLAB_OK;
    }

  private:
    uint64_t low_;
    uint64_t high_;
};

} // namespace

int32_t aeadlab::status_of_exception() noexcept {
    try {
        throw;
    } catch (const std::invalid_argument &) {
        return AEADLAB_BAD_ARGUMENT;
    } catch (...) {
        return AEADLAB_INTERNAL;
    }
}

extern "C" const aeadlab_library *aeadlab_library_v1() {
    // The table is never destroyed, because its descriptor must be valid until the process ends.
    static auto &table = *new aeadlab::Table;
    static const auto *const library = [] {
        table.add(aeadlab::digest<SipHash>(LENGTHS, AEADLAB_THREAD_SAFE), "siphash-2-4", "portable C++");
        return table.library("template-cpp", "1.0", "C++ compiler " __VERSION__);
    }();
    return library;
}

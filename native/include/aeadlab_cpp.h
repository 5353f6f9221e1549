/*
 * aeadlab.h for plugins in C++: contexts as classes, and a table whose rows and strings live as long as the process.
 *
 * A context class is made by Context(const aeadlab_algorithm &, const uint8_t *key), where the key has the row's
 * length, and has the member functions of its kind: seal and open, encrypt and decrypt, or digest. They may throw.
 * Its destructor wipes the key. Messages over the row's max_bytes and nonces of other lengths do not reach it.
 */
#ifndef AEADLAB_CPP_H
#define AEADLAB_CPP_H

#include "aeadlab.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace aeadlab {

// The status of the exception in flight: the plugin defines what its library's exceptions mean.
int32_t status_of_exception() noexcept;

template <typename Call> int32_t guarded(const Call &call) noexcept {
    try {
        return call();
    } catch (...) {
        return status_of_exception();
    }
}

struct Bytes {
    const uint8_t *data;
    size_t size;
};

template <typename Context> struct Slot {
    const aeadlab_algorithm &row;
    Context context;

    static int32_t key_new(const aeadlab_algorithm *row, const uint8_t *key, size_t key_bytes, void **context) {
        return guarded([&] {
            if (key_bytes != row->key_bytes) {
                return AEADLAB_BAD_ARGUMENT;
            }
            *context = new Slot{*row, Context(*row, key)};
            return AEADLAB_OK;
        });
    }

    static void key_free(void *context) { delete static_cast<Slot *>(context); }

    static int32_t seal(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                        const uint8_t *in, size_t bytes, uint8_t *out, uint8_t *tag) {
        return with(context, nonce_bytes, bytes, [&](Context &keyed) {
            return keyed.seal(Bytes{nonce, nonce_bytes}, Bytes{ad, ad_bytes}, Bytes{in, bytes}, out, tag);
        });
    }

    static int32_t open(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *ad, size_t ad_bytes,
                        const uint8_t *in, size_t bytes, uint8_t *out, const uint8_t *tag) {
        return with(context, nonce_bytes, bytes, [&](Context &keyed) {
            return keyed.open(Bytes{nonce, nonce_bytes}, Bytes{ad, ad_bytes}, Bytes{in, bytes}, out, tag);
        });
    }

    static int32_t encrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *out) {
        return with(context, nonce_bytes, bytes, [&](Context &keyed) {
            return keyed.encrypt(Bytes{nonce, nonce_bytes}, Bytes{in, bytes}, out);
        });
    }

    static int32_t decrypt(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                           uint8_t *out) {
        return with(context, nonce_bytes, bytes, [&](Context &keyed) {
            return keyed.decrypt(Bytes{nonce, nonce_bytes}, Bytes{in, bytes}, out);
        });
    }

    static int32_t digest(void *context, const uint8_t *nonce, size_t nonce_bytes, const uint8_t *in, size_t bytes,
                          uint8_t *tag) {
        return with(context, nonce_bytes, bytes, [&](Context &keyed) {
            return keyed.digest(Bytes{nonce, nonce_bytes}, Bytes{in, bytes}, tag);
        });
    }

  private:
    template <typename Call>
    static int32_t with(void *context, size_t nonce_bytes, size_t bytes, const Call &call) noexcept {
        auto &slot = *static_cast<Slot *>(context);
        const bool fits = nonce_bytes == slot.row.nonce_bytes || (slot.row.flags & AEADLAB_ANY_NONCE_LENGTH) != 0;
        if (!fits || (slot.row.max_bytes != 0 && bytes > slot.row.max_bytes)) {
            return AEADLAB_BAD_ARGUMENT;
        }
        return guarded([&]() -> int32_t { return call(slot.context); });
    }
};

// Lengths in bytes.
struct Lengths {
    uint32_t key;
    uint32_t nonce;
    uint32_t tag;
};

template <typename Context> aeadlab_algorithm row(uint32_t kind, Lengths lengths, uint64_t flags) {
    aeadlab_algorithm made{};
    made.struct_size = sizeof made;
    made.flags = flags;
    made.kind = kind;
    made.key_bytes = lengths.key;
    made.nonce_bytes = lengths.nonce;
    made.tag_bytes = lengths.tag;
    made.block_bytes = 1;
    made.key_new = Slot<Context>::key_new;
    made.key_free = Slot<Context>::key_free;
    return made;
}

template <typename Context> aeadlab_algorithm aead(Lengths lengths, uint64_t flags) {
    auto made = row<Context>(AEADLAB_AEAD, lengths, flags);
    made.seal = Slot<Context>::seal;
    made.open = Slot<Context>::open;
    return made;
}

template <typename Context> aeadlab_algorithm cipher(Lengths lengths, uint64_t flags) {
    auto made = row<Context>(AEADLAB_CIPHER, lengths, flags);
    made.encrypt = Slot<Context>::encrypt;
    made.decrypt = Slot<Context>::decrypt;
    return made;
}

// Without a key it is a hash.
template <typename Context> aeadlab_algorithm digest(Lengths lengths, uint64_t flags) {
    auto made = row<Context>(lengths.key == 0 ? AEADLAB_HASH : AEADLAB_MAC, lengths, flags);
    made.digest = Slot<Context>::digest;
    return made;
}

// The descriptor, made once and never destroyed. Deques, because growing must not move what is pointed to.
class Table {
  public:
    // The row with its name; an empty kernel is one that the library does not tell.
    aeadlab_algorithm &add(const aeadlab_algorithm &row, std::string name, std::string kernel = "") {
        auto &kept = rows_.emplace_back(row);
        kept.name = text(std::move(name));
        kept.kernel = kernel.empty() ? nullptr : text(std::move(kernel));
        pointers_.push_back(&kept);
        return kept;
    }

    const aeadlab_library *library(const char *name, std::string version, const char *build) {
        library_ = {AEADLAB_ABI_VERSION, 0,     sizeof library_,  name,
                    text(std::move(version)), build, pointers_.size(), pointers_.data()};
        return &library_;
    }

  private:
    const char *text(std::string words) { return texts_.emplace_back(std::move(words)).c_str(); }

    std::deque<aeadlab_algorithm> rows_;
    std::deque<std::string> texts_;
    std::vector<const aeadlab_algorithm *> pointers_;
    aeadlab_library library_{};
};

} // namespace aeadlab

#endif

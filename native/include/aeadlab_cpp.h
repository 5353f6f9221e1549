/*
 * aeadlab_cpp.h: helpers for plugins in C++. Contexts are classes, and a table owns the descriptor.
 *
 * A context class has a constructor Context(const aeadlab_algorithm &row, const uint8_t *key), where the key has
 * row.key_bytes bytes, and the member functions of its kind: seal and open, encrypt and decrypt, or digest. They return
 * a status and may throw. The destructor wipes the key. The helpers reject messages longer than row.max_bytes and
 * nonces of an unsupported length, so that the class need not check them.
 */
#ifndef AEADLAB_CPP_H
#define AEADLAB_CPP_H

#include "aeadlab.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace aeadlab {

// Returns the status for the exception being handled. Each plugin defines it for the exceptions of its library.
int32_t status_of_exception() noexcept;

// Calls `call` and returns its status, or that of the exception it throws.
template <typename Call> int32_t catch_exceptions(const Call &call) noexcept {
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

// The functions of aeadlab.h for a context class; a context pointer refers to an object of this type.
template <typename Context> struct Adapter {
    const aeadlab_algorithm &row;
    Context context;

    static int32_t key_new(const aeadlab_algorithm *row, const uint8_t *key, size_t key_bytes, void **context) {
        return catch_exceptions([&] {
            if (key_bytes != row->key_bytes) {
                return AEADLAB_BAD_ARGUMENT;
            }
            *context = new Adapter{*row, Context(*row, key)};
            return AEADLAB_OK;
        });
    }

    static void key_free(void *context) { delete static_cast<Adapter *>(context); }

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
        auto &adapter = *static_cast<Adapter *>(context);
        const auto &row = adapter.row;
        const bool supported = nonce_bytes == row.nonce_bytes || (row.flags & AEADLAB_ANY_NONCE_LENGTH) != 0;
        if (!supported || (row.max_bytes != 0 && bytes > row.max_bytes)) {
            return AEADLAB_BAD_ARGUMENT;
        }
        return catch_exceptions([&]() -> int32_t { return call(adapter.context); });
    }
};

// Lengths in bytes.
struct Lengths {
    uint32_t key;
    uint32_t nonce;
    uint32_t tag;
};

// Returns an entry of `kind` in which only the name and the functions that process messages are missing.
template <typename Context> aeadlab_algorithm row(uint32_t kind, Lengths lengths, uint64_t flags) {
    aeadlab_algorithm entry{};
    entry.struct_size = sizeof entry;
    entry.flags = flags;
    entry.kind = kind;
    entry.key_bytes = lengths.key;
    entry.nonce_bytes = lengths.nonce;
    entry.tag_bytes = lengths.tag;
    entry.block_bytes = 1;
    entry.key_new = Adapter<Context>::key_new;
    entry.key_free = Adapter<Context>::key_free;
    return entry;
}

template <typename Context> aeadlab_algorithm aead(Lengths lengths, uint64_t flags) {
    auto entry = row<Context>(AEADLAB_AEAD, lengths, flags);
    entry.seal = Adapter<Context>::seal;
    entry.open = Adapter<Context>::open;
    return entry;
}

template <typename Context> aeadlab_algorithm cipher(Lengths lengths, uint64_t flags) {
    auto entry = row<Context>(AEADLAB_CIPHER, lengths, flags);
    entry.encrypt = Adapter<Context>::encrypt;
    entry.decrypt = Adapter<Context>::decrypt;
    return entry;
}

// Returns the entry of a MAC, or of a hash if its key has 0 bytes.
template <typename Context> aeadlab_algorithm digest(Lengths lengths, uint64_t flags) {
    auto entry = row<Context>(lengths.key == 0 ? AEADLAB_HASH : AEADLAB_MAC, lengths, flags);
    entry.digest = Adapter<Context>::digest;
    return entry;
}

// The descriptor, created once and never destroyed. Its deques grow without moving the elements that pointers refer to.
class Table {
  public:
    // Adds an entry with its name. The kernel is empty if the library does not report it.
    aeadlab_algorithm &add(const aeadlab_algorithm &row, std::string name, std::string kernel = "") {
        auto &added = rows_.emplace_back(row);
        added.name = text(std::move(name));
        added.kernel = kernel.empty() ? nullptr : text(std::move(kernel));
        pointers_.push_back(&added);
        return added;
    }

    const aeadlab_library *library(const char *name, std::string version, const char *build) {
        library_ = {AEADLAB_ABI_VERSION, 0,     sizeof library_,  name,
                    text(std::move(version)), build, pointers_.size(), pointers_.data()};
        return &library_;
    }

  private:
    const char *text(std::string value) { return texts_.emplace_back(std::move(value)).c_str(); }

    std::deque<aeadlab_algorithm> rows_;
    std::deque<std::string> texts_;
    std::vector<const aeadlab_algorithm *> pointers_;
    aeadlab_library library_{};
};

} // namespace aeadlab

#endif

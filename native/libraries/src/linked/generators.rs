//! Random generators: the keystream of a cipher, requested a few bytes at a time by one thread or by several. Threads
//! have a state each, share one under a lock, or share one without a lock.
//!
//! ARC4 and HC-128, the ciphers of the document *NetBSD* (data/published/README.md), are implemented here over owned and
//! shared memory, because no library has them in all these forms. The others buffer the output of block functions of
//! libraries. All are for study only: the generator of an operating system also gathers entropy and erases past states.

#[path = "generators/arc4.rs"]
mod arc4;
#[path = "generators/buffered.rs"]
mod buffered;
#[path = "generators/hc128.rs"]
mod hc128;
#[path = "generators/looked_up.rs"]
mod looked_up;
#[path = "generators/memory.rs"]
mod memory;
#[path = "generators/sharing.rs"]
mod sharing;

use crate::Linked;
use crate::descriptor::{DETECTED, c_string, crate_version, rust_library};
use aeadlab_abi::{self as abi, Algorithm};
use arc4::Arc4;
use buffered::{Aegis128L, Aes256Ctr, Blake3, Buffered, Stream};
use chacha20::{ChaCha8, ChaCha12, ChaCha20};
use hc128::Hc128;
use looked_up::LookedUp;
use memory::{Owned, Shared};
use salsa20::Salsa20;
use sharing::{Branched, Called, Inlined, Locked, PerThread, Unlocked};

/// The largest output under one key: 512 MB in the document *NetBSD*, here 2^29 bytes.
const MAX_OUTPUT_BYTES: u64 = 1 << 29;

/// The library.
pub(crate) fn library() -> Linked {
    // SAFETY: it takes no arguments, detects CPU features, and may be called repeatedly.
    unsafe { aegis_init() };
    rust_library("generators", env!("CARGO_PKG_VERSION"), DETECTED, rows())
}

unsafe extern "C" {
    fn aegis_init() -> std::ffi::c_int;
}

/// Append forms of a generator, each a name, flags, a note and a row, to `rows`.
fn push(rows: &mut Vec<Algorithm>, name: &str, flags: u64, kernel: &str, forms: &[(&str, u64, &str, Algorithm)]) {
    for &(form, own_flags, note, row) in forms {
        rows.push(Algorithm {
            name: c_string(&format!("{name}.{form}")).as_ptr(),
            kernel: c_string(&format!("{kernel}{note}")).as_ptr(),
            flags: row.flags | flags | own_flags,
            max_bytes: MAX_OUTPUT_BYTES,
            ..row
        });
    }
}

/// Append the four forms of a generator, whose state is owned (`$owned`) or shared (`$shared`), to `$rows`, and others.
macro_rules! forms {
    ($rows:ident, $name:literal, $flags:expr, $kernel:expr, $owned:ty, $shared:ty $(, $other:literal: $form:ty)*) => {
        push(
            &mut $rows,
            $name,
            $flags,
            $kernel,
            &[
                ("per-thread", 0, "", sharing::row::<PerThread<$owned>>()),
                ("inlined", 0, "", sharing::row::<Inlined<$owned>>()),
                ("locked", 0, "", sharing::row::<Locked<$owned>>()),
                // The document *NetBSD* calls this form incorrect.
                ("unlocked", abi::RESEARCH, ", threads may get the same bytes", sharing::row::<Unlocked<$shared>>()),
                $(($other, 0, "", sharing::row::<$form>()),)*
            ],
        )
    };
}

fn rows() -> Vec<Algorithm> {
    let mut rows = Vec::new();
    let versioned = |name: &str| format!("{name} {}", crate_version(name));
    let [aegis, aes, blake3, chacha, salsa] = ["aegis", "aes", "blake3", "chacha20", "salsa20"].map(versioned);
    forms!(rows, "rc4", abi::HISTORICAL, "256 bytes", Arc4<Owned>, Arc4<Shared>,
        "looked-up": LookedUp<Arc4<Owned>>);
    forms!(rows, "hc-128", 0, "two tables of 2 KiB", Hc128<Owned>, Hc128<Shared>,
        "looked-up": LookedUp<Hc128<Owned>>, "called": Called<Hc128<Owned>>, "branched": Branched<Hc128<Owned>>);
    forms!(rows, "chacha8", 0, &chacha, Buffered<Stream<ChaCha8>, Owned>, Buffered<Stream<ChaCha8>, Shared>);
    forms!(rows, "chacha12", 0, &chacha, Buffered<Stream<ChaCha12>, Owned>, Buffered<Stream<ChaCha12>, Shared>);
    forms!(rows, "chacha20", 0, &chacha, Buffered<Stream<ChaCha20>, Owned>, Buffered<Stream<ChaCha20>, Shared>);
    forms!(rows, "salsa20", 0, &salsa, Buffered<Stream<Salsa20>, Owned>, Buffered<Stream<Salsa20>, Shared>);
    forms!(rows, "aes-256-ctr", 0, &aes, Buffered<Aes256Ctr, Owned>, Buffered<Aes256Ctr, Shared>);
    forms!(rows, "aegis-128l-stream", 0, &aegis, Buffered<Aegis128L, Owned>, Buffered<Aegis128L, Shared>);
    forms!(rows, "blake3-xof", 0, &blake3, Buffered<Blake3, Owned>, Buffered<Blake3, Shared>);
    rows
}

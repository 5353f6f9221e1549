//! Random generators, for the study of them: a stream cipher's keystream, asked for a few bytes at a time by one thread
//! or by several, which share it under a lock, share it without one, or have one each.
//!
//! Written here where no library has it in all of these forms: the two ciphers of the document (ARC4, HC-128) over any
//! kind of memory, and a buffer around the libraries' block functions for those that came after. None of this is meant
//! for use: an operating system's generator also gathers entropy and forgets its past.

#[path = "generators/arc4.rs"]
mod arc4;
#[path = "generators/buffered.rs"]
mod buffered;
#[path = "generators/hc128.rs"]
mod hc128;
#[path = "generators/memory.rs"]
mod memory;
#[path = "generators/sharing.rs"]
mod sharing;

use crate::describe::{self, RUST_BUILD, crate_version, text};
use aeadlab_abi::{self as abi, Algorithm, Library};
use arc4::Arc4;
use buffered::{Aegis128L, Aes256Ctr, Blake3, Buffered, Stream};
use chacha20::{ChaCha8, ChaCha12, ChaCha20};
use hc128::Hc128;
use memory::{Owned, Shared};
use salsa20::Salsa20;
use sharing::{Inlined, Locked, PerThread, Unlocked};
use std::sync::OnceLock;

/// Output under one key: the document's 512 MB, here 2^29 bytes.
const MOST_BYTES: u64 = 1 << 29;

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: it takes nothing, looks at the CPU, and finds the same each time.
        unsafe { aegis_init() };
        describe::library("generators", env!("CARGO_PKG_VERSION"), RUST_BUILD, rows())
    })
}

unsafe extern "C" {
    fn aegis_init() -> std::ffi::c_int;
}

/// The four forms of a generator whose state may be owned (`$own`) or shared (`$all`).
macro_rules! forms {
    ($rows:ident, $name:literal, $flags:expr, $kernel:expr, $own:ty, $all:ty) => {{
        let kernel: &str = $kernel;
        for (form, flags, note, row) in [
            ("per-thread", 0, "", sharing::row::<PerThread<$own>>()),
            ("inlined", 0, "", sharing::row::<Inlined<$own>>()),
            ("locked", 0, "", sharing::row::<Locked<$own>>()),
            // What the document calls not correct.
            ("unlocked", abi::RESEARCH, ", threads may get the same bytes", sharing::row::<Unlocked<$all>>()),
        ] {
            $rows.push(Algorithm {
                name: text(&format!("{}.{form}", $name)).as_ptr(),
                kernel: text(&format!("{kernel}{note}")).as_ptr(),
                flags: row.flags | $flags | flags,
                max_bytes: MOST_BYTES,
                ..row
            });
        }
    }};
}

fn rows() -> Vec<Algorithm> {
    let mut rows = Vec::new();
    let of = |name: &str| format!("{name} {}", crate_version(name));
    forms!(rows, "rc4", abi::HISTORICAL, "256 bytes", Arc4<Owned>, Arc4<Shared>);
    forms!(rows, "hc-128", 0, "two tables of 2 KiB", Hc128<Owned>, Hc128<Shared>);
    forms!(rows, "chacha8", 0, &of("chacha20"), Buffered<Stream<ChaCha8>, Owned>, Buffered<Stream<ChaCha8>, Shared>);
    forms!(rows, "chacha12", 0, &of("chacha20"), Buffered<Stream<ChaCha12>, Owned>, Buffered<Stream<ChaCha12>, Shared>);
    forms!(rows, "chacha20", 0, &of("chacha20"), Buffered<Stream<ChaCha20>, Owned>, Buffered<Stream<ChaCha20>, Shared>);
    forms!(rows, "salsa20", 0, &of("salsa20"), Buffered<Stream<Salsa20>, Owned>, Buffered<Stream<Salsa20>, Shared>);
    forms!(rows, "aes-256-ctr", 0, &of("aes"), Buffered<Aes256Ctr, Owned>, Buffered<Aes256Ctr, Shared>);
    forms!(rows, "aegis-128l-stream", 0, &of("aegis"), Buffered<Aegis128L, Owned>, Buffered<Aegis128L, Shared>);
    forms!(rows, "blake3-xof", 0, &of("blake3"), Buffered<Blake3, Owned>, Buffered<Blake3, Shared>);
    rows
}

//! XXH3 with 64 bits, the crate `xxhash-rust`: a baseline for hashes, not cryptographic.

use crate::Linked;
use crate::descriptor::{COMPILED, c_string, crate_version, rust_library};
use crate::export::{Digest, Lengths, Outcome, digest};
use aeadlab_abi::{self as abi, Algorithm};
use xxhash_rust::xxh3::xxh3_64;

#[derive(Default)]
struct Xxh3;

impl Digest for Xxh3 {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&xxh3_64(message).to_be_bytes());
        Ok(())
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::NOT_CRYPTOGRAPHIC;
    // The crate chooses its code path at compile time.
    let kernel = if cfg!(target_feature = "avx512f") {
        "AVX-512"
    } else if cfg!(target_feature = "avx2") {
        "AVX2"
    } else if cfg!(target_feature = "sse2") {
        "SSE2"
    } else if cfg!(target_feature = "neon") {
        "Neon"
    } else {
        "portable"
    };
    rust_library(
        "xxhash-rust",
        crate_version("xxhash-rust"),
        COMPILED,
        vec![Algorithm { kernel: c_string(kernel).as_ptr(), ..digest::<Xxh3>(c"xxh3", Lengths(0, 0, 8), FLAGS) }],
    )
}

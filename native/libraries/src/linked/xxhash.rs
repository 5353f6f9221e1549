//! XXH3, 64 bits, the crate `xxhash-rust`: a reference line for hashes, not cryptographic.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest};
use aeadlab_abi::{self as abi, Algorithm, Library};
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64;

struct Xxh3;

impl Keyed for Xxh3 {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Digest for Xxh3 {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&xxh3_64(message).to_be_bytes());
        Ok(())
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::NOT_CRYPTOGRAPHIC;
    LIBRARY.get_or_init(|| {
        // The crate chooses when it is compiled.
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
        describe::library(
            "xxhash-rust",
            crate_version("xxhash-rust"),
            RUST_BUILD,
            vec![Algorithm {
                kernel: describe::text(kernel).as_ptr(),
                ..digest::<Xxh3>(c"xxh3", Lengths(0, 0, 8), FLAGS)
            }],
        )
    })
}

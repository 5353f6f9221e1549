//! CRC-32C (Castagnoli), the crate `crc32c`: a reference line for hashes, not cryptographic.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest};
use aeadlab_abi::{self as abi, Algorithm, Library};
use std::ptr;
use std::sync::OnceLock;

struct Crc32c;

impl Keyed for Crc32c {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Digest for Crc32c {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&::crc32c::crc32c(message).to_be_bytes());
        Ok(())
    }
}

/// What the crate asks before each call.
fn instruction() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("sse4.2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::NOT_CRYPTOGRAPHIC;
    LIBRARY.get_or_init(|| {
        let kernel = if instruction() { describe::text("SSE4.2").as_ptr() } else { ptr::null() };
        describe::library(
            "crc32c",
            crate_version("crc32c"),
            RUST_BUILD,
            vec![Algorithm { kernel, ..digest::<Crc32c>(c"crc-32c", Lengths(0, 0, 4), FLAGS) }],
        )
    })
}

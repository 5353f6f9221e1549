//! CRC-32C (Castagnoli), the crate `crc32c`: a baseline for hashes, not cryptographic.

use crate::Linked;
use crate::descriptor::{DETECTED, c_string, crate_version, rust_library};
use crate::export::{Digest, Lengths, Outcome, digest};
use aeadlab_abi::{self as abi, Algorithm};
use std::ptr;

#[derive(Default)]
struct Crc32c;

impl Digest for Crc32c {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&::crc32c::crc32c(message).to_be_bytes());
        Ok(())
    }
}

/// Return whether the crate uses the CRC-32C instruction.
fn has_instruction() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("sse4.2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::NOT_CRYPTOGRAPHIC;
    let kernel = if has_instruction() { c_string("SSE4.2").as_ptr() } else { ptr::null() };
    rust_library(
        "crc32c",
        crate_version("crc32c"),
        DETECTED,
        vec![Algorithm { kernel, ..digest::<Crc32c>(c"crc-32c", Lengths(0, 0, 4), FLAGS) }],
    )
}

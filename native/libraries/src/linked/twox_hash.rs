//! XXH3 with 64 bits, the crate `twox-hash`: a baseline for hashes, not cryptographic.

use crate::Linked;
use crate::descriptor::{DETECTED, crate_version, rust_library};
use crate::export::{Digest, Lengths, Outcome, digest};
use ::twox_hash::XxHash3_64;
use aeadlab_abi as abi;

#[derive(Default)]
struct Xxh3;

impl Digest for Xxh3 {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&XxHash3_64::oneshot(message).to_be_bytes());
        Ok(())
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::NOT_CRYPTOGRAPHIC;
    rust_library(
        "twox-hash",
        crate_version("twox-hash"),
        DETECTED,
        vec![digest::<Xxh3>(c"xxh3", Lengths(0, 0, 8), FLAGS)],
    )
}

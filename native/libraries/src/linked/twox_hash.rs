//! XXH3, 64 bits, the crate `twox-hash`: the second of two, not cryptographic.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest};
use ::twox_hash::XxHash3_64;
use aeadlab_abi::{self as abi, Algorithm, Library};
use std::sync::OnceLock;

struct Xxh3;

impl Keyed for Xxh3 {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Digest for Xxh3 {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&XxHash3_64::oneshot(message).to_be_bytes());
        Ok(())
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::NOT_CRYPTOGRAPHIC;
    LIBRARY.get_or_init(|| {
        describe::library(
            "twox-hash",
            crate_version("twox-hash"),
            RUST_BUILD,
            vec![digest::<Xxh3>(c"xxh3", Lengths(0, 0, 8), FLAGS)],
        )
    })
}

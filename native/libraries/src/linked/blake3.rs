//! BLAKE3, the crate `blake3`, in one thread.

use crate::Linked;
use crate::descriptor::{DETECTED, c_string, crate_version, rust_library};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest};
use aeadlab_abi::{self as abi, Algorithm};
use zeroize::Zeroize;

/// The hash, or with a key the keyed mode, a MAC.
pub(crate) struct Blake3(pub(crate) ::blake3::Hasher);

impl Keyed for Blake3 {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        if key.is_empty() {
            return Ok(Self(::blake3::Hasher::new()));
        }
        Ok(Self(::blake3::Hasher::new_keyed(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

impl Digest for Blake3 {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(self.0.reset().update(message).finalize().as_bytes());
        Ok(())
    }
}

impl Drop for Blake3 {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    let kernel = c_string(&format!("{:?}", ::blake3::platform::Platform::detect())).as_ptr();
    rust_library(
        "blake3",
        crate_version("blake3"),
        DETECTED,
        vec![
            Algorithm { kernel, ..digest::<Blake3>(c"blake3", Lengths(0, 0, 32), abi::THREAD_SAFE) },
            Algorithm { kernel, ..digest::<Blake3>(c"blake3-keyed", Lengths(32, 0, 32), abi::THREAD_SAFE) },
        ],
    )
}

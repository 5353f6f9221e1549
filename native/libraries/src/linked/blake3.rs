//! BLAKE3, the reference crate, in one thread.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest};
use aeadlab_abi::{self as abi, Algorithm, Library};
use std::sync::OnceLock;
use zeroize::Zeroize;

struct Hash(::blake3::Hasher);

impl Keyed for Hash {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self(::blake3::Hasher::new()))
    }
}

impl Digest for Hash {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(self.0.reset().update(message).finalize().as_bytes());
        Ok(())
    }
}

/// The keyed mode, a MAC.
struct Mac(::blake3::Hasher);

impl Keyed for Mac {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(::blake3::Hasher::new_keyed(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

impl Digest for Mac {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(self.0.reset().update(message).finalize().as_bytes());
        Ok(())
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let kernel = describe::text(&format!("{:?}", ::blake3::platform::Platform::detect())).as_ptr();
        describe::library(
            "blake3",
            crate_version("blake3"),
            RUST_BUILD,
            vec![
                Algorithm { kernel, ..digest::<Hash>(c"blake3", Lengths(0, 0, 32), abi::THREAD_SAFE) },
                Algorithm { kernel, ..digest::<Mac>(c"blake3-keyed", Lengths(32, 0, 32), abi::THREAD_SAFE) },
            ],
        )
    })
}

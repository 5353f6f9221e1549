//! BLAKE3, the reference crate, on all threads of Rayon's global pool (`RAYON_NUM_THREADS`).
//!
//! A library of its own, because the lab tells implementations apart by library and algorithm.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest};
use ::blake3::Hasher;
use aeadlab_abi::{self as abi, Algorithm, Library};
use std::sync::OnceLock;
use zeroize::Zeroize;

/// With a key the keyed mode, a MAC.
struct Parallel(Hasher);

impl Keyed for Parallel {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        if key.is_empty() {
            return Ok(Self(Hasher::new()));
        }
        Ok(Self(Hasher::new_keyed(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

impl Digest for Parallel {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(self.0.reset().update_rayon(message).finalize().as_bytes());
        Ok(())
    }
}

impl Drop for Parallel {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::PARALLEL;
    LIBRARY.get_or_init(|| {
        let version = ["blake3", "rayon"].map(|name| format!("{name} {}", crate_version(name))).join(", ");
        let kernel = describe::text(&format!("{:?}", ::blake3::platform::Platform::detect())).as_ptr();
        describe::library(
            "blake3-rayon",
            &version,
            RUST_BUILD,
            vec![
                Algorithm { kernel, ..digest::<Parallel>(c"blake3", Lengths(0, 0, 32), FLAGS) },
                Algorithm { kernel, ..digest::<Parallel>(c"blake3-keyed", Lengths(32, 0, 32), FLAGS) },
            ],
        )
    })
}

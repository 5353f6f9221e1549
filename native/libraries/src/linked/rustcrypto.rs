//! RustCrypto: any AEAD of the `aead` traits, and universal hashes.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{self, Digest, Failure, Keyed, Lengths, Outcome, digest};
use aead::{AeadInOut, KeyInit};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::sync::OnceLock;
use universal_hash::UniversalHash;

/// Any `aead::AeadInOut`.
struct Aead<A>(A);

impl<A: AeadInOut + KeyInit + Send> Keyed for Aead<A> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        A::new_from_slice(key).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<A: AeadInOut + KeyInit + Send> export::Aead for Aead<A> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let made = self.0.encrypt_inout_detached(nonce, ad, message).map_err(|_| Failure::BadArgument)?;
        tag.copy_from_slice(&made);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.decrypt_inout_detached(nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

/// Any `universal_hash::UniversalHash`, the message padded with zeros to whole blocks.
struct Universal<H>(H);

impl<H: UniversalHash + KeyInit + Clone + Send> Keyed for Universal<H> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        H::new_from_slice(key).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<H: UniversalHash + KeyInit + Clone + Send> Digest for Universal<H> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut hash = self.0.clone();
        hash.update_padded(message);
        tag.copy_from_slice(&hash.finalize());
        Ok(())
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;
    LIBRARY.get_or_init(|| {
        let version = ["aes-gcm", "aes", "ghash"].map(|name| format!("{name} {}", crate_version(name))).join(", ");
        describe::library(
            "rustcrypto",
            &version,
            RUST_BUILD,
            vec![
                Algorithm {
                    // SP 800-38D: a plaintext is at most 2^39 - 256 bits.
                    max_bytes: (1 << 36) - 32,
                    ..export::aead::<Aead<aes_gcm::Aes256Gcm>>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS)
                },
                digest::<Universal<ghash::GHash>>(
                    c"ghash",
                    Lengths(16, 0, 16),
                    abi::THREAD_SAFE | abi::UNIVERSAL_HASH,
                ),
            ],
        )
    })
}

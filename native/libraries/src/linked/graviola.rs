//! Graviola: the AEADs of TLS, SHA-2 and HMAC, in assembly of s2n-bignum and of its author.
//!
//! It seals and opens in place only, so a message with a separate output is copied there first.

use crate::descriptor::{crate_version, rust_library};
use crate::export::{Aead, Digest, Failure, Keyed, Lengths, Outcome, Wiped, aead, digest};
use crate::{FeatureSwitch, Linked};
use ::graviola::Error;
use ::graviola::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};
use ::graviola::hashing::{self, HashContext, Sha256, Sha384, Sha512, hmac};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use std::marker::PhantomData;

/// The functions that Graviola's AEADs share without a common trait.
trait DetachedAead<const NONCE_BYTES: usize>: Sized + Send {
    fn from_key(key: &[u8]) -> Result<Self, Failure>;
    fn encrypt(&self, nonce: &[u8; NONCE_BYTES], ad: &[u8], message: &mut [u8], tag: &mut [u8; TAG_BYTES]);
    fn decrypt(&self, nonce: &[u8; NONCE_BYTES], ad: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error>;
}

const TAG_BYTES: usize = 16;

macro_rules! detached_aead {
    ($type:ty, $nonce:literal, $from_key:expr) => {
        impl DetachedAead<$nonce> for $type {
            fn from_key(key: &[u8]) -> Result<Self, Failure> {
                $from_key(key)
            }

            fn encrypt(&self, nonce: &[u8; $nonce], ad: &[u8], message: &mut [u8], tag: &mut [u8; TAG_BYTES]) {
                self.encrypt(nonce, ad, message, tag);
            }

            fn decrypt(&self, nonce: &[u8; $nonce], ad: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
                self.decrypt(nonce, ad, message, tag)
            }
        }
    };
}

detached_aead!(AesGcm, 12, |key| Ok(Self::new(key)));
detached_aead!(ChaCha20Poly1305, 12, |key: &[u8]| key.try_into().map(Self::new).map_err(|_| Failure::BadArgument));
detached_aead!(XChaCha20Poly1305, 24, |key: &[u8]| key.try_into().map(Self::new).map_err(|_| Failure::BadArgument));

struct InPlace<const NONCE_BYTES: usize, T> {
    aead: T,
    max_bytes: u64,
}

impl<const NONCE_BYTES: usize, T: DetachedAead<NONCE_BYTES>> InPlace<NONCE_BYTES, T> {
    /// Check the lengths and copy the message to the output. Graviola itself lets the block counter overflow.
    fn checked<'out>(
        &self,
        nonce: &[u8],
        message: InOutBuf<'_, 'out, u8>,
    ) -> Result<([u8; NONCE_BYTES], &'out mut [u8]), Failure> {
        if message.len() as u64 > self.max_bytes {
            return Err(Failure::BadArgument);
        }
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        Ok((nonce, message.into_out_with_copied_in()))
    }
}

impl<const NONCE_BYTES: usize, T: DetachedAead<NONCE_BYTES>> Keyed for InPlace<NONCE_BYTES, T> {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self { aead: T::from_key(key)?, max_bytes: algorithm.max_bytes })
    }
}

impl<const NONCE_BYTES: usize, T: DetachedAead<NONCE_BYTES>> Aead for InPlace<NONCE_BYTES, T> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let (nonce, message) = self.checked(nonce, message)?;
        self.aead.encrypt(&nonce, ad, message, tag.try_into().map_err(|_| Failure::BadArgument)?);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let (nonce, message) = self.checked(nonce, message)?;
        self.aead.decrypt(&nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

struct Hash<H>(PhantomData<H>);

impl<H: hashing::Hash + Send> Keyed for Hash<H> {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self(PhantomData))
    }
}

impl<H: hashing::Hash + Send> Digest for Hash<H> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(H::hash(message).as_ref());
        Ok(())
    }
}

/// The state after the key; each message starts from a copy.
struct Hmac<H: hashing::Hash>(Wiped<hmac::Hmac<H>>);

impl<H: hashing::Hash<Context: HashContext + Send>> Keyed for Hmac<H> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(Wiped::new(hmac::Hmac::new(key))))
    }
}

impl<H: hashing::Hash<Context: HashContext + Send> + Clone> Digest for Hmac<H> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut mac = hmac::Hmac::clone(&self.0);
        mac.update(message);
        tag.copy_from_slice(mac.finish().as_ref());
        Ok(())
    }
}

/// Return whether the CPU has the features that Graviola asserts at its first call.
fn supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("neon")
        && std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("pmull")
        && std::arch::is_aarch64_feature_detected!("sha2");
}

fn rows() -> Vec<Algorithm> {
    const AEAD_FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;
    const DIGEST_FLAGS: u64 = abi::THREAD_SAFE;
    /// SP 800-38D section 5.2.1.1.
    const GCM_MAX_BYTES: u64 = (1 << 36) - 32;
    /// RFC 8439 section 2.8: the first block is the tag's key.
    const CHACHA_MAX_BYTES: u64 = (1 << 38) - 64;
    let limited = |max_bytes, algorithm| Algorithm { max_bytes, ..algorithm };
    vec![
        limited(GCM_MAX_BYTES, aead::<InPlace<12, AesGcm>>(c"aes-128-gcm", Lengths(16, 12, 16), AEAD_FLAGS)),
        limited(GCM_MAX_BYTES, aead::<InPlace<12, AesGcm>>(c"aes-256-gcm", Lengths(32, 12, 16), AEAD_FLAGS)),
        limited(
            CHACHA_MAX_BYTES,
            aead::<InPlace<12, ChaCha20Poly1305>>(c"chacha20-poly1305", Lengths(32, 12, 16), AEAD_FLAGS),
        ),
        limited(
            CHACHA_MAX_BYTES,
            aead::<InPlace<24, XChaCha20Poly1305>>(c"xchacha20-poly1305", Lengths(32, 24, 16), AEAD_FLAGS),
        ),
        digest::<Hash<Sha256>>(c"sha-256", Lengths(0, 0, 32), DIGEST_FLAGS),
        digest::<Hash<Sha384>>(c"sha-384", Lengths(0, 0, 48), DIGEST_FLAGS),
        digest::<Hash<Sha512>>(c"sha-512", Lengths(0, 0, 64), DIGEST_FLAGS),
        digest::<Hmac<Sha256>>(c"hmac-sha-256", Lengths(32, 0, 32), DIGEST_FLAGS),
        digest::<Hmac<Sha384>>(c"hmac-sha-384", Lengths(48, 0, 48), DIGEST_FLAGS),
        digest::<Hmac<Sha512>>(c"hmac-sha-512", Lengths(64, 0, 64), DIGEST_FLAGS),
    ]
}

/// The library. It lists no algorithms if the CPU lacks a feature that all of them need.
pub(crate) fn library() -> Linked {
    let feature_switch: FeatureSwitch = |_| c"none: only its debug builds read a setting (GRAVIOLA_CPU_DISABLE_*)";
    let rows = if supported() { rows() } else { Vec::new() };
    rust_library("graviola", crate_version("graviola"), feature_switch, rows)
}

//! Graviola: the AEADs of TLS, SHA-2 and HMAC on s2n-bignum's and its author's assembly.
//!
//! It seals and opens in place only, so for a separate output the message is copied there first.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Aead, Digest, Failure, Keyed, Lengths, Outcome, aead, digest, Wiped};
use ::graviola::Error;
use ::graviola::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};
use ::graviola::hashing::{self, HashContext, Sha256, Sha384, Sha512, hmac};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// One of Graviola's AEADs, which have the same functions but no trait.
trait Sealer<const NONCE: usize>: Sized + Send {
    fn keyed(key: &[u8]) -> Result<Self, Failure>;
    fn encrypt(&self, nonce: &[u8; NONCE], ad: &[u8], message: &mut [u8], tag: &mut [u8; TAG]);
    fn decrypt(&self, nonce: &[u8; NONCE], ad: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error>;
}

const TAG: usize = 16;

macro_rules! sealer {
    ($type:ty, $nonce:literal, $keyed:expr) => {
        impl Sealer<$nonce> for $type {
            fn keyed(key: &[u8]) -> Result<Self, Failure> {
                $keyed(key)
            }

            fn encrypt(&self, nonce: &[u8; $nonce], ad: &[u8], message: &mut [u8], tag: &mut [u8; TAG]) {
                self.encrypt(nonce, ad, message, tag);
            }

            fn decrypt(&self, nonce: &[u8; $nonce], ad: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
                self.decrypt(nonce, ad, message, tag)
            }
        }
    };
}

sealer!(AesGcm, 12, |key| Ok(Self::new(key)));
sealer!(ChaCha20Poly1305, 12, |key: &[u8]| key.try_into().map(Self::new).map_err(|_| Failure::BadArgument));
sealer!(XChaCha20Poly1305, 24, |key: &[u8]| key.try_into().map(Self::new).map_err(|_| Failure::BadArgument));

struct InPlace<const NONCE: usize, T> {
    sealer: T,
    max_bytes: u64,
}

impl<const NONCE: usize, T: Sealer<NONCE>> InPlace<NONCE, T> {
    /// The message in the output, if the lengths are right. Graviola itself lets the counter overflow.
    fn ready<'out>(
        &self,
        nonce: &[u8],
        message: InOutBuf<'_, 'out, u8>,
    ) -> Result<([u8; NONCE], &'out mut [u8]), Failure> {
        if message.len() as u64 > self.max_bytes {
            return Err(Failure::BadArgument);
        }
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        Ok((nonce, message.into_out_with_copied_in()))
    }
}

impl<const NONCE: usize, T: Sealer<NONCE>> Keyed for InPlace<NONCE, T> {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self { sealer: T::keyed(key)?, max_bytes: algorithm.max_bytes })
    }
}

impl<const NONCE: usize, T: Sealer<NONCE>> Aead for InPlace<NONCE, T> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let (nonce, message) = self.ready(nonce, message)?;
        self.sealer.encrypt(&nonce, ad, message, tag.try_into().map_err(|_| Failure::BadArgument)?);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let (nonce, message) = self.ready(nonce, message)?;
        self.sealer.decrypt(&nonce, ad, message, tag).map_err(|_| Failure::Authentication)
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

/// The state after the key, which every message starts from.
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

/// Whether the CPU has what Graviola asserts when it is first called.
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
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;
    const SAFE: u64 = abi::THREAD_SAFE;
    /// SP 800-38D section 5.2.1.1.
    const GCM_LONGEST: u64 = (1 << 36) - 32;
    /// RFC 8439 section 2.8: the first block makes the tag's key.
    const CHACHA_LONGEST: u64 = (1 << 38) - 64;
    let limited = |max_bytes, algorithm| Algorithm { max_bytes, ..algorithm };
    vec![
        limited(GCM_LONGEST, aead::<InPlace<12, AesGcm>>(c"aes-128-gcm", Lengths(16, 12, 16), FLAGS)),
        limited(GCM_LONGEST, aead::<InPlace<12, AesGcm>>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS)),
        limited(
            CHACHA_LONGEST,
            aead::<InPlace<12, ChaCha20Poly1305>>(c"chacha20-poly1305", Lengths(32, 12, 16), FLAGS),
        ),
        limited(
            CHACHA_LONGEST,
            aead::<InPlace<24, XChaCha20Poly1305>>(c"xchacha20-poly1305", Lengths(32, 24, 16), FLAGS),
        ),
        digest::<Hash<Sha256>>(c"sha-256", Lengths(0, 0, 32), SAFE),
        digest::<Hash<Sha384>>(c"sha-384", Lengths(0, 0, 48), SAFE),
        digest::<Hash<Sha512>>(c"sha-512", Lengths(0, 0, 64), SAFE),
        digest::<Hmac<Sha256>>(c"hmac-sha-256", Lengths(32, 0, 32), SAFE),
        digest::<Hmac<Sha384>>(c"hmac-sha-384", Lengths(48, 0, 48), SAFE),
        digest::<Hmac<Sha512>>(c"hmac-sha-512", Lengths(64, 0, 64), SAFE),
    ]
}

/// The descriptor, without algorithms where the CPU lacks what all of them need.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let rows = if supported() { rows() } else { Vec::new() };
        describe::library("graviola", crate_version("graviola"), RUST_BUILD, rows)
    })
}

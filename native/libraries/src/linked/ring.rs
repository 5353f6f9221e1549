//! ring: the AEADs of TLS, SHA-1, SHA-2 and HMAC.
//!
//! ring seals and opens in place only: neither `seal_in_place_separate_tag` nor `open_within` reads from a second
//! buffer. A message with a separate output is copied there first.

use crate::Linked;
use crate::descriptor::{DETECTED, crate_version, rust_library};
use crate::export::{Aead, Digest, Failure, Keyed, Lengths, Outcome, Wiped, aead, digest};
use ::ring::aead::{self as ring_aead, Aad, LessSafeKey, Nonce, Tag, UnboundKey};
use ::ring::{digest as ring_digest, hmac as ring_hmac};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use std::ptr;

/// Return the table row of an algorithm of ring; its `data` points to it.
fn row<T>(algorithm: Algorithm, ring_algorithm: &'static T) -> Algorithm {
    Algorithm { data: ptr::from_ref(ring_algorithm).cast(), ..algorithm }
}

/// Return the algorithm of ring that a table row points to.
///
/// # Safety
/// The row comes from [`row`] with a `T`.
unsafe fn ring_algorithm<T>(algorithm: &Algorithm) -> &'static T {
    // SAFETY: the caller's promise; it is a static of ring.
    unsafe { &*algorithm.data.cast() }
}

struct Sealing(Wiped<LessSafeKey>);

impl Keyed for Sealing {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        // SAFETY: `library` builds the rows of this context type with `aead::Algorithm`.
        let algorithm: &ring_aead::Algorithm = unsafe { ring_algorithm(algorithm) };
        let key = UnboundKey::new(algorithm, key).map_err(|_| Failure::BadArgument)?;
        Ok(Self(Wiped::new(LessSafeKey::new(key))))
    }
}

impl Aead for Sealing {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Failure::BadArgument)?;
        let message = message.into_out_with_copied_in();
        // Its only failure is a message that is too long.
        let computed = self.0.seal_in_place_separate_tag(nonce, Aad::from(ad), message);
        tag.copy_from_slice(computed.map_err(|_| Failure::BadArgument)?.as_ref());
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Failure::BadArgument)?;
        let tag = Tag::try_from(tag).map_err(|_| Failure::BadArgument)?;
        let message = message.into_out_with_copied_in();
        let opened = self.0.open_in_place_separate_tag(nonce, Aad::from(ad), tag, message, 0..);
        opened.map(|_| ()).map_err(|_| Failure::Authentication)
    }
}

struct Hash(&'static ring_digest::Algorithm);

impl Keyed for Hash {
    fn new(algorithm: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        // SAFETY: `library` builds the rows of this context type with `digest::Algorithm`.
        Ok(Self(unsafe { ring_algorithm(algorithm) }))
    }
}

impl Digest for Hash {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(ring_digest::digest(self.0, message).as_ref());
        Ok(())
    }
}

/// The key holds the states after both pads; each message starts from them.
struct Hmac(Wiped<ring_hmac::Key>);

impl Keyed for Hmac {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        // SAFETY: `library` builds the rows of this context type with `hmac::Algorithm`.
        let algorithm: &ring_hmac::Algorithm = unsafe { ring_algorithm(algorithm) };
        Ok(Self(Wiped::new(ring_hmac::Key::new(*algorithm, key))))
    }
}

impl Digest for Hmac {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(ring_hmac::sign(&self.0, message).as_ref());
        Ok(())
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const AEAD_FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;
    const DIGEST_FLAGS: u64 = abi::THREAD_SAFE;
    const SHA1_FLAGS: u64 = abi::THREAD_SAFE | abi::HISTORICAL;
    /// SP 800-38D section 5.2.1.1.
    const GCM_MAX_BYTES: u64 = (1 << 36) - 32;
    /// RFC 8439 section 2.8: the first block is the tag's key.
    const CHACHA_MAX_BYTES: u64 = (1 << 38) - 64;
    let aeads = [
        (c"aes-128-gcm", 16, GCM_MAX_BYTES, &ring_aead::AES_128_GCM),
        (c"aes-256-gcm", 32, GCM_MAX_BYTES, &ring_aead::AES_256_GCM),
        (c"chacha20-poly1305", 32, CHACHA_MAX_BYTES, &ring_aead::CHACHA20_POLY1305),
    ];
    let hashes = [
        (c"sha-1", 20, SHA1_FLAGS, &ring_digest::SHA1_FOR_LEGACY_USE_ONLY),
        (c"sha-256", 32, DIGEST_FLAGS, &ring_digest::SHA256),
        (c"sha-384", 48, DIGEST_FLAGS, &ring_digest::SHA384),
        (c"sha-512", 64, DIGEST_FLAGS, &ring_digest::SHA512),
        (c"sha-512-256", 32, DIGEST_FLAGS, &ring_digest::SHA512_256),
    ];
    let macs = [
        (c"hmac-sha-1", 20, &ring_hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        (c"hmac-sha-256", 32, &ring_hmac::HMAC_SHA256),
        (c"hmac-sha-384", 48, &ring_hmac::HMAC_SHA384),
        (c"hmac-sha-512", 64, &ring_hmac::HMAC_SHA512),
    ];
    let mut rows = Vec::new();
    rows.extend(aeads.map(|(name, key, max_bytes, algorithm)| {
        row(Algorithm { max_bytes, ..aead::<Sealing>(name, Lengths(key, 12, 16), AEAD_FLAGS) }, algorithm)
    }));
    rows.extend(
        hashes.map(|(name, bytes, flags, algorithm)| row(digest::<Hash>(name, Lengths(0, 0, bytes), flags), algorithm)),
    );
    rows.extend(
        macs.map(|(name, bytes, algorithm)| {
            row(digest::<Hmac>(name, Lengths(bytes, 0, bytes), DIGEST_FLAGS), algorithm)
        }),
    );
    rust_library("ring", crate_version("ring"), DETECTED, rows)
}

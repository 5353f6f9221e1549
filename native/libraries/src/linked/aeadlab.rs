//! The lab's own construction, after the ETH paper's: RustCrypto's AES-256-CTR with keyed BLAKE3 in place of GHASH.
//!
//! Encrypt-then-MAC with two keys derived from one. The MAC covers ciphertext ‖ associated data ‖ nonce ‖
//! le64(bytes of associated data) ‖ le64(bytes of ciphertext); the fixed-length end makes it unambiguous, and the
//! ciphertext comes first so that it stays aligned to BLAKE3's chunks.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Aead, Failure, Keyed, Lengths, Outcome, aead};
use aeadlab_abi::{self as abi, Algorithm, Library};
use aes::Aes256;
use cipher::{InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper};
use inout::InOutBuf;
use std::sync::OnceLock;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

const ENCRYPTION: &str = "aeadlab 2026-11-20 aes-256-ctr+blake3 encryption key";
const AUTHENTICATION: &str = "aeadlab 2026-11-20 aes-256-ctr+blake3 authentication key";
const NONCE: usize = 12;
/// The 32-bit block counter must not run into the nonce.
const MAX_BYTES: u64 = 1 << 36;
/// Encrypted, then hashed while still in the first-level cache.
const PIECE: usize = 16 << 10;

type Keystream<'a> = StreamCipherCoreWrapper<ctr::CtrCore<&'a Aes256, ctr::flavors::Ctr128BE>>;

struct CtrBlake3 {
    cipher: Aes256,
    mac: ::blake3::Hasher,
}

impl Keyed for CtrBlake3 {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let encryption = Zeroizing::new(::blake3::derive_key(ENCRYPTION, key));
        let authentication = Zeroizing::new(::blake3::derive_key(AUTHENTICATION, key));
        Ok(Self {
            cipher: Aes256::new((&*encryption).into()),
            mac: ::blake3::Hasher::new_keyed(&authentication),
        })
    }
}

impl Drop for CtrBlake3 {
    fn drop(&mut self) {
        self.mac.zeroize();
    }
}

fn keystream<'a>(cipher: &'a Aes256, nonce: &[u8]) -> Result<Keystream<'a>, Failure> {
    let mut counter = [0; 16];
    counter[..NONCE].copy_from_slice(nonce.try_into().map(|nonce: &[u8; NONCE]| nonce).map_err(|_| Failure::BadArgument)?);
    Ok(StreamCipherCoreWrapper::from_core(InnerIvInit::inner_iv_init(cipher, &counter.into())))
}

fn tag_of(mac: &::blake3::Hasher, nonce: &[u8], ad: &[u8], ciphertext_bytes: usize) -> ::blake3::Hash {
    let mut mac = mac.clone();
    mac.update(ad).update(nonce);
    mac.update(&(ad.len() as u64).to_le_bytes()).update(&(ciphertext_bytes as u64).to_le_bytes());
    mac.finalize()
}

impl Aead for CtrBlake3 {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let length = message.len();
        if length as u64 > MAX_BYTES {
            return Err(Failure::BadArgument);
        }
        let mut keystream = keystream(&self.cipher, nonce)?;
        self.mac.reset();
        let mut rest = message;
        while !rest.is_empty() {
            let (mut piece, tail) = { let at = PIECE.min(rest.len()); rest.split_at(at) };
            keystream.apply_keystream_inout(piece.reborrow());
            self.mac.update(piece.get_out());
            rest = tail;
        }
        tag.copy_from_slice(tag_of(&self.mac, nonce, ad, length).as_bytes());
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let length = message.len();
        if length as u64 > MAX_BYTES {
            return Err(Failure::BadArgument);
        }
        let mut keystream = keystream(&self.cipher, nonce)?;
        self.mac.reset();
        let mut rest = message;
        while !rest.is_empty() {
            let (mut piece, tail) = { let at = PIECE.min(rest.len()); rest.split_at(at) };
            // In place the ciphertext is gone after decryption, so it is hashed first.
            self.mac.update(piece.get_in());
            keystream.apply_keystream_inout(piece.reborrow());
            rest = tail;
        }
        let right: bool = tag_of(&self.mac, nonce, ad, length).as_bytes()[..].ct_eq(tag).into();
        if right { Ok(()) } else { Err(Failure::Authentication) }
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG | abi::RESEARCH;
    LIBRARY.get_or_init(|| {
        let parts = ["aes", "ctr", "blake3"].map(|name| format!("{name} {}", crate_version(name))).join(", ");
        let version = format!("{} ({parts})", env!("CARGO_PKG_VERSION"));
        describe::library(
            "aeadlab",
            &version,
            RUST_BUILD,
            vec![Algorithm {
                max_bytes: MAX_BYTES,
                ..aead::<CtrBlake3>(c"aes-256-ctr+blake3", Lengths(32, 12, 32), FLAGS)
            }],
        )
    })
}

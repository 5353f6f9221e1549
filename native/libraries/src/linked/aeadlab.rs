//! The lab's own kernels, and its own construction, modelled on one of the ETH paper: RustCrypto's AES-256-CTR with keyed
//! BLAKE3, not GHASH.
//!
//! The construction is encrypt-then-MAC with two keys that are derived from one. The MAC covers ciphertext ‖ associated data ‖ nonce ‖
//! le64(bytes of associated data) ‖ le64(bytes of ciphertext). The lengths at the end make this encoding injective, and
//! the ciphertext comes first so that it stays aligned to BLAKE3's chunks.

#[path = "aeadlab/kernels.rs"]
mod kernels;

use crate::Linked;
use crate::descriptor::{DETECTED, crate_version, rust_library};
use crate::export::{Aead, Failure, Keyed, Lengths, Outcome, aead};
use aeadlab_abi::{self as abi, Algorithm};
use aes::Aes256;
use cipher::{InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper};
use inout::InOutBuf;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

const ENCRYPTION: &str = "aeadlab 2026-11-20 aes-256-ctr+blake3 encryption key";
const AUTHENTICATION: &str = "aeadlab 2026-11-20 aes-256-ctr+blake3 authentication key";
const NONCE_BYTES: usize = 12;
/// The 32-bit block counter must not overflow into the nonce.
const MAX_BYTES: u64 = 1 << 36;
/// A chunk is encrypted and then hashed while it is in the first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

type Keystream<'a> = StreamCipherCoreWrapper<ctr::CtrCore<&'a Aes256, ctr::flavors::Ctr128BE>>;

struct CtrBlake3 {
    cipher: Aes256,
    mac: ::blake3::Hasher,
}

impl Keyed for CtrBlake3 {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let encryption = Zeroizing::new(::blake3::derive_key(ENCRYPTION, key));
        let authentication = Zeroizing::new(::blake3::derive_key(AUTHENTICATION, key));
        Ok(Self { cipher: Aes256::new((&*encryption).into()), mac: ::blake3::Hasher::new_keyed(&authentication) })
    }
}

impl Drop for CtrBlake3 {
    fn drop(&mut self) {
        self.mac.zeroize();
    }
}

impl CtrBlake3 {
    /// Process a message chunk by chunk and return its tag. The MAC covers the ciphertext, which in place exists only
    /// before decryption or after encryption.
    fn crypt(
        &mut self,
        encrypt: bool,
        nonce: &[u8],
        ad: &[u8],
        message: InOutBuf<'_, '_, u8>,
    ) -> Result<::blake3::Hash, Failure> {
        let bytes = message.len() as u64;
        let nonce: &[u8; NONCE_BYTES] = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        if bytes > MAX_BYTES {
            return Err(Failure::BadArgument);
        }
        let mut counter = [0; 16];
        counter[..NONCE_BYTES].copy_from_slice(nonce);
        let core = InnerIvInit::inner_iv_init(&self.cipher, &counter.into());
        let mut keystream: Keystream<'_> = StreamCipherCoreWrapper::from_core(core);
        self.mac.reset();
        let mut rest = message;
        while !rest.is_empty() {
            let chunk_bytes = CHUNK_BYTES.min(rest.len());
            let (mut chunk, tail) = rest.split_at(chunk_bytes);
            if encrypt {
                keystream.apply_keystream_inout(chunk.reborrow());
                self.mac.update(chunk.get_out());
            } else {
                self.mac.update(chunk.get_in());
                keystream.apply_keystream_inout(chunk);
            }
            rest = tail;
        }
        let mut mac = self.mac.clone();
        mac.update(ad).update(nonce).update(&(ad.len() as u64).to_le_bytes()).update(&bytes.to_le_bytes());
        Ok(mac.finalize())
    }
}

impl Aead for CtrBlake3 {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(self.crypt(true, nonce, ad, message)?.as_bytes());
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let computed = self.crypt(false, nonce, ad, message)?;
        let valid: bool = computed.as_bytes()[..].ct_eq(tag).into();
        if valid { Ok(()) } else { Err(Failure::Authentication) }
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG | abi::RESEARCH;
    let parts = ["aes", "ctr", "blake3"].map(|name| format!("{name} {}", crate_version(name))).join(", ");
    let version = format!("{} ({parts})", env!("CARGO_PKG_VERSION"));
    let mut rows = kernels::rows();
    rows.push(Algorithm {
        max_bytes: MAX_BYTES,
        ..aead::<CtrBlake3>(c"aes-256-ctr+blake3", Lengths(32, 12, 32), FLAGS)
    });
    rust_library("aeadlab", &version, DETECTED, rows)
}

//! A test double that needs no C library: RustCrypto's AES-256-GCM behind the ABI, with counters of contexts.

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome, aead};
use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit};
use std::sync::atomic::{AtomicUsize, Ordering};

pub static KEYS_MADE: AtomicUsize = AtomicUsize::new(0);
pub static KEYS_FREED: AtomicUsize = AtomicUsize::new(0);

pub static GCM: Algorithm = aead::<Counted>(c"aes-256-gcm", Lengths(32, 12, 16), abi::THREAD_SAFE | abi::IN_PLACE);

struct Counted(Aes256Gcm);

impl Keyed for Counted {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        KEYS_MADE.fetch_add(1, Ordering::SeqCst);
        Ok(Self(Aes256Gcm::new_from_slice(key).unwrap()))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        KEYS_FREED.fetch_add(1, Ordering::SeqCst);
    }
}

impl Aead for Counted {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        tag.copy_from_slice(&self.0.encrypt_inout_detached(nonce.try_into().unwrap(), ad, message).unwrap());
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let (nonce, tag) = (nonce.try_into().unwrap(), tag.try_into().unwrap());
        self.0.decrypt_inout_detached(nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

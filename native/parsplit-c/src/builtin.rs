//! The built-in algorithm: AES-256-GCM of RustCrypto.

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome, aead};
use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit};

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;

pub(crate) static AES_256_GCM: Algorithm = aead::<Gcm>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS);

struct Gcm(Aes256Gcm);

impl Keyed for Gcm {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Aes256Gcm::new_from_slice(key).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl Aead for Gcm {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let computed = self.0.encrypt_inout_detached(nonce, ad, message).map_err(|_| Failure::BadArgument)?;
        tag.copy_from_slice(&computed);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.decrypt_inout_detached(nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_aes_256_gcm() -> *const Algorithm {
    &raw const AES_256_GCM
}

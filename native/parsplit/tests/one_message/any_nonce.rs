//! RustCrypto's AES-256-GCM behind the ABI, with nonces of 12 and 16 bytes: a library for the black box.

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome, aead};
use aes_gcm::AesGcm;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::aes::Aes256;

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::ANY_NONCE_LENGTH;

pub static GCM: Algorithm = aead::<AnyNonce>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS);
pub static ONLY_12: Algorithm = aead::<AnyNonce>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS & !abi::ANY_NONCE_LENGTH);
/// Not AES-GCM: it changes the last byte of each tag.
pub static WRONG: Algorithm = aead::<WrongTag>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS);

struct AnyNonce {
    of_12: AesGcm<Aes256, U12>,
    of_16: AesGcm<Aes256, U16>,
}

impl Keyed for AnyNonce {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let (of_12, of_16) = (AesGcm::new_from_slice(key).unwrap(), AesGcm::new_from_slice(key).unwrap());
        Ok(Self { of_12, of_16 })
    }
}

impl Aead for AnyNonce {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let computed = match nonce.len() {
            12 => self.of_12.encrypt_inout_detached(nonce.try_into().unwrap(), ad, message),
            16 => self.of_16.encrypt_inout_detached(nonce.try_into().unwrap(), ad, message),
            _ => return Err(Failure::BadArgument),
        };
        tag.copy_from_slice(&computed.unwrap());
        Ok(())
    }

    fn open(&mut self, _: &[u8], _: &[u8], _: InOutBuf<'_, '_, u8>, _: &[u8]) -> Outcome {
        unreachable!("the black box seals only")
    }
}

struct WrongTag(AnyNonce);

impl Keyed for WrongTag {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(AnyNonce::new(algorithm, key)?))
    }
}

impl Aead for WrongTag {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let long = !message.is_empty();
        self.0.seal(nonce, ad, message, tag)?;
        tag[15] ^= u8::from(long);
        Ok(())
    }

    fn open(&mut self, _: &[u8], _: &[u8], _: InOutBuf<'_, '_, u8>, _: &[u8]) -> Outcome {
        unreachable!("the black box seals only")
    }
}

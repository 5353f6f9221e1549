//! RustCrypto's AEADs behind the ABI, so that the tests need no C library.

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome, aead};
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20poly1305::ChaCha20Poly1305;
use parsplit::{Format, ParSplit, Schedule};

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE;
static AES_128: Algorithm = aead::<Double<Aes128Gcm>>(c"aes-128-gcm", Lengths(16, 12, 16), FLAGS);
static AES_256: Algorithm = aead::<Double<Aes256Gcm>>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS);
static CHACHA: Algorithm = aead::<Double<ChaCha20Poly1305>>(c"chacha20-poly1305", Lengths(32, 12, 16), FLAGS);

struct Double<A>(A);

impl<A: KeyInit + Send> Keyed for Double<A> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        A::new_from_slice(key).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<A: KeyInit + AeadInOut + Send> Aead for Double<A> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let computed = self.0.encrypt_inout_detached(nonce.try_into().unwrap(), ad, message).unwrap();
        tag.copy_from_slice(&computed);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let (nonce, tag) = (nonce.try_into().unwrap(), tag.try_into().unwrap());
        self.0.decrypt_inout_detached(nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

/// Returns the settings for a format; `block_size` is that of chunks where the format has none.
pub fn splitter(format: &Format, block_size: usize, threads: usize) -> ParSplit {
    let algorithm = match format.algorithm {
        "aes-128-gcm" => &AES_128,
        "chacha20-poly1305" => &CHACHA,
        _ => &AES_256,
    };
    ParSplit::new(algorithm, block_size, threads, Schedule::DYNAMIC).unwrap().serial_below(0)
}

/// Returns a key of the format.
pub fn key(format: &Format) -> Vec<u8> {
    (1..=if format.key_bytes == 0 { 32 } else { format.key_bytes as u8 }).collect()
}

/// Returns the context that the format authenticates; some have none.
pub fn context(format: &Format) -> &'static [u8] {
    if format.name.ends_with("-raw") || format.name == "age-payload" { b"" } else { b"context" }
}

/// Returns a message whose chunks all differ.
pub fn message(bytes: usize) -> Vec<u8> {
    (0..bytes as u32 / 4 + 1).flat_map(u32::to_be_bytes).take(bytes).collect()
}

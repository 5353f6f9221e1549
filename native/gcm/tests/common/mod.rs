//! Reproducible bytes, and the reference implementation of RustCrypto.
#![allow(dead_code, reason = "each test program uses a part")]

use aeadlab_gcm::{Buffers, Kernel, Key, Stores};
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, AeadCore, KeyInit, Payload};
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AesGcm, Nonce};

pub const KEY_LENGTHS: [usize; 3] = [16, 24, 32];
pub const STORES: [Stores; 2] = [Stores::Regular, Stores::Streaming];

/// A sequence of xorshift, equal in every run.
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.word() >> 32) as u8).collect()
    }
}

/// Return ciphertext and tag of RustCrypto's crate `aes-gcm`.
pub fn reference(key: &[u8], nonce: &[u8; 12], ad: &[u8], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
    fn sealed<C>(key: &[u8], nonce: &[u8; 12], ad: &[u8], text: &[u8]) -> Vec<u8>
    where
        C: KeyInit + Aead + AeadCore<NonceSize = U12>,
    {
        let cipher = C::new_from_slice(key).expect("a key of this length");
        let nonce: &Nonce<U12> = nonce.into();
        cipher.encrypt(nonce, Payload { msg: text, aad: ad }).expect("a message of this length")
    }
    let mut sealed = match key.len() {
        16 => sealed::<AesGcm<Aes128, U12>>(key, nonce, ad, text),
        24 => sealed::<AesGcm<Aes192, U12>>(key, nonce, ad, text),
        _ => sealed::<AesGcm<Aes256, U12>>(key, nonce, ad, text),
    };
    let tag = sealed.split_off(text.len());
    (sealed, tag.try_into().expect("16 bytes"))
}

/// Return keys of one length for all kernels of this processor.
pub fn keys(key: &[u8]) -> Vec<Key> {
    Kernel::available().map(|kernel| Key::with_kernel(key, kernel).expect("an available kernel")).collect()
}

/// Seal into a separate buffer that begins `offset` bytes after a boundary of 64.
pub fn seal(key: &Key, nonce: &[u8], ad: &[u8], text: &[u8], offset: usize, stores: Stores) -> (Vec<u8>, [u8; 16]) {
    let mut room = vec![0xa5u8; text.len() + 192];
    let start = room.as_ptr().align_offset(64) + offset;
    let tag = key
        .seal(nonce, ad, Buffers::separate(text, &mut room[start..start + text.len()]).expect("equal lengths"), stores)
        .expect("valid arguments");
    assert!(
        room[..start].iter().chain(&room[start + text.len()..]).all(|&byte| byte == 0xa5),
        "writes only the output"
    );
    (room[start..start + text.len()].to_vec(), tag)
}

//! What RustCrypto makes of a message, and the engines that must make the same.

use super::any_nonce::GCM;
use aes_gcm::AesGcm as Oracle;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use parsplit::Schedule;
use parsplit::one_message::{
    AesGcm, ChaCha20Poly1305, ChaChaKey, GcmKey, LibraryGcm, LibraryGcmKey, OneMessage, SegmentedKey,
};

/// Pseudo-random bytes.
pub fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// AES-GCM of RustCrypto for all lengths of key, and nonces of 12 and 16 bytes: ciphertext and tag.
pub fn gcm(key: &[u8], nonce: &[u8], ad: &[u8], text: &[u8]) -> Vec<u8> {
    macro_rules! seal {
        ($aes:ty, $nonce:ty) => {
            Oracle::<$aes, $nonce>::new_from_slice(key)
                .unwrap()
                .encrypt(nonce.try_into().unwrap(), Payload { msg: text, aad: ad })
                .unwrap()
        };
    }
    match (key.len(), nonce.len()) {
        (16, 12) => seal!(Aes128, U12),
        (24, 12) => seal!(Aes192, U12),
        (32, 12) => seal!(Aes256, U12),
        (16, 16) => seal!(Aes128, U16),
        (24, 16) => seal!(Aes192, U16),
        (32, 16) => seal!(Aes256, U16),
        lengths => panic!("no oracle for {lengths:?}"),
    }
}

/// ChaCha20-Poly1305 of RustCrypto.
pub fn chacha(key: &[u8], nonce: &[u8], ad: &[u8], text: &[u8]) -> Vec<u8> {
    let cipher = chacha20poly1305::ChaCha20Poly1305::new_from_slice(key).unwrap();
    cipher.encrypt(nonce.try_into().unwrap(), Payload { msg: text, aad: ad }).unwrap()
}

/// A message with the bytes that every implementation makes of it.
pub struct Expected {
    pub nonce: Vec<u8>,
    pub ad: Vec<u8>,
    pub text: Vec<u8>,
    pub sealed: Vec<u8>,
}

impl Expected {
    pub fn tag(&self) -> [u8; 16] {
        self.sealed[self.text.len()..].try_into().unwrap()
    }

    pub fn ciphertext(&self) -> &[u8] {
        &self.sealed[..self.text.len()]
    }
}

/// An engine under test, with the oracle of its messages.
pub trait Engine {
    fn seal(&self, expected: &Expected, in_place: bool) -> (Vec<u8>, [u8; 16]);
    fn open(&self, expected: &Expected, in_place: bool) -> parsplit::Result<Vec<u8>>;
}

impl<K: SegmentedKey> Engine for OneMessage<K> {
    fn seal(&self, expected: &Expected, in_place: bool) -> (Vec<u8>, [u8; 16]) {
        let Expected { nonce, ad, text, .. } = expected;
        let mut output = if in_place { text.clone() } else { vec![0xee; text.len()] };
        let tag = if in_place {
            self.seal_in_place(nonce, ad, &mut output)
        } else {
            OneMessage::seal(self, nonce, ad, text, &mut output)
        };
        (output, tag.unwrap())
    }

    fn open(&self, expected: &Expected, in_place: bool) -> parsplit::Result<Vec<u8>> {
        let Expected { nonce, ad, text, .. } = expected;
        let mut output = if in_place { expected.ciphertext().to_vec() } else { vec![0xee; text.len()] };
        let opened = if in_place {
            self.open_in_place(nonce, ad, &mut output, &expected.tag())
        } else {
            OneMessage::open(self, nonce, ad, expected.ciphertext(), &expected.tag(), &mut output)
        };
        assert!(opened.is_ok() || output.iter().all(|&byte| byte == 0), "the output is not wiped");
        opened.map(|()| output)
    }
}

pub type Oracles = fn(&[u8], &[u8], &[u8], &[u8]) -> Vec<u8>;

/// The name of an engine, the engine, its oracle and the lengths of its nonces.
pub type Tested = (&'static str, Box<dyn Engine>, Oracles, &'static [usize]);

/// Engines for a key, each with its oracle and the lengths of its nonces.
pub fn engines(key: &[u8], threads: usize, schedule: Schedule, segment: usize) -> Vec<Tested> {
    fn configured<K: SegmentedKey>(key: K, threads: usize, schedule: Schedule, segment: usize) -> OneMessage<K> {
        let engine = OneMessage::new(key, threads, schedule).unwrap().serial_below(0);
        engine.segment_bytes(segment).unwrap().streaming_from(100_000)
    }
    let own: AesGcm = configured(GcmKey::new(key).unwrap(), threads, schedule, segment);
    let mut engines: Vec<Tested> = vec![("own AES-GCM", Box::new(own), gcm, &[12, 16])];
    if key.len() == 32 {
        let library: LibraryGcm = configured(LibraryGcmKey::new(&GCM, key).unwrap(), threads, schedule, segment);
        engines.push(("a library's AES-GCM", Box::new(library), gcm, &[12, 16]));
        let own: ChaCha20Poly1305 = configured(ChaChaKey::new(key).unwrap(), threads, schedule, segment);
        engines.push(("own ChaCha20-Poly1305", Box::new(own), chacha, &[12]));
    }
    engines
}

/// Return a message for a seed and lengths.
pub fn message(oracle: Oracles, key: &[u8], seed: u64, nonce: usize, ad: usize, text: usize) -> Expected {
    let (nonce, ad, text) = (bytes(seed, nonce), bytes(seed + 1, ad), bytes(seed + 2, text));
    let sealed = oracle(key, &nonce, &ad, &text);
    Expected { nonce, ad, text, sealed }
}

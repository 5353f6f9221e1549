//! Types of the crate `aead` give the bytes of a descriptor that was written by hand, and of the standard.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "double/mod.rs"]
mod double;

use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{Aead, AeadInOut, KeyInit, Payload};
use aes_gcm::aes::Aes256;
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use double::GCM;
use parsplit::one_message::{LibraryGcm, LibraryGcmKey};
use parsplit::{Error, ParSplit, Schedule};

fn seal(splitter: ParSplit, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut sealed = vec![0; splitter.layout(message.len()).unwrap().sealed_bytes()];
    let nonce = vec![9; splitter.nonce_bytes()];
    splitter.serial_below(0).key(key).unwrap().seal(&nonce, b"ad", message, &mut sealed).unwrap();
    sealed
}

#[test]
fn a_type_gives_the_bytes_of_a_descriptor() {
    let message: Vec<u8> = (0..100_007).map(|i| ((i * 7) >> 3) as u8).collect();
    for (name, schedule) in Schedule::ALL {
        for threads in [1, 3] {
            let of_type = ParSplit::of::<Aes256Gcm>(1000, threads, *schedule).unwrap();
            let of_descriptor = ParSplit::new(&GCM, 1000, threads, *schedule).unwrap();
            assert_eq!(seal(of_type, &[7; 32], &message), seal(of_descriptor, &[7; 32], &message), "{name}");
        }
    }
}

/// Seals and opens with a type, and opens a forgery.
fn round_trip<A: AeadInOut + KeyInit + Send>(lengths: (usize, usize)) {
    let splitter = ParSplit::of::<A>(64, 2, Schedule::DYNAMIC).unwrap();
    assert_eq!((splitter.key_bytes(), splitter.nonce_bytes()), lengths);
    let (key, message) = (vec![3; lengths.0], vec![5; 1001]);
    let mut sealed = seal(splitter, &key, &message);
    let (nonce, mut opened) = (vec![9; lengths.1], vec![0; message.len()]);
    let mut keyed = splitter.key(&key).unwrap();
    keyed.open(&nonce, b"ad", &sealed, &mut opened).unwrap();
    assert_eq!(opened, message);
    sealed[500] ^= 1;
    assert_eq!(keyed.open(&nonce, b"ad", &sealed, &mut opened), Err(Error::Authentication));
    assert!(opened.iter().all(|&byte| byte == 0));
    assert!(matches!(splitter.key(&key[1..]), Err(Error::Length { .. })));
}

#[test]
fn types_of_all_lengths_seal_and_open() {
    round_trip::<Aes128Gcm>((16, 7));
    round_trip::<Aes256Gcm>((32, 7));
    round_trip::<AesGcm<Aes256, U16>>((32, 11));
    round_trip::<ChaCha20Poly1305>((32, 7));
    round_trip::<XChaCha20Poly1305>((32, 19));
}

#[test]
fn a_gcm_with_nonces_of_16_bytes_makes_one_standard_message() {
    let key = LibraryGcmKey::of::<AesGcm<Aes256, U16>>(&[7; 32]).unwrap();
    let cipher = LibraryGcm::new(key, 2, Schedule::DYNAMIC).unwrap().serial_below(0);
    let standard = Aes256Gcm::new(&[7; 32].into());
    for bytes in [0, 1, 1000, 300_001] {
        let message = vec![5; bytes];
        let mut output = vec![0; bytes];
        let tag = cipher.seal(&[1; 12], b"ad", &message, &mut output).unwrap();
        let nonce: aes_gcm::Nonce<U12> = [1; 12].into();
        let expected = standard.encrypt(&nonce, Payload { msg: &message, aad: b"ad" }).unwrap();
        assert_eq!([output, tag.to_vec()].concat(), expected);
        let mut opened = vec![0; bytes];
        cipher.open(&[1; 12], b"ad", &expected[..bytes], &tag, &mut opened).unwrap();
        assert_eq!(opened, message);
    }
}

#[test]
fn other_types_are_no_gcm_of_one_message() {
    let refused = |failed: parsplit::Result<LibraryGcmKey>| failed.map(|_| ()).unwrap_err().to_string();
    assert!(refused(LibraryGcmKey::of::<Aes256Gcm>(&[1; 32])).contains("takes nonces of 16 bytes"));
    assert!(refused(LibraryGcmKey::of::<ChaCha20Poly1305>(&[1; 32])).contains("takes nonces of 16 bytes"));
}

//! Whole messages: known answers, agreement with RustCrypto for every kernel, and rejection of changes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where it panics")]

mod common;

use aeadlab_gcm::{Buffers, Error, Kernel, Key, MAX_MESSAGE_BYTES, Stores};
use common::{KEY_LENGTHS, Random, STORES, keys, reference, seal};

/// Decode hexadecimal digits.
fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

const TEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
                    b16aedf5aa0de657ba637b39";
const AD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";

#[test]
fn known_answers_of_the_specification() {
    // McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B, test cases 4, 5, 6, 16 and 18.
    let key = "feffe9928665731c6d6a8f9467308308";
    let long = format!("{key}{key}");
    let nonces = [
        "cafebabefacedbaddecaf888",
        "cafebabefacedbad",
        "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57\
         a637b39b",
    ];
    let tags = [
        (key, 0, "5bc94fbc3221a5db94fae95ae7121a47"),
        (key, 1, "3612d2e79e3b0785561be14aaca2fccb"),
        (key, 2, "619cc5aefffe0bfa462af43c1699d050"),
        (long.as_str(), 0, "76fc6ece0f4e1768cddf8853bb2d551b"),
        (long.as_str(), 2, "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"),
    ];
    for (key, nonce, tag) in tags {
        for key in keys(&hex(key)) {
            let (_, computed) = seal(&key, &hex(nonces[nonce]), &hex(AD), &hex(TEXT), 0, Stores::Regular);
            assert_eq!(computed.to_vec(), hex(tag), "{key:?}, nonce {nonce}");
        }
    }
}

#[test]
fn equals_rustcrypto_at_every_short_length() {
    let mut random = Random::new(1);
    for length in KEY_LENGTHS {
        let bytes = random.bytes(length);
        let keys = keys(&bytes);
        let text = random.bytes(1100);
        let ad = random.bytes(70);
        for size in (0..=600).chain((767..=1100).step_by(3)) {
            let nonce = random.bytes(12).try_into().unwrap();
            let ad = &ad[..size % 71];
            let (ciphertext, tag) = reference(&bytes, &nonce, ad, &text[..size]);
            for key in &keys {
                let sealed = seal(key, &nonce, ad, &text[..size], size % 64, STORES[size % 2]);
                assert_eq!(sealed, (ciphertext.clone(), tag), "{key:?}, {size} bytes");
                let mut buffer = ciphertext.clone();
                key.open(&nonce, ad, Buffers::in_place(&mut buffer), &tag, Stores::Regular).unwrap();
                assert_eq!(buffer, text[..size], "{key:?}, {size} bytes, opened in place");
            }
        }
    }
}

#[test]
fn equals_rustcrypto_around_edges_with_both_stores() {
    let mut random = Random::new(2);
    for length in KEY_LENGTHS {
        let bytes = random.bytes(length);
        for edge in [16usize, 64, 256, 512, 768, 1024, 2048, 4096, 8192, 65536] {
            for size in [edge - 1, edge, edge + 1, edge + random.below(edge)] {
                let (text, nonce) = (random.bytes(size), random.bytes(12).try_into().unwrap());
                let (ciphertext, tag) = reference(&bytes, &nonce, b"ad", &text);
                for key in keys(&bytes) {
                    for stores in STORES {
                        let offset = random.below(64);
                        assert_eq!(seal(&key, &nonce, b"ad", &text, offset, stores), (ciphertext.clone(), tag));
                        let mut opened = vec![0; size];
                        let pair = Buffers::separate(&ciphertext, &mut opened).unwrap();
                        key.open(&nonce, b"ad", pair, &tag, stores).unwrap();
                        assert_eq!(opened, text, "{key:?}, {size} bytes, {stores:?}");
                        let mut in_place = text.clone();
                        let sealed = key.seal(&nonce, b"ad", Buffers::in_place(&mut in_place), stores).unwrap();
                        assert_eq!((&in_place, sealed), (&ciphertext, tag));
                    }
                }
            }
        }
    }
}

#[test]
fn every_changed_bit_is_rejected_and_the_output_wiped() {
    let mut random = Random::new(3);
    let (nonce, ad, text) = (random.bytes(12), random.bytes(21), random.bytes(83));
    for key in keys(&random.bytes(32)) {
        let (ciphertext, tag) = seal(&key, &nonce, &ad, &text, 0, Stores::Regular);
        let parts = [&nonce[..], &ad[..], &ciphertext[..], &tag[..]];
        for part in 0..parts.len() {
            for bit in 0..8 * parts[part].len() {
                let mut changed = parts.map(<[u8]>::to_vec);
                changed[part][bit / 8] ^= 1 << (bit % 8);
                let [nonce, ad, ciphertext, tag] = &changed;
                let tag: &[u8; 16] = tag[..].try_into().unwrap();
                let mut output = vec![0xa5; text.len()];
                let pair = Buffers::separate(ciphertext, &mut output).unwrap();
                assert_eq!(key.open(nonce, ad, pair, tag, Stores::Regular), Err(Error::Authentication));
                assert!(output.iter().all(|&byte| byte == 0), "{key:?}, part {part}, bit {bit}");
                let mut in_place = ciphertext.clone();
                let pair = Buffers::in_place(&mut in_place);
                assert_eq!(key.open(nonce, ad, pair, tag, Stores::Regular), Err(Error::Authentication));
                assert!(in_place.iter().all(|&byte| byte == 0), "{key:?}, part {part}, bit {bit}, in place");
            }
        }
    }
}

#[test]
fn lengths_are_checked_before_any_work() {
    assert_eq!(Key::new(&[0; 17]).err(), Some(Error::KeyLength(17)));
    let key = Key::new(&[0; 32]).unwrap();
    let nothing = Buffers::in_place(&mut []);
    assert_eq!(key.seal(&[], b"", nothing, Stores::Regular), Err(Error::EmptyNonce));
    assert!(matches!(Buffers::separate(&[0; 3], &mut [0; 4]), Err(Error::BufferLength { input: 3, output: 4 })));
    let bytes = usize::try_from(MAX_MESSAGE_BYTES + 1).unwrap();
    // SAFETY: the call returns before it accesses the memory.
    let long = unsafe { Buffers::from_raw(std::ptr::null(), std::ptr::null_mut(), bytes) };
    assert_eq!(key.seal(&[0; 12], b"", long, Stores::Regular), Err(Error::MessageLength(MAX_MESSAGE_BYTES + 1)));
}

#[test]
fn kernels_have_names_and_the_fastest_is_available() {
    let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
    assert_eq!(names.last(), Some(&"portable"));
    assert_eq!(Key::new(&[1; 16]).unwrap().kernel().name(), names[0]);
    assert_eq!(format!("{:?}", Key::with_kernel(&[1; 16], Kernel::Portable).unwrap()), "Key { kernel: Portable, .. }");
    if !Kernel::Armv8.is_available() {
        assert_eq!(Key::with_kernel(&[1; 16], Kernel::Armv8).err(), Some(Error::Kernel(Kernel::Armv8)));
    }
}

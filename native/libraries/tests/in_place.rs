//! What a linked library says it can do in place gives the same in place as it does apart, and opens again.

#![allow(clippy::unwrap_used)]

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_libraries::{Entry, linked};
use std::ffi::c_void;
use std::ptr;

const LENGTHS: [usize; 14] = [0, 1, 15, 16, 17, 63, 64, 65, 127, 255, 256, 1024, 4101, 65536];
const AD: [u8; 21] = [7; 21];

struct Context(&'static Algorithm, *mut c_void);

impl Context {
    fn new(algorithm: &'static Algorithm) -> Self {
        // No two halves alike, which XTS would refuse.
        let key: Vec<u8> = (0..algorithm.key_bytes as u8).collect();
        let mut raw = ptr::null_mut();
        // SAFETY: the key has the algorithm's length.
        let status = unsafe { algorithm.key_new.unwrap()(algorithm, key.as_ptr(), key.len(), &raw mut raw) };
        assert_eq!(status, abi::OK);
        Self(algorithm, raw)
    }

    /// Seals or encrypts `input`, or opens or decrypts it, into `output`, which may be the same.
    fn run(&self, forward: bool, input: *const u8, bytes: usize, output: *mut u8, tag: &mut [u8]) -> i32 {
        let Self(algorithm, raw) = *self;
        let nonce = vec![9; algorithm.nonce_bytes as usize];
        let (n, n_bytes, tag) = (nonce.as_ptr(), nonce.len(), tag.as_mut_ptr());
        // SAFETY: all lengths are those of the memory, and the algorithm allows equal buffers.
        unsafe {
            match (algorithm.kind, forward) {
                (abi::AEAD, true) => {
                    algorithm.seal.unwrap()(raw, n, n_bytes, AD.as_ptr(), AD.len(), input, bytes, output, tag)
                }
                (abi::AEAD, false) => {
                    algorithm.open.unwrap()(raw, n, n_bytes, AD.as_ptr(), AD.len(), input, bytes, output, tag)
                }
                (_, true) => algorithm.encrypt.unwrap()(raw, n, n_bytes, input, bytes, output),
                (_, false) => algorithm.decrypt.unwrap()(raw, n, n_bytes, input, bytes, output),
            }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by `key_new`, freed once.
        unsafe { self.0.key_free.unwrap()(self.1) }
    }
}

fn check(entry: &Entry) {
    let algorithm = entry.algorithm;
    let context = Context::new(algorithm);
    let block = algorithm.block_bytes as usize;
    for length in LENGTHS.map(|length| length - length % block) {
        let what = format!("{}/{} with {length} bytes", entry.library, entry.name);
        let message: Vec<u8> = (0..length).map(|i| (i * 31) as u8).collect();
        let (mut apart, mut together) = (vec![0; length], message.clone());
        let mut tags = [[0; 64]; 2];
        let status = context.run(true, message.as_ptr(), length, apart.as_mut_ptr(), &mut tags[0]);
        if status == abi::BAD_ARGUMENT {
            // XTS takes no less than a block.
            continue;
        }
        assert_eq!(status, abi::OK, "{what}");
        let place = together.as_mut_ptr();
        assert_eq!(context.run(true, place, length, place, &mut tags[1]), abi::OK, "{what}");
        assert!(apart == together, "{what}: another ciphertext in place");
        assert_eq!(tags[0], tags[1], "{what}: another tag in place");
        assert_eq!(context.run(false, place, length, place, &mut tags[1]), abi::OK, "{what}");
        assert!(message == together, "{what}: another message came back");
    }
}

#[test]
fn in_place_is_the_same_as_apart() {
    let mut checked = 0;
    for library in linked() {
        for entry in library.entries().unwrap() {
            let algorithm = entry.algorithm;
            if algorithm.has(abi::IN_PLACE) && matches!(algorithm.kind, abi::AEAD | abi::CIPHER) {
                check(&entry);
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
}

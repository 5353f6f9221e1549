//! Linked algorithms with the flag `IN_PLACE` compute the same in place as with a separate output.

use crate::context::Context;
use aeadlab_abi as abi;
use aeadlab_libraries::{Entry, linked};

const LENGTHS: [usize; 14] = [0, 1, 15, 16, 17, 63, 64, 65, 127, 255, 256, 1024, 4101, 65536];
const AD: [u8; 21] = [7; 21];

/// Seal or encrypt `input` (`forward`), or open or decrypt it, into `output`, which may be the same memory.
fn run(context: &Context, forward: bool, input: *const u8, bytes: usize, output: *mut u8, tag: &mut [u8]) -> i32 {
    let (algorithm, raw) = (context.algorithm, context.raw);
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

fn check(entry: &Entry) {
    let algorithm = entry.algorithm;
    // XTS rejects a key of two equal halves.
    let key: Vec<u8> = (0..algorithm.key_bytes as u8).collect();
    let context = Context::new(algorithm, &key);
    let block = algorithm.block_bytes as usize;
    for length in LENGTHS.map(|length| length - length % block) {
        let case = format!("{}/{} with {length} bytes", entry.library, entry.name);
        let message: Vec<u8> = (0..length).map(|i| (i * 31) as u8).collect();
        let (mut separate, mut in_place) = (vec![0; length], message.clone());
        let mut tags = [[0; 64]; 2];
        let status = run(&context, true, message.as_ptr(), length, separate.as_mut_ptr(), &mut tags[0]);
        if status == abi::BAD_ARGUMENT {
            // XTS rejects messages shorter than a block.
            continue;
        }
        assert_eq!(status, abi::OK, "{case}");
        let buffer = in_place.as_mut_ptr();
        assert_eq!(run(&context, true, buffer, length, buffer, &mut tags[1]), abi::OK, "{case}");
        assert!(separate == in_place, "{case}: the ciphertext differs in place");
        assert_eq!(tags[0], tags[1], "{case}: the tag differs in place");
        assert_eq!(run(&context, false, buffer, length, buffer, &mut tags[1]), abi::OK, "{case}");
        assert!(message == in_place, "{case}: the round trip changes the message");
    }
}

#[test]
fn in_place_equals_separate_buffers() {
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

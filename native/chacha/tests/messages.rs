//! Whole messages and segments against RustCrypto's ChaCha20-Poly1305.
#![allow(clippy::unwrap_used)]

mod common;

use aeadlab_chacha::{Error, InOutBuf, Kernel, Key, MAX_LENGTH, Partial};
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use common::{Numbers, kernels};

/// The ciphertext and tag of RustCrypto.
fn expected(key: &[u8; 32], nonce: &[u8; 12], associated: &[u8], message: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let payload = Payload { msg: message, aad: associated };
    let mut sealed = ChaCha20Poly1305::new(key.into()).encrypt(nonce.into(), payload).unwrap();
    let tag = sealed.split_off(message.len()).try_into().unwrap();
    (sealed, tag)
}

fn check(numbers: &mut Numbers, associated: usize, length: usize) {
    let (key, nonce) = (numbers.array(), numbers.array());
    let (associated, message) = (numbers.bytes(associated), numbers.bytes(length));
    let (ciphertext, tag) = expected(&key, &nonce, &associated, &message);
    for kernel in kernels() {
        let key = Key::with_kernel(&key, kernel).unwrap();
        let mut buffer = vec![0xaa; length + 2];
        let (edges, output) = (buffer.len() - 1, 1..=length);
        let separate = InOutBuf::new(&message, &mut buffer[output.clone()]).unwrap();
        assert_eq!(key.seal(&nonce, &associated, separate), Ok(tag), "{kernel:?} {length}");
        assert_eq!(buffer[output.clone()], ciphertext, "{kernel:?} {length}");
        assert_eq!((buffer[0], buffer[edges]), (0xaa, 0xaa));

        let mut opened = vec![0; length];
        let separate = InOutBuf::new(&ciphertext, &mut opened).unwrap();
        assert_eq!(key.open(&nonce, &associated, separate, &tag), Ok(()));
        assert_eq!(opened, message, "{kernel:?} {length}");

        let in_place = InOutBuf::from(&mut buffer[output.clone()]);
        assert_eq!(key.open(&nonce, &associated, in_place, &tag), Ok(()));
        assert_eq!(buffer[output], message, "{kernel:?} {length}");
    }
}

#[test]
fn all_short_lengths_equal_rustcrypto() {
    let mut numbers = Numbers(11);
    for length in 0..=1100 {
        let associated = numbers.below(40) as usize;
        check(&mut numbers, associated, length);
    }
}

#[test]
fn lengths_around_every_edge_equal_rustcrypto() {
    let mut numbers = Numbers(12);
    for edge in [2048, 4096, 8192, 8192 + 512, 8192 + 1024, 16384, 24576, 65536] {
        for around in -3..=3 {
            for step in [1, 16, 64] {
                let associated = numbers.below(200) as usize;
                check(&mut numbers, associated, (edge + around * step) as usize);
            }
        }
    }
    for _ in 0..50 {
        let length = numbers.below(50_000) as usize;
        let associated = numbers.below(3000) as usize;
        check(&mut numbers, associated, length);
    }
    check(&mut numbers, 70_001, 1_000_003);
}

/// A message cut at random multiples of 16 bytes: offset and length of each segment.
fn cuts(numbers: &mut Numbers, length: usize) -> Vec<(usize, usize)> {
    let blocks = length as u64 / 16;
    let mut edges: Vec<usize> =
        (0..numbers.below(6)).map(|_| 16 * numbers.below(blocks + 1) as usize).chain([0, length]).collect();
    edges.sort_unstable();
    edges.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect()
}

#[test]
fn segments_in_any_order_give_the_standard_message() {
    let mut numbers = Numbers(13);
    for round in 0..300 {
        let length = numbers.below(if round % 10 == 0 { 40_000 } else { 1500 }) as usize;
        let (key, nonce, associated) = (numbers.array(), numbers.array(), numbers.bytes(round % 37));
        let message = numbers.bytes(length);
        let (ciphertext, tag) = expected(&key, &nonce, &associated, &message);
        for kernel in kernels() {
            let sealer = Key::with_kernel(&key, kernel).unwrap().message(&nonce);
            let mut segments = cuts(&mut numbers, length);
            for index in (1..segments.len()).rev() {
                segments.swap(index, numbers.below(index as u64 + 1) as usize);
            }
            let mut output = message.clone();
            let mut sum = sealer.sum(&associated, length as u64).unwrap();
            let mut opening = sealer.sum(&associated, length as u64).unwrap();
            for (offset, part) in segments {
                let range = offset..offset + part;
                let value = sealer.encrypt(offset as u64, InOutBuf::from(&mut output[range.clone()])).unwrap();
                assert_eq!(value.to_bytes(), sealer.hash(&output[range.clone()]).to_bytes());
                let sent = Partial::from_bytes(&value.to_bytes()).unwrap();
                sum.add(offset as u64, part as u64, &sent).unwrap();

                let mut plain = vec![0; part];
                let both = InOutBuf::new(&output[range.clone()], &mut plain).unwrap();
                let value = sealer.decrypt(offset as u64, both).unwrap();
                assert_eq!(plain, message[range]);
                opening.add(offset as u64, part as u64, &value).unwrap();
            }
            assert_eq!(output, ciphertext, "{kernel:?} {length}");
            assert_eq!(sum.tag(), Ok(tag), "{kernel:?} {length}");
            assert_eq!(opening.verify(&tag), Ok(()));
        }
    }
}

#[test]
fn every_flipped_bit_is_rejected_and_the_output_wiped() {
    let mut numbers = Numbers(14);
    let (key, nonce): ([u8; 32], [u8; 12]) = (numbers.array(), numbers.array());
    let (associated, message) = (numbers.bytes(13), numbers.bytes(75));
    let (ciphertext, tag) = expected(&key, &nonce, &associated, &message);
    for kernel in kernels() {
        let key = Key::with_kernel(&key, kernel).unwrap();
        let fails = |nonce: &[u8; 12], associated: &[u8], ciphertext: &[u8], tag: &[u8; 16]| {
            let mut output = vec![0xaa; ciphertext.len()];
            let both = InOutBuf::new(ciphertext, &mut output).unwrap();
            assert_eq!(key.open(nonce, associated, both, tag), Err(Error::Authentication));
            assert!(output.iter().all(|&byte| byte == 0), "{kernel:?}: separate output not wiped");
            let mut output = ciphertext.to_vec();
            let both = InOutBuf::from(output.as_mut_slice());
            assert_eq!(key.open(nonce, associated, both, tag), Err(Error::Authentication));
            assert!(output.iter().all(|&byte| byte == 0), "{kernel:?}: output in place not wiped");
        };
        let flipped = |bytes: &[u8], bit: usize| {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        for bit in 0..8 * ciphertext.len() {
            fails(&nonce, &associated, &flipped(&ciphertext, bit), &tag);
        }
        for bit in 0..8 * associated.len() {
            fails(&nonce, &flipped(&associated, bit), &ciphertext, &tag);
        }
        for bit in 0..8 * tag.len() {
            fails(&nonce, &associated, &ciphertext, &flipped(&tag, bit).try_into().unwrap());
        }
        for bit in 0..8 * nonce.len() {
            fails(&flipped(&nonce, bit).try_into().unwrap(), &associated, &ciphertext, &tag);
        }
        fails(&nonce, &[], &ciphertext, &tag);
        fails(&nonce, &associated, &ciphertext[1..], &tag);
        fails(&nonce, &associated, &[&ciphertext[..], &[0]].concat(), &tag);
    }
}

#[test]
fn the_last_blocks_of_the_longest_message_are_the_same_with_every_kernel() {
    let mut numbers = Numbers(15);
    let (key, nonce) = (numbers.array(), numbers.array());
    let message = numbers.bytes(5100);
    for length in [1, 16, 64, 65, 256, 1000, 1024, 2048, 4999] {
        // A segment starts at a multiple of 16.
        let offset = (MAX_LENGTH - length) / 16 * 16;
        let length = (MAX_LENGTH - offset) as usize;
        let outputs: Vec<Vec<u8>> = kernels()
            .map(|kernel| {
                let mut output = message[..length].to_vec();
                let message = Key::with_kernel(&key, kernel).unwrap().message(&nonce);
                message.encrypt(offset, InOutBuf::from(output.as_mut_slice())).unwrap();
                output
            })
            .collect();
        assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]), "{length}");
        let last = keystream_block(&key, &nonce, u32::MAX);
        let from = length.saturating_sub(64);
        let tail: Vec<u8> =
            message[from..length].iter().zip(&last[64 - (length - from)..]).map(|(a, b)| a ^ b).collect();
        assert_eq!(outputs[0][from..], tail, "{length}");
    }
}

/// One block of ChaCha20, word by word as in RFC 8439, section 2.3.
fn keystream_block(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> [u8; 64] {
    let bytes = [&b"expand 32-byte k"[..], key, &counter.to_le_bytes(), nonce].concat();
    let start: Vec<u32> = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut state = start.clone();
    for round in 0..20 {
        for column in 0..4 {
            let shift = round % 2;
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| 4 * row + (column + row * shift) % 4);
            for (first, second, third, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                state[first] = state[first].wrapping_add(state[second]);
                state[third] = (state[third] ^ state[first]).rotate_left(bits);
            }
        }
    }
    let words = state.iter().zip(&start).map(|(a, b)| a.wrapping_add(*b).to_le_bytes());
    words.collect::<Vec<_>>().concat().try_into().unwrap()
}

#[test]
fn segments_beyond_the_limit_or_off_the_block_are_errors_before_any_output() {
    let message = Key::new(&[1; 32]).message(&[2; 12]);
    let mut output = [0xaa; 64];
    let mut encrypt = |offset, length| {
        let error = message.encrypt(offset, InOutBuf::from(&mut output[..length])).map(|_| ());
        assert_eq!(output, [0xaa; 64]);
        error
    };
    assert_eq!(encrypt(MAX_LENGTH - 48, 64), Err(Error::TooLong { length: MAX_LENGTH + 16 }));
    assert_eq!(encrypt(u64::MAX - 15, 64), Err(Error::TooLong { length: u64::MAX }));
    for offset in [1, 8, 15, 17, 65] {
        assert_eq!(encrypt(offset, 64), Err(Error::Alignment { offset }));
    }
    assert_eq!(message.sum(&[], MAX_LENGTH + 1).map(|_| ()), Err(Error::TooLong { length: MAX_LENGTH + 1 }));
    assert!(message.sum(&[], MAX_LENGTH).is_ok());
}

#[test]
fn a_sum_rejects_segments_that_do_not_fit() {
    let message = Key::new(&[1; 32]).message(&[2; 12]);
    let value = Partial::default();
    let sum = || message.sum(b"header", 100).unwrap();
    assert_eq!(sum().add(96, 16, &value), Err(Error::Range { end: 112, length: 100 }));
    assert_eq!(sum().add(u64::MAX, 2, &value), Err(Error::Range { end: u64::MAX, length: 100 }));
    assert_eq!(sum().add(8, 8, &value), Err(Error::Alignment { offset: 8 }));
    assert_eq!(sum().add(0, 20, &value), Err(Error::Alignment { offset: 20 }));
    let mut repeated = sum();
    assert_eq!(repeated.add(0, 64, &value), Ok(()));
    assert_eq!(repeated.add(0, 64, &value), Err(Error::Coverage { added: 128, length: 100 }));
    assert_eq!(repeated.tag(), Err(Error::Coverage { added: 64, length: 100 }));
}

#[test]
fn threads_share_a_message() {
    let mut numbers = Numbers(16);
    let (key, nonce) = (numbers.array(), numbers.array());
    let plain = numbers.bytes(100_003);
    let (ciphertext, tag) = expected(&key, &nonce, &[], &plain);
    let message = Key::new(&key).message(&nonce);
    let mut output = plain.clone();
    let values: Vec<(usize, usize, Partial)> = std::thread::scope(|scope| {
        let threads: Vec<_> = output
            .chunks_mut(8192)
            .enumerate()
            .map(|(index, part)| {
                let message = &message;
                scope.spawn(move || {
                    let length = part.len();
                    (8192 * index, length, message.encrypt(8192 * index as u64, InOutBuf::from(part)).unwrap())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut sum = message.sum(&[], plain.len() as u64).unwrap();
    values.iter().for_each(|(offset, length, value)| sum.add(*offset as u64, *length as u64, value).unwrap());
    assert_eq!(sum.tag(), Ok(tag));
    assert_eq!(output, ciphertext);
}

#[test]
fn keys_are_not_printed() {
    let key = Key::with_kernel(&[0x42; 32], Kernel::Portable).unwrap();
    assert_eq!(format!("{key:?}"), "Key { kernel: Portable, .. }");
    assert_eq!(format!("{:?}", key.message(&[0; 12])), "Message { poly: Poly { kernel: Portable, .. }, .. }");
}

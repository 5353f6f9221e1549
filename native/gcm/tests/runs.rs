//! Runs of messages equal single messages, at any distances in memory, and are opened all or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where it panics")]

mod common;

use aeadlab_gcm::{Buffers, Error, Key, MAX_MESSAGE_BYTES, Places, Run, Stores, TAG_BYTES};
use common::{Random, STORES, keys, seal};

/// Lengths of messages around the strides of all kernels (128, 256 and 512 bytes) and multiples of them.
const SIZES: [usize; 20] =
    [1, 16, 100, 127, 128, 129, 255, 256, 257, 384, 511, 512, 513, 768, 1024, 1040, 1536, 2048, 4096, 8192];
/// Numbers of messages around the 8, 16 and 32 whose counter blocks are encrypted together.
const NUMBERS: [usize; 11] = [1, 2, 3, 7, 8, 9, 31, 32, 33, 34, 65];

fn nonce(index: usize) -> [u8; 12] {
    let mut nonce = [0xab; 12];
    nonce[..8].copy_from_slice(&index.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    nonce
}

/// Return the ciphertext and the tags of single calls.
fn one_by_one(key: &Key, size: usize, ad: &[u8], text: &[u8]) -> (Vec<u8>, Vec<[u8; TAG_BYTES]>) {
    let (mut ciphertext, mut tags) = (Vec::new(), Vec::new());
    let mut messages: Vec<&[u8]> = text.chunks(size).collect();
    if messages.is_empty() {
        messages.push(&[]);
    }
    for (index, part) in messages.into_iter().enumerate() {
        let ad: &[u8] = if index == 0 { ad } else { &[] };
        let (sealed, tag) = seal(key, &nonce(index), ad, part, 0, Stores::Regular);
        ciphertext.extend(sealed);
        tags.push(tag);
    }
    (ciphertext, tags)
}

/// Seal and open a run in one buffer, and in another place where it is wanted.
fn check(key: &Key, size: usize, ad: &[u8], text: &[u8], stores: Stores) {
    let case = format!("{key:?}, {} bytes in messages of {size}, {stores:?}", text.len());
    let (ciphertext, tags) = one_by_one(key, size, ad, text);
    let run = Run { message_bytes: size, first_ad: ad, stores };
    assert_eq!(run.messages(text.len()), tags.len());
    // Aligned to 64 bytes, as streaming stores require.
    let mut room = vec![0xa5; text.len() + 128];
    let start = room.as_ptr().align_offset(64);
    let output = start..start + text.len();
    let mut sealed_tags = vec![[0; TAG_BYTES]; tags.len()];
    key.seal_many(&run, nonce, Buffers::separate(text, &mut room[output.clone()]).unwrap(), &mut sealed_tags).unwrap();
    assert!(room[output.clone()] == ciphertext && sealed_tags == tags, "{case}: seal");
    assert!(room[..start].iter().chain(&room[output.end..]).all(|&byte| byte == 0xa5), "{case}: writes elsewhere");
    room[output.clone()].fill(0);
    key.open_many(&run, nonce, Buffers::separate(&ciphertext, &mut room[output.clone()]).unwrap(), &tags).unwrap();
    assert!(room[output] == *text, "{case}: open");
    let mut in_place = text.to_vec();
    key.seal_many(&run, nonce, Buffers::in_place(&mut in_place), &mut sealed_tags).unwrap();
    assert!(in_place == ciphertext && sealed_tags == tags, "{case}: seal in place");
    key.open_many(&run, nonce, Buffers::in_place(&mut in_place), &tags).unwrap();
    assert!(in_place == text, "{case}: open in place");
}

#[test]
fn runs_equal_single_messages_for_all_lengths_and_numbers() {
    let mut random = Random::new(6);
    for key_bytes in [16, 24, 32] {
        for key in keys(&random.bytes(key_bytes)) {
            check(&key, 64, b"ad", &[], Stores::Regular);
            for (at, size) in SIZES.into_iter().enumerate() {
                for (number, messages) in NUMBERS.into_iter().enumerate() {
                    let last = [size, 1, size - size / 2][(at + number) % 3];
                    let (text, ad) = (random.bytes((messages - 1) * size + last), random.bytes((at + number) % 40));
                    check(&key, size, &ad, &text, STORES[number % 2]);
                }
            }
        }
    }
}

#[test]
fn messages_with_tags_between_them_equal_single_messages() {
    let mut random = Random::new(8);
    for key in keys(&random.bytes(32)) {
        for (size, gap) in [(512, 16), (1024, 64), (512, 0), (100, 16), (4096, 17)] {
            let (messages, last_bytes) = (35, size / 3);
            let text = random.bytes((messages - 1) * size + last_bytes);
            let (ciphertext, tags) = one_by_one(&key, size, b"header", &text);
            let step = size + TAG_BYTES + gap;
            let mut sealed = vec![0x5a; step * messages];
            let run = Run { message_bytes: size, first_ad: b"header", stores: Stores::Streaming };
            let places = Places {
                messages,
                last_bytes,
                input: text.as_ptr(),
                input_step: size,
                output: sealed.as_mut_ptr(),
                output_step: step,
                tags: sealed[size..].as_mut_ptr(),
                tag_step: step,
            };
            // SAFETY: both buffers have room for all messages; each tag follows a complete message.
            unsafe { key.seal_places(&run, nonce, &places) }.unwrap();
            for (index, message) in sealed.chunks(step).enumerate() {
                let bytes = if index + 1 == messages { last_bytes } else { size };
                assert!(message[..bytes] == ciphertext[index * size..][..bytes], "{key:?}, message {index} of {size}");
                assert_eq!(message[size..][..TAG_BYTES], tags[index], "{key:?}, tag {index} of {size}");
                let between = message[bytes..size].iter().chain(&message[size + TAG_BYTES..]);
                assert!(between.copied().all(|byte| byte == 0x5a), "{key:?}: writes between messages");
            }
            let mut opened = vec![0; text.len()];
            let places = Places {
                input: sealed.as_ptr(),
                input_step: step,
                output: opened.as_mut_ptr(),
                output_step: size,
                ..places
            };
            // SAFETY: as above.
            unsafe { key.open_places(&run, nonce, &places) }.unwrap();
            assert_eq!(opened, text);
        }
    }
}

#[test]
fn a_forged_tag_or_ciphertext_wipes_all_messages() {
    let mut random = Random::new(9);
    for key in keys(&random.bytes(32)) {
        for (size, total) in [(512, 512 * 40), (512, 512 * 33 + 7), (100, 1000)] {
            let text = random.bytes(total);
            let (ciphertext, tags) = one_by_one(&key, size, b"", &text);
            let run = Run { message_bytes: size, first_ad: b"", stores: Stores::Regular };
            for index in 0..tags.len() {
                for bit in [0, 127] {
                    let (mut forged_tags, mut forged) = (tags.clone(), ciphertext.clone());
                    forged_tags[index][bit / 8] ^= 1 << (bit % 8);
                    forged[index * size] ^= 1 << (bit % 8);
                    for (ciphertext, tags) in [(&ciphertext, &forged_tags), (&forged, &tags)] {
                        let mut opened = vec![0xa5; total];
                        let pair = Buffers::separate(ciphertext, &mut opened).unwrap();
                        assert_eq!(key.open_many(&run, nonce, pair, tags), Err(Error::Authentication));
                        assert!(opened.iter().all(|&byte| byte == 0), "{key:?}, message {index}: not wiped");
                    }
                }
            }
            let (mut opened, missing) = (vec![0; total], tags.len() - 1);
            let pair = Buffers::separate(&ciphertext, &mut opened).unwrap();
            let failed = key.open_many(&run, nonce, pair, &tags[..missing]);
            assert_eq!(failed, Err(Error::RunLength { messages: tags.len(), given: missing }));
        }
    }
}

#[test]
fn too_long_messages_are_rejected_before_any_work() {
    let key = Key::new(&[0; 32]).unwrap();
    let bytes = usize::try_from(MAX_MESSAGE_BYTES + 1).unwrap();
    // SAFETY: the call returns before it accesses the memory.
    let long = unsafe { Buffers::from_raw(std::ptr::null(), std::ptr::null_mut(), bytes) };
    let run = Run { message_bytes: bytes, first_ad: b"", stores: Stores::Regular };
    let failed = key.seal_many(&run, nonce, long, &mut [[0; TAG_BYTES]]);
    assert_eq!(failed, Err(Error::MessageLength(MAX_MESSAGE_BYTES + 1)));
}

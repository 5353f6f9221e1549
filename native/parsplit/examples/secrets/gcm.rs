//! Messages and segments of AES-GCM.

use super::{ASSOCIATED, LENGTHS, Leak, NONCE, leak, marks};
use aeadlab_gcm::{Buffers, Kernel, Key, Stores};

pub fn seal(planted: Option<Leak>) {
    for kernel in Kernel::available() {
        println!("aes-gcm {}", kernel.name());
        for (length, key_bytes) in LENGTHS.into_iter().flat_map(|length| [16, 24, 32].map(|bytes| (length, bytes))) {
            let (key, mut text, mut output) = (vec![7; key_bytes], vec![1; length], vec![0; length]);
            marks::secret(&key);
            marks::secret(&text);
            let key = Key::with_kernel(&key, kernel).unwrap();
            // A nonce that is not of 12 bytes is hashed.
            for nonce in [&NONCE[..], &NONCE[..5]] {
                let message = Buffers::separate(&text, &mut output).unwrap();
                let tag = key.seal(nonce, &ASSOCIATED, message, Stores::Streaming).unwrap();
                leak(planted, &output);

                let counter = key.counter_block(nonce).unwrap();
                let (first, second) = text.split_at_mut(length / 32 * 16);
                let (before, after) = (first.len() as u64 / 16, (second.len() as u64).div_ceil(16));
                let last = key.seal_segment(counter, before, Buffers::in_place(&mut *second), Stores::Regular).unwrap();
                let start = key.seal_segment(counter, 0, Buffers::in_place(&mut *first), Stores::Regular).unwrap();
                let hash = key.hash(&ASSOCIATED).unwrap() * key.power(before + after + 1)
                    + start * key.power(after + 1)
                    + last * key.power(1)
                    + Key::lengths(ASSOCIATED.len() as u64, length as u64) * key.power(1);
                let combined = key.tag(counter, hash);
                // Opening in place restores the text for the next nonce.
                key.open_segment(counter, 0, Buffers::in_place(&mut text), Stores::Regular).unwrap();

                // What follows compares and prints, as a receiver may.
                marks::public(&tag);
                marks::public(&combined);
                assert_eq!(tag, combined);
            }
        }
    }
}

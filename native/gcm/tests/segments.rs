//! Segments in any order make the standard's message, counters that wrap, and laws of the field.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where it panics")]

mod common;

use aeadlab_gcm::{Buffers, CounterBlock, Element, Key, Stores};
use common::{Random, STORES, keys, seal};

/// Seal a message in segments at these block offsets, the last first, and return ciphertext and tag.
fn in_segments(key: &Key, nonce: &[u8], ad: &[u8], text: &[u8], cuts: &[usize], open: bool) -> (Vec<u8>, [u8; 16]) {
    let counter = key.counter_block(nonce).unwrap();
    let blocks = text.len().div_ceil(16) as u64;
    let mut sum = key.hash(ad).unwrap() * key.power(blocks + 1);
    let mut output = vec![0; text.len()];
    for (number, pair) in cuts.windows(2).enumerate().rev() {
        let [start, end] = [pair[0], pair[1]].map(|block| (16 * block).min(text.len()));
        let segment = Buffers::separate(&text[start..end], &mut output[start..end]).unwrap();
        let stores = STORES[number % 2];
        let part = if open {
            key.open_segment(counter, pair[0] as u64, segment, stores).unwrap()
        } else {
            key.seal_segment(counter, pair[0] as u64, segment, stores).unwrap()
        };
        sum += part * key.power(blocks - (pair[1] as u64).min(blocks) + 1);
    }
    sum += Key::lengths(ad.len() as u64, text.len() as u64) * key.power(1);
    (output, key.tag(counter, sum))
}

#[test]
fn segments_in_any_division_equal_the_whole_message() {
    let mut random = Random::new(4);
    for key_bytes in [16, 32] {
        for key in keys(&random.bytes(key_bytes)) {
            for _ in 0..60 {
                let size = random.below(9000);
                let (nonce, ad, text) = (random.bytes(12), random.bytes(size % 40), random.bytes(size));
                let whole = seal(&key, &nonce, &ad, &text, 0, Stores::Regular);
                let blocks = size.div_ceil(16);
                let mut cuts: Vec<_> = (0..random.below(6)).map(|_| random.below(blocks + 1)).collect();
                cuts.extend([0, blocks]);
                cuts.sort_unstable();
                assert_eq!(in_segments(&key, &nonce, &ad, &text, &cuts, false), whole, "{key:?}, {size}, {cuts:?}");
                let opened = in_segments(&key, &nonce, &ad, &whole.0, &cuts, true);
                assert_eq!(opened.0, text);
            }
        }
    }
}

/// Return a nonce of 16 bytes whose counter block is the given one: its hash is solved for the nonce.
fn nonce_of(key: &Key, counter: CounterBlock) -> [u8; 16] {
    let inverse = key.power(1).inverse();
    let lengths = Key::lengths(0, 16);
    let wanted = Element::from_bytes(&counter.to_bytes());
    ((wanted * inverse + lengths) * inverse).to_bytes()
}

#[test]
fn counters_wrap_in_their_last_32_bits() {
    let mut random = Random::new(5);
    let bytes = random.bytes(32);
    let portable = Key::with_kernel(&bytes, aeadlab_gcm::Kernel::Portable).unwrap();
    for before in [0u32, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100] {
        let mut block: [u8; 16] = random.bytes(16).try_into().unwrap();
        block[12..].copy_from_slice(&(u32::MAX - before).to_be_bytes());
        let counter = CounterBlock::from_bytes(&block);
        let nonce = nonce_of(&portable, counter);
        let text = random.bytes(16 * 150 + 7);
        // Block by block: every counter is computed alone.
        let mut expected = Vec::new();
        for (index, part) in text.chunks(16).enumerate() {
            let mut output = vec![0; part.len()];
            let pair = Buffers::separate(part, &mut output).unwrap();
            portable.seal_segment(counter, index as u64, pair, Stores::Regular).unwrap();
            expected.extend(output);
        }
        assert_eq!(counter.after(u64::from(before) + 2).to_bytes()[12..], [0, 0, 0, 1]);
        for key in keys(&bytes) {
            assert_eq!(key.counter_block(&nonce).unwrap(), counter, "{key:?}");
            let (ciphertext, tag) = seal(&key, &nonce, b"", &text, 0, Stores::Regular);
            assert_eq!(ciphertext, expected, "{key:?}, {before} blocks before the wrap");
            assert_eq!(tag, seal(&portable, &nonce, b"", &text, 0, Stores::Regular).1);
        }
    }
}

#[test]
fn the_field_has_its_laws() {
    let mut random = Random::new(7);
    let mut element = || Element::from_bytes(&random.bytes(16).try_into().unwrap());
    for exponent in 0..50u64 {
        let (a, b, c) = (element(), element(), element());
        assert_eq!(a * b, b * a);
        assert_eq!(a * (b * c), (a * b) * c);
        assert_eq!(a * (b + c), a * b + a * c);
        assert_eq!(a * Element::ONE, a);
        assert_eq!(a * a.inverse(), Element::ONE);
        assert_eq!(a.square(), a * a);
        assert_eq!(a.power(exponent + 1), a.power(exponent) * a);
        assert_eq!(a.power(1 << 40 | exponent), a.power(1 << 40) * a.power(exponent));
    }
    assert_eq!(Element::ZERO.inverse(), Element::ZERO);
    assert_eq!(Element::ONE.power(0), Element::ONE);
}

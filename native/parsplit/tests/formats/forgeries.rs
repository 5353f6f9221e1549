//! Changed, truncated, spliced and extended files are rejected, and no unverified byte is returned.

use crate::double::{context, key, message, splitter};
use crate::readers::{READERS, lead, seal, split};
use parsplit::{Format, ParSplit};

/// All readers fail, and return only the beginning of the message.
fn assert_rejected(splitter: &ParSplit, format: &Format, text: &[u8], sealed: &[u8], change: &str) {
    for (name, open) in READERS {
        let opened = open(splitter, format, &key(format), context(format), sealed);
        assert!(opened.result.is_err(), "{} {name}: {change} was accepted", format.name);
        assert!(text.starts_with(&opened.plain), "{} {name}: {change} gave unverified bytes", format.name);
    }
}

/// The formats whose chunks can be short, so that a whole small file is changed.
fn small() -> impl Iterator<Item = &'static Format> {
    Format::ALL.iter().copied()
}

#[test]
fn every_bit_of_a_short_file_matters() {
    for format in small() {
        let (splitter, text) = (splitter(format, 32, 2), message(70));
        let sealed = seal(format, &splitter, &text, 100);
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_rejected(&splitter, format, &text, &changed, &format!("bit {bit}"));
        }
    }
}

#[test]
fn every_truncation_and_extension_of_a_short_file_is_rejected() {
    for format in small() {
        for bytes in [0, 70] {
            let (splitter, text) = (splitter(format, 32, 2), message(bytes));
            let sealed = seal(format, &splitter, &text, 100);
            for length in 0..sealed.len() {
                assert_rejected(&splitter, format, &text, &sealed[..length], &format!("truncation to {length}"));
            }
            for more in 1..80 {
                let longer = [&sealed[..], &vec![0; more]].concat();
                assert_rejected(&splitter, format, &text, &longer, &format!("{more} more bytes"));
            }
            assert_rejected(&splitter, format, &text, &[&sealed[..], &sealed].concat(), "the file twice");
        }
    }
}

/// Return the sealed chunks of a file, of which all but the first and the last have `size` bytes.
fn cut<'a>(format: &Format, body: &'a [u8], size: usize) -> Vec<&'a [u8]> {
    let (first, rest) = body.split_at(size - lead(format));
    [first].into_iter().chain(rest.chunks(size)).collect()
}

#[test]
fn chunks_are_bound_to_their_place_and_their_file() {
    for format in small() {
        let chunk = if format.chunk_bytes == 0 { 32 } else { format.chunk_bytes };
        let (splitter, text) = (splitter(format, chunk, 2), message(4 * chunk + 5));
        let [one, two] = [(); 2].map(|()| seal(format, &splitter, &text, 1 << 20));
        let (header, body) = split(format, &one).unwrap();
        let overhead = (body.len() - text.len()) / 5;
        assert_eq!(body.len(), text.len() + 5 * overhead);
        let chunks = cut(format, body, chunk + overhead);
        let (other_header, other) = split(format, &two).unwrap();
        let others = cut(format, other, chunk + overhead);
        let check = |parts: &[&[u8]], change: &str| {
            let changed = [&[header], parts].concat().concat();
            assert_rejected(&splitter, format, &text, &changed, change);
        };
        let [a, b, c, d, e] = chunks[..] else { panic!("five chunks expected") };
        check(&[b, a, c, d, e], "swap");
        check(&[a, b, d, c, e], "swap of later chunks");
        check(&[a, c, d, e], "drop");
        check(&[a, b, c, d], "drop of the last");
        check(&[a, b, c, e], "drop before the last");
        check(&[e], "the last alone");
        check(&[a, a, b, c, d, e], "repetition");
        check(&[a, b, c, d, e, e], "repetition of the last");
        check(&[a, b, c, d, e, a], "a chunk after the last");
        check(&[a, b, c, d, d, e], "repetition before the last");
        check(&[], "header alone");
        // Two files in raw mode with one key and nonce are equal, which its specification forbids.
        if !format.name.ends_with("-raw") {
            for i in 0..5 {
                let mut spliced = chunks.clone();
                spliced[i] = others[i];
                check(&spliced, "splice");
            }
            let changed = [&[other_header], &chunks[..]].concat().concat();
            assert_rejected(&splitter, format, &text, &changed, "header of another file");
        }
    }
}

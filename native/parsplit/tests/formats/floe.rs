//! FLOE against `fast-floe`, in both directions.

use crate::double::{message, splitter};
use crate::readers::READERS;
use fast_floe::{Key, Parameters, Provider};
use parsplit::{Format, SealingWriter};
use std::io::Write;

const KEY: [u8; 32] = [7; 32];
const OVERHEAD: usize = 32;

fn lengths(segment: usize) -> [usize; 9] {
    let chunk = segment - OVERHEAD;
    [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 5 * chunk + 3]
}

#[test]
fn opens_and_seals_as_fast_floe() {
    let format = Format::find("floe").unwrap();
    let key = Key::from_bytes_with_provider(KEY, Provider::RUSTCRYPTO);
    for segment in [64, 4 << 10, 64 << 10, 1 << 20] {
        let parameters = Parameters::with_segment_length(segment as u32).unwrap();
        for bytes in lengths(segment) {
            let text = message(bytes);
            let theirs = fast_floe::encrypt(&key, b"context", parameters, &text).unwrap();
            for threads in [1, 2] {
                let splitter = splitter(format, segment - OVERHEAD, threads);
                for (name, open) in READERS {
                    let opened = open(&splitter, format, &KEY, b"context", &theirs);
                    opened.result.unwrap_or_else(|error| panic!("{name} {segment} {bytes}: {error}"));
                    assert!(opened.plain == text, "{name} {segment} {bytes}");
                }
                let mut writer = SealingWriter::with_format(&splitter, format, &KEY, b"context", Vec::new()).unwrap();
                writer.write_all(&text).unwrap();
                let ours = writer.finish().unwrap();
                assert_eq!(ours.len(), theirs.len());
                assert!(fast_floe::decrypt(&key, b"context", &ours).unwrap() == text, "{segment} {bytes}");
            }
        }
    }
}

/// The key changes after 2^20 segments, which is the only test of the rotation against another implementation.
#[test]
fn rotates_the_key_as_fast_floe() {
    let format = Format::find("floe").unwrap();
    let key = Key::from_bytes_with_provider(KEY, Provider::RUSTCRYPTO);
    let chunk = 64 - OVERHEAD;
    let text = message(chunk * ((1 << 20) + 3));
    let parameters = Parameters::with_segment_length((chunk + OVERHEAD) as u32).unwrap();
    let theirs = fast_floe::encrypt(&key, b"", parameters, &text).unwrap();
    let splitter = splitter(format, chunk, 2);
    let opened = crate::readers::streaming(&splitter, format, &KEY, b"", &theirs);
    opened.result.unwrap();
    assert!(opened.plain == text);
    let mut writer = SealingWriter::with_format(&splitter, format, &KEY, b"", Vec::new()).unwrap();
    writer.write_all(&text).unwrap();
    assert!(fast_floe::decrypt(&key, b"", &writer.finish().unwrap()).unwrap() == text);
}

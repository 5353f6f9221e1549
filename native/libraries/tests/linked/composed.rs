//! Thread settings and feature switches of compositions.

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_libraries::{Entry, compose, linked};

fn entry(library: &str, name: &str) -> Entry {
    let entries = linked().iter().flat_map(|linked| linked.entries().unwrap());
    entries.into_iter().find(|entry| (entry.library, entry.name) == (library, name)).unwrap()
}

fn with_parallel_flag(entry: Entry) -> Entry {
    let algorithm = Box::leak(Box::new(Algorithm { flags: entry.algorithm.flags | abi::PARALLEL, ..*entry.algorithm }));
    Entry { algorithm, ..entry }
}

#[test]
fn settings_are_those_of_the_parallel_part() {
    let (cipher, mac) = (entry("openssl", "aes-256-ctr"), entry("blake3-rayon", "blake3-keyed"));
    let parallel = compose(&cipher, &mac).unwrap();
    assert!(parallel.algorithm.has(abi::PARALLEL) && parallel.settings.threads.is_some());
    let serial = compose(&cipher, &entry("blake3", "blake3-keyed")).unwrap();
    assert!(!serial.algorithm.has(abi::PARALLEL) && serial.settings.threads.is_none());
}

#[test]
fn two_parallel_libraries_have_no_common_settings() {
    let (cipher, mac) = (with_parallel_flag(entry("openssl", "aes-256-ctr")), entry("blake3-rayon", "blake3-keyed"));
    let two_libraries = compose(&cipher, &mac).unwrap();
    assert!(two_libraries.algorithm.has(abi::PARALLEL) && two_libraries.settings.threads.is_none());
    let one_library = compose(&Entry { library: mac.library, settings: mac.settings, ..cipher }, &mac).unwrap();
    assert!(one_library.settings.threads.is_some());
}

#[test]
fn feature_switch_joins_those_of_the_parts() {
    let composed = compose(&entry("openssl", "aes-256-ctr"), &entry("ring", "hmac-sha-256")).unwrap();
    let expected = "OPENSSL_ia32cap:5 + none: it detects CPU features itself and reads no setting";
    assert_eq!(composed.feature_switch, expected);
}

//! A composition can be told what its parallel half can, and nothing where two libraries would have to be told.

#![allow(clippy::unwrap_used)]

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_libraries::{Entry, compose, linked};

fn found(library: &str, name: &str) -> Entry {
    let entries = linked().into_iter().flat_map(|linked| linked.entries().unwrap());
    entries.into_iter().find(|entry| (entry.library, entry.name) == (library, name)).unwrap()
}

fn parallel(entry: Entry) -> Entry {
    let algorithm = Box::leak(Box::new(Algorithm { flags: entry.algorithm.flags | abi::PARALLEL, ..*entry.algorithm }));
    Entry { algorithm, ..entry }
}

#[test]
fn the_parallel_half_is_the_one_that_is_told() {
    let (cipher, mac) = (found("openssl", "aes-256-ctr"), found("blake3-rayon", "blake3-keyed"));
    let made = compose(&cipher, &mac).unwrap();
    assert!(made.algorithm.has(abi::PARALLEL) && made.settings.threads.is_some());
    let serial = compose(&cipher, &found("blake3", "blake3-keyed")).unwrap();
    assert!(!serial.algorithm.has(abi::PARALLEL) && serial.settings.threads.is_none());
}

#[test]
fn one_number_is_not_given_to_two_libraries() {
    let (cipher, mac) = (parallel(found("openssl", "aes-256-ctr")), found("blake3-rayon", "blake3-keyed"));
    let made = compose(&cipher, &mac).unwrap();
    assert!(made.algorithm.has(abi::PARALLEL) && made.settings.threads.is_none());
    let of_one_library = compose(&Entry { library: mac.library, settings: mac.settings, ..cipher }, &mac).unwrap();
    assert!(of_one_library.settings.threads.is_some());
}

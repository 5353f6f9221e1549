//! What contexts of one key share: nothing, or one state, of which each word goes to one of them.

#![allow(clippy::unwrap_used)]

use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_libraries::linked;
use std::ffi::c_void;
use std::ptr;
use std::sync::Barrier;
use std::thread;

const NAMES: [&str; 9] =
    ["rc4", "hc-128", "chacha8", "chacha12", "chacha20", "salsa20", "aes-256-ctr", "aegis-128l-stream", "blake3-xof"];
/// Of a context: words, what is shorter, what is longer than a buffer, and whole words in all.
const REQUESTS: [usize; 8] = [4, 1, 3, 256, 7, 4, 2049, 4];
const STREAMS: usize = 4;
const ONE_KEY: usize = 1 << 29;

fn algorithm(name: &str, form: &str) -> &'static Algorithm {
    let wanted = format!("{name}.{form}");
    let libraries = linked();
    let entries = libraries.iter().filter(|one| one.entries().is_ok()).flat_map(|one| one.entries().unwrap());
    entries.into_iter().find(|entry| entry.library == "generators" && entry.name == wanted).unwrap().algorithm
}

struct Context(&'static Algorithm, *mut c_void);

// SAFETY: the header lets a context move between threads.
unsafe impl Send for Context {}

impl Context {
    fn new(algorithm: &'static Algorithm, key: u8) -> Self {
        let key = vec![key; algorithm.key_bytes as usize];
        let mut raw = ptr::null_mut();
        // SAFETY: the key has the algorithm's length.
        let status = unsafe { algorithm.key_new.unwrap()(algorithm, key.as_ptr(), key.len(), &raw mut raw) };
        assert_eq!(status, abi::OK);
        Self(algorithm, raw)
    }

    fn fill(&mut self, output: &mut [u8]) -> i32 {
        // SAFETY: the buffer has the length that the call is told.
        unsafe { self.0.generate.unwrap()(self.1, output.as_mut_ptr(), output.len()) }
    }

    fn take(&mut self, requests: impl IntoIterator<Item = usize>) -> Vec<u8> {
        let mut made = Vec::new();
        for bytes in requests {
            let start = made.len();
            made.resize(start + bytes, 0);
            assert_eq!(self.fill(&mut made[start..]), abi::OK);
        }
        made
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by `key_new`, freed once.
        unsafe { self.0.key_free.unwrap()(self.1) }
    }
}

fn stream(algorithm: &'static Algorithm, key: u8, bytes: usize) -> Vec<u8> {
    Context::new(algorithm, key).take([bytes])
}

/// What several threads get, each with a context of one key, all at once.
fn together(algorithm: &'static Algorithm, key: u8, rounds: usize) -> Vec<Vec<u8>> {
    let contexts: Vec<_> = (0..STREAMS).map(|_| Context::new(algorithm, key)).collect();
    let ready = Barrier::new(STREAMS);
    thread::scope(|scope| {
        let ready = &ready;
        let running: Vec<_> = contexts
            .into_iter()
            .map(|mut context| {
                scope.spawn(move || {
                    ready.wait();
                    context.take((0..rounds).flat_map(|_| REQUESTS))
                })
            })
            .collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn words<'a>(pieces: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<[u8; 4]> {
    let mut found: Vec<[u8; 4]> =
        pieces.into_iter().flat_map(|piece| piece.chunks_exact(4)).map(|word| word.try_into().unwrap()).collect();
    found.sort_unstable();
    found
}

#[test]
fn each_thread_has_the_stream_that_one_alone_has() {
    for name in NAMES {
        for form in ["per-thread", "inlined"] {
            let algorithm = algorithm(name, form);
            let got = together(algorithm, 1, 200);
            let alone = stream(algorithm, 1, got[0].len());
            assert!(got.iter().all(|one| *one == alone), "{name}.{form}");
        }
    }
}

#[test]
fn under_a_lock_each_word_goes_to_one_thread() {
    for name in NAMES {
        let algorithm = algorithm(name, "locked");
        let got = together(algorithm, 2, 600);
        let all = got.iter().map(Vec::len).sum();
        // What is left of a word is its context's, so that each context has whole words.
        assert_eq!(words(&got), words([&stream(algorithm, 2, all)]), "{name}");
    }
}

#[test]
fn without_a_lock_threads_run_to_their_end_and_the_state_goes_on() {
    for name in NAMES {
        let algorithm = algorithm(name, "unlocked");
        let mut first = Context::new(algorithm, 3);
        let got = together(algorithm, 3, 200);
        assert!(got.iter().all(|one| one.len() == got[0].len()));
        let (later, again) = (first.take([4096]), first.take([4096]));
        assert!(later != again && later != stream(algorithm, 4, 4096), "{name}");
    }
}

#[test]
fn contexts_that_share_go_on_where_the_others_were() {
    for name in NAMES {
        for (form, shared) in [("per-thread", false), ("inlined", false), ("locked", true), ("unlocked", true)] {
            let algorithm = algorithm(name, form);
            let whole = stream(algorithm, 5, 3000);
            let (mut one, mut two, mut other) =
                (Context::new(algorithm, 5), Context::new(algorithm, 5), Context::new(algorithm, 6));
            let first = one.take([1000]);
            assert_eq!(other.take([1000]), stream_beside(algorithm, 6), "{name}.{form}");
            let second = two.take([1000]);
            let third = one.take([1000]);
            let wanted = if shared { [0, 1000, 2000] } else { [0, 0, 1000] };
            for (got, start) in [first, second, third].iter().zip(wanted) {
                assert_eq!(*got, whole[start..start + 1000], "{name}.{form}");
            }
            drop((one, two));
            assert_eq!(stream(algorithm, 5, 3000), whole, "{name}.{form}: a state ends with its last context");
        }
    }
}

/// A thousand bytes under a key, by the form that shares nothing.
fn stream_beside(algorithm: &'static Algorithm, key: u8) -> Vec<u8> {
    // SAFETY: names end with a zero byte and live as long as the process.
    let name = unsafe { std::ffi::CStr::from_ptr(algorithm.name) }.to_str().unwrap();
    let (name, _) = name.rsplit_once('.').unwrap();
    stream(self::algorithm(name, "per-thread"), key, 1000)
}

#[test]
fn one_key_gives_its_bytes_to_all_and_not_one_more() {
    for (form, shared) in [("per-thread", false), ("inlined", false), ("locked", true), ("unlocked", true)] {
        let algorithm = algorithm("aegis-128l-stream", form);
        let (mut one, mut two) = (Context::new(algorithm, 7), Context::new(algorithm, 7));
        let mut buffer = vec![0; 1 << 20];
        for _ in 1..ONE_KEY / buffer.len() {
            assert_eq!(one.fill(&mut buffer), abi::OK);
        }
        assert_eq!(one.fill(&mut buffer[4..]), abi::OK);
        assert_eq!(one.fill(&mut [0; 5]), abi::BAD_ARGUMENT, "{form}");
        assert_eq!(one.fill(&mut [0; 4]), abi::OK, "{form}: a refusal costs nothing");
        assert_eq!(one.fill(&mut [0; 1]), abi::BAD_ARGUMENT, "{form}");
        assert_eq!(one.fill(&mut []), abi::OK);
        assert_eq!(two.fill(&mut [0; 1]), if shared { abi::BAD_ARGUMENT } else { abi::OK }, "{form}");
    }
}

//! Contexts of one key share no state, or one state whose words are divided among them.

use crate::context::Context;
use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_libraries::linked;
use std::sync::Barrier;
use std::thread;

const NAMES: [&str; 9] =
    ["rc4", "hc-128", "chacha8", "chacha12", "chacha20", "salsa20", "aes-256-ctr", "aegis-128l-stream", "blake3-xof"];
/// The forms, and whether contexts of one key share a state.
const FORMS: [(&str, bool); 4] = [("per-thread", false), ("inlined", false), ("locked", true), ("unlocked", true)];
/// Requests of a context in bytes: words, partial words, more than a buffer; together a whole number of words.
const REQUESTS: [usize; 8] = [4, 1, 3, 256, 7, 4, 2049, 4];
const STREAMS: usize = 4;
/// The largest output under one key.
const MAX_OUTPUT_BYTES: usize = 1 << 29;

fn algorithm(name: &str, form: &str) -> &'static Algorithm {
    let name = format!("{name}.{form}");
    let entries = linked().iter().flat_map(|library| library.entries().unwrap());
    entries.into_iter().find(|entry| entry.library == "generators" && entry.name == name).unwrap().algorithm
}

fn new_context(algorithm: &'static Algorithm, key: u8) -> Context {
    Context::new(algorithm, &vec![key; algorithm.key_bytes as usize])
}

fn fill(context: &mut Context, output: &mut [u8]) -> i32 {
    // SAFETY: the buffer has the length that is passed.
    unsafe { context.algorithm.generate.unwrap()(context.raw, output.as_mut_ptr(), output.len()) }
}

fn take(context: &mut Context, requests: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let mut output = Vec::new();
    for bytes in requests {
        let start = output.len();
        output.resize(start + bytes, 0);
        assert_eq!(fill(context, &mut output[start..]), abi::OK);
    }
    output
}

/// The first `bytes` of the keystream of a key.
fn keystream(name: &str, key: u8, bytes: usize) -> Vec<u8> {
    take(&mut new_context(algorithm(name, "per-thread"), key), [bytes])
}

/// The outputs of concurrent threads, each with a context of one key.
fn concurrent_outputs(algorithm: &'static Algorithm, key: u8, rounds: usize) -> Vec<Vec<u8>> {
    let contexts: Vec<_> = (0..STREAMS).map(|_| new_context(algorithm, key)).collect();
    let ready = Barrier::new(STREAMS);
    thread::scope(|scope| {
        let ready = &ready;
        let threads: Vec<_> = contexts
            .into_iter()
            .map(|mut context| {
                scope.spawn(move || {
                    ready.wait();
                    take(&mut context, (0..rounds).flat_map(|_| REQUESTS))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn sorted_words<'a>(outputs: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<[u8; 4]> {
    let words = outputs.into_iter().flat_map(|output| output.chunks_exact(4));
    let mut words: Vec<[u8; 4]> = words.map(|word| word.try_into().unwrap()).collect();
    words.sort_unstable();
    words
}

#[test]
fn unshared_states_give_every_thread_the_same_stream() {
    for name in NAMES {
        for form in ["per-thread", "inlined"] {
            let outputs = concurrent_outputs(algorithm(name, form), 1, 200);
            let expected = keystream(name, 1, outputs[0].len());
            assert!(outputs.iter().all(|output| *output == expected), "{name}.{form}");
        }
    }
}

#[test]
fn locked_state_gives_each_word_to_one_thread() {
    for name in NAMES {
        let outputs = concurrent_outputs(algorithm(name, "locked"), 2, 600);
        let bytes = outputs.iter().map(Vec::len).sum();
        // The rest of a partial word stays in its context, so each output is a whole number of words.
        assert_eq!(sorted_words(&outputs), sorted_words([&keystream(name, 2, bytes)]), "{name}");
    }
}

#[test]
fn unlocked_state_advances_under_concurrent_use() {
    for name in NAMES {
        let algorithm = algorithm(name, "unlocked");
        let mut first = new_context(algorithm, 3);
        let outputs = concurrent_outputs(algorithm, 3, 200);
        assert!(outputs.iter().all(|output| output.len() == outputs[0].len()));
        let (next, after) = (take(&mut first, [4096]), take(&mut first, [4096]));
        assert!(next != after && next != keystream(name, 4, 4096), "{name}");
    }
}

#[test]
fn shared_contexts_continue_one_stream() {
    for name in NAMES {
        for (form, shared) in FORMS {
            let algorithm = algorithm(name, form);
            let expected = keystream(name, 5, 3000);
            let (mut a, mut b, mut other) =
                (new_context(algorithm, 5), new_context(algorithm, 5), new_context(algorithm, 6));
            let first = take(&mut a, [1000]);
            assert_eq!(take(&mut other, [1000]), keystream(name, 6, 1000), "{name}.{form}");
            let second = take(&mut b, [1000]);
            let third = take(&mut a, [1000]);
            let starts = if shared { [0, 1000, 2000] } else { [0, 0, 1000] };
            for (output, start) in [first, second, third].iter().zip(starts) {
                assert_eq!(*output, expected[start..start + 1000], "{name}.{form}");
            }
            drop((a, b));
            let restarted = take(&mut new_context(algorithm, 5), [3000]);
            assert_eq!(restarted, expected, "{name}.{form}: a state ends with its last context");
        }
    }
}

#[test]
fn output_limit_counts_all_contexts_of_a_key() {
    for (form, shared) in FORMS {
        let algorithm = algorithm("aegis-128l-stream", form);
        let (mut a, mut b) = (new_context(algorithm, 7), new_context(algorithm, 7));
        let mut buffer = vec![0; 1 << 20];
        for _ in 1..MAX_OUTPUT_BYTES / buffer.len() {
            assert_eq!(fill(&mut a, &mut buffer), abi::OK);
        }
        assert_eq!(fill(&mut a, &mut buffer[4..]), abi::OK);
        assert_eq!(fill(&mut a, &mut [0; 5]), abi::BAD_ARGUMENT, "{form}");
        assert_eq!(fill(&mut a, &mut [0; 4]), abi::OK, "{form}: a rejected request does not count");
        assert_eq!(fill(&mut a, &mut [0; 1]), abi::BAD_ARGUMENT, "{form}");
        assert_eq!(fill(&mut a, &mut []), abi::OK);
        assert_eq!(fill(&mut b, &mut [0; 1]), if shared { abi::BAD_ARGUMENT } else { abi::OK }, "{form}");
    }
}

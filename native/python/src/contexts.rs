//! Independence of contexts: of earlier messages, of contexts of other keys, and of other threads.

mod interruption;

use crate::algorithm::Algorithm;
use crate::errors::{ArgumentError, VerificationError};
use crate::exclusive::exclusive;
use aeadlab_abi as abi;
use interruption::compare_interrupted;
use parsplit::Context;
use pyo3::prelude::*;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const CONTEXTS: usize = 4;
/// Lengths in bytes of the messages of each context, reduced to full blocks: the shorter ones change threads often, the
/// longer ones overlap for longer.
const LENGTHS: [usize; 14] = [0, 1, 16, 31, 64, 65, 100, 200, 256, 300, 512, 777, 1024, 1500];
/// Number of calls of other threads that a thread's own calls meet before it ends, and the CPU time after which it ends
/// otherwise: on a busy computer threads seldom run at once.
const MEETINGS: usize = 50;
const MAX_RUN: Duration = Duration::from_millis(2);

/// One message of one context.
struct Message {
    nonce: Vec<u8>,
    ad: Vec<u8>,
    data: Vec<u8>,
    /// The output of a context that has processed no other message.
    expected: Vec<u8>,
}

/// A key with its messages.
struct Keyed {
    key: Vec<u8>,
    messages: Vec<Message>,
}

/// Return the pseudo-random bytes of the next seed.
pub(crate) fn pseudorandom(seed: &mut u64, bytes: usize) -> Vec<u8> {
    *seed += 1;
    let mut content = vec![0; bytes];
    // SAFETY: a vector of this length.
    unsafe { aeadlab_measure::fill(content.as_mut_ptr(), bytes, *seed) };
    content
}

/// Process one message: the sealed and then the opened message, or the digest, or the output of a generator. None is an
/// error of the implementation.
fn process(context: &mut Context, Message { nonce, ad, data, .. }: &Message) -> Option<Vec<u8>> {
    let algorithm = context.algorithm();
    let (bytes, tag_bytes) = (data.len(), algorithm.tag_bytes as usize);
    let mut output = vec![0; 2 * bytes + tag_bytes];
    let (sealed, opened) = output.split_at_mut(bytes + tag_bytes);
    let (text, tag) = sealed.split_at_mut(bytes);
    let (text, tag) = (text.as_mut_ptr(), tag.as_mut_ptr());
    // SAFETY: disjoint buffers of the lengths passed; the tag has the algorithm's length.
    unsafe {
        match algorithm.kind {
            abi::HASH | abi::MAC => context.digest(nonce, data.as_ptr(), bytes, tag).ok()?,
            abi::GENERATOR => context.generate(text, bytes).ok()?,
            _ => {
                context.seal(nonce, ad, data.as_ptr(), bytes, text, tag).ok()?;
                context.open(nonce, ad, text, bytes, opened.as_mut_ptr(), tag).ok()?;
            }
        }
    }
    Some(output)
}

/// Draw four keys with their messages, each processed by a context of its own. Messages that the algorithm does not
/// support are left out.
fn draw(algorithm: &Algorithm) -> PyResult<Vec<Keyed>> {
    let a = algorithm.entry.algorithm;
    let mut seed = 0;
    let ad_bytes = if a.kind == abi::AEAD && !a.has(abi::NO_ASSOCIATED_DATA) { 13 } else { 0 };
    let mut all = Vec::new();
    for _ in 0..CONTEXTS {
        let key = pseudorandom(&mut seed, a.key_bytes as usize);
        let mut messages = Vec::new();
        // A generator continues its output, so all requests go to one context.
        let mut only = if a.kind == abi::GENERATOR { Some(algorithm.context_of(&key)?) } else { None };
        for (number, length) in LENGTHS.into_iter().enumerate() {
            let mut nonce = pseudorandom(&mut seed, a.nonce_bytes as usize);
            // MGM requires a first bit of zero (RFC 9058).
            if let Some(first) = nonce.first_mut() {
                *first &= 0x7f;
            }
            let ad = pseudorandom(&mut seed, if number % 2 == 0 { ad_bytes } else { 0 });
            let data = pseudorandom(&mut seed, length - length % a.block_bytes as usize);
            let mut message = Message { nonce, ad, data, expected: Vec::new() };
            let made = match &mut only {
                Some(context) => process(context, &message),
                None => process(&mut algorithm.context_of(&key)?, &message),
            };
            if let Some(expected) = made {
                message.expected = expected;
                messages.push(message);
            }
        }
        all.push(Keyed { key, messages });
    }
    Ok(all)
}

fn failed(reason: &str, message: &Message) -> PyErr {
    VerificationError::new_err(format!("{reason} (a message of {} bytes)", message.data.len()))
}

const KEPT: &str = "a context that has processed other messages gives another result";
const SEVERAL: &str = "contexts of different keys that exist at once give other results than one alone";
const THREADS: &str = "it declares thread-safe, and threads at once, each with its own context, give other results";

/// Compare the results of kept contexts, of several contexts at once and, if the algorithm is thread-safe, of four
/// threads at once and of interrupted calls with those of a context for each message. Return the number of messages of
/// each comparison; raise `VerificationError` where a result differs, and `ArgumentError` if the algorithm supports
/// none of the messages.
#[pyfunction]
pub(crate) fn check_contexts(py: Python<'_>, algorithm: &Algorithm) -> PyResult<Vec<(&'static str, usize)>> {
    let _guard = exclusive(py, algorithm.entry.algorithm);
    let all = draw(algorithm)?;
    let mut done = Vec::new();
    let number: usize = all.iter().map(|keyed| keyed.messages.len()).sum();
    if number == 0 {
        return Err(ArgumentError::new_err("the algorithm supports none of the messages"));
    }
    for keyed in &all {
        let mut context = algorithm.context_of(&keyed.key)?;
        compare(&mut context, &keyed.messages, KEPT)?;
    }
    done.push(("kept context", number));
    let mut contexts = all.iter().map(|keyed| algorithm.context_of(&keyed.key)).collect::<PyResult<Vec<_>>>()?;
    for index in 0..LENGTHS.len() {
        for (context, keyed) in contexts.iter_mut().zip(&all) {
            let message = keyed.messages.get(index..).unwrap_or_default();
            compare(context, message.get(..1).unwrap_or_default(), SEVERAL)?;
        }
    }
    done.push(("several contexts", number));
    if algorithm.entry.algorithm.has(abi::THREAD_SAFE) {
        in_threads(contexts, &all)?;
        done.push(("four threads", number));
        if let [first, second, ..] = all.as_slice() {
            if let Some(message) = compare_interrupted(algorithm.entry.algorithm, first, second) {
                return Err(failed(THREADS, message));
            }
            done.push(("interrupted calls", first.messages.len()));
        }
    }
    Ok(done)
}

/// The CPU time of this thread.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid; an error, which Linux excludes, leaves zeros.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn compare(context: &mut Context, messages: &[Message], reason: &str) -> PyResult<()> {
    for message in messages {
        if process(context, message).as_ref() != Some(&message.expected) {
            return Err(failed(reason, message));
        }
    }
    Ok(())
}

/// Let each thread process its messages again and again, until its calls met enough calls of other threads. A call that
/// the system interrupts counts once, because it cannot meet the others while it waits. A context was used by another
/// thread before, and is freed by another one, as the header allows. In every second pass a thread sets up a context of
/// its own.
fn in_threads(contexts: Vec<Context>, all: &[Keyed]) -> PyResult<()> {
    let (barrier, failures) = (Barrier::new(CONTEXTS), AtomicUsize::new(0));
    // Odd during a call of the thread of this number.
    let calls = [const { AtomicUsize::new(0) }; CONTEXTS];
    let run = |own_calls: &AtomicUsize, context: Context, keyed: &'_ Keyed| -> (Option<Context>, Option<usize>) {
        let algorithm = context.algorithm();
        // A generator continues its output, so that each pass needs a new context. It may share its state with other
        // contexts of the same key, so that no other may exist.
        let mut kept = Some(context).filter(|_| algorithm.kind != abi::GENERATOR);
        barrier.wait();
        let (start, mut met, mut last) = (thread_time(), 0, [0; CONTEXTS]);
        for pass in 0.. {
            let mut own = None;
            if pass % 2 == 1 || kept.is_none() {
                own = Context::new(algorithm, &keyed.key).ok();
                if own.is_none() {
                    failures.fetch_add(1, Ordering::Relaxed);
                    return (kept, Some(0));
                }
            }
            for (number, message) in keyed.messages.iter().enumerate() {
                for (call, last) in calls.iter().zip(&mut last) {
                    let call = call.load(Ordering::Relaxed);
                    met += usize::from(call % 2 == 1 && call != *last);
                    *last = call;
                }
                own_calls.fetch_add(1, Ordering::Relaxed);
                let output = own.as_mut().or(kept.as_mut()).and_then(|context| process(context, message));
                own_calls.fetch_add(1, Ordering::Relaxed);
                if output.as_ref() != Some(&message.expected) {
                    failures.fetch_add(1, Ordering::Relaxed);
                    return (kept, Some(number));
                }
            }
            let enough = met >= MEETINGS || thread_time().saturating_sub(start) > MAX_RUN;
            if enough || failures.load(Ordering::Relaxed) > 0 {
                break;
            }
        }
        (kept, None)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = contexts
            .into_iter()
            .zip(all)
            .zip(&calls)
            .map(|((context, keyed), own_calls)| scope.spawn(move || run(own_calls, context, keyed)))
            .collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for (result, keyed) in results.into_iter().zip(all) {
        let Ok((_context, failure)) = result else {
            return Err(VerificationError::new_err("a thread of the verification panicked"));
        };
        if let Some(message) = failure.and_then(|number| keyed.messages.get(number)) {
            return Err(failed(THREADS, message));
        }
    }
    Ok(())
}

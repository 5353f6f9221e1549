//! What is left when a call does not come to its end: nothing.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod double;

use aeadlab_abi::Algorithm;
use double::GCM;
use parsplit::{Error, ParSplit, SERIAL_BELOW, Schedule};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

const BLOCKS: usize = 2000;
const BLOCK: usize = 64;
const FAILS_AT: usize = 40;

static SEALED: AtomicUsize = AtomicUsize::new(0);
static BY: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
/// The counters above are the process's: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

unsafe extern "C" fn slow(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    SEALED.fetch_add(1, Ordering::SeqCst);
    BY.lock().unwrap().push(thread::current().id());
    thread::sleep(Duration::from_micros(100));
    unsafe { GCM.seal.unwrap()(context, nonce, nonce_bytes, ad, ad_bytes, input, bytes, output, tag) }
}

unsafe extern "C" fn fails_midway(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    let before = SEALED.load(Ordering::SeqCst);
    let status = unsafe { slow(context, nonce, nonce_bytes, ad, ad_bytes, input, bytes, output, tag) };
    if before >= FAILS_AT { 77 } else { status }
}

static SLOW: Algorithm = Algorithm { seal: Some(slow), ..GCM };
static FAILING: Algorithm = Algorithm { seal: Some(fails_midway), ..GCM };

fn all() -> impl Iterator<Item = Schedule> {
    Schedule::ALL.iter().map(|(_, schedule)| *schedule)
}

#[test]
fn a_worker_that_fails_midway_stops_the_others_and_the_output_is_wiped() {
    let _alone = ALONE.lock();
    for schedule in all() {
        for in_place in [false, true] {
            SEALED.store(0, Ordering::SeqCst);
            let splitter = ParSplit::new(&FAILING, BLOCK, 4, schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&[1; 32]).unwrap();
            let message = vec![7; BLOCKS * BLOCK];
            let mut output = vec![0xee; splitter.layout(message.len()).unwrap().sealed()];
            let failed = if in_place {
                keyed.seal_in_place(&[0; 7], b"", &mut output, message.len())
            } else {
                keyed.seal(&[0; 7], b"", &message, &mut output)
            };
            assert_eq!(failed, Err(Error::Library { status: 77 }), "{schedule:?}");
            assert!(output.iter().all(|&byte| byte == 0), "{schedule:?}: something was left behind");
            let sealed = SEALED.load(Ordering::SeqCst);
            assert!((FAILS_AT..FAILS_AT + 50).contains(&sealed), "{schedule:?}: {sealed} blocks were sealed");
        }
    }
}

#[test]
fn a_call_that_is_cancelled_ends_early_with_the_output_wiped_and_the_next_one_works() {
    let _alone = ALONE.lock();
    for schedule in all() {
        let splitter = ParSplit::new(&SLOW, BLOCK, 3, schedule).unwrap().serial_below(0);
        let mut keyed = splitter.key(&[1; 32]).unwrap();
        let word = Arc::new(AtomicBool::new(false));
        keyed.cancelled_by(Some(word.clone()));
        let message = vec![7; 20 * BLOCKS * BLOCK];
        let mut output = vec![0xee; splitter.layout(message.len()).unwrap().sealed()];
        let start = Instant::now();
        let setter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            word.store(true, Ordering::Relaxed);
        });
        assert_eq!(keyed.seal(&[0; 7], b"", &message, &mut output), Err(Error::Interrupted), "{schedule:?}");
        assert!(start.elapsed() < Duration::from_millis(500), "{schedule:?} took {:?}", start.elapsed());
        assert!(output.iter().all(|&byte| byte == 0), "{schedule:?}: something was left behind");
        setter.join().unwrap();
        keyed.cancelled_by(None);
        keyed.seal(&[0; 7], b"", &message[..BLOCK * 10], &mut output).unwrap();
    }
}

#[test]
fn what_is_refused_before_any_block_leaves_the_buffers_alone() {
    unsafe extern "C" fn never(_: usize, _: usize, _: parsplit::Block, _: *const c_void) -> i32 {
        1
    }
    let schedule = unsafe { Schedule::foreign("never-a", 64, never) }.unwrap();
    let splitter = ParSplit::new(&GCM, BLOCK, 65, schedule).unwrap().serial_below(0);
    let mut buffer = vec![7; 5000];
    let refused = splitter.key(&[1; 32]).unwrap().seal_in_place(&[0; 7], b"", &mut buffer, 1000);
    assert!(matches!(refused, Err(Error::Argument(_))), "{refused:?}");
    assert!(buffer.iter().all(|&byte| byte == 7));
}

#[test]
fn a_small_message_wakes_nobody_and_a_larger_one_does() {
    let _alone = ALONE.lock();
    for schedule in all() {
        let splitter = ParSplit::new(&SLOW, 1024, 4, schedule).unwrap();
        let mut keyed = splitter.key(&[1; 32]).unwrap();
        for (bytes, alone) in [(SERIAL_BELOW - 1, true), (SERIAL_BELOW, false)] {
            BY.lock().unwrap().clear();
            let mut output = vec![0; splitter.layout(bytes).unwrap().sealed()];
            keyed.seal(&[0; 7], b"", &vec![7; bytes], &mut output).unwrap();
            let by = BY.lock().unwrap();
            assert_eq!(by.iter().all(|id| *id == thread::current().id()), alone, "{schedule:?}: {bytes} bytes");
        }
    }
}

#[test]
fn a_traced_call_says_who_did_which_block_when() {
    let _alone = ALONE.lock();
    for schedule in all() {
        let splitter = ParSplit::new(&SLOW, BLOCK, 3, schedule).unwrap().serial_below(0);
        let mut keyed = splitter.key(&[1; 32]).unwrap();
        let message = vec![7; 300 * BLOCK];
        let mut output = vec![0; splitter.layout(message.len()).unwrap().sealed()];
        keyed.seal(&[0; 7], b"", &message, &mut output).unwrap();
        assert!(keyed.spans().is_empty());
        keyed.traced(true);
        keyed.seal(&[0; 7], b"", &message, &mut output).unwrap();
        assert!(keyed.spans().iter().map(|span| span.block).eq(0..300), "{schedule:?}");
        assert!(keyed.spans().iter().all(|span| span.thread < 3 && span.end_ns >= span.start_ns + 100_000));
    }
}

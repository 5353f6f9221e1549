//! Failed and cancelled calls wipe the output, and short messages use one thread.

use crate::double::GCM;
use aeadlab_abi::Algorithm;
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
static THREADS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
/// The counters above are shared by the process, so the tests run one at a time.
static ONE_TEST: Mutex<()> = Mutex::new(());

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
    THREADS.lock().unwrap().push(thread::current().id());
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

fn schedules() -> impl Iterator<Item = Schedule> {
    Schedule::ALL.iter().map(|(_, schedule)| *schedule)
}

#[test]
fn a_failing_worker_stops_the_others_and_wipes_the_output() {
    let _guard = ONE_TEST.lock();
    for schedule in schedules() {
        for in_place in [false, true] {
            SEALED.store(0, Ordering::SeqCst);
            let splitter = ParSplit::new(&FAILING, BLOCK, 4, schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&[1; 32]).unwrap();
            let message = vec![7; BLOCKS * BLOCK];
            let mut output = vec![0xee; splitter.layout(message.len()).unwrap().sealed_bytes()];
            let failed = if in_place {
                keyed.seal_in_place(&[0; 7], b"", &mut output, message.len())
            } else {
                keyed.seal(&[0; 7], b"", &message, &mut output)
            };
            assert_eq!(failed, Err(Error::Library { status: 77 }), "{schedule:?}");
            assert!(output.iter().all(|&byte| byte == 0), "{schedule:?}: the output is not wiped");
            let sealed = SEALED.load(Ordering::SeqCst);
            assert!((FAILS_AT..FAILS_AT + 50).contains(&sealed), "{schedule:?}: {sealed} blocks were sealed");
        }
    }
}

#[test]
fn a_cancelled_call_wipes_the_output_and_the_next_succeeds() {
    let _guard = ONE_TEST.lock();
    for schedule in schedules() {
        let splitter = ParSplit::new(&SLOW, BLOCK, 3, schedule).unwrap().serial_below(0);
        let mut keyed = splitter.key(&[1; 32]).unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        keyed.set_cancel_flag(Some(flag.clone()));
        let message = vec![7; 20 * BLOCKS * BLOCK];
        let mut output = vec![0xee; splitter.layout(message.len()).unwrap().sealed_bytes()];
        let start = Instant::now();
        let setter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            flag.store(true, Ordering::Relaxed);
        });
        assert_eq!(keyed.seal(&[0; 7], b"", &message, &mut output), Err(Error::Interrupted), "{schedule:?}");
        assert!(start.elapsed() < Duration::from_millis(500), "{schedule:?} took {:?}", start.elapsed());
        assert!(output.iter().all(|&byte| byte == 0), "{schedule:?}: the output is not wiped");
        setter.join().unwrap();
        keyed.set_cancel_flag(None);
        keyed.seal(&[0; 7], b"", &message[..BLOCK * 10], &mut output).unwrap();
    }
}

#[test]
fn errors_before_the_first_block_leave_buffers_unchanged() {
    unsafe extern "C" fn failing_loop(_: usize, _: usize, _: parsplit::BlockCallback, _: *const c_void) -> i32 {
        1
    }
    let schedule = unsafe { Schedule::register_foreign("failing-a", 64, failing_loop, false) }.unwrap();
    let splitter = ParSplit::new(&GCM, BLOCK, 65, schedule).unwrap().serial_below(0);
    let mut buffer = vec![7; 5000];
    let result = splitter.key(&[1; 32]).unwrap().seal_in_place(&[0; 7], b"", &mut buffer, 1000);
    assert!(matches!(result, Err(Error::Argument(_))), "{result:?}");
    assert!(buffer.iter().all(|&byte| byte == 7));
}

#[test]
fn only_messages_above_the_threshold_use_more_threads() {
    let _guard = ONE_TEST.lock();
    for schedule in schedules() {
        let splitter = ParSplit::new(&SLOW, 1024, 4, schedule).unwrap();
        let mut keyed = splitter.key(&[1; 32]).unwrap();
        for (bytes, serial) in [(SERIAL_BELOW - 1, true), (SERIAL_BELOW, false)] {
            THREADS.lock().unwrap().clear();
            let mut output = vec![0; splitter.layout(bytes).unwrap().sealed_bytes()];
            keyed.seal(&[0; 7], b"", &vec![7; bytes], &mut output).unwrap();
            let threads = THREADS.lock().unwrap();
            assert_eq!(threads.iter().all(|id| *id == thread::current().id()), serial, "{schedule:?}: {bytes} bytes");
        }
    }
}

#[test]
fn a_traced_call_records_a_span_for_each_block() {
    let _guard = ONE_TEST.lock();
    for schedule in schedules() {
        let splitter = ParSplit::new(&SLOW, BLOCK, 3, schedule).unwrap().serial_below(0);
        let mut keyed = splitter.key(&[1; 32]).unwrap();
        let message = vec![7; 300 * BLOCK];
        let mut output = vec![0; splitter.layout(message.len()).unwrap().sealed_bytes()];
        keyed.seal(&[0; 7], b"", &message, &mut output).unwrap();
        assert!(keyed.spans().is_empty());
        keyed.set_traced(true);
        keyed.seal(&[0; 7], b"", &message, &mut output).unwrap();
        assert!(keyed.spans().iter().map(|span| span.block).eq(0..300), "{schedule:?}");
        assert!(keyed.spans().iter().all(|span| span.thread < 3 && span.end_ns >= span.start_ns + 100_000));
    }
}

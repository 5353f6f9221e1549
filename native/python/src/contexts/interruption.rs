//! Calls that are interrupted for a complete call of another thread, which on a busy computer seldom happens by itself.
//!
//! A signal stops the first thread at an arbitrary instruction of a call. Its handler waits until the second thread has
//! processed a message with its own key and context. Static data that both calls use then change the first result.

use super::{Keyed, Message, process};
use aeadlab_abi as abi;
use parsplit::Context;
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of interrupted calls, and the time after which the comparison ends otherwise.
const INTERRUPTIONS: usize = 200;
const MAX_RUN: Duration = Duration::from_millis(300);
/// Time after which a signal counts as blocked.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Number of times that the handler yields, and number and length in nanoseconds of its pauses afterwards. It does not
/// wait forever, because the second call may need a lock that the interrupted one holds.
const YIELDS: usize = 20;
const PAUSES: usize = 100;
const PAUSE_NS: libc::c_long = 20_000;
const PAUSE: Duration = Duration::from_nanos(PAUSE_NS as u64);

/// The answer of the handler to a signal.
const NONE: u8 = 0;
const INTERRUPTED: u8 = 1;
const OUTSIDE_OF_CALL: u8 = 2;
/// Set by the second thread after its call.
const PROCESSED: u8 = 3;

static ANSWER: AtomicU8 = AtomicU8::new(NONE);
static IN_CALL: AtomicBool = AtomicBool::new(false);

/// Uses only what a signal handler may use: atomics, `sched_yield`, `nanosleep`, and `errno`, which it restores.
extern "C" fn on_signal(_: c_int) {
    if !IN_CALL.load(Ordering::SeqCst) {
        ANSWER.store(OUTSIDE_OF_CALL, Ordering::SeqCst);
        return;
    }
    // SAFETY: the address of this thread's errno is valid while the thread runs.
    let errno = unsafe { *libc::__errno_location() };
    ANSWER.store(INTERRUPTED, Ordering::SeqCst);
    let pause = libc::timespec { tv_sec: 0, tv_nsec: PAUSE_NS };
    for wait in 0..YIELDS + PAUSES {
        if ANSWER.load(Ordering::SeqCst) != INTERRUPTED {
            break;
        }
        // SAFETY: a valid duration; the remaining time is not requested.
        unsafe {
            if wait < YIELDS {
                libc::sched_yield();
            } else {
                libc::nanosleep(&raw const pause, ptr::null_mut());
            }
        }
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// The signal, whose previous action returns when this value is dropped.
struct Action {
    number: c_int,
    previous: libc::sigaction,
}

impl Action {
    fn install() -> Option<Self> {
        let number = libc::SIGRTMIN() + 5;
        // SAFETY: zeroed actions are valid, and the handler has the signature that an action without SA_SIGINFO
        // requires.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let mut previous: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as extern "C" fn(c_int) as usize;
            action.sa_flags = libc::SA_RESTART;
            let done = libc::sigaction(number, &raw const action, &raw mut previous);
            (done == 0).then_some(Self { number, previous })
        }
    }
}

impl Drop for Action {
    fn drop(&mut self) {
        // SAFETY: the action that `sigaction` returned.
        unsafe { libc::sigaction(self.number, &raw const self.previous, ptr::null_mut()) };
    }
}

/// The contexts of one key: one that is kept, and in every second pass over the messages a new one.
struct Thread<'a> {
    keyed: &'a Keyed,
    algorithm: &'static abi::Algorithm,
    kept: Option<Context>,
    own: Option<Context>,
    next: usize,
}

impl<'a> Thread<'a> {
    fn new(keyed: &'a Keyed, algorithm: &'static abi::Algorithm) -> Self {
        Self { keyed, algorithm, kept: None, own: None, next: 0 }
    }

    /// Process the next message; return it if the result is wrong.
    fn process_next(&mut self) -> Option<&'a Message> {
        let messages = &self.keyed.messages;
        let number = self.next % messages.len().max(1);
        let message = messages.get(number)?;
        if number == 0 {
            let pass = self.next / messages.len();
            self.own = None;
            // A generator continues its output, so that each pass needs a new context.
            if self.algorithm.kind == abi::GENERATOR || pass % 2 == 1 {
                self.own = Context::new(self.algorithm, &self.keyed.key).ok();
            } else if self.kept.is_none() {
                self.kept = Context::new(self.algorithm, &self.keyed.key).ok();
            }
        }
        self.next += 1;
        let output = self.own.as_mut().or(self.kept.as_mut()).and_then(|context| process(context, message));
        (output.as_ref() != Some(&message.expected)).then_some(message)
    }
}

/// Interrupt calls of the first key for calls of the second one; return the first message whose result is wrong.
pub(super) fn compare_interrupted<'a>(
    algorithm: &'static abi::Algorithm,
    first: &'a Keyed,
    second: &'a Keyed,
) -> Option<&'a Message> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let action = Action::install()?;
    // The address of the first thread, 0 before it runs; it runs until the second one has sent its last signal.
    let (running, ended) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let interrupted = scope.spawn(|| {
            // SAFETY: always succeeds.
            running.store(unsafe { libc::pthread_self() } as u64, Ordering::SeqCst);
            let (mut thread, mut wrong) = (Thread::new(first, algorithm), None);
            while !ended.load(Ordering::SeqCst) {
                if wrong.is_some() {
                    std::thread::yield_now();
                    continue;
                }
                IN_CALL.store(true, Ordering::SeqCst);
                wrong = thread.process_next();
                IN_CALL.store(false, Ordering::SeqCst);
            }
            wrong
        });
        let wrong = interrupt(&running, action.number, &mut Thread::new(second, algorithm));
        ended.store(true, Ordering::SeqCst);
        interrupted.join().ok().flatten().or(wrong)
    })
}

/// Send signals to the running thread, and process a message during each of its calls that is interrupted.
fn interrupt<'a>(running: &AtomicU64, signal: c_int, thread: &mut Thread<'a>) -> Option<&'a Message> {
    let (start, mut interruptions, mut delay) = (Instant::now(), 0, 0u32);
    while interruptions < INTERRUPTIONS && start.elapsed() < MAX_RUN {
        let address = running.load(Ordering::SeqCst);
        if address == 0 {
            std::thread::yield_now();
            continue;
        }
        // Any delay is as good as another; it must not be in step with the calls.
        delay = delay.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        for _ in 0..delay >> 22 {
            std::hint::spin_loop();
        }
        ANSWER.store(NONE, Ordering::SeqCst);
        // SAFETY: the thread runs until `ended` is set, which follows this function.
        if unsafe { libc::pthread_kill(address as libc::pthread_t, signal) } != 0 {
            return None;
        }
        // The signal can be blocked only by the implementation, for the rest of the thread.
        let mut waits = 0;
        while ANSWER.load(Ordering::SeqCst) == NONE && start.elapsed() < MAX_WAIT {
            waits += 1;
            // The first thread may have to wait for a core. Yielding without end would use up the time.
            if waits < YIELDS { std::thread::yield_now() } else { std::thread::sleep(PAUSE) }
        }
        if ANSWER.load(Ordering::SeqCst) == INTERRUPTED {
            let wrong = thread.process_next();
            ANSWER.store(PROCESSED, Ordering::SeqCst);
            interruptions += 1;
            if wrong.is_some() {
                return wrong;
            }
        }
    }
    None
}

//! Loops that are not ours: OpenMP's, Numba's, anybody's who has a C function that calls another once per block.

use crate::run::Run;
use crate::{Error, Result};
use crossbeam_utils::CachePadded;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a loop calls with the `state` that it was given and a block; anything but 0 means that the run is over and the
/// blocks left may be passed over. Any thread may call it, several at once.
pub type Block = unsafe extern "C" fn(state: *const c_void, block: usize) -> i32;

/// A loop: calls `block(state, i)` once for each i from 0 to `blocks`, in at most `threads` threads, and returns 0 when
/// all calls have returned. Anything else says that it could not.
pub type Loop = unsafe extern "C" fn(threads: usize, blocks: usize, block: Block, state: *const c_void) -> i32;

/// What the loops of one runtime share.
#[derive(Debug, Default)]
pub(super) struct Runtime {
    /// The process that its threads live in, 0 before there are any.
    process: AtomicU32,
    /// Some runtimes end the process when two threads start a loop at once.
    alone: Mutex<()>,
}

#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) call: Loop,
    pub(super) most_threads: usize,
    pub(super) runtime: &'static Runtime,
}

/// What `state` points to.
struct State<'a> {
    run: &'a Run<'a>,
    number: u64,
    /// Blocks done by each worker.
    done: Vec<CachePadded<AtomicUsize>>,
    workers: AtomicUsize,
}

static NUMBER: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The run that this thread works for, and as which worker: a runtime's own thread numbers need not be ours.
    static WORKER: Cell<(u64, usize)> = const { Cell::new((0, 0)) };
}

impl Foreign {
    pub(super) fn run(&self, name: &str, run: &Run<'_>) -> Result<()> {
        if run.threads() > self.most_threads {
            return Err(Error::Argument(format!(
                "{} threads given, but schedule {name} has {} in this process",
                run.threads(),
                self.most_threads
            )));
        }
        let process = std::process::id();
        let first = self.runtime.process.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire);
        if first.is_err_and(|other| other != process) {
            return Err(Error::Argument(format!(
                "the threads of schedule {name} did not survive the fork: use another schedule in this process, or \
                 start it with spawn"
            )));
        }
        let _alone = self.runtime.alone.lock().unwrap_or_else(PoisonError::into_inner);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let done = (0..run.threads()).map(|_| CachePadded::new(AtomicUsize::new(0))).collect();
        let state = State { run, number, done, workers: AtomicUsize::new(0) };
        // SAFETY: what `Schedule::foreign` was promised; `state` lives until the loop has returned.
        let status = unsafe { (self.call)(run.threads(), run.blocks(), block, (&raw const state).cast()) };
        let done: usize = state.done.iter().map(|done| done.load(Ordering::Relaxed)).sum();
        // Blocks that were passed over without a failure would be sealed by nobody.
        if status != 0 || done != run.blocks() {
            run.fail(Error::Argument(format!(
                "schedule {name} returned {status} after {done} of {} blocks",
                run.blocks()
            )));
        }
        Ok(())
    }
}

unsafe extern "C" fn block(state: *const c_void, block: usize) -> i32 {
    // SAFETY: the loop passes on the `state` that it was given.
    let state = unsafe { &*state.cast::<State<'_>>() };
    let (number, mut worker) = WORKER.get();
    if number != state.number {
        worker = state.workers.fetch_add(1, Ordering::Relaxed);
        WORKER.set((state.number, worker));
    }
    let Some(done) = state.done.get(worker).filter(|_| block < state.run.blocks()) else {
        state.run.fail(Error::Argument(format!(
            "a schedule asked for block {block} of {} in a thread beyond its {}",
            state.run.blocks(),
            state.run.threads()
        )));
        return 1;
    };
    if !state.run.block(worker, block) {
        return 1;
    }
    // No other thread writes here.
    done.store(done.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    0
}

//! Parallel loops of other runtimes, such as OpenMP and Numba: C functions that call another function once per block.

use crate::error::{Error, Result, ensure};
use crate::fork::{FIRST_GENERATION, generation};
use crate::run::Run;
use crossbeam_utils::CachePadded;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The function that a loop calls with its `state` and a block. A result other than 0 means that the run has stopped
/// and the remaining blocks may be skipped. Any thread may call it, also concurrently.
pub type BlockCallback = unsafe extern "C" fn(state: *const c_void, block: usize) -> i32;

/// A loop that calls `block(state, i)` once for each i below `blocks`, in at most `threads` threads, and returns 0
/// after all calls have returned. Another result reports a failure of the loop.
pub type ForeignLoop =
    unsafe extern "C" fn(threads: usize, blocks: usize, block: BlockCallback, state: *const c_void) -> i32;

/// The state shared by all loops of one runtime.
#[derive(Debug, Default)]
pub(super) struct Runtime {
    /// The generation of the process that has the runtime's threads; 0 before they are started.
    pub(super) process: AtomicU64,
    /// Held during a loop: some runtimes end the process when two threads start loops concurrently.
    one_loop: Mutex<()>,
}

#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) call: ForeignLoop,
    pub(super) max_threads: usize,
    pub(super) runtime: &'static Runtime,
}

/// The state passed to [`BlockCallback`].
struct State<'a> {
    run: &'a Run<'a>,
    number: u64,
    /// Number of blocks processed by each worker.
    processed: Vec<CachePadded<AtomicUsize>>,
    workers: AtomicUsize,
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The number of this thread's run and its worker number in it. The runtime's own thread numbers may be unusable.
    static WORKER: Cell<(u64, usize)> = const { Cell::new((0, 0)) };
}

impl Foreign {
    pub(super) fn run(&self, name: &str, run: &Run<'_>) -> Result<()> {
        let (threads, max_threads) = (run.threads(), self.max_threads);
        ensure!(
            threads <= max_threads,
            "{threads} threads given, but schedule {name} has at most {max_threads} in this process"
        );
        let process = generation();
        let first = self.runtime.process.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire);
        ensure!(
            !first.is_err_and(|other| other != process),
            "the threads of schedule {name} did not survive the fork: use another schedule in this process, or \
             start it with spawn"
        );
        let _guard = self.runtime.one_loop.lock().unwrap_or_else(PoisonError::into_inner);
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let processed = (0..run.threads()).map(|_| CachePadded::new(AtomicUsize::new(0))).collect();
        let state = State { run, number, processed, workers: AtomicUsize::new(0) };
        let call = || {
            // SAFETY: the promise of `Schedule::register_foreign`; `state` lives until the loop has returned.
            unsafe { (self.call)(run.threads(), run.blocks(), process_block, (&raw const state).cast()) }
        };
        let status = if process == FIRST_GENERATION {
            call()
        } else {
            // Other code may have used the same runtime before the fork. GNU OpenMP keeps the threads of each calling
            // thread and waits forever for those that the child does not have, but starts others for a new thread.
            thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, call) {
                Ok(caller) => caller.join().map_err(|panic| Error::from_panic(&*panic)),
                Err(error) => Err(Error::threads_not_started(threads, &error)),
            })?
        };
        let processed: usize = state.processed.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        // A loop that skips blocks without a failure would leave them unsealed.
        if status != 0 || processed != run.blocks() {
            run.fail(Error::Argument(format!(
                "schedule {name} returned {status} after {processed} of {} blocks",
                run.blocks()
            )));
        }
        Ok(())
    }
}

unsafe extern "C" fn process_block(state: *const c_void, block: usize) -> i32 {
    // SAFETY: the loop passes the `state` that it received.
    let state = unsafe { &*state.cast::<State<'_>>() };
    let (number, mut worker) = WORKER.get();
    if number != state.number {
        worker = state.workers.fetch_add(1, Ordering::Relaxed);
        WORKER.set((state.number, worker));
    }
    let Some(processed) = state.processed.get(worker).filter(|_| block < state.run.blocks()) else {
        state.run.fail(Error::Argument(format!(
            "a schedule called for block {block} of {} in thread {} of {}",
            state.run.blocks(),
            worker + 1,
            state.run.threads()
        )));
        return 1;
    };
    let completed = state.run.process_block(worker, block, block);
    // A loop does not state which block is the last one of its thread.
    state.run.clear_key();
    if !completed {
        return 1;
    }
    // Only this thread writes the counter.
    processed.store(processed.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    0
}

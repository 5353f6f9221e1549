//! Variants of `rayon` that each change one thing, to find the cause of its two run times at some thread counts. They
//! are selected by name and not meant for users.

use super::entry::Entry;
use super::rayon::{process_by_halves, process_leaves};
use crate::cores::{allowed_cores, core_of_worker, pin_to};
use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::pool::rayon_pool;
use crate::run::Run;
use ::rayon::iter::{IntoParallelIterator, ParallelIterator};
use ::rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// In a pool started for this message: modes caused by the placement of a pool's threads would change with every call.
pub(super) static NEW_POOL: Entry = Entry::builtin("rayon-new-pool", |run| {
    new_pool(run, |_| ())?.install(|| process_by_halves(run));
    Ok(())
});

/// In a pool started for this message with each thread pinned to one core, in turn.
pub(super) static PINNED: Entry = Entry::builtin("rayon-pinned", |run| {
    let cores = allowed_cores()?;
    let pin = move |worker| {
        // A thread that cannot be pinned runs on any core, as those of `rayon` do.
        let _ = core_of_worker(worker, &cores).and_then(pin_to);
    };
    new_pool(run, pin)?.install(|| process_by_halves(run));
    Ok(())
});

fn new_pool(run: &Run<'_>, on_start: impl Fn(usize) + Send + Sync + 'static) -> Result<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(run.threads()).start_handler(on_start);
    builder.build().map_err(|error| Error::threads_not_started(run.threads(), &error))
}

/// With the other workers asleep until the first worker has processed half of its first leaf.
pub(super) static LATE: Entry = Entry::builtin("rayon-late", |run| delay_thieves(run, 1, 2));

/// With the other workers asleep until the first worker has processed its first leaf and half of the next.
pub(super) static TOO_LATE: Entry = Entry::builtin("rayon-too-late", |run| delay_thieves(run, 3, 2));

const POLLING_INTERVAL: Duration = Duration::from_micros(200);

/// Run `rayon` with all workers but one delayed until `numerator / denominator` leaves are processed, of the length
/// that leaves have when no worker steals.
fn delay_thieves(run: &Run<'_>, numerator: usize, denominator: usize) -> Result<()> {
    // Two concurrent calls would wait for each other's workers forever.
    static ONE_CALL: PerProcess<Mutex<()>> = PerProcess::new();
    let _guard = ONE_CALL.get().lock().unwrap_or_else(PoisonError::into_inner);
    let threads = run.threads();
    let leaf = run.blocks() >> (threads.ilog2() + 1);
    let (started, delayed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    rayon_pool(threads)?.in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| {
                delayed.fetch_add(1, Ordering::Relaxed);
                while started.load(Ordering::Relaxed) < leaf * numerator / denominator && !run.stopped() {
                    thread::sleep(POLLING_INTERVAL);
                }
            });
        }
        // Rayon runs tasks from outside in order, so the one remaining worker runs this one.
        scope.spawn(|_| {
            while delayed.load(Ordering::Relaxed) + 1 < threads {
                thread::yield_now();
            }
            let count = |_: &usize| {
                started.fetch_add(1, Ordering::Relaxed);
            };
            process_leaves(run, (0..run.blocks()).into_par_iter().inspect(count));
        });
    });
    Ok(())
}

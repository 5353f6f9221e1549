//! The threads of this process, kept between calls: starting them takes longer than sealing a short message.

use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::workers::{Participation, Workers};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The threads of this process. A forked child inherits none of them, and starts its own.
static POOL: PerProcess<Pool> = PerProcess::new();

#[derive(Default)]
struct Pool {
    rayon: Mutex<HashMap<usize, Arc<ThreadPool>>>,
    /// Workers without a caller, unpinned and pinned.
    idle_workers: [Mutex<Vec<Workers>>; 2],
}

/// Call `work` with each worker number below `workers`, concurrently, on persistent threads. Concurrent callers use
/// separate threads.
pub(crate) fn run_workers(
    workers: usize,
    pinned: bool,
    participation: Participation,
    work: &(dyn Fn(usize) + Sync),
) -> Result<()> {
    if workers == 1 && !pinned {
        work(0);
        return Ok(());
    }
    let idle = &POOL.get().idle_workers[usize::from(pinned)];
    let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut threads = kept.unwrap_or_else(|| Workers::new(pinned));
    let result = threads.run(workers, participation, work);
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(threads);
    result
}

/// Return Rayon's pool of `threads` workers.
pub(crate) fn rayon_pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let mut pools = POOL.get().rayon.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("parsplit-{i}/{threads}"))
        .build()
        .map_err(|error| Error::threads_not_started(threads, &error))?;
    let pool = Arc::new(pool);
    pools.insert(threads, pool.clone());
    Ok(pool)
}

//! The threads of this process, kept between calls: starting them takes longer than sealing a short message.

use crate::error::{Error, Result};
use crate::workers::{Participation, Workers};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

struct ProcessPool {
    process: u32,
    rayon: Mutex<HashMap<usize, Arc<ThreadPool>>>,
    /// Workers without a caller, unpinned and pinned.
    idle_workers: [Mutex<Vec<Workers>>; 2],
}

static POOL: AtomicPtr<ProcessPool> = AtomicPtr::new(ptr::null_mut());

/// Return the pool of this process.
///
/// A forked child inherits the parent's pool without its threads, and perhaps with a lock that one of them held.
/// Therefore the child creates its own pool and never reads the inherited one.
fn process_pool() -> &'static ProcessPool {
    let process = std::process::id();
    let current = POOL.load(Ordering::Acquire);
    // SAFETY: a stored pointer came from a box that is never freed; null gives None.
    if let Some(pool) = unsafe { current.as_ref() }.filter(|pool| pool.process == process) {
        return pool;
    }
    let new =
        Box::into_raw(Box::new(ProcessPool { process, rayon: Mutex::default(), idle_workers: Default::default() }));
    let pool = match POOL.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => new,
        Err(other) => {
            // SAFETY: another thread stored its pool first, and no other thread has a pointer to this one.
            drop(unsafe { Box::from_raw(new) });
            other
        }
    };
    // SAFETY: as above, and not null.
    unsafe { &*pool }
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
    let idle = &process_pool().idle_workers[usize::from(pinned)];
    let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut threads = kept.unwrap_or_else(|| Workers::new(pinned));
    let result = threads.run(workers, participation, work);
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(threads);
    result
}

/// Return Rayon's pool of `threads` workers.
pub(crate) fn rayon_pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let mut pools = process_pool().rayon.lock().unwrap_or_else(PoisonError::into_inner);
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

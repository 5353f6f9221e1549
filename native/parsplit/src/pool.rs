use crate::crew::{Called, Crew};
use crate::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::collections::HashMap;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

/// The largest thread count that ParSplit takes.
pub const MAX_THREADS: usize = 256;

/// The threads of this process, kept between calls: starting them costs more than sealing a small message.
struct Pool {
    process: u32,
    rayon: Mutex<HashMap<usize, Arc<ThreadPool>>>,
    /// Crews that nobody uses at the moment, pinned ones apart.
    crews: [Mutex<Vec<Crew>>; 2],
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// The pool of this process. A forked child inherits the parent's without its threads, and perhaps with a lock that
/// one of them held; so the child makes its own, and never looks into the other.
fn here() -> &'static Pool {
    let process = std::process::id();
    let found = POOL.load(Ordering::Acquire);
    // SAFETY: what was stored came from a box and is never freed; null gives None.
    if let Some(pool) = unsafe { found.as_ref() }.filter(|pool| pool.process == process) {
        return pool;
    }
    let new = Box::into_raw(Box::new(Pool { process, rayon: Mutex::default(), crews: Default::default() }));
    let pool = match POOL.compare_exchange(found, new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => new,
        Err(other) => {
            // SAFETY: another thread was faster; nobody has seen ours.
            drop(unsafe { Box::from_raw(new) });
            other
        }
    };
    // SAFETY: as above, and not null.
    unsafe { &*pool }
}

/// Calls `work` with each of 0 to `workers` at once, on kept threads; concurrent callers have threads of their own.
pub(crate) fn at_once(workers: usize, pinned: bool, called: Called, work: &(dyn Fn(usize) + Sync)) -> Result<()> {
    if workers == 1 && !pinned {
        work(0);
        return Ok(());
    }
    let idle = &here().crews[usize::from(pinned)];
    let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut crew = kept.unwrap_or_else(|| Crew::new(pinned));
    let done = crew.work(workers, called, work);
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(crew);
    done
}

/// Threads that this process may run at once. Asked once: the answer takes reading files, more time than a short message.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from))
}

/// Rayon's pool of `threads` workers.
pub(crate) fn rayon(threads: usize) -> Result<Arc<ThreadPool>> {
    let mut pools = here().rayon.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("parsplit-{i}/{threads}"))
        .build()
        .map_err(|error| unstarted(threads, &error))?;
    let pool = Arc::new(pool);
    pools.insert(threads, pool.clone());
    Ok(pool)
}

/// What to say when a pool of `threads` does not start.
pub(crate) fn unstarted(threads: usize, error: &ThreadPoolBuildError) -> Error {
    Error::Argument(format!("{threads} threads could not be started: {error}"))
}

use crate::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest thread count that ParSplit takes.
pub const MAX_THREADS: usize = 256;

type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

/// Pools are kept between calls: starting threads costs more than sealing a small message. The process is part of
/// the key because a fork inherits the map but none of the threads.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The pool of `threads` workers.
pub(crate) fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    if !(1..=MAX_THREADS).contains(&threads) {
        return Err(Error::Argument(format!("{threads} threads given, 1 to {MAX_THREADS} wanted")));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("parsplit-{i}/{threads}"))
        .build()
        .map_err(|e| Error::Argument(format!("{threads} threads could not be started: {e}")))?;
    let pool = Arc::new(pool);
    pools.insert(key, pool.clone());
    Ok(pool)
}

//! BLAKE3, the crate `blake3`, on several threads. `aeadlab_set_threads` sets their number; the default is that of
//! Rayon's global pool (`RAYON_NUM_THREADS`).
//!
//! It is a library separate from `blake3`, because library and algorithm identify an implementation.

use crate::blake3::Blake3;
use crate::descriptor::{DETECTED, c_string, crate_version, rust_library};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, catch_panics, digest};
use crate::{Linked, Settings};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{PerProcess, generation};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The thread count that was set, 0 before. A forked child inherits it.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// Pools by thread count. All are kept, because cases with different thread counts are interleaved.
static POOLS: PerProcess<Mutex<BTreeMap<usize, Arc<ThreadPool>>>> = PerProcess::new();
/// The generation of the process that has the threads of Rayon's global pool; 0 before they are started.
static GLOBAL_POOL_PROCESS: AtomicU64 = AtomicU64::new(0);

/// The largest thread count of a case.
const MAX_THREADS: usize = 256;

unsafe extern "C" fn set_threads(threads: usize) -> i32 {
    catch_panics(|| {
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(Failure::BadArgument);
        }
        if threads > 1 {
            pool(threads)?;
        }
        THREADS.store(threads, Ordering::Relaxed);
        Ok(())
    })
}

/// Return the pool of this process with this thread count; 0 selects the number of Rayon's global pool.
fn pool(threads: usize) -> Result<Arc<ThreadPool>, Failure> {
    match POOLS.get().lock().unwrap_or_else(PoisonError::into_inner).entry(threads) {
        Occupied(entry) => Ok(entry.get().clone()),
        Vacant(entry) => {
            let name = move |i| format!("blake3-{i}/{threads}");
            let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
            Ok(entry.insert(Arc::new(pool.map_err(|_| Failure::Internal)?)).clone())
        }
    }
}

/// Return whether Rayon's global pool has its threads in this process, or can start them here.
fn has_global_pool() -> bool {
    let process = generation();
    let first = GLOBAL_POOL_PROCESS.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed);
    !first.is_err_and(|other| other != process)
}

/// The hash or MAC of the library `blake3`, computed by several threads.
struct Parallel(Blake3);

impl Keyed for Parallel {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Blake3::new(algorithm, key).map(Self)
    }
}

impl Digest for Parallel {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let hasher = self.0.0.reset();
        // A worker of a Rayon pool hashes alone: while it waited for others it would start further tasks of its pool,
        // and the task that it is in, such as a block of ParSplit, uses a context.
        let threads = if rayon::current_thread_index().is_some() { 1 } else { THREADS.load(Ordering::Relaxed) };
        // `update_rayon` uses the pool that it is called in.
        match threads {
            // A pool of one thread would serialise concurrent callers, such as the threads of ParSplit.
            1 => hasher.update(message),
            0 if has_global_pool() => hasher.update_rayon(message),
            threads => pool(threads)?.install(|| hasher.update_rayon(message)),
        };
        tag.copy_from_slice(hasher.finalize().as_bytes());
        Ok(())
    }
}

/// The library, with the setting of the thread count.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::PARALLEL;
    let version = ["blake3", "rayon"].map(|name| format!("{name} {}", crate_version(name))).join(", ");
    let kernel = c_string(&format!("{:?}", ::blake3::platform::Platform::detect())).as_ptr();
    let rows = vec![
        Algorithm { kernel, ..digest::<Parallel>(c"blake3", Lengths(0, 0, 32), FLAGS) },
        Algorithm { kernel, ..digest::<Parallel>(c"blake3-keyed", Lengths(32, 0, 32), FLAGS) },
    ];
    let settings = Settings { threads: Some(set_threads), block_size: None };
    Linked { settings, ..rust_library("blake3-rayon", &version, DETECTED, rows) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_call_from_a_rayon_worker_starts_no_other_task() {
        // SAFETY: a function without requirements.
        assert_eq!(unsafe { set_threads(2) }, abi::OK);
        let library = library().library;
        // SAFETY: descriptors are leaked, and this one has an entry.
        let algorithm = unsafe { &**library.algorithms };
        let worker = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let started = AtomicBool::new(false);
        let started_during_the_call = worker.in_place_scope(|scope| {
            let (started, (sender, receiver)) = (&started, std::sync::mpsc::channel());
            scope.spawn(move |scope| {
                scope.spawn(|_| started.store(true, Ordering::SeqCst));
                let mut hash = Parallel::new(algorithm, &[]).ok().unwrap();
                assert!(hash.digest(&[], &vec![0; 1 << 20], &mut [0; 32]).is_ok());
                sender.send(started.load(Ordering::SeqCst)).unwrap();
            });
            receiver.recv().unwrap()
        });
        assert!(!started_during_the_call);
        assert!(started.into_inner());
    }
}

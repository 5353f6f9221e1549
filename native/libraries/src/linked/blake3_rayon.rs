//! BLAKE3, the crate `blake3`, on several threads. `aeadlab_set_threads` sets their number; the default is that of
//! Rayon's global pool (`RAYON_NUM_THREADS`).
//!
//! It is a library separate from `blake3`, because library and algorithm identify an implementation.

use crate::blake3::Blake3;
use crate::descriptor::{DETECTED, c_string, crate_version, rust_library};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, catch_panics, digest};
use crate::{Linked, Settings};
use aeadlab_abi::{self as abi, Algorithm};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::sync::{Arc, PoisonError, RwLock};

/// The threads that hash a message.
#[derive(Clone)]
enum Executor {
    /// Rayon's global pool.
    Global,
    /// The calling thread. A pool of one thread would serialise concurrent callers, such as the threads of ParSplit.
    Caller,
    /// A pool of the set number of threads.
    Pool(Arc<ThreadPool>),
}

/// Pools by thread count. All are kept, because cases with different thread counts are interleaved.
struct Pools {
    by_threads: BTreeMap<usize, Arc<ThreadPool>>,
    executor: Executor,
}

static POOLS: RwLock<Pools> = RwLock::new(Pools { by_threads: BTreeMap::new(), executor: Executor::Global });

/// The largest thread count of a case.
const MAX_THREADS: usize = 256;

unsafe extern "C" fn set_threads(threads: usize) -> i32 {
    catch_panics(|| {
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(Failure::BadArgument);
        }
        let mut pools = POOLS.write().unwrap_or_else(PoisonError::into_inner);
        pools.executor = if threads == 1 {
            Executor::Caller
        } else {
            Executor::Pool(match pools.by_threads.entry(threads) {
                Occupied(entry) => entry.get().clone(),
                Vacant(entry) => {
                    let name = move |i| format!("blake3-{i}/{threads}");
                    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
                    entry.insert(Arc::new(pool.map_err(|_| Failure::Internal)?)).clone()
                }
            })
        };
        Ok(())
    })
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
        let executor = POOLS.read().unwrap_or_else(PoisonError::into_inner).executor.clone();
        // `update_rayon` uses the pool that it is called in.
        match executor {
            Executor::Global => hasher.update_rayon(message),
            Executor::Caller => hasher.update(message),
            Executor::Pool(pool) => pool.install(|| hasher.update_rayon(message)),
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

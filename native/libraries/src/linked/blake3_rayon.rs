//! BLAKE3, the reference crate, on as many threads as it is told, at first those of Rayon's global pool
//! (`RAYON_NUM_THREADS`).
//!
//! A library of its own, because the lab tells implementations apart by library and algorithm.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{Digest, Failure, Keyed, Lengths, Outcome, digest, guarded};
use crate::{Linked, Settings};
use ::blake3::Hasher;
use aeadlab_abi::{self as abi, Algorithm, Library};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use zeroize::Zeroize;

/// Where a message is hashed.
#[derive(Clone)]
enum Chosen {
    /// In Rayon's global pool.
    Global,
    /// In the thread that calls. A pool of one thread would make callers, such as the threads of ParSplit, wait for
    /// each other.
    Caller,
    Pool(Arc<ThreadPool>),
}

/// Pools by their number of threads; they are kept, since cases with different numbers take turns.
struct Pools {
    made: BTreeMap<usize, Arc<ThreadPool>>,
    chosen: Chosen,
}

static POOLS: RwLock<Pools> = RwLock::new(Pools { made: BTreeMap::new(), chosen: Chosen::Global });

/// As many as a case can have.
const MAX_THREADS: usize = 256;

unsafe extern "C" fn set_threads(threads: usize) -> i32 {
    guarded(|| {
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(Failure::BadArgument);
        }
        let mut pools = POOLS.write().unwrap_or_else(PoisonError::into_inner);
        pools.chosen = if threads == 1 {
            Chosen::Caller
        } else {
            Chosen::Pool(match pools.made.entry(threads) {
                Occupied(place) => place.get().clone(),
                Vacant(place) => {
                    let named = move |i| format!("blake3-{i}/{threads}");
                    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build();
                    place.insert(Arc::new(made.map_err(|_| Failure::Internal)?)).clone()
                }
            })
        };
        Ok(())
    })
}

/// With a key the keyed mode, a MAC.
struct Parallel(Hasher);

impl Keyed for Parallel {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        if key.is_empty() {
            return Ok(Self(Hasher::new()));
        }
        Ok(Self(Hasher::new_keyed(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

impl Digest for Parallel {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let hasher = self.0.reset();
        let chosen = POOLS.read().unwrap_or_else(PoisonError::into_inner).chosen.clone();
        // The chunks are hashed by the threads of the pool that the call is made in.
        match chosen {
            Chosen::Global => hasher.update_rayon(message),
            Chosen::Caller => hasher.update(message),
            Chosen::Pool(pool) => pool.install(|| hasher.update_rayon(message)),
        };
        tag.copy_from_slice(hasher.finalize().as_bytes());
        Ok(())
    }
}

impl Drop for Parallel {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The descriptor, and the number of threads.
pub(crate) fn library() -> Linked {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::PARALLEL;
    let library = LIBRARY.get_or_init(|| {
        let version = ["blake3", "rayon"].map(|name| format!("{name} {}", crate_version(name))).join(", ");
        let kernel = describe::text(&format!("{:?}", ::blake3::platform::Platform::detect())).as_ptr();
        describe::library(
            "blake3-rayon",
            &version,
            RUST_BUILD,
            vec![
                Algorithm { kernel, ..digest::<Parallel>(c"blake3", Lengths(0, 0, 32), FLAGS) },
                Algorithm { kernel, ..digest::<Parallel>(c"blake3-keyed", Lengths(32, 0, 32), FLAGS) },
            ],
        )
    });
    Linked { library, settings: Settings { threads: Some(set_threads), block_size: None } }
}

//! Changes to `rayon`, one at a time, that show where its two run times at some thread counts come from. They are found
//! by name, and no choice for a user.

use super::{Row, rayon};
use crate::run::Run;
use crate::{Result, pin, pool};
use ::rayon::ThreadPoolBuilder;
use ::rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// In a pool started for this message: were the modes a matter of where a pool's threads happen to be, they would change
/// with every call.
pub(super) static NEW_POOL: Row = Row::own("rayon-new-pool", |run| {
    let pool =
        ThreadPoolBuilder::new().num_threads(run.threads()).build().map_err(|e| pool::unstarted(run.threads(), &e))?;
    pool.install(|| rayon::halved(run));
    Ok(())
});

/// In a pool started for this message whose threads keep to one core each, the cores in turn.
pub(super) static PINNED: Row = Row::own("rayon-pinned", |run| {
    let cores = pin::cores()?;
    let started = ThreadPoolBuilder::new().num_threads(run.threads()).start_handler(move |worker| {
        // A thread that cannot be pinned runs where it may, as those of `rayon` do.
        let _ = pin::core_of(worker, &cores).and_then(pin::pin);
    });
    started.build().map_err(|e| pool::unstarted(run.threads(), &e))?.install(|| rayon::halved(run));
    Ok(())
});

/// With the other workers asleep until the first has done half of its first leaf.
pub(super) static LATE: Row = Row::own("rayon-late", |run| late(run, 1, 2));

/// With the other workers asleep until the first has done its first leaf and half of the next.
pub(super) static TOO_LATE: Row = Row::own("rayon-too-late", |run| late(run, 3, 2));

/// How often a worker that is held looks whether it may begin.
const LOOK: Duration = Duration::from_micros(200);

/// `rayon`, with the other workers held until so many leaves are done, of the length they have when nobody steals.
fn late(run: &Run<'_>, times: usize, over: usize) -> Result<()> {
    // Two calls would hold each other's workers for ever.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = run.threads();
    let leaf = run.blocks() >> (threads.ilog2() + 1);
    let (begun, held) = (AtomicUsize::new(0), AtomicUsize::new(0));
    pool::rayon(threads)?.in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| {
                held.fetch_add(1, Ordering::Relaxed);
                while begun.load(Ordering::Relaxed) < leaf * times / over && !run.stopped() {
                    thread::sleep(LOOK);
                }
            });
        }
        // What comes from outside is taken in turn, so this by the one worker that is left.
        scope.spawn(|_| {
            while held.load(Ordering::Relaxed) + 1 < threads {
                thread::yield_now();
            }
            let count = |_: &usize| {
                begun.fetch_add(1, Ordering::Relaxed);
            };
            rayon::leaves(run, (0..run.blocks()).into_par_iter().inspect(count));
        });
    });
    Ok(())
}

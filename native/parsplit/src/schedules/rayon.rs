//! Rayon's parallel iterator in a pool of its own, in three ways.

use super::{Row, longest_leaf};
use crate::pool;
use crate::run::Run;
use ::rayon::iter::{IndexedParallelIterator, IntoParallelIterator};
use std::ops::Range;

/// The paper's: from inside the pool. Splits by halves, and again what was stolen.
pub(super) static RAYON: Row = Row::own("rayon", |run| {
    pool::rayon(run.threads())?.install(|| halved(run));
    Ok(())
});

/// With leaves no longer than the runs of `dynamic`.
pub(super) static MAX_LEN: Row = Row::own("rayon-max-len", |run| {
    pool::rayon(run.threads())?.install(|| {
        leaves(run, (0..run.blocks()).into_par_iter().with_max_len(longest_leaf(run)));
    });
    Ok(())
});

/// As if started from outside the pool. Rayon lets nobody in from outside but to its one global pool, whose size is set
/// once per process; so that every thread count can be studied in one, this splits as Rayon 1.12 splits for a caller from
/// outside (`bridge_producer_consumer` and `LengthSplitter` in `rayon/src/iter/plumbing/mod.rs`): to the first `join`
/// both halves look stolen, and start with a full budget.
pub(super) static EXTERNAL: Row = Row::own("rayon-external", |run| {
    let leaf = |blocks: Range<usize>| blocks.clone().for_each(|block| done(run, block, blocks.start));
    pool::rayon(run.threads())?.install(|| split(run.threads(), 0..run.blocks(), run.threads(), Half::First, &leaf));
    Ok(())
});

/// What Rayon tells a half about itself.
#[derive(Clone, Copy)]
enum Half {
    /// The whole, of which nobody has heard.
    First,
    Kept,
    Stolen,
}

fn split(threads: usize, blocks: Range<usize>, mut budget: usize, half: Half, leaf: &(impl Fn(Range<usize>) + Sync)) {
    let stolen = matches!(half, Half::Stolen);
    if blocks.len() < 2 || (budget == 0 && !stolen) {
        leaf(blocks);
        return;
    }
    budget = if stolen { threads.max(budget / 2) } else { budget / 2 };
    let middle = blocks.start + blocks.len() / 2;
    let next = |migrated| if migrated || matches!(half, Half::First) { Half::Stolen } else { Half::Kept };
    ::rayon::join_context(
        |context| split(threads, blocks.start..middle, budget, next(context.migrated()), leaf),
        |context| split(threads, middle..blocks.end, budget, next(context.migrated()), leaf),
    );
}

/// All blocks as the paper has them done; called inside a pool.
pub(super) fn halved(run: &Run<'_>) {
    leaves(run, (0..run.blocks()).into_par_iter());
}

/// The blocks, with the first of each leaf known to the trace: what `for_each_init` makes is made once for a leaf.
pub(super) fn leaves(run: &Run<'_>, blocks: impl IndexedParallelIterator<Item = usize>) {
    blocks.for_each_init(|| None, |leaf, block| done(run, block, *leaf.get_or_insert(block)));
}

fn done(run: &Run<'_>, block: usize, leaf: usize) {
    // `install` puts the closure on a worker of this pool, which has an index.
    if let Some(worker) = ::rayon::current_thread_index() {
        run.block_of(worker, block, leaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::rayon::iter::ParallelIterator;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Where one thread, which nobody steals from, cuts.
    #[test]
    fn external_cuts_where_rayon_cuts_for_a_caller_from_outside() {
        ::rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
        for blocks in [1, 2, 3, 7, 8, 9, 100, 1000, 1 << 16] {
            let rayons = Mutex::new(Vec::new());
            (0..blocks)
                .into_par_iter()
                .fold(Vec::new, |mut leaf, block| {
                    leaf.push(block);
                    leaf
                })
                .for_each(|leaf| rayons.lock().unwrap().push((leaf[0], leaf.len())));
            let ours = Mutex::new(Vec::new());
            let leaf = |blocks: Range<usize>| ours.lock().unwrap().push((blocks.start, blocks.len()));
            pool::rayon(1).unwrap().install(|| split(1, 0..blocks, 1, Half::First, &leaf));
            assert_eq!(ours.into_inner().unwrap(), rayons.into_inner().unwrap(), "{blocks}");
        }
    }

    #[test]
    fn external_splits_four_times_finer() {
        for threads in [1, 2, 3, 5, 8, 16] {
            let leaves = AtomicUsize::new(0);
            let leaf = |_: Range<usize>| {
                leaves.fetch_add(1, Ordering::Relaxed);
            };
            // One thread: the budget of more, and nobody who steals.
            pool::rayon(1).unwrap().install(|| split(threads, 0..1 << 16, threads, Half::First, &leaf));
            let inside = 2 << threads.ilog2();
            assert_eq!(leaves.into_inner(), 4 * inside, "{threads}");
        }
    }
}

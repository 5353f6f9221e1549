//! Rayon's parallel iterator in a pool of its own, in three variants.

use super::entry::Entry;
use super::self_scheduling::max_chunk;
use crate::pool::rayon_pool;
use crate::run::Run;
use ::rayon::iter::{IndexedParallelIterator, IntoParallelIterator};
use std::ops::Range;

/// The variant of Engljähringer et al., started inside the pool: it splits by halves, and splits stolen halves again.
pub(super) static RAYON: Entry = Entry::builtin("rayon", |run| {
    rayon_pool(run.threads())?.install(|| process_by_halves(run));
    Ok(())
});

/// With leaves no longer than the chunks of `dynamic`.
pub(super) static MAX_LEN: Entry = Entry::builtin("rayon-max-len", |run| {
    rayon_pool(run.threads())?.install(|| {
        process_leaves(run, (0..run.blocks()).into_par_iter().with_max_len(max_leaf(run)));
    });
    Ok(())
});

/// As if started from outside the pool. Rayon accepts outside callers only in its one global pool, whose size is set
/// once per process. To allow every thread count in one process, this splits as Rayon 1.12 splits for an outside caller
/// (`bridge_producer_consumer` and `LengthSplitter` in `rayon/src/iter/plumbing/mod.rs`): the first `join` considers
/// both halves as stolen, and they start with a full budget.
pub(super) static EXTERNAL: Entry = Entry::builtin("rayon-external", |run| {
    let leaf = |blocks: Range<usize>| {
        let leaf = Leaf::new(run);
        blocks.clone().for_each(|block| process(leaf.run, block, blocks.start));
    };
    rayon_pool(run.threads())?.install(|| split(run.threads(), 0..run.blocks(), run.threads(), Origin::Whole, &leaf));
    Ok(())
});

/// Minimum number of leaves per worker in `rayon-max-len`, so that a short message is still divided evenly.
const LEAVES_PER_WORKER: usize = 4;

/// Return the largest number of blocks in a leaf of `rayon-max-len`.
pub(super) fn max_leaf(run: &Run<'_>) -> usize {
    max_chunk(run).min(run.blocks() / (run.threads() * LEAVES_PER_WORKER)).max(1)
}

/// The origin of the current range of blocks.
#[derive(Clone, Copy)]
enum Origin {
    /// It has not been split.
    Whole,
    /// It is a half that stayed with its thread.
    Kept,
    /// It is a half that another thread stole.
    Stolen,
}

fn split(
    threads: usize,
    blocks: Range<usize>,
    mut budget: usize,
    origin: Origin,
    leaf: &(impl Fn(Range<usize>) + Sync),
) {
    let stolen = matches!(origin, Origin::Stolen);
    if blocks.len() < 2 || (budget == 0 && !stolen) {
        leaf(blocks);
        return;
    }
    budget = if stolen { threads.max(budget / 2) } else { budget / 2 };
    let middle = blocks.start + blocks.len() / 2;
    let next = |migrated| if migrated || matches!(origin, Origin::Whole) { Origin::Stolen } else { Origin::Kept };
    ::rayon::join_context(
        |context| split(threads, blocks.start..middle, budget, next(context.migrated()), leaf),
        |context| split(threads, middle..blocks.end, budget, next(context.migrated()), leaf),
    );
}

/// Process all blocks as the schedule `rayon` does; called inside a pool.
pub(super) fn process_by_halves(run: &Run<'_>) {
    process_leaves(run, (0..run.blocks()).into_par_iter());
}

/// Process the blocks and record the first block of each leaf: `for_each_init` makes one value per leaf.
pub(super) fn process_leaves(run: &Run<'_>, blocks: impl IndexedParallelIterator<Item = usize>) {
    blocks.for_each_init(|| Leaf::new(run), |leaf, block| process(run, block, *leaf.first.get_or_insert(block)));
}

/// Blocks that one worker processes in order. When it is dropped, the worker has processed the last one.
struct Leaf<'a, 'b> {
    run: &'a Run<'b>,
    first: Option<usize>,
}

impl<'a, 'b> Leaf<'a, 'b> {
    fn new(run: &'a Run<'b>) -> Self {
        Self { run, first: None }
    }
}

impl Drop for Leaf<'_, '_> {
    fn drop(&mut self) {
        self.run.clear_key();
    }
}

fn process(run: &Run<'_>, block: usize, leaf: usize) {
    // `install` runs the closure on a worker of this pool, which has an index.
    if let Some(worker) = ::rayon::current_thread_index() {
        run.process_block(worker, block, leaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::rayon::iter::ParallelIterator;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Compares the leaves of one thread, which no other thread can steal.
    #[test]
    fn external_splits_as_rayon_for_an_outside_caller() {
        ::rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
        for blocks in [1, 2, 3, 7, 8, 9, 100, 1000, 1 << 16] {
            let expected = Mutex::new(Vec::new());
            (0..blocks)
                .into_par_iter()
                .fold(Vec::new, |mut leaf, block| {
                    leaf.push(block);
                    leaf
                })
                .for_each(|leaf| expected.lock().unwrap().push((leaf[0], leaf.len())));
            let leaves = Mutex::new(Vec::new());
            let leaf = |blocks: Range<usize>| leaves.lock().unwrap().push((blocks.start, blocks.len()));
            rayon_pool(1).unwrap().install(|| split(1, 0..blocks, 1, Origin::Whole, &leaf));
            assert_eq!(leaves.into_inner().unwrap(), expected.into_inner().unwrap(), "{blocks}");
        }
    }

    #[test]
    fn external_splits_four_times_finer() {
        for threads in [1, 2, 3, 5, 8, 16] {
            let leaves = AtomicUsize::new(0);
            let leaf = |_: Range<usize>| {
                leaves.fetch_add(1, Ordering::Relaxed);
            };
            // One thread with the budget of several: no half is stolen.
            rayon_pool(1).unwrap().install(|| split(threads, 0..1 << 16, threads, Origin::Whole, &leaf));
            let inside = 2 << threads.ilog2();
            assert_eq!(leaves.into_inner(), 4 * inside, "{threads}");
        }
    }
}

//! `static`: one chunk of neighbouring blocks per worker, assigned before the run.

use super::entry::Entry;
use crate::error::Result;
use crate::pool;
use crate::run::Run;
use crate::workers::Participation;
use std::ops::Range;

pub(super) static STATIC: Entry = Entry::builtin("static", |run| fixed(run, false));
pub(super) static STATIC_PINNED: Entry = Entry::builtin("static-pinned", |run| fixed(run, true));

fn fixed(run: &Run<'_>, pinned: bool) -> Result<()> {
    pool::run_workers(run.workers(), pinned, Participation::Required, &|worker| {
        run.process_chunk(worker, chunk_of_worker(run, worker));
    })
}

/// Return the blocks of one worker. The chunks of all workers differ by at most one block.
pub(super) fn chunk_of_worker(run: &Run<'_>, worker: usize) -> Range<usize> {
    let (blocks, workers) = (run.blocks() as u128, run.workers() as u128);
    let edge = |worker: usize| (blocks * worker as u128 / workers) as usize;
    edge(worker)..edge(worker + 1)
}

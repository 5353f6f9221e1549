//! `static`: one range of neighbouring blocks per worker, fixed beforehand.

use super::Row;
use crate::crew::Called;
use crate::pool;
use crate::run::Run;
use std::ops::Range;

pub(super) static STATIC: Row = Row::own("static", |run| fixed(run, false));
pub(super) static STATIC_PINNED: Row = Row::own("static-pinned", |run| fixed(run, true));

fn fixed(run: &Run<'_>, pinned: bool) -> crate::Result<()> {
    pool::at_once(run.workers(), pinned, Called::All, &|worker| {
        run.range(worker, share(run, worker));
    })
}

/// The blocks of one worker; the shares differ by one block at most.
pub(super) fn share(run: &Run<'_>, worker: usize) -> Range<usize> {
    let (blocks, workers) = (run.blocks() as u128, run.workers() as u128);
    let edge = |worker: usize| (blocks * worker as u128 / workers) as usize;
    edge(worker)..edge(worker + 1)
}

//! `guided`: as `dynamic`, with runs as long as half a fair share of the rest (guided self-scheduling, Polychronopoulos and
//! Kuck 1987, takes the whole of it): a slow first run leaves time to make up for it, and the last are single blocks.

use super::Row;
use crate::crew::Called;
use crate::run::Run;
use crate::{Result, pool};
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) static GUIDED: Row = Row::own("guided", |run| share_out(run, usize::MAX, false));
pub(super) static GUIDED_PINNED: Row = Row::own("guided-pinned", |run| share_out(run, usize::MAX, true));

/// Runs of half a fair share of the rest, but no longer than `longest`: workers that are equally fast end within a block
/// of each other, whatever the number of blocks.
pub(super) fn share_out(run: &Run<'_>, longest: usize, pinned: bool) -> Result<()> {
    let next = CachePadded::new(AtomicUsize::new(0));
    let (blocks, shares) = (run.blocks(), 2 * run.workers());
    let end = |first: usize| first + ((blocks - first) / shares).clamp(1, longest);
    pool::at_once(run.workers(), pinned, Called::Any, &|worker| {
        loop {
            let taken =
                next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |first| (first < blocks).then(|| end(first)));
            let Ok(first) = taken else { break };
            if !run.range(worker, first..end(first)) {
                break;
            }
        }
    })
}

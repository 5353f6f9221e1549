//! `guided`: as `dynamic`, with long runs at first and shorter ones towards the end (guided self-scheduling, Polychronopoulos
//! and Kuck 1987). A run is half of what would be a fair share of the rest, so that a slow first one leaves time to make
//! up for it.

use super::{Row, run_length};
use crate::crew::Called;
use crate::run::Run;
use crate::{Result, pool};
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) static GUIDED: Row = Row::own("guided", |run| guided(run, false));
pub(super) static GUIDED_PINNED: Row = Row::own("guided-pinned", |run| guided(run, true));

fn guided(run: &Run<'_>, pinned: bool) -> Result<()> {
    let next = CachePadded::new(AtomicUsize::new(0));
    let (blocks, shares, shortest) = (run.blocks(), 2 * run.workers(), run_length(run));
    let end = |first: usize| blocks.min(first + ((blocks - first) / shares).max(shortest));
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

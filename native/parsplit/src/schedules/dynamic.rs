//! `dynamic`: an atomic counter; each worker takes the next run of neighbouring blocks. No worker waits while runs are
//! left.

use super::{Row, run_length};
use crate::crew::Called;
use crate::run::Run;
use crate::{Result, pool};
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) static DYNAMIC: Row = Row::own("dynamic", |run| dynamic(run, false));
pub(super) static DYNAMIC_PINNED: Row = Row::own("dynamic-pinned", |run| dynamic(run, true));

fn dynamic(run: &Run<'_>, pinned: bool) -> Result<()> {
    let next = CachePadded::new(AtomicUsize::new(0));
    let length = run_length(run);
    pool::at_once(run.workers(), pinned, Called::Any, &|worker| {
        loop {
            let first = next.fetch_add(length, Ordering::Relaxed);
            if first >= run.blocks() || !run.range(worker, first..run.blocks().min(first + length)) {
                break;
            }
        }
    })
}

//! `dynamic` and `guided`: each worker takes the next chunk of neighbouring blocks from an atomic counter. No worker
//! waits while blocks remain.

use super::entry::Entry;
use crate::error::Result;
use crate::pool;
use crate::run::Run;
use crate::workers::Participation;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) static DYNAMIC: Entry = Entry::builtin("dynamic", |run| self_schedule(run, max_chunk(run), false));
pub(super) static DYNAMIC_PINNED: Entry =
    Entry::builtin("dynamic-pinned", |run| self_schedule(run, max_chunk(run), true));
pub(super) static GUIDED: Entry = Entry::builtin("guided", |run| self_schedule(run, usize::MAX, false));
pub(super) static GUIDED_PINNED: Entry = Entry::builtin("guided-pinned", |run| self_schedule(run, usize::MAX, true));

/// Size of a chunk of `dynamic` while most of the message remains. Two cores on neighbouring blocks slow each other
/// down: on a Zen 5, OpenSSL's AES-256-GCM in two threads sealed 14 GiB/s with chunks of one block of 256 KiB, and 32
/// GiB/s with two or more; chunks of one block of 1 MiB were as slow, and blocks of 16 KiB needed chunks of 1 MiB. The
/// effect was smaller for XOR and memcpy. Four tags share a cache line, so chunks of four blocks also give each core
/// its own lines of tags.
const CHUNK_BYTES: usize = 1 << 20;
const MIN_CHUNK_BLOCKS: usize = 4;

/// Return the largest number of blocks in a chunk of `dynamic`.
pub(super) fn max_chunk(run: &Run<'_>) -> usize {
    (CHUNK_BYTES / run.block_size()).max(MIN_CHUNK_BLOCKS)
}

/// Take chunks of half an equal share of the remaining blocks, at most `max_chunk`. Equally fast workers finish within
/// one block of each other, whatever the number of blocks.
///
/// Guided self-scheduling (Polychronopoulos and Kuck, 1987) takes the complete share; half of it leaves time to
/// compensate for a slow first chunk. The last chunks are single blocks.
fn self_schedule(run: &Run<'_>, max_chunk: usize, pinned: bool) -> Result<()> {
    let next = CachePadded::new(AtomicUsize::new(0));
    let (blocks, shares) = (run.blocks(), 2 * run.workers());
    let end = |first: usize| first + ((blocks - first) / shares).clamp(1, max_chunk);
    pool::run_workers(run.workers(), pinned, Participation::Optional, &|worker| {
        loop {
            let taken =
                next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |first| (first < blocks).then(|| end(first)));
            let Ok(first) = taken else { break };
            if !run.process_chunk(worker, first..end(first)) {
                break;
            }
        }
    })
}

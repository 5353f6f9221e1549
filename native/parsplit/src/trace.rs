use crate::{Error, Result};
use std::cell::UnsafeCell;
use std::time::Instant;

/// When one block was worked on and by which worker; times in nanoseconds since the run began.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The block's index.
    pub block: u64,
    /// The worker, 0 to the number of threads.
    pub thread: u64,
    /// The first of the neighbouring blocks that its worker was given together with it: of a leaf of Rayon's, of a run of
    /// `dynamic`; the block itself where a loop that is not the engine's hands out one at a time.
    pub leaf: u64,
    /// When it was begun.
    pub start_ns: u64,
    /// When it was done.
    pub end_ns: u64,
}

const NOT_DONE: u64 = u64::MAX;

/// A place per block, made before the clock starts, so that recording neither allocates nor locks.
pub(crate) struct Trace {
    start: Instant,
    spans: Vec<UnsafeCell<Span>>,
}

// SAFETY: each block has a place of its own and is done once, by one worker.
unsafe impl Sync for Trace {}

impl Trace {
    pub(crate) fn new(blocks: usize) -> Result<Self> {
        let mut spans = Vec::new();
        spans
            .try_reserve_exact(blocks)
            .map_err(|_| Error::Argument(format!("a trace of {blocks} blocks does not fit the memory")))?;
        let empty = Span { block: 0, thread: NOT_DONE, leaf: 0, start_ns: 0, end_ns: 0 };
        spans.extend((0..blocks).map(|_| UnsafeCell::new(empty)));
        Ok(Self { start: Instant::now(), spans })
    }

    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Notes that `worker` did `block`, of the leaf that begins with `leaf`, from `start_ns` until now.
    #[inline]
    pub(crate) fn record(&self, worker: usize, block: usize, leaf: usize, start_ns: u64) {
        if let Some(place) = self.spans.get(block) {
            let (thread, leaf) = (worker as u64, leaf as u64);
            let span = Span { block: block as u64, thread, leaf, start_ns, end_ns: self.now() };
            // SAFETY: see `impl Sync`.
            unsafe { place.get().write(span) }
        }
    }

    /// The blocks that were done, by index.
    pub(crate) fn into_spans(self) -> Vec<Span> {
        let spans = self.spans.into_iter().map(UnsafeCell::into_inner);
        spans.filter(|span| span.thread != NOT_DONE).collect()
    }
}

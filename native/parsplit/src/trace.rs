use crate::error::{Error, Result};
use std::cell::UnsafeCell;
use std::time::Instant;

/// The worker and the times of one block, in nanoseconds since the start of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the block.
    pub block: u64,
    /// Number of the worker, below the thread count.
    pub thread: u64,
    /// First block of the chunk that the worker received with this block: a leaf of Rayon's split, a chunk of
    /// `dynamic`; the block itself where a foreign loop assigns single blocks.
    pub leaf: u64,
    /// Start time.
    pub start_ns: u64,
    /// End time.
    pub end_ns: u64,
}

const UNPROCESSED: u64 = u64::MAX;

/// One entry per block, allocated before the clock starts, so that recording neither allocates nor locks.
pub(crate) struct Trace {
    start: Instant,
    spans: Vec<UnsafeCell<Span>>,
}

// SAFETY: each block has its own entry and is processed once, by one worker.
unsafe impl Sync for Trace {}

impl Trace {
    pub(crate) fn new(blocks: usize) -> Result<Self> {
        let mut spans = Vec::new();
        spans
            .try_reserve_exact(blocks)
            .map_err(|_| Error::Argument(format!("a trace of {blocks} blocks does not fit in memory")))?;
        let empty = Span { block: 0, thread: UNPROCESSED, leaf: 0, start_ns: 0, end_ns: 0 };
        spans.extend((0..blocks).map(|_| UnsafeCell::new(empty)));
        Ok(Self { start: Instant::now(), spans })
    }

    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Record that `worker` processed `block`, of the chunk that begins with `leaf`, from `start_ns` until now.
    #[inline]
    pub(crate) fn record(&self, worker: usize, block: usize, leaf: usize, start_ns: u64) {
        if let Some(entry) = self.spans.get(block) {
            let (thread, leaf) = (worker as u64, leaf as u64);
            let span = Span { block: block as u64, thread, leaf, start_ns, end_ns: self.now() };
            // SAFETY: see `impl Sync`.
            unsafe { entry.get().write(span) }
        }
    }

    /// Return the spans of the processed blocks, ordered by block.
    pub(crate) fn into_spans(self) -> Vec<Span> {
        let spans = self.spans.into_iter().map(UnsafeCell::into_inner);
        spans.filter(|span| span.thread != UNPROCESSED).collect()
    }
}

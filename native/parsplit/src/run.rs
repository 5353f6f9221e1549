use crate::trace::Trace;
use crate::{Error, Result};
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a worker does with a block: `work(worker, block)`.
pub(crate) type Work<'a> = &'a (dyn Fn(usize, usize) -> Result<()> + Sync);

/// The blocks of one message, to be done once each by workers 0 to `threads`. A schedule hands them out; this keeps
/// what all schedules share: the first failure, the word that stops the others, the trace.
pub(crate) struct Run<'a> {
    threads: usize,
    blocks: usize,
    block_size: usize,
    work: Work<'a>,
    cancel: Option<&'a AtomicBool>,
    trace: Option<&'a Trace>,
    stop: AtomicBool,
    began: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl<'a> Run<'a> {
    /// `blocks` of `block_size` bytes, both at least 1.
    pub(crate) fn new(threads: usize, blocks: usize, block_size: usize, work: Work<'a>) -> Self {
        let (stop, began) = (AtomicBool::new(false), AtomicBool::new(false));
        let failure = Mutex::new(None);
        Self { threads, blocks, block_size, work, cancel: None, trace: None, stop, began, failure }
    }

    /// With a word that stops the run when somebody sets it.
    pub(crate) fn cancelled_by(self, cancel: Option<&'a AtomicBool>) -> Self {
        Self { cancel, ..self }
    }

    /// With a place for the times of each block.
    pub(crate) fn traced_to(self, trace: Option<&'a Trace>) -> Self {
        Self { trace, ..self }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    pub(crate) fn block_size(&self) -> usize {
        self.block_size
    }

    /// Workers that have anything to do.
    pub(crate) fn workers(&self) -> usize {
        self.threads.min(self.blocks)
    }

    /// Does one block that was handed out alone, as [`Self::block_of`].
    #[inline]
    pub(crate) fn block(&self, worker: usize, block: usize) -> bool {
        self.block_of(worker, block, block)
    }

    /// Does one block of those that were handed out together, the first being `leaf`; false means that the run is over.
    /// Calls with the same `worker` must not overlap.
    #[inline]
    pub(crate) fn block_of(&self, worker: usize, block: usize, leaf: usize) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            self.fail(Error::Interrupted);
            return false;
        }
        // Looked at first: the line stays shared by all cores.
        if !self.began.load(Ordering::Relaxed) {
            self.began.store(true, Ordering::Relaxed);
        }
        let done = catch_unwind(AssertUnwindSafe(|| match self.trace {
            None => (self.work)(worker, block),
            Some(trace) => {
                let start = trace.now();
                let done = (self.work)(worker, block);
                trace.record(worker, block, leaf, start);
                done
            }
        }));
        match done {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => self.fail(error),
            Err(panic) => self.fail(Error::Panic(said(&*panic))),
        }
        false
    }

    /// Does a range of blocks, or as much of it as there is before the run is over.
    #[inline]
    pub(crate) fn range(&self, worker: usize, mut blocks: Range<usize>) -> bool {
        let leaf = blocks.start;
        blocks.all(|block| self.block_of(worker, block, leaf))
    }

    /// Whether the run is over before its end.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops the run; the first failure is what the caller hears of.
    pub(crate) fn fail(&self, error: Error) {
        self.stop.store(true, Ordering::Relaxed);
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Whether any block was begun, so that the output may hold something.
    pub(crate) fn began(&self) -> bool {
        self.began.load(Ordering::Relaxed)
    }

    /// What came of it.
    pub(crate) fn outcome(self) -> Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// The words of a panic.
pub(crate) fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given").to_owned()
}

use crate::dead_stack::clear_dead_stack;
use crate::error::{Error, Result};
use crate::trace::Trace;
use aeadlab_abi::Algorithm;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The function that processes one block: `process(worker, block)`.
pub(crate) type ProcessBlock<'a> = &'a (dyn Fn(usize, usize) -> Result<()> + Sync);

/// One pass over the blocks of a message by workers numbered below `threads`. A schedule assigns the blocks; the run
/// holds the state that all schedules share: the first error, the cancellation, the trace.
pub(crate) struct Run<'a> {
    threads: usize,
    blocks: usize,
    block_size: usize,
    process: ProcessBlock<'a>,
    cancel: Option<&'a AtomicBool>,
    trace: Option<&'a Trace>,
    algorithm: Option<&'static Algorithm>,
    stopped: AtomicBool,
    started: AtomicBool,
    first_error: Mutex<Option<Error>>,
}

impl<'a> Run<'a> {
    /// `blocks` of `block_size` bytes, both at least 1.
    pub(crate) fn new(threads: usize, blocks: usize, block_size: usize, process: ProcessBlock<'a>) -> Self {
        let (stopped, started) = (AtomicBool::new(false), AtomicBool::new(false));
        let first_error = Mutex::new(None);
        Self {
            threads,
            blocks,
            block_size,
            process,
            cancel: None,
            trace: None,
            algorithm: None,
            stopped,
            started,
            first_error,
        }
    }

    /// Stop the run with [`Error::Interrupted`] when another thread sets the flag.
    pub(crate) fn with_cancel_flag(self, cancel: Option<&'a AtomicBool>) -> Self {
        Self { cancel, ..self }
    }

    pub(crate) fn with_trace(self, trace: Option<&'a Trace>) -> Self {
        Self { trace, ..self }
    }

    /// State the algorithm whose key the workers may leave in their stacks.
    pub(crate) fn with_algorithm(self, algorithm: &'static Algorithm) -> Self {
        Self { algorithm: Some(algorithm), ..self }
    }

    /// Overwrite what the blocks that this thread processed left of the key. A schedule calls this after the last block
    /// of each chunk, because a worker has no other end.
    #[inline]
    pub(crate) fn clear_key(&self) {
        if let Some(algorithm) = self.algorithm {
            clear_dead_stack(algorithm);
        }
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

    /// Number of workers that receive at least one block.
    pub(crate) fn workers(&self) -> usize {
        self.threads.min(self.blocks)
    }

    /// Process one block of the chunk that begins with `leaf`; false means that the run has stopped. Calls with the
    /// same `worker` must not overlap.
    #[inline]
    pub(crate) fn process_block(&self, worker: usize, block: usize, leaf: usize) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return false;
        }
        if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            self.fail(Error::Interrupted);
            return false;
        }
        // The load keeps the cache line shared by all cores after the first store.
        if !self.started.load(Ordering::Relaxed) {
            self.started.store(true, Ordering::Relaxed);
        }
        let result = catch_unwind(AssertUnwindSafe(|| match self.trace {
            None => (self.process)(worker, block),
            Some(trace) => {
                let start = trace.now();
                let result = (self.process)(worker, block);
                trace.record(worker, block, leaf, start);
                result
            }
        }));
        match result {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => self.fail(error),
            Err(panic) => self.fail(Error::from_panic(&*panic)),
        }
        false
    }

    /// Process a chunk of neighbouring blocks in order until the run stops; false means that it has stopped.
    #[inline]
    pub(crate) fn process_chunk(&self, worker: usize, mut blocks: Range<usize>) -> bool {
        let leaf = blocks.start;
        let completed = blocks.all(|block| self.process_block(worker, block, leaf));
        self.clear_key();
        completed
    }

    /// Return whether an error or a cancellation has stopped the run.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stop the run. The first error is the result of the run.
    pub(crate) fn fail(&self, error: Error) {
        self.stopped.store(true, Ordering::Relaxed);
        self.first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Return whether any block was started, so that the output may contain data.
    pub(crate) fn started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    /// Return the first error, if any.
    pub(crate) fn into_result(self) -> Result<()> {
        self.first_error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

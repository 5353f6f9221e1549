//! Sealing and opening of neighbouring chunks on all threads.

use super::material::{AssociatedData, Chunking, MARKER, MARKER_BYTES, Material, NONCE_BYTES, Nonces};
use crate::buffers::require_disjoint;
use crate::context::Context;
use crate::dead_stack::{ClearDeadStack, clear_dead_stack};
use crate::error::{Error, Result};
use crate::limits::check_lengths;
use crate::prefetch::prefetch_block;
use crate::run::Run;
use crate::splitter::ParSplit;
use crate::wipe::wipe;
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The context of one worker, and the first chunk that has its key.
type ContextSlot = CachePadded<UnsafeCell<Option<(u64, Context)>>>;

/// Bytes of one batch per thread if chunks are shorter: with fewer, waking the threads takes longer than their work.
/// The value for Miri keeps its run time short.
const BATCH_BYTES_PER_THREAD: usize = if cfg!(miri) { 64 } else { 1 << 20 };

/// Buffers that hold a batch at the same time: its ciphertext, its plaintext, and a copy of one of them for the caller.
const BUFFERS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Seal,
    Open,
}

/// The chunks of one message: a keyed AEAD for each worker.
pub(super) struct Chunks {
    splitter: ParSplit,
    material: Material,
    contexts: Vec<ContextSlot>,
    batch: usize,
    pub(super) cancel: Option<Arc<AtomicBool>>,
}

// SAFETY: the contexts are reached through `&mut self` alone.
unsafe impl Sync for Chunks {}

impl Chunks {
    /// Set up the key of the first chunk.
    pub(super) fn new(splitter: &ParSplit, material: Material) -> Result<Self> {
        let _clear = ClearDeadStack(splitter.algorithm);
        let splitter = splitter.resized(material.chunking.chunk_bytes, splitter.threads)?;
        let batch = batch_chunks(&splitter, &material.chunking)?;
        if let AssociatedData::First(ad) = &material.associated_data {
            check_lengths(splitter.algorithm, 0, ad.len())?;
        }
        let first = (0, Context::new(splitter.algorithm, &material.keys.key(0)?)?);
        let mut contexts: Vec<ContextSlot> = vec![CachePadded::new(UnsafeCell::new(Some(first)))];
        contexts.resize_with(splitter.threads, || CachePadded::new(UnsafeCell::new(None)));
        Ok(Self { splitter, material, contexts, batch, cancel: None })
    }

    pub(super) fn chunking(&self) -> &Chunking {
        &self.material.chunking
    }

    /// Recommended number of chunks for one call.
    pub(super) fn batch(&self) -> usize {
        self.batch
    }

    /// Seal or open `chunks` from index `first` on, which have `bytes` of plaintext. After an error the output is wiped,
    /// unless no chunk was started.
    ///
    /// # Safety
    /// The buffers are valid for `bytes` and for these with the overhead of each chunk, in the order of the operation.
    pub(super) unsafe fn process(
        &mut self,
        operation: Operation,
        (first, chunks, last): (u64, usize, bool),
        bytes: usize,
        input: *const u8,
        output: *mut u8,
    ) -> Result<()> {
        let chunking = self.material.chunking;
        let sealed = bytes + chunks * chunking.overhead();
        let (input_bytes, output_bytes) = match operation {
            Operation::Seal => (bytes, sealed),
            Operation::Open => (sealed, bytes),
        };
        require_disjoint(input, input_bytes, output, output_bytes)?;
        let mut random = Vec::new();
        if operation == Operation::Seal && matches!(self.material.nonces, Nonces::Stored) {
            random.resize(chunks * NONCE_BYTES, 0);
            getrandom::fill(&mut random)
                .map_err(|e| Error::Argument(format!("the operating system provides no random bytes: {e}")))?;
        }
        let ParSplit { algorithm, threads, schedule, serial_below, .. } = self.splitter;
        let (material, contexts) = (&self.material, self.contexts.as_slice());
        let batch = Batch {
            material,
            contexts,
            splitter: &self.splitter,
            operation,
            first,
            chunks,
            last,
            bytes,
            input,
            output,
            random,
        };
        let process = |worker, index| batch.process_chunk(worker, index);
        let run = Run::new(threads, chunks, chunking.chunk_bytes, &process)
            .with_cancel_flag(self.cancel.as_deref())
            .with_algorithm(algorithm);
        if chunks == 1 || bytes < serial_below {
            run.process_chunk(0, 0..chunks);
        } else {
            schedule.run(&run);
        }
        let started = run.started();
        let result = run.into_result();
        if result.is_err() && started {
            // SAFETY: the caller's promise; the workers have finished.
            unsafe { wipe(output, output_bytes, threads, false) };
        }
        result
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.contexts.clear();
        clear_dead_stack(self.splitter.algorithm);
    }
}

/// Return the number of chunks in a batch: 1 MiB or one chunk for each thread, or fewer within the limit of memory. One
/// byte beyond a batch is read ahead.
fn batch_chunks(splitter: &ParSplit, chunking: &Chunking) -> Result<usize> {
    let sealed_chunk = chunking.sealed_chunk();
    let (limit, needed) = (splitter.stream_memory(), BUFFERS * sealed_chunk + 1);
    crate::error::ensure!(
        needed <= limit,
        "blocks of {} bytes need buffers of {needed} bytes, but max_memory is {limit}: set max_memory to {needed} or more \
         if the stream comes from a trusted source",
        chunking.chunk_bytes
    );
    let wanted = splitter.threads() * (BATCH_BYTES_PER_THREAD / chunking.chunk_bytes).max(1);
    Ok(wanted.min((limit - 1) / (BUFFERS * sealed_chunk)))
}

/// Neighbouring chunks in progress, shared by the workers.
struct Batch<'a> {
    material: &'a Material,
    contexts: &'a [ContextSlot],
    splitter: &'a ParSplit,
    operation: Operation,
    first: u64,
    chunks: usize,
    last: bool,
    bytes: usize,
    input: *const u8,
    output: *mut u8,
    /// A nonce for each chunk, if they are random.
    random: Vec<u8>,
}

// SAFETY: chunks are disjoint in `output`, and `Schedule::run` assigns each to one worker; a context is used only by the
// worker of its index, whose calls `Schedule::run` never makes concurrently.
unsafe impl Sync for Batch<'_> {}

impl Batch<'_> {
    /// Return the context of a worker with the key of a chunk.
    ///
    /// # Safety
    /// No other reference to the context of this worker exists.
    #[inline]
    #[allow(clippy::mut_from_ref)] // the context is in a cell of its worker
    unsafe fn context(&self, worker: usize, chunk: u64) -> Result<&mut Context> {
        // SAFETY: the caller's promise.
        let slot = unsafe { &mut *self.contexts[worker].get() };
        let epoch = self.material.keys.epoch(chunk);
        let kept = match slot.take() {
            Some(kept) if kept.0 == epoch => kept,
            _ => (epoch, Context::new(self.splitter.algorithm, &self.material.keys.key(epoch)?)?),
        };
        Ok(&mut slot.insert(kept).1)
    }

    #[inline]
    fn process_chunk(&self, worker: usize, index: usize) -> Result<()> {
        let chunking = &self.material.chunking;
        let (chunk, last) = (self.first + index as u64, self.last && index + 1 == self.chunks);
        // SAFETY: see `impl Sync`.
        let context = unsafe { self.context(worker, chunk)? };
        let plain = chunking.plain_bytes(self.first, index);
        let bytes = chunking.plain_bytes(self.first, index + 1).min(self.bytes) - plain;
        let sealed = chunking.sealed_bytes(self.first, index);
        let (text, tag) = (sealed + chunking.prefix_bytes, sealed + chunking.prefix_bytes + bytes);
        let (from, to) = match self.operation {
            Operation::Seal => (plain, text),
            Operation::Open => (text, plain),
        };
        let (input, output) = (self.input.wrapping_add(from), self.output.wrapping_add(to));
        prefetch_block(input, output, bytes);
        let position = position(chunk, last);
        let ad: &[u8] = match &self.material.associated_data {
            AssociatedData::First(ad) if chunk == 0 => ad,
            AssociatedData::None | AssociatedData::First(_) => &[],
            AssociatedData::Position => &position,
        };
        let mut call = |nonce: &[u8]| {
            // SAFETY: by the promise of `Chunks::process` the chunk lies in both buffers, and its tag in the sealed one.
            unsafe {
                match self.operation {
                    Operation::Seal => context.seal(nonce, ad, input, bytes, output, self.output.wrapping_add(tag)),
                    Operation::Open => context.open(nonce, ad, input, bytes, output, self.input.wrapping_add(tag)),
                }
            }
        };
        match &self.material.nonces {
            Nonces::Stream(nonces) => nonces.with(chunk as usize, last, call),
            Nonces::Counter => {
                let mut nonce = [0; NONCE_BYTES];
                nonce[3..].copy_from_slice(&position);
                call(&nonce)
            }
            Nonces::Xor(base) => {
                let mut nonce = *base;
                nonce[4..].iter_mut().zip(chunk.to_be_bytes()).for_each(|(byte, index)| *byte ^= index);
                call(&nonce)
            }
            Nonces::Stored => {
                let length = if last { (tag - sealed + self.material.chunking.tag_bytes) as u32 } else { MARKER };
                let mut prefix = [0; MARKER_BYTES + NONCE_BYTES];
                prefix[..MARKER_BYTES].copy_from_slice(&length.to_be_bytes());
                // SAFETY: as above: the prefix precedes the text.
                unsafe {
                    match self.operation {
                        Operation::Seal => {
                            prefix[MARKER_BYTES..].copy_from_slice(&self.random[index * NONCE_BYTES..][..NONCE_BYTES]);
                            self.output.add(sealed).copy_from_nonoverlapping(prefix.as_ptr(), prefix.len());
                        }
                        Operation::Open => {
                            let expected = prefix;
                            self.input.add(sealed).copy_to_nonoverlapping(prefix.as_mut_ptr(), prefix.len());
                            if prefix[..MARKER_BYTES] != expected[..MARKER_BYTES] {
                                return Err(Error::Authentication);
                            }
                        }
                    }
                }
                call(&prefix[MARKER_BYTES..])
            }
        }
    }
}

/// Return `be64(chunk) ‖ last`.
#[inline]
fn position(chunk: u64, last: bool) -> [u8; 9] {
    let mut position = [0; 9];
    position[..8].copy_from_slice(&chunk.to_be_bytes());
    position[8] = u8::from(last);
    position
}

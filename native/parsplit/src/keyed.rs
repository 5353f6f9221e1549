//! Sealing and opening of whole messages under one key.

use crate::buffers::{output_prefix, require_disjoint};
use crate::context::Context;
use crate::cores::last_level_cache_bytes;
use crate::dead_stack::{ClearDeadStack, clear_dead_stack};
use crate::error::{Result, ensure};
use crate::layout::Layout;
use crate::limits::check_lengths;
use crate::message::{BlockRange, ContextSlot, Message, Operation};
use crate::nonce::Nonces;
use crate::run::Run;
use crate::splitter::ParSplit;
use crate::trace::{Span, Trace};
use crate::wipe::wipe;
use aeadlab_abi as abi;
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zeroize::Zeroizing;

/// A [`ParSplit`] with its key: one context per worker, created by the worker that first needs it, and kept.
pub struct Keyed {
    splitter: ParSplit,
    key: Zeroizing<Vec<u8>>,
    contexts: Vec<ContextSlot>,
    /// Whether it is dropped after one message, which overwrites the stack of that thread.
    once: bool,
    cancel: Option<Arc<AtomicBool>>,
    fresh: bool,
    traced: bool,
    spans: Vec<Span>,
}

// SAFETY: the contexts are reached through `&mut self` alone.
unsafe impl Sync for Keyed {}

fn empty_context() -> ContextSlot {
    CachePadded::new(UnsafeCell::new(None))
}

/// Bytes of neighbouring blocks that one call processes, if the library offers it. The start of a call of the lab's
/// AES-GCM kernel takes as long as 1 to 2 KiB of its message.
const CALL_BYTES: usize = 256 << 10;
/// Minimum number of calls per worker, so that a short message is still divided evenly.
const CALLS_PER_WORKER: usize = 8;

/// Return the number of neighbouring blocks that one call processes.
fn blocks_per_call(layout: Layout, workers: usize) -> usize {
    let most = CALL_BYTES / layout.block_size();
    let even = if workers == 1 { most } else { layout.blocks() / (workers * CALLS_PER_WORKER) };
    most.min(even).max(1)
}

impl ParSplit {
    /// Set up a key for any number of messages.
    ///
    /// # Errors
    /// A key of the wrong length, or one that the library rejects.
    pub fn key(&self, key: &[u8]) -> Result<Keyed> {
        let _clear = ClearDeadStack(self.algorithm);
        let mut keyed = self.key_once(key)?;
        keyed.once = false;
        Ok(keyed)
    }

    /// [`ParSplit::key`] for one message. What the key leaves in the stack of this thread is overwritten once, when the
    /// result is dropped, and not after each step.
    ///
    /// # Errors
    /// As [`ParSplit::key`].
    pub fn key_once(&self, key: &[u8]) -> Result<Keyed> {
        let first = Context::new(self.algorithm, key).inspect_err(|_| clear_dead_stack(self.algorithm))?;
        let mut contexts = vec![CachePadded::new(UnsafeCell::new(Some(first)))];
        contexts.resize_with(self.threads, empty_context);
        let key = Zeroizing::new(key.to_vec());
        Ok(Keyed {
            splitter: *self,
            key,
            contexts,
            once: true,
            cancel: None,
            fresh: false,
            traced: false,
            spans: Vec::new(),
        })
    }
}

impl Keyed {
    /// The ParSplit that the key was set up for.
    #[must_use]
    pub fn splitter(&self) -> &ParSplit {
        &self.splitter
    }

    /// Seal `input` into `output`, ciphertext first, then the tags; return the number of bytes written.
    ///
    /// # Errors
    /// A nonce or output of the wrong length, associated data above the algorithm's limit, more than 2^32 blocks, or an
    /// error of the library, after which the output is wiped.
    pub fn seal(&mut self, nonce: &[u8], ad: &[u8], input: &[u8], output: &mut [u8]) -> Result<usize> {
        let layout = self.splitter.layout(input.len())?;
        let output = output_prefix(output, layout.sealed_bytes())?;
        let (text, tags) = output.split_at_mut(layout.bytes());
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_raw(nonce, ad, input.as_ptr(), input.len(), text.as_mut_ptr(), tags.as_mut_ptr())? };
        Ok(layout.sealed_bytes())
    }

    /// Seal the first `bytes` of `buffer` in place and write the tags behind them; return the number of bytes written.
    ///
    /// # Errors
    /// As [`Keyed::seal`], and an algorithm that cannot work in place.
    pub fn seal_in_place(&mut self, nonce: &[u8], ad: &[u8], buffer: &mut [u8], bytes: usize) -> Result<usize> {
        let layout = self.splitter.layout(bytes)?;
        let buffer = output_prefix(buffer, layout.sealed_bytes())?;
        let (text, tags) = buffer.split_at_mut(bytes);
        let text = text.as_mut_ptr();
        // SAFETY: `text` and `tags` are the two parts of one mutable slice.
        unsafe { self.seal_raw(nonce, ad, text, bytes, text, tags.as_mut_ptr())? };
        Ok(layout.sealed_bytes())
    }

    /// Open `sealed` into `output`; return the length of the message in bytes.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if any block fails, with the output wiped; otherwise as
    /// [`Keyed::seal`].
    pub fn open(&mut self, nonce: &[u8], ad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<usize> {
        let layout = self.splitter.layout_of_sealed(sealed.len())?;
        let output = output_prefix(output, layout.bytes())?;
        let (text, tags) = sealed.split_at(layout.bytes());
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_raw(nonce, ad, text.as_ptr(), text.len(), output.as_mut_ptr(), tags.as_ptr())? };
        Ok(layout.bytes())
    }

    /// Open `buffer` in place; return the length in bytes of the message, which the buffer then begins with.
    ///
    /// # Errors
    /// As [`Keyed::open`]. The ciphertext is lost when a block fails: the buffer is the output that is wiped.
    pub fn open_in_place(&mut self, nonce: &[u8], ad: &[u8], buffer: &mut [u8]) -> Result<usize> {
        let layout = self.splitter.layout_of_sealed(buffer.len())?;
        let (text, tags) = buffer.split_at_mut(layout.bytes());
        let text = text.as_mut_ptr();
        // SAFETY: `text` and `tags` are the two parts of one mutable slice.
        unsafe { self.open_raw(nonce, ad, text, layout.bytes(), text, tags.as_ptr())? };
        Ok(layout.bytes())
    }

    /// [`Keyed::seal`] on raw memory, for callers whose buffers Rust cannot borrow. It also fails with
    /// [`Error::Overlap`](crate::Error::Overlap) if buffers overlap without being equal.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes`, `tags` for [`Layout::tags_bytes`] of the message.
    pub unsafe fn seal_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tags: *mut u8,
    ) -> Result<()> {
        let layout = self.splitter.layout(bytes)?;
        require_disjoint(input, bytes, tags, layout.tags_bytes())?;
        require_disjoint(output, bytes, tags, layout.tags_bytes())?;
        self.process(layout, BlockRange::ALL, nonce, ad, input, output, Operation::Seal { tags })
    }

    /// [`Keyed::open`] on raw memory, as [`Keyed::seal_raw`].
    ///
    /// # Safety
    /// As [`Keyed::seal_raw`]; `tags` is read.
    pub unsafe fn open_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tags: *const u8,
    ) -> Result<()> {
        let layout = self.splitter.layout(bytes)?;
        require_disjoint(output, bytes, tags, layout.tags_bytes())?;
        self.process(layout, BlockRange::ALL, nonce, ad, input, output, Operation::Open { tags })
    }

    /// Process all blocks of `layout`, which are `range` of their message. After an error the output is wiped, unless
    /// no block was started. The pointers are valid for the layout, and the tags disjoint from the output.
    #[allow(clippy::too_many_arguments)] // a message and its range of blocks
    pub(crate) fn process(
        &mut self,
        layout: Layout,
        range: BlockRange,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        output: *mut u8,
        operation: Operation,
    ) -> Result<()> {
        let ParSplit { algorithm, block_size, threads, schedule, serial_below, rekeying, .. } = self.splitter;
        check_lengths(algorithm, 0, ad.len())?;
        let in_place = input == output.cast_const();
        ensure!(
            !in_place || layout.bytes() == 0 || algorithm.has(abi::IN_PLACE),
            "the algorithm cannot work in place: give a separate output"
        );
        if !in_place {
            require_disjoint(input, layout.bytes(), output, layout.bytes())?;
        }
        let message = Message {
            layout,
            range,
            nonces: Nonces::new(nonce, algorithm.nonce_bytes as usize)?,
            ad,
            input,
            output,
            operation,
            key: &self.key,
            algorithm,
            contexts: &self.contexts,
            rekeying,
            past_cache: !in_place && layout.bytes() >= last_level_cache_bytes(),
        };
        let serial = layout.blocks() == 1 || layout.bytes() < serial_below;
        let many = algorithm.has(abi::MANY) && !rekeying && !self.traced;
        let per_call = if many { blocks_per_call(layout, if serial { 1 } else { threads }) } else { 1 };
        self.spans = Vec::new();
        let trace = if self.traced { Some(Trace::new(layout.blocks())?) } else { None };
        // The schedules assign calls where they otherwise assign blocks.
        let calls = layout.blocks().div_ceil(per_call);
        let process_call = |worker, call: usize| {
            let first = call * per_call;
            message.process_blocks(worker, first..layout.blocks().min(first + per_call))
        };
        let run = Run::new(threads, calls, block_size.saturating_mul(per_call), &process_call)
            .with_cancel_flag(self.cancel.as_deref())
            .with_trace(trace.as_ref());
        let run = if serial && self.once { run } else { run.with_algorithm(algorithm) };
        if serial {
            run.process_chunk(0, 0..calls);
        } else {
            schedule.run(&run);
        }
        let started = run.started();
        let result = run.into_result();
        if result.is_err() && started {
            // SAFETY: the callers' promises; the workers have finished.
            unsafe {
                wipe(output, layout.bytes(), threads, self.fresh);
                if let Operation::Seal { tags } = operation {
                    wipe(tags, layout.tags_bytes(), threads, self.fresh);
                }
            }
        }
        self.spans = trace.map(Trace::into_spans).unwrap_or_default();
        result
    }

    /// Change the block size and the thread count for later messages. Contexts that were set up are kept.
    ///
    /// # Errors
    /// As [`ParSplit::new`]; the settings are then unchanged.
    pub fn resize(&mut self, block_size: usize, threads: usize) -> Result<()> {
        self.splitter = self.splitter.resized(block_size, threads)?;
        self.contexts.resize_with(threads, empty_context);
        Ok(())
    }

    /// Stop later calls with [`Error::Interrupted`](crate::Error::Interrupted) and a wiped output when another thread
    /// sets the flag. The flag is read before each block, so a call continues for at most one block, or for the blocks
    /// that the library processes at once, at most 256 KiB of them.
    pub fn set_cancel_flag(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.cancel = flag;
    }

    /// State that the output of later calls is newly allocated anonymous memory that no other code has seen: wiping it
    /// may then return its pages to the system.
    pub fn set_fresh_output(&mut self, fresh: bool) {
        self.fresh = fresh;
    }

    /// Record the worker and the times of each block in later calls. A library that processes several blocks at once
    /// then processes them one by one.
    pub fn set_traced(&mut self, traced: bool) {
        self.traced = traced;
    }

    /// The spans of the last call, ordered by block; empty unless it was traced.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        self.contexts.clear();
        clear_dead_stack(self.splitter.algorithm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::schedules::Schedule;
    use crate::test_cipher::COPY;

    #[test]
    fn a_worker_panic_is_an_error_and_wipes_the_output() {
        for (name, schedule) in Schedule::ALL {
            let splitter = ParSplit::new(&COPY, 64, 4, *schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&[]).unwrap();
            // The other workers panic, because their context slot is missing.
            keyed.contexts.truncate(1);
            let mut output = vec![0xee; 64 * 100];
            let failed = keyed.seal(&[], &[], &[7; 64 * 100], &mut output);
            assert!(
                matches!(&failed, Err(Error::Panic(message)) if message.contains("index out of bounds")),
                "{name}: {failed:?}"
            );
            assert!(output.iter().all(|&byte| byte == 0), "{name}: the output is not wiped");
        }
    }
}

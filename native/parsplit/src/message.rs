//! The parameters of one message, and the processing of one of its blocks.

use crate::context::Context;
use crate::error::Result;
use crate::layout::Layout;
use crate::nonce::Nonces;
use crate::prefetch::prefetch_block;
use aeadlab_abi::Algorithm;
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;

/// The context of one worker, created with its first block.
pub(crate) type ContextSlot = CachePadded<UnsafeCell<Option<Context>>>;

/// The operation on each block.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Seal { tags: *mut u8 },
    Open { tags: *const u8 },
}

/// The neighbouring blocks of a message that one call processes, and the position of their tags.
#[derive(Clone, Copy)]
pub(crate) struct BlockRange {
    /// Index of the first block in the message.
    pub(crate) first: usize,
    /// Whether the range includes the last block of the message.
    pub(crate) last: bool,
    /// Whether each block is followed by its tag; otherwise the tags have a separate buffer.
    pub(crate) interleaved_tags: bool,
}

impl BlockRange {
    /// All blocks of a message, with separate tags.
    pub(crate) const ALL: Self = Self { first: 0, last: true, interleaved_tags: false };

    /// Bytes of the ciphertext buffer, including interleaved tags.
    pub(crate) const fn ciphertext_bytes(&self, layout: Layout) -> usize {
        if self.interleaved_tags { layout.sealed_bytes() } else { layout.bytes() }
    }
}

/// A message in progress, shared by the workers.
pub(crate) struct Message<'a> {
    pub(crate) layout: Layout,
    pub(crate) range: BlockRange,
    pub(crate) nonces: Nonces,
    pub(crate) ad: &'a [u8],
    pub(crate) input: *const u8,
    pub(crate) output: *mut u8,
    pub(crate) operation: Operation,
    pub(crate) key: &'a [u8],
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) contexts: &'a [ContextSlot],
    /// Whether each block has a context of its own.
    pub(crate) rekeying: bool,
}

// SAFETY: blocks are disjoint in `output` and in the tags, and `Schedule::run` assigns each block to one worker; a
// context is used only by the worker of its index, whose calls `Schedule::run` never makes concurrently.
unsafe impl Sync for Message<'_> {}

impl Message<'_> {
    /// Process one block with the context of one worker.
    #[inline]
    pub(crate) fn process_block(&self, worker: usize, index: usize) -> Result<()> {
        // SAFETY: see `impl Sync`: no other reference to this context exists now.
        let slot = unsafe { &mut *self.contexts[worker].get() };
        let context = match slot {
            Some(context) if !self.rekeying => context,
            _ => slot.insert(Context::new(self.algorithm, self.key)?),
        };
        let block = self.layout.block_range(index);
        let index_in_message = self.range.first + index;
        let ad = if index_in_message == 0 { self.ad } else { &[] };
        let last = self.range.last && self.layout.is_last(index);
        // An interleaved tag shifts every later block of the ciphertext by its length.
        let (plaintext, tag) = (block.start, self.layout.tag_offset(index));
        let (ciphertext, tag) =
            if self.range.interleaved_tags { (plaintext + tag, block.end + tag) } else { (plaintext, tag) };
        let (from, to) = match self.operation {
            Operation::Seal { .. } => (plaintext, ciphertext),
            Operation::Open { .. } => (ciphertext, plaintext),
        };
        let (input, output, bytes) = (self.input.wrapping_add(from), self.output.wrapping_add(to), block.len());
        prefetch_block(input, output, bytes);
        self.nonces.with(index_in_message, last, |nonce| {
            // SAFETY: by the layout given to `Keyed::process` the block lies in both buffers, and the tag in the tags.
            unsafe {
                match self.operation {
                    Operation::Seal { tags } => context.seal(nonce, ad, input, bytes, output, tags.wrapping_add(tag)),
                    Operation::Open { tags } => context.open(nonce, ad, input, bytes, output, tags.wrapping_add(tag)),
                }
            }
        })
    }
}

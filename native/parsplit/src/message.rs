//! The parameters of one message, and the processing of its blocks.

use crate::context::Context;
use crate::error::Result;
use crate::layout::Layout;
use crate::nonce::Nonces;
use crate::prefetch::prefetch_block;
use aeadlab_abi::{self as abi, Algorithm, Blocks};
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::ops::Range;

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
}

impl BlockRange {
    /// All blocks of a message.
    pub(crate) const ALL: Self = Self { first: 0, last: true };
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
    /// Whether the output is longer than the last-level cache.
    pub(crate) past_cache: bool,
}

// SAFETY: blocks are disjoint in `output` and in the tags, and `Schedule::run` assigns each block to one worker; a
// context is used only by the worker of its index, whose calls `Schedule::run` never makes concurrently.
unsafe impl Sync for Message<'_> {}

impl Message<'_> {
    /// Process neighbouring blocks, at least one, with the context of one worker: in one call if the library offers it.
    #[inline]
    pub(crate) fn process_blocks(&self, worker: usize, indices: Range<usize>) -> Result<()> {
        // SAFETY: see `impl Sync`: no other reference to this context exists now.
        let slot = unsafe { &mut *self.contexts[worker].get() };
        if self.rekeying || !self.algorithm.has(abi::MANY) {
            for index in indices {
                let context = match slot {
                    Some(context) if !self.rekeying => context,
                    _ => slot.insert(Context::new(self.algorithm, self.key)?),
                };
                self.process_one(context, index)?;
            }
            return Ok(());
        }
        let context = match slot {
            Some(context) => context,
            None => slot.insert(Context::new(self.algorithm, self.key)?),
        };
        self.process_many(context, indices)
    }

    fn process_one(&self, context: &mut Context, index: usize) -> Result<()> {
        let Place { input, output, tag, bytes } = self.place(index);
        let index_in_message = self.range.first + index;
        let ad = if index_in_message == 0 { self.ad } else { &[] };
        let last = self.range.last && self.layout.is_last(index);
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

    fn process_many(&self, context: &mut Context, indices: Range<usize>) -> Result<()> {
        let (block_bytes, tag_bytes) = (self.layout.block_size(), self.layout.tag_offset(1));
        let Place { input, output, tag, bytes } = self.place(indices.start);
        let first = self.range.first + indices.start;
        let ad = if first == 0 { self.ad } else { &[] };
        let (tags, sealing) = match self.operation {
            Operation::Seal { tags } => (tags, true),
            Operation::Open { tags } => (tags.cast_mut(), false),
        };
        prefetch_block(input, output, bytes);
        self.nonces.with(first, false, |nonce| {
            let blocks = Blocks {
                nonce: nonce.as_ptr(),
                nonce_bytes: nonce.len(),
                last: u32::from(self.range.last && self.layout.is_last(indices.end - 1)),
                hints: if self.past_cache { abi::PAST_CACHE } else { 0 },
                ad: ad.as_ptr(),
                ad_bytes: ad.len(),
                count: indices.len(),
                block_bytes,
                last_bytes: self.layout.block_range(indices.end - 1).len(),
                input,
                in_stride: block_bytes,
                output,
                out_stride: block_bytes,
                tags: tags.wrapping_add(tag),
                tag_stride: tag_bytes,
            };
            // SAFETY: by the layout given to `Keyed::process` all blocks lie in both buffers, and the tags in the tags.
            unsafe { if sealing { context.seal_many(&blocks) } else { context.open_many(&blocks) } }
        })
    }

    /// Return the addresses of a block, and the position of its tag.
    #[inline]
    fn place(&self, index: usize) -> Place {
        let block = self.layout.block_range(index);
        let (input, output) = (self.input.wrapping_add(block.start), self.output.wrapping_add(block.start));
        Place { input, output, tag: self.layout.tag_offset(index), bytes: block.len() }
    }
}

/// The addresses of a block, the offset of its tag from the first tag, and the length of the block in bytes.
struct Place {
    input: *const u8,
    output: *mut u8,
    tag: usize,
    bytes: usize,
}

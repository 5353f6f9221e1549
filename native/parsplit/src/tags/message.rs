//! A message with one tag in progress, and the processing of one of its blocks.

use super::ONE_TAG_BYTES;
use super::binding::{Binding, BlockNonces};
use super::tree::{LeafValues, Tree};
use crate::context::Context;
use crate::error::Result;
use crate::layout::Layout;
use crate::message::ContextSlot;
use crate::prefetch::prefetch_block;
use aeadlab_abi::Algorithm;
use blake3::{CHUNK_LEN, Hasher, keyed_hash};
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};
use zeroize::{Zeroize, Zeroizing};

/// What happens to each block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Seal,
    Open,
    /// Compute the tag of a sealed message and write no output.
    Prove,
}

/// Memory of one worker for one or two blocks, of which only the capacity is used. It is kept for the next message.
pub(super) type Scratch = CachePadded<UnsafeCell<Zeroizing<Vec<u8>>>>;

/// Return the slice of `bytes` from `start` on, which may be null if there are none.
///
/// # Safety
/// The memory is valid and is not written to while the slice is in use.
pub(super) unsafe fn view<'a>(start: *const u8, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(start, bytes) }
}

/// The tags of the blocks, which are hashed when all are written, or in chunks by the workers.
pub(super) struct BlockTags<'a> {
    tags: *mut u8,
    tag_bytes: usize,
    blocks: usize,
    /// The tree above chunks of tags, and the number of tags that each chunk lacks.
    tree: Option<(Tree<'a>, Vec<AtomicUsize>)>,
}

// SAFETY: each tag is written by the worker of its block; a chunk is read by the worker that wrote the last of its tags.
unsafe impl Sync for BlockTags<'_> {}

/// Return the number of tags in a chunk of the tree.
pub(super) fn tags_per_chunk(algorithm: &Algorithm) -> usize {
    CHUNK_LEN / algorithm.tag_bytes as usize
}

impl<'a> BlockTags<'a> {
    /// Place the tags of `blocks` into `tags`, which is used by nobody else while this lives.
    pub(super) fn new(tags: &'a mut [u8], blocks: usize, tree: Option<Tree<'a>>) -> Self {
        let tag_bytes = tags.len() / blocks;
        let tree = tree.map(|tree| {
            let per_chunk = CHUNK_LEN / tag_bytes;
            let missing = (0..blocks).step_by(per_chunk).map(|first| AtomicUsize::new(per_chunk.min(blocks - first)));
            (tree, missing.collect())
        });
        Self { tags: tags.as_mut_ptr(), tag_bytes, blocks, tree }
    }

    fn tag(&self, block: usize) -> *mut u8 {
        self.tags.wrapping_add(block * self.tag_bytes)
    }

    /// Hash the chunk of the tree that is complete with the tag of `block`, if it is.
    ///
    /// # Safety
    /// The tag is written, and each block is finished once.
    #[inline]
    unsafe fn finish(&self, block: usize) {
        let Some((tree, missing)) = &self.tree else { return };
        let per_chunk = CHUNK_LEN / self.tag_bytes;
        let chunk = block / per_chunk;
        if missing[chunk].fetch_sub(1, Ordering::AcqRel) == 1 {
            let first = chunk * per_chunk;
            let bytes = per_chunk.min(self.blocks - first) * self.tag_bytes;
            // SAFETY: all tags of the chunk are written, and the decrements have made them visible here.
            unsafe { tree.finish_leaf(chunk, view(self.tag(first), bytes)) };
        }
    }

    /// Return the hash of all tags, once they are written.
    fn into_root(self, key: &[u8; 32]) -> [u8; ONE_TAG_BYTES] {
        match self.tree {
            Some((tree, _)) => tree.into_root(),
            // SAFETY: the tags of all blocks; the workers have finished.
            None => *keyed_hash(key, unsafe { view(self.tags, self.blocks * self.tag_bytes) }).as_bytes(),
        }
    }
}

/// What the tag is computed from.
pub(super) enum Hashed<'a> {
    /// The tags of an AEAD.
    Tags(BlockTags<'a>),
    /// The blocks of a cipher's ciphertext.
    Blocks(Tree<'a>),
}

impl Hashed<'_> {
    /// Return the tag, once all blocks are processed.
    pub(super) fn into_tag(self, key: &[u8; 32]) -> [u8; ONE_TAG_BYTES] {
        match self {
            Self::Tags(tags) => tags.into_root(key),
            Self::Blocks(tree) => tree.into_root(),
        }
    }
}

/// A message or a range of its blocks in progress, shared by the workers.
pub(super) struct Blocks<'a> {
    pub(super) layout: Layout,
    pub(super) ad: &'a [u8],
    pub(super) input: *const u8,
    pub(super) output: *mut u8,
    pub(super) algorithm: &'static Algorithm,
    pub(super) binding: &'a Binding,
    pub(super) contexts: &'a [ContextSlot],
    pub(super) scratch: &'a [Scratch],
}

// SAFETY: blocks are disjoint in `output`, and `Schedule::run` assigns each block to one worker; a context and a scratch
// buffer are used only by the worker of their index, whose calls `Schedule::run` never makes concurrently.
unsafe impl Sync for Blocks<'_> {}

/// One block of a message.
struct Block<'a> {
    nonce: &'a [u8],
    ad: &'a [u8],
    input: *const u8,
    output: *mut u8,
    bytes: usize,
}

impl Blocks<'_> {
    /// Process a block of a whole message.
    #[inline]
    pub(super) fn process(&self, worker: usize, index: usize, pass: Pass, hashed: &Hashed<'_>) -> Result<()> {
        self.with_block(index, 0, self.layout.is_last(index), |block| {
            // SAFETY: each block is processed once, by one worker, and lies in the buffers.
            unsafe {
                match hashed {
                    Hashed::Tags(tags) => self.process_tags(worker, index, pass, tags, &block),
                    Hashed::Blocks(tree) => self.process_ciphertext(worker, index, pass, tree, &block),
                }
            }
        })
    }

    /// Call `process` with block `index` of the buffers, which is block `first + index` of the message.
    #[inline]
    fn with_block<T>(&self, index: usize, first: usize, last: bool, process: impl FnOnce(Block<'_>) -> T) -> T {
        let range = self.layout.block_range(index);
        let (input, output) = (self.input.wrapping_add(range.start), self.output.wrapping_add(range.start));
        let bytes = range.len();
        prefetch_block(input, output, bytes);
        let ad =
            if first + index == 0 && matches!(self.binding.nonces, BlockNonces::Stream(_)) { self.ad } else { &[] };
        self.binding.nonces.with(first + index, last, |nonce| process(Block { nonce, ad, input, output, bytes }))
    }

    /// # Safety
    /// The calls of one worker do not overlap.
    #[allow(clippy::mut_from_ref)] // of the worker's own context
    unsafe fn context(&self, worker: usize) -> Result<&mut Context> {
        // SAFETY: the caller's promise: no other reference to this context exists now.
        let slot = unsafe { &mut *self.contexts[worker].get() };
        match slot {
            Some(context) => Ok(context),
            None => Ok(slot.insert(Context::new(self.algorithm, &self.binding.cipher_key)?)),
        }
    }

    /// Seal or open a block of an AEAD and write its tag.
    ///
    /// # Safety
    /// The block lies in the buffers, and only this call processes it.
    unsafe fn process_tags(
        &self,
        worker: usize,
        index: usize,
        pass: Pass,
        tags: &BlockTags<'_>,
        block: &Block<'_>,
    ) -> Result<()> {
        let Block { nonce, ad, input, output, bytes } = *block;
        let tag = tags.tag(index);
        // SAFETY: the caller's promise; the scratch buffer belongs to this worker and has room for its blocks.
        unsafe {
            let context = self.context(worker)?;
            match pass {
                Pass::Seal => context.seal(nonce, ad, input, bytes, output, tag)?,
                Pass::Open | Pass::Prove => {
                    let block_size = self.layout.block_range(0).len();
                    let blocks = if pass == Pass::Open { 1 } else { 2 };
                    let scratch = &mut *self.scratch[worker].get();
                    scratch.reserve_exact(blocks * block_size);
                    let sealed = scratch.as_mut_ptr();
                    let plaintext = if pass == Pass::Open { output } else { sealed.add(block_size) };
                    // Sealing the ciphertext decrypts it, with a tag of no meaning. Sealing the result gives the tag.
                    context.seal(nonce, ad, input, bytes, plaintext, tag)?;
                    context.seal(nonce, ad, plaintext, bytes, sealed, tag)?;
                }
            }
            tags.finish(index);
        }
        Ok(())
    }

    /// Encrypt or decrypt a block of a cipher and hash its ciphertext.
    ///
    /// # Safety
    /// As [`Blocks::process_tags`].
    unsafe fn process_ciphertext(
        &self,
        worker: usize,
        index: usize,
        pass: Pass,
        tree: &Tree<'_>,
        block: &Block<'_>,
    ) -> Result<()> {
        let Block { nonce, input, output, bytes, .. } = *block;
        // SAFETY: the caller's promise.
        unsafe {
            match pass {
                Pass::Seal => {
                    self.context(worker)?.seal(nonce, &[], input, bytes, output, std::ptr::null_mut())?;
                    tree.finish_leaf(index, view(output, bytes));
                }
                Pass::Open => {
                    tree.finish_leaf(index, view(input, bytes));
                    self.context(worker)?.open(nonce, &[], input, bytes, output, std::ptr::null())?;
                }
                Pass::Prove => tree.finish_leaf(index, view(input, bytes)),
            }
        }
        Ok(())
    }

    /// Open a block of a range that begins at block `first` of the message, with its tag. `last` states whether it is
    /// the last one of the message.
    #[inline]
    pub(super) fn open_with_tag(
        &self,
        worker: usize,
        index: usize,
        first: usize,
        last: bool,
        tag: &[u8],
    ) -> Result<()> {
        self.with_block(index, first, last, |block| {
            let Block { nonce, ad, input, output, bytes } = block;
            // SAFETY: each block is processed once, by one worker, and lies in the buffers.
            unsafe { self.context(worker)?.open(nonce, ad, input, bytes, output, tag.as_ptr()) }
        })
    }

    /// Decrypt a block of a range that begins at block `first` of the message, and keep the value of its ciphertext.
    #[inline]
    pub(super) fn open_leaf(
        &self,
        worker: usize,
        index: usize,
        first: usize,
        values: &LeafValues,
        value_of: impl Fn(usize, &[u8]) -> [u8; 32],
    ) -> Result<()> {
        self.with_block(index, first, false, |block| {
            let Block { nonce, input, output, bytes, .. } = block;
            // SAFETY: as above.
            unsafe {
                values.set(index, value_of(first + index, view(input, bytes)));
                self.context(worker)?.open(nonce, &[], input, bytes, output, std::ptr::null())
            }
        })
    }
}

/// Return the keyed hash of the only leaf of a tree.
pub(super) fn only_leaf(key: &[u8; 32], leaf: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new_keyed(key);
    let hash = *hasher.update(leaf).finalize().as_bytes();
    hasher.zeroize();
    hash
}

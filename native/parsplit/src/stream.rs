//! Messages of which only some blocks are in memory: each block is followed by its tag, so that nothing needs to know
//! the length when it begins.

use crate::{Error, Header, Keyed, Layout, ParSplit, Result};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What each thread gets of one batch where the blocks are small: less, and waking threads costs more than they do.
/// Miri takes minutes to fill a mebibyte.
const BATCH_PER_THREAD: usize = if cfg!(miri) { 64 } else { 1 << 20 };

/// Blocks that are worth doing at once: a few for each thread.
fn batch_blocks(splitter: &ParSplit) -> usize {
    splitter.threads() * (BATCH_PER_THREAD / splitter.block_size()).max(1)
}

/// A key, a nonce prefix and associated data: what all blocks of one stream share.
struct Shared {
    header: Header,
    keyed: Keyed,
    ad: Vec<u8>,
}

impl Shared {
    fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        header.check(splitter)?;
        let splitter = splitter.with_block_size(header.block_size())?;
        let keyed = splitter.key(&header.key(key, &splitter)?)?;
        // The header tells its own length, so that two pairs never join to the same bytes.
        let ad = [&header.bytes(), ad].concat();
        Ok(Self { header, keyed, ad })
    }
}

/// Seals a stream, some blocks at a time.
pub struct Sealer {
    shared: Shared,
    next: u64,
    ended: bool,
}

impl Sealer {
    /// A stream with this header, which goes before the first block. Use a [`Header::random`] for each.
    ///
    /// # Errors
    /// A header of another algorithm, or a key of the wrong length.
    pub fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        Ok(Self { shared: Shared::new(splitter, header, key, ad)?, next: 0, ended: false })
    }

    /// What the stream begins with.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.shared.header
    }

    /// How many blocks to give at once: a few for each thread.
    #[must_use]
    pub fn batch_blocks(&self) -> usize {
        batch_blocks(self.shared.keyed.splitter())
    }

    /// Has a call end with [`Error::Interrupted`] once somebody sets the word.
    pub fn cancelled_by(&mut self, word: Option<Arc<AtomicBool>>) {
        self.shared.keyed.cancelled_by(word);
    }

    /// Bytes that sealing so many more takes.
    ///
    /// # Errors
    /// More than 2^32 blocks.
    pub fn sealed_bytes(&self, bytes: usize) -> Result<usize> {
        Ok(self.shared.keyed.splitter().layout(bytes)?.sealed())
    }

    /// Seals the next blocks, whole ones unless the message ends with them; returns the bytes written.
    ///
    /// # Errors
    /// Bytes after the end, a part of a block before it, more than 2^32 blocks, an output that is too small. A stream
    /// that failed is not taken up again: its blocks would have been sealed twice.
    pub fn seal(&mut self, input: &[u8], ends: bool, output: &mut [u8]) -> Result<usize> {
        let (bytes, wanted) = (input.len(), self.sealed_bytes(input.len())?);
        let output = crate::engine::sized(output, wanted)?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_raw(input.as_ptr(), bytes, ends, output.as_mut_ptr()) }
    }

    /// [`Sealer::seal`] on raw memory.
    ///
    /// # Errors
    /// As [`Sealer::seal`].
    ///
    /// # Safety
    /// `input` is valid for `bytes`, `output` for [`Sealer::sealed_bytes`] of them.
    pub unsafe fn seal_raw(&mut self, input: *const u8, bytes: usize, ends: bool, output: *mut u8) -> Result<usize> {
        if self.ended {
            return Err(Error::Argument("the stream has ended: a new one is needed".into()));
        }
        let Shared { header, keyed, ad } = &mut self.shared;
        let blocks = keyed.splitter().layout(bytes)?.blocks() as u64;
        // SAFETY: the caller's promise.
        let done = unsafe { keyed.seal_part_raw(header.prefix(), ad, (self.next, ends), input, bytes, output) };
        // Refused before any work leaves the stream as it was; anything else may have used these nonces.
        self.ended = match &done {
            Ok(_) => ends,
            Err(error) => !matches!(error, Error::Argument(_) | Error::Length { .. } | Error::Overlap),
        };
        let written = done?;
        self.next += blocks;
        Ok(written)
    }
}

/// Opens blocks of a stream, in any order; it keeps no state between them.
pub struct Opener {
    shared: Shared,
}

impl Opener {
    /// For the stream that begins with this header.
    ///
    /// # Errors
    /// A header of another algorithm, or a key of the wrong length.
    pub fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        Ok(Self { shared: Shared::new(splitter, header, key, ad)? })
    }

    /// What the stream begins with. It is known to be genuine once a block was opened.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.shared.header
    }

    /// How many blocks to give at once: a few for each thread.
    #[must_use]
    pub fn batch_blocks(&self) -> usize {
        batch_blocks(self.shared.keyed.splitter())
    }

    /// Has a call end with [`Error::Interrupted`] once somebody sets the word.
    pub fn cancelled_by(&mut self, word: Option<Arc<AtomicBool>>) {
        self.shared.keyed.cancelled_by(word);
    }

    /// Bytes of plaintext in so many of sealed blocks.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that whole blocks and one shorter do not have: something was cut off.
    pub fn opened_bytes(&self, sealed: usize) -> Result<usize> {
        self.shared.keyed.splitter().layout_of_sealed(sealed).map(|layout| layout.bytes()).map_err(cut)
    }

    /// Opens blocks from number `first` on; `ends` says that the sealed stream ends with them. Returns the bytes written.
    ///
    /// # Errors
    /// [`Error::Authentication`] unless every one of them is the block of this stream with that number, and the last one
    /// exactly if `ends`; the output is then wiped.
    pub fn open(&mut self, first: u64, sealed: &[u8], ends: bool, output: &mut [u8]) -> Result<usize> {
        let wanted = self.opened_bytes(sealed.len())?;
        let output = crate::engine::sized(output, wanted)?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_raw(first, sealed.as_ptr(), sealed.len(), ends, output.as_mut_ptr()) }
    }

    /// [`Opener::open`] on raw memory.
    ///
    /// # Errors
    /// As [`Opener::open`].
    ///
    /// # Safety
    /// `input` is valid for `sealed` bytes, `output` for [`Opener::opened_bytes`] of them.
    pub unsafe fn open_raw(
        &mut self,
        first: u64,
        input: *const u8,
        sealed: usize,
        ends: bool,
        output: *mut u8,
    ) -> Result<usize> {
        let bytes = self.opened_bytes(sealed)?;
        let Shared { header, keyed, ad } = &mut self.shared;
        if bytes == 0 && first > 0 {
            // Sealing never makes an empty block after others, so nothing but an attacker does.
            return Err(Error::Authentication);
        }
        // SAFETY: the caller's promise.
        unsafe { keyed.open_part_raw(header.prefix(), ad, (first, ends), input, sealed, output) }
    }

    /// How a stream is laid out that has `sealed` bytes after its header.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that no stream has.
    pub fn layout(&self, sealed: u64) -> Result<StreamLayout> {
        StreamLayout::new(sealed, self.header().block_size() as u64, self.header().tag_bytes() as u64)
    }
}

fn cut(error: Error) -> Error {
    match error {
        Error::Length { .. } => Error::Authentication,
        other => other,
    }
}

/// Where the blocks of a stream lie, counted from the end of its header. In 64 bits, as files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLayout {
    sealed: u64,
    block_size: u64,
    tag_bytes: u64,
    blocks: u64,
}

impl StreamLayout {
    fn new(sealed: u64, block_size: u64, tag_bytes: u64) -> Result<Self> {
        let blocks = sealed.div_ceil(block_size + tag_bytes).max(1);
        let last = sealed.checked_sub((blocks - 1) * (block_size + tag_bytes)).and_then(|b| b.checked_sub(tag_bytes));
        if last.is_none_or(|last| last == 0 && blocks > 1) || blocks > Layout::MOST_BLOCKS {
            return Err(Error::Authentication);
        }
        Ok(Self { sealed, block_size, tag_bytes, blocks })
    }

    /// Bytes of the message.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sealed - self.blocks * self.tag_bytes
    }

    /// Number of blocks, at least 1.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Where these blocks lie in the sealed stream, tags included.
    ///
    /// # Errors
    /// Blocks that the stream does not have, or none.
    pub fn sealed_range(&self, blocks: &Range<u64>) -> Result<Range<u64>> {
        if blocks.is_empty() || blocks.end > self.blocks {
            return Err(Error::Argument(format!(
                "blocks {} to {} wanted, the stream has {}, numbered from 0",
                blocks.start, blocks.end, self.blocks
            )));
        }
        let whole = self.block_size + self.tag_bytes;
        Ok(blocks.start * whole..self.sealed.min(blocks.end * whole))
    }
}

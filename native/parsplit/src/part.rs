//! Some of a message's blocks: the next ones of a stream, or those that somebody asks for.

use crate::engine::{apart, sized};
use crate::message::Work;
use crate::{Error, Keyed, Layout, Result};
use std::ops::Range;

/// Which neighbouring blocks of its message a call does, and how its tags lie.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Number of the first of them.
    pub(crate) first: usize,
    /// Whether the message ends with them.
    pub(crate) ends: bool,
    /// Whether each block is followed by its tag; otherwise the tags have a place of their own.
    pub(crate) woven: bool,
}

impl Part {
    /// All blocks, with their tags apart.
    pub(crate) const WHOLE: Self = Self { first: 0, ends: true, woven: false };

    /// Bytes of the sealed side, without tags that are apart.
    pub(crate) const fn sealed(&self, layout: Layout) -> usize {
        if self.woven { layout.sealed() } else { layout.bytes() }
    }
}

impl Keyed {
    /// Seals the blocks of a stream from number `first` on, each followed by its tag; returns the bytes written. All
    /// are whole, but for the one that `ends` the message.
    ///
    /// # Errors
    /// A part that no message has, blocks beyond number 2^32 - 1, and as [`Keyed::seal`].
    pub fn seal_part(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        (first, ends): (u64, bool),
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize> {
        let layout = self.splitter().layout(input.len())?;
        let output = sized(output, layout.sealed())?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_part_raw(nonce, ad, (first, ends), input.as_ptr(), input.len(), output.as_mut_ptr()) }
    }

    /// Opens what [`Keyed::seal_part`] made of these blocks; returns the bytes of plaintext.
    ///
    /// # Errors
    /// [`Error::Authentication`] if any of the blocks fails, with the output wiped; otherwise as [`Keyed::seal_part`].
    pub fn open_part(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        (first, ends): (u64, bool),
        sealed: &[u8],
        output: &mut [u8],
    ) -> Result<usize> {
        let layout = self.splitter().layout_of_sealed(sealed.len())?;
        let output = sized(output, layout.bytes())?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_part_raw(nonce, ad, (first, ends), sealed.as_ptr(), sealed.len(), output.as_mut_ptr()) }
    }

    /// Opens some blocks of what [`Keyed::seal`] made, tags behind the ciphertext; returns the bytes of plaintext. Each
    /// is verified in its place. That the message was not cut off is known once its last block is among them; associated
    /// data are verified with block 0 alone.
    ///
    /// # Errors
    /// Blocks that the message does not have; otherwise as [`Keyed::open`].
    pub fn open_range(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: Range<u64>,
        sealed: &[u8],
        output: &mut [u8],
    ) -> Result<usize> {
        let wanted = self.splitter().layout_of_sealed(sealed.len())?.bytes_of(&blocks)?;
        let output = sized(output, wanted.len())?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_range_raw(nonce, ad, blocks, sealed.as_ptr(), sealed.len(), output.as_mut_ptr()) }
    }

    /// [`Keyed::seal_part`] on raw memory.
    ///
    /// # Errors
    /// As [`Keyed::seal_part`].
    ///
    /// # Safety
    /// `input` is valid for `bytes`, `output` for [`Layout::sealed`] of so many.
    pub unsafe fn seal_part_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        (first, ends): (u64, bool),
        input: *const u8,
        bytes: usize,
        output: *mut u8,
    ) -> Result<usize> {
        let layout = self.splitter().layout(bytes)?;
        let part = self.woven(layout, first, ends)?;
        self.run(layout, part, nonce, ad, input, output, Work::Seal { tags: output })?;
        Ok(layout.sealed())
    }

    /// [`Keyed::open_part`] on raw memory.
    ///
    /// # Errors
    /// As [`Keyed::open_part`].
    ///
    /// # Safety
    /// `input` is valid for `sealed` bytes, `output` for [`Layout::bytes`] of them.
    pub unsafe fn open_part_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        (first, ends): (u64, bool),
        input: *const u8,
        sealed: usize,
        output: *mut u8,
    ) -> Result<usize> {
        let layout = self.splitter().layout_of_sealed(sealed)?;
        let part = self.woven(layout, first, ends)?;
        self.run(layout, part, nonce, ad, input, output, Work::Open { tags: input })?;
        Ok(layout.bytes())
    }

    /// [`Keyed::open_range`] on raw memory.
    ///
    /// # Errors
    /// As [`Keyed::open_range`].
    ///
    /// # Safety
    /// `input` is valid for `sealed` bytes, `output` for those of the blocks.
    pub unsafe fn open_range_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: Range<u64>,
        input: *const u8,
        sealed: usize,
        output: *mut u8,
    ) -> Result<usize> {
        let whole = self.splitter().layout_of_sealed(sealed)?;
        let bytes = whole.bytes_of(&blocks)?;
        let layout = self.splitter().layout(bytes.len())?;
        let first = blocks.start as usize;
        let tags = input.wrapping_add(whole.bytes() + whole.tag(first));
        if !apart(input, sealed, output, layout.bytes()) {
            return Err(Error::Overlap);
        }
        let part = Part { first, ends: blocks.end == whole.blocks() as u64, woven: false };
        self.run(layout, part, nonce, ad, input.wrapping_add(bytes.start), output, Work::Open { tags })?;
        Ok(layout.bytes())
    }

    /// The part of a stream that these blocks are.
    fn woven(&self, layout: Layout, first: u64, ends: bool) -> Result<Part> {
        let whole = layout.bytes() > 0 && layout.bytes() % self.splitter().block_size() == 0;
        if !ends && !whole {
            return Err(Error::Argument(format!(
                "{} bytes given, whole blocks of {} wanted: only the last block of a stream is shorter",
                layout.bytes(),
                self.splitter().block_size()
            )));
        }
        if layout.bytes() == 0 && first > 0 {
            return Err(Error::Argument("no bytes given: only an empty stream ends with an empty block".into()));
        }
        if first.checked_add(layout.blocks() as u64).is_none_or(|end| end > Layout::MOST_BLOCKS) {
            return Err(Error::Argument(format!(
                "a stream has at most 2^32 blocks: use a larger block size than {}",
                self.splitter().block_size()
            )));
        }
        Ok(Part { first: first as usize, ends, woven: true })
    }
}

//! Sealing and opening of neighbouring blocks: the batches of a stream, and ranges of a whole message.

use crate::buffers::{output_prefix, require_disjoint};
use crate::error::{Result, ensure};
use crate::keyed::Keyed;
use crate::layout::Layout;
use crate::message::{BlockRange, Operation};
use std::ops::Range;

impl Keyed {
    /// Open some blocks of a message sealed by [`Keyed::seal`]; return the number of bytes of plaintext.
    ///
    /// Each block is verified with its index. That the message is not truncated is verified only with its last block,
    /// and associated data only with block 0.
    ///
    /// # Errors
    /// Blocks outside the message; otherwise as [`Keyed::open`].
    pub fn open_range(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: Range<u64>,
        sealed: &[u8],
        output: &mut [u8],
    ) -> Result<usize> {
        let bytes = self.splitter().layout_of_sealed(sealed.len())?.byte_range(&blocks)?;
        let output = output_prefix(output, bytes.len())?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_range_raw(nonce, ad, blocks, sealed.as_ptr(), sealed.len(), output.as_mut_ptr()) }
    }

    /// [`Keyed::open_range`] on raw memory, with the same errors.
    ///
    /// # Safety
    /// `input` is valid for `sealed` bytes, `output` for the bytes of the blocks.
    pub unsafe fn open_range_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: Range<u64>,
        input: *const u8,
        sealed: usize,
        output: *mut u8,
    ) -> Result<usize> {
        let message = self.splitter().layout_of_sealed(sealed)?;
        let bytes = message.byte_range(&blocks)?;
        let layout = self.splitter().layout(bytes.len())?;
        let first = blocks.start as usize;
        let tags = input.wrapping_add(message.bytes() + message.tag_offset(first));
        require_disjoint(input, sealed, output, layout.bytes())?;
        let range = BlockRange { first, last: blocks.end == message.blocks() as u64, interleaved_tags: false };
        self.process(layout, range, nonce, ad, input.wrapping_add(bytes.start), output, Operation::Open { tags })?;
        Ok(layout.bytes())
    }

    /// Seal the blocks of a stream from index `first` on, each followed by its tag; return the number of bytes written.
    /// With `last` the stream ends with them; otherwise all have the full size.
    ///
    /// # Safety
    /// `input` is valid for `bytes`, `output` for their [`Layout::sealed_bytes`].
    pub(crate) unsafe fn seal_batch(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        (first, last): (u64, bool),
        input: *const u8,
        bytes: usize,
        output: *mut u8,
    ) -> Result<usize> {
        let layout = self.splitter().layout(bytes)?;
        let range = self.batch(layout, first, last)?;
        self.process(layout, range, nonce, ad, input, output, Operation::Seal { tags: output })?;
        Ok(layout.sealed_bytes())
    }

    /// Open blocks sealed by [`Keyed::seal_batch`]; return the number of bytes of plaintext.
    ///
    /// # Safety
    /// `input` is valid for `sealed` bytes, `output` for their [`Layout::bytes`].
    pub(crate) unsafe fn open_batch(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        (first, last): (u64, bool),
        input: *const u8,
        sealed: usize,
        output: *mut u8,
    ) -> Result<usize> {
        let layout = self.splitter().layout_of_sealed(sealed)?;
        let range = self.batch(layout, first, last)?;
        self.process(layout, range, nonce, ad, input, output, Operation::Open { tags: input })?;
        Ok(layout.bytes())
    }

    /// Check a batch of a stream and return its range of blocks.
    fn batch(&self, layout: Layout, first: u64, last: bool) -> Result<BlockRange> {
        let block_size = self.splitter().block_size();
        let full_blocks = layout.bytes() > 0 && layout.bytes().is_multiple_of(block_size);
        ensure!(
            last || full_blocks,
            "{} bytes given, full blocks of {block_size} expected: only the last block of a stream is shorter",
            layout.bytes()
        );
        ensure!(layout.bytes() > 0 || first == 0, "no bytes given: only an empty stream ends with an empty block");
        ensure!(
            first.checked_add(layout.blocks() as u64).is_some_and(|end| end <= Layout::MAX_BLOCKS),
            "a stream has at most 2^32 blocks: use a larger block size than {block_size}"
        );
        Ok(BlockRange { first: first as usize, last, interleaved_tags: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::schedules::Schedule;
    use crate::splitter::ParSplit;
    use crate::test_cipher::COPY;

    #[test]
    fn a_stream_has_at_most_2_to_the_32_blocks() {
        let mut keyed = ParSplit::new(&COPY, 16, 1, Schedule::default()).unwrap().key(&[]).unwrap();
        let (input, mut output) = ([0; 17], [0; 17]);
        let mut seal = |bytes| {
            let last_block = (Layout::MAX_BLOCKS - 1, true);
            // SAFETY: both buffers have at least this number of bytes, and the cipher has no tags.
            unsafe { keyed.seal_batch(b"", b"", last_block, input.as_ptr(), bytes, output.as_mut_ptr()) }
        };
        assert_eq!(seal(16), Ok(16));
        assert!(matches!(seal(17), Err(Error::Argument(message)) if message.contains("2^32 blocks")));
    }
}

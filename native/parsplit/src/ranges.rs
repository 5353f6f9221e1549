//! Opening of neighbouring blocks of a whole message.

use crate::buffers::{output_prefix, require_disjoint};
use crate::error::Result;
use crate::keyed::Keyed;
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
        let range = BlockRange { first, last: blocks.end == message.blocks() as u64 };
        self.process(layout, range, nonce, ad, input.wrapping_add(bytes.start), output, Operation::Open { tags })?;
        Ok(layout.bytes())
    }
}

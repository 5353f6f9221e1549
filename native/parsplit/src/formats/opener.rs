use super::chunks::{Chunks, Operation};
use super::format::Format;
use super::layout::StreamLayout;
use super::material::Ending;
use super::own;
use crate::buffers::output_prefix;
use crate::error::{Error, Result};
use crate::header::Header;
use crate::splitter::ParSplit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Opens chunks of a message in any order, without state between calls.
pub struct Opener {
    chunks: Chunks,
    committing: bool,
}

impl Opener {
    /// Prepare to open the stream of this project's own format with this header, which is verified with the first block
    /// that is opened.
    ///
    /// # Errors
    /// A header of another algorithm, a key of the wrong length, or blocks that exceed [`ParSplit::max_memory`].
    pub fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        let material = own::material(splitter, &header, key, ad)?;
        Ok(Self { chunks: Chunks::new(splitter, material)?, committing: false })
    }

    /// Prepare to open the message of a format with this header.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a wrong key or context, if the format is committing; [`Error::Format`] for a header
    /// of another format; otherwise as [`super::Sealer::begin`].
    pub fn resume(splitter: &ParSplit, format: &Format, key: &[u8], context: &[u8], header: &[u8]) -> Result<Self> {
        format.check_algorithm(splitter)?;
        let material = (format.resume)(format, splitter, key, context, header)?;
        Ok(Self { chunks: Chunks::new(splitter, material)?, committing: format.committing })
    }

    /// Whether the header has been verified, and not only with the first chunk.
    #[must_use]
    pub fn committing(&self) -> bool {
        self.committing
    }

    /// Plaintext bytes of each block or chunk but the last.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.chunks.chunking().chunk_bytes
    }

    /// Bytes of each sealed block or chunk but the last.
    #[must_use]
    pub fn sealed_chunk_bytes(&self) -> usize {
        self.chunks.chunking().sealed_chunk()
    }

    /// See [`super::Sealer::batch_blocks`].
    #[must_use]
    pub fn batch_blocks(&self) -> usize {
        self.chunks.batch()
    }

    /// Stop a call with [`Error::Interrupted`] when another thread sets the flag.
    pub fn set_cancel_flag(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.chunks.cancel = flag;
    }

    /// Bytes by which the first block or chunk is shorter than the others; 0 in most formats.
    #[must_use]
    pub fn lead_bytes(&self) -> usize {
        self.chunks.chunking().lead_bytes
    }

    /// Return where a block begins in the message, and after the header.
    #[must_use]
    pub fn starts(&self, block: u64) -> (u64, u64) {
        (self.chunks.chunking().plain_start(block), self.chunks.chunking().sealed_start(block))
    }

    /// Return the block that holds the byte at a position of the message.
    #[must_use]
    pub fn block_at(&self, position: u64) -> u64 {
        self.chunks.chunking().chunk_at(position)
    }

    /// Return the bytes of the [`Opener::batch_blocks`] sealed blocks from index `first` on.
    #[must_use]
    pub fn batch_bytes(&self, first: u64) -> usize {
        self.chunks.chunking().sealed_bytes(first, self.batch_blocks())
    }

    /// Return the length in bytes of the plaintext of `sealed` bytes of sealed chunks from index `first` on; `last` states
    /// whether they include the last chunk of the message.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that such chunks do not have: the message is truncated.
    pub fn opened_bytes(&self, first: u64, sealed: usize, last: bool) -> Result<usize> {
        let chunks = self.chunks.chunking().chunks_of_sealed(first, sealed as u64, last)? as usize;
        Ok(sealed - chunks * self.chunks.chunking().overhead())
    }

    /// Open chunks from index `first` on; return the number of bytes written. `last` states whether they include the last
    /// chunk of the message.
    ///
    /// # Errors
    /// [`Error::Authentication`] unless each chunk is that of this message with its index, and `last` is true exactly if
    /// the last chunk of the message is among them; the output is then wiped.
    pub fn open(&mut self, first: u64, sealed: &[u8], last: bool, output: &mut [u8]) -> Result<usize> {
        let output = output_prefix(output, self.opened_bytes(first, sealed.len(), last)?)?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_raw(first, sealed.as_ptr(), sealed.len(), last, output.as_mut_ptr()) }
    }

    /// [`Opener::open`] on raw memory, with the same errors.
    ///
    /// # Safety
    /// `input` is valid for `sealed` bytes, `output` for their [`Opener::opened_bytes`].
    pub unsafe fn open_raw(
        &mut self,
        first: u64,
        input: *const u8,
        sealed: usize,
        last: bool,
        output: *mut u8,
    ) -> Result<usize> {
        let bytes = self.opened_bytes(first, sealed, last)?;
        let chunking = self.chunks.chunking();
        if bytes == 0 && first > 0 && chunking.ending == Ending::Marked {
            // Sealing never produces an empty block after others, so this one is forged.
            return Err(Error::Authentication);
        }
        let chunks = chunking.chunks_of_sealed(first, sealed as u64, last)?;
        chunking.check_position(first, chunks)?;
        // SAFETY: the caller's promise.
        unsafe { self.chunks.process(Operation::Open, (first, chunks as usize, last), bytes, input, output)? };
        Ok(bytes)
    }

    /// Return the layout of a message with `sealed` bytes after its header.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that no message has.
    pub fn layout(&self, sealed: u64) -> Result<StreamLayout> {
        StreamLayout::new(sealed, *self.chunks.chunking())
    }
}

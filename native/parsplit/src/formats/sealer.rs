use super::chunks::{Chunks, Operation};
use super::format::Format;
use super::own;
use crate::buffers::output_prefix;
use crate::error::{Error, Result, ensure};
use crate::fork::generation;
use crate::header::Header;
use crate::splitter::ParSplit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Seals the chunks of one message in order.
pub struct Sealer {
    chunks: Chunks,
    header: Vec<u8>,
    next_chunk: u64,
    ended: bool,
    /// The generation of the process that seals the message.
    process: u64,
}

impl Sealer {
    /// Start a stream of this project's own format with this header, which precedes the first block. Use a new
    /// [`Header::random`] for each stream.
    ///
    /// # Errors
    /// A header of another algorithm, a key of the wrong length, or blocks that exceed [`ParSplit::max_memory`].
    pub fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        let material = own::material(splitter, &header, key, ad)?;
        Self::with_chunks(Chunks::new(splitter, material)?, header.to_bytes())
    }

    /// Start a message of a format. The key is that of the format, and `context` is authenticated.
    ///
    /// # Errors
    /// Another algorithm than that of the format, a key of the wrong length, a context where the format has none, chunks
    /// that exceed [`ParSplit::max_memory`], or a failure of the random generator.
    pub fn begin(splitter: &ParSplit, format: &Format, key: &[u8], context: &[u8]) -> Result<Self> {
        format.check_algorithm(splitter)?;
        let (header, material) = (format.begin)(format, splitter, key, context)?;
        Self::with_chunks(Chunks::new(splitter, material)?, header)
    }

    fn with_chunks(chunks: Chunks, header: Vec<u8>) -> Result<Self> {
        Ok(Self { chunks, header, next_chunk: 0, ended: false, process: generation() })
    }

    /// The bytes that precede the first chunk.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// Plaintext bytes of each chunk but the last, and the first where the format counts the header as part of it.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.chunks.chunking().chunk_bytes
    }

    /// Recommended number of blocks or chunks per call: for each thread 1 MiB, or one if they are longer. It is smaller
    /// where three buffers of so many would exceed [`ParSplit::max_memory`].
    #[must_use]
    pub fn batch_blocks(&self) -> usize {
        self.chunks.batch()
    }

    /// Bytes by which the first block or chunk is shorter than the others; 0 in most formats.
    #[must_use]
    pub fn lead_bytes(&self) -> usize {
        self.chunks.chunking().lead_bytes
    }

    /// Plaintext bytes of the next [`Sealer::batch_blocks`].
    #[must_use]
    pub fn batch_bytes(&self) -> usize {
        self.chunks.chunking().plain_bytes(self.next_chunk, self.batch_blocks())
    }

    /// Stop a call with [`Error::Interrupted`] when another thread sets the flag.
    pub fn set_cancel_flag(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.chunks.cancel = flag;
    }

    /// Return the sealed length in bytes of the next `bytes` of the message; `last` states whether it ends with them.
    ///
    /// # Errors
    /// A length that does not fit the address space.
    pub fn sealed_bytes(&self, bytes: usize, last: bool) -> Result<usize> {
        let chunking = self.chunks.chunking();
        let chunks = chunking.chunks_of_plain(self.next_chunk, bytes as u64, last);
        (chunks * chunking.overhead() as u64)
            .checked_add(bytes as u64)
            .and_then(|sealed| usize::try_from(sealed).ok())
            .ok_or_else(|| Error::Argument(format!("{bytes} bytes and {chunks} tags do not fit the address space")))
    }

    /// Seal the next chunks; return the number of bytes written. `last` states whether the message ends with them; only
    /// then the input may be no multiple of the chunk.
    ///
    /// # Errors
    /// Input after the last chunk, an incomplete chunk before it, more chunks than the format allows, an output that is
    /// too short, a call in a forked child of the process that started the message, which would use its nonces again. A
    /// message cannot be continued after a failure during sealing, which may have used its nonces.
    pub fn seal(&mut self, input: &[u8], last: bool, output: &mut [u8]) -> Result<usize> {
        let output = output_prefix(output, self.sealed_bytes(input.len(), last)?)?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_raw(input.as_ptr(), input.len(), last, output.as_mut_ptr()) }
    }

    /// [`Sealer::seal`] on raw memory, with the same errors.
    ///
    /// # Safety
    /// `input` is valid for `bytes`, `output` for their [`Sealer::sealed_bytes`].
    pub unsafe fn seal_raw(&mut self, input: *const u8, bytes: usize, last: bool, output: *mut u8) -> Result<usize> {
        ensure!(!self.ended, "the stream has ended: start a new one");
        ensure!(
            self.process == generation(),
            "the stream was started before this process was forked, and both processes would seal with the same nonces: \
             start a new stream"
        );
        let sealed = self.sealed_bytes(bytes, last)?;
        let chunking = self.chunks.chunking();
        let chunk_bytes = chunking.chunk_bytes;
        ensure!(
            last || (bytes > 0 && (bytes + chunking.lead(self.next_chunk)).is_multiple_of(chunk_bytes)),
            "{bytes} bytes given, full blocks of {chunk_bytes} expected: only the last block of a stream is shorter"
        );
        ensure!(
            bytes > 0 || self.next_chunk == 0 || chunking.ending != super::material::Ending::Marked,
            "no bytes given: only an empty stream ends with an empty block"
        );
        let chunks = chunking.chunks_of_plain(self.next_chunk, bytes as u64, last);
        chunking.check_position(self.next_chunk, chunks)?;
        let position = (self.next_chunk, chunks as usize, last);
        // SAFETY: the caller's promise.
        let result = unsafe { self.chunks.process(Operation::Seal, position, bytes, input, output) };
        // Rejected arguments leave the message unchanged; any other error may have used these nonces.
        self.ended = match &result {
            Ok(()) => last,
            Err(error) => !matches!(error, Error::Argument(_) | Error::Length { .. } | Error::Overlap),
        };
        result?;
        self.next_chunk += chunks;
        Ok(sealed)
    }
}

//! Streams: messages of which only some blocks are in memory. Each block is followed by its tag, so that sealing can
//! begin before the length is known.

use crate::buffers::output_prefix;
use crate::error::{Error, Result, ensure};
use crate::fork::generation;
use crate::header::Header;
use crate::keyed::Keyed;
use crate::layout::{Layout, check_blocks};
use crate::limits::check_lengths;
use crate::splitter::ParSplit;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Bytes of one batch per thread if blocks are shorter: with fewer, waking the threads takes longer than their work.
/// The value for Miri keeps its run time short.
const BATCH_BYTES_PER_THREAD: usize = if cfg!(miri) { 64 } else { 1 << 20 };

/// Buffers that hold a batch at the same time: its ciphertext, its plaintext, and a copy of one of them for the caller.
const BUFFERS: usize = 3;

/// Return the number of blocks in a batch: 1 MiB or one block for each thread, or fewer within the limit of memory. One
/// byte beyond a batch is read ahead. The block size is that of the splitter.
fn batch_blocks(splitter: &ParSplit) -> Result<usize> {
    let sealed_block = splitter.block_size() + splitter.algorithm().tag_bytes as usize;
    let (limit, needed) = (splitter.stream_memory(), BUFFERS * sealed_block + 1);
    ensure!(
        needed <= limit,
        "blocks of {} bytes need buffers of {needed} bytes, but max_memory is {limit}: set max_memory to {needed} or more \
         if the stream comes from a trusted source",
        splitter.block_size()
    );
    let wanted = splitter.threads() * (BATCH_BYTES_PER_THREAD / splitter.block_size()).max(1);
    Ok(wanted.min((limit - 1) / (BUFFERS * sealed_block)))
}

/// The key, header and associated data that all blocks of one stream share.
struct KeyedStream {
    header: Header,
    keyed: Keyed,
    ad: Vec<u8>,
    batch_blocks: usize,
}

impl KeyedStream {
    fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        header.check_algorithm(splitter)?;
        let splitter = splitter.resized(header.block_size(), splitter.threads())?;
        let batch_blocks = batch_blocks(&splitter)?;
        let keyed = splitter.key(&header.block_key(key, &splitter)?)?;
        // The header encodes its own length, so two different pairs of header and data never concatenate to equal
        // bytes.
        let ad = [&header.to_bytes(), ad].concat();
        check_lengths(splitter.algorithm(), 0, ad.len())?;
        Ok(Self { header, keyed, ad, batch_blocks })
    }
}

/// The methods that [`Sealer`] and [`Opener`] share.
macro_rules! stream_methods {
    () => {
        /// The header of the stream. An opener verifies it with the first block that it opens.
        #[must_use]
        pub fn header(&self) -> &Header {
            &self.stream.header
        }

        /// Recommended number of blocks per call: for each thread 1 MiB, or one block if blocks are longer. It is smaller
        /// where three buffers of so many blocks would exceed [`ParSplit::max_memory`].
        #[must_use]
        pub fn batch_blocks(&self) -> usize {
            self.stream.batch_blocks
        }

        /// Stop a call with [`Error::Interrupted`] when another thread sets the flag.
        pub fn set_cancel_flag(&mut self, flag: Option<Arc<AtomicBool>>) {
            self.stream.keyed.set_cancel_flag(flag);
        }
    };
}

/// Seals the blocks of one stream in order.
pub struct Sealer {
    stream: KeyedStream,
    next_block: u64,
    ended: bool,
    /// The generation of the process that seals the stream.
    process: u64,
}

impl Sealer {
    /// Start a stream with this header, which precedes the first block. Use a new [`Header::random`] for each stream.
    ///
    /// # Errors
    /// A header of another algorithm, a key of the wrong length, or blocks that exceed [`ParSplit::max_memory`].
    pub fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        let (next_block, ended, process) = (0, false, generation());
        Ok(Self { stream: KeyedStream::new(splitter, header, key, ad)?, next_block, ended, process })
    }

    stream_methods!();

    /// Return the sealed length in bytes of the next `bytes` of the message.
    ///
    /// # Errors
    /// More than 2^32 blocks.
    pub fn sealed_bytes(&self, bytes: usize) -> Result<usize> {
        Ok(self.stream.keyed.splitter().layout(bytes)?.sealed_bytes())
    }

    /// Seal the next blocks; return the number of bytes written. `last` states whether the stream ends with them; only
    /// then the final block may be shorter.
    ///
    /// # Errors
    /// Input after the last block, an incomplete block before it, more than 2^32 blocks, an output that is too short, a
    /// call in a forked child of the process that started the stream, which would use its nonces again. A stream cannot be continued after a failure during sealing, which may have used its nonces.
    pub fn seal(&mut self, input: &[u8], last: bool, output: &mut [u8]) -> Result<usize> {
        let output = output_prefix(output, self.sealed_bytes(input.len())?)?;
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
        let KeyedStream { header, keyed, ad, .. } = &mut self.stream;
        let blocks = keyed.splitter().layout(bytes)?.blocks() as u64;
        // SAFETY: the caller's promise.
        let sealed = unsafe { keyed.seal_batch(header.prefix(), ad, (self.next_block, last), input, bytes, output) };
        // Rejected arguments leave the stream unchanged; any other error may have used these nonces.
        self.ended = match &sealed {
            Ok(_) => last,
            Err(error) => !matches!(error, Error::Argument(_) | Error::Length { .. } | Error::Overlap),
        };
        let written = sealed?;
        self.next_block += blocks;
        Ok(written)
    }
}

/// Opens blocks of a stream in any order, without state between calls.
pub struct Opener {
    stream: KeyedStream,
}

impl Opener {
    /// Prepare to open the stream with this header.
    ///
    /// # Errors
    /// A header of another algorithm, a key of the wrong length, or blocks that exceed [`ParSplit::max_memory`].
    pub fn new(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8]) -> Result<Self> {
        Ok(Self { stream: KeyedStream::new(splitter, header, key, ad)? })
    }

    stream_methods!();

    /// Return the length in bytes of the plaintext of `sealed` bytes of sealed blocks.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that full blocks followed by at most one shorter block do not have: the
    /// stream is truncated.
    pub fn opened_bytes(&self, sealed: usize) -> Result<usize> {
        let layout = self.stream.keyed.splitter().layout_of_sealed(sealed);
        layout.map(|layout| layout.bytes()).map_err(|error| match error {
            Error::Length { .. } => Error::Authentication,
            other => other,
        })
    }

    /// Open blocks from index `first` on; return the number of bytes written. `last` states whether they include the
    /// last block of the stream.
    ///
    /// # Errors
    /// [`Error::Authentication`] unless each block is the block of this stream with its index, and `last` is true exactly
    /// if the last block of the stream is among them; the output is then wiped.
    pub fn open(&mut self, first: u64, sealed: &[u8], last: bool, output: &mut [u8]) -> Result<usize> {
        let output = output_prefix(output, self.opened_bytes(sealed.len())?)?;
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
        let bytes = self.opened_bytes(sealed)?;
        let KeyedStream { header, keyed, ad, .. } = &mut self.stream;
        if bytes == 0 && first > 0 {
            // Sealing never produces an empty block after others, so this one is forged.
            return Err(Error::Authentication);
        }
        // SAFETY: the caller's promise.
        unsafe { keyed.open_batch(header.prefix(), ad, (first, last), input, sealed, output) }
    }

    /// Return the layout of a stream with `sealed` bytes after its header.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that no stream has.
    pub fn layout(&self, sealed: u64) -> Result<StreamLayout> {
        StreamLayout::new(sealed, self.header().block_size() as u64, self.header().tag_bytes() as u64)
    }
}

/// The positions of the blocks of a stream, relative to the end of its header, in 64 bits like offsets in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLayout {
    sealed: u64,
    block_size: u64,
    tag_bytes: u64,
    blocks: u64,
}

impl StreamLayout {
    fn new(sealed: u64, block_size: u64, tag_bytes: u64) -> Result<Self> {
        let sealed_block = block_size + tag_bytes;
        let blocks = sealed.div_ceil(sealed_block).max(1);
        let last = sealed.checked_sub((blocks - 1) * sealed_block).and_then(|b| b.checked_sub(tag_bytes));
        if last.is_none_or(|last| last == 0 && blocks > 1) || blocks > Layout::MAX_BLOCKS {
            return Err(Error::Authentication);
        }
        Ok(Self { sealed, block_size, tag_bytes, blocks })
    }

    /// Length of the message in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sealed - self.blocks * self.tag_bytes
    }

    /// Number of blocks, at least 1.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Return the position of these blocks in the sealed stream, including tags.
    ///
    /// # Errors
    /// An empty range, or blocks outside the stream.
    pub fn sealed_range(&self, blocks: &Range<u64>) -> Result<Range<u64>> {
        check_blocks(blocks, self.blocks, "stream")?;
        let sealed_block = self.block_size + self.tag_bytes;
        Ok(blocks.start * sealed_block..self.sealed.min(blocks.end * sealed_block))
    }
}

//! Positions of chunks.

use super::material::{Chunking, Ending};
use crate::error::{Error, Result, ensure};
use crate::layout::check_blocks;
use std::ops::Range;

impl Chunking {
    /// Return the number of chunks of `bytes` of plaintext, whether or not it ends with them.
    pub(super) fn chunks_of_plain(&self, bytes: u64, last: bool) -> u64 {
        let chunk = self.chunk_bytes as u64;
        match self.ending {
            _ if !last => bytes / chunk,
            Ending::Short => bytes / chunk + 1,
            Ending::Marked | Ending::MarkedOfAnyLength => bytes.div_ceil(chunk).max(1),
        }
    }

    /// Return the number of chunks in `sealed` bytes, with the last chunk of the message or without it.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that no such chunks have.
    pub(super) fn chunks_of_sealed(&self, sealed: u64, last: bool) -> Result<u64> {
        let whole = self.sealed_chunk() as u64;
        let chunks = match self.ending {
            _ if !last => sealed / whole,
            Ending::Short => sealed / whole + 1,
            Ending::Marked | Ending::MarkedOfAnyLength => sealed.div_ceil(whole).max(1),
        };
        let before = if last { chunks - 1 } else { chunks } * whole;
        let valid = match (sealed - before.min(sealed), last) {
            (rest, false) => rest == 0 && chunks > 0,
            (rest, true) if self.ending == Ending::Marked && chunks > 1 => rest > self.overhead() as u64,
            (rest, true) => rest >= self.overhead() as u64,
        };
        if valid { Ok(chunks) } else { Err(Error::Authentication) }
    }

    /// Check the position of chunks in the message.
    pub(super) fn check_position(&self, first: u64, chunks: u64) -> Result<()> {
        ensure!(
            first.checked_add(chunks).is_some_and(|end| end <= self.max_chunks),
            "a message has at most 2^{} chunks of {} bytes",
            self.max_chunks.ilog2(),
            self.chunk_bytes
        );
        Ok(())
    }
}

/// The positions of the blocks or chunks of a stream, relative to the end of its header, in 64 bits like offsets in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLayout {
    sealed: u64,
    chunking: Chunking,
    chunks: u64,
}

impl StreamLayout {
    pub(super) fn new(sealed: u64, chunking: Chunking) -> Result<Self> {
        let chunks = chunking.chunks_of_sealed(sealed, true)?;
        if chunks > chunking.max_chunks {
            return Err(Error::Authentication);
        }
        Ok(Self { sealed, chunking, chunks })
    }

    /// Length of the message in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sealed - self.chunks * self.chunking.overhead() as u64
    }

    /// Number of blocks or chunks, at least 1.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.chunks
    }

    /// Return the position of these blocks in the sealed stream, including tags.
    ///
    /// # Errors
    /// An empty range, or blocks outside the stream.
    pub fn sealed_range(&self, blocks: &Range<u64>) -> Result<Range<u64>> {
        check_blocks(blocks, self.chunks, "stream")?;
        let whole = self.chunking.sealed_chunk() as u64;
        Ok(blocks.start * whole..self.sealed.min(blocks.end * whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDINGS: [Ending; 3] = [Ending::Short, Ending::Marked, Ending::MarkedOfAnyLength];

    fn chunking(ending: Ending, prefix_bytes: usize) -> Chunking {
        Chunking { chunk_bytes: 8, prefix_bytes, tag_bytes: 3, ending, max_chunks: 1 << 32 }
    }

    #[test]
    fn the_sealed_length_determines_the_layout() {
        for ending in ENDINGS {
            for prefix in [0, 2] {
                let chunking = chunking(ending, prefix);
                let mut possible = vec![];
                for bytes in 0..100 {
                    let chunks = chunking.chunks_of_plain(bytes, true);
                    let layout = StreamLayout::new(bytes + chunks * chunking.overhead() as u64, chunking).unwrap();
                    assert_eq!((layout.bytes(), layout.blocks()), (bytes, chunks));
                    possible.push(layout.sealed);
                }
                for sealed in 0..200_u64 {
                    let valid = possible.contains(&sealed)
                        // An empty last chunk is never written, but it is valid.
                        || (ending == Ending::MarkedOfAnyLength
                            && sealed >= chunking.overhead() as u64
                            && sealed % chunking.sealed_chunk() as u64 == chunking.overhead() as u64);
                    if possible.last().is_some_and(|last| sealed <= *last) {
                        assert_eq!(StreamLayout::new(sealed, chunking).is_ok(), valid, "{ending:?} {sealed}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_number_of_chunks_is_limited() {
        let chunking = chunking(Ending::Marked, 0);
        assert!(chunking.check_position((1 << 32) - 1, 1).is_ok());
        let refused = chunking.check_position((1 << 32) - 1, 2);
        assert!(matches!(refused, Err(Error::Argument(message)) if message.contains("at most 2^32 chunks")));
        assert!(chunking.check_position(u64::MAX, 1).is_err());
        assert_eq!(StreamLayout::new(12 << 32, chunking), Err(Error::Authentication));
    }

    #[test]
    fn a_batch_before_the_last_has_full_chunks() {
        for ending in ENDINGS {
            let chunking = chunking(ending, 0);
            for sealed in 0..60 {
                let full = sealed > 0 && sealed % 11 == 0;
                assert_eq!(chunking.chunks_of_sealed(sealed, false).ok(), full.then_some(sealed / 11));
            }
        }
    }
}

//! Positions of chunks.

use super::material::{Chunking, Ending};
use crate::error::{Error, Result, ensure};
use crate::layout::check_blocks;
use std::ops::Range;

impl Chunking {
    /// Return where a chunk begins in the message.
    pub(super) const fn plain_start(&self, chunk: u64) -> u64 {
        (chunk * self.chunk_bytes as u64).saturating_sub(self.lead_bytes as u64)
    }

    /// Return where a sealed chunk begins after the header.
    pub(super) const fn sealed_start(&self, chunk: u64) -> u64 {
        (chunk * self.sealed_chunk() as u64).saturating_sub(self.lead_bytes as u64)
    }

    /// Return the chunk that holds the byte at a position of the message.
    pub(super) const fn chunk_at(&self, position: u64) -> u64 {
        (position + self.lead_bytes as u64) / self.chunk_bytes as u64
    }

    /// Return the plaintext bytes of full chunks from index `first` on.
    pub(super) const fn plain_bytes(&self, first: u64, chunks: usize) -> usize {
        (self.plain_start(first + chunks as u64) - self.plain_start(first)) as usize
    }

    /// Return the bytes of sealed full chunks from index `first` on.
    pub(super) const fn sealed_bytes(&self, first: u64, chunks: usize) -> usize {
        (self.sealed_start(first + chunks as u64) - self.sealed_start(first)) as usize
    }

    /// Return the number of chunks from index `first` on that `bytes` of plaintext make, whether or not it ends with them.
    pub(super) fn chunks_of_plain(&self, first: u64, bytes: u64, last: bool) -> u64 {
        let (chunk, bytes) = (self.chunk_bytes as u64, bytes.saturating_add(self.lead(first) as u64));
        match self.ending {
            _ if !last => bytes / chunk,
            Ending::Short => bytes / chunk + 1,
            Ending::Marked | Ending::MarkedOfAnyLength => bytes.div_ceil(chunk).max(1),
        }
    }

    /// Return the number of chunks from index `first` on in `sealed` bytes, with the last one of the message or without it.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a length that no such chunks have.
    pub(super) fn chunks_of_sealed(&self, first: u64, sealed: u64, last: bool) -> Result<u64> {
        let (whole, lead) = (self.sealed_chunk() as u64, self.lead(first) as u64);
        let sealed = sealed.saturating_add(lead);
        let chunks = match self.ending {
            _ if !last => sealed / whole,
            Ending::Short => sealed / whole + 1,
            Ending::Marked | Ending::MarkedOfAnyLength => sealed.div_ceil(whole).max(1),
        };
        let before = if last { chunks - 1 } else { chunks } * whole;
        let (rest, overhead) = (sealed - before.min(sealed), self.overhead() as u64);
        let valid = match chunks {
            _ if !last => rest == 0 && chunks > 0,
            0 | 1 => rest >= overhead + lead,
            _ if self.ending == Ending::Marked => rest > overhead,
            _ => rest >= overhead,
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
        let chunks = chunking.chunks_of_sealed(0, sealed, true)?;
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
        Ok(self.chunking.sealed_start(blocks.start)..self.sealed.min(self.chunking.sealed_start(blocks.end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDINGS: [Ending; 3] = [Ending::Short, Ending::Marked, Ending::MarkedOfAnyLength];

    /// Prefix and lead in bytes of the formats tested.
    const STARTS: [(usize, usize); 3] = [(0, 0), (2, 0), (0, 5)];

    fn chunking(ending: Ending, (prefix_bytes, lead_bytes): (usize, usize)) -> Chunking {
        Chunking { chunk_bytes: 8, lead_bytes, prefix_bytes, tag_bytes: 3, ending, max_chunks: 1 << 32 }
    }

    #[test]
    fn the_sealed_length_determines_the_layout() {
        for ending in ENDINGS {
            for start in STARTS {
                let chunking = chunking(ending, start);
                let mut possible = vec![];
                for bytes in 0..100 {
                    let chunks = chunking.chunks_of_plain(0, bytes, true);
                    let layout = StreamLayout::new(bytes + chunks * chunking.overhead() as u64, chunking).unwrap();
                    assert_eq!((layout.bytes(), layout.blocks()), (bytes, chunks));
                    possible.push(layout.sealed);
                }
                for sealed in 0..200_u64 {
                    let valid = possible.contains(&sealed)
                        // An empty last chunk is never written, but it is valid.
                        || (ending == Ending::MarkedOfAnyLength
                            && sealed >= chunking.overhead() as u64
                            && (sealed + start.1 as u64) % chunking.sealed_chunk() as u64
                                == chunking.overhead() as u64);
                    if possible.last().is_some_and(|last| sealed <= *last) {
                        assert_eq!(StreamLayout::new(sealed, chunking).is_ok(), valid, "{ending:?} {sealed}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_number_of_chunks_is_limited() {
        let chunking = chunking(Ending::Marked, (0, 0));
        assert!(chunking.check_position((1 << 32) - 1, 1).is_ok());
        let refused = chunking.check_position((1 << 32) - 1, 2);
        assert!(matches!(refused, Err(Error::Argument(message)) if message.contains("at most 2^32 chunks")));
        assert!(chunking.check_position(u64::MAX, 1).is_err());
        assert_eq!(StreamLayout::new(12 << 32, chunking), Err(Error::Authentication));
    }

    #[test]
    fn a_batch_before_the_last_has_full_chunks() {
        for ending in ENDINGS {
            for (first, lead) in [(0, 0), (0, 5), (1, 5)] {
                let chunking = chunking(ending, (0, lead));
                for sealed in 0..60 {
                    let counted = sealed + if first == 0 { lead as u64 } else { 0 };
                    let full = counted > 0 && counted % 11 == 0;
                    assert_eq!(chunking.chunks_of_sealed(first, sealed, false).ok(), full.then_some(counted / 11));
                }
            }
        }
    }

    #[test]
    fn chunks_begin_where_the_lead_moves_them() {
        let layout = StreamLayout::new(6 + 11 + 7, chunking(Ending::Marked, (0, 5))).unwrap();
        assert_eq!((layout.bytes(), layout.blocks()), (24 - 3 * 3, 3));
        let ranges = [0..1, 1..2, 2..3, 0..3, 1..3].map(|blocks| layout.sealed_range(&blocks).unwrap());
        assert_eq!(ranges, [0..6, 6..17, 17..24, 0..24, 6..24]);
    }
}

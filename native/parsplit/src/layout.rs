use crate::{Error, Result};
use std::ops::Range;

/// How a message is cut: `bytes` in blocks of `block_size`, one tag each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    bytes: usize,
    block_size: usize,
    tag_bytes: usize,
    blocks: usize,
}

impl Layout {
    /// STREAM counts blocks in 32 bits.
    pub const MOST_BLOCKS: u64 = 1 << 32;

    /// The layout of a message of `bytes`; an empty message is one empty block.
    ///
    /// # Errors
    /// A block size of 0, more than 2^32 blocks, or a sealed length that does not fit the address space.
    pub fn of_message(bytes: usize, block_size: usize, tag_bytes: usize) -> Result<Self> {
        if block_size == 0 {
            return Err(Error::Argument("block size 0 given, at least 1 byte wanted".into()));
        }
        let blocks = bytes.div_ceil(block_size).max(1);
        if blocks as u64 > Self::MOST_BLOCKS {
            return Err(Error::Argument(format!(
                "{bytes} bytes in blocks of {block_size} make {blocks} blocks, at most 2^32 are possible: \
                 use a larger block size"
            )));
        }
        if blocks.checked_mul(tag_bytes).and_then(|tags| tags.checked_add(bytes)).is_none() {
            return Err(Error::Argument(format!("{bytes} bytes and {blocks} tags do not fit the address space")));
        }
        Ok(Self { bytes, block_size, tag_bytes, blocks })
    }

    /// The layout of a sealed message of `sealed` bytes, tags included.
    ///
    /// # Errors
    /// As [`Layout::of_message`], and a length that no message has.
    pub fn of_sealed(sealed: usize, block_size: usize, tag_bytes: usize) -> Result<Self> {
        if block_size == 0 {
            return Err(Error::Argument("block size 0 given, at least 1 byte wanted".into()));
        }
        let no_message = || Error::Length {
            what: "sealed message",
            given: sealed,
            wanted: format!(
                "a message in blocks of {block_size} with {tag_bytes} bytes of tag each, at least {tag_bytes}"
            ),
        };
        let whole = block_size.checked_add(tag_bytes).ok_or_else(no_message)?;
        let blocks = sealed.div_ceil(whole).max(1);
        let tags = blocks.checked_mul(tag_bytes).ok_or_else(no_message)?;
        let bytes = sealed.checked_sub(tags).ok_or_else(no_message)?;
        let layout = Self::of_message(bytes, block_size, tag_bytes)?;
        // A length such as 2 × 16 + 0 would need a second block of no bytes, which sealing never makes.
        if layout.blocks == blocks { Ok(layout) } else { Err(no_message()) }
    }

    /// Bytes of the message.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Number of blocks, and so of tags; at least 1.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// Bytes of all tags.
    #[must_use]
    pub const fn tags(&self) -> usize {
        self.blocks * self.tag_bytes
    }

    /// Bytes of ciphertext and tags.
    #[must_use]
    pub const fn sealed(&self) -> usize {
        self.bytes + self.tags()
    }

    /// Where block `index` lies in the message.
    #[must_use]
    pub fn block(&self, index: usize) -> Range<usize> {
        let start = index * self.block_size;
        start..self.bytes.min(start.saturating_add(self.block_size))
    }

    /// Where some neighbouring blocks, at least one, lie in the message.
    ///
    /// # Errors
    /// Blocks that the message does not have.
    pub fn bytes_of(&self, blocks: &Range<u64>) -> Result<Range<usize>> {
        if blocks.is_empty() || blocks.end > self.blocks as u64 {
            return Err(Error::Argument(format!(
                "blocks {} to {} wanted, the message has {}, numbered from 0",
                blocks.start, blocks.end, self.blocks
            )));
        }
        Ok(self.block(blocks.start as usize).start..self.block(blocks.end as usize - 1).end)
    }

    /// Offset of tag `index` from the first tag.
    #[must_use]
    pub const fn tag(&self, index: usize) -> usize {
        index * self.tag_bytes
    }

    /// Whether `index` is the last block.
    #[must_use]
    pub const fn is_last(&self, index: usize) -> bool {
        index + 1 == self.blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_length_determines_the_message() {
        for tag in [0, 16, 32] {
            for block in [1, 2, 15, 16, 17, 64] {
                for bytes in 0..300 {
                    let layout = Layout::of_message(bytes, block, tag).unwrap();
                    if tag > 0 {
                        assert_eq!(Layout::of_sealed(layout.sealed(), block, tag).unwrap(), layout);
                    }
                    let total: usize = (0..layout.blocks()).map(|i| layout.block(i).len()).sum();
                    assert_eq!(total, bytes);
                }
            }
        }
    }

    #[test]
    fn lengths_that_no_message_has_are_refused() {
        let possible: Vec<usize> = (0..200).map(|n| Layout::of_message(n, 16, 16).unwrap().sealed()).collect();
        for sealed in 0..200 {
            assert_eq!(Layout::of_sealed(sealed, 16, 16).is_ok(), possible.contains(&sealed), "{sealed}");
        }
    }

    #[test]
    fn too_many_blocks_and_block_size_zero_are_refused() {
        assert!(Layout::of_message(1 << 32, 1, 16).is_ok());
        assert!(Layout::of_message((1 << 32) + 1, 1, 16).is_err());
        assert!(Layout::of_message(1, 0, 16).is_err());
        assert!(Layout::of_message(usize::MAX, usize::MAX, 16).is_err());
        assert!(Layout::of_sealed(usize::MAX, usize::MAX, 16).is_err());
    }
}

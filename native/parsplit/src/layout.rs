use crate::error::{Error, Result, ensure};
use std::ops::Range;

/// The positions of the blocks and tags of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    bytes: usize,
    block_size: usize,
    tag_bytes: usize,
    blocks: usize,
}

impl Layout {
    /// The largest number of blocks: STREAM numbers them with 32 bits.
    pub const MAX_BLOCKS: u64 = 1 << 32;

    /// Return the layout of a message of `bytes`. An empty message has one empty block.
    ///
    /// # Errors
    /// A block size of 0, more than 2^32 blocks, or a sealed length that does not fit the address space.
    pub fn of_message(bytes: usize, block_size: usize, tag_bytes: usize) -> Result<Self> {
        check_block_size(block_size)?;
        let blocks = bytes.div_ceil(block_size).max(1);
        ensure!(
            blocks as u64 <= Self::MAX_BLOCKS,
            "{bytes} bytes in blocks of {block_size} make {blocks} blocks, at most 2^32 are possible: \
             use a larger block size"
        );
        ensure!(
            blocks.checked_mul(tag_bytes).and_then(|tags| tags.checked_add(bytes)).is_some(),
            "{bytes} bytes and {blocks} tags do not fit the address space"
        );
        Ok(Self { bytes, block_size, tag_bytes, blocks })
    }

    /// Return the layout of a sealed message of `sealed` bytes, including tags.
    ///
    /// # Errors
    /// As [`Layout::of_message`], and a length that no sealed message has.
    pub fn of_sealed(sealed: usize, block_size: usize, tag_bytes: usize) -> Result<Self> {
        check_block_size(block_size)?;
        let length_error = || Error::Length {
            name: "sealed message",
            given: sealed,
            expected: format!("a message in blocks of {block_size} bytes with tags of {tag_bytes} bytes"),
        };
        let whole = block_size.checked_add(tag_bytes).ok_or_else(length_error)?;
        let blocks = sealed.div_ceil(whole).max(1);
        let tags = blocks.checked_mul(tag_bytes).ok_or_else(length_error)?;
        let bytes = sealed.checked_sub(tags).ok_or_else(length_error)?;
        let layout = Self::of_message(bytes, block_size, tag_bytes)?;
        // Some lengths would need an empty block after others, which sealing never produces.
        if layout.blocks == blocks { Ok(layout) } else { Err(length_error()) }
    }

    /// Length of the message in bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Length of each block but the last in bytes.
    pub(crate) const fn block_size(&self) -> usize {
        self.block_size
    }

    /// Number of blocks, and so of tags; at least 1.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// Total length of the tags in bytes.
    #[must_use]
    pub const fn tags_bytes(&self) -> usize {
        self.blocks * self.tag_bytes
    }

    /// Length of ciphertext and tags in bytes.
    #[must_use]
    pub const fn sealed_bytes(&self) -> usize {
        self.bytes + self.tags_bytes()
    }

    /// Return the position of block `index` in the message.
    #[must_use]
    pub fn block_range(&self, index: usize) -> Range<usize> {
        let start = index * self.block_size;
        start..self.bytes.min(start.saturating_add(self.block_size))
    }

    /// Return the position of neighbouring blocks, at least one, in the message.
    ///
    /// # Errors
    /// An empty range, or blocks outside the message.
    pub fn byte_range(&self, blocks: &Range<u64>) -> Result<Range<usize>> {
        check_blocks(blocks, self.blocks as u64, "message")?;
        Ok(self.block_range(blocks.start as usize).start..self.block_range(blocks.end as usize - 1).end)
    }

    /// Return the offset of tag `index` from the first tag in bytes.
    #[must_use]
    pub const fn tag_offset(&self, index: usize) -> usize {
        index * self.tag_bytes
    }

    /// Return whether `index` is the last block.
    #[must_use]
    pub const fn is_last(&self, index: usize) -> bool {
        index + 1 == self.blocks
    }
}

pub(crate) fn check_block_size(bytes: usize) -> Result<()> {
    ensure!(bytes != 0, "block size 0 given, at least 1 byte expected");
    Ok(())
}

/// Fail for an empty range and for blocks outside a `container` (message or stream) of `total` blocks.
pub(crate) fn check_blocks(blocks: &Range<u64>, total: u64, container: &str) -> Result<()> {
    let count = blocks.end.saturating_sub(blocks.start);
    ensure!(
        !blocks.is_empty() && blocks.end <= total,
        "{count} block{} from block {} requested, the {container} has {total}: blocks 0 to {}",
        if count == 1 { "" } else { "s" },
        blocks.start,
        total.saturating_sub(1)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_length_determines_the_layout() {
        for tag in [0, 16, 32] {
            for block in [1, 2, 15, 16, 17, 64] {
                for bytes in 0..300 {
                    let layout = Layout::of_message(bytes, block, tag).unwrap();
                    if tag > 0 {
                        assert_eq!(Layout::of_sealed(layout.sealed_bytes(), block, tag).unwrap(), layout);
                    }
                    let total: usize = (0..layout.blocks()).map(|i| layout.block_range(i).len()).sum();
                    assert_eq!(total, bytes);
                }
            }
        }
    }

    #[test]
    fn rejects_lengths_that_no_sealed_message_has() {
        let possible: Vec<usize> = (0..200).map(|n| Layout::of_message(n, 16, 16).unwrap().sealed_bytes()).collect();
        for sealed in 0..200 {
            assert_eq!(Layout::of_sealed(sealed, 16, 16).is_ok(), possible.contains(&sealed), "{sealed}");
        }
    }

    #[test]
    fn rejects_too_many_blocks_and_block_size_zero() {
        assert!(Layout::of_message(1 << 32, 1, 16).is_ok());
        assert!(Layout::of_message((1 << 32) + 1, 1, 16).is_err());
        assert!(Layout::of_message(1, 0, 16).is_err());
        assert!(Layout::of_message(usize::MAX, usize::MAX, 16).is_err());
        assert!(Layout::of_sealed(usize::MAX, usize::MAX, 16).is_err());
    }
}

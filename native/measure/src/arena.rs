use std::io;
use std::ptr::{self, NonNull};
use std::slice;

/// An anonymous mapping: page-aligned, so 64-byte aligned as in the ETH paper.
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is plain memory that belongs to this value alone.
unsafe impl Send for Mapping {}
// SAFETY: shared references only read.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1);
        // SAFETY: a new private anonymous mapping touches nothing that exists.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // As NumPy's arrays have them, and the outputs of ParSplit.
        parsplit::advise_huge(start.cast(), bytes);
        NonNull::new(start.cast()).map(|start| Self { start, bytes }).ok_or_else(io::Error::last_os_error)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, unmapped once.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// What the output side holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    Anything,
    /// The sealed message of the case with this number.
    SealedBy(u64),
}

/// The memory of a run: a plaintext side and an output side, each pre-faulted and filled with pseudo-random data.
pub struct Arena {
    plain: Mapping,
    output: Mapping,
    capacity: usize,
    seed: u64,
    pub(crate) holds: Holds,
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at a position: any word can be checked without keeping a copy.
fn word(seed: u64, index: usize) -> u64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn fill(bytes: &mut [u8], seed: u64) {
    for (i, chunk) in bytes.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&word(seed, i).to_le_bytes()[..chunk.len()]);
    }
}

impl Arena {
    /// Memory for messages of up to `bytes` with up to `tag_bytes` of tags behind them.
    ///
    /// # Errors
    /// The system's, when the memory cannot be had.
    pub fn new(bytes: usize, tag_bytes: usize, seed: u64) -> io::Result<Self> {
        let total = bytes.checked_add(tag_bytes).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut arena = Self {
            plain: Mapping::new(bytes)?,
            output: Mapping::new(total)?,
            capacity: bytes,
            seed,
            holds: Holds::Anything,
        };
        arena.refill();
        // SAFETY: the whole mapping, borrowed mutably through `arena`.
        fill(unsafe { slice::from_raw_parts_mut(arena.output.start.as_ptr(), arena.output.bytes) }, !seed);
        Ok(arena)
    }

    /// Puts the plaintext back.
    pub fn refill(&mut self) {
        // SAFETY: the whole mapping, borrowed mutably through `self`.
        fill(unsafe { slice::from_raw_parts_mut(self.plain.start.as_ptr(), self.capacity) }, self.seed);
        self.holds = Holds::Anything;
    }

    /// Bytes of the longest message.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes behind the longest message.
    #[must_use]
    pub fn tag_capacity(&self) -> usize {
        self.output.bytes - self.capacity
    }

    pub(crate) fn plain(&mut self) -> *mut u8 {
        self.plain.start.as_ptr()
    }

    pub(crate) fn output(&mut self) -> *mut u8 {
        self.output.start.as_ptr()
    }

    /// Whether the first `bytes` of the plaintext side are as they were filled, looked at in a few thousand places.
    pub(crate) fn plain_is_whole(&self, bytes: usize) -> bool {
        let words = bytes / 8;
        let step = (words / 4096).max(1);
        (0..words).step_by(step).chain(words.checked_sub(1)).all(|i| {
            // SAFETY: `i` counts whole words inside the mapping, which is page-aligned.
            let found = unsafe { self.plain.start.cast::<u64>().add(i).read() };
            u64::from_le(found) == word(self.seed, i)
        })
    }

    /// A fingerprint of the tags and of a few thousand places of the output.
    pub(crate) fn fingerprint(&self, bytes: usize, tag_bytes: usize) -> u64 {
        // SAFETY: the caller has checked both lengths against the capacity.
        let output = unsafe { slice::from_raw_parts(self.output.start.as_ptr(), bytes + tag_bytes) };
        let (text, tags) = output.split_at(bytes);
        let step = (bytes / 4096).max(1);
        let places = text.iter().step_by(step).chain(text.last());
        places
            .chain(tags)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_plaintext_is_noticed_and_refilled() {
        let mut arena = Arena::new(1000, 16, 7).unwrap();
        assert!(arena.plain_is_whole(1000));
        // SAFETY: inside the mapping.
        unsafe { *arena.plain().add(16) ^= 1 };
        assert!(!arena.plain_is_whole(1000));
        arena.refill();
        assert!(arena.plain_is_whole(1000));
    }

    #[test]
    fn every_tag_bit_counts() {
        let mut arena = Arena::new(100, 16, 7).unwrap();
        let before = arena.fingerprint(100, 16);
        // SAFETY: inside the mapping.
        unsafe { *arena.output().add(115) ^= 0x80 };
        assert_ne!(arena.fingerprint(100, 16), before);
    }
}

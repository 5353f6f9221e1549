//! The memory of a run: pre-faulted and filled with reproducible pseudo-random data.

use std::hint;
use std::io;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;

/// An anonymous mapping: page-aligned, and so 64-byte aligned as in the ETH paper.
pub(crate) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is plain memory that this value owns alone.
unsafe impl Send for Mapping {}
// SAFETY: shared references only read.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
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
        // The arrays of NumPy and the outputs of ParSplit use huge pages too.
        parsplit::advise_huge(start.cast(), bytes);
        NonNull::new(start.cast()).map(|start| Self { start, bytes }).ok_or_else(io::Error::last_os_error)
    }

    pub(crate) fn pointer(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this length, and it is unmapped once.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Contents of the output buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    Unspecified,
    /// The sealed message of the case with this identifier.
    SealedBy(u64),
}

/// The seed of associated data: the same bytes for every case and arena, and none of a message's.
const ASSOCIATED_SEED: u64 = 0x6173_736f_6369_6174;

/// Pseudo-random associated data, of which a shorter length is a prefix.
pub(crate) struct AssociatedData {
    memory: Mapping,
    bytes: usize,
}

impl AssociatedData {
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        let memory = Mapping::new(bytes)?;
        // SAFETY: the whole mapping, which nothing else borrows yet.
        fill_associated(unsafe { slice::from_raw_parts_mut(memory.pointer(), bytes) });
        Ok(Self { memory, bytes })
    }

    /// Returns the first bytes.
    pub(crate) fn prefix(&self, bytes: usize) -> &[u8] {
        debug_assert!(bytes <= self.bytes);
        // SAFETY: the mapping holds so many initialized bytes, which are never written again.
        unsafe { slice::from_raw_parts(self.memory.pointer(), bytes.min(self.bytes)) }
    }
}

/// Fills memory with the associated data of all cases.
pub fn fill_associated(bytes: &mut [u8]) {
    fill(bytes, ASSOCIATED_SEED);
}

/// Bytes of the smallest page, each of which the host of a virtual machine can map on its own.
const PAGE: usize = 4096;

/// Unused bytes before and behind the output. Without them the buffers of a message of 1 GiB without tags are exactly
/// 1 GiB apart, so that reads and writes meet in the same banks of the memory: on a Zen 4 a copy with ordinary stores is
/// then slower by a third (9.4 instead of 14 GiB/s). Buffers of a program have this distance only by chance.
const OFFSET: usize = 1 << 16;

/// A plaintext buffer, an output buffer and associated data, shared by all cases of a run.
pub struct Arena {
    plain: Mapping,
    output: Mapping,
    associated: Arc<AssociatedData>,
    capacity: usize,
    seed: u64,
    pub(crate) contents: Contents,
}

/// Returns word `index` of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), so that any word can be checked without a copy.
pub(crate) fn word(seed: u64, index: usize) -> u64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub(crate) fn fill(bytes: &mut [u8], seed: u64) {
    for (i, chunk) in bytes.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&word(seed, i).to_le_bytes()[..chunk.len()]);
    }
}

impl Arena {
    /// Allocates and fills buffers for messages of up to `bytes` bytes, followed by up to `tag_bytes` bytes of tags.
    ///
    /// # Errors
    /// The operating system's error if the memory cannot be allocated.
    pub fn new(bytes: usize, tag_bytes: usize, seed: u64) -> io::Result<Self> {
        let total = bytes.checked_add(tag_bytes).and_then(|sum| sum.checked_add(2 * OFFSET));
        let total = total.ok_or(io::ErrorKind::OutOfMemory)?;
        let mut arena = Self {
            plain: Mapping::new(bytes)?,
            output: Mapping::new(total)?,
            associated: Arc::new(AssociatedData::new(0)?),
            capacity: bytes,
            seed,
            contents: Contents::Unspecified,
        };
        arena.refill();
        // SAFETY: the whole mapping, borrowed mutably through `arena`.
        fill(unsafe { slice::from_raw_parts_mut(arena.output.start.as_ptr(), arena.output.bytes) }, !seed);
        Ok(arena)
    }

    /// Restores the plaintext.
    pub fn refill(&mut self) {
        // SAFETY: the whole mapping, borrowed mutably through `self`.
        fill(unsafe { slice::from_raw_parts_mut(self.plain.start.as_ptr(), self.capacity) }, self.seed);
        self.contents = Contents::Unspecified;
    }

    /// Reads and writes one byte of each page of a message, of its output and of the tags behind it, and reads one of
    /// each page of the associated data. No byte changes.
    ///
    /// On a virtual machine the first use of memory after some seconds without any can take six times as long, although
    /// the process sees no page fault: presumably the host maps the pages anew.
    pub fn touch(&mut self, bytes: usize) {
        let bytes = bytes.min(self.capacity);
        for (buffer, length) in [(self.plain(), bytes), (self.output(), bytes + self.tag_capacity())] {
            for offset in (0..length).step_by(PAGE) {
                // SAFETY: both buffers hold these bytes, which are initialized and which `self` borrows mutably.
                unsafe {
                    let byte = buffer.add(offset);
                    byte.write_volatile(byte.read_volatile());
                }
            }
        }
        for byte in self.associated.prefix(self.associated.bytes).iter().step_by(PAGE) {
            hint::black_box(*byte);
        }
    }

    /// Returns associated data of at least `bytes` bytes. It is allocated for the first case that needs so many.
    pub(crate) fn associated(&mut self, bytes: usize) -> io::Result<Arc<AssociatedData>> {
        if self.associated.bytes < bytes {
            self.associated = Arc::new(AssociatedData::new(bytes)?);
        }
        Ok(Arc::clone(&self.associated))
    }

    /// Length of the longest message, in bytes.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Room for tags behind the longest message, in bytes.
    pub fn tag_capacity(&self) -> usize {
        self.output.bytes - 2 * OFFSET - self.capacity
    }

    pub(crate) fn plain(&mut self) -> *mut u8 {
        self.plain.start.as_ptr()
    }

    pub(crate) fn output(&mut self) -> *mut u8 {
        self.output.start.as_ptr().wrapping_add(OFFSET)
    }

    /// Whether the first `bytes` bytes of the plaintext are unchanged; compares a few thousand words.
    pub(crate) fn plaintext_is_intact(&self, bytes: usize) -> bool {
        let words = bytes / 8;
        let step = (words / 4096).max(1);
        (0..words).step_by(step).chain(words.checked_sub(1)).all(|i| {
            // SAFETY: `i` counts whole words inside the mapping, which is page-aligned.
            let actual = unsafe { self.plain.start.cast::<u64>().add(i).read() };
            u64::from_le(actual) == word(self.seed, i)
        })
    }

    /// Returns the FNV-1a hash of a few thousand bytes of the output and of all its tags.
    pub(crate) fn fingerprint(&self, bytes: usize, tag_bytes: usize) -> u64 {
        // SAFETY: the caller has checked both lengths against the capacity.
        let output = unsafe { slice::from_raw_parts(self.output.start.as_ptr().add(OFFSET), bytes + tag_bytes) };
        let (text, tags) = output.split_at(bytes);
        let step = (bytes / 4096).max(1);
        let sampled = text.iter().step_by(step).chain(text.last());
        sampled
            .chain(tags)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_not_a_message_apart() {
        let bytes = 1 << 21;
        for tag_bytes in [0, 16] {
            let mut arena = Arena::new(bytes, tag_bytes, 7).unwrap();
            assert_ne!((arena.plain() as usize).abs_diff(arena.output() as usize) % bytes, 0);
            assert_eq!(arena.tag_capacity(), tag_bytes);
        }
    }

    #[test]
    fn detects_and_restores_a_changed_plaintext() {
        let mut arena = Arena::new(1000, 16, 7).unwrap();
        assert!(arena.plaintext_is_intact(1000));
        // SAFETY: inside the mapping.
        unsafe { *arena.plain().add(16) ^= 1 };
        assert!(!arena.plaintext_is_intact(1000));
        arena.refill();
        assert!(arena.plaintext_is_intact(1000));
    }

    /// Removes pages from memory, which makes their bytes 0.
    fn discard(start: *mut u8, pages: usize) {
        // SAFETY: whole pages of the arena, whose bytes may be 0.
        assert_eq!(unsafe { libc::madvise(start.cast(), pages * PAGE, libc::MADV_DONTNEED) }, 0);
    }

    /// Returns which pages are in memory.
    fn resident(start: *mut u8, pages: usize) -> Vec<bool> {
        let mut states = vec![0; pages];
        // SAFETY: whole pages of the arena, and one byte for the state of each.
        assert_eq!(unsafe { libc::mincore(start.cast(), pages * PAGE, states.as_mut_ptr()) }, 0);
        states.iter().map(|state| state & 1 == 1).collect()
    }

    #[test]
    fn touching_uses_each_page_of_the_message_and_its_output() {
        let (all, tags) = (20, 2);
        let mut arena = Arena::new(all * PAGE, tags * PAGE, 7).unwrap();
        for (bytes, of_plain, of_output) in [(0, 0, 2), (1, 1, 3), (3 * PAGE + 5, 4, 6), (usize::MAX, all, all + tags)]
        {
            let (plain, output) = (arena.plain(), arena.output());
            discard(plain, all);
            discard(output, all + tags);
            assert!(!resident(plain, all).contains(&true) && !resident(output, all + tags).contains(&true));
            arena.touch(bytes);
            assert_eq!(resident(plain, all), (0..all).map(|page| page < of_plain).collect::<Vec<_>>());
            assert_eq!(resident(output, all + tags), (0..all + tags).map(|page| page < of_output).collect::<Vec<_>>());
        }
    }

    #[test]
    fn touching_changes_no_byte() {
        let bytes = 3 * PAGE + 5;
        let mut arena = Arena::new(bytes, 2 * PAGE, 7).unwrap();
        arena.associated(PAGE + 1).unwrap();
        let before = arena.fingerprint(bytes, 2 * PAGE);
        for length in [0, 1, bytes, usize::MAX] {
            arena.touch(length);
            assert!(arena.plaintext_is_intact(bytes));
            assert_eq!(arena.fingerprint(bytes, 2 * PAGE), before);
        }
    }

    #[test]
    fn shorter_associated_data_is_a_prefix_and_no_message() {
        let mut arena = Arena::new(64, 16, ASSOCIATED_SEED).unwrap();
        let short = arena.associated(13).unwrap();
        let long = arena.associated(1 << 20).unwrap();
        assert_eq!(short.prefix(13), long.prefix(13));
        assert_eq!(arena.associated(32).unwrap().prefix(32), long.prefix(32));
        let mut filled = vec![0; 32];
        fill_associated(&mut filled);
        assert_eq!(long.prefix(32), filled);
        assert_ne!(long.prefix(32), &[0; 32]);
    }

    #[test]
    fn the_fingerprint_covers_the_tags() {
        let mut arena = Arena::new(100, 16, 7).unwrap();
        let before = arena.fingerprint(100, 16);
        // SAFETY: inside the mapping.
        unsafe { *arena.output().add(115) ^= 0x80 };
        assert_ne!(arena.fingerprint(100, 16), before);
    }
}

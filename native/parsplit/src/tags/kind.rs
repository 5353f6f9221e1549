//! The constructions, and the settings of a message with one tag.

use super::binding::{MAX_NONCE_BYTES, algorithm_name};
use super::{BLAKE3_KEY_BYTES, ONE_TAG_BYTES};
use crate::context::Context;
use crate::error::{Error, Result, ensure};
use crate::layout::Layout;
use crate::limits::{MAX_THREADS, SERIAL_BELOW};
use crate::nonce::Nonces;
use crate::schedules::Schedule;
use crate::splitter::ParSplit;
use aeadlab_abi::{self as abi, Algorithm};
use blake3::CHUNK_LEN;
use std::fmt;
use std::str::FromStr;

/// The value that replaces the tags of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tags {
    /// The tags of the blocks, hashed to one value after the last block.
    Digest,
    /// The same hash, whose tree the workers build as blocks finish; with proofs for ranges of blocks.
    Merkle,
    /// A hash of the ciphertext of a cipher, block by block while it is in cache; with proofs for ranges of blocks.
    Blake3,
}

impl Tags {
    /// All constructions by name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("digest", Self::Digest), ("merkle", Self::Merkle), ("blake3", Self::Blake3)];

    /// The name that selects it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Merkle => "merkle",
            Self::Blake3 => "blake3",
        }
    }

    /// The context of the key derivation, which separates the keys of the three constructions.
    pub(super) fn context(self) -> &'static str {
        match self {
            Self::Digest => "aeadlab 2026-11-25 ParSplit digest of tags v1",
            Self::Merkle => "aeadlab 2026-11-25 ParSplit tree of tags v1",
            Self::Blake3 => "aeadlab 2026-11-25 ParSplit cipher with BLAKE3 v1",
        }
    }
}

impl fmt::Display for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tags {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(other, _)| *other == name);
        found.map(|(_, tags)| *tags).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(name, _)| *name).collect();
            Error::Argument(format!("tags {name:?} given, one of {} expected", names.join(", ")))
        })
    }
}

/// An algorithm with a block size, a thread count, a schedule and a construction of the tag.
#[derive(Clone, Copy, Debug)]
pub struct OneTag {
    pub(super) algorithm: &'static Algorithm,
    pub(super) block_size: usize,
    pub(super) threads: usize,
    pub(super) schedule: Schedule,
    pub(super) serial_below: usize,
    pub(super) tags: Tags,
}

impl OneTag {
    /// Check the combination. An AEAD is tried: its tags must be computable again from the ciphertext.
    ///
    /// # Errors
    /// As [`ParSplit::new`]; for [`Tags::Digest`] and [`Tags::Merkle`] an algorithm that is no AEAD, or an AEAD whose
    /// ciphertext is not the message XOR a key stream; for [`Tags::Blake3`] an algorithm that is no cipher, a nonce
    /// shorter than 12 bytes, or a block size that is not a power of two from 1024 on.
    pub fn new(
        algorithm: &'static Algorithm,
        block_size: usize,
        threads: usize,
        schedule: Schedule,
        tags: Tags,
    ) -> Result<Self> {
        match tags {
            Tags::Digest | Tags::Merkle => {
                check_aead(algorithm, tags)?;
                ParSplit::new(algorithm, block_size, threads, schedule)?;
                check_key_stream(algorithm, tags)?;
            }
            Tags::Blake3 => check_cipher(algorithm, block_size, threads)?,
        }
        Ok(Self { algorithm, block_size, threads, schedule, serial_below: SERIAL_BELOW, tags })
    }

    /// Process messages shorter than `bytes` on the caller's thread alone; 0 uses all threads for every message.
    #[must_use]
    pub fn serial_below(self, bytes: usize) -> Self {
        Self { serial_below: bytes, ..self }
    }

    /// The construction of the tag.
    #[must_use]
    pub fn tags(&self) -> Tags {
        self.tags
    }

    /// Bytes per block.
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// The AEAD or the cipher.
    #[must_use]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Length of the key in bytes: that of the AEAD, or [`BLAKE3_KEY_BYTES`].
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        match self.tags {
            Tags::Digest | Tags::Merkle => self.algorithm.key_bytes as usize,
            Tags::Blake3 => BLAKE3_KEY_BYTES,
        }
    }

    /// Length of the nonce of a message in bytes: that of the AEAD less 5, or [`BLAKE3_KEY_BYTES`].
    #[must_use]
    pub fn nonce_bytes(&self) -> usize {
        match self.tags {
            // `new` has rejected every AEAD without a prefix length.
            Tags::Digest | Tags::Merkle => Nonces::prefix_bytes(self.algorithm.nonce_bytes as usize).unwrap_or(0),
            Tags::Blake3 => BLAKE3_KEY_BYTES,
        }
    }

    /// Return the layout of a message of `bytes`: its blocks have no tags of their own.
    ///
    /// # Errors
    /// More than 2^32 blocks, or a sealed length that does not fit the address space.
    pub fn layout(&self, bytes: usize) -> Result<Layout> {
        ensure!(bytes <= usize::MAX - ONE_TAG_BYTES, "{bytes} bytes and a tag do not fit the address space");
        Layout::of_message(bytes, self.block_size, 0)
    }

    /// Return the layout of a sealed message of `sealed` bytes, which ends with its tag.
    ///
    /// # Errors
    /// A length that is shorter than a tag; otherwise as [`OneTag::layout`].
    pub fn layout_of_sealed(&self, sealed: usize) -> Result<Layout> {
        let too_short = || Error::Length {
            name: "sealed message",
            given: sealed,
            expected: format!("at least {ONE_TAG_BYTES} (its tag)"),
        };
        self.layout(sealed.checked_sub(ONE_TAG_BYTES).ok_or_else(too_short)?)
    }
}

/// Check what `ParSplit::new` leaves to other callers: it also takes baselines.
fn check_aead(algorithm: &Algorithm, tags: Tags) -> Result<()> {
    let name = algorithm_name(algorithm)?;
    ensure!(
        algorithm.kind == abi::AEAD,
        "{name} is not an AEAD, and tags=\"{tags}\" hashes the tags of one: use tags=\"blake3\" for a cipher"
    );
    let tag_bytes = algorithm.tag_bytes as usize;
    ensure!(
        tags != Tags::Merkle || tag_bytes.is_power_of_two(),
        "{name} has tags of {tag_bytes} bytes, and tags=\"merkle\" needs a power of two: use tags=\"digest\""
    );
    Ok(())
}

fn check_cipher(algorithm: &Algorithm, block_size: usize, threads: usize) -> Result<()> {
    let name = algorithm_name(algorithm)?;
    ensure!(
        algorithm.kind == abi::CIPHER && !algorithm.has(abi::BASELINE),
        "{name} is not a cipher, and tags=\"blake3\" authenticates the ciphertext of one such as aes-256-ctr or \
         chacha20: an AEAD has tags of its own"
    );
    let nonce = algorithm.nonce_bytes as usize;
    ensure!(
        (12..=MAX_NONCE_BYTES).contains(&nonce),
        "{name} has nonces of {nonce} bytes, tags=\"blake3\" needs 12 to {MAX_NONCE_BYTES}, one for each block"
    );
    ensure!((1..=MAX_THREADS).contains(&threads), "{threads} threads given, 1 to {MAX_THREADS} expected");
    ensure!(
        threads == 1 || algorithm.has(abi::THREAD_SAFE),
        "{threads} threads given, but the algorithm is not thread-safe"
    );
    ensure!(
        block_size.is_power_of_two() && block_size >= CHUNK_LEN,
        "block size {block_size} given, a power of two from {CHUNK_LEN} on expected: each block is a subtree of BLAKE3"
    );
    ensure!(
        algorithm.max_bytes == 0 || block_size as u64 <= algorithm.max_bytes,
        "block size {block_size} given, the algorithm takes at most {} bytes",
        algorithm.max_bytes
    );
    Ok(())
}

/// Length in bytes of the message that an AEAD is tried with: longer than what AEGIS and its relatives encrypt before
/// the key stream depends on the message, and a multiple of every block length.
const TRIAL_BYTES: usize = 4096;

/// Try that sealing a ciphertext decrypts it.
///
/// No AEAD behind the ABI returns a tag when it opens, so the tags are computed by sealing the message again. The message
/// must therefore be obtained without a tag.
fn check_key_stream(algorithm: &'static Algorithm, tags: Tags) -> Result<()> {
    let limit = if algorithm.max_bytes == 0 { u64::MAX } else { algorithm.max_bytes };
    let bytes = usize::try_from(limit).unwrap_or(usize::MAX).min(TRIAL_BYTES);
    let bytes = bytes - bytes % (algorithm.block_bytes.max(1) as usize);
    let pattern = |length: u32| (0..length).map(|i| (i * 7 + 1) as u8).collect::<Vec<u8>>();
    let mut context = Context::new(algorithm, &pattern(algorithm.key_bytes))?;
    let nonce = pattern(algorithm.nonce_bytes);
    let message = pattern(bytes as u32);
    let (mut once, mut twice) = (vec![0; bytes], vec![0; bytes]);
    let mut tag = vec![0; algorithm.tag_bytes as usize];
    // SAFETY: disjoint buffers of the lengths passed.
    unsafe {
        context.seal(&nonce, &[], message.as_ptr(), bytes, once.as_mut_ptr(), tag.as_mut_ptr())?;
        context.seal(&nonce, &[], once.as_ptr(), bytes, twice.as_mut_ptr(), tag.as_mut_ptr())?;
    }
    ensure!(
        twice == message,
        "{} cannot compute the tags of its blocks again, which opening with tags=\"{tags}\" requires: use an AEAD whose \
         ciphertext is the message XOR a key stream, such as aes-256-gcm or chacha20-poly1305, or tags=\"concatenated\"",
        algorithm_name(algorithm)?
    );
    Ok(())
}

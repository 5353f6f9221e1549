//! What the header of one message, the key and the context give: how its chunks are sealed.

use crate::error::Result;
use crate::nonce;
use zeroize::Zeroizing;

/// Length in bytes of the nonces of AES-GCM and ChaCha20-Poly1305.
pub(super) const NONCE_BYTES: usize = 12;
pub(super) const TAG_BYTES: usize = 16;

/// How the last chunk is recognized, and the lengths that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It is shorter than the others and may be empty; the length alone marks it.
    Short,
    /// It is as long as the others or shorter, and empty only in an empty message. Its nonce marks it.
    Marked,
    /// It has any length up to that of the others, and is marked.
    MarkedOfAnyLength,
}

/// Sizes and limits of the chunks of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunking {
    /// Plaintext bytes of each chunk but the first and the last.
    pub(super) chunk_bytes: usize,
    /// Bytes by which the first chunk is shorter than the others, because the format counts the header as part of it.
    pub(super) lead_bytes: usize,
    /// Bytes stored before the ciphertext of each chunk.
    pub(super) prefix_bytes: usize,
    pub(super) tag_bytes: usize,
    pub(super) ending: Ending,
    pub(super) max_chunks: u64,
}

impl Chunking {
    /// Bytes that sealing adds to each chunk.
    pub(super) const fn overhead(&self) -> usize {
        self.prefix_bytes + self.tag_bytes
    }

    /// Bytes of each sealed chunk but the first and the last.
    pub(super) const fn sealed_chunk(&self) -> usize {
        self.chunk_bytes + self.overhead()
    }

    /// Bytes by which chunks from index `first` on are shorter than as many others.
    pub(super) const fn lead(&self, first: u64) -> usize {
        if first == 0 { self.lead_bytes } else { 0 }
    }
}

/// Returns the key of the chunks from this one on, until the next rotation.
pub(super) type DeriveKey = Box<dyn Fn(u64) -> Result<Zeroizing<Vec<u8>>> + Send + Sync>;

/// The keys of the chunks.
pub(super) enum Keys {
    /// One key for all chunks.
    One(Zeroizing<Vec<u8>>),
    /// A new key after each `period` chunks.
    Rotating { period: u64, derive: DeriveKey },
}

impl Keys {
    /// Return the first chunk that has the same key as this one.
    pub(super) fn epoch(&self, chunk: u64) -> u64 {
        match self {
            Self::One(_) => 0,
            Self::Rotating { period, .. } => chunk - chunk % period,
        }
    }

    pub(super) fn key(&self, epoch: u64) -> Result<Zeroizing<Vec<u8>>> {
        match self {
            Self::One(key) => Ok(key.clone()),
            Self::Rotating { derive, .. } => derive(epoch),
        }
    }
}

/// The nonces of the chunks.
pub(super) enum Nonces {
    /// `prefix ‖ be32(index) ‖ last`.
    Stream(nonce::Nonces),
    /// `be88(index) ‖ last`.
    Counter,
    /// `base XOR be96(index)`.
    Xor([u8; NONCE_BYTES]),
    /// Random, stored before the ciphertext, after a marker of four bytes: the length of the sealed chunk if it is the
    /// last one, otherwise `MARKER`.
    Stored,
}

/// The marker of all chunks but the last under [`Nonces::Stored`].
pub(super) const MARKER: u32 = u32::MAX;
pub(super) const MARKER_BYTES: usize = 4;

/// The associated data of the chunks.
pub(super) enum AssociatedData {
    None,
    /// That of the first chunk; the others have none.
    First(Vec<u8>),
    /// `be64(index) ‖ last`.
    Position,
}

/// Everything that sealing or opening the chunks of one message needs.
pub(super) struct Material {
    pub(super) chunking: Chunking,
    pub(super) keys: Keys,
    pub(super) nonces: Nonces,
    pub(super) associated_data: AssociatedData,
}

//! One tag of 32 bytes for all blocks of a message, instead of one tag for each block.
//!
//! [`Tags::Digest`] and [`Tags::Merkle`] hash the tags of an AEAD; [`Tags::Blake3`] authenticates the ciphertext of a
//! cipher. Each tag is a keyed BLAKE3 hash, whose key is derived from the user's key, a header and the associated data.
//! `docs/SECURITY.md` states what each commits to, and `docs/FORMATS.md` the bytes.

mod binding;
mod engine;
mod kind;
mod message;
mod proof;
mod range;
#[cfg(test)]
mod tests;
mod tree;

pub use engine::KeyedOneTag;
pub use kind::{OneTag, Tags};

/// Length of the one tag in bytes.
pub const ONE_TAG_BYTES: usize = 32;
/// Length of the key and of the nonce of [`Tags::Blake3`] in bytes. The cipher's own key is derived from both, so that
/// random nonces do not repeat.
pub const BLAKE3_KEY_BYTES: usize = 32;

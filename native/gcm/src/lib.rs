//! AES-GCM (NIST SP 800-38D) with counter mode and GHASH fused in one pass over the message.
//!
//! A [`Key`] seals and opens whole messages, segments of one message on several threads, and runs of short messages.
//! [`Kernel`] lists the implementations: VAES on 512 and 256 bits, AES-NI, ARMv8, and a portable one. Every kernel takes
//! a time that depends on lengths and addresses only, not on keys, nonces or data.
//!
//! ```
//! use aeadlab_gcm::{Buffers, Key, Stores};
//!
//! let key = Key::new(&[7; 32])?;
//! let mut text = *b"the message";
//! let tag = key.seal(&[0; 12], b"header", Buffers::in_place(&mut text), Stores::Regular)?;
//! key.open(&[0; 12], b"header", Buffers::in_place(&mut text), &tag, Stores::Regular)?;
//! assert_eq!(&text, b"the message");
//! # Ok::<(), aeadlab_gcm::Error>(())
//! ```

mod buffers;
mod error;
mod field;
mod kernels;
mod key;
mod message;
mod run;
mod schedule;
mod segment;

pub use buffers::Buffers;
pub use error::{Error, Result};
pub use field::Element;
pub use kernels::Kernel;
pub use key::{CounterBlock, Key};
pub use run::{Places, Run};

/// Bytes of a tag. Shorter tags are not offered.
pub const TAG_BYTES: usize = 16;

/// The longest message in bytes, SP 800-38D, section 5.2.1.1: 2^39 - 256 bits.
pub const MAX_MESSAGE_BYTES: u64 = (1 << 36) - 32;

/// The longest associated data or nonce in bytes, SP 800-38D, section 5.2.1.1: less than 2^64 bits.
pub const MAX_AD_BYTES: u64 = (1 << 61) - 1;

/// How the output is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stores {
    /// Into the cache.
    #[default]
    Regular,
    /// To memory past the cache, so that lines are not read before they are written. This is faster for messages
    /// beyond the last-level cache, and slower for others.
    ///
    /// Kernels use regular stores in place, for the edges of a message, for an output whose address is not a multiple
    /// of 16, and where the processor has no such stores.
    Streaming,
}

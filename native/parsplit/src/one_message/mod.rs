//! One message of a standard AEAD on several threads: the ciphertext and the tag are those of any other implementation.
//!
//! GHASH and Poly1305 are polynomials in a key, so that the value of each segment of a message can be computed on any
//! thread, in any order. The values are combined with powers of the key. `docs/ONE-MESSAGE.md` explains the mathematics.

mod chacha;
mod engine;
mod gcm;
mod key;
mod library_gcm;
mod multipart;

pub use chacha::ChaChaKey;
pub use engine::{Call, OneMessage};
pub use gcm::GcmKey;
pub use key::{SegmentedKey, SegmentedMessage};
pub use library_gcm::LibraryGcmKey;
pub use multipart::{Multipart, Part};

/// AES-GCM with the kernels of `aeadlab-gcm`.
pub type AesGcm = OneMessage<GcmKey>;
/// ChaCha20-Poly1305 with the kernels of `aeadlab-chacha`.
pub type ChaCha20Poly1305 = OneMessage<ChaChaKey>;
/// AES-GCM of any library that takes nonces of 16 bytes.
pub type LibraryGcm = OneMessage<LibraryGcmKey>;

/// Length of a tag in bytes.
pub const TAG_BYTES: usize = 16;

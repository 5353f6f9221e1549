//! ChaCha20-Poly1305 (RFC 8439) whose messages can be sealed and opened in segments, in any order and on any machine.
//!
//! ChaCha20 starts at any block counter, and Poly1305 is a polynomial: with r the key of the message and mᵢ its n
//! blocks, the value before the last addition is Σ mᵢ · rⁿ⁻ⁱ modulo 2¹³⁰ − 5. The sum over a segment of blocks,
//! multiplied by the power of r for the blocks after it, is the segment's part of the sum. A tag of RFC 8439 cannot
//! serve as such a part, because its last addition modulo 2¹²⁸ has lost the upper bits of the value. A [`Partial`]
//! keeps all 130 bits.
//!
//! | type | role |
//! |---|---|
//! | [`Key`] | seals and opens whole messages, and starts a [`Message`] |
//! | [`Message`] | encrypts and decrypts segments of one message under one nonce |
//! | [`Sum`] | combines the partial values of segments into the tag |
//! | [`Poly`], [`Partial`] | Poly1305 alone: the value of a segment, powers of r, addition and multiplication |
//! | [`Kernel`] | the code used: AVX-512 with IFMA, AVX2 or portable, detected at run time |
//!
//! A [`Partial`] of known blocks reveals r, and with r anybody can forge messages under the same nonce. It must be kept
//! as secret as the key.
//!
//! # Sources
//! RFC 8439; M. Goll and S. Gueron, "Vectorization of Poly1305 Message Authentication Code", ITNG 2015; D. J.
//! Bernstein, "The Poly1305-AES message-authentication code", FSE 2005.

mod cipher;
mod element;
mod error;
mod kernel;
mod key;
mod message;
mod partial;
mod poly;
mod short;
mod sum;
mod wipe;

pub use chacha20::cipher::InOutBuf;
pub use error::Error;
pub use kernel::Kernel;
pub use key::Key;
pub use message::{MAX_LENGTH, Message};
pub use partial::Partial;
pub use poly::Poly;
pub use sum::Sum;

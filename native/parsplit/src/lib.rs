//! ParSplit makes any single-threaded AEAD parallel.
//!
//! A message is cut into blocks, each block is sealed on its own by an AEAD behind `aeadlab.h`, and the tags are
//! concatenated behind the ciphertext (Engljähringer et al., *Authenticated Encryption: A Comprehensive Benchmark*,
//! Figure 1). Concatenated tags alone do not authenticate a message, so the nonces follow STREAM (Hoang,
//! Reyhanitabar, Rogaway, Vizár, CRYPTO 2015): `prefix ‖ be32(index) ‖ last`. Opening is all or nothing.
//!
//! ```text
//! block 0 | block 1 | … | block n-1 | tag 0 | tag 1 | … | tag n-1
//! ```
//!
//! Messages that do not fit the memory go through [`SealingWriter`], [`OpeningReader`] and [`SeekingReader`] as streams,
//! each block followed by its tag, under a key of their own:
//!
//! ```text
//! header | block 0 | tag 0 | block 1 | tag 1 | … | block n-1 | tag n-1
//! ```
//!
//! # Example
//!
//! The algorithm is an entry of any library behind `aeadlab.h`: a plugin's, one of the crate `aeadlab-libraries`, or
//! one's own. Here it is the double of this crate's tests, RustCrypto's AES-256-GCM. `examples/` has a whole program.
//!
//! ```
//! # #[path = "../tests/double/mod.rs"]
//! # mod double;
//! # use double::GCM;
//! use parsplit::{Error, ParSplit, Schedule};
//!
//! # fn main() -> parsplit::Result<()> {
//! // Blocks of 64 KiB, two threads. Both sides agree on the block size; threads and schedule do not matter.
//! let splitter = ParSplit::new(&GCM, 64 << 10, 2, Schedule::default())?;
//! let mut keyed = splitter.key(&[7; 32])?;
//!
//! // Never twice under one key: the 12 bytes of GCM less the 5 that number the blocks.
//! let nonce = *b"7 bytes";
//! let message = vec![1; 200_000];
//! let mut sealed = vec![0; splitter.layout(message.len())?.sealed()];
//! keyed.seal(&nonce, b"associated data", &message, &mut sealed)?;
//! assert_eq!(sealed.len(), 200_000 + 4 * 16);
//!
//! let mut opened = vec![0; splitter.layout_of_sealed(sealed.len())?.bytes()];
//! keyed.open(&nonce, b"associated data", &sealed, &mut opened)?;
//! assert_eq!(opened, message);
//!
//! // All or nothing: one wrong bit in the last block, and nothing of the first is given out.
//! sealed[199_999] ^= 1;
//! assert_eq!(keyed.open(&nonce, b"associated data", &sealed, &mut opened), Err(Error::Authentication));
//! assert!(opened.iter().all(|&byte| byte == 0));
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]

mod context;
mod crew;
mod engine;
mod error;
mod header;
mod kdf;
mod layout;
mod message;
mod nonce;
mod pages;
mod part;
mod pin;
mod pool;
mod prefetch;
mod run;
mod schedules;
mod stack;
mod stream;
mod stream_io;
mod trace;
mod wipe;

pub use context::Context;
pub use engine::{Keyed, ParSplit, SERIAL_BELOW};
pub use error::Error;
pub use header::{Derivation, Header, MOST_BLOCK_SIZE};
pub use kdf::{LEAST_KEY, SALT_BYTES, hkdf_sha256, message_key, random};
pub use layout::Layout;
pub use pages::advise_huge;
pub use pool::{MAX_THREADS, cores};
pub use schedules::{Block, Loop, Schedule};
pub use stream::{Opener, Sealer, StreamLayout};
pub use stream_io::{OpeningReader, SealingWriter, SeekingReader};
pub use trace::Span;

/// What a fallible call of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

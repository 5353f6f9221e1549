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

mod context;
mod crew;
mod engine;
mod error;
mod header;
mod kdf;
mod layout;
mod nonce;
mod part;
mod pin;
mod pool;
mod run;
mod schedules;
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
pub use pool::MAX_THREADS;
pub use schedules::{Block, Loop, Schedule};
pub use stream::{Opener, Sealer, StreamLayout};
pub use stream_io::{OpeningReader, SealingWriter, SeekingReader};
pub use trace::Span;

/// What a fallible call of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

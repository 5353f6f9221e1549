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

mod context;
mod crew;
mod engine;
mod error;
mod layout;
mod nonce;
mod pages;
mod pin;
mod pool;
mod run;
mod schedules;
mod trace;
mod wipe;

pub use context::Context;
pub use engine::{Keyed, ParSplit, SERIAL_BELOW};
pub use error::Error;
pub use layout::Layout;
pub use pages::advise_huge;
pub use pool::MAX_THREADS;
pub use schedules::{Block, Loop, Schedule};
pub use trace::Span;

/// What a fallible call of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

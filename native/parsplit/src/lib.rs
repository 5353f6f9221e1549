//! ParSplit makes any single-threaded AEAD parallel.
//!
//! A message is split into blocks, an AEAD behind `aeadlab.h` seals each block independently, and the tags follow the
//! ciphertext (Engljähringer et al., *Authenticated Encryption: A Comprehensive Benchmark*, Figure 1). Concatenated
//! tags alone do not authenticate a message, so the nonces follow STREAM (Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO
//! 2015): `prefix ‖ be32(index) ‖ last`. Opening is all or nothing.
//!
//! ```text
//! block 0 | block 1 | … | block n-1 | tag 0 | tag 1 | … | tag n-1
//! ```
//!
//! Messages that do not fit in memory are sealed by [`SealingWriter`] and opened by [`OpeningReader`] and
//! [`SeekingReader`], in one of the standard formats of [`Format`] or in this crate's own. Each message has a derived
//! key, and each block is followed by its tag:
//!
//! ```text
//! header | block 0 | tag 0 | block 1 | tag 1 | … | block n-1 | tag n-1
//! ```
//!
//! # Example
//!
//! The algorithm is an entry of any library behind `aeadlab.h`: of a plugin, of the crate `aeadlab-libraries`, or of
//! the caller. This example uses the test double of this crate, RustCrypto's AES-256-GCM; `examples/` has a complete
//! program.
//!
//! ```
//! # #[path = "../tests/double/mod.rs"]
//! # mod double;
//! # use double::GCM;
//! use parsplit::{Error, ParSplit, Schedule};
//!
//! # fn main() -> parsplit::Result<()> {
//! // Blocks of 64 KiB and two threads. Both sides must use the same block size; threads and schedule may differ.
//! let splitter = ParSplit::new(&GCM, 64 << 10, 2, Schedule::default())?;
//! let mut keyed = splitter.key(&[7; 32])?;
//!
//! // The nonce has the 12 bytes of GCM less the 5 that number the blocks, and must be unique for each key.
//! let nonce = *b"7 bytes";
//! let message = vec![1; 200_000];
//! let mut sealed = vec![0; splitter.layout(message.len())?.sealed_bytes()];
//! keyed.seal(&nonce, b"associated data", &message, &mut sealed)?;
//! assert_eq!(sealed.len(), 200_000 + 4 * 16);
//!
//! let mut opened = vec![0; splitter.layout_of_sealed(sealed.len())?.bytes()];
//! keyed.open(&nonce, b"associated data", &sealed, &mut opened)?;
//! assert_eq!(opened, message);
//!
//! // A changed bit in the last block wipes the complete output.
//! sealed[199_999] ^= 1;
//! assert_eq!(keyed.open(&nonce, b"associated data", &sealed, &mut opened), Err(Error::Authentication));
//! assert!(opened.iter().all(|&byte| byte == 0));
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! A module imports only from modules that precede it in this list; `tests/engine/modules.rs` checks the order.
//!
//! - `error`, `limits`: the error type; the largest thread count, the threshold of serial processing, longest messages.
//! - `fork`: the generation of this process, and values that a forked child creates anew.
//! - `dead_stack`: overwriting of keys in stack frames that have returned.
//! - `buffers`, `layout`, `nonce`, `kdf`: checks of buffers; positions of blocks and tags; nonces; keys.
//! - `pages`, `prefetch`, `stack`: huge pages, prefetching and stack alignment.
//! - `cores`, `workers`, `pool`: pinning; worker slots and the worker loop; the threads of the process.
//! - `wipe`: overwriting of output after an error.
//! - `trace`, `run`, `schedules`: times of blocks; the state of one run; the assignment of blocks to workers.
//! - `descriptor`, `context`, `message`: a library's entry and keyed context; the blocks of a message.
//! - `splitter`, `keyed`, `ranges`: the settings; whole messages under a key; batches and ranges of blocks.
//! - `header`, `formats`, `stream_io`: formats of encrypted files, and their readers and writers.
//! - `one_message`: one message of a standard AEAD on several threads.
//! - `rust_aead`: types of the crate `aead`, behind the feature of that name.
//! - `tags`: one tag for all blocks of a message.
#![deny(missing_docs, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]

mod buffers;
mod context;
mod cores;
mod dead_stack;
mod descriptor;
mod error;
mod fork;
mod formats;
mod header;
mod kdf;
mod keyed;
mod layout;
mod limits;
mod message;
mod nonce;
pub mod one_message;
mod pages;
mod pool;
mod prefetch;
mod ranges;
mod run;
#[cfg(feature = "aead")]
mod rust_aead;
mod schedules;
mod splitter;
mod stack;
mod stream_io;
pub mod tags;
#[cfg(test)]
mod test_cipher;
mod trace;
mod wipe;
mod workers;

pub use context::Context;
pub use cores::{available_cores, last_level_cache_bytes};
pub use dead_stack::{CLEARED_STACK, CLEARED_STACK_OF_OTHERS, ClearDeadStack, clear_dead_stack, cleared_stack};
pub use descriptor::entry_of;
pub use error::{Error, Result};
pub use fork::{PerProcess, generation};
pub use formats::{Format, Opener, Sealer, StreamLayout};
pub use header::{Derivation, Header, MAX_STREAM_BLOCK_SIZE};
pub use kdf::{MIN_KEY_BYTES, SALT_BYTES, hkdf_sha256, message_key, random};
pub use keyed::Keyed;
pub use layout::Layout;
pub use limits::{MAX_THREADS, SERIAL_BELOW, STREAM_MEMORY, STREAM_MEMORY_PER_THREAD, check_lengths};
pub use pages::advise_huge;
#[cfg(feature = "aead")]
pub use rust_aead::algorithm_of;
pub use schedules::{BlockCallback, ForeignLoop, Schedule};
pub use splitter::ParSplit;
pub use stream_io::{OpeningReader, SealingWriter, SeekingReader};
pub use trace::Span;

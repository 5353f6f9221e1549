//! Formats that cut a message into chunks, each sealed by an AEAD: one description for all of them.
//!
//! A [`Format`] states the header and how keys follow from it. The header of one message gives its `Material`: the sizes
//! of its chunks, their keys, nonces and associated data, and how the end is marked. Everything else is the same for all
//! formats: [`Sealer`] and [`Opener`] process batches of chunks on all threads, and `stream_io` reads and writes files
//! and pipes. docs/FORMATS.md specifies the formats.

mod age;
mod chunks;
mod cobblestone;
mod expand;
mod floe;
mod format;
mod layout;
mod material;
mod opener;
mod own;
mod sealer;
mod tink;

pub use format::Format;
pub use layout::StreamLayout;
pub use opener::Opener;
pub use sealer::Sealer;

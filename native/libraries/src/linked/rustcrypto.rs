//! RustCrypto: every mode, cipher, hash and MAC through the traits that its crates share.
//!
//! The tables are in `rustcrypto/`, a file per kind, each with the adapters of that kind.

#[path = "rustcrypto/aeads.rs"]
mod aeads;
#[path = "rustcrypto/blocks.rs"]
mod blocks;
#[path = "rustcrypto/digests.rs"]
mod digests;
#[path = "rustcrypto/kernel.rs"]
mod kernel;
#[path = "rustcrypto/streams.rs"]
mod streams;

use crate::describe::{self, RUST_BUILD, crate_version};
use aeadlab_abi::Library;
use std::sync::OnceLock;

/// What the library's version line shows. Each row's kernel names the crates that it runs.
const SHOWN: [&str; 4] = ["aes", "aes-gcm", "chacha20", "sha2"];

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let version = format!("{}, …", SHOWN.map(|name| format!("{name} {}", crate_version(name))).join(", "));
        let rows = [aeads::rows(), blocks::rows(), streams::rows(), digests::rows()].concat();
        describe::library("rustcrypto", &version, RUST_BUILD, rows)
    })
}

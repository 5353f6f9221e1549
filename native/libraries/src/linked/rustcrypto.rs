//! RustCrypto: modes, ciphers, hashes and MACs through the traits that its crates share.
//!
//! Each file of `rustcrypto/` has the table and the adapters of one kind.

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

use crate::Linked;
use crate::descriptor::{DETECTED, crate_version, rust_library};

/// The crates in the version of the library. The kernel of each row names the crates that the row uses.
const VERSION_CRATES: [&str; 4] = ["aes", "aes-gcm", "chacha20", "sha2"];

/// The library.
pub(crate) fn library() -> Linked {
    let version = format!("{}, …", VERSION_CRATES.map(|name| format!("{name} {}", crate_version(name))).join(", "));
    rust_library(
        "rustcrypto",
        &version,
        DETECTED,
        [aeads::rows(), blocks::rows(), streams::rows(), digests::rows()].concat(),
    )
}

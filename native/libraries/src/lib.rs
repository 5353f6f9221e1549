//! Every library that is linked into the extension, one file each in `linked/`, and the loading of plugins.
//!
//! All of them are reached through `aeadlab.h` alone: [`linked`] and [`load`] give the same kind of descriptor.

mod compose;
mod describe;
mod entry;
mod export;
mod foreign;
mod plugin;
mod wiped;

pub use compose::compose;
pub use entry::{Entry, entries};
pub use foreign::{Foreign, load_foreign};
pub use plugin::{LoadError, Plugin, load};

use aeadlab_abi::Library;

include!(concat!(env!("OUT_DIR"), "/linked.rs"));

/// The descriptors of all linked libraries. One that this computer cannot run lists nothing and is left out.
#[must_use]
pub fn linked() -> Vec<&'static Library> {
    LINKED.iter().map(|library| library()).filter(|library| library.algorithm_count > 0).collect()
}

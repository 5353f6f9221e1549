//! Every library that is linked into the extension, one file each in `linked/`, and the loading of plugins.
//!
//! All of them are reached through `aeadlab.h` alone: [`linked`] and [`load`] give the same kind of descriptor.

mod compose;
mod describe;
mod entry;
mod foreign;
mod plugin;

pub use compose::compose;
pub use entry::{Entry, Settings};
pub use foreign::{Foreign, load_foreign};
pub use plugin::{LoadError, load};

use aeadlab_abi::Library;
use aeadlab_export as export;

include!(concat!(env!("OUT_DIR"), "/linked.rs"));

/// A linked library: what a plugin exports, without a file.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    library: &'static Library,
    settings: Settings,
}

/// Most are not parallel themselves and can be told nothing.
impl From<&'static Library> for Linked {
    fn from(library: &'static Library) -> Self {
        Self { library, settings: Settings::default() }
    }
}

impl Linked {
    /// Its algorithms.
    ///
    /// # Errors
    /// In words what is wrong with its descriptor.
    pub fn entries(&self) -> Result<Vec<Entry>, String> {
        // SAFETY: linked descriptors are constants that live as long as the process.
        unsafe { entry::entries(self.library, self.settings) }
    }
}

/// All linked libraries. One that this computer cannot run lists nothing and is left out.
#[must_use]
pub fn linked() -> Vec<Linked> {
    LINKED.iter().map(|library| library()).filter(|linked| linked.library.algorithm_count > 0).collect()
}

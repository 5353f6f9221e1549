//! Every library that is linked into the extension, one file each in `linked/`, and the loading of plugins.
//!
//! Both are reached through `aeadlab.h`: [`linked`] and [`load`] return the same kind of [`Entry`].

/// Return this message as the error unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}

/// Define `library()` for a C library by the exports of its `NAME.c`.
macro_rules! c_library {
    ($library:ident, $feature_switch:ident) => {
        unsafe extern "C" {
            fn $library() -> *const aeadlab_abi::Library;
            fn $feature_switch(algorithm: *const std::ffi::c_char) -> *const std::ffi::c_char;
        }

        /// The library.
        pub(crate) fn library() -> crate::Linked {
            // SAFETY: called once, as the header promises; it returns a constant that is never null.
            let library = unsafe { &*$library() };
            let feature_switch = |name: &std::ffi::CStr| {
                // SAFETY: the argument is a C string, and the result is a constant that is never null.
                unsafe { std::ffi::CStr::from_ptr($feature_switch(name.as_ptr())) }
            };
            crate::Linked { library, settings: crate::Settings::default(), feature_switch }
        }
    };
}

mod compose;
mod descriptor;
mod entry;
mod legacy_shapes;
mod plugin;

pub use compose::compose;
pub use entry::{Entry, Settings};
pub use legacy_shapes::{KeptKey, LegacyPlugin, keep_legacy_keys, load_legacy};
pub use plugin::{LoadError, load};

use aeadlab_abi::Library;
use aeadlab_export as export;
use std::ffi::CStr;
use std::sync::OnceLock;

/// The Rust compiler's version and flags.
pub const RUST_BUILD: &str = env!("AEADLAB_RUST_BUILD");

include!(concat!(env!("OUT_DIR"), "/linked.rs"));

/// `aeadlab_feature_switch` of a linked library. The argument is the name of an algorithm.
type FeatureSwitch = fn(&CStr) -> &'static CStr;

/// A linked library, with the exports that a plugin has.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    library: &'static Library,
    settings: Settings,
    feature_switch: FeatureSwitch,
}

impl Linked {
    /// Return the algorithms of the library.
    ///
    /// # Errors
    /// A description of what is wrong with the descriptor.
    pub fn entries(&self) -> Result<Vec<Entry>, String> {
        let feature_switch = |algorithm: &CStr| Some((self.feature_switch)(algorithm));
        // SAFETY: linked descriptors are constants that live as long as the process.
        unsafe { entry::entries(self.library, self.settings, feature_switch) }
    }
}

/// Return all linked libraries, without those that this CPU cannot run: they list no algorithms.
#[must_use]
pub fn linked() -> &'static [Linked] {
    // One thread creates each library once: C libraries require it, and descriptors are never freed.
    static LIBRARIES: OnceLock<Vec<Linked>> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        LINKED.iter().map(|library| library()).filter(|linked| linked.library.algorithm_count > 0).collect()
    })
}

//! Shared libraries that export `aeadlab_library_v1`.

use crate::entry::{Entry, Settings, entries};
use aeadlab_abi::{FeatureSwitch, LibraryV1, SetNumber};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::ffi::CStr;
use std::fmt;
use std::mem::forget;
use std::path::{Path, PathBuf};

/// The reason why a file cannot be loaded as a plugin.
#[derive(Debug)]
pub struct LoadError {
    path: PathBuf,
    reason: String,
}

impl LoadError {
    pub(crate) fn new(path: &Path, reason: String) -> Self {
        Self { path: path.to_owned(), reason }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a plugin: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for LoadError {}

/// Load a shared library into this process. It is never unloaded.
pub(crate) unsafe fn open(path: &Path) -> Result<Library, LoadError> {
    // SAFETY: the caller accepts that the file's constructors run.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| LoadError::new(path, e.to_string()))
}

/// Load a plugin into this process, for the life of the process, and return its algorithms.
///
/// # Errors
/// The file does not exist, is not a shared library, does not export `aeadlab_library_v1`, or its descriptor violates
/// the header.
///
/// # Safety
/// Runs code of the file: its constructors and `aeadlab_library_v1`.
pub unsafe fn load(path: &Path) -> Result<Vec<Entry>, LoadError> {
    let failed = |reason: String| LoadError::new(path, reason);
    if !path.is_file() {
        return Err(failed(if path.exists() { "it is not a regular file" } else { "the file does not exist" }.into()));
    }
    // SAFETY: the caller accepts that code runs.
    let library = unsafe { open(path) }?;
    // SAFETY: the header gives the symbol this type.
    let descriptor: Symbol<LibraryV1> = unsafe { library.get(b"aeadlab_library_v1\0") }
        .map_err(|_| failed("it does not export aeadlab_library_v1".into()))?;
    let setting = |name: &[u8]| {
        // SAFETY: the header gives the symbol this type.
        unsafe { library.get::<SetNumber>(name) }.ok().map(|symbol| *symbol)
    };
    let settings =
        Settings { threads: setting(b"aeadlab_set_threads\0"), block_size: setting(b"aeadlab_set_block_size\0") };
    // SAFETY: the header gives the symbol this type.
    let switch = unsafe { library.get::<FeatureSwitch>(b"aeadlab_feature_switch\0") }.ok();
    let feature_switch = |algorithm: &CStr| {
        // SAFETY: the name is one of the library's, and the result is a constant or NULL.
        let text = unsafe { switch.as_deref()?(algorithm.as_ptr()) };
        // SAFETY: as above.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
    };
    // SAFETY: the header's promise; the library is forgotten below and so stays loaded.
    let entries = unsafe { entries(descriptor(), settings, feature_switch) }.map_err(failed)?;
    // Unloading would leave dangling function pointers, and some libraries crash in their destructors.
    forget(library);
    Ok(entries)
}

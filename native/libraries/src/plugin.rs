//! Shared libraries that export `aeadlab_library_v1`.

use crate::entry::{Entry, Settings, entries};
use aeadlab_abi::{LibraryV1, SetNumber};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::fmt;
use std::mem::forget;
use std::path::{Path, PathBuf};

/// Why a file is not a plugin.
#[derive(Debug)]
pub struct LoadError {
    path: PathBuf,
    why: String,
}

impl LoadError {
    pub(crate) fn new(path: &Path, why: String) -> Self {
        Self { path: path.to_owned(), why }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a plugin: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for LoadError {}

/// Loads a plugin into this process, for as long as that lives, and returns its algorithms.
///
/// # Errors
/// A file that is missing, no shared library, without `aeadlab_library_v1`, or with a descriptor that does not
/// follow the header.
///
/// # Safety
/// Runs code of the file: its constructors and `aeadlab_library_v1`.
pub unsafe fn load(path: &Path) -> Result<Vec<Entry>, LoadError> {
    let failed = |why: String| LoadError::new(path, why);
    if !path.is_file() {
        return Err(failed(if path.exists() { "it is not a file" } else { "there is no such file" }.into()));
    }
    // SAFETY: the caller accepts that code runs.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| failed(e.to_string()))?;
    // SAFETY: the header gives the symbol this type.
    let descriptor: Symbol<LibraryV1> = unsafe { library.get(b"aeadlab_library_v1\0") }
        .map_err(|_| failed("it does not export aeadlab_library_v1".into()))?;
    let optional = |name: &[u8]| {
        // SAFETY: the header gives the symbol this type.
        unsafe { library.get::<SetNumber>(name) }.ok().map(|symbol| *symbol)
    };
    let settings =
        Settings { threads: optional(b"aeadlab_set_threads\0"), block_size: optional(b"aeadlab_set_block_size\0") };
    // SAFETY: the header's promise; the library is forgotten below and so stays loaded.
    let entries = unsafe { entries(descriptor(), settings) }.map_err(failed)?;
    // Unloading would leave dangling function pointers, and some libraries crash in their destructors.
    forget(library);
    Ok(entries)
}

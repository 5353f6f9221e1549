//! Shared libraries that export `aeadlab_library_v1`.

use crate::entry::{Entry, entries};
use aeadlab_abi::{LibraryV1, SetNumber};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::fmt;
use std::mem::forget;
use std::path::{Path, PathBuf};

/// A loaded plugin. It is never unloaded.
#[derive(Debug)]
pub struct Plugin {
    /// Its algorithms.
    pub entries: Vec<Entry>,
    /// `aeadlab_set_threads`, if exported.
    pub set_threads: Option<SetNumber>,
    /// `aeadlab_set_block_size`, if exported.
    pub set_block_size: Option<SetNumber>,
}

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

/// Loads a plugin into this process.
///
/// # Errors
/// A file that is missing, no shared library, without `aeadlab_library_v1`, or with a descriptor that does not
/// follow the header.
///
/// # Safety
/// Runs code of the file: its constructors and `aeadlab_library_v1`.
pub unsafe fn load(path: &Path) -> Result<Plugin, LoadError> {
    let failed = |why: String| LoadError::new(path, why);
    if !path.is_file() {
        return Err(failed(if path.exists() { "it is not a file" } else { "there is no such file" }.into()));
    }
    // SAFETY: the caller accepts that code runs.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| failed(e.to_string()))?;
    // SAFETY: the header gives the symbol this type.
    let descriptor: Symbol<LibraryV1> = unsafe { library.get(b"aeadlab_library_v1\0") }
        .map_err(|_| failed("it does not export aeadlab_library_v1".into()))?;
    // SAFETY: the header's promise; the library is forgotten below and so stays loaded.
    let entries = unsafe { entries(descriptor()) }.map_err(failed)?;
    let optional = |name: &[u8]| {
        // SAFETY: the header gives the symbol this type.
        unsafe { library.get::<SetNumber>(name) }.ok().map(|symbol| *symbol)
    };
    let plugin = Plugin {
        entries,
        set_threads: optional(b"aeadlab_set_threads\0"),
        set_block_size: optional(b"aeadlab_set_block_size\0"),
    };
    // Unloading would leave dangling function pointers, and some libraries crash in their destructors.
    forget(library);
    Ok(plugin)
}

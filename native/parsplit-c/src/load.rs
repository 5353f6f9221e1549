//! Algorithms from descriptors of the caller and of plugins.
//!
//! The checks are those that a call of one algorithm needs. The lab checks a plugin further before it lists it.

use crate::memory::write_result;
use crate::status::{ensure, invalid, status};
use aeadlab_abi::{self as abi, ABI_VERSION, Algorithm, FIRST_ALGORITHM_BYTES, Library, LibraryV1};
use libloading::os::unix::{Library as SharedLibrary, RTLD_LOCAL, RTLD_NOW, Symbol};
use parsplit::{Error, ParSplit, Result, Schedule, entry_of};
use std::ffi::{CStr, OsStr, c_char};
use std::mem::{forget, size_of};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// The limits of `aeadlab.h` in bytes.
const MAX_KEY_BYTES: u32 = 1024;
pub(crate) const MAX_TAG_BYTES: u32 = 64;

/// Checks the fields of a descriptor that the engine relies on.
///
/// # Safety
/// `algorithm` is NULL or a descriptor that follows `aeadlab.h`.
pub(crate) unsafe fn check_algorithm(algorithm: *const Algorithm) -> Result<&'static Algorithm> {
    ensure!(!algorithm.is_null(), "algorithm given as NULL");
    // SAFETY: the caller's promise; by the header the entry is constant until the process ends.
    let algorithm = unsafe { entry_of(algorithm) }.map_err(|bytes| {
        Error::Argument(format!(
            "algorithm of {bytes} bytes given, at least {FIRST_ALGORITHM_BYTES} expected: compile it with this version \
             of aeadlab.h"
        ))
    })?;
    let aead = algorithm.kind == abi::AEAD && algorithm.seal.is_some() && algorithm.open.is_some();
    ensure!(
        aead && algorithm.key_new.is_some() && algorithm.key_free.is_some(),
        "the algorithm is not an AEAD with key_new, key_free, seal and open"
    );
    ensure!(
        !algorithm.has(abi::MANY) || (algorithm.seal_many.is_some() && algorithm.open_many.is_some()),
        "the algorithm has the flag AEADLAB_MANY, but not both seal_many and open_many"
    );
    let Algorithm { key_bytes, tag_bytes, block_bytes, .. } = *algorithm;
    ensure!(
        key_bytes <= MAX_KEY_BYTES && (1..=MAX_TAG_BYTES).contains(&tag_bytes) && block_bytes == 1,
        "algorithm with keys of {key_bytes} bytes, tags of {tag_bytes} and blocks of {block_bytes} given; at most \
         {MAX_KEY_BYTES}, 1 to {MAX_TAG_BYTES}, and 1 expected"
    );
    Ok(algorithm)
}

/// A loaded plugin.
pub(crate) struct Plugin {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    algorithms: &'static [*const Algorithm],
}

impl Plugin {
    /// Loads a plugin, which is never unloaded.
    ///
    /// # Safety
    /// Runs code of the file, which must follow `aeadlab.h`.
    pub(crate) unsafe fn new(path: &CStr) -> Result<Self> {
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        let failed = |reason: String| Error::Argument(format!("{} is not a plugin: {reason}", path.display()));
        // SAFETY: the caller's promise.
        let library = unsafe { SharedLibrary::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| failed(error.to_string()))?;
        // SAFETY: the header gives the symbol this type.
        let describe: Symbol<LibraryV1> = unsafe { library.get(b"aeadlab_library_v1\0") }
            .map_err(|_| failed("it does not export aeadlab_library_v1".into()))?;
        // SAFETY: the symbol's contract. NULL gives None, and the version is the first field in every version of the ABI.
        let (descriptor, version) = unsafe {
            let descriptor = describe();
            (descriptor, descriptor.cast::<u32>().as_ref())
        };
        // The plugin is never unloaded, because the process keeps pointers to it.
        forget(library);
        match version {
            None => return Err(failed("it reports that it cannot be used on this machine".into())),
            Some(&ABI_VERSION) => {}
            Some(other) => return Err(failed(format!("it has ABI version {other}, {ABI_VERSION} expected"))),
        }
        // SAFETY: a descriptor of this version, constant until the process ends.
        let descriptor: &'static Library = unsafe { &*descriptor };
        if descriptor.struct_size < size_of::<Library>() || descriptor.algorithms.is_null() {
            return Err(failed("its descriptor is too short or has no algorithms".into()));
        }
        // SAFETY: by the header an array of this length, and strings that are never freed.
        Ok(unsafe {
            Self {
                name: constant_str(descriptor.name),
                version: constant_str(descriptor.version),
                algorithms: std::slice::from_raw_parts(descriptor.algorithms, descriptor.algorithm_count),
            }
        })
    }

    /// Returns the algorithms that ParSplit supports, in the order of the descriptor.
    pub(crate) fn supported(&self) -> impl Iterator<Item = &'static Algorithm> {
        // SAFETY: pointers of a descriptor that follows `aeadlab.h`.
        let valid = self.algorithms.iter().filter_map(|&algorithm| unsafe { check_algorithm(algorithm) }.ok());
        valid.filter(|algorithm| ParSplit::new(algorithm, 1, 1, Schedule::STATIC).is_ok())
    }
}

/// # Safety
/// `string` is NULL or a C string that is never freed.
pub(crate) unsafe fn constant_str(string: *const c_char) -> &'static str {
    // SAFETY: the caller's promise, and not NULL.
    if string.is_null() { "" } else { unsafe { CStr::from_ptr(string) }.to_str().unwrap_or_default() }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_load(path: *const c_char, name: *const c_char, algorithm: *mut *const Algorithm) -> i32 {
    status(|| {
        ensure!(!path.is_null() && !algorithm.is_null(), "path, or pointer for the algorithm, given as NULL");
        // SAFETY: by the header a C string of a file whose code may run.
        let plugin = unsafe { Plugin::new(CStr::from_ptr(path))? };
        // SAFETY: NULL, or a C string that is valid during the call; strings of descriptors are never freed.
        let selected = unsafe {
            let name = if name.is_null() { None } else { Some(CStr::from_ptr(name)) };
            plugin.supported().find(|one| name.is_none_or(|name| name.to_bytes() == constant_str(one.name).as_bytes()))
        };
        let Some(selected) = selected else {
            // SAFETY: as above.
            let names: Vec<_> = plugin.supported().map(|one| unsafe { constant_str(one.name) }).collect();
            return invalid(format!(
                "{} has no algorithm of this name that ParSplit supports; it has {}",
                plugin.name,
                if names.is_empty() { "none".into() } else { names.join(", ") }
            ));
        };
        // SAFETY: by the header valid for writing.
        unsafe { write_result(algorithm, ptr::from_ref(selected)) }
    })
}

//! Algorithms from descriptors: of the caller, and of shared libraries. What the lab asks of a library before it lists
//! it is more; this is what it takes to call one algorithm.

use crate::call::{refused, status};
use crate::memory::give;
use aeadlab_abi::{self as abi, ABI_VERSION, Algorithm, Library, LibraryV1};
use libloading::os::unix::{Library as SharedLibrary, RTLD_LOCAL, RTLD_NOW, Symbol};
use parsplit::{Error, ParSplit, Result, Schedule};
use std::ffi::{CStr, OsStr, c_char};
use std::mem::{forget, size_of};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// The header's limits in bytes.
const MOST_KEY: u32 = 1024;
const MOST_TAG: u32 = 64;

/// A descriptor that somebody gave, checked as far as the engine leans on it.
///
/// # Safety
/// `algorithm` is null or a descriptor that follows the header.
pub(crate) unsafe fn given(algorithm: *const Algorithm) -> Result<&'static Algorithm> {
    if algorithm.is_null() {
        return refused("no algorithm given: it is NULL");
    }
    // SAFETY: the size is the first field in every version of the ABI.
    let size = unsafe { algorithm.cast::<usize>().read() };
    if size < size_of::<Algorithm>() {
        return refused(format!(
            "an algorithm of {size} bytes given, {} wanted: rebuild it with our header",
            size_of::<Algorithm>()
        ));
    }
    // SAFETY: large enough, and constant for as long as the process lives by the header.
    let algorithm = unsafe { &*algorithm };
    let aead = algorithm.kind == abi::AEAD && algorithm.seal.is_some() && algorithm.open.is_some();
    if !aead || algorithm.key_new.is_none() || algorithm.key_free.is_none() {
        return refused("the algorithm is no AEAD with key_new, key_free, seal and open");
    }
    if algorithm.key_bytes > MOST_KEY || !(1..=MOST_TAG).contains(&algorithm.tag_bytes) || algorithm.block_bytes != 1 {
        return refused(format!(
            "an algorithm with keys of {} bytes, tags of {}, blocks of {} given; at most {MOST_KEY}, 1 to {MOST_TAG}, \
             and 1 wanted",
            algorithm.key_bytes, algorithm.tag_bytes, algorithm.block_bytes
        ));
    }
    Ok(algorithm)
}

/// A loaded plugin.
pub(crate) struct Plugin {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    algorithms: &'static [*const Algorithm],
}

impl Plugin {
    /// Loads it; it is never unloaded.
    ///
    /// # Safety
    /// Runs code of the file, which must follow the header.
    pub(crate) unsafe fn new(path: &CStr) -> Result<Self> {
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        let failed = |why: String| Error::Argument(format!("{} is not a plugin: {why}", path.display()));
        // SAFETY: the caller accepts that code runs.
        let library = unsafe { SharedLibrary::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| failed(error.to_string()))?;
        // SAFETY: the header gives the symbol this type.
        let describe: Symbol<LibraryV1> = unsafe { library.get(b"aeadlab_library_v1\0") }
            .map_err(|_| failed("it does not export aeadlab_library_v1".into()))?;
        // SAFETY: the symbol's contract; null gives None, the version is the first field of every version of the ABI.
        let (descriptor, version) = unsafe {
            let descriptor = describe();
            (descriptor, descriptor.cast::<u32>().as_ref())
        };
        // Its functions are used from here on.
        forget(library);
        match version {
            None => return Err(failed("it says that it cannot work here".into())),
            Some(&ABI_VERSION) => {}
            Some(other) => return Err(failed(format!("it has ABI version {other}, {ABI_VERSION} is wanted"))),
        }
        // SAFETY: a descriptor of our version, constant for as long as the process lives.
        let descriptor: &'static Library = unsafe { &*descriptor };
        if descriptor.struct_size < size_of::<Library>() || descriptor.algorithms.is_null() {
            return Err(failed("its descriptor is damaged".into()));
        }
        // SAFETY: an array of that length by the header, and texts that are never freed.
        Ok(unsafe {
            Self {
                name: text(descriptor.name),
                version: text(descriptor.version),
                algorithms: std::slice::from_raw_parts(descriptor.algorithms, descriptor.algorithm_count),
            }
        })
    }

    /// Its algorithms that ParSplit can use, in its order.
    pub(crate) fn usable(&self) -> impl Iterator<Item = &'static Algorithm> {
        // SAFETY: pointers of a descriptor that follows the header.
        let sound = self.algorithms.iter().filter_map(|&algorithm| unsafe { given(algorithm) }.ok());
        sound.filter(|algorithm| ParSplit::new(algorithm, 1, 1, Schedule::STATIC).is_ok())
    }
}

/// # Safety
/// `text` is null or a C string that is never freed.
pub(crate) unsafe fn text(text: *const c_char) -> &'static str {
    // SAFETY: the caller's promise, and not null.
    if text.is_null() { "" } else { unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default() }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_load(path: *const c_char, name: *const c_char, algorithm: *mut *const Algorithm) -> i32 {
    status(|| {
        if path.is_null() || algorithm.is_null() {
            return refused("no path, or no place for the algorithm, given: it is NULL");
        }
        // SAFETY: the header asks for a C string and accepts that the file's code runs.
        let plugin = unsafe { Plugin::new(CStr::from_ptr(path))? };
        // SAFETY: null or a C string that stays during the call; names of descriptors are never freed.
        let found = unsafe {
            let wanted = if name.is_null() { None } else { Some(CStr::from_ptr(name)) };
            plugin.usable().find(|one| wanted.is_none_or(|wanted| wanted.to_bytes() == text(one.name).as_bytes()))
        };
        let Some(found) = found else {
            // SAFETY: as above.
            let there: Vec<_> = plugin.usable().map(|one| unsafe { text(one.name) }).collect();
            return refused(format!(
                "{} has no such algorithm that ParSplit can use; it has {}",
                plugin.name,
                if there.is_empty() { "none".into() } else { there.join(", ") }
            ));
        };
        // SAFETY: not null, and a place for it by the header.
        unsafe { give(algorithm, ptr::from_ref(found)) }
    })
}

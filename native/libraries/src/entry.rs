//! A descriptor read once and checked, so that the rest of the lab works with Rust types.

use aeadlab_abi::{self as abi, ABI_VERSION, Algorithm, Library, SetNumber};
use std::collections::HashSet;
use std::ffi::{CStr, c_char};
use std::mem::size_of;

/// What a library that is parallel itself can be told: its optional exports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// `aeadlab_set_threads`, if it has that.
    pub threads: Option<SetNumber>,
    /// `aeadlab_set_block_size`, if it has that.
    pub block_size: Option<SetNumber>,
}

/// One algorithm of one library, with its strings.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The library's name.
    pub library: &'static str,
    /// The version that the library reports.
    pub version: &'static str,
    /// How the library was built.
    pub build: &'static str,
    /// The algorithm's name.
    pub name: &'static str,
    /// The code path that the library says it chose, or empty.
    pub kernel: &'static str,
    /// Lengths, flags and functions.
    pub algorithm: &'static Algorithm,
    /// What its library can be told.
    pub settings: Settings,
}

/// No library has more; a larger number is a damaged descriptor.
const MAX_ALGORITHMS: usize = 4096;
/// The header's limits in bytes. Hosts keep tags and digests in buffers of this size; a key, nonce or block beyond the
/// others is a damaged descriptor.
const MAX_TAG: u32 = 64;
const MAX_KEY: u32 = 1024;
const MAX_NONCE: u32 = 1024;
const MAX_BLOCK: u32 = 4096;

/// # Safety
/// `text` is null or a C string that is never freed.
unsafe fn string(text: *const c_char, what: &str) -> Result<&'static str, String> {
    if text.is_null() {
        return Err(format!("its {what} is NULL"));
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("its {what} is not UTF-8"))
}

pub(crate) fn checked_name<'a>(name: &'a str, what: &str) -> Result<&'a str, String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-+._".contains(c);
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(format!("its {what} {name:?} is not lower-case letters, digits, '-', '+', '.', '_'"));
    }
    Ok(name)
}

pub(crate) fn check_functions(a: &Algorithm) -> Result<(), String> {
    if !(abi::AEAD..=abi::GENERATOR).contains(&a.kind) {
        return Err(format!("has kind {}, 1 to 5 are known", a.kind));
    }
    let every = &[abi::AEAD, abi::CIPHER, abi::HASH, abi::MAC, abi::GENERATOR][..];
    let functions = [
        ("key_new", a.key_new.is_some(), every),
        ("key_free", a.key_free.is_some(), every),
        ("seal", a.seal.is_some(), &[abi::AEAD]),
        ("open", a.open.is_some(), &[abi::AEAD]),
        ("encrypt", a.encrypt.is_some(), &[abi::CIPHER]),
        ("decrypt", a.decrypt.is_some(), &[abi::CIPHER]),
        ("digest", a.digest.is_some(), &[abi::HASH, abi::MAC]),
        ("generate", a.generate.is_some(), &[abi::GENERATOR]),
    ];
    if let Some((name, ..)) = functions.iter().find(|(_, there, kinds)| kinds.contains(&a.kind) && !there) {
        return Err(format!("has no function {name}"));
    }
    // The host finds out by its functions what to call: a cipher with a `seal` would be given no tag to write.
    if let Some((name, ..)) = functions.iter().find(|(_, there, kinds)| *there && !kinds.contains(&a.kind)) {
        return Err(format!("has a function {name}, which does not belong to its kind"));
    }
    for (what, bytes, most) in [
        ("tags", a.tag_bytes, MAX_TAG),
        ("keys", a.key_bytes, MAX_KEY),
        ("nonces", a.nonce_bytes, MAX_NONCE),
        ("blocks", a.block_bytes, MAX_BLOCK),
    ] {
        if bytes > most {
            return Err(format!("has {what} of {bytes} bytes, at most {most} are possible"));
        }
    }
    if a.block_bytes == 0 {
        return Err("has blocks of 0 bytes, 1 means any length".into());
    }
    let unknown = a.flags & !abi::FLAGS;
    if unknown != 0 {
        return Err(format!("has flags {unknown:#x} that this lab does not know: rebuild it with our header"));
    }
    if a.reserved != 0 {
        return Err(format!("has {} in a field that is reserved: rebuild it with our header", a.reserved));
    }
    if matches!(a.kind, abi::HASH | abi::MAC) && a.tag_bytes == 0 {
        return Err("has a digest of 0 bytes".into());
    }
    if a.kind == abi::AEAD && a.tag_bytes == 0 {
        return Err("is an AEAD with tags of 0 bytes: without a tag it is a cipher".into());
    }
    if a.kind == abi::HASH && (a.key_bytes, a.nonce_bytes) != (0, 0) {
        return Err("is a hash with a key or nonce: that is a MAC".into());
    }
    if a.kind == abi::MAC && a.key_bytes == 0 {
        return Err("is a MAC without a key: that is a hash".into());
    }
    if matches!(a.kind, abi::CIPHER | abi::GENERATOR) && a.tag_bytes != 0 {
        return Err(format!("has tags of {} bytes, which only an AEAD, a hash or a MAC has", a.tag_bytes));
    }
    Ok(())
}

/// Reads a descriptor.
///
/// # Errors
/// In words what is wrong with it.
///
/// # Safety
/// `library` is null or points to a descriptor that follows the header: its pointers are valid for as long as the
/// process lives.
pub unsafe fn entries(library: *const Library, settings: Settings) -> Result<Vec<Entry>, String> {
    if library.is_null() {
        return Err("it says that it cannot work on this machine (aeadlab_library_v1 returned NULL)".into());
    }
    // SAFETY: the version is the first field in every version of the ABI.
    let abi_version = unsafe { library.cast::<u32>().read() };
    if abi_version != ABI_VERSION {
        return Err(format!(
            "it has ABI version {abi_version}, this lab has {ABI_VERSION}: rebuild it with our header"
        ));
    }
    // SAFETY: a descriptor of our version starts with these fields.
    let library = unsafe { &*library };
    if library.struct_size < size_of::<Library>() {
        return Err(format!(
            "its descriptor has {} bytes, {} are wanted: rebuild it with our header",
            library.struct_size,
            size_of::<Library>()
        ));
    }
    // SAFETY: the header's promise about strings.
    let (name, version, build) = unsafe {
        (
            checked_name(string(library.name, "name")?, "name")?,
            string(library.version, "version")?,
            string(library.build, "build text").unwrap_or_default(),
        )
    };
    if library.algorithms.is_null() {
        return Err(format!("it lists {} algorithms at NULL", library.algorithm_count));
    }
    if library.algorithm_count == 0 || library.algorithm_count > MAX_ALGORITHMS {
        return Err(format!("it lists {} algorithms, 1 to {MAX_ALGORITHMS} are wanted", library.algorithm_count));
    }
    let mut seen = HashSet::new();
    (0..library.algorithm_count)
        .map(|i| {
            // SAFETY: the array has `algorithm_count` pointers.
            let pointer = unsafe { library.algorithms.add(i).read() };
            if pointer.is_null() {
                return Err(format!("its algorithm {i} is NULL"));
            }
            // SAFETY: `struct_size` is the first field.
            let size = unsafe { pointer.cast::<usize>().read() };
            if size < size_of::<Algorithm>() {
                return Err(format!(
                    "its algorithm {i} has {size} bytes, {} are wanted: rebuild it with our header",
                    size_of::<Algorithm>()
                ));
            }
            // SAFETY: large enough, and constant by the header.
            let algorithm: &'static Algorithm = unsafe { &*pointer };
            // SAFETY: the header's promise about strings.
            let algorithm_name = unsafe { string(algorithm.name, "algorithm's name") }?;
            let algorithm_name = checked_name(algorithm_name, "algorithm's name")?;
            if !seen.insert(algorithm_name) {
                return Err(format!("it lists {algorithm_name} twice"));
            }
            check_functions(algorithm).map_err(|why| format!("its {algorithm_name} {why}"))?;
            // SAFETY: the header's promise about strings; NULL is allowed here.
            let kernel = unsafe { string(algorithm.kernel, "kernel") }.unwrap_or_default();
            Ok(Entry { library: name, version, build, name: algorithm_name, kernel, algorithm, settings })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_descriptors_hold_what_the_header_asks() {
        for library in crate::linked() {
            assert!(!library.entries().unwrap().is_empty());
        }
    }

    #[test]
    fn another_abi_version_is_named() {
        let mut library = *crate::linked()[0].library;
        library.abi_version = 7;
        // SAFETY: a copy of a good descriptor that outlives the call.
        let why = unsafe { entries(&raw const library, Settings::default()) }.unwrap_err();
        assert!(why.contains('7'), "{why}");
    }
}

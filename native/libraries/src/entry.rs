//! A checked descriptor as Rust types.

use aeadlab_abi::{self as abi, ABI_VERSION, Algorithm, FIRST_ALGORITHM_BYTES, Library, SetNumber};
use std::collections::HashSet;
use std::ffi::{CStr, c_char};
use std::mem::size_of;

/// The optional exports of a library that uses several threads itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// `aeadlab_set_threads`.
    pub threads: Option<SetNumber>,
    /// `aeadlab_set_block_size`.
    pub block_size: Option<SetNumber>,
}

/// One algorithm of one library.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The library's name.
    pub library: &'static str,
    /// The version that the library reports at run time.
    pub version: &'static str,
    /// Compiler and flags of the library, or empty.
    pub build: &'static str,
    /// The algorithm's name.
    pub name: &'static str,
    /// The code path that the library reports, or empty.
    pub kernel: &'static str,
    /// Lengths, flags and functions.
    pub algorithm: &'static Algorithm,
    /// The settings of the library.
    pub settings: Settings,
    /// The result of `aeadlab_feature_switch`, or empty. A composition has those of its cipher and its MAC, with ` + `
    /// between them.
    pub feature_switch: &'static str,
}

/// The header's limit; a larger count is a damaged descriptor.
const MAX_ALGORITHMS: usize = 4096;
/// The header's limits in bytes. Hosts keep tags and digests in buffers of `MAX_TAG`; a key, nonce or block beyond its
/// limit is a damaged descriptor.
const MAX_TAG: u32 = 64;
const MAX_KEY: u32 = 1024;
const MAX_NONCE: u32 = 1024;
const MAX_BLOCK: u32 = 4096;

const REBUILD: &str = "rebuild it with this lab's aeadlab.h";

/// Return a string of a descriptor; `field` names it in the error.
///
/// # Safety
/// `text` is null or a C string that is never freed.
unsafe fn string(text: *const c_char, field: &str) -> Result<&'static str, String> {
    ensure!(!text.is_null(), "its {field} is NULL");
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("its {field} is not UTF-8"))
}

/// Return `name` if its characters are those that the header allows.
pub(crate) fn checked_name<'a>(name: &'a str, field: &str) -> Result<&'a str, String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-+._".contains(c);
    ensure!(
        !name.is_empty() && name.chars().all(allowed),
        "its {field} {name:?} must consist of lower-case letters, digits and - + . _"
    );
    Ok(name)
}

/// Check kind, functions, lengths and flags of an algorithm.
///
/// # Errors
/// The first violation, as the predicate of a sentence whose subject is the algorithm.
pub(crate) fn check_algorithm(a: &Algorithm) -> Result<(), String> {
    let Algorithm { kind, key_bytes, nonce_bytes, tag_bytes, block_bytes, .. } = *a;
    ensure!((abi::AEAD..=abi::GENERATOR).contains(&kind), "has kind {kind}, expected 1 to 5");
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
    for (name, present) in [("seal_many", a.seal_many.is_some()), ("open_many", a.open_many.is_some())] {
        ensure!(present || !a.has(abi::MANY), "has the flag AEADLAB_MANY, but no function {name}");
        ensure!(!present || a.has(abi::MANY), "has a function {name}, but not the flag AEADLAB_MANY");
    }
    ensure!(kind == abi::AEAD || !a.has(abi::MANY), "has the flag AEADLAB_MANY, which only an AEAD may have");
    ensure!(
        !a.has(abi::MANY) || nonce_bytes >= 12,
        "has the flag AEADLAB_MANY and nonces of {nonce_bytes} bytes, expected at least 12"
    );
    if let Some((name, ..)) = functions.iter().find(|(_, present, kinds)| kinds.contains(&kind) && !present) {
        return Err(format!("has no function {name}"));
    }
    // The host chooses its calls by the functions that are present, and a cipher with a `seal` would get no tag buffer.
    if let Some((name, ..)) = functions.iter().find(|(_, present, kinds)| *present && !kinds.contains(&kind)) {
        return Err(format!("has a function {name}, which its kind does not allow"));
    }
    for (field, bytes, limit) in [
        ("tags", tag_bytes, MAX_TAG),
        ("keys", key_bytes, MAX_KEY),
        ("nonces", nonce_bytes, MAX_NONCE),
        ("blocks", block_bytes, MAX_BLOCK),
    ] {
        ensure!(bytes <= limit, "has {field} of {bytes} bytes, expected at most {limit}");
    }
    ensure!(block_bytes != 0, "has blocks of 0 bytes, expected at least 1, which allows any message length");
    let unknown = a.flags & !abi::FLAGS;
    ensure!(unknown == 0, "has the unknown flags {unknown:#x}: {REBUILD}");
    ensure!(!matches!(kind, abi::HASH | abi::MAC) || tag_bytes != 0, "has a digest of 0 bytes, expected at least 1");
    ensure!(kind != abi::AEAD || tag_bytes != 0, "is an AEAD with tags of 0 bytes: declare it as a cipher");
    ensure!(
        kind != abi::HASH || (key_bytes, nonce_bytes) == (0, 0),
        "is a hash with a key or a nonce: declare it as a MAC"
    );
    ensure!(kind != abi::MAC || key_bytes != 0, "is a MAC without a key: declare it as a hash");
    ensure!(
        !matches!(kind, abi::CIPHER | abi::GENERATOR) || tag_bytes == 0,
        "has tags of {tag_bytes} bytes, expected 0 for a cipher or a generator"
    );
    Ok(())
}

/// Check a descriptor and return its algorithms.
///
/// # Errors
/// A description of the first violation of the header.
///
/// # Safety
/// `library` is null or points to a descriptor whose pointers are valid as long as the process lives.
pub unsafe fn entries(
    library: *const Library,
    settings: Settings,
    feature_switch: impl Fn(&CStr) -> Option<&'static CStr>,
) -> Result<Vec<Entry>, String> {
    ensure!(!library.is_null(), "it cannot run on this machine: aeadlab_library_v1 returned NULL");
    // SAFETY: the version is the first field in every version of the ABI.
    let abi_version = unsafe { library.cast::<u32>().read() };
    ensure!(abi_version == ABI_VERSION, "it has ABI version {abi_version}, expected {ABI_VERSION}: {REBUILD}");
    // SAFETY: a descriptor of our version starts with these fields.
    let library = unsafe { &*library };
    ensure!(
        library.struct_size >= size_of::<Library>(),
        "its descriptor has {} bytes, expected at least {}: {REBUILD}",
        library.struct_size,
        size_of::<Library>()
    );
    // SAFETY: the header's promise about strings.
    let (name, version, build) = unsafe {
        (
            checked_name(string(library.name, "name")?, "name")?,
            string(library.version, "version")?,
            string(library.build, "build text").unwrap_or_default(),
        )
    };
    ensure!(!library.algorithms.is_null(), "its array of {} algorithms is NULL", library.algorithm_count);
    ensure!(
        (1..=MAX_ALGORITHMS).contains(&library.algorithm_count),
        "it lists {} algorithms, expected 1 to {MAX_ALGORITHMS}",
        library.algorithm_count
    );
    let mut seen = HashSet::new();
    (0..library.algorithm_count)
        .map(|i| {
            // SAFETY: the array has `algorithm_count` pointers.
            let pointer = unsafe { library.algorithms.add(i).read() };
            ensure!(!pointer.is_null(), "its algorithm {i} is NULL");
            // SAFETY: the header promises that the entry never changes.
            let algorithm = unsafe { parsplit::entry_of(pointer) }.map_err(|bytes| {
                format!("its algorithm {i} has {bytes} bytes, expected at least {FIRST_ALGORITHM_BYTES}: {REBUILD}")
            })?;
            // SAFETY: the header's promise about strings.
            let algorithm_name = unsafe { string(algorithm.name, "algorithm's name") }?;
            let algorithm_name = checked_name(algorithm_name, "algorithm's name")?;
            ensure!(seen.insert(algorithm_name), "it lists {algorithm_name} twice");
            check_algorithm(algorithm).map_err(|reason| format!("its {algorithm_name} {reason}"))?;
            // SAFETY: the header's promise about strings; NULL is allowed here.
            let kernel = unsafe { string(algorithm.kernel, "kernel") }.unwrap_or_default();
            // SAFETY: the name was read above.
            let feature_switch = feature_switch(unsafe { CStr::from_ptr(algorithm.name) }).unwrap_or_default();
            let feature_switch = feature_switch.to_str().map_err(|_| "its feature switch is not UTF-8".to_owned())?;
            Ok(Entry {
                library: name,
                version,
                build,
                name: algorithm_name,
                kernel,
                algorithm,
                settings,
                feature_switch,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_descriptors_follow_the_header() {
        for library in crate::linked() {
            assert!(!library.entries().unwrap().is_empty());
        }
    }

    #[test]
    fn linked_libraries_declare_their_feature_switch() {
        let entries = crate::linked().iter().flat_map(|library| library.entries().unwrap());
        let switches: Vec<_> = entries.map(|entry| (entry.library, entry.name, entry.feature_switch)).collect();
        assert!(switches.iter().all(|(.., switch)| !switch.is_empty()), "{switches:?}");
        assert!(switches.contains(&("openssl", "aes-256-gcm", "OPENSSL_ia32cap:5")));
        assert!(switches.contains(&("baseline", "memcpy", "GLIBC_TUNABLES")));
        assert!(switches.contains(&("baseline", "xor", "none: its code path is chosen at compile time")));
    }

    #[test]
    fn error_names_the_unsupported_abi_version() {
        let mut library = *crate::linked()[0].library;
        library.abi_version = 7;
        // SAFETY: a copy of a valid descriptor that outlives the call.
        let error = unsafe { entries(&raw const library, Settings::default(), |_| None) }.unwrap_err();
        assert!(error.contains("ABI version 7"), "{error}");
    }
}

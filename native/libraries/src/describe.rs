//! Descriptors that live as long as the process, made from tables.

use aeadlab_abi::{ABI_VERSION, Algorithm, Library};
use std::ffi::{CStr, CString};
use std::mem::size_of;

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// How the Rust code was compiled.
pub(crate) const RUST_BUILD: &str = env!("AEADLAB_RUST_BUILD");

/// The version of a crate that Cargo.lock fixed when this was built.
pub(crate) fn crate_version(name: &str) -> &'static str {
    VERSIONS.iter().rev().find(|(known, _)| *known == name).map_or("unknown", |(_, version)| version)
}

/// A C string that is never freed. Text with a NUL inside ends there.
pub(crate) fn text(text: &str) -> &'static CStr {
    let before_nul = text.split('\0').next().unwrap_or_default();
    Box::leak(CString::new(before_nul).unwrap_or_default().into_boxed_c_str())
}

/// The descriptor of one library, never freed.
pub(crate) fn library(name: &str, version: &str, build: &str, algorithms: Vec<Algorithm>) -> &'static Library {
    let pointers: Vec<*const Algorithm> =
        algorithms.into_iter().map(|algorithm| &raw const *Box::leak(Box::new(algorithm))).collect();
    let pointers = Box::leak(pointers.into_boxed_slice());
    Box::leak(Box::new(Library {
        abi_version: ABI_VERSION,
        reserved: 0,
        struct_size: size_of::<Library>(),
        name: text(name).as_ptr(),
        version: text(version).as_ptr(),
        build: text(build).as_ptr(),
        algorithm_count: pointers.len(),
        algorithms: pointers.as_ptr(),
    }))
}

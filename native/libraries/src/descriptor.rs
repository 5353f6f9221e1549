//! Descriptors that live as long as the process, built from tables.

use crate::{FeatureSwitch, Linked, RUST_BUILD, Settings};
use aeadlab_abi::{ABI_VERSION, Algorithm, Library};
use std::ffi::{CStr, CString};
use std::mem::size_of;

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// Return the version of a crate in Cargo.lock at build time.
pub(crate) fn crate_version(name: &str) -> &'static str {
    VERSIONS.iter().rev().find(|(crate_name, _)| *crate_name == name).map_or("unknown", |(_, version)| version)
}

/// Return a copy of `text` that is never freed. It ends at the first NUL character.
pub(crate) fn c_string(text: &str) -> &'static CStr {
    let before_nul = text.split('\0').next().unwrap_or_default();
    Box::leak(CString::new(before_nul).unwrap_or_default().into_boxed_c_str())
}

/// The feature switch of a library that selects its code by detected CPU features.
pub(crate) const DETECTED: FeatureSwitch = |_| c"none: it detects CPU features itself and reads no setting";
/// The feature switch of a library whose code path the compiler selects.
pub(crate) const COMPILED: FeatureSwitch = |_| c"none: its code path is chosen at compile time";

/// Return a library that this crate's compiler builds.
pub(crate) fn rust_library(name: &str, version: &str, switch: FeatureSwitch, algorithms: Vec<Algorithm>) -> Linked {
    library(name, version, RUST_BUILD, switch, algorithms)
}

/// Return a library without settings. Its descriptor is never freed.
pub(crate) fn library(
    name: &str,
    version: &str,
    build: &str,
    feature_switch: FeatureSwitch,
    algorithms: Vec<Algorithm>,
) -> Linked {
    let pointers: Vec<*const Algorithm> =
        algorithms.into_iter().map(|algorithm| &raw const *Box::leak(Box::new(algorithm))).collect();
    let pointers = Box::leak(pointers.into_boxed_slice());
    let library = Box::leak(Box::new(Library {
        abi_version: ABI_VERSION,
        reserved: 0,
        struct_size: size_of::<Library>(),
        name: c_string(name).as_ptr(),
        version: c_string(version).as_ptr(),
        build: c_string(build).as_ptr(),
        algorithm_count: pointers.len(),
        algorithms: pointers.as_ptr(),
    }));
    Linked { library, settings: Settings::default(), feature_switch }
}

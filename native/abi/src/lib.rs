//! `include/aeadlab.h` in Rust. The header is the contract; the comments here only map names.
#![no_std]

use core::ffi::{c_char, c_void};

/// `AEADLAB_ABI_VERSION`
pub const ABI_VERSION: u32 = 1;

/// `AEADLAB_OK`
pub const OK: i32 = 0;
/// `AEADLAB_AUTH_FAILED`
pub const AUTH_FAILED: i32 = 1;
/// `AEADLAB_BAD_ARGUMENT`
pub const BAD_ARGUMENT: i32 = 2;
/// `AEADLAB_INTERNAL`
pub const INTERNAL: i32 = 3;

/// `AEADLAB_AEAD`
pub const AEAD: u32 = 1;
/// `AEADLAB_CIPHER`
pub const CIPHER: u32 = 2;
/// `AEADLAB_HASH`
pub const HASH: u32 = 3;
/// `AEADLAB_MAC`
pub const MAC: u32 = 4;
/// `AEADLAB_GENERATOR`
pub const GENERATOR: u32 = 5;

/// `AEADLAB_IN_PLACE`
pub const IN_PLACE: u64 = 1 << 0;
/// `AEADLAB_THREAD_SAFE`
pub const THREAD_SAFE: u64 = 1 << 1;
/// `AEADLAB_ANY_NONCE_LENGTH`
pub const ANY_NONCE_LENGTH: u64 = 1 << 2;
/// `AEADLAB_OPEN_COMPUTES_TAG`
pub const OPEN_COMPUTES_TAG: u64 = 1 << 3;
/// `AEADLAB_UNIVERSAL_HASH`
pub const UNIVERSAL_HASH: u64 = 1 << 4;
/// `AEADLAB_BASELINE`
pub const BASELINE: u64 = 1 << 5;
/// `AEADLAB_RESEARCH`
pub const RESEARCH: u64 = 1 << 6;
/// `AEADLAB_HISTORICAL`
pub const HISTORICAL: u64 = 1 << 7;
/// `AEADLAB_NOT_CRYPTOGRAPHIC`
pub const NOT_CRYPTOGRAPHIC: u64 = 1 << 8;
/// `AEADLAB_PARALLEL`
pub const PARALLEL: u64 = 1 << 9;
/// `AEADLAB_NO_ASSOCIATED_DATA`
pub const NO_ASSOCIATED_DATA: u64 = 1 << 10;
/// All flags of this version.
pub const FLAGS: u64 = (1 << 11) - 1;

/// `aeadlab_key_new_fn`
pub type KeyNew = unsafe extern "C" fn(*const Algorithm, *const u8, usize, *mut *mut c_void) -> i32;
/// `aeadlab_key_free_fn`
pub type KeyFree = unsafe extern "C" fn(*mut c_void);
/// `aeadlab_seal_fn`: context, nonce, associated data, input, output, tag
pub type Seal =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const u8, usize, *mut u8, *mut u8) -> i32;
/// `aeadlab_open_fn`: as [`Seal`], with the tag read
pub type Open =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const u8, usize, *mut u8, *const u8) -> i32;
/// `aeadlab_crypt_fn`: context, nonce, input, output
pub type Crypt = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut u8) -> i32;
/// `aeadlab_digest_fn`: context, nonce, input, tag
pub type Digest = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut u8) -> i32;
/// `aeadlab_generate_fn`: context, output
pub type Generate = unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> i32;
/// `aeadlab_library_v1`
pub type LibraryV1 = unsafe extern "C" fn() -> *const Library;
/// `aeadlab_set_threads`, `aeadlab_set_block_size`
pub type SetNumber = unsafe extern "C" fn(usize) -> i32;

/// `aeadlab_algorithm`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // each field is documented in the header
pub struct Algorithm {
    pub struct_size: usize,
    pub name: *const c_char,
    pub kernel: *const c_char,
    pub data: *const c_void,
    pub flags: u64,
    pub kind: u32,
    pub key_bytes: u32,
    pub nonce_bytes: u32,
    pub tag_bytes: u32,
    pub block_bytes: u32,
    pub reserved: u32,
    pub max_bytes: u64,
    pub key_new: Option<KeyNew>,
    pub key_free: Option<KeyFree>,
    pub seal: Option<Seal>,
    pub open: Option<Open>,
    pub encrypt: Option<Crypt>,
    pub decrypt: Option<Crypt>,
    pub digest: Option<Digest>,
    pub generate: Option<Generate>,
}

/// `aeadlab_library`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // each field is documented in the header
pub struct Library {
    pub abi_version: u32,
    pub reserved: u32,
    pub struct_size: usize,
    pub name: *const c_char,
    pub version: *const c_char,
    pub build: *const c_char,
    pub algorithm_count: usize,
    pub algorithms: *const *const Algorithm,
}

// SAFETY: the header promises that descriptors never change and may be read by any thread.
unsafe impl Sync for Algorithm {}
// SAFETY: as above; the pointers are to constants that live as long as the process.
unsafe impl Send for Algorithm {}
// SAFETY: as for `Algorithm`.
unsafe impl Sync for Library {}
// SAFETY: as for `Algorithm`.
unsafe impl Send for Library {}

impl Algorithm {
    /// An entry of `kind` with no name, no lengths and no functions, to be filled in by struct update.
    #[must_use]
    pub const fn empty(kind: u32) -> Self {
        Self {
            struct_size: core::mem::size_of::<Self>(),
            name: core::ptr::null(),
            kernel: core::ptr::null(),
            data: core::ptr::null(),
            flags: 0,
            kind,
            key_bytes: 0,
            nonce_bytes: 0,
            tag_bytes: 0,
            block_bytes: 1,
            reserved: 0,
            max_bytes: 0,
            key_new: None,
            key_free: None,
            seal: None,
            open: None,
            encrypt: None,
            decrypt: None,
            digest: None,
            generate: None,
        }
    }

    /// Whether all of `flags` are set.
    #[must_use]
    pub const fn has(&self, flags: u64) -> bool {
        self.flags & flags == flags
    }
}

//! `include/aeadlab.h` in Rust. The header is the contract and documents each item, under its name here with the prefix
//! `AEADLAB_` or `aeadlab_`.
#![no_std]
#![allow(missing_docs)]

use core::ffi::{c_char, c_void};

pub const ABI_VERSION: u32 = 1;

pub const OK: i32 = 0;
pub const AUTH_FAILED: i32 = 1;
pub const BAD_ARGUMENT: i32 = 2;
pub const INTERNAL: i32 = 3;

pub const AEAD: u32 = 1;
pub const CIPHER: u32 = 2;
pub const HASH: u32 = 3;
pub const MAC: u32 = 4;
pub const GENERATOR: u32 = 5;

pub const IN_PLACE: u64 = 1 << 0;
pub const THREAD_SAFE: u64 = 1 << 1;
pub const ANY_NONCE_LENGTH: u64 = 1 << 2;
pub const OPEN_COMPUTES_TAG: u64 = 1 << 3;
pub const UNIVERSAL_HASH: u64 = 1 << 4;
pub const BASELINE: u64 = 1 << 5;
pub const RESEARCH: u64 = 1 << 6;
pub const HISTORICAL: u64 = 1 << 7;
pub const NOT_CRYPTOGRAPHIC: u64 = 1 << 8;
pub const PARALLEL: u64 = 1 << 9;
pub const NO_ASSOCIATED_DATA: u64 = 1 << 10;
pub const MANY: u64 = 1 << 11;
/// All flags of this version.
pub const FLAGS: u64 = (1 << 12) - 1;

pub const PAST_CACHE: u32 = 1 << 0;

pub type KeyNew = unsafe extern "C" fn(*const Algorithm, *const u8, usize, *mut *mut c_void) -> i32;
pub type KeyFree = unsafe extern "C" fn(*mut c_void);
/// Context, nonce, associated data, input, output, tag; each input with its length
pub type Seal =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const u8, usize, *mut u8, *mut u8) -> i32;
/// As [`Seal`], but the tag is an input
pub type Open =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const u8, usize, *mut u8, *const u8) -> i32;
/// Context, nonce, input, output
pub type Crypt = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut u8) -> i32;
/// Context, nonce, input, tag
pub type Digest = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut u8) -> i32;
/// Context, output
pub type Generate = unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> i32;
pub type Many = unsafe extern "C" fn(*mut c_void, *const Blocks) -> i32;
pub type LibraryV1 = unsafe extern "C" fn() -> *const Library;
pub type SetNumber = unsafe extern "C" fn(usize) -> i32;
pub type FeatureSwitch = unsafe extern "C" fn(*const c_char) -> *const c_char;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
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
    pub max_ad_bytes: u32,
    pub max_bytes: u64,
    pub key_new: Option<KeyNew>,
    pub key_free: Option<KeyFree>,
    pub seal: Option<Seal>,
    pub open: Option<Open>,
    pub encrypt: Option<Crypt>,
    pub decrypt: Option<Crypt>,
    pub digest: Option<Digest>,
    pub generate: Option<Generate>,
    pub seal_many: Option<Many>,
    pub open_many: Option<Many>,
}

/// The length in bytes of an entry of the first header, which ended before `seal_many`.
pub const FIRST_ALGORITHM_BYTES: usize = core::mem::offset_of!(Algorithm, seal_many);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    pub nonce: *const u8,
    pub nonce_bytes: usize,
    pub last: u32,
    pub hints: u32,
    pub ad: *const u8,
    pub ad_bytes: usize,
    pub count: usize,
    pub block_bytes: usize,
    pub last_bytes: usize,
    pub input: *const u8,
    pub in_stride: usize,
    pub output: *mut u8,
    pub out_stride: usize,
    pub tags: *mut u8,
    pub tag_stride: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
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

// SAFETY: by the header a descriptor is constant, and any thread may read it.
unsafe impl Sync for Algorithm {}
// SAFETY: as above; the pointers refer to constants that live until the process ends.
unsafe impl Send for Algorithm {}
// SAFETY: as for `Algorithm`.
unsafe impl Sync for Library {}
// SAFETY: as for `Algorithm`.
unsafe impl Send for Library {}

impl Algorithm {
    /// Returns an entry of `kind` without name, lengths and functions, for struct update syntax.
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
            max_ad_bytes: 0,
            max_bytes: 0,
            key_new: None,
            key_free: None,
            seal: None,
            open: None,
            encrypt: None,
            decrypt: None,
            digest: None,
            generate: None,
            seal_many: None,
            open_many: None,
        }
    }

    /// Whether all of `flags` are set.
    #[must_use]
    pub const fn has(&self, flags: u64) -> bool {
        self.flags & flags == flags
    }
}

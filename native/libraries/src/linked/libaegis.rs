//! libaegis, the C library that the crate `aegis` compiles: all six AEGIS variants with both tag lengths, and their
//! MACs.
//!
//! The C functions are called directly, because those of the crate return fresh memory.

// The crate links the C library.
use aegis as _;

use crate::Linked;
use crate::descriptor::{self, DETECTED, c_string, crate_version};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use std::ffi::{c_int, c_void};
use std::ptr;
use zeroize::{Zeroize, Zeroizing};

/// As long as the longest of the library's six states, which align themselves within it.
#[repr(C, align(64))]
struct MacState([u8; 1344]);

unsafe extern "C" {
    fn aegis_init() -> c_int;
    fn aegis_runtime_has_neon_aes() -> c_int;
    fn aegis_runtime_has_neon_sha3() -> c_int;
    fn aegis_runtime_has_aesni() -> c_int;
    fn aegis_runtime_has_avx() -> c_int;
    fn aegis_runtime_has_avx2() -> c_int;
    fn aegis_runtime_has_vaes() -> c_int;
    fn aegis_runtime_has_avx512f() -> c_int;
    fn aegis_runtime_has_avx512vl() -> c_int;
    fn aegis_runtime_has_narrow_avx512() -> c_int;
}

type SealFn =
    unsafe extern "C" fn(*mut u8, *mut u8, usize, *const u8, usize, *const u8, usize, *const u8, *const u8) -> c_int;
type OpenFn =
    unsafe extern "C" fn(*mut u8, *const u8, usize, *const u8, usize, *const u8, usize, *const u8, *const u8) -> c_int;

/// One of the six variants; `data` of a table row points here.
struct Variant {
    name: &'static str,
    /// The length of the key, and of the nonce.
    bytes: u32,
    lanes: u32,
    seal: SealFn,
    open: OpenFn,
    mac_init: unsafe extern "C" fn(*mut MacState, *const u8, *const u8),
    mac_update: unsafe extern "C" fn(*mut MacState, *const u8, usize) -> c_int,
    mac_finish: unsafe extern "C" fn(*mut MacState, *mut u8, usize) -> c_int,
}

/// Declare the functions of the variants and fill `VARIANTS`.
macro_rules! variants {
    ($(
        $name:literal, $bytes:literal, $lanes:literal,
        $seal:ident $open:ident $init:ident $update:ident $finish:ident;
    )*) => {
        unsafe extern "C" {
            $(
                fn $seal(
                    c: *mut u8, mac: *mut u8, maclen: usize, m: *const u8, mlen: usize, ad: *const u8, adlen: usize,
                    npub: *const u8, k: *const u8,
                ) -> c_int;
                fn $open(
                    m: *mut u8, c: *const u8, clen: usize, mac: *const u8, maclen: usize, ad: *const u8, adlen: usize,
                    npub: *const u8, k: *const u8,
                ) -> c_int;
                fn $init(state: *mut MacState, k: *const u8, npub: *const u8);
                fn $update(state: *mut MacState, m: *const u8, mlen: usize) -> c_int;
                fn $finish(state: *mut MacState, mac: *mut u8, maclen: usize) -> c_int;
            )*
        }

        static VARIANTS: [Variant; 6] = [$(Variant {
            name: $name,
            bytes: $bytes,
            lanes: $lanes,
            seal: $seal,
            open: $open,
            mac_init: $init,
            mac_update: $update,
            mac_finish: $finish,
        }),*];
    };
}

variants! {
    "aegis-128l", 16, 1,
        aegis128l_encrypt_detached aegis128l_decrypt_detached
            aegis128l_mac_init aegis128l_mac_update aegis128l_mac_final;
    "aegis-128x2", 16, 2,
        aegis128x2_encrypt_detached aegis128x2_decrypt_detached
            aegis128x2_mac_init aegis128x2_mac_update aegis128x2_mac_final;
    "aegis-128x4", 16, 4,
        aegis128x4_encrypt_detached aegis128x4_decrypt_detached
            aegis128x4_mac_init aegis128x4_mac_update aegis128x4_mac_final;
    "aegis-256", 32, 1,
        aegis256_encrypt_detached aegis256_decrypt_detached
            aegis256_mac_init aegis256_mac_update aegis256_mac_final;
    "aegis-256x2", 32, 2,
        aegis256x2_encrypt_detached aegis256x2_decrypt_detached
            aegis256x2_mac_init aegis256x2_mac_update aegis256x2_mac_final;
    "aegis-256x4", 32, 4,
        aegis256x4_encrypt_detached aegis256x4_decrypt_detached
            aegis256x4_mac_init aegis256x4_mac_update aegis256x4_mac_final;
}

/// The draft counts bits in 64-bit numbers.
const MAX_BYTES: u64 = (1 << 61) - 1;

fn check_status(status: c_int) -> Outcome {
    if status == 0 { Ok(()) } else { Err(Failure::Internal) }
}

fn variant(algorithm: &Algorithm) -> &'static Variant {
    // SAFETY: every row of this file points to an element of `VARIANTS`.
    unsafe { &*algorithm.data.cast() }
}

/// A variant and the key: no part of the state depends on the key alone.
struct Aegis {
    variant: &'static Variant,
    key: Zeroizing<Vec<u8>>,
}

impl Keyed for Aegis {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self { variant: variant(algorithm), key: Zeroizing::new(key.to_vec()) })
    }
}

impl Aegis {
    fn check_lengths(&self, nonce: &[u8], bytes: usize) -> Outcome {
        let valid = nonce.len() == self.variant.bytes as usize && bytes as u64 <= MAX_BYTES;
        if valid { Ok(()) } else { Err(Failure::BadArgument) }
    }
}

impl export::Aead for Aegis {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let bytes = message.len();
        self.check_lengths(nonce, bytes)?;
        let (input, output) = message.into_raw();
        let (seal, ad, ad_bytes, nonce, key) =
            (self.variant.seal, ad.as_ptr(), ad.len(), nonce.as_ptr(), self.key.as_ptr());
        // SAFETY: all pointers are valid for the lengths given or checked; in place is allowed.
        let status = unsafe { seal(output, tag.as_mut_ptr(), tag.len(), input, bytes, ad, ad_bytes, nonce, key) };
        check_status(status)
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let bytes = message.len();
        self.check_lengths(nonce, bytes)?;
        let (input, output) = message.into_raw();
        let (open, ad, ad_bytes, nonce, key) =
            (self.variant.open, ad.as_ptr(), ad.len(), nonce.as_ptr(), self.key.as_ptr());
        // SAFETY: as in `seal`.
        let status = unsafe { open(output, input, bytes, tag.as_ptr(), tag.len(), ad, ad_bytes, nonce, key) };
        check_status(status).map_err(|_| Failure::Authentication)
    }
}

struct Mac {
    aegis: Aegis,
    state: MacState,
}

impl Keyed for Mac {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self { aegis: Aegis::new(algorithm, key)?, state: MacState([0; 1344]) })
    }
}

impl export::Digest for Mac {
    fn digest(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        self.aegis.check_lengths(nonce, message.len())?;
        let (variant, state) = (self.aegis.variant, &raw mut self.state);
        // SAFETY: the state is long enough for each variant, and the rest is valid for its length.
        check_status(unsafe {
            (variant.mac_init)(state, self.aegis.key.as_ptr(), nonce.as_ptr());
            (variant.mac_update)(state, message.as_ptr(), message.len())
                | (variant.mac_finish)(state, tag.as_mut_ptr(), tag.len())
        })
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        self.state.0.zeroize();
    }
}

/// Return the code path of a variant. The library does not report it; these are its rules for the detected features.
fn kernel(variant: &Variant) -> &'static str {
    // SAFETY: the functions take no arguments and read the features that `aegis_init` detected.
    let has = |feature: unsafe extern "C" fn() -> c_int| unsafe { feature() } != 0;
    let wide = variant.lanes > 1 && has(aegis_runtime_has_vaes);
    if has(aegis_runtime_has_neon_aes) {
        let sha3 = variant.name == "aegis-128l" && has(aegis_runtime_has_neon_sha3);
        if sha3 { "Neon, AES, SHA3" } else { "Neon, AES" }
    } else if wide && variant.lanes == 4 && has(aegis_runtime_has_avx512f) {
        let narrow = has(aegis_runtime_has_avx512vl) && has(aegis_runtime_has_narrow_avx512);
        if variant.bytes == 32 && narrow { "VAES, AVX-512VL" } else { "VAES, AVX-512" }
    } else if wide && has(aegis_runtime_has_avx2) {
        "VAES, AVX2"
    } else if has(aegis_runtime_has_aesni) && has(aegis_runtime_has_avx) {
        "AES-NI, AVX"
    } else {
        "portable"
    }
}

fn rows(variant: &'static Variant) -> impl Iterator<Item = Algorithm> {
    const AEAD: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;
    let kernel = c_string(kernel(variant)).as_ptr();
    [(16, ""), (32, "-tag256")].into_iter().flat_map(move |(tag, suffix)| {
        let name = |middle| c_string(&format!("{}{middle}{suffix}", variant.name));
        let lengths = Lengths(variant.bytes, variant.bytes, tag);
        [export::aead::<Aegis>(name(""), lengths, AEAD), export::digest::<Mac>(name("-mac"), lengths, abi::THREAD_SAFE)]
            .map(|row| Algorithm { data: ptr::from_ref(variant).cast::<c_void>(), kernel, max_bytes: MAX_BYTES, ..row })
    })
}

/// The library.
pub(crate) fn library() -> Linked {
    // SAFETY: only one thread calls it, and the library's constructor has called it before `main`.
    unsafe { aegis_init() };
    let build = "C, -O3 -mtune=native -maes, wider code by run-time detection";
    descriptor::library("libaegis", crate_version("aegis"), build, DETECTED, VARIANTS.iter().flat_map(rows).collect())
}

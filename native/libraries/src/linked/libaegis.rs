//! libaegis, the C library that the crate `aegis` compiles: all six AEGIS variants with both tag lengths, and their
//! MACs.
//!
//! The functions of C are called and not the crate's, because those put what they make into fresh memory.

// For the library that it links.
use aegis as _;

use crate::describe::{self, crate_version};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use zeroize::{Zeroize, Zeroizing};

/// As long as the longest of the library's six, which take their own alignment from it.
#[repr(C, align(64))]
struct MacState([u8; 1344]);

macro_rules! declare {
    ($($seal:ident $open:ident $init:ident $update:ident $finish:ident;)*) => {
        unsafe extern "C" {
            fn aegis_init() -> c_int;
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
    };
}

declare! {
    aegis128l_encrypt_detached aegis128l_decrypt_detached
        aegis128l_mac_init aegis128l_mac_update aegis128l_mac_final;
    aegis128x2_encrypt_detached aegis128x2_decrypt_detached
        aegis128x2_mac_init aegis128x2_mac_update aegis128x2_mac_final;
    aegis128x4_encrypt_detached aegis128x4_decrypt_detached
        aegis128x4_mac_init aegis128x4_mac_update aegis128x4_mac_final;
    aegis256_encrypt_detached aegis256_decrypt_detached
        aegis256_mac_init aegis256_mac_update aegis256_mac_final;
    aegis256x2_encrypt_detached aegis256x2_decrypt_detached
        aegis256x2_mac_init aegis256x2_mac_update aegis256x2_mac_final;
    aegis256x4_encrypt_detached aegis256x4_decrypt_detached
        aegis256x4_mac_init aegis256x4_mac_update aegis256x4_mac_final;
}

unsafe extern "C" {
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

/// One of the six, and what a row's `data` points to.
struct Variant {
    name: &'static str,
    /// Key and nonce are as long.
    bytes: u32,
    lanes: u32,
    seal: SealFn,
    open: OpenFn,
    mac_init: unsafe extern "C" fn(*mut MacState, *const u8, *const u8),
    mac_update: unsafe extern "C" fn(*mut MacState, *const u8, usize) -> c_int,
    mac_finish: unsafe extern "C" fn(*mut MacState, *mut u8, usize) -> c_int,
}

static VARIANTS: [Variant; 6] = [
    Variant {
        name: "aegis-128l",
        bytes: 16,
        lanes: 1,
        seal: aegis128l_encrypt_detached,
        open: aegis128l_decrypt_detached,
        mac_init: aegis128l_mac_init,
        mac_update: aegis128l_mac_update,
        mac_finish: aegis128l_mac_final,
    },
    Variant {
        name: "aegis-128x2",
        bytes: 16,
        lanes: 2,
        seal: aegis128x2_encrypt_detached,
        open: aegis128x2_decrypt_detached,
        mac_init: aegis128x2_mac_init,
        mac_update: aegis128x2_mac_update,
        mac_finish: aegis128x2_mac_final,
    },
    Variant {
        name: "aegis-128x4",
        bytes: 16,
        lanes: 4,
        seal: aegis128x4_encrypt_detached,
        open: aegis128x4_decrypt_detached,
        mac_init: aegis128x4_mac_init,
        mac_update: aegis128x4_mac_update,
        mac_finish: aegis128x4_mac_final,
    },
    Variant {
        name: "aegis-256",
        bytes: 32,
        lanes: 1,
        seal: aegis256_encrypt_detached,
        open: aegis256_decrypt_detached,
        mac_init: aegis256_mac_init,
        mac_update: aegis256_mac_update,
        mac_finish: aegis256_mac_final,
    },
    Variant {
        name: "aegis-256x2",
        bytes: 32,
        lanes: 2,
        seal: aegis256x2_encrypt_detached,
        open: aegis256x2_decrypt_detached,
        mac_init: aegis256x2_mac_init,
        mac_update: aegis256x2_mac_update,
        mac_finish: aegis256x2_mac_final,
    },
    Variant {
        name: "aegis-256x4",
        bytes: 32,
        lanes: 4,
        seal: aegis256x4_encrypt_detached,
        open: aegis256x4_decrypt_detached,
        mac_init: aegis256x4_mac_init,
        mac_update: aegis256x4_mac_update,
        mac_finish: aegis256x4_mac_final,
    },
];

/// The draft counts bits in 64-bit numbers.
const MAX_BYTES: u64 = (1 << 61) - 1;

fn succeeded(status: c_int) -> Outcome {
    if status == 0 { Ok(()) } else { Err(Failure::Internal) }
}

fn variant(algorithm: &Algorithm) -> &'static Variant {
    // SAFETY: every row of this file points to an element of `VARIANTS`.
    unsafe { &*algorithm.data.cast() }
}

/// The state depends on key and nonce together, so there is nothing to prepare but the key.
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
    fn check(&self, nonce: &[u8], bytes: usize) -> Outcome {
        let right = nonce.len() == self.variant.bytes as usize && bytes as u64 <= MAX_BYTES;
        if right { Ok(()) } else { Err(Failure::BadArgument) }
    }
}

impl export::Aead for Aegis {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let bytes = message.len();
        self.check(nonce, bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: all pointers are valid for the lengths given or checked; in place is allowed.
        succeeded(unsafe {
            (self.variant.seal)(
                output,
                tag.as_mut_ptr(),
                tag.len(),
                input,
                bytes,
                ad.as_ptr(),
                ad.len(),
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        })
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let bytes = message.len();
        self.check(nonce, bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: as in `seal`.
        succeeded(unsafe {
            (self.variant.open)(
                output,
                input,
                bytes,
                tag.as_ptr(),
                tag.len(),
                ad.as_ptr(),
                ad.len(),
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        })
        .map_err(|_| Failure::Authentication)
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
        self.aegis.check(nonce, message.len())?;
        let (variant, state) = (self.aegis.variant, &raw mut self.state);
        // SAFETY: the state is long enough for each variant, and the rest is valid for its length.
        succeeded(unsafe {
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

/// The library does not say which code it took; these are its rules, applied to the features that it found.
fn kernel(variant: &Variant) -> &'static str {
    // SAFETY: the functions take nothing and read what `aegis_init` found.
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
    let kernel = describe::text(kernel(variant)).as_ptr();
    [(16, ""), (32, "-tag256")].into_iter().flat_map(move |(tag, ending)| {
        let name = |middle| describe::text(&format!("{}{middle}{ending}", variant.name));
        let lengths = Lengths(variant.bytes, variant.bytes, tag);
        [export::aead::<Aegis>(name(""), lengths, AEAD), export::digest::<Mac>(name("-mac"), lengths, abi::THREAD_SAFE)]
            .map(|row| Algorithm { data: ptr::from_ref(variant).cast::<c_void>(), kernel, max_bytes: MAX_BYTES, ..row })
    })
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: one thread at a time comes here, and the library's constructor has called it before `main`.
        unsafe { aegis_init() };
        let version = crate_version("aegis");
        let build = "C, -O3 -mtune=native -maes, wider code by run-time detection";
        describe::library("libaegis", version, build, VARIANTS.iter().flat_map(rows).collect())
    })
}

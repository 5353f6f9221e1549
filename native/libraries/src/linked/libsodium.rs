//! libsodium, the detached functions of the source that `libsodium-sys-stable` builds.

use crate::Linked;
use crate::descriptor::{self, DETECTED, c_string, crate_version};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use libsodium_sys as ffi;
use libsodium_sys::{crypto_auth_hmacsha256_state as HmacSha256, crypto_auth_hmacsha512_state as HmacSha512};
use std::ffi::{CStr, c_int, c_void};
use std::mem::{MaybeUninit, size_of};
use std::ptr;
use std::sync::OnceLock;
use zeroize::{Zeroize, Zeroizing};

/// The function that seals with a key of type `K`, and the one that opens.
type SealFn<K> = unsafe extern "C" fn(
    *mut u8,
    *mut u8,
    *mut u64,
    *const u8,
    u64,
    *const u8,
    u64,
    *const u8,
    *const u8,
    *const K,
) -> c_int;
type OpenFn<K> =
    unsafe extern "C" fn(*mut u8, *mut u8, *const u8, u64, *const u8, *const u8, u64, *const u8, *const K) -> c_int;
type XorFn = unsafe extern "C" fn(*mut u8, *const u8, u64, *const u8, *const u8) -> c_int;
type HashFn = unsafe extern "C" fn(*mut u8, *const u8, u64) -> c_int;
type XofFn = unsafe extern "C" fn(*mut u8, usize, *const u8, u64) -> c_int;
type MacFn = unsafe extern "C" fn(*mut u8, *const u8, u64, *const u8) -> c_int;

/// The functions of an algorithm; `data` of a table row points here.
enum Functions {
    Aead { seal: SealFn<u8>, open: OpenFn<u8> },
    Stream(XorFn),
    Hash(HashFn),
    Xof(XofFn),
    Mac(MacFn),
    Blake2b,
}

fn check_status(status: c_int) -> Outcome {
    if status == 0 { Ok(()) } else { Err(Failure::Internal) }
}

/// Initialise the library once, before any other call.
fn init() -> Outcome {
    static STATUS: OnceLock<c_int> = OnceLock::new();
    // SAFETY: it takes no arguments. It returns 0 or 1, or -1 if it failed.
    let status = *STATUS.get_or_init(|| unsafe { ffi::sodium_init() });
    if status < 0 { Err(Failure::Internal) } else { Ok(()) }
}

/// A key and the functions of its algorithm. They take the raw key, so each message includes the key set-up.
struct RawKey {
    functions: &'static Functions,
    key: Zeroizing<Vec<u8>>,
    nonce_bytes: usize,
    max_bytes: u64,
}

impl Keyed for RawKey {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        init()?;
        Ok(Self {
            // SAFETY: `row` builds every table row with this context type, and it stores a leaked `Functions`.
            functions: unsafe { &*algorithm.data.cast() },
            key: Zeroizing::new(key.to_vec()),
            nonce_bytes: algorithm.nonce_bytes as usize,
            max_bytes: algorithm.max_bytes,
        })
    }
}

/// Check the lengths: the library aborts the process if a message is too long.
fn check_lengths(nonce: &[u8], nonce_bytes: usize, bytes: usize, max_bytes: u64) -> Outcome {
    let valid = nonce.len() == nonce_bytes && (max_bytes == 0 || bytes as u64 <= max_bytes);
    if valid { Ok(()) } else { Err(Failure::BadArgument) }
}

/// Seal a message.
///
/// # Safety
/// The key, the nonce and the tag have the lengths of the function.
unsafe fn seal<K>(
    function: SealFn<K>,
    key: *const K,
    nonce: &[u8],
    ad: &[u8],
    message: InOutBuf<'_, '_, u8>,
    tag: &mut [u8],
) -> Outcome {
    let (bytes, ad_bytes, (input, output)) = (message.len() as u64, ad.len() as u64, message.into_raw());
    let (tag, ad, nonce, null) = (tag.as_mut_ptr(), ad.as_ptr(), nonce.as_ptr(), ptr::null());
    // SAFETY: the caller's promise, and all other pointers are valid for the lengths given; in place is allowed.
    check_status(unsafe { function(output, tag, ptr::null_mut(), input, bytes, ad, ad_bytes, null, nonce, key) })
}

/// Open a message.
///
/// # Safety
/// As [`seal`].
unsafe fn open<K>(
    function: OpenFn<K>,
    key: *const K,
    nonce: &[u8],
    ad: &[u8],
    message: InOutBuf<'_, '_, u8>,
    tag: &[u8],
) -> Outcome {
    let (bytes, ad_bytes, (input, output)) = (message.len() as u64, ad.len() as u64, message.into_raw());
    let (tag, ad, nonce, null) = (tag.as_ptr(), ad.as_ptr(), nonce.as_ptr(), ptr::null_mut());
    // SAFETY: as in `seal`.
    let status = unsafe { function(output, null, input, bytes, tag, ad, ad_bytes, nonce, key) };
    check_status(status).map_err(|_| Failure::Authentication)
}

impl export::Aead for RawKey {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let Functions::Aead { seal: function, .. } = *self.functions else { return Err(Failure::Internal) };
        check_lengths(nonce, self.nonce_bytes, message.len(), self.max_bytes)?;
        // SAFETY: the table row states the lengths of the function.
        unsafe { seal(function, self.key.as_ptr(), nonce, ad, message, tag) }
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let Functions::Aead { open: function, .. } = *self.functions else { return Err(Failure::Internal) };
        check_lengths(nonce, self.nonce_bytes, message.len(), self.max_bytes)?;
        // SAFETY: as in `seal`.
        unsafe { open(function, self.key.as_ptr(), nonce, ad, message, tag) }
    }
}

impl export::Cipher for RawKey {
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let Functions::Stream(xor) = self.functions else { return Err(Failure::Internal) };
        let bytes = message.len();
        check_lengths(nonce, self.nonce_bytes, bytes, self.max_bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: key and nonce have the lengths of the table row; in place is allowed.
        check_status(unsafe { xor(output, input, bytes as u64, nonce.as_ptr(), self.key.as_ptr()) })
    }
}

impl export::Digest for RawKey {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let (input, bytes, output) = (message.as_ptr(), message.len() as u64, tag.as_mut_ptr());
        // SAFETY: tag and key have the lengths of the table row, which are the function's own or are passed.
        check_status(unsafe {
            match self.functions {
                Functions::Hash(hash) => hash(output, input, bytes),
                Functions::Xof(xof) => xof(output, tag.len(), input, bytes),
                Functions::Mac(mac) => mac(output, input, bytes, self.key.as_ptr()),
                Functions::Blake2b => {
                    ffi::crypto_generichash_blake2b(output, tag.len(), input, bytes, self.key.as_ptr(), self.key.len())
                }
                Functions::Aead { .. } | Functions::Stream(_) => return Err(Failure::Internal),
            }
        })
    }
}

/// AES-256-GCM with a precomputed key schedule and powers of the hash key.
struct Aes256Gcm {
    state: ffi::crypto_aead_aes256gcm_state,
    max_bytes: u64,
}

impl Keyed for Aes256Gcm {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        init()?;
        let state = ffi::crypto_aead_aes256gcm_state { opaque: [0; 512] };
        let mut context = Self { state, max_bytes: algorithm.max_bytes };
        // SAFETY: the state is aligned by its type, and `key_new` has checked the key's length.
        check_status(unsafe { ffi::crypto_aead_aes256gcm_beforenm(&raw mut context.state, key.as_ptr()) })?;
        Ok(context)
    }
}

impl Drop for Aes256Gcm {
    fn drop(&mut self) {
        self.state.opaque.zeroize();
    }
}

impl export::Aead for Aes256Gcm {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        check_lengths(nonce, 12, message.len(), self.max_bytes)?;
        let function = ffi::crypto_aead_aes256gcm_encrypt_detached_afternm;
        // SAFETY: the table row states the lengths of the function.
        unsafe { seal(function, &raw const self.state, nonce, ad, message, tag) }
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        check_lengths(nonce, 12, message.len(), self.max_bytes)?;
        let function = ffi::crypto_aead_aes256gcm_decrypt_detached_afternm;
        // SAFETY: as in `seal`.
        unsafe { open(function, &raw const self.state, nonce, ad, message, tag) }
    }
}

/// The state of HMAC after the key; each message starts from a copy.
struct Hmac<S: HmacState>(S);

/// A state of HMAC with its functions.
///
/// # Safety
/// A C struct without pointers for which all zeros are a valid value, and the functions of that struct.
unsafe trait HmacState: Copy + Send {
    const INIT: unsafe extern "C" fn(*mut Self, *const u8, usize) -> c_int;
    const UPDATE: unsafe extern "C" fn(*mut Self, *const u8, u64) -> c_int;
    const FINISH: unsafe extern "C" fn(*mut Self, *mut u8) -> c_int;
}

// SAFETY: integers and arrays of them.
unsafe impl HmacState for HmacSha256 {
    const INIT: unsafe extern "C" fn(*mut Self, *const u8, usize) -> c_int = ffi::crypto_auth_hmacsha256_init;
    const UPDATE: unsafe extern "C" fn(*mut Self, *const u8, u64) -> c_int = ffi::crypto_auth_hmacsha256_update;
    const FINISH: unsafe extern "C" fn(*mut Self, *mut u8) -> c_int = ffi::crypto_auth_hmacsha256_final;
}

// SAFETY: integers and arrays of them.
unsafe impl HmacState for HmacSha512 {
    const INIT: unsafe extern "C" fn(*mut Self, *const u8, usize) -> c_int = ffi::crypto_auth_hmacsha512_init;
    const UPDATE: unsafe extern "C" fn(*mut Self, *const u8, u64) -> c_int = ffi::crypto_auth_hmacsha512_update;
    const FINISH: unsafe extern "C" fn(*mut Self, *mut u8) -> c_int = ffi::crypto_auth_hmacsha512_final;
}

impl<S: HmacState> Keyed for Hmac<S> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        init()?;
        // SAFETY: the trait's promise.
        let mut context = Self(unsafe { MaybeUninit::<S>::zeroed().assume_init() });
        // SAFETY: the key is valid for its length, and any length is allowed.
        check_status(unsafe { S::INIT(&raw mut context.0, key.as_ptr(), key.len()) })?;
        Ok(context)
    }
}

impl<S: HmacState> export::Digest for Hmac<S> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut state = self.0;
        // SAFETY: `tag` has the length of the hash. The last call wipes the copy.
        check_status(unsafe {
            S::UPDATE(&raw mut state, message.as_ptr(), message.len() as u64)
                | S::FINISH(&raw mut state, tag.as_mut_ptr())
        })
    }
}

impl<S: HmacState> Drop for Hmac<S> {
    fn drop(&mut self) {
        // SAFETY: the state is valid for its size.
        unsafe { ffi::sodium_memzero((&raw mut self.0).cast(), size_of::<S>()) }
    }
}

/// A CPU feature that the library detects, and its name.
type Feature = (unsafe extern "C" fn() -> c_int, &'static str);
const AVX512: Feature = (ffi::sodium_runtime_has_avx512f, "AVX-512");
const AVX2: Feature = (ffi::sodium_runtime_has_avx2, "AVX2");
const SSE41: Feature = (ffi::sodium_runtime_has_sse41, "SSE4.1");
const SSSE3: Feature = (ffi::sodium_runtime_has_ssse3, "SSSE3");
const SSE2: Feature = (ffi::sodium_runtime_has_sse2, "SSE2");
const ARM: Feature = (ffi::sodium_runtime_has_armcrypto, "Arm AES");
const AES: Feature = (has_aes_and_avx, "AES-NI, AVX");

unsafe extern "C" fn has_aes_and_avx() -> c_int {
    // SAFETY: both take no arguments and read the features that `sodium_init` detected.
    unsafe { ffi::sodium_runtime_has_aesni() & ffi::sodium_runtime_has_avx() }
}

// The code paths of each family, in the library's order of preference. It does not report its choice, which is the
// first whose feature it has detected.
const CHACHA: &[Feature] = &[AVX512, AVX2, SSSE3];
const SALSA: &[Feature] = &[AVX512, AVX2, SSE2];
const POLY: &[Feature] = &[SSE2];
const BLAKE2B: &[Feature] = &[AVX2, SSE41, SSSE3];
const AEGIS: &[Feature] = &[ARM, AES];
const PORTABLE: &[Feature] = &[];

fn row(algorithm: Algorithm, functions: Functions, paths: &[Feature]) -> Algorithm {
    // SAFETY: the functions take no arguments and read the features that `sodium_init` detected.
    let path = paths.iter().find(|(has, _)| unsafe { has() } != 0);
    Algorithm {
        data: ptr::from_ref(Box::leak(Box::new(functions))).cast::<c_void>(),
        kernel: path.map_or(ptr::null(), |(_, name)| c_string(name).as_ptr()),
        ..algorithm
    }
}

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE;
const AEAD: u64 = FLAGS | abi::OPEN_COMPUTES_TAG;

fn aeads() -> Vec<Algorithm> {
    let aead = |name, lengths, max_bytes: unsafe extern "C" fn() -> usize, seal, open, paths| {
        // SAFETY: it takes no arguments and returns a constant.
        let max_bytes = unsafe { max_bytes() } as u64;
        let functions = Functions::Aead { seal, open };
        row(Algorithm { max_bytes, ..export::aead::<RawKey>(name, lengths, AEAD) }, functions, paths)
    };
    let mut rows = vec![
        aead(
            c"chacha20-poly1305",
            Lengths(32, 12, 16),
            ffi::crypto_aead_chacha20poly1305_ietf_messagebytes_max,
            ffi::crypto_aead_chacha20poly1305_ietf_encrypt_detached,
            ffi::crypto_aead_chacha20poly1305_ietf_decrypt_detached,
            CHACHA,
        ),
        aead(
            c"xchacha20-poly1305",
            Lengths(32, 24, 16),
            ffi::crypto_aead_xchacha20poly1305_ietf_messagebytes_max,
            ffi::crypto_aead_xchacha20poly1305_ietf_encrypt_detached,
            ffi::crypto_aead_xchacha20poly1305_ietf_decrypt_detached,
            CHACHA,
        ),
        aead(
            c"aegis-128l-tag256",
            Lengths(16, 16, 32),
            ffi::crypto_aead_aegis128l_messagebytes_max,
            ffi::crypto_aead_aegis128l_encrypt_detached,
            ffi::crypto_aead_aegis128l_decrypt_detached,
            AEGIS,
        ),
        aead(
            c"aegis-256-tag256",
            Lengths(32, 32, 32),
            ffi::crypto_aead_aegis256_messagebytes_max,
            ffi::crypto_aead_aegis256_encrypt_detached,
            ffi::crypto_aead_aegis256_decrypt_detached,
            AEGIS,
        ),
    ];
    // SAFETY: both take no arguments.
    let (available, max_bytes) =
        unsafe { (ffi::crypto_aead_aes256gcm_is_available(), ffi::crypto_aead_aes256gcm_messagebytes_max()) };
    // The library has no portable code for AES-256-GCM.
    if available != 0 {
        rows.push(Algorithm {
            max_bytes: max_bytes as u64,
            kernel: c_string(if cfg!(target_arch = "x86_64") { "AES-NI, PCLMUL, AVX" } else { ARM.1 }).as_ptr(),
            ..export::aead::<Aes256Gcm>(c"aes-256-gcm", Lengths(32, 12, 16), AEAD)
        });
    }
    rows
}

fn ciphers() -> Vec<Algorithm> {
    // The 32-bit block counter of RFC 8439.
    const COUNTER_32: u64 = 64 << 32;
    let table: [(&'static CStr, u32, u64, XorFn, &[Feature]); 6] = [
        (c"chacha20", 12, COUNTER_32, ffi::crypto_stream_chacha20_ietf_xor, CHACHA),
        (c"xchacha20", 24, 0, ffi::crypto_stream_xchacha20_xor, CHACHA),
        (c"salsa20", 8, 0, ffi::crypto_stream_salsa20_xor, SALSA),
        (c"xsalsa20", 24, 0, ffi::crypto_stream_xsalsa20_xor, SALSA),
        (c"salsa20-12", 8, 0, ffi::crypto_stream_salsa2012_xor, PORTABLE),
        (c"salsa20-8", 8, 0, ffi::crypto_stream_salsa208_xor, PORTABLE),
    ];
    table
        .into_iter()
        .map(|(name, nonce, max_bytes, xor, paths)| {
            let cipher = export::cipher::<RawKey>(name, Lengths(32, nonce, 0), FLAGS);
            row(Algorithm { max_bytes, ..cipher }, Functions::Stream(xor), paths)
        })
        .collect()
}

fn digests() -> Vec<Algorithm> {
    use Functions::{Blake2b, Hash, Mac, Xof};
    let digest = |name, key, tag, functions, paths| {
        row(export::digest::<RawKey>(name, Lengths(key, 0, tag), abi::THREAD_SAFE), functions, paths)
    };
    let poly1305 = digest(c"poly1305", 32, 16, Mac(ffi::crypto_onetimeauth_poly1305), POLY);
    vec![
        digest(c"sha-256", 0, 32, Hash(ffi::crypto_hash_sha256), PORTABLE),
        digest(c"sha-512", 0, 64, Hash(ffi::crypto_hash_sha512), PORTABLE),
        digest(c"sha3-256", 0, 32, Hash(ffi::crypto_hash_sha3256), PORTABLE),
        digest(c"sha3-512", 0, 64, Hash(ffi::crypto_hash_sha3512), PORTABLE),
        digest(c"shake-128", 0, 32, Xof(ffi::crypto_xof_shake128), PORTABLE),
        digest(c"shake-256", 0, 64, Xof(ffi::crypto_xof_shake256), PORTABLE),
        digest(c"blake2b-256", 0, 32, Blake2b, BLAKE2B),
        digest(c"blake2b-512", 0, 64, Blake2b, BLAKE2B),
        digest(c"blake2b-keyed", 32, 64, Blake2b, BLAKE2B),
        digest(c"siphash-2-4", 16, 8, Mac(ffi::crypto_shorthash_siphash24), PORTABLE),
        Algorithm { flags: poly1305.flags | abi::UNIVERSAL_HASH, ..poly1305 },
        export::digest::<Hmac<HmacSha256>>(c"hmac-sha-256", Lengths(32, 0, 32), abi::THREAD_SAFE),
        export::digest::<Hmac<HmacSha512>>(c"hmac-sha-512", Lengths(64, 0, 64), abi::THREAD_SAFE),
    ]
}

/// The library.
pub(crate) fn library() -> Linked {
    // The kernels of the rows depend on it. Each context reports its failure.
    let _ = init();
    // SAFETY: it returns a static C string.
    let version = unsafe { CStr::from_ptr(ffi::sodium_version_string()) }.to_str().unwrap_or_default();
    let build = format!("libsodium-sys-stable {}, the library's own options", crate_version("libsodium-sys-stable"));
    descriptor::library("libsodium", version, &build, DETECTED, [aeads(), ciphers(), digests()].concat())
}

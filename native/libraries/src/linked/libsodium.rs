//! libsodium, built from the source that `libsodium-sys-stable` carries; its detached functions.

use crate::describe::{self, crate_version};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use libsodium_sys as ffi;
use std::ffi::{CStr, c_int, c_void};
use std::mem::{MaybeUninit, size_of};
use std::ptr;
use std::sync::OnceLock;
use zeroize::{Zeroize, Zeroizing};

type SealFn = unsafe extern "C" fn(
    *mut u8,
    *mut u8,
    *mut u64,
    *const u8,
    u64,
    *const u8,
    u64,
    *const u8,
    *const u8,
    *const u8,
) -> c_int;
type OpenFn =
    unsafe extern "C" fn(*mut u8, *mut u8, *const u8, u64, *const u8, *const u8, u64, *const u8, *const u8) -> c_int;
type XorFn = unsafe extern "C" fn(*mut u8, *const u8, u64, *const u8, *const u8) -> c_int;
type HashFn = unsafe extern "C" fn(*mut u8, *const u8, u64) -> c_int;
type XofFn = unsafe extern "C" fn(*mut u8, usize, *const u8, u64) -> c_int;
type MacFn = unsafe extern "C" fn(*mut u8, *const u8, u64, *const u8) -> c_int;

/// What a row's `data` points to: the functions of its algorithm.
enum Functions {
    Aead { seal: SealFn, open: OpenFn },
    Stream(XorFn),
    Hash(HashFn),
    Xof(XofFn),
    Mac(MacFn),
    Blake2b,
}

fn succeeded(status: c_int) -> Outcome {
    if status == 0 { Ok(()) } else { Err(Failure::Internal) }
}

/// Chooses the code paths; must come before any other call, and once.
fn ready() -> Outcome {
    static STATUS: OnceLock<c_int> = OnceLock::new();
    // SAFETY: no arguments; 0 is done now, 1 was done before, -1 failed.
    let status = *STATUS.get_or_init(|| unsafe { ffi::sodium_init() });
    if status < 0 { Err(Failure::Internal) } else { Ok(()) }
}

/// A key with the functions of its row. The library sets up a key anew for each message: its functions take the key
/// itself.
struct Plain {
    functions: &'static Functions,
    key: Zeroizing<Vec<u8>>,
    nonce_bytes: usize,
    max_bytes: u64,
}

impl Keyed for Plain {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        ready()?;
        Ok(Self {
            // SAFETY: every row with this type is made by `row`, which stores a leaked `Functions`.
            functions: unsafe { &*algorithm.data.cast() },
            key: Zeroizing::new(key.to_vec()),
            nonce_bytes: algorithm.nonce_bytes as usize,
            max_bytes: algorithm.max_bytes,
        })
    }
}

/// The library aborts the process on messages that are too long, so they must not reach it.
fn check(nonce: &[u8], nonce_bytes: usize, bytes: usize, max_bytes: u64) -> Outcome {
    let fits = max_bytes == 0 || bytes as u64 <= max_bytes;
    if nonce.len() == nonce_bytes && fits { Ok(()) } else { Err(Failure::BadArgument) }
}

impl export::Aead for Plain {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let Functions::Aead { seal, .. } = self.functions else { return Err(Failure::Internal) };
        let bytes = message.len();
        check(nonce, self.nonce_bytes, bytes, self.max_bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: all pointers are valid for the lengths given or stated in the row; in place is allowed.
        succeeded(unsafe {
            seal(
                output,
                tag.as_mut_ptr(),
                ptr::null_mut(),
                input,
                bytes as u64,
                ad.as_ptr(),
                ad.len() as u64,
                ptr::null(),
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        })
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let Functions::Aead { open, .. } = self.functions else { return Err(Failure::Internal) };
        let bytes = message.len();
        check(nonce, self.nonce_bytes, bytes, self.max_bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: as in `seal`.
        succeeded(unsafe {
            open(
                output,
                ptr::null_mut(),
                input,
                bytes as u64,
                tag.as_ptr(),
                ad.as_ptr(),
                ad.len() as u64,
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        })
        .map_err(|_| Failure::Authentication)
    }
}

impl export::Cipher for Plain {
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let Functions::Stream(xor) = self.functions else { return Err(Failure::Internal) };
        let bytes = message.len();
        check(nonce, self.nonce_bytes, bytes, self.max_bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: as in `seal`.
        succeeded(unsafe { xor(output, input, bytes as u64, nonce.as_ptr(), self.key.as_ptr()) })
    }

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.encrypt(nonce, message)
    }
}

impl export::Digest for Plain {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let (input, bytes, output) = (message.as_ptr(), message.len() as u64, tag.as_mut_ptr());
        // SAFETY: `tag` has the row's length, which is the function's own or is passed; so has the key.
        succeeded(unsafe {
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

/// AES-256-GCM with the expanded key and the powers of the hash key made once.
struct Aes256Gcm {
    state: ffi::crypto_aead_aes256gcm_state,
    max_bytes: u64,
}

impl Keyed for Aes256Gcm {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        ready()?;
        let mut made =
            Self { state: ffi::crypto_aead_aes256gcm_state { opaque: [0; 512] }, max_bytes: algorithm.max_bytes };
        // SAFETY: the state is aligned by its type, and `key_new` has checked the key's length.
        succeeded(unsafe { ffi::crypto_aead_aes256gcm_beforenm(&raw mut made.state, key.as_ptr()) })?;
        Ok(made)
    }
}

impl Drop for Aes256Gcm {
    fn drop(&mut self) {
        self.state.opaque.zeroize();
    }
}

impl export::Aead for Aes256Gcm {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let bytes = message.len();
        check(nonce, 12, bytes, self.max_bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: as in `Plain::seal`.
        succeeded(unsafe {
            ffi::crypto_aead_aes256gcm_encrypt_detached_afternm(
                output,
                tag.as_mut_ptr(),
                ptr::null_mut(),
                input,
                bytes as u64,
                ad.as_ptr(),
                ad.len() as u64,
                ptr::null(),
                nonce.as_ptr(),
                &raw const self.state,
            )
        })
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let bytes = message.len();
        check(nonce, 12, bytes, self.max_bytes)?;
        let (input, output) = message.into_raw();
        // SAFETY: as in `Plain::seal`.
        succeeded(unsafe {
            ffi::crypto_aead_aes256gcm_decrypt_detached_afternm(
                output,
                ptr::null_mut(),
                input,
                bytes as u64,
                tag.as_ptr(),
                ad.as_ptr(),
                ad.len() as u64,
                nonce.as_ptr(),
                &raw const self.state,
            )
        })
        .map_err(|_| Failure::Authentication)
    }
}

/// An HMAC whose state after the key is copied for each message.
struct Hmac<S: HmacState>(S);

/// # Safety
/// A plain C struct without pointers, which all zeros is a value of, and the functions that go with it.
unsafe trait HmacState: Copy + Send {
    const INIT: unsafe extern "C" fn(*mut Self, *const u8, usize) -> c_int;
    const UPDATE: unsafe extern "C" fn(*mut Self, *const u8, u64) -> c_int;
    const FINISH: unsafe extern "C" fn(*mut Self, *mut u8) -> c_int;
}

// SAFETY: integers and arrays of them.
unsafe impl HmacState for ffi::crypto_auth_hmacsha256_state {
    const INIT: unsafe extern "C" fn(*mut Self, *const u8, usize) -> c_int = ffi::crypto_auth_hmacsha256_init;
    const UPDATE: unsafe extern "C" fn(*mut Self, *const u8, u64) -> c_int = ffi::crypto_auth_hmacsha256_update;
    const FINISH: unsafe extern "C" fn(*mut Self, *mut u8) -> c_int = ffi::crypto_auth_hmacsha256_final;
}

// SAFETY: integers and arrays of them.
unsafe impl HmacState for ffi::crypto_auth_hmacsha512_state {
    const INIT: unsafe extern "C" fn(*mut Self, *const u8, usize) -> c_int = ffi::crypto_auth_hmacsha512_init;
    const UPDATE: unsafe extern "C" fn(*mut Self, *const u8, u64) -> c_int = ffi::crypto_auth_hmacsha512_update;
    const FINISH: unsafe extern "C" fn(*mut Self, *mut u8) -> c_int = ffi::crypto_auth_hmacsha512_final;
}

impl<S: HmacState> Keyed for Hmac<S> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        ready()?;
        // SAFETY: the trait's promise.
        let mut made = Self(unsafe { MaybeUninit::<S>::zeroed().assume_init() });
        // SAFETY: the key is valid for its length, of which any is taken.
        succeeded(unsafe { S::INIT(&raw mut made.0, key.as_ptr(), key.len()) })?;
        Ok(made)
    }
}

impl<S: HmacState> export::Digest for Hmac<S> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut state = self.0;
        // SAFETY: `tag` has the hash's length by the row. The last call wipes the copy.
        succeeded(unsafe {
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

/// A feature that the library looks for, and its name.
type Feature = (unsafe extern "C" fn() -> c_int, &'static str);
const AVX512: Feature = (ffi::sodium_runtime_has_avx512f, "AVX-512");
const AVX2: Feature = (ffi::sodium_runtime_has_avx2, "AVX2");
const SSE41: Feature = (ffi::sodium_runtime_has_sse41, "SSE4.1");
const SSSE3: Feature = (ffi::sodium_runtime_has_ssse3, "SSSE3");
const SSE2: Feature = (ffi::sodium_runtime_has_sse2, "SSE2");
const ARM: Feature = (ffi::sodium_runtime_has_armcrypto, "Arm AES");
const AES: Feature = (has_aes_and_avx, "AES-NI, AVX");

unsafe extern "C" fn has_aes_and_avx() -> c_int {
    // SAFETY: both take nothing and read what `sodium_init` found.
    unsafe { ffi::sodium_runtime_has_aesni() & ffi::sodium_runtime_has_avx() }
}

/// The code paths of each family, in the order in which the library prefers them. It does not say which it took, but
/// takes the first whose feature it found.
const CHACHA: &[Feature] = &[AVX512, AVX2, SSSE3];
const SALSA: &[Feature] = &[AVX512, AVX2, SSE2];
const POLY: &[Feature] = &[SSE2];
const BLAKE2B: &[Feature] = &[AVX2, SSE41, SSSE3];
const AEGIS: &[Feature] = &[ARM, AES];
const PORTABLE: &[Feature] = &[];

fn row(algorithm: Algorithm, functions: Functions, paths: &[Feature]) -> Algorithm {
    // SAFETY: the functions take nothing and read what `sodium_init` found.
    let path = paths.iter().find(|(has, _)| unsafe { has() } != 0);
    Algorithm {
        data: ptr::from_ref(Box::leak(Box::new(functions))).cast::<c_void>(),
        kernel: path.map_or(ptr::null(), |(_, name)| describe::text(name).as_ptr()),
        ..algorithm
    }
}

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE;
const AEAD: u64 = FLAGS | abi::OPEN_COMPUTES_TAG;

fn aeads() -> Vec<Algorithm> {
    let aead = |name, lengths, longest: unsafe extern "C" fn() -> usize, seal, open, paths| {
        // SAFETY: takes nothing, returns a constant.
        let max_bytes = unsafe { longest() } as u64;
        let functions = Functions::Aead { seal, open };
        row(Algorithm { max_bytes, ..export::aead::<Plain>(name, lengths, AEAD) }, functions, paths)
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
    // SAFETY: both take nothing.
    let (available, longest) =
        unsafe { (ffi::crypto_aead_aes256gcm_is_available(), ffi::crypto_aead_aes256gcm_messagebytes_max()) };
    // There is no portable code for it.
    if available != 0 {
        rows.push(Algorithm {
            max_bytes: longest as u64,
            kernel: describe::text(if cfg!(target_arch = "x86_64") { "AES-NI, PCLMUL, AVX" } else { ARM.1 }).as_ptr(),
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
            let cipher = export::cipher::<Plain>(name, Lengths(32, nonce, 0), FLAGS);
            row(Algorithm { max_bytes, ..cipher }, Functions::Stream(xor), paths)
        })
        .collect()
}

fn digests() -> Vec<Algorithm> {
    use Functions::{Blake2b, Hash, Mac, Xof};
    let digest = |name, key, tag, functions, paths| {
        row(export::digest::<Plain>(name, Lengths(key, 0, tag), abi::THREAD_SAFE), functions, paths)
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
        export::digest::<Hmac<ffi::crypto_auth_hmacsha256_state>>(
            c"hmac-sha-256",
            Lengths(32, 0, 32),
            abi::THREAD_SAFE,
        ),
        export::digest::<Hmac<ffi::crypto_auth_hmacsha512_state>>(
            c"hmac-sha-512",
            Lengths(64, 0, 64),
            abi::THREAD_SAFE,
        ),
    ]
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // What the rows say about kernels is known only afterwards; contexts ask whether it worked.
        let _ = ready();
        // SAFETY: a static C string.
        let version = unsafe { CStr::from_ptr(ffi::sodium_version_string()) }.to_str().unwrap_or_default();
        let build =
            format!("libsodium-sys-stable {}, the library's own options", crate_version("libsodium-sys-stable"));
        describe::library("libsodium", version, &build, [aeads(), ciphers(), digests()].concat())
    })
}

//! MGM (RFC 9058) of RustCrypto behind `aeadlab.h`.
//!
//! The crate works in place only, so a message that is not in place is copied first, and that is part of its time.

use aeadlab_abi::{self as abi, Algorithm, Library};
use kuznyechik::Kuznyechik;
use magma::Magma;
use mgm::Mgm;
use mgm::aead::consts::U32;
use mgm::aead::generic_array::typenum::Unsigned;
use mgm::aead::{AeadCore, AeadInPlace, NewAead};
use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::{ptr, slice};

/// MGM with either cipher. What it is goes into the context as it is, and holds its keys itself.
trait Aead: AeadInPlace + NewAead<KeySize = U32> + Send {}

impl<T: AeadInPlace + NewAead<KeySize = U32> + Send> Aead for T {}

/// RFC 9058 section 4.1: associated data and message together are under 2^(n/2) bits, n those of block and nonce.
const fn max_bytes<A: AeadCore>() -> u64 {
    (1 << (4 * A::NonceSize::U32 - 3)) - 1
}

/// Whether the algorithm takes a nonce and lengths. A nonce has n-1 bits: the first of its octets is clear.
fn taken<A: AeadCore>(nonce: &[u8], ad_bytes: usize, bytes: usize) -> bool {
    let right = nonce.len() == A::NonceSize::USIZE && nonce[0] >> 7 == 0;
    right && (ad_bytes as u64).checked_add(bytes as u64).is_some_and(|total| total <= max_bytes::<A>())
}

/// The status of a call. No panic crosses the boundary.
fn guarded(call: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(abi::INTERNAL)
}

/// # Safety
/// `from` is valid for `bytes`, or `bytes` is 0.
unsafe fn octets<'a>(from: *const u8, bytes: usize) -> &'a [u8] {
    // SAFETY: the caller's promise; a slice of nothing needs a pointer that is not null.
    if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(from, bytes) } }
}

/// The output, with the input in it. There is no slice of the input: it may be the same memory.
///
/// # Safety
/// Both are valid for `bytes` and equal or apart, or `bytes` is 0; nothing else refers to the output.
unsafe fn in_place<'a>(input: *const u8, bytes: usize, output: *mut u8) -> &'a mut [u8] {
    if bytes == 0 {
        return &mut [];
    }
    if !ptr::eq(input, output) {
        // SAFETY: the caller's promise.
        unsafe { ptr::copy_nonoverlapping(input, output, bytes) };
    }
    // SAFETY: the caller's promise, and initialised.
    unsafe { slice::from_raw_parts_mut(output, bytes) }
}

unsafe extern "C" fn key_new<A: Aead>(
    _: *const Algorithm,
    key: *const u8,
    bytes: usize,
    made: *mut *mut c_void,
) -> i32 {
    guarded(|| {
        if bytes != A::KeySize::USIZE {
            return abi::BAD_ARGUMENT;
        }
        // SAFETY: the host's promise in the header.
        let key = unsafe { octets(key, bytes) };
        let context = Box::new(A::new(key.into()));
        // SAFETY: the host passes a place for the result.
        unsafe { made.write(Box::into_raw(context).cast()) };
        abi::OK
    })
}

/// The crates wipe nothing, so the memory is wiped here before it is given back.
unsafe extern "C" fn key_free<A: Aead>(context: *mut c_void) {
    guarded(|| {
        // SAFETY: from `key_new::<A>` and passed once; nothing that was `A` is used after its drop.
        unsafe {
            ptr::drop_in_place(context.cast::<A>());
            for at in 0..size_of::<A>() {
                // Volatile, or it would be optimised away.
                context.cast::<u8>().add(at).write_volatile(0);
            }
            drop(Box::from_raw(context.cast::<MaybeUninit<A>>()));
        }
        abi::OK
    });
}

unsafe extern "C" fn seal<A: Aead>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    guarded(|| {
        // SAFETY: the context came from `key_new::<A>`; the rest are the host's promises in the header.
        let (aead, nonce, ad) = unsafe { (&*context.cast::<A>(), octets(nonce, nonce_bytes), octets(ad, ad_bytes)) };
        // RFC 9058 wants one or the other. The crate would go on, to a tag that is the same for every nonce.
        if !taken::<A>(nonce, ad_bytes, bytes) || ad_bytes == 0 && bytes == 0 {
            return abi::BAD_ARGUMENT;
        }
        // SAFETY: the host's promises in the header.
        let message = unsafe { in_place(input, bytes, output) };
        match aead.encrypt_in_place_detached(nonce.into(), ad, message) {
            Ok(sealed) => {
                // SAFETY: the host's tag is as long as the descriptor says, and apart from the tag made.
                unsafe { ptr::copy_nonoverlapping(sealed.as_ptr(), tag, sealed.len()) };
                abi::OK
            }
            Err(_) => abi::INTERNAL,
        }
    })
}

unsafe extern "C" fn open<A: Aead>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *const u8,
) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let (aead, nonce, ad) = unsafe { (&*context.cast::<A>(), octets(nonce, nonce_bytes), octets(ad, ad_bytes)) };
        if !taken::<A>(nonce, ad_bytes, bytes) {
            return abi::BAD_ARGUMENT;
        }
        // Nothing was ever sealed so: whatever the tag is, it is a forgery.
        if ad_bytes == 0 && bytes == 0 {
            return abi::AUTH_FAILED;
        }
        // SAFETY: as in `seal`; the tag is as long as the descriptor says.
        let (message, tag) = unsafe { (in_place(input, bytes, output), octets(tag, A::TagSize::USIZE)) };
        // All else that it could refuse is found out above.
        match aead.decrypt_in_place_detached(nonce.into(), ad, message, tag.into()) {
            Ok(()) => abi::OK,
            Err(_) => abi::AUTH_FAILED,
        }
    })
}

fn row<A: Aead>(name: &'static CStr, kernel: *const c_char) -> Algorithm {
    Algorithm {
        name: name.as_ptr(),
        kernel,
        flags: abi::IN_PLACE | abi::THREAD_SAFE | abi::OPEN_COMPUTES_TAG,
        key_bytes: A::KeySize::U32,
        nonce_bytes: A::NonceSize::U32,
        tag_bytes: A::TagSize::U32,
        max_bytes: max_bytes::<A>(),
        key_new: Some(key_new::<A>),
        key_free: Some(key_free::<A>),
        seal: Some(seal::<A>),
        open: Some(open::<A>),
        ..Algorithm::empty(abi::AEAD)
    }
}

/// A text of constants, as C has it.
macro_rules! text {
    ($($part:expr),+) => {
        concat!($($part),+, "\0").as_ptr().cast::<c_char>()
    };
}

/// Whether `mgm` multiplies with the CPU's instruction: it looks for these itself.
#[cfg(target_arch = "x86_64")]
fn clmul() -> bool {
    std::is_x86_feature_detected!("pclmulqdq") && std::is_x86_feature_detected!("ssse3")
}

#[cfg(not(target_arch = "x86_64"))]
fn clmul() -> bool {
    false
}

/// Crates, and what they run: `mgm` chooses by CPU, `kuznyechik` was chosen when it was compiled, `magma` has no choice.
fn kernels() -> [*const c_char; 2] {
    let kuznyechik = match (clmul(), cfg!(target_arch = "x86_64")) {
        (true, _) => text!(env!("MGM"), ", ", env!("KUZNYECHIK"), ": CLMUL, SSE2"),
        (false, true) => text!(env!("MGM"), ", ", env!("KUZNYECHIK"), ": soft, SSE2"),
        (false, false) => text!(env!("MGM"), ", ", env!("KUZNYECHIK"), ": soft"),
    };
    let magma = if clmul() {
        text!(env!("MGM"), ", ", env!("MAGMA"), ": CLMUL")
    } else {
        text!(env!("MGM"), ", ", env!("MAGMA"), ": soft")
    };
    [kuznyechik, magma]
}

fn library() -> &'static Library {
    static ALGORITHMS: OnceLock<[Algorithm; 2]> = OnceLock::new();
    static POINTERS: OnceLock<[&Algorithm; 2]> = OnceLock::new();
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let [kuznyechik, magma] = ALGORITHMS.get_or_init(|| {
        let [kuznyechik, magma] = kernels();
        [row::<Mgm<Kuznyechik>>(c"kuznyechik-mgm", kuznyechik), row::<Mgm<Magma>>(c"magma-mgm", magma)]
    });
    let pointers = POINTERS.get_or_init(|| [kuznyechik, magma]);
    LIBRARY.get_or_init(|| Library {
        abi_version: abi::ABI_VERSION,
        reserved: 0,
        struct_size: size_of::<Library>(),
        name: c"rustcrypto-mgm".as_ptr(),
        version: text!(env!("MGM")),
        build: text!(env!("BUILD")),
        algorithm_count: pointers.len(),
        algorithms: pointers.as_ptr().cast(),
    })
}

/// `aeadlab_library_v1` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_library_v1() -> *const Library {
    library()
}

//! MGM (RFC 9058) of RustCrypto behind `aeadlab.h`.
//!
//! The crate works in place only, so a message with a separate output is copied there first.

use aeadlab_abi::{self as abi, Algorithm, Library};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome, Wiped, aead};
use kuznyechik::Kuznyechik;
use magma::Magma;
use mgm::Mgm;
use mgm::aead::consts::U32;
use mgm::aead::generic_array::typenum::Unsigned;
use mgm::aead::{AeadCore, AeadInPlace, NewAead};
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

const FLAGS: u64 = abi::IN_PLACE | abi::THREAD_SAFE | abi::OPEN_COMPUTES_TAG;

/// RFC 9058 section 4.1: associated data and message together have less than 2^(n/2) bits, where n is the block size.
const fn max_bytes<A: AeadCore>() -> u64 {
    (1 << (4 * A::NonceSize::U32 - 3)) - 1
}

/// MGM with either cipher. The crates do not wipe their keys.
struct Context<A>(Wiped<A>);

impl<A: NewAead<KeySize = U32> + Send> Keyed for Context<A> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(Wiped::new(A::new(key.into()))))
    }
}

/// Check nonce and lengths. A nonce has n-1 bits, so its first bit is 0.
fn check_lengths<A: AeadCore>(nonce: &[u8], ad: &[u8], bytes: usize) -> Outcome {
    let valid = nonce.len() == A::NonceSize::USIZE && nonce[0] >> 7 == 0;
    let total = (ad.len() as u64).checked_add(bytes as u64);
    if valid && total.is_some_and(|total| total <= max_bytes::<A>()) { Ok(()) } else { Err(Failure::BadArgument) }
}

impl<A: AeadInPlace + NewAead<KeySize = U32> + Send> Aead for Context<A> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        check_lengths::<A>(nonce, ad, message.len())?;
        // RFC 9058 requires one of them. The crate would compute a tag that is the same for every nonce.
        if ad.is_empty() && message.is_empty() {
            return Err(Failure::BadArgument);
        }
        let sealed = self.0.encrypt_in_place_detached(nonce.into(), ad, message.into_out_with_copied_in());
        tag.copy_from_slice(&sealed.map_err(|_| Failure::Internal)?);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        check_lengths::<A>(nonce, ad, message.len())?;
        // `seal` rejects this message, so every tag is a forgery.
        if ad.is_empty() && message.is_empty() {
            return Err(Failure::Authentication);
        }
        // The other errors of the crate are excluded by the checks above.
        self.0
            .decrypt_in_place_detached(nonce.into(), ad, message.into_out_with_copied_in(), tag.into())
            .map_err(|_| Failure::Authentication)
    }
}

fn row<A: AeadInPlace + NewAead<KeySize = U32> + Send>(name: &'static CStr, kernel: *const c_char) -> Algorithm {
    let lengths = Lengths(A::KeySize::U32, A::NonceSize::U32, A::TagSize::U32);
    let max_bytes = max_bytes::<A>();
    let max_ad_bytes = u32::try_from(max_bytes).unwrap_or(0);
    Algorithm { kernel, max_bytes, max_ad_bytes, ..aead::<Context<A>>(name, lengths, FLAGS) }
}

/// Concatenate constants to a C string.
macro_rules! c_string {
    ($($part:expr),+) => {
        concat!($($part),+, "\0").as_ptr().cast::<c_char>()
    };
}

/// Return whether `mgm` multiplies with the CPU's instruction; these are the features that it detects.
#[cfg(target_arch = "x86_64")]
fn clmul() -> bool {
    std::is_x86_feature_detected!("pclmulqdq") && std::is_x86_feature_detected!("ssse3")
}

#[cfg(not(target_arch = "x86_64"))]
fn clmul() -> bool {
    false
}

/// Return the crates and their code paths: `mgm` selects by CPU, `kuznyechik` at compile time, `magma` has one.
fn kernels() -> [*const c_char; 2] {
    let kuznyechik = match (clmul(), cfg!(target_arch = "x86_64")) {
        (true, _) => c_string!(env!("MGM"), ", ", env!("KUZNYECHIK"), ": CLMUL, SSE2"),
        (false, true) => c_string!(env!("MGM"), ", ", env!("KUZNYECHIK"), ": soft, SSE2"),
        (false, false) => c_string!(env!("MGM"), ", ", env!("KUZNYECHIK"), ": soft"),
    };
    let magma = if clmul() {
        c_string!(env!("MGM"), ", ", env!("MAGMA"), ": CLMUL")
    } else {
        c_string!(env!("MGM"), ", ", env!("MAGMA"), ": soft")
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
        version: c_string!(env!("MGM")),
        build: c_string!(env!("BUILD")),
        algorithm_count: pointers.len(),
        algorithms: pointers.as_ptr().cast(),
    })
}

/// `aeadlab_library_v1` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_library_v1() -> *const Library {
    library()
}

/// `aeadlab_feature_switch` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_feature_switch(_: *const c_char) -> *const c_char {
    c"none: it detects CPU features itself and reads no setting".as_ptr()
}

//! OpenSSL, the vendored 3.6 line, through EVP.

use crate::describe;
use crate::export::{Aead, Digest, Failure, Keyed, Lengths, Outcome, aead, digest};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use openssl_sys as ffi;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

unsafe extern "C" {
    fn OPENSSL_info(kind: c_int) -> *const c_char;
}
const OPENSSL_INFO_CPU_SETTINGS: c_int = 1008;

/// EVP takes lengths as `int`; a multiple of every block size, so that pieces do not change the result.
const PIECE: usize = 1 << 30;

fn succeeded(status: c_int) -> Outcome {
    if status == 1 { Ok(()) } else { Err(Failure::Internal) }
}

/// The EVP name of a row, which the row's `data` points to.
fn evp_name(algorithm: &Algorithm) -> &'static CStr {
    // SAFETY: every row of this file is made by `row`, which stores a static C string.
    unsafe { CStr::from_ptr(algorithm.data.cast()) }
}

fn row(algorithm: Algorithm, evp: &'static CStr) -> Algorithm {
    Algorithm { data: evp.as_ptr().cast::<c_void>(), ..algorithm }
}

/// A keyed cipher context for one direction.
struct CipherCtx(*mut ffi::EVP_CIPHER_CTX);

// SAFETY: OpenSSL contexts may move between threads.
unsafe impl Send for CipherCtx {}

impl CipherCtx {
    fn new(name: &CStr, key: &[u8], encrypt: bool) -> Result<Self, Failure> {
        // SAFETY: plain allocation; null is checked.
        let context = Self(unsafe { ffi::EVP_CIPHER_CTX_new() });
        if context.0.is_null() {
            return Err(Failure::Internal);
        }
        // SAFETY: `name` is a C string and the default library context is meant.
        let cipher = unsafe { ffi::EVP_CIPHER_fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        if cipher.is_null() {
            return Err(Failure::Internal);
        }
        // SAFETY: the key has the cipher's length, which the row states and `key_new` has checked.
        let status = unsafe {
            ffi::EVP_CipherInit_ex(
                context.0,
                cipher,
                ptr::null_mut(),
                key.as_ptr(),
                ptr::null(),
                c_int::from(encrypt),
            )
        };
        // SAFETY: the context holds its own reference.
        unsafe { ffi::EVP_CIPHER_free(cipher) };
        succeeded(status)?;
        Ok(context)
    }

    /// A new message under the same key; the direction stays.
    fn start(&mut self, nonce: &[u8]) -> Outcome {
        // SAFETY: a null cipher and key keep those of the context; -1 keeps the direction.
        succeeded(unsafe {
            ffi::EVP_CipherInit_ex(self.0, ptr::null(), ptr::null_mut(), ptr::null(), nonce.as_ptr(), -1)
        })
    }

    /// `output` null feeds associated data.
    ///
    /// # Safety
    /// `input` is valid for `length`, `output` too or null.
    unsafe fn update(&mut self, input: *const u8, length: usize, output: *mut u8) -> Outcome {
        let mut done = 0;
        while done < length {
            let piece = PIECE.min(length - done);
            let to = if output.is_null() { output } else { output.wrapping_add(done) };
            let mut written = 0;
            // SAFETY: `piece` fits an int and both ranges lie in the caller's.
            succeeded(unsafe {
                ffi::EVP_CipherUpdate(self.0, to, &raw mut written, input.add(done), piece as c_int)
            })?;
            done += piece;
        }
        Ok(())
    }

    /// Ends the message; when opening this compares the tag.
    fn finish(&mut self) -> c_int {
        let mut rest = [0; 64];
        let mut written = 0;
        // SAFETY: `rest` holds more than any cipher's block.
        unsafe { ffi::EVP_CipherFinal(self.0, rest.as_mut_ptr(), &raw mut written) }
    }

    fn get_tag(&mut self, tag: &mut [u8]) -> Outcome {
        // SAFETY: `tag` is valid for its length.
        succeeded(unsafe {
            ffi::EVP_CIPHER_CTX_ctrl(
                self.0,
                ffi::EVP_CTRL_GCM_GET_TAG,
                tag.len() as c_int,
                tag.as_mut_ptr().cast(),
            )
        })
    }

    fn set_tag(&mut self, tag: &[u8]) -> Outcome {
        // SAFETY: OpenSSL copies from the pointer although the signature is mutable.
        succeeded(unsafe {
            ffi::EVP_CIPHER_CTX_ctrl(
                self.0,
                ffi::EVP_CTRL_GCM_SET_TAG,
                tag.len() as c_int,
                tag.as_ptr().cast_mut().cast(),
            )
        })
    }
}

impl Drop for CipherCtx {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new, freed once; it wipes the key schedule. Null is allowed.
        unsafe { ffi::EVP_CIPHER_CTX_free(self.0) }
    }
}

/// An AEAD needs a context per direction, because EVP fixes it with the key. The second is made when first needed:
/// who only seals does not pay for it.
struct EvpAead {
    name: &'static CStr,
    key: zeroize::Zeroizing<Vec<u8>>,
    nonce_bytes: usize,
    sealing: Option<CipherCtx>,
    opening: Option<CipherCtx>,
}

impl EvpAead {
    fn context(&mut self, encrypt: bool) -> Result<&mut CipherCtx, Failure> {
        let place = if encrypt { &mut self.sealing } else { &mut self.opening };
        match place {
            Some(context) => Ok(context),
            None => Ok(place.insert(CipherCtx::new(self.name, &self.key, encrypt)?)),
        }
    }
}

impl Keyed for EvpAead {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            name: evp_name(algorithm),
            key: zeroize::Zeroizing::new(key.to_vec()),
            nonce_bytes: algorithm.nonce_bytes as usize,
            sealing: None,
            opening: None,
        })
    }
}

impl Aead for EvpAead {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        if nonce.len() != self.nonce_bytes {
            return Err(Failure::BadArgument);
        }
        let context = self.context(true)?;
        let length = message.len();
        let (input, output) = message.into_raw();
        context.start(nonce)?;
        // SAFETY: slices and the message's parts are valid for their lengths.
        unsafe {
            context.update(ad.as_ptr(), ad.len(), ptr::null_mut())?;
            context.update(input, length, output)?;
        }
        succeeded(context.finish())?;
        context.get_tag(tag)
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        if nonce.len() != self.nonce_bytes {
            return Err(Failure::BadArgument);
        }
        let context = self.context(false)?;
        let length = message.len();
        let (input, output) = message.into_raw();
        context.start(nonce)?;
        // SAFETY: as in `seal`.
        unsafe {
            context.update(ad.as_ptr(), ad.len(), ptr::null_mut())?;
            context.update(input, length, output)?;
        }
        context.set_tag(tag)?;
        succeeded(context.finish()).map_err(|_| Failure::Authentication)
    }
}

/// GMAC: GCM with everything as associated data, so its cost is that of OpenSSL's GHASH.
struct Gmac(EvpAead);

impl Keyed for Gmac {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        EvpAead::new(algorithm, key).map(Self)
    }
}

impl Digest for Gmac {
    fn digest(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        self.0.seal(nonce, message, InOutBuf::from(&mut [][..]), tag)
    }
}

/// What OpenSSL says about itself.
///
/// # Safety
/// `text` is null or a C string that lives as long as the process.
unsafe fn said(text: *const c_char) -> &'static str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;
    LIBRARY.get_or_init(|| {
        // SAFETY: OpenSSL returns static strings.
        let (version, build, cpu) = unsafe {
            (
                said(ffi::OpenSSL_version(ffi::OPENSSL_VERSION)),
                said(ffi::OpenSSL_version(ffi::OPENSSL_CFLAGS)),
                said(OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS)),
            )
        };
        let version = version.strip_prefix("OpenSSL ").unwrap_or(version);
        let kernel = describe::text(cpu).as_ptr();
        let mut rows = vec![
            row(aead::<EvpAead>(c"aes-256-gcm", Lengths(32, 12, 16), FLAGS), c"AES-256-GCM"),
            row(digest::<Gmac>(c"aes-256-gmac", Lengths(32, 12, 16), abi::THREAD_SAFE), c"AES-256-GCM"),
        ];
        // SP 800-38D: a plaintext is at most 2^39 - 256 bits.
        rows[0].max_bytes = (1 << 36) - 32;
        for row in &mut rows {
            row.kernel = kernel;
        }
        describe::library("openssl", version, build, rows)
    })
}

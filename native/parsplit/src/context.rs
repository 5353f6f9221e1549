use crate::stack::aligned;
use crate::{Error, Result};
use aeadlab_abi::{self as abi, Algorithm};
use std::ffi::c_void;
use std::ptr;

/// One keyed context of one algorithm; freed, and so wiped, when dropped.
///
/// The calls take raw pointers because in-place work needs `input == output`, and because the memory may belong to
/// Python.
pub struct Context {
    algorithm: &'static Algorithm,
    raw: *mut c_void,
}

// SAFETY: the header allows a context to move between threads as long as one uses it at a time, and `&mut self` on
// every call keeps it so.
unsafe impl Send for Context {}
// SAFETY: a shared reference gives the algorithm and nothing of the context.
unsafe impl Sync for Context {}

fn checked(status: i32) -> Result<()> {
    match status {
        abi::OK => Ok(()),
        abi::AUTH_FAILED => Err(Error::Authentication),
        status => Err(Error::Library { status }),
    }
}

fn absent(operation: &str) -> Error {
    Error::Argument(format!("the algorithm cannot {operation}"))
}

impl Context {
    /// Sets up a key; an empty one for a hash.
    ///
    /// # Errors
    /// A key of the wrong length, or a library that refuses it.
    pub fn new(algorithm: &'static Algorithm, key: &[u8]) -> Result<Self> {
        if key.len() != algorithm.key_bytes as usize {
            return Err(Error::Length { what: "key", given: key.len(), wanted: algorithm.key_bytes.to_string() });
        }
        let key_new = algorithm.key_new.ok_or_else(|| absent("be keyed"))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `key` is valid for its length, which is the algorithm's; `raw` is a place for the result.
        checked(unsafe { key_new(algorithm, key.as_ptr(), key.len(), &raw mut raw) })?;
        if raw.is_null() {
            return Err(Error::Library { status: abi::OK });
        }
        Ok(Self { algorithm, raw })
    }

    /// The algorithm that this context belongs to.
    #[must_use]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Seals one message; a cipher encrypts it, ignoring `ad` and `tag`.
    ///
    /// # Errors
    /// What the library returns; the content of `output` and `tag` is then unspecified.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes` and either equal (with `IN_PLACE`) or apart; `tag` is valid for
    /// the algorithm's tag length and apart from both.
    #[inline]
    pub unsafe fn seal(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *mut u8,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.seal_each(nonce, ad, input, bytes, output, tag, 1) }
    }

    /// The same so many times with nothing in between, for those who time it. A nonce must not be used twice: what comes
    /// out is for nobody.
    ///
    /// # Errors
    /// As [`Context::seal`], after the first call that fails.
    ///
    /// # Safety
    /// As [`Context::seal`].
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub unsafe fn seal_each(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *mut u8,
        times: usize,
    ) -> Result<()> {
        let (raw, n, a) = (self.raw, nonce.as_ptr(), ad.as_ptr());
        match (self.algorithm.seal, self.algorithm.encrypt) {
            (Some(seal), _) => each(times, || {
                // SAFETY: the caller's promise is the header's.
                unsafe { seal(raw, n, nonce.len(), a, ad.len(), input, bytes, output, tag) }
            }),
            (None, Some(encrypt)) => each(times, || {
                // SAFETY: as above.
                unsafe { encrypt(raw, n, nonce.len(), input, bytes, output) }
            }),
            (None, None) => Err(absent("seal or encrypt")),
        }
    }

    /// Opens one message; a cipher decrypts it, ignoring `ad` and `tag`.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not match; the content of `output` is then unspecified and the
    /// caller wipes it.
    ///
    /// # Safety
    /// As [`Context::seal`], `tag` being read.
    #[inline]
    pub unsafe fn open(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *const u8,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.open_each(nonce, ad, input, bytes, output, tag, 1) }
    }

    /// The same so many times, as [`Context::seal_each`].
    ///
    /// # Errors
    /// As [`Context::open`], after the first call that fails.
    ///
    /// # Safety
    /// As [`Context::open`].
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub unsafe fn open_each(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *const u8,
        times: usize,
    ) -> Result<()> {
        let (raw, n, a) = (self.raw, nonce.as_ptr(), ad.as_ptr());
        match (self.algorithm.open, self.algorithm.decrypt) {
            (Some(open), _) => each(times, || {
                // SAFETY: the caller's promise is the header's.
                unsafe { open(raw, n, nonce.len(), a, ad.len(), input, bytes, output, tag) }
            }),
            (None, Some(decrypt)) => each(times, || {
                // SAFETY: as above.
                unsafe { decrypt(raw, n, nonce.len(), input, bytes, output) }
            }),
            (None, None) => Err(absent("open or decrypt")),
        }
    }

    /// Hash or MAC of one message.
    ///
    /// # Errors
    /// What the library returns.
    ///
    /// # Safety
    /// `input` is valid for `bytes`, `tag` for the algorithm's tag length and apart from it.
    #[inline]
    pub unsafe fn digest(&mut self, nonce: &[u8], input: *const u8, bytes: usize, tag: *mut u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.digest_each(nonce, input, bytes, tag, 1) }
    }

    /// The same so many times, as [`Context::seal_each`].
    ///
    /// # Errors
    /// As [`Context::digest`], after the first call that fails.
    ///
    /// # Safety
    /// As [`Context::digest`].
    #[inline]
    pub unsafe fn digest_each(
        &mut self,
        nonce: &[u8],
        input: *const u8,
        bytes: usize,
        tag: *mut u8,
        times: usize,
    ) -> Result<()> {
        let (raw, digest) = (self.raw, self.algorithm.digest.ok_or_else(|| absent("digest"))?);
        each(times, || {
            // SAFETY: the caller's promise is the header's.
            unsafe { digest(raw, nonce.as_ptr(), nonce.len(), input, bytes, tag) }
        })
    }

    /// The next `bytes` of a generator.
    ///
    /// # Errors
    /// What the library returns.
    ///
    /// # Safety
    /// `output` is valid for `bytes`.
    #[inline]
    pub unsafe fn generate(&mut self, output: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.generate_each(output, bytes, 1) }
    }

    /// The next `bytes` so many times, each time to the same place.
    ///
    /// # Errors
    /// As [`Context::generate`], after the first call that fails.
    ///
    /// # Safety
    /// As [`Context::generate`].
    #[inline]
    pub unsafe fn generate_each(&mut self, output: *mut u8, bytes: usize, times: usize) -> Result<()> {
        let (raw, generate) = (self.raw, self.algorithm.generate.ok_or_else(|| absent("generate"))?);
        each(times, || {
            // SAFETY: the caller's promise is the header's.
            unsafe { generate(raw, output, bytes) }
        })
    }
}

/// Calls of the library with an aligned stack, which is seen to once for all of them: it costs as much as a tenth of a
/// message of 16 bytes.
#[inline]
fn each(times: usize, mut call: impl FnMut() -> i32) -> Result<()> {
    aligned(|| {
        for _ in 0..times {
            let status = call();
            if status != abi::OK {
                return checked(status);
            }
        }
        Ok(())
    })
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(key_free) = self.algorithm.key_free {
            // SAFETY: `raw` came from this algorithm's key_new and is not used again.
            unsafe { key_free(self.raw) }
        }
    }
}

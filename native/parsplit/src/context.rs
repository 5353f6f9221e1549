use crate::error::{Error, Result};
use crate::limits::check_lengths;
use crate::stack::with_aligned_stack;
use aeadlab_abi::{self as abi, Algorithm, Blocks, Many};
use std::ffi::c_void;
use std::ptr;

/// One keyed context of one algorithm. Dropping it frees it, which wipes the key.
///
/// The methods take raw pointers because in-place operation needs `input == output`, and because the memory may belong
/// to Python.
pub struct Context {
    algorithm: &'static Algorithm,
    raw: *mut c_void,
}

// SAFETY: the header allows a context to move between threads if only one thread uses it at a time, which `&mut self`
// on every call ensures.
unsafe impl Send for Context {}
// SAFETY: a shared reference gives access to the algorithm alone.
unsafe impl Sync for Context {}

fn check_status(status: i32) -> Result<()> {
    match status {
        abi::OK => Ok(()),
        abi::AUTH_FAILED => Err(Error::Authentication),
        status => Err(Error::Library { status }),
    }
}

fn unsupported(operation: &str) -> Error {
    Error::Argument(format!("the algorithm cannot {operation}"))
}

/// Define an operation on a message: that of AEADs, its repetition, and the operation of ciphers.
macro_rules! message_operation {
    (
        $(#[$documentation:meta])* $operation:ident(tag: $tag:ty),
        $(#[$repeated_documentation:meta])* $repeated:ident, $cipher_operation:ident, $name:literal
    ) => {
        $(#[$documentation])*
        #[inline]
        pub unsafe fn $operation(
            &mut self, nonce: &[u8], ad: &[u8], input: *const u8, bytes: usize, output: *mut u8, tag: $tag,
        ) -> Result<()> {
            // SAFETY: the caller's promise.
            unsafe { self.$repeated(nonce, ad, input, bytes, output, tag, 1) }
        }

        $(#[$repeated_documentation])*
        #[allow(clippy::too_many_arguments)]
        #[inline]
        pub unsafe fn $repeated(
            &mut self, nonce: &[u8], ad: &[u8], input: *const u8, bytes: usize, output: *mut u8, tag: $tag,
            times: usize,
        ) -> Result<()> {
            check_lengths(self.algorithm, bytes, ad.len())?;
            let (raw, n, a) = (self.raw, nonce.as_ptr(), ad.as_ptr());
            match (self.algorithm.$operation, self.algorithm.$cipher_operation) {
                (Some(call), _) => call_repeatedly(times, || {
                    // SAFETY: the caller's promise is the header's.
                    unsafe { call(raw, n, nonce.len(), a, ad.len(), input, bytes, output, tag) }
                }),
                (None, Some(call)) => call_repeatedly(times, || {
                    // SAFETY: as above.
                    unsafe { call(raw, n, nonce.len(), input, bytes, output) }
                }),
                (None, None) => Err(unsupported($name)),
            }
        }
    };
}

impl Context {
    /// Set up a key, which is empty for a hash.
    ///
    /// # Errors
    /// A key of the wrong length, or one that the library rejects.
    pub fn new(algorithm: &'static Algorithm, key: &[u8]) -> Result<Self> {
        if key.len() != algorithm.key_bytes as usize {
            return Err(Error::Length { name: "key", given: key.len(), expected: algorithm.key_bytes.to_string() });
        }
        let key_new = algorithm.key_new.ok_or_else(|| unsupported("be keyed"))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `key` is valid for its length, which is the algorithm's; `raw` is writable.
        check_status(unsafe { key_new(algorithm, key.as_ptr(), key.len(), &raw mut raw) })?;
        if raw.is_null() {
            return Err(Error::Library { status: abi::OK });
        }
        Ok(Self { algorithm, raw })
    }

    /// The algorithm of this context.
    #[must_use]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    message_operation! {
        /// Seal one message. A cipher encrypts it and ignores `ad` and `tag`.
        ///
        /// # Errors
        /// A message or associated data above the algorithm's limit; the error of the library, after which the content
        /// of `output` and `tag` is unspecified.
        ///
        /// # Safety
        /// `input` and `output` are valid for `bytes` and either equal (with `IN_PLACE`) or disjoint; `tag` is valid
        /// for the algorithm's tag length and disjoint from both.
        seal(tag: *mut u8),
        /// [`Context::seal`] repeated `times` times without a pause, for benchmarks, until the first call that fails.
        /// The result must not be used: a nonce protects one message only.
        ///
        /// # Safety
        /// As [`Context::seal`].
        seal_repeated, encrypt, "seal or encrypt"
    }

    message_operation! {
        /// Open one message. A cipher decrypts it and ignores `ad` and `tag`.
        ///
        /// # Errors
        /// [`Error::Authentication`] if the tag does not match; the content of `output` is then unspecified, and the
        /// caller must wipe it.
        ///
        /// # Safety
        /// As [`Context::seal`]; `tag` is read.
        open(tag: *const u8),
        /// [`Context::open`] repeated `times` times, as [`Context::seal_repeated`].
        ///
        /// # Safety
        /// As [`Context::open`].
        open_repeated, decrypt, "open or decrypt"
    }

    /// Seal a run of blocks in one call, as one call of [`Context::seal`] for each.
    ///
    /// # Errors
    /// An algorithm without [`abi::MANY`]; otherwise as [`Context::seal`].
    ///
    /// # Safety
    /// `blocks` follows the header.
    pub unsafe fn seal_many(&mut self, blocks: &Blocks) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.many(self.algorithm.seal_many, blocks) }
    }

    /// Open a run of blocks in one call.
    ///
    /// # Errors
    /// [`Error::Authentication`] if any tag does not match: the content of all outputs is then unspecified. Otherwise as
    /// [`Context::seal_many`].
    ///
    /// # Safety
    /// As [`Context::seal_many`]; the tags are read.
    pub unsafe fn open_many(&mut self, blocks: &Blocks) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.many(self.algorithm.open_many, blocks) }
    }

    unsafe fn many(&mut self, function: Option<Many>, blocks: &Blocks) -> Result<()> {
        check_lengths(self.algorithm, blocks.block_bytes.max(blocks.last_bytes), blocks.ad_bytes)?;
        let (raw, call) = (self.raw, function.ok_or_else(|| unsupported("process several blocks in one call"))?);
        // SAFETY: the caller's promise is the header's.
        call_repeatedly(1, || unsafe { call(raw, blocks) })
    }

    /// Compute the hash or MAC of one message.
    ///
    /// # Errors
    /// A message above the algorithm's limit; the error of the library.
    ///
    /// # Safety
    /// `input` is valid for `bytes`; `tag` is valid for the algorithm's tag length and disjoint from it.
    #[inline]
    pub unsafe fn digest(&mut self, nonce: &[u8], input: *const u8, bytes: usize, tag: *mut u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.digest_repeated(nonce, input, bytes, tag, 1) }
    }

    /// [`Context::digest`] repeated `times` times, as [`Context::seal_repeated`].
    ///
    /// # Safety
    /// As [`Context::digest`].
    #[inline]
    pub unsafe fn digest_repeated(
        &mut self,
        nonce: &[u8],
        input: *const u8,
        bytes: usize,
        tag: *mut u8,
        times: usize,
    ) -> Result<()> {
        check_lengths(self.algorithm, bytes, 0)?;
        let (raw, digest) = (self.raw, self.algorithm.digest.ok_or_else(|| unsupported("digest"))?);
        call_repeatedly(times, || {
            // SAFETY: the caller's promise is the header's.
            unsafe { digest(raw, nonce.as_ptr(), nonce.len(), input, bytes, tag) }
        })
    }

    /// Write the next `bytes` of a generator.
    ///
    /// # Errors
    /// The error of the library.
    ///
    /// # Safety
    /// `output` is valid for `bytes`.
    #[inline]
    pub unsafe fn generate(&mut self, output: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.generate_repeated(output, bytes, 1) }
    }

    /// [`Context::generate`] repeated `times` times into the same buffer, until the first call that fails.
    ///
    /// # Safety
    /// As [`Context::generate`].
    #[inline]
    pub unsafe fn generate_repeated(&mut self, output: *mut u8, bytes: usize, times: usize) -> Result<()> {
        let (raw, generate) = (self.raw, self.algorithm.generate.ok_or_else(|| unsupported("generate"))?);
        call_repeatedly(times, || {
            // SAFETY: the caller's promise is the header's.
            unsafe { generate(raw, output, bytes) }
        })
    }
}

/// Call the library with an aligned stack. The stack is aligned once for all calls, because aligning it takes up to a
/// tenth of the time of sealing 16 bytes.
#[inline]
fn call_repeatedly(times: usize, mut call: impl FnMut() -> i32) -> Result<()> {
    with_aligned_stack(|| {
        for _ in 0..times {
            let status = call();
            if status != abi::OK {
                return check_status(status);
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

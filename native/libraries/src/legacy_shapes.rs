//! Algorithms in shared libraries of older shapes, behind the ABI.
//!
//! - `eth`: the ETH paper's `size_t f(in, out, mac, key, iv, bytes)`, one function to seal and one to open. It returns
//!   the number of bytes written; any other number than `bytes` is a failure, in `open` a failed authentication. It
//!   takes no associated data.
//! - `eth-cipher` and `eth-hash`: the paper's functions that only encrypt, `size_t f(in, out, key, iv, bytes)`, and that
//!   only hash, with the arguments of `eth`. A hash that returns the number of bytes may leave `out` as it is. The paper
//!   prints the signature of AEADs and calls the others very similar: all take input, output, key, IV and length, and
//!   those that make a MAC one more buffer.
//! - `supercop`: `crypto_aead_encrypt` and `crypto_aead_decrypt`, as SUPERCOP, CAESAR and NIST-LWC code exports them.
//!   The tag follows the ciphertext. Where the host keeps it elsewhere, as ParSplit does, the message passes through a
//!   scratch buffer, and the copy is part of the measured time.

use crate::descriptor::c_string;
use crate::entry::{Entry, Settings, check_algorithm, checked_name};
use crate::export::{Aead, Cipher, Digest, Failure, Keyed, Lengths, Outcome, aead, cipher, digest};
use crate::plugin::{LoadError, open};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use std::ffi::{c_int, c_uchar, c_ulonglong};
use std::mem::forget;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use zeroize::Zeroizing;

type Eth = unsafe extern "C" fn(*const u8, *mut u8, *mut u8, *const u8, *const u8, usize) -> usize;
type EthCipher = unsafe extern "C" fn(*const u8, *mut u8, *const u8, *const u8, usize) -> usize;
type SupercopEncrypt = unsafe extern "C" fn(
    *mut c_uchar,
    *mut c_ulonglong,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    *const c_uchar,
    *const c_uchar,
) -> c_int;
type SupercopDecrypt = unsafe extern "C" fn(
    *mut c_uchar,
    *mut c_ulonglong,
    *mut c_uchar,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    *const c_uchar,
) -> c_int;

/// The description of a library in the TOML file beside it, whose keys are these fields.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct LegacyPlugin<'a> {
    pub shape: &'a str,
    pub library: &'a str,
    pub algorithm: &'a str,
    pub version: &'a str,
    pub encrypt: &'a str,
    pub decrypt: &'a str,
    pub hash: &'a str,
    pub key_bytes: u32,
    pub nonce_bytes: u32,
    pub tag_bytes: u32,
    pub thread_safe: bool,
}

#[derive(Clone, Copy)]
enum Functions {
    Eth { seal: Eth, open: Eth },
    EthCipher { encrypt: EthCipher, decrypt: EthCipher },
    EthHash { hash: Eth },
    Supercop { encrypt: SupercopEncrypt, decrypt: SupercopDecrypt },
}

const CANARY: u8 = 0xc5;
const CANARY_BYTES: usize = 64;

/// Memory that holds a key for a context.
pub type KeptKey = Box<dyn AsRef<[u8]> + Send>;

/// Set once, in processes that verify implementations.
static KEEP_KEY: OnceLock<fn(&[u8]) -> KeptKey> = OnceLock::new();

/// Keep the key of each later context in the memory that `keep` returns. The functions of both shapes receive the
/// address of the key that the context keeps, which verification observes.
pub fn keep_legacy_keys(keep: fn(&[u8]) -> KeptKey) {
    // The first function stays: the process verifies until it ends.
    let _ = KEEP_KEY.set(keep);
}

/// A key and a scratch buffer: neither shape has a separate key set-up.
struct Context {
    functions: Functions,
    key: KeptKey,
    nonce_bytes: usize,
    tag_bytes: usize,
    scratch: Zeroizing<Vec<u8>>,
}

impl Keyed for Context {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            // SAFETY: only `load_legacy` builds these descriptors, and it sets `data` to leaked functions.
            functions: unsafe { *algorithm.data.cast::<Functions>() },
            key: KEEP_KEY.get().map_or_else(|| own_key(key), |keep| keep(key)),
            nonce_bytes: algorithm.nonce_bytes as usize,
            tag_bytes: algorithm.tag_bytes as usize,
            scratch: Zeroizing::new(Vec::new()),
        })
    }
}

/// Keep a key in memory that is wiped when it is freed.
fn own_key(key: &[u8]) -> KeptKey {
    struct Own(Zeroizing<Vec<u8>>);
    impl AsRef<[u8]> for Own {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    Box::new(Own(Zeroizing::new(key.to_vec())))
}

impl Context {
    fn key(&self) -> *const u8 {
        (*self.key).as_ref().as_ptr()
    }

    fn check(&self, nonce: &[u8], ad: &[u8]) -> Outcome {
        // Ignored associated data would not be authenticated.
        let unsupported_ad = !matches!(self.functions, Functions::Supercop { .. }) && !ad.is_empty();
        if nonce.len() != self.nonce_bytes || unsupported_ad { Err(Failure::BadArgument) } else { Ok(()) }
    }

    /// Return scratch memory for a message and its tag. The canaries behind it detect writes out of bounds, which a
    /// wrong length in the TOML file causes.
    fn scratch(&mut self, bytes: usize) -> *mut u8 {
        if self.scratch.len() < bytes + CANARY_BYTES {
            self.scratch = Zeroizing::new(vec![0; bytes + CANARY_BYTES]);
        }
        if let Some(canaries) = self.scratch.get_mut(bytes..bytes + CANARY_BYTES) {
            canaries.fill(CANARY);
        }
        self.scratch.as_mut_ptr()
    }

    /// Return whether the canaries behind the first `bytes` of the scratch memory are unchanged.
    fn intact(&self, bytes: usize) -> bool {
        let canaries = self.scratch.get(bytes..bytes + CANARY_BYTES);
        canaries.is_some_and(|canaries| canaries.iter().all(|&byte| byte == CANARY))
    }
}

impl Aead for Context {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        self.check(nonce, ad)?;
        let bytes = message.len();
        let (input, output) = message.into_raw();
        match self.functions {
            Functions::Eth { seal, .. } => {
                // SAFETY: the buffers have the lengths that the description gives.
                let written = unsafe { seal(input, output, tag.as_mut_ptr(), self.key(), nonce.as_ptr(), bytes) };
                if written == bytes { Ok(()) } else { Err(Failure::Internal) }
            }
            Functions::Supercop { encrypt, .. } => {
                let contiguous = output.wrapping_add(bytes) == tag.as_mut_ptr() && bytes > 0;
                let sealed = if contiguous { output } else { self.scratch(bytes + self.tag_bytes) };
                let (ad, ad_bytes, null) = (ad.as_ptr(), ad.len() as c_ulonglong, ptr::null());
                let (mut written, nonce, key) = (0, nonce.as_ptr(), self.key());
                // SAFETY: `sealed` has room for message and tag; nsec is unused in this interface and may be null.
                let status = unsafe {
                    encrypt(sealed, &raw mut written, input, bytes as c_ulonglong, ad, ad_bytes, null, nonce, key)
                };
                let out_of_bounds = !contiguous && !self.intact(bytes + self.tag_bytes);
                if status != 0 || written != (bytes + self.tag_bytes) as c_ulonglong || out_of_bounds {
                    return Err(Failure::Internal);
                }
                if !contiguous {
                    // SAFETY: the scratch buffer is disjoint from output and tag, which have these lengths.
                    unsafe {
                        ptr::copy_nonoverlapping(sealed, output, bytes);
                        ptr::copy_nonoverlapping(sealed.add(bytes), tag.as_mut_ptr(), tag.len());
                    }
                }
                Ok(())
            }
            Functions::EthCipher { .. } | Functions::EthHash { .. } => Err(Failure::Internal),
        }
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        self.check(nonce, ad)?;
        let bytes = message.len();
        let (input, output) = message.into_raw();
        match self.functions {
            Functions::Eth { open, .. } => {
                // The paper's function may write to its MAC argument, which must not change the host's tag.
                let mut copy = [0; 64];
                let copy = copy.get_mut(..tag.len()).ok_or(Failure::Internal)?;
                copy.copy_from_slice(tag);
                // SAFETY: as in `seal`.
                let written = unsafe { open(input, output, copy.as_mut_ptr(), self.key(), nonce.as_ptr(), bytes) };
                if written == bytes { Ok(()) } else { Err(Failure::Authentication) }
            }
            Functions::Supercop { decrypt, .. } => {
                let contiguous = input.wrapping_add(bytes) == tag.as_ptr() && bytes > 0;
                let sealed = if contiguous {
                    input
                } else {
                    let scratch = self.scratch(bytes + self.tag_bytes);
                    // SAFETY: the scratch buffer has room for message and tag and is disjoint from both.
                    unsafe {
                        if bytes > 0 {
                            ptr::copy_nonoverlapping(input, scratch, bytes);
                        }
                        ptr::copy_nonoverlapping(tag.as_ptr(), scratch.add(bytes), tag.len());
                    }
                    scratch.cast_const()
                };
                let (ad, ad_bytes, null) = (ad.as_ptr(), ad.len() as c_ulonglong, ptr::null_mut());
                let (mut written, nonce, key) = (0, nonce.as_ptr(), self.key());
                // SAFETY: `sealed` holds the message and the tag; nsec is unused in this interface and may be null.
                let status = unsafe {
                    let sealed_bytes = (bytes + self.tag_bytes) as c_ulonglong;
                    decrypt(output, &raw mut written, null, sealed, sealed_bytes, ad, ad_bytes, nonce, key)
                };
                match status {
                    0 if written == bytes as c_ulonglong => Ok(()),
                    0 => Err(Failure::Internal),
                    _ => Err(Failure::Authentication),
                }
            }
            Functions::EthCipher { .. } | Functions::EthHash { .. } => Err(Failure::Internal),
        }
    }
}

impl Context {
    /// Encrypt or decrypt a message with a function of the shape `eth-cipher`.
    fn crypt(&self, function: EthCipher, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.check(nonce, &[])?;
        let bytes = message.len();
        let (input, output) = message.into_raw();
        // SAFETY: the buffers have the lengths that the description gives.
        let written = unsafe { function(input, output, self.key(), nonce.as_ptr(), bytes) };
        if written == bytes { Ok(()) } else { Err(Failure::Internal) }
    }
}

impl Cipher for Context {
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        match self.functions {
            Functions::EthCipher { encrypt, .. } => self.crypt(encrypt, nonce, message),
            _ => Err(Failure::Internal),
        }
    }

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        match self.functions {
            Functions::EthCipher { decrypt, .. } => self.crypt(decrypt, nonce, message),
            _ => Err(Failure::Internal),
        }
    }
}

impl Digest for Context {
    fn digest(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let Functions::EthHash { hash } = self.functions else { return Err(Failure::Internal) };
        self.check(nonce, &[])?;
        let (bytes, output) = (message.len(), self.scratch(message.len()));
        // SAFETY: the buffers have the lengths that the description gives, and the output has that of the message.
        let read = unsafe { hash(message.as_ptr(), output, tag.as_mut_ptr(), self.key(), nonce.as_ptr(), bytes) };
        if read == bytes && self.intact(bytes) { Ok(()) } else { Err(Failure::Internal) }
    }
}

/// Load a library of an older shape into this process and return its algorithm.
///
/// # Errors
/// The file is not a shared library, lacks a function of the description, or the description violates the limits of the
/// header.
///
/// # Safety
/// Runs the file's constructors, and trusts the description: a wrong length lets its functions write out of bounds.
pub unsafe fn load_legacy(path: &Path, plugin: &LegacyPlugin<'_>) -> Result<Entry, LoadError> {
    let failed = |reason: String| LoadError::new(path, reason);
    // SAFETY: the caller accepts that code runs.
    let library = unsafe { open(path) }?;
    // SAFETY: the symbol is looked up and not used.
    if unsafe { library.get::<*const u8>(b"aeadlab_library_v1\0") }.is_ok() {
        return Err(failed("it exports aeadlab_library_v1 and needs no description: delete its TOML file".into()));
    }
    let missing = |name: &str| failed(format!("it does not export {name}, which its TOML file names"));
    // SAFETY: the description gives the symbols these types.
    let functions = unsafe {
        match plugin.shape {
            "eth" => Functions::Eth {
                seal: *library.get::<Eth>(plugin.encrypt.as_bytes()).map_err(|_| missing(plugin.encrypt))?,
                open: *library.get::<Eth>(plugin.decrypt.as_bytes()).map_err(|_| missing(plugin.decrypt))?,
            },
            "eth-cipher" => Functions::EthCipher {
                encrypt: *library.get::<EthCipher>(plugin.encrypt.as_bytes()).map_err(|_| missing(plugin.encrypt))?,
                decrypt: *library.get::<EthCipher>(plugin.decrypt.as_bytes()).map_err(|_| missing(plugin.decrypt))?,
            },
            "eth-hash" => Functions::EthHash {
                hash: *library.get::<Eth>(plugin.hash.as_bytes()).map_err(|_| missing(plugin.hash))?,
            },
            "supercop" => Functions::Supercop {
                encrypt: *library
                    .get::<SupercopEncrypt>(plugin.encrypt.as_bytes())
                    .map_err(|_| missing(plugin.encrypt))?,
                decrypt: *library
                    .get::<SupercopDecrypt>(plugin.decrypt.as_bytes())
                    .map_err(|_| missing(plugin.decrypt))?,
            },
            other => {
                return Err(failed(format!("its shape is {other:?}, expected eth, eth-cipher, eth-hash or supercop")));
            }
        }
    };
    for (field, name) in [("library", plugin.library), ("algorithm", plugin.algorithm)] {
        checked_name(name, field).map_err(failed)?;
    }
    let thread_safe = if plugin.thread_safe { abi::THREAD_SAFE } else { 0 };
    let lengths = Lengths(plugin.key_bytes, plugin.nonce_bytes, plugin.tag_bytes);
    let name = c_string(plugin.algorithm);
    let row = match functions {
        Functions::Eth { .. } => {
            aead::<Context>(name, lengths, thread_safe | abi::OPEN_COMPUTES_TAG | abi::NO_ASSOCIATED_DATA)
        }
        Functions::Supercop { .. } => aead::<Context>(name, lengths, thread_safe | abi::OPEN_COMPUTES_TAG),
        Functions::EthCipher { .. } => cipher::<Context>(name, lengths, thread_safe),
        Functions::EthHash { .. } => digest::<Context>(name, lengths, thread_safe),
    };
    let data = (&raw const *Box::leak(Box::new(functions))).cast();
    let algorithm: &'static Algorithm = Box::leak(Box::new(Algorithm { data, ..row }));
    check_algorithm(algorithm).map_err(|reason| failed(format!("its {} {reason}", plugin.algorithm)))?;
    forget(library);
    let leaked = |text: &str| c_string(text).to_str().unwrap_or_default();
    Ok(Entry {
        library: leaked(plugin.library),
        version: leaked(plugin.version),
        build: leaked(&format!("{} interface", plugin.shape)),
        name: name.to_str().unwrap_or_default(),
        kernel: "",
        algorithm,
        settings: Settings::default(),
        feature_switch: "",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    /// XOR with the first byte of the key; each byte of the tag is the sum of the message.
    unsafe extern "C" fn encrypt(
        c: *mut u8,
        clen: *mut c_ulonglong,
        m: *const u8,
        mlen: c_ulonglong,
        _: *const u8,
        _: c_ulonglong,
        _: *const u8,
        _: *const u8,
        k: *const u8,
    ) -> c_int {
        // SAFETY: the test passes buffers of these lengths.
        unsafe {
            let (key, mut sum) = (*k, 0u8);
            for i in 0..mlen as usize {
                *c.add(i) = *m.add(i) ^ key;
                sum = sum.wrapping_add(*m.add(i));
            }
            slice::from_raw_parts_mut(c.add(mlen as usize), 16).fill(sum);
            *clen = mlen + 16;
        }
        0
    }

    unsafe extern "C" fn decrypt(
        m: *mut u8,
        mlen: *mut c_ulonglong,
        _: *mut u8,
        c: *const u8,
        clen: c_ulonglong,
        _: *const u8,
        _: c_ulonglong,
        _: *const u8,
        k: *const u8,
    ) -> c_int {
        // SAFETY: the test passes buffers of these lengths.
        unsafe {
            let (bytes, mut sum) = (clen as usize - 16, 0u8);
            for i in 0..bytes {
                *m.add(i) = *c.add(i) ^ *k;
                sum = sum.wrapping_add(*m.add(i));
            }
            *mlen = bytes as c_ulonglong;
            if slice::from_raw_parts(c.add(bytes), 16).iter().all(|&b| b == sum) { 0 } else { -1 }
        }
    }

    #[test]
    fn supercop_tag_may_be_contiguous_or_separate() {
        let functions = Functions::Supercop { encrypt, decrypt };
        let make = || Context {
            functions,
            key: own_key(&[7; 32]),
            nonce_bytes: 12,
            tag_bytes: 16,
            scratch: Zeroizing::new(Vec::new()),
        };
        for bytes in [0, 1, 100] {
            let message: Vec<u8> = (0..bytes as u8).collect();
            let (mut separate, mut tag) = (vec![0; bytes], [0; 16]);
            make().seal(&[0; 12], b"", InOutBuf::new(&message, &mut separate).unwrap(), &mut tag).unwrap();
            let mut contiguous = vec![0; bytes + 16];
            let (text, tag_behind) = contiguous.split_at_mut(bytes);
            make().seal(&[0; 12], b"", InOutBuf::new(&message, text).unwrap(), tag_behind).unwrap();
            assert_eq!(contiguous, [separate.clone(), tag.to_vec()].concat());
            let mut opened = vec![0; bytes];
            make().open(&[0; 12], b"", InOutBuf::new(&separate, &mut opened).unwrap(), &tag).unwrap();
            assert_eq!(opened, message);
            tag[15] ^= 1;
            let result = make().open(&[0; 12], b"", InOutBuf::new(&separate, &mut opened).unwrap(), &tag);
            assert_eq!(result, Err(Failure::Authentication));
        }
    }
}

//! Two older shapes of AEAD in a shared library, behind our ABI.
//!
//! - `eth`: the ETH paper's `size_t f(in, out, mac, key, iv, bytes)`, for sealing and for opening. It returns the bytes
//!   that it wrote; anything but `bytes` is a failure, for opening an authentication failure. It knows no associated
//!   data.
//! - `supercop`: `crypto_aead_encrypt` and `crypto_aead_decrypt` as SUPERCOP, CAESAR and NIST-LWC code exports them. The
//!   tag stands behind the ciphertext. Where the host keeps it elsewhere, as ParSplit does, the message goes through a
//!   second buffer, and the copy is part of what is timed.

use crate::describe;
use crate::entry::{Entry, Settings, check_functions, checked_name};
use crate::export::{Aead, Failure, Keyed, Lengths, Outcome, aead};
use crate::plugin::LoadError;
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{c_int, c_uchar, c_ulonglong};
use std::mem::forget;
use std::path::Path;
use std::ptr;
use zeroize::Zeroizing;

type Eth = unsafe extern "C" fn(*const u8, *mut u8, *mut u8, *const u8, *const u8, usize) -> usize;
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

/// What the file beside the library says about it.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Foreign<'a> {
    pub shape: &'a str,
    pub library: &'a str,
    pub algorithm: &'a str,
    pub version: &'a str,
    pub encrypt: &'a str,
    pub decrypt: &'a str,
    pub key_bytes: u32,
    pub nonce_bytes: u32,
    pub tag_bytes: u32,
    pub thread_safe: bool,
}

#[derive(Clone, Copy)]
enum Functions {
    Eth { seal: Eth, open: Eth },
    Supercop { encrypt: SupercopEncrypt, decrypt: SupercopDecrypt },
}

const CANARY: u8 = 0xc5;
const CANARIES: usize = 64;

/// A context is the key and a buffer: neither shape has a key set-up of its own.
struct Bare {
    functions: Functions,
    key: Zeroizing<Vec<u8>>,
    nonce_bytes: usize,
    tag_bytes: usize,
    scratch: Zeroizing<Vec<u8>>,
}

impl Keyed for Bare {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            // SAFETY: only `load_foreign` makes descriptors with this context type, and it sets `data` to leaked functions.
            functions: unsafe { *algorithm.data.cast::<Functions>() },
            key: Zeroizing::new(key.to_vec()),
            nonce_bytes: algorithm.nonce_bytes as usize,
            tag_bytes: algorithm.tag_bytes as usize,
            scratch: Zeroizing::new(Vec::new()),
        })
    }
}

impl Bare {
    fn check(&self, nonce: &[u8], ad: &[u8]) -> Outcome {
        // Ignoring associated data would be a forgery waiting to happen.
        let without = matches!(self.functions, Functions::Eth { .. }) && !ad.is_empty();
        if nonce.len() != self.nonce_bytes || without { Err(Failure::BadArgument) } else { Ok(()) }
    }

    /// Memory for a message and its tag. What lies behind it shows whether the library writes past them, as it does
    /// where the file beside it gives the wrong length.
    fn scratch(&mut self, bytes: usize) -> *mut u8 {
        if self.scratch.len() < bytes + CANARIES {
            self.scratch = Zeroizing::new(vec![0; bytes + CANARIES]);
        }
        if let Some(behind) = self.scratch.get_mut(bytes..bytes + CANARIES) {
            behind.fill(CANARY);
        }
        self.scratch.as_mut_ptr()
    }

    /// Whether nothing was written behind the last `bytes` that `scratch` gave.
    fn intact(&self, bytes: usize) -> bool {
        self.scratch.get(bytes..bytes + CANARIES).is_some_and(|behind| behind.iter().all(|&byte| byte == CANARY))
    }
}

impl Aead for Bare {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        self.check(nonce, ad)?;
        let bytes = message.len();
        let (input, output) = message.into_raw();
        match self.functions {
            Functions::Eth { seal, .. } => {
                // SAFETY: the buffers have the lengths that the file beside the library promised the function.
                let done = unsafe { seal(input, output, tag.as_mut_ptr(), self.key.as_ptr(), nonce.as_ptr(), bytes) };
                if done == bytes { Ok(()) } else { Err(Failure::Internal) }
            }
            Functions::Supercop { encrypt, .. } => {
                let behind = output.wrapping_add(bytes) == tag.as_mut_ptr() && bytes > 0;
                let to = if behind { output } else { self.scratch(bytes + self.tag_bytes) };
                let mut written = 0;
                // SAFETY: `to` holds the message and the tag; nsec is unused in this interface and may be null.
                let status = unsafe {
                    encrypt(
                        to,
                        &raw mut written,
                        input,
                        bytes as c_ulonglong,
                        ad.as_ptr(),
                        ad.len() as c_ulonglong,
                        ptr::null(),
                        nonce.as_ptr(),
                        self.key.as_ptr(),
                    )
                };
                let past = !behind && !self.intact(bytes + self.tag_bytes);
                if status != 0 || written != (bytes + self.tag_bytes) as c_ulonglong || past {
                    return Err(Failure::Internal);
                }
                if !behind {
                    // SAFETY: the scratch buffer is apart from output and tag, which have these lengths.
                    unsafe {
                        ptr::copy_nonoverlapping(to, output, bytes);
                        ptr::copy_nonoverlapping(to.add(bytes), tag.as_mut_ptr(), tag.len());
                    }
                }
                Ok(())
            }
        }
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        self.check(nonce, ad)?;
        let bytes = message.len();
        let (input, output) = message.into_raw();
        match self.functions {
            Functions::Eth { open, .. } => {
                // The paper's function may write to its MAC argument, the host's tag is not to be written.
                let mut copy = [0; 64];
                let copy = copy.get_mut(..tag.len()).ok_or(Failure::Internal)?;
                copy.copy_from_slice(tag);
                // SAFETY: as in `seal`.
                let done = unsafe { open(input, output, copy.as_mut_ptr(), self.key.as_ptr(), nonce.as_ptr(), bytes) };
                if done == bytes { Ok(()) } else { Err(Failure::Authentication) }
            }
            Functions::Supercop { decrypt, .. } => {
                let behind = input.wrapping_add(bytes) == tag.as_ptr() && bytes > 0;
                let from = if behind {
                    input
                } else {
                    let scratch = self.scratch(bytes + self.tag_bytes);
                    // SAFETY: the scratch buffer holds message and tag and is apart from both.
                    unsafe {
                        if bytes > 0 {
                            ptr::copy_nonoverlapping(input, scratch, bytes);
                        }
                        ptr::copy_nonoverlapping(tag.as_ptr(), scratch.add(bytes), tag.len());
                    }
                    scratch.cast_const()
                };
                let mut written = 0;
                // SAFETY: `from` holds the message and the tag; nsec is unused in this interface and may be null.
                let status = unsafe {
                    decrypt(
                        output,
                        &raw mut written,
                        ptr::null_mut(),
                        from,
                        (bytes + self.tag_bytes) as c_ulonglong,
                        ad.as_ptr(),
                        ad.len() as c_ulonglong,
                        nonce.as_ptr(),
                        self.key.as_ptr(),
                    )
                };
                match status {
                    0 if written == bytes as c_ulonglong => Ok(()),
                    0 => Err(Failure::Internal),
                    _ => Err(Failure::Authentication),
                }
            }
        }
    }
}

/// Loads a library of an older shape into this process.
///
/// # Errors
/// A file that is no shared library, lacks a function, or is described with lengths that no AEAD has.
///
/// # Safety
/// Runs the file's constructors, and trusts the description: a wrong length lets its functions write out of bounds.
pub unsafe fn load_foreign(path: &Path, foreign: &Foreign<'_>) -> Result<Entry, LoadError> {
    let failed = |why: String| LoadError::new(path, why);
    // SAFETY: the caller accepts that code runs.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| failed(e.to_string()))?;
    // SAFETY: the symbol is looked for, not used.
    if unsafe { library.get::<*const u8>(b"aeadlab_library_v1\0") }.is_ok() {
        return Err(failed("it exports aeadlab_library_v1 and describes itself: delete the file beside it".into()));
    }
    let missing = |name: &str| failed(format!("it does not export {name}, which the file beside it names"));
    // SAFETY: the description gives the symbols these types.
    let functions = unsafe {
        match foreign.shape {
            "eth" => Functions::Eth {
                seal: *library.get::<Eth>(foreign.encrypt.as_bytes()).map_err(|_| missing(foreign.encrypt))?,
                open: *library.get::<Eth>(foreign.decrypt.as_bytes()).map_err(|_| missing(foreign.decrypt))?,
            },
            "supercop" => Functions::Supercop {
                encrypt: *library
                    .get::<SupercopEncrypt>(foreign.encrypt.as_bytes())
                    .map_err(|_| missing(foreign.encrypt))?,
                decrypt: *library
                    .get::<SupercopDecrypt>(foreign.decrypt.as_bytes())
                    .map_err(|_| missing(foreign.decrypt))?,
            },
            other => return Err(failed(format!("its shape is {other:?}, eth or supercop are known"))),
        }
    };
    for (what, name) in [("library", foreign.library), ("algorithm", foreign.algorithm)] {
        checked_name(name, what).map_err(failed)?;
    }
    let leaked = |text: &str| describe::text(text);
    let mut flags = abi::OPEN_COMPUTES_TAG;
    if foreign.thread_safe {
        flags |= abi::THREAD_SAFE;
    }
    if matches!(functions, Functions::Eth { .. }) {
        flags |= abi::NO_ASSOCIATED_DATA;
    }
    let name = leaked(foreign.algorithm);
    let algorithm: &'static Algorithm = Box::leak(Box::new(Algorithm {
        data: (&raw const *Box::leak(Box::new(functions))).cast(),
        ..aead::<Bare>(name, Lengths(foreign.key_bytes, foreign.nonce_bytes, foreign.tag_bytes), flags)
    }));
    check_functions(algorithm).map_err(|why| failed(format!("its {} {why}", foreign.algorithm)))?;
    forget(library);
    let string = |text: &str| leaked(text).to_str().unwrap_or_default();
    Ok(Entry {
        library: string(foreign.library),
        version: string(foreign.version),
        build: string(&format!("{} interface", foreign.shape)),
        name: name.to_str().unwrap_or_default(),
        kernel: "",
        algorithm,
        settings: Settings::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    /// XOR with the key's first byte, and a tag of the message's sum: enough to see what goes where.
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
    fn a_supercop_tag_is_right_wherever_the_host_keeps_it() {
        let functions = Functions::Supercop { encrypt, decrypt };
        let make = || Bare {
            functions,
            key: Zeroizing::new(vec![7; 32]),
            nonce_bytes: 12,
            tag_bytes: 16,
            scratch: Zeroizing::new(Vec::new()),
        };
        for bytes in [0, 1, 100] {
            let message: Vec<u8> = (0..bytes as u8).collect();
            let (mut apart, mut tag) = (vec![0; bytes], [0; 16]);
            make().seal(&[0; 12], b"", InOutBuf::new(&message, &mut apart).unwrap(), &mut tag).unwrap();
            let mut joined = vec![0; bytes + 16];
            let (text, behind) = joined.split_at_mut(bytes);
            make().seal(&[0; 12], b"", InOutBuf::new(&message, text).unwrap(), behind).unwrap();
            assert_eq!(joined, [apart.clone(), tag.to_vec()].concat());
            let mut back = vec![0; bytes];
            make().open(&[0; 12], b"", InOutBuf::new(&apart, &mut back).unwrap(), &tag).unwrap();
            assert_eq!(back, message);
            tag[15] ^= 1;
            let opened = make().open(&[0; 12], b"", InOutBuf::new(&apart, &mut back).unwrap(), &tag);
            assert_eq!(opened, Err(Failure::Authentication));
        }
    }
}

//! Encrypt-then-MAC of any cipher and any MAC of the ABI, composed at run time.
//!
//! BLAKE3's key derivation expands a 32-byte key to a cipher key, two MAC keys and an IV key; the names of both
//! algorithms are part of its context string. The IV is keyed BLAKE3 of the nonce, cut to the cipher's IV length, and
//! therefore unpredictable, which CBC requires. The tag is
//! `MAC_2(MAC_1(ciphertext) ‖ associated data ‖ nonce ‖ le64(bytes of associated data) ‖ le64(bytes of ciphertext))`.
//! The ABI's MACs take one contiguous message, and copying the ciphertext to append to it would cost more than the
//! short second MAC. A MAC with a nonce gets the same nonce under both of its keys.

use crate::entry::{Entry, Settings};
use crate::export::{Aead, Failure, Keyed, Lengths, Outcome, aead};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use std::ffi::c_void;
use std::ptr;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

const KEY: u32 = 32;
const NONCE: usize = 12;
/// IVs are outputs of a hash, and shorter ones would collide within a few billion messages.
const MIN_IV: u32 = 12;
const MAX_TAG: usize = 64;

/// The cipher and the MAC of a composition; `data` of its descriptor points here.
struct Parts {
    cipher: &'static Algorithm,
    mac: &'static Algorithm,
    context: String,
}

/// An algorithm's context, freed when dropped.
struct Context {
    algorithm: &'static Algorithm,
    raw: *mut c_void,
}

// SAFETY: the header allows contexts to move between threads.
unsafe impl Send for Context {}

impl Context {
    fn new(algorithm: &'static Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let mut raw = ptr::null_mut();
        let key_new = algorithm.key_new.ok_or(Failure::Internal)?;
        // SAFETY: the key has the algorithm's length, and `raw` is valid for the result.
        check_status(unsafe { key_new(algorithm, key.as_ptr(), key.len(), &raw mut raw) })?;
        if raw.is_null() {
            return Err(Failure::Internal);
        }
        Ok(Self { algorithm, raw })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(key_free) = self.algorithm.key_free {
            // SAFETY: from this algorithm's key_new, freed once.
            unsafe { key_free(self.raw) }
        }
    }
}

fn check_status(status: i32) -> Outcome {
    match status {
        abi::OK => Ok(()),
        abi::BAD_ARGUMENT => Err(Failure::BadArgument),
        _ => Err(Failure::Internal),
    }
}

struct Composed {
    parts: &'static Parts,
    cipher: Context,
    macs: [Context; 2],
    iv_key: Zeroizing<[u8; 32]>,
    /// The message of the second MAC. It is reused, so that a message allocates nothing.
    trailer: Vec<u8>,
}

impl Keyed for Composed {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        // SAFETY: only `compose` builds descriptors with this context type, and it sets `data` to leaked parts.
        let parts: &'static Parts = unsafe { &*algorithm.data.cast() };
        let (cipher, mac) = (parts.cipher.key_bytes as usize, parts.mac.key_bytes as usize);
        let mut keys = Zeroizing::new(vec![0; cipher + 2 * mac + 32]);
        ::blake3::Hasher::new_derive_key(&parts.context).update(key).finalize_xof().fill(&mut keys);
        let (cipher_key, rest) = keys.split_at(cipher);
        let (first, rest) = rest.split_at(mac);
        let (second, iv_key) = rest.split_at(mac);
        Ok(Self {
            parts,
            cipher: Context::new(parts.cipher, cipher_key)?,
            macs: [Context::new(parts.mac, first)?, Context::new(parts.mac, second)?],
            iv_key: Zeroizing::new(iv_key.try_into().map_err(|_| Failure::Internal)?),
            trailer: Vec::new(),
        })
    }
}

impl Composed {
    fn crypt(&mut self, encrypt: bool, nonce: &[u8], input: *const u8, bytes: usize, output: *mut u8) -> Outcome {
        let mut iv = [0; 64];
        let iv = iv.get_mut(..self.parts.cipher.nonce_bytes as usize).ok_or(Failure::Internal)?;
        ::blake3::Hasher::new_keyed(&self.iv_key).update(nonce).finalize_xof().fill(iv);
        let call = if encrypt { self.parts.cipher.encrypt } else { self.parts.cipher.decrypt };
        let call = call.ok_or(Failure::Internal)?;
        // SAFETY: the buffers are the message's, equal or disjoint as the host promises; `compose` allows equal ones
        // only where the cipher does.
        check_status(unsafe { call(self.cipher.raw, iv.as_ptr(), iv.len(), input, bytes, output) })
    }

    fn tag(&mut self, nonce: &[u8], ad: &[u8], ciphertext: *const u8, bytes: usize) -> Result<[u8; MAX_TAG], Failure> {
        let inner = self.mac(0, nonce, ciphertext, bytes)?;
        let mut trailer = std::mem::take(&mut self.trailer);
        trailer.clear();
        trailer.extend_from_slice(&inner[..self.parts.mac.tag_bytes as usize]);
        trailer.extend_from_slice(ad);
        trailer.extend_from_slice(nonce);
        trailer.extend_from_slice(&(ad.len() as u64).to_le_bytes());
        trailer.extend_from_slice(&(bytes as u64).to_le_bytes());
        let tag = self.mac(1, nonce, trailer.as_ptr(), trailer.len());
        self.trailer = trailer;
        tag
    }

    fn mac(&mut self, key: usize, nonce: &[u8], input: *const u8, bytes: usize) -> Result<[u8; MAX_TAG], Failure> {
        let nonce = if self.parts.mac.nonce_bytes == 0 { &[] } else { nonce };
        let mut tag = [0; MAX_TAG];
        let digest = self.parts.mac.digest.ok_or(Failure::Internal)?;
        // SAFETY: the input is valid for its length, and no MAC's tag is longer than the buffer.
        check_status(unsafe {
            digest(self.macs[key].raw, nonce.as_ptr(), nonce.len(), input, bytes, tag.as_mut_ptr())
        })?;
        Ok(tag)
    }
}

impl Aead for Composed {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        if nonce.len() != NONCE {
            return Err(Failure::BadArgument);
        }
        let bytes = message.len();
        let (input, output) = message.into_raw();
        self.crypt(true, nonce, input, bytes, output)?;
        let computed = self.tag(nonce, ad, output, bytes)?;
        tag.copy_from_slice(&computed[..tag.len()]);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        if nonce.len() != NONCE {
            return Err(Failure::BadArgument);
        }
        let bytes = message.len();
        let (input, output) = message.into_raw();
        let computed = self.tag(nonce, ad, input, bytes)?;
        let valid: bool = computed[..tag.len()].ct_eq(tag).into();
        if !valid {
            return Err(Failure::Authentication);
        }
        self.crypt(false, nonce, input, bytes, output)
    }
}

/// Return the settings of the part that uses several threads itself. Two such parts of different libraries have none,
/// because one number would have to go to two functions.
fn settings(parts: [&Entry; 2]) -> Settings {
    let mut parallel = parts.into_iter().filter(|part| part.algorithm.has(abi::PARALLEL));
    match (parallel.next(), parallel.next()) {
        (Some(first), second) if second.is_none_or(|second| second.library == first.library) => first.settings,
        _ => Settings::default(),
    }
}

/// Return the longest associated data, which a MAC authenticates together with a tag, the nonce and two lengths; 0 is
/// unlimited.
fn max_ad_bytes(mac: &Algorithm) -> u32 {
    let others = u64::from(mac.tag_bytes) + NONCE as u64 + 16;
    match mac.max_bytes {
        0 => 0,
        limit => u32::try_from(limit.saturating_sub(others).max(1)).unwrap_or(0),
    }
}

/// Return the AEAD of a cipher and a MAC, as an entry that is never freed.
///
/// Key: 32 bytes; nonce: 12 bytes; tag: that of the MAC. Library and algorithm are named `cipher's+MAC's`. It has the
/// flag `PARALLEL` if one of its parts has it.
///
/// # Errors
/// A part of another kind, a cipher whose IV is shorter than 12 bytes, a bare universal hash, a MAC whose nonce is not
/// 12 bytes long, or a tag of less than 8 bytes.
pub fn compose(cipher: &Entry, mac: &Entry) -> Result<Entry, String> {
    let (c, m) = (cipher.algorithm, mac.algorithm);
    let [cipher_name, mac_name] = [cipher, mac].map(|entry| format!("{}/{}", entry.library, entry.name));
    let (iv_bytes, nonce_bytes) = (c.nonce_bytes, m.nonce_bytes);
    ensure!(c.kind == abi::CIPHER, "{cipher_name} is not a cipher");
    ensure!(!c.has(abi::BASELINE), "{cipher_name} is a baseline without any security");
    let reason = if iv_bytes == 0 { "equal plaintext blocks encrypt to equal blocks" } else { "shorter IVs collide" };
    ensure!(iv_bytes >= MIN_IV, "{cipher_name} takes an IV of {iv_bytes} bytes, expected at least {MIN_IV}: {reason}");
    ensure!(
        !m.has(abi::UNIVERSAL_HASH),
        "{mac_name} is a bare universal hash: without a secret mask for each message two tags reveal its key; \
             use a MAC that is built on it, such as GMAC for GHASH"
    );
    ensure!(m.kind != abi::HASH, "{mac_name} is a hash without a key: use its keyed mode or HMAC");
    ensure!(m.kind == abi::MAC, "{mac_name} is not a MAC");
    ensure!(
        nonce_bytes == 0 || nonce_bytes as usize == NONCE,
        "{mac_name} takes a nonce of {nonce_bytes} bytes, expected 0 or {NONCE}"
    );
    ensure!(m.tag_bytes >= 8, "{mac_name} has tags of {} bytes, expected at least 8", m.tag_bytes);
    let name = format!("{}+{}", cipher.name, mac.name);
    let parts = Box::leak(Box::new(Parts {
        cipher: c,
        mac: m,
        context: format!("aeadlab 2026-11-20 encrypt-then-MAC of {name}, all keys"),
    }));
    let flags = abi::OPEN_COMPUTES_TAG
        | abi::RESEARCH
        | (c.flags & abi::IN_PLACE)
        | (c.flags & m.flags & abi::THREAD_SAFE)
        | ((c.flags | m.flags) & abi::PARALLEL);
    let name = crate::descriptor::c_string(&name);
    let algorithm = Box::leak(Box::new(Algorithm {
        data: (&raw const *parts).cast(),
        block_bytes: c.block_bytes,
        max_bytes: match (c.max_bytes, m.max_bytes) {
            (0, other) | (other, 0) => other,
            (a, b) => a.min(b),
        },
        max_ad_bytes: max_ad_bytes(m),
        ..aead::<Composed>(name, Lengths(KEY, NONCE as u32, m.tag_bytes), flags)
    }));
    let leaked = |text: String| crate::descriptor::c_string(&text).to_str().unwrap_or_default();
    Ok(Entry {
        library: leaked(format!("{}+{}", cipher.library, mac.library)),
        version: leaked(format!("{}, {}", cipher.version, mac.version)),
        build: leaked(format!("{}; {}", cipher.build, mac.build)),
        name: name.to_str().unwrap_or_default(),
        kernel: leaked(
            [cipher.kernel, mac.kernel].into_iter().filter(|k| !k.is_empty()).collect::<Vec<_>>().join(", "),
        ),
        algorithm,
        settings: settings([cipher, mac]),
        feature_switch: leaked(format!("{} + {}", cipher.feature_switch, mac.feature_switch)),
    })
}

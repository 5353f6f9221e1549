//! Encrypt-then-MAC of any cipher and any MAC behind the ABI, made at run time.
//!
//! From a 32-byte key BLAKE3's key derivation makes a cipher key, two MAC keys and an IV key, the names of both
//! algorithms being part of its context. The IV is a keyed BLAKE3 of the nonce, so that it is unpredictable, which CBC
//! needs, and as long as the cipher wants. The tag is
//! `MAC_2(MAC_1(ciphertext) ‖ associated data ‖ nonce ‖ le64(bytes of associated data) ‖ le64(bytes of ciphertext))`:
//! the ABI's MACs take one contiguous message, and copying the ciphertext to put something behind it would cost more
//! than the short second MAC. A MAC with a nonce gets the same nonce under both of its keys.

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
/// Shorter IVs, taken from a hash, would repeat by chance within a few billion messages.
const MIN_IV: u32 = 12;
const MAX_TAG: usize = 64;

/// The two halves of a composition, which its descriptor's `data` points to.
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

// SAFETY: the header lets contexts move between threads.
unsafe impl Send for Context {}

impl Context {
    fn new(algorithm: &'static Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let mut raw = ptr::null_mut();
        let key_new = algorithm.key_new.ok_or(Failure::Internal)?;
        // SAFETY: the key has the algorithm's length, `raw` is a place for the result.
        checked(unsafe { key_new(algorithm, key.as_ptr(), key.len(), &raw mut raw) })?;
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

fn checked(status: i32) -> Outcome {
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
    /// The second MAC's message; kept so that a message allocates nothing.
    end: Vec<u8>,
}

impl Keyed for Composed {
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        // SAFETY: only `compose` makes descriptors with this context type, and it sets `data` to leaked parts.
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
            end: Vec::new(),
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
        // SAFETY: input and output are the message's, equal or apart as the host promised; `compose` allows equal
        // ones only where the cipher does.
        checked(unsafe { call(self.cipher.raw, iv.as_ptr(), iv.len(), input, bytes, output) })
    }

    fn tag(&mut self, nonce: &[u8], ad: &[u8], ciphertext: *const u8, bytes: usize) -> Result<[u8; MAX_TAG], Failure> {
        let inner = self.mac(0, nonce, ciphertext, bytes)?;
        let mut end = std::mem::take(&mut self.end);
        end.clear();
        end.extend_from_slice(&inner[..self.parts.mac.tag_bytes as usize]);
        end.extend_from_slice(ad);
        end.extend_from_slice(nonce);
        end.extend_from_slice(&(ad.len() as u64).to_le_bytes());
        end.extend_from_slice(&(bytes as u64).to_le_bytes());
        let tag = self.mac(1, nonce, end.as_ptr(), end.len());
        self.end = end;
        tag
    }

    fn mac(&mut self, which: usize, nonce: &[u8], input: *const u8, bytes: usize) -> Result<[u8; MAX_TAG], Failure> {
        let nonce = if self.parts.mac.nonce_bytes == 0 { &[] } else { nonce };
        let mut tag = [0; MAX_TAG];
        let digest = self.parts.mac.digest.ok_or(Failure::Internal)?;
        // SAFETY: the input is valid for its length, and no MAC's tag is longer than the buffer.
        checked(unsafe { digest(self.macs[which].raw, nonce.as_ptr(), nonce.len(), input, bytes, tag.as_mut_ptr()) })?;
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
        let made = self.tag(nonce, ad, output, bytes)?;
        tag.copy_from_slice(&made[..tag.len()]);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        if nonce.len() != NONCE {
            return Err(Failure::BadArgument);
        }
        let bytes = message.len();
        let (input, output) = message.into_raw();
        let made = self.tag(nonce, ad, input, bytes)?;
        let right: bool = made[..tag.len()].ct_eq(tag).into();
        if !right {
            return Err(Failure::Authentication);
        }
        self.crypt(false, nonce, input, bytes, output)
    }
}

/// What the half that is parallel itself can be told. Of two such halves of different libraries neither can be told
/// anything: one number would have to go to two functions.
fn settings(halves: [&Entry; 2]) -> Settings {
    let mut parallel = halves.into_iter().filter(|half| half.algorithm.has(abi::PARALLEL));
    match (parallel.next(), parallel.next()) {
        (Some(one), other) if other.is_none_or(|other| other.library == one.library) => one.settings,
        _ => Settings::default(),
    }
}

/// An AEAD of a cipher and a MAC, as an entry that is never freed.
///
/// Key 32 bytes, nonce 12, tag that of the MAC. Its library is `cipher's+MAC's`, its algorithm likewise. It is parallel
/// itself where one of its halves is.
///
/// # Errors
/// In words: something that is no cipher or no MAC, a cipher whose IV is shorter than 12 bytes, a bare universal hash,
/// a MAC with another nonce than 12 bytes, a tag under 8 bytes.
pub fn compose(cipher: &Entry, mac: &Entry) -> Result<Entry, String> {
    let (c, m) = (cipher.algorithm, mac.algorithm);
    let named = |e: &Entry| format!("{}/{}", e.library, e.name);
    if c.kind != abi::CIPHER {
        return Err(format!("{} is no cipher", named(cipher)));
    }
    if c.has(abi::BASELINE) {
        return Err(format!("{} is a reference line without any security", named(cipher)));
    }
    if c.nonce_bytes < MIN_IV {
        return Err(format!(
            "{} takes an IV of {} bytes, at least {MIN_IV} are wanted: {}",
            named(cipher),
            c.nonce_bytes,
            if c.nonce_bytes == 0 {
                "without one equal blocks stay visible"
            } else {
                "a shorter one repeats by chance"
            }
        ));
    }
    if m.has(abi::UNIVERSAL_HASH) {
        return Err(format!(
            "{} is a bare universal hash: without a secret mask for each message two tags give its key away; \
             use a MAC made of it, such as GMAC for GHASH",
            named(mac)
        ));
    }
    if m.kind == abi::HASH {
        return Err(format!("{} has no key and is no MAC: use its keyed mode or HMAC", named(mac)));
    }
    if m.kind != abi::MAC {
        return Err(format!("{} is no MAC", named(mac)));
    }
    if m.nonce_bytes != 0 && m.nonce_bytes as usize != NONCE {
        return Err(format!("{} takes a nonce of {} bytes, 0 or {NONCE} are wanted", named(mac), m.nonce_bytes));
    }
    if m.tag_bytes < 8 {
        return Err(format!("{} has tags of {} bytes, at least 8 are wanted", named(mac), m.tag_bytes));
    }
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
    let name = crate::describe::text(&name);
    let algorithm = Box::leak(Box::new(Algorithm {
        data: (&raw const *parts).cast(),
        block_bytes: c.block_bytes,
        max_bytes: match (c.max_bytes, m.max_bytes) {
            (0, other) | (other, 0) => other,
            (a, b) => a.min(b),
        },
        ..aead::<Composed>(name, Lengths(KEY, NONCE as u32, m.tag_bytes), flags)
    }));
    let leaked = |text: String| crate::describe::text(&text).to_str().unwrap_or_default();
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
    })
}

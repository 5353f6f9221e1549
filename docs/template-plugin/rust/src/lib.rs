//! Ascon-AEAD128 (NIST SP 800-232) as a plugin, in Rust. `aeadlab-abi` is the header in Rust.

use aeadlab_abi::{self as abi, Algorithm, Library};
use std::ffi::c_void;
use std::hint::black_box;
use std::mem::size_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

const BYTES: usize = 16; // of key, nonce, tag, and of message between two permutations
const IV: u64 = 0x0000_1000_808c_0001;

type State = [u64; 5];

fn load(from: &[u8]) -> u64 {
    from.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn permute(x: &mut State, rounds: u64) {
    const SHIFTS: [(u32, u32); 5] = [(19, 28), (61, 39), (1, 6), (10, 17), (7, 41)];
    for round in 12 - rounds..12 {
        x[2] ^= (15 - round) << 4 | round;
        x[0] ^= x[4];
        x[4] ^= x[3];
        x[2] ^= x[1];
        let mut t: State = std::array::from_fn(|i| x[i] ^ (!x[(i + 1) % 5] & x[(i + 2) % 5]));
        t[1] ^= t[0];
        t[0] ^= t[4];
        t[3] ^= t[2];
        t[2] = !t[2];
        *x = std::array::from_fn(|i| t[i] ^ t[i].rotate_right(SHIFTS[i].0) ^ t[i].rotate_right(SHIFTS[i].1));
    }
}

struct Context {
    key: [u64; 2],
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: valid memory of ours; volatile, or it would be optimised away.
        unsafe { ptr::write_volatile(&raw mut self.key, [0; 2]) }
    }
}

impl Context {
    fn start(&self, nonce: &[u8], ad: &[u8]) -> State {
        let [k0, k1] = self.key;
        let mut x = [IV, k0, k1, load(&nonce[..8]), load(&nonce[8..])];
        permute(&mut x, 12);
        x[3] ^= k0;
        x[4] ^= k1;
        if !ad.is_empty() {
            let mut blocks = ad.chunks_exact(BYTES);
            for block in &mut blocks {
                x[0] ^= load(&block[..8]);
                x[1] ^= load(&block[8..]);
                permute(&mut x, 8);
            }
            let last = blocks.remainder();
            for (i, &byte) in last.iter().chain(&[1]).enumerate() {
                x[i / 8] ^= u64::from(byte) << (8 * (i % 8));
            }
            permute(&mut x, 8);
        }
        x[4] ^= 1 << 63;
        x
    }

    /// Encrypts or decrypts, and returns the tag.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes`, and equal or apart. No slice is made of them: they may be equal.
    unsafe fn crypt(
        &self,
        mut x: State,
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        opening: bool,
    ) -> [u8; BYTES] {
        for i in 0..bytes {
            let (word, shift) = (i % BYTES / 8, 8 * (i % 8));
            // SAFETY: below `bytes`.
            let given = unsafe { input.add(i).read() };
            let made = given ^ (x[word] >> shift) as u8;
            // SAFETY: below `bytes`.
            unsafe { output.add(i).write(made) };
            // The state takes in the ciphertext.
            x[word] = x[word] & !(0xff << shift) | u64::from(if opening { given } else { made }) << shift;
            if i % BYTES == BYTES - 1 {
                permute(&mut x, 8);
            }
        }
        x[bytes % BYTES / 8] ^= 1 << (8 * (bytes % 8));
        x[2] ^= self.key[0];
        x[3] ^= self.key[1];
        permute(&mut x, 12);
        let mut tag = [0; BYTES];
        tag[..8].copy_from_slice(&(x[3] ^ self.key[0]).to_le_bytes());
        tag[8..].copy_from_slice(&(x[4] ^ self.key[1]).to_le_bytes());
        tag
    }
}

/// # Safety
/// `from` is valid for `bytes`, or `bytes` is 0.
unsafe fn octets<'a>(from: *const u8, bytes: usize) -> &'a [u8] {
    // SAFETY: the caller's promise; a slice of nothing needs a pointer that is not null.
    if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(from, bytes) } }
}

/// No panic crosses the boundary.
fn guarded(call: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(abi::INTERNAL)
}

unsafe extern "C" fn key_new(_: *const Algorithm, key: *const u8, bytes: usize, made: *mut *mut c_void) -> i32 {
    guarded(|| {
        if bytes != BYTES {
            return abi::BAD_ARGUMENT;
        }
        // SAFETY: the host's promise in the header.
        let key = unsafe { octets(key, bytes) };
        let context = Box::new(Context { key: [load(&key[..8]), load(&key[8..])] });
        // SAFETY: the host passes a place for the result.
        unsafe { made.write(Box::into_raw(context).cast()) };
        abi::OK
    })
}

unsafe extern "C" fn key_free(context: *mut c_void) {
    // SAFETY: from `key_new`, and passed once.
    drop(unsafe { Box::from_raw(context.cast::<Context>()) });
}

unsafe extern "C" fn seal(
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
        if nonce_bytes != BYTES {
            return abi::BAD_ARGUMENT;
        }
        // SAFETY: the host's promises in the header.
        unsafe {
            let context = &*context.cast::<Context>();
            let state = context.start(octets(nonce, nonce_bytes), octets(ad, ad_bytes));
            let made = context.crypt(state, input, bytes, output, false);
            ptr::copy_nonoverlapping(made.as_ptr(), tag, BYTES);
        }
        abi::OK
    })
}

unsafe extern "C" fn open(
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
        if nonce_bytes != BYTES {
            return abi::BAD_ARGUMENT;
        }
        // SAFETY: the host's promises in the header.
        let (right, given) = unsafe {
            let context = &*context.cast::<Context>();
            let state = context.start(octets(nonce, nonce_bytes), octets(ad, ad_bytes));
            (context.crypt(state, input, bytes, output, true), octets(tag, BYTES))
        };
        // All bytes are looked at, wherever they differ.
        let differing = right.iter().zip(given).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        if differing == 0 { abi::OK } else { abi::AUTH_FAILED }
    })
}

static ASCON: Algorithm = Algorithm {
    name: c"ascon-aead128".as_ptr(),
    kernel: c"portable Rust".as_ptr(),
    flags: abi::IN_PLACE | abi::THREAD_SAFE | abi::OPEN_COMPUTES_TAG,
    key_bytes: BYTES as u32,
    nonce_bytes: BYTES as u32,
    tag_bytes: BYTES as u32,
    key_new: Some(key_new),
    key_free: Some(key_free),
    seal: Some(seal),
    open: Some(open),
    ..Algorithm::empty(abi::AEAD)
};

// A reference is a pointer in memory, and may be shared by threads where a pointer may not.
static ALGORITHMS: [&Algorithm; 1] = [&ASCON];

static LIBRARY: Library = Library {
    abi_version: abi::ABI_VERSION,
    reserved: 0,
    struct_size: size_of::<Library>(),
    name: c"template-rust".as_ptr(),
    version: c"1.0.0".as_ptr(),
    build: c"rustc, release profile".as_ptr(),
    algorithm_count: ALGORITHMS.len(),
    algorithms: ALGORITHMS.as_ptr().cast(),
};

/// The one symbol that the host looks for.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_library_v1() -> *const Library {
    &raw const LIBRARY
}

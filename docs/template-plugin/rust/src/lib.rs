//! Ascon-AEAD128 (NIST SP 800-232) as a plugin, in Rust. `aeadlab-abi` is the header in Rust, and `aeadlab-export`
//! creates its functions from safe ones.

use aeadlab_abi::{self as abi, Algorithm, Library};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome, Wiped, aead};
use std::hint::black_box;
use std::mem::size_of;

const BYTES: usize = 16; // of the key, the nonce, the tag, and a message block
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

/// The key, which is wiped when it is dropped.
struct Context(Wiped<[u64; 2]>);

impl Context {
    fn start(&self, nonce: &[u8], ad: &[u8]) -> State {
        let [k0, k1] = *self.0;
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

    /// Encrypts or decrypts and returns the tag. It works in place too, because each byte is read before it is written.
    fn crypt(&self, mut x: State, message: InOutBuf<'_, '_, u8>, opening: bool) -> [u8; BYTES] {
        let [k0, k1] = *self.0;
        let end = message.len() % BYTES;
        for (i, mut byte) in message.into_iter().enumerate() {
            let (word, shift) = (i % BYTES / 8, 8 * (i % 8));
            let input = *byte.get_in();
            let output = input ^ (x[word] >> shift) as u8;
            *byte.get_out() = output;
            // The state absorbs the ciphertext.
            x[word] = x[word] & !(0xff << shift) | u64::from(if opening { input } else { output }) << shift;
            if i % BYTES == BYTES - 1 {
                permute(&mut x, 8);
            }
        }
        x[end / 8] ^= 1 << (8 * (end % 8));
        x[2] ^= k0;
        x[3] ^= k1;
        permute(&mut x, 12);
        let mut tag = [0; BYTES];
        tag[..8].copy_from_slice(&(x[3] ^ k0).to_le_bytes());
        tag[8..].copy_from_slice(&(x[4] ^ k1).to_le_bytes());
        tag
    }
}

impl Keyed for Context {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(Wiped::new([load(&key[..8]), load(&key[8..])])))
    }
}

impl Aead for Context {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        if nonce.len() != BYTES {
            return Err(Failure::BadArgument);
        }
        tag.copy_from_slice(&self.crypt(self.start(nonce, ad), message, false));
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        if nonce.len() != BYTES {
            return Err(Failure::BadArgument);
        }
        let computed = self.crypt(self.start(nonce, ad), message, true);
        // All bytes are compared, so that the time does not depend on where they differ.
        let differing = computed.iter().zip(tag).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        if differing == 0 { Ok(()) } else { Err(Failure::Authentication) }
    }
}

const FLAGS: u64 = abi::IN_PLACE | abi::THREAD_SAFE | abi::OPEN_COMPUTES_TAG;

static ASCON: Algorithm = Algorithm {
    kernel: c"portable Rust".as_ptr(),
    ..aead::<Context>(c"ascon-aead128", Lengths(BYTES as u32, BYTES as u32, BYTES as u32), FLAGS)
};

// A reference is represented as a pointer and, unlike a raw pointer, may be shared between threads.
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

/// The one required symbol.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_library_v1() -> *const Library {
    &raw const LIBRARY
}

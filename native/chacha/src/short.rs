//! Short whole messages: one call of ChaCha20 gives the one-time key and all of the keystream.

use crate::cipher::{BLOCK, Cipher};
use crate::element::Element;
use crate::message::{Direction, halves};
use crate::wipe::wipe;
use crate::{InOutBuf, Kernel, Poly};

/// Bytes of keystream: as many as the kernels compute in about the time of one block.
const KEYSTREAM: usize = 8 * BLOCK;

/// The longest message that [`process`] takes.
pub(crate) const MAX_LENGTH: usize = KEYSTREAM - BLOCK;

/// Encrypt or decrypt a message of at most [`MAX_LENGTH`] bytes and return its tag.
pub(crate) fn process(
    cipher: &Cipher,
    kernel: Kernel,
    associated: &[u8],
    mut data: InOutBuf<'_, '_, u8>,
    direction: Direction,
) -> [u8; 16] {
    let length = data.len();
    let mut keystream = [0; KEYSTREAM];
    cipher.apply(0, InOutBuf::from(&mut keystream[..BLOCK + length]));
    let (r, s) = halves(&keystream);
    let poly = Poly::of_available(r, kernel);
    let mut value = poly.hash_from(Element::ZERO, associated);
    if let Direction::Decrypt = direction {
        value = poly.hash_from(value, data.get_in());
    }
    data.xor_in2out(&keystream[BLOCK..BLOCK + length]);
    if let Direction::Encrypt = direction {
        value = poly.hash_from(value, data.get_out());
    }
    let tag = poly.finish_lengths(value, associated.len() as u64, length as u64, s);
    wipe(&mut keystream);
    tag
}

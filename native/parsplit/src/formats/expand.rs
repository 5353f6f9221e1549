//! HKDF-Expand (RFC 5869, section 2.3) of keys that are shorter than the output of the hash, which the crate `hkdf`
//! rejects.

use crate::dead_stack::{CLEARED_STACK, overwrite};
use hmac::digest::Output;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha384, Sha512};

/// Fills the output from a key and the concatenation of the parts of `info`.
pub(super) type Expand = fn(&[u8], &[&[u8]], &mut [u8]);

pub(super) fn sha256(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    expand::<Hmac<Sha256>>(key, info, out);
    overwrite::<CLEARED_STACK>();
}

pub(super) fn sha384(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    expand::<Hmac<Sha384>>(key, info, out);
    overwrite::<CLEARED_STACK>();
}

pub(super) fn sha512(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    expand::<Hmac<Sha512>>(key, info, out);
    overwrite::<CLEARED_STACK>();
}

/// Not inlined, so that its frame is dead when it returns. The output has at most 255 times the length of the hash.
#[inline(never)]
fn expand<M: Mac + KeyInit>(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    let mut previous: Option<Output<M>> = None;
    for (counter, part) in (1..=u8::MAX).zip(out.chunks_mut(M::output_size())) {
        let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else { unreachable!("HMAC takes keys of any length") };
        if let Some(previous) = &previous {
            mac.update(previous);
        }
        info.iter().for_each(|text| mac.update(text));
        mac.update(&[counter]);
        let block = mac.finalize().into_bytes();
        part.copy_from_slice(block.get(..part.len()).unwrap_or_default());
        previous = Some(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hkdf::Hkdf;

    #[test]
    fn equals_the_crate_hkdf_for_the_keys_that_it_takes() {
        for bytes in [1, 31, 32, 33, 76, 500] {
            for key in [[7; 64].as_slice(), &[9; 100]] {
                let (mut expected, mut out) = (vec![0; bytes], vec![0; bytes]);
                Hkdf::<Sha256>::from_prk(key).unwrap().expand(b"one two", &mut expected).unwrap();
                sha256(key, &[b"one ", b"two"], &mut out);
                assert_eq!(out, expected);
                Hkdf::<Sha512>::from_prk(key).unwrap().expand(b"one two", &mut expected).unwrap();
                sha512(key, &[b"one", b" ", b"two"], &mut out);
                assert_eq!(out, expected);
                Hkdf::<Sha384>::from_prk(key).unwrap().expand(b"", &mut expected).unwrap();
                sha384(key, &[], &mut out);
                assert_eq!(out, expected);
            }
        }
    }
}

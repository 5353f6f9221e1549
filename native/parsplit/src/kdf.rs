//! Derivation of one key per message, which makes nonce counters unnecessary.

use crate::dead_stack::{CLEARED_STACK, overwrite};
use crate::error::{Error, Result, ensure};
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

/// Length of a salt in bytes. After 2^96 messages with random salts, two are equal with a probability of about 2^-64.
pub const SALT_BYTES: usize = 32;
/// Minimum length of a key in bytes: 128 bits is the lowest intended security level.
pub const MIN_KEY_BYTES: usize = 16;
/// Limit of HKDF: 255 outputs of the hash.
const MAX_OUTPUT_BYTES: usize = 255 * 32;

/// Separates keys of [`message_key`] from all others that are derived from the same key.
const LABEL: &[u8] = b"aeadlab message key v1\0";

/// Derive a key with HKDF-SHA-256 (RFC 5869): extract and expand.
///
/// # Errors
/// An output longer than 255 × 32 bytes.
pub fn hkdf_sha256(key: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
    let derived = extract_and_expand(key, salt, info, out);
    overwrite::<CLEARED_STACK>();
    derived
}

/// Not inlined, so that its frame is dead when it returns.
#[inline(never)]
fn extract_and_expand(key: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
    let bytes = out.len();
    Hkdf::<Sha256>::new(Some(salt), key)
        .expand(info, out)
        .map_err(|_| Error::Argument(format!("{bytes} bytes requested, HKDF-SHA-256 gives at most {MAX_OUTPUT_BYTES}")))
}

/// Derive the key of one message, `bytes` long, from a key shared by many messages and the message's salt. `info`
/// states the purpose of the key; a different purpose gives a different key.
///
/// With a new random salt for each message the derived key is used once, so that any nonce is unique, such as zeros.
///
/// # Errors
/// A key shorter than [`MIN_KEY_BYTES`], a salt of another length than [`SALT_BYTES`], or `bytes` outside 1 to 8160.
///
/// ```
/// # fn main() -> parsplit::Result<()> {
/// let shared = [7; 32];
/// let salt = parsplit::random::<32>()?;
/// let key = parsplit::message_key(&shared, &salt, b"backups", 32)?;
/// assert_eq!(key, parsplit::message_key(&shared, &salt, b"backups", 32)?);
/// assert_ne!(key, parsplit::message_key(&shared, &parsplit::random::<32>()?, b"backups", 32)?);
/// # Ok(())
/// # }
/// ```
pub fn message_key(key: &[u8], salt: &[u8], info: &[u8], bytes: usize) -> Result<Zeroizing<Vec<u8>>> {
    check_key(key)?;
    if salt.len() != SALT_BYTES {
        return Err(Error::Length { name: "salt", given: salt.len(), expected: SALT_BYTES.to_string() });
    }
    ensure!(
        (1..=MAX_OUTPUT_BYTES).contains(&bytes),
        "a derived key of {bytes} bytes requested, 1 to {MAX_OUTPUT_BYTES} expected"
    );
    let mut derived = Zeroizing::new(vec![0; bytes]);
    hkdf_sha256(key, salt, &[LABEL, info].concat(), &mut derived)?;
    Ok(derived)
}

pub(crate) fn check_key(key: &[u8]) -> Result<()> {
    if key.len() < MIN_KEY_BYTES {
        return Err(Error::Length { name: "key", given: key.len(), expected: format!("at least {MIN_KEY_BYTES}") });
    }
    Ok(())
}

/// Return bytes of the operating system's random generator.
///
/// # Errors
/// A failure of the generator.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::Argument(format!("the operating system provides no random bytes: {e}")))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    }

    /// The SHA-256 vectors of RFC 5869, appendices A.1 to A.3.
    #[test]
    fn hkdf_matches_the_vectors_of_rfc_5869() {
        let range = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
        for (key, salt, info, expected) in [
            (
                vec![0x0b; 22],
                range(0, 0x0c),
                range(0xf0, 0xf9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
            ),
            (
                range(0, 0x4f),
                range(0x60, 0xaf),
                range(0xb0, 0xff),
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
                 da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
            ),
            (
                vec![0x0b; 22],
                vec![],
                vec![],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
            ),
        ] {
            let expected = bytes(&expected.replace(' ', ""));
            let mut out = vec![0; expected.len()];
            hkdf_sha256(&key, &salt, &info, &mut out).unwrap();
            assert_eq!(out, expected);
        }
        assert!(hkdf_sha256(b"", b"", b"", &mut vec![0; 255 * 32 + 1]).is_err());
    }

    #[test]
    fn message_key_depends_on_all_inputs_and_checks_lengths() {
        let (key, salt) = ([1; 16], [2; 32]);
        let derive = |key: &[u8], salt: &[u8], info: &[u8]| message_key(key, salt, info, 32).unwrap();
        let first = derive(&key, &salt, b"");
        assert_eq!(first, derive(&key, &salt, b""));
        for other in [derive(&[3; 16], &salt, b""), derive(&key, &[3; 32], b""), derive(&key, &salt, b"x")] {
            assert_ne!(first, other);
        }
        assert!(matches!(message_key(&key[..15], &salt, b"", 32), Err(Error::Length { name: "key", given: 15, .. })));
        assert!(matches!(message_key(&key, &salt[..31], b"", 32), Err(Error::Length { name: "salt", given: 31, .. })));
        assert!(message_key(&key, &salt, b"", 0).is_err());
        assert!(message_key(&key, &salt, b"", 8161).is_err());
    }

    #[test]
    fn random_bytes_differ() {
        assert_ne!(random::<32>().unwrap(), random::<32>().unwrap());
    }
}

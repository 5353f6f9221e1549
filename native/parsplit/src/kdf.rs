//! One key per message, so that nobody counts nonces.

use crate::{Error, Result};
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

/// Length of a salt. Two of 32 random bytes are alike after about 2^96 messages with a chance of 2^-64.
pub const SALT_BYTES: usize = 32;
/// Keys under so many bytes are no keys: 128 bits are the least that anything here is meant to withstand.
pub const LEAST_KEY: usize = 16;

/// What keeps keys of [`message_key`] apart from all others that are derived from the same key.
const LABEL: &[u8] = b"aeadlab message key v1\0";

/// HKDF with SHA-256 (RFC 5869): extract and expand.
///
/// # Errors
/// More than 255 × 32 bytes wanted.
pub fn hkdf_sha256(key: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
    let wanted = out.len();
    Hkdf::<Sha256>::new(Some(salt), key)
        .expand(info, out)
        .map_err(|_| Error::Argument(format!("{wanted} bytes wanted of HKDF-SHA-256, it gives at most {}", 255 * 32)))
}

/// The key of one message, `bytes` long, from a key that many messages share and this message's salt. `info` says what
/// the key is for: other words give another key.
///
/// A new random salt for each message makes a key that is used once, and under it any nonce is a new one, such as zeros.
///
/// # Errors
/// A key under [`LEAST_KEY`] bytes, a salt of another length than [`SALT_BYTES`], or no bytes or too many wanted.
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
        return Err(Error::Length { what: "salt", given: salt.len(), wanted: SALT_BYTES.to_string() });
    }
    if bytes == 0 || bytes > 255 * 32 {
        return Err(Error::Argument(format!("a key of {bytes} bytes wanted, 1 to {} are possible", 255 * 32)));
    }
    let mut derived = Zeroizing::new(vec![0; bytes]);
    hkdf_sha256(key, salt, &[LABEL, info].concat(), &mut derived)?;
    Ok(derived)
}

pub(crate) fn check_key(key: &[u8]) -> Result<()> {
    if key.len() < LEAST_KEY {
        return Err(Error::Length { what: "key", given: key.len(), wanted: format!("at least {LEAST_KEY}") });
    }
    Ok(())
}

/// Bytes of the operating system's random generator.
///
/// # Errors
/// A system that has none to give.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::Argument(format!("the operating system gives no random bytes: {e}")))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    }

    /// RFC 5869, appendix A.1 to A.3: those with SHA-256.
    #[test]
    fn answers_of_rfc_5869() {
        let range = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
        for (key, salt, info, wanted) in [
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
            let wanted = bytes(&wanted.replace(' ', ""));
            let mut out = vec![0; wanted.len()];
            hkdf_sha256(&key, &salt, &info, &mut out).unwrap();
            assert_eq!(out, wanted);
        }
        assert!(hkdf_sha256(b"", b"", b"", &mut vec![0; 255 * 32 + 1]).is_err());
    }

    #[test]
    fn a_message_key_depends_on_everything_and_refuses_what_is_no_key() {
        let (key, salt) = ([1; 16], [2; 32]);
        let made = |key: &[u8], salt: &[u8], info: &[u8]| message_key(key, salt, info, 32).unwrap();
        let first = made(&key, &salt, b"");
        assert_eq!(first, made(&key, &salt, b""));
        for other in [made(&[3; 16], &salt, b""), made(&key, &[3; 32], b""), made(&key, &salt, b"x")] {
            assert_ne!(first, other);
        }
        assert!(matches!(message_key(&key[..15], &salt, b"", 32), Err(Error::Length { what: "key", given: 15, .. })));
        assert!(matches!(message_key(&key, &salt[..31], b"", 32), Err(Error::Length { what: "salt", given: 31, .. })));
        assert!(message_key(&key, &salt, b"", 0).is_err());
        assert!(message_key(&key, &salt, b"", 8161).is_err());
    }

    #[test]
    fn random_bytes_differ() {
        assert_ne!(random::<32>().unwrap(), random::<32>().unwrap());
    }
}

use crate::error::{Error, Result};
use aeadlab_abi::Algorithm;

/// The largest thread count that ParSplit accepts.
pub const MAX_THREADS: usize = 256;

/// Messages shorter than this number of bytes are processed on the caller's thread alone, unless
/// [`ParSplit::serial_below`](crate::ParSplit::serial_below) sets another threshold.
///
/// Measured by `native/benches/crossover.py` with two threads and eight blocks, on a virtual machine with two cores of
/// a Zen 5, where waking a thread takes the caller 10 µs and the thread starts 40 µs later. The time of two threads,
/// relative to one thread, was 1.34 at 512 KiB, 1.17 at 1 MiB and 0.73 at 2 MiB for OpenSSL's AES-256-GCM, and 1.23 at
/// 256 KiB and 0.71 at 512 KiB for its ChaCha20-Poly1305. The threshold lies between the lengths at which two threads
/// become faster with either AEAD. A machine that wakes threads faster profits from a lower threshold.
pub const SERIAL_BELOW: usize = 512 << 10;

/// Fail for a message or associated data longer than the limits of the descriptor, in bytes.
///
/// # Errors
/// [`Error::Length`] with the length given and the limit.
#[inline]
pub fn check_lengths(algorithm: &Algorithm, bytes: usize, ad_bytes: usize) -> Result<()> {
    check_limit("message", bytes, algorithm.max_bytes)?;
    check_limit("associated data", ad_bytes, algorithm.max_ad_bytes.into())
}

#[inline]
fn check_limit(name: &'static str, given: usize, limit: u64) -> Result<()> {
    if limit == 0 || given as u64 <= limit { Ok(()) } else { Err(too_long(name, given, limit)) }
}

#[cold]
fn too_long(name: &'static str, given: usize, limit: u64) -> Error {
    Error::Length { name, given, expected: format!("at most {limit}") }
}

/// The memory in bytes that the buffers of one stream take at most, unless
/// [`ParSplit::max_memory`](crate::ParSplit::max_memory) sets another limit or there are more than 163 threads: then it
/// is [`STREAM_MEMORY_PER_THREAD`] for each of them.
pub const STREAM_MEMORY: usize = 64 << 20;

/// Sufficient for two blocks of 64 KiB with their tags in each of the three buffers of a stream: ciphertext, plaintext,
/// and a copy for the caller.
pub const STREAM_MEMORY_PER_THREAD: usize = 400 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use aeadlab_abi as abi;

    #[test]
    fn limits_are_inclusive_and_0_is_none() {
        let limited = Algorithm { max_bytes: 16, max_ad_bytes: 3, ..Algorithm::empty(abi::AEAD) };
        assert!(check_lengths(&limited, 16, 3).is_ok());
        let message = check_lengths(&limited, 17, 0).unwrap_err().to_string();
        assert_eq!(message, "message of 17 bytes given, at most 16 expected");
        let ad = check_lengths(&limited, 0, 4).unwrap_err().to_string();
        assert_eq!(ad, "associated data of 4 bytes given, at most 3 expected");
        assert!(check_lengths(&Algorithm::empty(abi::AEAD), usize::MAX, usize::MAX).is_ok());
    }
}

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

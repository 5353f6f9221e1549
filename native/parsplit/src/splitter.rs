use crate::error::{Result, ensure};
use crate::layout::{Layout, check_block_size};
use crate::limits::{MAX_THREADS, SERIAL_BELOW, STREAM_MEMORY, STREAM_MEMORY_PER_THREAD};
use crate::nonce::Nonces;
use crate::schedules::Schedule;
use aeadlab_abi::{self as abi, Algorithm};

/// An algorithm with a block size, a thread count and a schedule: a parallel AEAD.
#[derive(Clone, Copy, Debug)]
pub struct ParSplit {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) block_size: usize,
    pub(crate) threads: usize,
    pub(crate) schedule: Schedule,
    pub(crate) serial_below: usize,
    pub(crate) rekeying: bool,
    max_memory: Option<usize>,
}

impl ParSplit {
    /// Check the combination. No thread is started.
    ///
    /// # Errors
    /// An algorithm that is neither an AEAD nor a baseline cipher, whose nonce is shorter than 12 bytes, or that is not
    /// thread-safe while `threads` is above 1; a thread count outside 1 to [`MAX_THREADS`]; a block size of 0 or above
    /// the algorithm's limit.
    pub fn new(algorithm: &'static Algorithm, block_size: usize, threads: usize, schedule: Schedule) -> Result<Self> {
        let baseline = algorithm.kind == abi::CIPHER && algorithm.has(abi::BASELINE) && algorithm.nonce_bytes == 0;
        ensure!(
            algorithm.kind == abi::AEAD || baseline,
            "ParSplit needs an AEAD: without tags it cannot detect any change"
        );
        if algorithm.kind == abi::AEAD {
            Nonces::prefix_bytes(algorithm.nonce_bytes.max(1) as usize)?;
        }
        ensure!((1..=MAX_THREADS).contains(&threads), "{threads} threads given, 1 to {MAX_THREADS} expected");
        ensure!(
            threads == 1 || algorithm.has(abi::THREAD_SAFE),
            "{threads} threads given, but the algorithm is not thread-safe"
        );
        check_block_size(block_size)?;
        ensure!(
            algorithm.max_bytes == 0 || block_size as u64 <= algorithm.max_bytes,
            "block size {block_size} given, the algorithm takes at most {} bytes",
            algorithm.max_bytes
        );
        let serial_below = SERIAL_BELOW;
        Ok(Self { algorithm, block_size, threads, schedule, serial_below, rekeying: false, max_memory: None })
    }

    /// Process messages shorter than `bytes` on the caller's thread alone; 0 uses all threads for every message.
    #[must_use]
    pub fn serial_below(self, bytes: usize) -> Self {
        Self { serial_below: bytes, ..self }
    }

    /// Set up the key anew for each block, as the ETH paper's program does with each call of a library. The result is the
    /// same and takes longer, so this serves measurements only.
    #[must_use]
    pub fn rekeying(self) -> Self {
        Self { rekeying: true, ..self }
    }

    /// Limit the buffers of each stream to `bytes`; the default is [`STREAM_MEMORY`], or [`STREAM_MEMORY_PER_THREAD`] for
    /// each thread if that is more. A stream whose blocks need more is an error when it is started. All threads have work
    /// at once if the limit allows three blocks for each of them.
    #[must_use]
    pub fn max_memory(self, bytes: usize) -> Self {
        Self { max_memory: Some(bytes), ..self }
    }

    /// The limit in bytes of the buffers of each stream.
    pub(crate) fn stream_memory(&self) -> usize {
        self.max_memory.unwrap_or(STREAM_MEMORY.max(self.threads * STREAM_MEMORY_PER_THREAD))
    }

    /// Change the block size and the thread count.
    pub(crate) fn resized(self, block_size: usize, threads: usize) -> Result<Self> {
        let Self { algorithm, schedule, serial_below, rekeying, max_memory, .. } = self;
        Ok(Self { serial_below, rekeying, max_memory, ..Self::new(algorithm, block_size, threads, schedule)? })
    }

    /// The algorithm that seals the blocks.
    #[must_use]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Bytes per block.
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// Number of threads that process a message.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Length of the key in bytes.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.algorithm.key_bytes as usize
    }

    /// Length of the nonce of a message in bytes: the algorithm's nonce length less 5.
    #[must_use]
    pub fn nonce_bytes(&self) -> usize {
        // `new` has rejected every algorithm without a prefix length.
        Nonces::prefix_bytes(self.algorithm.nonce_bytes as usize).unwrap_or(0)
    }

    /// Return the layout of a message of `bytes`.
    ///
    /// # Errors
    /// More than 2^32 blocks.
    pub fn layout(&self, bytes: usize) -> Result<Layout> {
        Layout::of_message(bytes, self.block_size, self.algorithm.tag_bytes as usize)
    }

    /// Return the layout of a sealed message of `sealed` bytes.
    ///
    /// # Errors
    /// A length that no sealed message has.
    pub fn layout_of_sealed(&self, sealed: usize) -> Result<Layout> {
        Layout::of_sealed(sealed, self.block_size, self.algorithm.tag_bytes as usize)
    }
}

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod armv8;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod fused;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod vector;

use crate::field::Element;

/// An implementation of the fused loop, chosen by the instructions of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// x86-64 with VAES and VPCLMULQDQ on vectors of 512 bits (AVX-512F, BW and VL).
    Vaes512,
    /// x86-64 with VAES and VPCLMULQDQ on vectors of 256 bits (AVX2).
    Vaes256,
    /// x86-64 with AES-NI, PCLMULQDQ and AVX on vectors of 128 bits.
    AesNi,
    /// AArch64 with the AES and PMULL instructions.
    Armv8,
    /// The RustCrypto crates `aes` and `ghash`, which take constant time on every processor. They choose instructions
    /// of their own where these exist.
    Portable,
}

impl Kernel {
    /// All kernels, the fastest first.
    const ALL: [Self; 5] = [Self::Vaes512, Self::Vaes256, Self::AesNi, Self::Armv8, Self::Portable];

    /// Return the kernels that this processor can run, the fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available())
    }

    /// Return the fastest kernel that this processor can run.
    pub fn fastest() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }

    /// Return the lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vaes512 => "vaes512",
            Self::Vaes256 => "vaes256",
            Self::AesNi => "aesni",
            Self::Armv8 => "armv8",
            Self::Portable => "portable",
        }
    }

    /// Return whether this processor can run the kernel. The standard library caches the detection.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512 => vaes512::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256 => vaes256::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::AesNi => aesni::is_available(),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Self::Armv8 => armv8::is_available(),
            Self::Portable => true,
            #[allow(unreachable_patterns, reason = "kernels of other processors")]
            _ => false,
        }
    }
}

/// What follows the last byte of a message.
#[derive(Clone, Copy, Default)]
pub(crate) struct Finish {
    /// The counter block that masks the tag.
    pub(crate) counter: u128,
    /// The block of the two lengths in bits.
    pub(crate) lengths: u128,
}

/// Consecutive bytes of one message.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    /// The counter block of the first byte as a big-endian integer.
    pub(crate) counter: u128,
    /// The hash before the first byte.
    pub(crate) hash: u128,
    /// Valid for reads of `bytes`; equal to `output` or disjoint.
    pub(crate) input: *const u8,
    /// Valid for writes of `bytes`.
    pub(crate) output: *mut u8,
    pub(crate) bytes: usize,
    /// Whether streaming stores are wanted.
    pub(crate) stream: bool,
    /// Set if these are the last bytes, and the tag is wanted instead of the hash.
    pub(crate) finish: Option<Finish>,
}

/// The most messages of a [`Series`]: the blocks of a stride of the widest vectors.
pub(crate) const MAX_SERIES: usize = 32;

/// Messages of equal length at equal distances. The length is a multiple of [`State::series_unit`] and not 0.
#[derive(Clone, Copy)]
pub(crate) struct Series {
    /// Valid for reads of all messages; each message is equal to its output or disjoint from all outputs.
    pub(crate) input: *const u8,
    pub(crate) input_step: usize,
    /// Valid for writes of all messages.
    pub(crate) output: *mut u8,
    pub(crate) output_step: usize,
    /// Length of each message.
    pub(crate) bytes: usize,
    /// The hash before the first byte of the first message. The others have no associated data.
    pub(crate) hash: u128,
    /// The block of the two lengths in bits, for the first message and for the others.
    pub(crate) first_lengths: u128,
    pub(crate) lengths: u128,
    /// Whether streaming stores are wanted.
    pub(crate) stream: bool,
}

/// What a kernel prepares for a key.
pub(crate) enum State {
    #[cfg(target_arch = "x86_64")]
    Vaes512(Box<fused::Expanded>),
    #[cfg(target_arch = "x86_64")]
    Vaes256(Box<fused::Expanded>),
    #[cfg(target_arch = "x86_64")]
    AesNi(Box<fused::Expanded>),
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Armv8(Box<fused::Expanded>),
    Portable(Box<portable::Expanded>),
}

/// Call a function of the kernel that made a state.
macro_rules! dispatch {
    ($state:expr, $expanded:ident => $function:ident($($argument:expr),*)) => {
        // SAFETY: a state exists only if its kernel is available; the caller makes the promises about memory.
        unsafe {
            match $state {
                #[cfg(target_arch = "x86_64")]
                State::Vaes512($expanded) => vaes512::$function($($argument),*),
                #[cfg(target_arch = "x86_64")]
                State::Vaes256($expanded) => vaes256::$function($($argument),*),
                #[cfg(target_arch = "x86_64")]
                State::AesNi($expanded) => aesni::$function($($argument),*),
                #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
                State::Armv8($expanded) => armv8::$function($($argument),*),
                State::Portable($expanded) => portable::$function($($argument),*),
            }
        }
    };
}

impl State {
    /// Expand a key of 16, 24 or 32 bytes. Return the hash key, too; None if the kernel is not available.
    pub(crate) fn new(kernel: Kernel, key: &[u8]) -> Option<(Self, Element)> {
        if !kernel.is_available() {
            return None;
        }
        // SAFETY: the kernel is available.
        unsafe {
            Some(match kernel {
                #[cfg(target_arch = "x86_64")]
                Kernel::Vaes512 => with(Self::Vaes512, vaes512::expand(key)),
                #[cfg(target_arch = "x86_64")]
                Kernel::Vaes256 => with(Self::Vaes256, vaes256::expand(key)),
                #[cfg(target_arch = "x86_64")]
                Kernel::AesNi => with(Self::AesNi, aesni::expand(key)),
                #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
                Kernel::Armv8 => with(Self::Armv8, armv8::expand(key)),
                Kernel::Portable => with(Self::Portable, portable::expand(key)?),
                #[allow(unreachable_patterns, reason = "kernels of other processors")]
                _ => return None,
            })
        }
    }

    pub(crate) const fn kernel(&self) -> Kernel {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(_) => Kernel::Vaes512,
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(_) => Kernel::Vaes256,
            #[cfg(target_arch = "x86_64")]
            Self::AesNi(_) => Kernel::AesNi,
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Self::Armv8(_) => Kernel::Armv8,
            Self::Portable(_) => Kernel::Portable,
        }
    }

    /// Return the encrypted counter block.
    #[inline]
    pub(crate) fn encrypt_counter(&self, counter: u128) -> u128 {
        dispatch!(self, expanded => encrypt_counter(expanded, counter))
    }

    /// Return GHASH continued from `hash`, the last block padded with zeros.
    #[inline]
    pub(crate) fn hash(&self, hash: u128, data: &[u8]) -> u128 {
        dispatch!(self, expanded => hash(expanded, hash, data.as_ptr(), data.len()))
    }

    /// Encrypt and hash. Return the hash, or the tag if the job has a finish.
    ///
    /// # Safety
    /// The pointers of the job satisfy what [`Job`] requires.
    #[inline]
    pub(crate) unsafe fn seal(&self, job: &Job) -> u128 {
        dispatch!(self, expanded => seal(expanded, job))
    }

    /// Hash and decrypt. Return the hash, or the tag if the job has a finish.
    ///
    /// # Safety
    /// As [`State::seal`].
    #[inline]
    pub(crate) unsafe fn open(&self, job: &Job) -> u128 {
        dispatch!(self, expanded => open(expanded, job))
    }

    /// Return the number of bytes of which a message of a [`Series`] has a multiple.
    pub(crate) fn series_unit(&self) -> usize {
        dispatch!(self, _expanded => series_unit())
    }

    /// Encrypt and hash at most [`MAX_SERIES`] messages. `blocks` holds the first counter block of each, and is
    /// overwritten with their tags.
    ///
    /// # Safety
    /// The pointers of the series satisfy what [`Series`] requires for each of `blocks`.
    pub(crate) unsafe fn seal_series(&self, series: &Series, blocks: &mut [u128]) {
        dispatch!(self, expanded => seal_series(expanded, series, blocks));
    }

    /// Hash and decrypt messages as [`State::seal_series`]. The tags are those of the input.
    ///
    /// # Safety
    /// As [`State::seal_series`].
    pub(crate) unsafe fn open_series(&self, series: &Series, blocks: &mut [u128]) {
        dispatch!(self, expanded => open_series(expanded, series, blocks));
    }
}

fn with<T>(variant: impl Fn(T) -> State, (expanded, hash_key): (T, Element)) -> (State, Element) {
    (variant(expanded), hash_key)
}

/// Add to the lowest 32 bits of a counter block modulo 2^32, SP 800-38D, section 6.2.
#[inline]
pub(crate) fn add_counter(counter: u128, blocks: u64) -> u128 {
    let low = (counter as u32).wrapping_add(blocks as u32);
    counter & !u128::from(u32::MAX) | u128::from(low)
}

/// Define the functions of a kernel: the fused loops for one vector type, compiled for its instructions.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
macro_rules! functions {
    ($vector:ty, $features:literal) => {
        /// # Safety
        /// The kernel is available.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn expand(key: &[u8]) -> (Box<Expanded>, Element) {
            // SAFETY: the caller's promise.
            unsafe { Expanded::new::<$vector>(key) }
        }

        /// # Safety
        /// The kernel is available.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn encrypt_counter(expanded: &Expanded, counter: u128) -> u128 {
            // SAFETY: the caller's promise.
            unsafe { expanded.encrypt_counter::<$vector>(counter) }
        }

        /// # Safety
        /// The kernel is available, and `data` is valid for reads of `bytes`.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn hash(expanded: &Expanded, hash: u128, data: *const u8, bytes: usize) -> u128 {
            // SAFETY: the caller's promise.
            unsafe { expanded.hash::<$vector>(hash, data, bytes) }
        }

        /// # Safety
        /// The kernel is available, and the pointers satisfy what [`Job`] requires.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn seal(expanded: &Expanded, job: &Job) -> u128 {
            // SAFETY: the caller's promise.
            unsafe { expanded.crypt::<$vector, true>(job) }
        }

        /// # Safety
        /// The kernel is available, and the pointers satisfy what [`Job`] requires.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn open(expanded: &Expanded, job: &Job) -> u128 {
            // SAFETY: the caller's promise.
            unsafe { expanded.crypt::<$vector, false>(job) }
        }

        pub(super) const unsafe fn series_unit() -> usize {
            super::fused::stride_bytes::<$vector>()
        }

        /// # Safety
        /// The kernel is available, and the pointers satisfy what [`Series`] requires.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn seal_series(expanded: &Expanded, series: &Series, blocks: &mut [u128]) {
            // SAFETY: the caller's promise.
            unsafe { expanded.crypt_series::<$vector, true>(series, blocks) }
        }

        /// # Safety
        /// The kernel is available, and the pointers satisfy what [`Series`] requires.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn open_series(expanded: &Expanded, series: &Series, blocks: &mut [u128]) {
            // SAFETY: the caller's promise.
            unsafe { expanded.crypt_series::<$vector, false>(series, blocks) }
        }
    };
}
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
use functions;

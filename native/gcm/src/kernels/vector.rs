/// A vector of AES blocks and the instructions that the fused loops need.
///
/// Every function is unsafe for one reason only: the processor must have the kernel's instructions. The loops are
/// inlined into functions that enable these instructions, and those are called by [`super::Kernel`] values that were
/// checked.
pub(super) trait Vector: Copy {
    /// Blocks in a vector.
    const LANES: usize;
    /// Bytes in a vector.
    const BYTES: usize = 16 * Self::LANES;

    unsafe fn zero() -> Self;

    /// Return `block` in the first lane and zeros in the others, in the order of an integer.
    unsafe fn first(block: u128) -> Self;

    /// Return the first lane as an integer.
    unsafe fn to_first(self) -> u128;

    /// Return the same integer in each lane.
    unsafe fn splat(block: u128) -> Self;

    /// Return the first lane in each lane.
    unsafe fn splat_first(self) -> Self;

    /// Return the integers 0, 1, … in the lanes.
    unsafe fn indices() -> Self;

    /// # Safety
    /// `block` is valid for reads of 16 bytes.
    unsafe fn load_splat(block: *const u8) -> Self;

    /// # Safety
    /// `from` is valid for reads of [`Vector::BYTES`].
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// `to` is valid for writes of [`Vector::BYTES`].
    unsafe fn store(self, to: *mut u8);

    /// Store without reading the cache line first.
    ///
    /// # Safety
    /// `to` is valid for writes of [`Vector::BYTES`] and aligned to them.
    unsafe fn stream(self, to: *mut u8);

    /// As [`Vector::stream`], to an address that is aligned to 16 bytes.
    ///
    /// # Safety
    /// `to` is valid for writes of [`Vector::BYTES`] and aligned to 16 bytes.
    unsafe fn stream_blocks(self, to: *mut u8);

    /// Have the cache line at `from`, any address, read ahead of its use.
    unsafe fn prefetch(from: *const u8);

    /// Make streamed stores visible before later stores.
    unsafe fn fence();

    /// Return `bytes` from memory, 1 to [`Vector::BYTES`], and zeros after them.
    ///
    /// # Safety
    /// `from` is valid for reads of `bytes`.
    unsafe fn load_part(from: *const u8, bytes: usize) -> Self;

    /// Store the first `bytes`, 1 to [`Vector::BYTES`].
    ///
    /// # Safety
    /// `to` is valid for writes of `bytes`.
    unsafe fn store_part(self, to: *mut u8, bytes: usize);

    /// Return the first `bytes`, 1 to [`Vector::BYTES`], and zeros after them.
    unsafe fn keep(self, bytes: usize) -> Self;

    unsafe fn xor(self, other: Self) -> Self;

    /// Return the exclusive or of three vectors.
    unsafe fn xor3(self, second: Self, third: Self) -> Self;

    /// Return the exclusive or of all lanes in the first lane and zeros in the others.
    unsafe fn fold(self) -> Self;

    /// Reverse the bytes in each lane.
    unsafe fn reverse(self) -> Self;

    /// Exchange the halves of each lane.
    unsafe fn swap_halves(self) -> Self;

    /// Add the lowest 32 bits of each lane modulo 2^32; the other bits of `other` are zeros.
    unsafe fn add_counters(self, other: Self) -> Self;

    /// Make one AES round: SubBytes, ShiftRows, MixColumns, AddRoundKey.
    unsafe fn round(self, key: Self) -> Self;

    /// Make the last AES round, which has no MixColumns.
    unsafe fn last_round(self, key: Self) -> Self;

    /// Multiply the low halves of each lane without carries.
    unsafe fn multiply_low(self, other: Self) -> Self;

    /// Multiply the high halves of each lane without carries.
    unsafe fn multiply_high(self, other: Self) -> Self;
}

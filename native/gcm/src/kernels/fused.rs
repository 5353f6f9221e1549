//! The loops that all kernels with AES instructions share, for vectors of any width.
//!
//! A stride is [`STRIDE_VECTORS`] vectors. While the AES units encrypt the counters of one stride, the multiplier hashes
//! a stride of ciphertext: the same one when opening, the one before when sealing. The products of a stride are added
//! before they are reduced once (Gueron and Kounavis 2010, "aggregated reduction").
//!
//! Hashed blocks and powers are integers in the order of [`crate::field::Element`]. The powers are multiplied by x, so
//! that a carry-less product divided by x^128 is the product in the field.

use super::vector::Vector;
use super::{Finish, Job, MAX_SERIES, Series, add_counter};
use crate::field::Element;
use crate::schedule::Schedule;
use zeroize::Zeroize;

/// Vectors in a stride. Eight hide the latency of an AES round, and leave registers for the sums.
const STRIDE_VECTORS: usize = 8;
/// Bytes in a stride.
pub(super) const fn stride_bytes<V: Vector>() -> usize {
    STRIDE_VECTORS * V::BYTES
}
/// How a loop writes: through the caches, past them with whole vectors, or past them with blocks of 16 bytes.
const REGULAR: u8 = 0;
const STREAMING: u8 = 1;
const STREAMING_BLOCKS: u8 = 2;
/// Bytes from a load to what is prefetched with streaming stores, beside which a processor prefetches too little: on a
/// Zen 5 one thread takes 1 GiB at 12 GiB/s without and 20 with it. From 1 to 4 KiB make no difference to one thread;
/// two take 0.84 of the speed of a streaming copy with 1 or 2 KiB, and 0.80 with 4 KiB.
const AHEAD: usize = 2048;
/// Bytes of a cache line.
const LINE: usize = 64;
/// The most lanes of a vector.
const MAX_LANES: usize = 4;
/// A stride and one vector more, so that the lengths fit the last stride, and zeros that a vector load may touch.
const MAX_POWERS: usize = (STRIDE_VECTORS + 1) * MAX_LANES + MAX_LANES - 1;
/// The field polynomial without its lowest term, divided by x^64.
const POLYNOMIAL: u128 = 0xc200_0000_0000_0000;

/// The round keys and the powers of the hash key, highest first, times x, and then zeros.
#[repr(C, align(64))]
pub(crate) struct Expanded {
    powers: [u128; MAX_POWERS],
    /// The sum of the halves of each power, in the low half.
    halves: [u128; MAX_POWERS],
    schedule: Schedule,
}

impl Drop for Expanded {
    fn drop(&mut self) {
        self.powers.zeroize();
        self.halves.zeroize();
    }
}

/// Repeat a block of code with the index 0, 1, … below a constant of at most 9. The compiler may not unroll a loop, and
/// an array that is not indexed by constants is not held in registers.
macro_rules! unrolled {
    ($index:ident < $count:expr, $body:block) => {
        unrolled!(@ $index, $count, $body, 0 1 2 3 4 5 6 7 8)
    };
    (@ $index:ident, $count:expr, $body:block, $($value:literal)*) => {
        $({
            let $index: usize = $value;
            if $index < $count $body
        })*
    };
}

/// Products that are not reduced yet: of the low halves, of the sums of the halves, and of the high halves. The cross
/// products are the sum of all three (Karatsuba and Ofman, 1962), so that a block takes three multiplications.
#[derive(Clone, Copy)]
struct Sum<V> {
    low: V,
    middle: V,
    high: V,
}

impl<V: Vector> Sum<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller's promise about the processor.
        unsafe { Self { low: V::zero(), middle: V::zero(), high: V::zero() } }
    }

    #[inline(always)]
    unsafe fn add(&mut self, blocks: V, powers: V) {
        // SAFETY: as `add_with`.
        unsafe { self.add_with(blocks, powers, powers.xor(powers.swap_halves())) }
    }

    /// [`Sum::add`] with the sum of the halves of each power in its low half.
    #[inline(always)]
    unsafe fn add_with(&mut self, blocks: V, powers: V, halves: V) {
        // SAFETY: the caller's promise about the processor.
        unsafe {
            self.low = self.low.xor(blocks.multiply_low(powers));
            self.middle = self.middle.xor(blocks.xor(blocks.swap_halves()).multiply_low(halves));
            self.high = self.high.xor(blocks.multiply_high(powers));
        }
    }

    /// Divide the sum in each lane by x^128 modulo the field polynomial.
    #[inline(always)]
    unsafe fn reduce(self) -> V {
        // SAFETY: the caller's promise about the processor.
        unsafe {
            let polynomial = V::splat(POLYNOMIAL);
            let cross = self.middle.xor3(self.low, self.high);
            let middle = cross.xor3(self.low.multiply_low(polynomial), self.low.swap_halves());
            self.high.xor3(middle.multiply_low(polynomial), middle.swap_halves())
        }
    }
}

impl Expanded {
    /// Expand a key of 16, 24 or 32 bytes. Return the hash key, too.
    ///
    /// It is made where it stays, since each move would leave a copy on the stack.
    #[inline(always)]
    pub(super) unsafe fn new<V: Vector>(key: &[u8]) -> (Box<Self>, Element) {
        // SAFETY: the caller's promise about the processor; zero bytes are a value, since all fields are integers; `powers`
        // has room for a stride, a vector and the rest of one.
        unsafe {
            let mut place = Box::<Self>::new_uninit();
            place.as_mut_ptr().write_bytes(0, 1);
            let mut expanded = place.assume_init();
            expanded.schedule.expand(key, |word| {
                // ShiftRows changes nothing where all columns are equal, and a zero round key adds nothing.
                let words = u128::from(word) * 0x0000_0001_0000_0001_0000_0001_0000_0001;
                V::first(words).last_round(V::zero()).to_first() as u32
            });
            let hash_key = Element(expanded.encrypt_counter::<V>(0));
            let end = powers_end::<V>();
            let first = V::first(hash_key.times_x());
            let mut power = first;
            for lane in 0..V::LANES {
                expanded.powers[end - 1 - lane] = power.to_first();
                power = multiply(power, first);
            }
            // Vector i holds the powers from (i + 1) lanes down; those of vector 0 times H^(i lanes) are made in
            // log2(9) steps that depend on each other.
            let mut vectors = [V::load(expanded.powers.as_ptr().add(end - V::LANES).cast()); STRIDE_VECTORS + 1];
            unrolled!(i < STRIDE_VECTORS, {
                let step = 1 << (i + 1).ilog2();
                vectors[i + 1] = multiply(vectors[i + 1 - step], vectors[step - 1].splat_first());
                let at = end - (i + 2) * V::LANES;
                vectors[i + 1].store(expanded.powers.as_mut_ptr().add(at).cast());
            });
            let Self { powers, halves, .. } = &mut *expanded;
            for (half, power) in halves.iter_mut().zip(powers) {
                *half = *power ^ *power >> 64;
            }
            (expanded, hash_key)
        }
    }

    #[inline(always)]
    unsafe fn round_key<V: Vector>(&self, round: usize) -> V {
        debug_assert!(round <= self.schedule.rounds);
        // SAFETY: the schedule has 15 keys, and no caller asks for a round after the last.
        unsafe { V::load_splat(self.schedule.keys.as_ptr().add(round).cast()) }
    }

    /// Return the powers for a vector of blocks of which the first is followed by `after - 1` blocks.
    #[inline(always)]
    unsafe fn powers<V: Vector>(&self, after: usize) -> V {
        debug_assert!(after <= powers_end::<V>());
        // SAFETY: at most a stride and one vector follow, and the array ends with the zeros that a vector may read.
        unsafe { V::load(self.powers.as_ptr().add(powers_end::<V>() - after).cast()) }
    }

    /// Return the sums of the halves of [`Expanded::powers`].
    #[inline(always)]
    unsafe fn halves<V: Vector>(&self, after: usize) -> V {
        // SAFETY: as for `powers`.
        unsafe { V::load(self.halves.as_ptr().add(powers_end::<V>() - after).cast()) }
    }

    /// Return the encrypted counter block.
    #[inline(always)]
    pub(super) unsafe fn encrypt_counter<V: Vector>(&self, counter: u128) -> u128 {
        // SAFETY: the caller's promise about the processor.
        unsafe {
            let mut block = V::first(counter).reverse().xor(self.round_key(0));
            for round in 1..self.schedule.rounds {
                block = block.round(self.round_key(round));
            }
            block.last_round(self.round_key(self.schedule.rounds)).reverse().to_first()
        }
    }

    /// Encrypt the counters of a stride except for the last round, and hash a stride meanwhile.
    ///
    /// When sealing, these are `blocks`; when opening, they are read from `ciphertext`. `hash` is added to the first.
    #[inline(always)]
    unsafe fn stride<V: Vector, const SEAL: bool, const HASHED: bool>(
        &self,
        counters: &mut V,
        ciphertext: *const u8,
        blocks: &[V; STRIDE_VECTORS],
        hash: V,
    ) -> ([V; STRIDE_VECTORS], V) {
        // SAFETY: the caller's promise about the processor, and that a stride can be read from `ciphertext`.
        unsafe {
            let mut states = self.counter_blocks::<V, STRIDE_VECTORS>(counters);
            let mut sum = Sum::zero();
            unrolled!(i < 9, {
                let key = self.round_key::<V>(i + 1);
                unrolled!(j < STRIDE_VECTORS, { states[j] = states[j].round(key) });
                if HASHED && i < STRIDE_VECTORS {
                    let mut block = if SEAL { blocks[i] } else { V::load(ciphertext.add(i * V::BYTES)).reverse() };
                    if i == 0 {
                        block = block.xor(hash);
                    }
                    sum.add_with(
                        block,
                        self.powers((STRIDE_VECTORS - i) * V::LANES),
                        self.halves((STRIDE_VECTORS - i) * V::LANES),
                    );
                }
            });
            let hash = if HASHED { sum.reduce().fold() } else { hash };
            for round in 10..self.schedule.rounds {
                let key = self.round_key::<V>(round);
                unrolled!(j < STRIDE_VECTORS, { states[j] = states[j].round(key) });
            }
            (states, hash)
        }
    }

    /// Return the next counter blocks with the first round key added.
    #[inline(always)]
    unsafe fn counter_blocks<V: Vector, const N: usize>(&self, counters: &mut V) -> [V; N] {
        // SAFETY: the caller's promise about the processor.
        unsafe {
            let key = self.round_key::<V>(0);
            let step = V::splat(V::LANES as u128);
            let mut blocks = [V::zero(); N];
            unrolled!(i < N, {
                blocks[i] = counters.reverse().xor(key);
                *counters = counters.add_counters(step);
            });
            blocks
        }
    }

    /// Encrypt (`SEAL`) or decrypt the bytes of a job and hash its ciphertext. Return the hash, or the tag if the job
    /// finishes a message.
    #[inline(always)]
    pub(super) unsafe fn crypt<V: Vector, const SEAL: bool>(&self, job: &Job) -> u128 {
        let aligned = job.output.addr().is_multiple_of(16) && job.input != job.output;
        // SAFETY: the caller's promises about the processor and about the memory.
        unsafe {
            if job.stream && aligned && job.bytes > 2 * STRIDE_VECTORS * V::BYTES {
                let head = (job.output.addr().wrapping_neg()) % V::BYTES;
                let mut rest = *job;
                if head > 0 {
                    rest.hash = self.part::<V, 1, SEAL>(&Job { bytes: head, finish: None, ..*job });
                    rest.counter = add_counter(job.counter, (head / 16) as u64);
                    rest.input = job.input.add(head);
                    rest.output = job.output.add(head);
                    rest.bytes -= head;
                }
                let result = self.strides::<V, SEAL, STREAMING>(&rest);
                V::fence();
                result
            } else {
                self.strides::<V, SEAL, REGULAR>(job)
            }
        }
    }

    #[inline(always)]
    unsafe fn strides<V: Vector, const SEAL: bool, const STORES: u8>(&self, job: &Job) -> u128 {
        let stride = stride_bytes::<V>();
        let mut rest = *job;
        // SAFETY: the caller's promises; the loop ends before less than a byte is left, and each pass advances by the
        // stride that it has read and written.
        unsafe {
            if rest.bytes > stride {
                let mut counters = V::splat(rest.counter).add_counters(V::indices());
                let mut hash = V::first(rest.hash);
                let mut blocks = [V::zero(); STRIDE_VECTORS];
                let mut first = SEAL;
                while rest.bytes > stride {
                    let (states, next) = if first {
                        self.stride::<V, SEAL, false>(&mut counters, rest.input, &blocks, hash)
                    } else {
                        self.stride::<V, SEAL, true>(&mut counters, rest.input, &blocks, hash)
                    };
                    first = false;
                    hash = next;
                    blocks = self.write::<V, SEAL, STORES>(states, rest.input, rest.output);
                    rest.input = rest.input.add(stride);
                    rest.output = rest.output.add(stride);
                    rest.bytes -= stride;
                }
                if SEAL {
                    hash = self.hash_stride(blocks, hash);
                }
                rest.hash = hash.to_first();
                rest.counter = counters.to_first();
            }
            match rest.bytes.div_ceil(V::BYTES) {
                0 => self.part::<V, 0, SEAL>(&rest),
                1 => self.part::<V, 1, SEAL>(&rest),
                2 => self.part::<V, 2, SEAL>(&rest),
                3 => self.part::<V, 3, SEAL>(&rest),
                4 => self.part::<V, 4, SEAL>(&rest),
                5 => self.part::<V, 5, SEAL>(&rest),
                6 => self.part::<V, 6, SEAL>(&rest),
                7 => self.part::<V, 7, SEAL>(&rest),
                _ => self.part::<V, 8, SEAL>(&rest),
            }
        }
    }

    /// Make the last round of a stride and write its output. Return the ciphertext when sealing, otherwise zeros.
    #[inline(always)]
    unsafe fn write<V: Vector, const SEAL: bool, const STORES: u8>(
        &self,
        mut states: [V; STRIDE_VECTORS],
        input: *const u8,
        output: *mut u8,
    ) -> [V; STRIDE_VECTORS] {
        // SAFETY: the caller's promises about the processor, and that a stride can be read and written.
        unsafe {
            let mut blocks = [V::zero(); STRIDE_VECTORS];
            let key = self.round_key::<V>(self.schedule.rounds);
            unrolled!(i < STRIDE_VECTORS, {
                let text = V::load(input.add(i * V::BYTES));
                if STORES != REGULAR && (i * V::BYTES).is_multiple_of(LINE) {
                    V::prefetch(input.wrapping_add(i * V::BYTES + AHEAD));
                }
                states[i] = states[i].last_round(key.xor(text));
            });
            unrolled!(i < STRIDE_VECTORS, {
                let to = output.add(i * V::BYTES);
                match STORES {
                    STREAMING => states[i].stream(to),
                    STREAMING_BLOCKS => states[i].stream_blocks(to),
                    _ => states[i].store(to),
                }
                if SEAL {
                    blocks[i] = states[i].reverse();
                }
            });
            blocks
        }
    }

    /// Return GHASH continued from `hash` over a stride.
    #[inline(always)]
    unsafe fn hash_stride<V: Vector>(&self, mut blocks: [V; STRIDE_VECTORS], hash: V) -> V {
        // SAFETY: the caller's promise about the processor.
        unsafe {
            blocks[0] = blocks[0].xor(hash);
            let mut sum = Sum::zero();
            unrolled!(i < STRIDE_VECTORS, {
                sum.add(blocks[i], self.powers((STRIDE_VECTORS - i) * V::LANES));
            });
            sum.reduce().fold()
        }
    }

    /// Return GHASH continued from `hash` over the block of the two lengths.
    #[inline(always)]
    unsafe fn finish<V: Vector>(&self, hash: V, lengths: u128) -> u128 {
        // SAFETY: the caller's promise about the processor.
        unsafe {
            let mut sum = Sum::zero();
            sum.add(hash.xor(V::first(lengths)), self.powers(1));
            sum.reduce().fold().to_first()
        }
    }

    /// Process a series of messages. `blocks` holds their first counter blocks, and then their tags.
    ///
    /// The messages are one sequence of strides: the last stride of a message is hashed while the first one of the next
    /// is encrypted, and all tags are masked by counter blocks that are encrypted together at first.
    #[inline(always)]
    pub(super) unsafe fn crypt_series<V: Vector, const SEAL: bool>(&self, series: &Series, blocks: &mut [u128]) {
        let aligned = |bytes| series.output.addr().is_multiple_of(bytes) && series.output_step.is_multiple_of(bytes);
        // SAFETY: the caller's promises about the processor and about the memory.
        unsafe {
            let stream = series.stream && series.input != series.output;
            if stream && aligned(V::BYTES) {
                self.strides_of_series::<V, SEAL, STREAMING>(series, blocks);
                V::fence();
            } else if stream && aligned(16) {
                self.strides_of_series::<V, SEAL, STREAMING_BLOCKS>(series, blocks);
                V::fence();
            } else {
                self.strides_of_series::<V, SEAL, REGULAR>(series, blocks);
            }
        }
    }

    #[inline(always)]
    unsafe fn strides_of_series<V: Vector, const SEAL: bool, const STORES: u8>(
        &self,
        series: &Series,
        blocks: &mut [u128],
    ) {
        let stride = stride_bytes::<V>();
        debug_assert!(series.bytes > 0 && series.bytes.is_multiple_of(stride));
        debug_assert!((1..=MAX_SERIES).contains(&blocks.len()));
        // SAFETY: the caller's promises; each pass reads and writes a stride of a message that has one left.
        unsafe {
            let mut masks = [0; MAX_SERIES];
            masks[..blocks.len()].copy_from_slice(blocks);
            let group = STRIDE_VECTORS * V::LANES;
            for group in masks[..blocks.len().next_multiple_of(group)].chunks_exact_mut(group) {
                self.encrypt_counters::<V>(group);
            }
            let mut hash = V::first(series.hash);
            let mut lengths = series.first_lengths;
            let mut ciphertext = [V::zero(); STRIDE_VECTORS];
            let messages = blocks.len();
            let (mut message, mut at, mut first) = (0, 0, SEAL);
            let (mut input, mut output) = (series.input, series.output);
            let mut counters = V::splat(add_counter(blocks[0], 1)).add_counters(V::indices());
            loop {
                let (states, next) = if first {
                    self.stride::<V, SEAL, false>(&mut counters, input, &ciphertext, hash)
                } else {
                    self.stride::<V, SEAL, true>(&mut counters, input, &ciphertext, hash)
                };
                first = false;
                hash = next;
                if SEAL && at == 0 && message > 0 {
                    blocks[message - 1] = self.finish(hash, lengths) ^ masks[message - 1];
                    hash = V::zero();
                    lengths = series.lengths;
                }
                ciphertext = self.write::<V, SEAL, STORES>(states, input, output);
                input = input.add(stride);
                output = output.add(stride);
                at += stride;
                if at < series.bytes {
                    continue;
                }
                if !SEAL {
                    blocks[message] = self.finish(hash, lengths) ^ masks[message];
                    hash = V::zero();
                    lengths = series.lengths;
                }
                message += 1;
                if message == messages {
                    break;
                }
                at = 0;
                input = series.input.add(message * series.input_step);
                output = series.output.add(message * series.output_step);
                counters = V::splat(add_counter(blocks[message], 1)).add_counters(V::indices());
            }
            if SEAL {
                let hash = self.hash_stride(ciphertext, hash);
                blocks[messages - 1] = self.finish(hash, lengths) ^ masks[messages - 1];
            }
            masks.zeroize();
        }
    }

    /// Encrypt a stride of counter blocks in place.
    #[inline(always)]
    unsafe fn encrypt_counters<V: Vector>(&self, counters: &mut [u128]) {
        debug_assert_eq!(counters.len(), STRIDE_VECTORS * V::LANES);
        // SAFETY: the caller's promise about the processor; the slice has the length of a stride.
        unsafe {
            let place = counters.as_mut_ptr();
            let key = self.round_key::<V>(0);
            let mut states = [V::zero(); STRIDE_VECTORS];
            unrolled!(i < STRIDE_VECTORS, {
                states[i] = V::load(place.add(i * V::LANES).cast()).reverse().xor(key);
            });
            for round in 1..self.schedule.rounds {
                let key = self.round_key::<V>(round);
                unrolled!(i < STRIDE_VECTORS, { states[i] = states[i].round(key) });
            }
            let key = self.round_key::<V>(self.schedule.rounds);
            unrolled!(i < STRIDE_VECTORS, {
                states[i].last_round(key).reverse().store(place.add(i * V::LANES).cast());
            });
        }
    }

    /// Process a job of `N` vectors, of which the last may be incomplete.
    #[inline(always)]
    unsafe fn part<V: Vector, const N: usize, const SEAL: bool>(&self, job: &Job) -> u128 {
        // SAFETY: the caller's promises; all vectors but the last are complete, and the last has `last` bytes.
        unsafe {
            let last = job.bytes.wrapping_sub(N.saturating_sub(1) * V::BYTES);
            let mut counters = V::splat(job.counter).add_counters(V::indices());
            let mut states = self.counter_blocks::<V, N>(&mut counters);
            let Finish { counter, lengths } = job.finish.unwrap_or_default();
            let mut mask = V::first(counter).reverse().xor(self.round_key(0));
            for round in 1..self.schedule.rounds {
                let key = self.round_key::<V>(round);
                unrolled!(i < N, { states[i] = states[i].round(key) });
                mask = mask.round(key);
            }
            let key = self.round_key::<V>(self.schedule.rounds);
            let mask = mask.last_round(key).reverse().to_first();

            let after = job.bytes.div_ceil(16) + usize::from(job.finish.is_some());
            let mut sum = Sum::zero();
            unrolled!(i < N, {
                let at = i * V::BYTES;
                let complete = i + 1 < N || last == V::BYTES;
                let text = if complete { V::load(job.input.add(at)) } else { V::load_part(job.input.add(at), last) };
                let mut result = states[i].last_round(key.xor(text));
                if complete {
                    result.store(job.output.add(at));
                } else {
                    result.store_part(job.output.add(at), last);
                    result = result.keep(last);
                }
                let mut block = if SEAL { result } else { text }.reverse();
                if i == 0 {
                    block = block.xor(V::first(job.hash));
                }
                sum.add(block, self.powers(after - i * V::LANES));
            });
            if job.finish.is_none() {
                return if N == 0 { job.hash } else { sum.reduce().fold().to_first() };
            }
            let lengths = if N == 0 { lengths ^ job.hash } else { lengths };
            sum.add(V::first(lengths), self.powers(1));
            sum.reduce().fold().to_first() ^ mask
        }
    }

    /// Return GHASH continued from `hash` over `bytes`, the last block padded with zeros.
    #[inline(always)]
    pub(super) unsafe fn hash<V: Vector>(&self, hash: u128, data: *const u8, bytes: usize) -> u128 {
        // SAFETY: the caller's promises; each pass reads what it subtracts from `rest`.
        unsafe {
            let (mut data, mut rest) = (data, bytes);
            let mut hash = V::first(hash);
            while rest > 0 {
                let here = rest.min(STRIDE_VECTORS * V::BYTES);
                let mut sum = Sum::zero();
                if here == STRIDE_VECTORS * V::BYTES {
                    unrolled!(i < STRIDE_VECTORS, {
                        let mut block = V::load(data.add(i * V::BYTES)).reverse();
                        if i == 0 {
                            block = block.xor(hash);
                        }
                        sum.add_with(
                            block,
                            self.powers((STRIDE_VECTORS - i) * V::LANES),
                            self.halves((STRIDE_VECTORS - i) * V::LANES),
                        );
                    });
                } else {
                    let after = here.div_ceil(16);
                    for at in (0..here).step_by(V::BYTES) {
                        let mut block = V::load_part(data.add(at), (here - at).min(V::BYTES)).reverse();
                        if at == 0 {
                            block = block.xor(hash);
                        }
                        sum.add(block, self.powers(after - at / 16));
                    }
                }
                hash = sum.reduce().fold();
                data = data.add(here);
                rest -= here;
            }
            hash.to_first()
        }
    }
}

/// Return the product of each lane of field elements times x.
#[inline(always)]
unsafe fn multiply<V: Vector>(a: V, b: V) -> V {
    // SAFETY: the caller's promise about the processor.
    unsafe {
        let mut sum = Sum::zero();
        sum.add(a, b);
        sum.reduce()
    }
}

/// Return the index after the last power, which is H.
const fn powers_end<V: Vector>() -> usize {
    (STRIDE_VECTORS + 1) * V::LANES
}

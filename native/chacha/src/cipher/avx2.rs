//! ChaCha20 with AVX2.
//!
//! Eight blocks are computed in columns: a register has the same word of each block, so the rounds need no shuffles and
//! the words are transposed at the end. Up to four blocks are computed in rows: a register has a row of four words of
//! two blocks, as Goll and Gueron describe it for ChaCha ("Vectorization on ChaCha Stream Cipher", ITNG 2014).

use super::{BLOCK, State};
use chacha20::cipher::InOutBuf;
use std::arch::x86_64::*;
use zeroize::Zeroizing;

/// Blocks in one pass.
const PASS: usize = 8;

/// A block of keystream.
type Block = [__m256i; 2];

#[target_feature(enable = "avx2")]
pub(super) fn apply(state: &mut State, mut data: InOutBuf<'_, '_, u8>) {
    while data.len() >= PASS * BLOCK {
        let (pass, rest) = data.split_at(PASS * BLOCK);
        xor(pass, &columns(state));
        // The counter may only wrap after the last block of the longest message.
        state[12] = state[12].wrapping_add(PASS as u32);
        data = rest;
    }
    match data.len().div_ceil(BLOCK) {
        0 => {}
        1..=2 => xor(data, rows::<1>(state).as_flattened()),
        3..=4 => xor(data, rows::<2>(state).as_flattened()),
        _ => xor(data, &columns(state)),
    }
}

/// Combine the data with as many blocks of keystream as it has.
#[inline]
#[target_feature(enable = "avx2")]
fn xor(mut data: InOutBuf<'_, '_, u8>, keystream: &[Block]) {
    for [low, high] in keystream {
        if data.len() < BLOCK {
            if data.is_empty() {
                return;
            }
            let mut bytes = Zeroizing::new([0_u64; BLOCK / 8]);
            let pointer = bytes.as_mut_ptr().cast::<__m256i>();
            // SAFETY: the array has the length of both registers.
            unsafe {
                _mm256_storeu_si256(pointer, *low);
                _mm256_storeu_si256(pointer.add(1), *high);
            }
            let bytes = Zeroizing::new(bytes.map(u64::to_le_bytes));
            data.xor_in2out(&bytes.as_flattened()[..data.len()]);
            return;
        }
        let (block, rest) = data.split_at(BLOCK);
        data = rest;
        let (input, output) = block.into_raw();
        let (input, output) = (input.cast::<__m256i>(), output.cast::<__m256i>());
        // SAFETY: input and output have the length of two registers and are equal or disjoint; both are read first.
        unsafe {
            let text = [_mm256_loadu_si256(input), _mm256_loadu_si256(input.add(1))];
            _mm256_storeu_si256(output, _mm256_xor_si256(text[0], *low));
            _mm256_storeu_si256(output.add(1), _mm256_xor_si256(text[1], *high));
        }
    }
}

/// Return eight blocks of keystream.
#[inline]
#[target_feature(enable = "avx2")]
fn columns(state: &State) -> [Block; PASS] {
    let mut words = [_mm256_setzero_si256(); 16];
    for (register, word) in words.iter_mut().zip(state) {
        *register = _mm256_set1_epi32(*word as i32);
    }
    let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    words[12] = _mm256_add_epi32(words[12], places);
    for _ in 0..10 {
        for column in 0..4 {
            quarter_round(&mut words, [column, column + 4, column + 8, column + 12]);
        }
        for column in 0..4 {
            let row = |row: usize| 4 * row + (column + row) % 4;
            quarter_round(&mut words, [row(0), row(1), row(2), row(3)]);
        }
    }
    // There are as many words as registers, so the start is not kept but made again from memory.
    for (register, word) in words.iter_mut().zip(state) {
        *register = _mm256_add_epi32(*register, _mm256_set1_epi32(*word as i32));
    }
    words[12] = _mm256_add_epi32(words[12], places);

    // Words 0 to 3, 4 to 7, 8 to 11 and 12 to 15 of blocks k and 4 + k, for k from 0 to 3.
    let [a, b, c, d] = [quads(&words, 0), quads(&words, 4), quads(&words, 8), quads(&words, 12)];
    let mut blocks = [[_mm256_setzero_si256(); 2]; PASS];
    for k in 0..4 {
        [blocks[k], blocks[4 + k]] = blocks_of_rows([a[k], b[k], c[k], d[k]]);
    }
    blocks
}

/// Return four words from a number on, side by side, of blocks k and 4 + k for k from 0 to 3.
#[inline]
#[target_feature(enable = "avx2")]
fn quads(words: &[__m256i; 16], from: usize) -> [__m256i; 4] {
    let low =
        [_mm256_unpacklo_epi32(words[from], words[from + 1]), _mm256_unpacklo_epi32(words[from + 2], words[from + 3])];
    let high =
        [_mm256_unpackhi_epi32(words[from], words[from + 1]), _mm256_unpackhi_epi32(words[from + 2], words[from + 3])];
    [
        _mm256_unpacklo_epi64(low[0], low[1]),
        _mm256_unpackhi_epi64(low[0], low[1]),
        _mm256_unpacklo_epi64(high[0], high[1]),
        _mm256_unpackhi_epi64(high[0], high[1]),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn quarter_round(words: &mut [__m256i; 16], [a, b, c, d]: [usize; 4]) {
    [words[a], words[b], words[c], words[d]] = mix([words[a], words[b], words[c], words[d]]);
}

/// Return the quarter round of RFC 8439, section 2.1, of all words of four registers.
#[inline]
#[target_feature(enable = "avx2")]
fn mix([mut a, mut b, mut c, mut d]: [__m256i; 4]) -> [__m256i; 4] {
    // A rotation by whole bytes is one shuffle.
    let by_16 =
        _mm256_setr_epi64x(0x0504_0706_0100_0302, 0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302, 0x0d0c_0f0e_0908_0b0a);
    let by_8 =
        _mm256_setr_epi64x(0x0605_0407_0201_0003, 0x0e0d_0c0f_0a09_080b, 0x0605_0407_0201_0003, 0x0e0d_0c0f_0a09_080b);
    a = _mm256_add_epi32(a, b);
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by_16);
    c = _mm256_add_epi32(c, d);
    b = rotate::<12, 20>(_mm256_xor_si256(b, c));
    a = _mm256_add_epi32(a, b);
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by_8);
    c = _mm256_add_epi32(c, d);
    b = rotate::<7, 25>(_mm256_xor_si256(b, c));
    [a, b, c, d]
}

/// Rotate each word to the left by `LEFT` bits; `RIGHT` is 32 − `LEFT`.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(words: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(words), _mm256_srli_epi32::<RIGHT>(words))
}

/// Return `GROUPS` times two blocks of keystream.
#[inline]
#[target_feature(enable = "avx2")]
fn rows<const GROUPS: usize>(state: &State) -> [[Block; 2]; GROUPS] {
    let mut first = [_mm256_setzero_si256(); 4];
    let (words, _) = state.as_chunks::<4>();
    for (register, row) in first.iter_mut().zip(words) {
        // SAFETY: a row is as long as the register that is loaded.
        *register = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
    }
    first[3] = _mm256_add_epi32(first[3], _mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0));
    let mut start = [first; GROUPS];
    for group in 1..GROUPS {
        start[group][3] = _mm256_add_epi32(start[group - 1][3], _mm256_setr_epi32(2, 0, 0, 0, 2, 0, 0, 0));
    }
    let mut groups = start;
    for _ in 0..10 {
        for group in &mut groups {
            let [a, b, c, d] = mix(*group);
            // Diagonals become columns.
            let b = _mm256_shuffle_epi32::<0b00_11_10_01>(b);
            let c = _mm256_shuffle_epi32::<0b01_00_11_10>(c);
            let d = _mm256_shuffle_epi32::<0b10_01_00_11>(d);
            let [a, b, c, d] = mix([a, b, c, d]);
            let b = _mm256_shuffle_epi32::<0b10_01_00_11>(b);
            let c = _mm256_shuffle_epi32::<0b01_00_11_10>(c);
            let d = _mm256_shuffle_epi32::<0b00_11_10_01>(d);
            *group = [a, b, c, d];
        }
    }
    let mut blocks = [[[_mm256_setzero_si256(); 2]; 2]; GROUPS];
    for ((blocks, mut rows), start) in blocks.iter_mut().zip(groups).zip(start) {
        for (row, added) in rows.iter_mut().zip(start) {
            *row = _mm256_add_epi32(*row, added);
        }
        *blocks = blocks_of_rows(rows);
    }
    blocks
}

/// Return two blocks, for registers that have a row of each.
#[inline]
#[target_feature(enable = "avx2")]
fn blocks_of_rows([a, b, c, d]: [__m256i; 4]) -> [Block; 2] {
    [
        [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x20>(c, d)],
        [_mm256_permute2x128_si256::<0x31>(a, b), _mm256_permute2x128_si256::<0x31>(c, d)],
    ]
}

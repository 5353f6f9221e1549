//! ChaCha20 with AVX-512.
//!
//! Sixteen blocks are computed in columns: a register has the same word of each block, so the rounds need no shuffles
//! and the words are transposed at the end. Up to eight blocks are computed in rows: a register has a row of four words
//! of four blocks, as Goll and Gueron describe it for ChaCha ("Vectorization on ChaCha Stream Cipher", ITNG 2014).

use super::{BLOCK, State};
use chacha20::cipher::InOutBuf;
use std::arch::x86_64::*;

/// Blocks in one pass.
const PASS: usize = 16;

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn apply(state: &mut State, mut data: InOutBuf<'_, '_, u8>) {
    while data.len() >= PASS * BLOCK {
        let (pass, rest) = data.split_at(PASS * BLOCK);
        xor(pass, &columns(state));
        // The counter may only wrap after the last block of the longest message.
        state[12] = state[12].wrapping_add(PASS as u32);
        data = rest;
    }
    while !data.is_empty() {
        let length = data.len().min(8 * BLOCK);
        let (part, rest) = data.split_at(length);
        if part.len() > 4 * BLOCK {
            xor(part, rows::<2>(state).as_flattened());
        } else {
            xor(part, rows::<1>(state).as_flattened());
        }
        state[12] = state[12].wrapping_add(8);
        data = rest;
    }
}

/// Combine the data with as many blocks of keystream as it has.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor(data: InOutBuf<'_, '_, u8>, keystream: &[__m512i]) {
    let length = data.len();
    let (input, output) = data.into_raw();
    for (index, block) in keystream.iter().enumerate() {
        let start = index * BLOCK;
        if start + BLOCK <= length {
            // SAFETY: the block lies in input and output, which are equal or disjoint; it is read before it is written.
            unsafe {
                let text = _mm512_loadu_si512(input.add(start).cast());
                _mm512_storeu_si512(output.add(start).cast(), _mm512_xor_si512(text, *block));
            }
        } else {
            let rest = length.saturating_sub(start);
            if rest > 0 {
                let bytes = (1 << rest) - 1;
                // SAFETY: as above; the mask selects the bytes inside the buffers.
                unsafe {
                    let text = _mm512_maskz_loadu_epi8(bytes, input.add(start).cast());
                    _mm512_mask_storeu_epi8(output.add(start).cast(), bytes, _mm512_xor_si512(text, *block));
                }
            }
            return;
        }
    }
}

/// Return 16 blocks of keystream.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns(state: &State) -> [__m512i; PASS] {
    let mut start = [_mm512_setzero_si512(); 16];
    for (register, word) in start.iter_mut().zip(state) {
        *register = _mm512_set1_epi32(*word as i32);
    }
    start[12] = _mm512_add_epi32(start[12], _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    let mut words = start;
    for _ in 0..10 {
        for column in 0..4 {
            quarter_round(&mut words, [column, column + 4, column + 8, column + 12]);
        }
        for column in 0..4 {
            let row = |row: usize| 4 * row + (column + row) % 4;
            quarter_round(&mut words, [row(0), row(1), row(2), row(3)]);
        }
    }
    for (register, added) in words.iter_mut().zip(start) {
        *register = _mm512_add_epi32(*register, added);
    }

    // Four words of a block side by side: quads[k][g] has words 4g to 4g + 3 of blocks k, 4 + k, 8 + k and 12 + k.
    let mut quads = [[_mm512_setzero_si512(); 4]; 4];
    for group in 0..4 {
        let word = |index: usize| words[4 * group + index];
        let low = [_mm512_unpacklo_epi32(word(0), word(1)), _mm512_unpacklo_epi32(word(2), word(3))];
        let high = [_mm512_unpackhi_epi32(word(0), word(1)), _mm512_unpackhi_epi32(word(2), word(3))];
        quads[0][group] = _mm512_unpacklo_epi64(low[0], low[1]);
        quads[1][group] = _mm512_unpackhi_epi64(low[0], low[1]);
        quads[2][group] = _mm512_unpacklo_epi64(high[0], high[1]);
        quads[3][group] = _mm512_unpackhi_epi64(high[0], high[1]);
    }
    let mut blocks = [_mm512_setzero_si512(); PASS];
    for (first, rows) in quads.iter().enumerate() {
        for (index, block) in blocks_of_rows(rows).into_iter().enumerate() {
            blocks[4 * index + first] = block;
        }
    }
    blocks
}

#[inline]
#[target_feature(enable = "avx512f")]
fn quarter_round(words: &mut [__m512i; 16], [a, b, c, d]: [usize; 4]) {
    [words[a], words[b], words[c], words[d]] = mix([words[a], words[b], words[c], words[d]]);
}

/// Return the quarter round of RFC 8439, section 2.1, of all words of four registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn mix([mut a, mut b, mut c, mut d]: [__m512i; 4]) -> [__m512i; 4] {
    a = _mm512_add_epi32(a, b);
    d = _mm512_rol_epi32::<16>(_mm512_xor_si512(d, a));
    c = _mm512_add_epi32(c, d);
    b = _mm512_rol_epi32::<12>(_mm512_xor_si512(b, c));
    a = _mm512_add_epi32(a, b);
    d = _mm512_rol_epi32::<8>(_mm512_xor_si512(d, a));
    c = _mm512_add_epi32(c, d);
    b = _mm512_rol_epi32::<7>(_mm512_xor_si512(b, c));
    [a, b, c, d]
}

/// Return `GROUPS` times four blocks of keystream.
#[inline]
#[target_feature(enable = "avx512f")]
fn rows<const GROUPS: usize>(state: &State) -> [[__m512i; 4]; GROUPS] {
    let mut first = [_mm512_setzero_si512(); 4];
    let (words, _) = state.as_chunks::<4>();
    for (register, row) in first.iter_mut().zip(words) {
        // SAFETY: a row is as long as the register that is loaded.
        *register = _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
    }
    first[3] = _mm512_add_epi32(first[3], _mm512_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0));
    let mut start = [first; GROUPS];
    for group in 1..GROUPS {
        start[group][3] =
            _mm512_add_epi32(start[group - 1][3], _mm512_setr_epi32(4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0));
    }
    let mut groups = start;
    for _ in 0..10 {
        for group in &mut groups {
            let [a, b, c, d] = mix(*group);
            // Diagonals become columns.
            let b = _mm512_shuffle_epi32::<0b00_11_10_01>(b);
            let c = _mm512_shuffle_epi32::<0b01_00_11_10>(c);
            let d = _mm512_shuffle_epi32::<0b10_01_00_11>(d);
            let [a, b, c, d] = mix([a, b, c, d]);
            let b = _mm512_shuffle_epi32::<0b10_01_00_11>(b);
            let c = _mm512_shuffle_epi32::<0b01_00_11_10>(c);
            let d = _mm512_shuffle_epi32::<0b00_11_10_01>(d);
            *group = [a, b, c, d];
        }
    }
    let mut blocks = start;
    for ((blocks, group), start) in blocks.iter_mut().zip(groups).zip(start) {
        let mut rows = group;
        for (row, added) in rows.iter_mut().zip(start) {
            *row = _mm512_add_epi32(*row, added);
        }
        *blocks = blocks_of_rows(&rows);
    }
    blocks
}

/// Return four blocks, for registers that have a row of each.
#[inline]
#[target_feature(enable = "avx512f")]
fn blocks_of_rows([a, b, c, d]: &[__m512i; 4]) -> [__m512i; 4] {
    let [low_ab, low_cd] = [_mm512_shuffle_i32x4::<0x44>(*a, *b), _mm512_shuffle_i32x4::<0x44>(*c, *d)];
    let [high_ab, high_cd] = [_mm512_shuffle_i32x4::<0xee>(*a, *b), _mm512_shuffle_i32x4::<0xee>(*c, *d)];
    [
        _mm512_shuffle_i32x4::<0x88>(low_ab, low_cd),
        _mm512_shuffle_i32x4::<0xdd>(low_ab, low_cd),
        _mm512_shuffle_i32x4::<0x88>(high_ab, high_cd),
        _mm512_shuffle_i32x4::<0xdd>(high_ab, high_cd),
    ]
}

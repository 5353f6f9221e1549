//! HC-128 (Wu, eSTREAM portfolio 2008): each step updates one word of two tables of 512 and outputs one word.

use super::memory::{Memory, Scalar};
use super::sharing::Generator;
use crate::export::Failure;
use std::array;
use zeroize::{Zeroize, Zeroizing};

const KEY_BYTES: usize = 16;
const NONCE_BYTES: usize = 16;
const TABLE_WORDS: usize = 512;

pub(super) struct Hc128<M: Memory> {
    p: [M::U32; TABLE_WORDS],
    q: [M::U32; TABLE_WORDS],
    step: M::U32,
}

fn f1(x: u32) -> u32 {
    x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3)
}

fn f2(x: u32) -> u32 {
    x.rotate_right(17) ^ x.rotate_right(19) ^ (x >> 10)
}

/// Return the word `distance` places before place `j`, modulo the table.
#[inline(always)]
fn preceding<S: Scalar<u32>>(table: &[S; TABLE_WORDS], j: usize, distance: usize) -> u32 {
    table[(j + TABLE_WORDS - distance) % TABLE_WORDS].get()
}

#[inline(always)]
fn h<S: Scalar<u32>>(table: &[S; TABLE_WORDS], x: u32) -> u32 {
    let [low, _, third, _] = x.to_le_bytes();
    table[usize::from(low)].get().wrapping_add(table[256 + usize::from(third)].get())
}

impl<M: Memory> Hc128<M> {
    /// Return the new word `j` of P, and the word of Q that masks it.
    #[inline(always)]
    fn step_p(&self, j: usize) -> (u32, u32) {
        let p = &self.p;
        let g = (preceding(p, j, 3).rotate_right(10) ^ preceding(p, j, 511).rotate_right(23))
            .wrapping_add(preceding(p, j, 10).rotate_right(8));
        (p[j].get().wrapping_add(g), h(&self.q, preceding(p, j, 12)))
    }

    /// Return the new word `j` of Q, and the word of P that masks it.
    #[inline(always)]
    fn step_q(&self, j: usize) -> (u32, u32) {
        let q = &self.q;
        let g = (preceding(q, j, 3).rotate_left(10) ^ preceding(q, j, 511).rotate_left(23))
            .wrapping_add(preceding(q, j, 10).rotate_left(8));
        (q[j].get().wrapping_add(g), h(&self.p, preceding(q, j, 12)))
    }

    #[inline(always)]
    fn next(&self) -> u32 {
        let step = self.step.get() as usize % (2 * TABLE_WORDS);
        self.step.set(step as u32 + 1);
        let j = step % TABLE_WORDS;
        if step < TABLE_WORDS {
            let (word, mask) = self.step_p(j);
            self.p[j].set(word);
            word ^ mask
        } else {
            let (word, mask) = self.step_q(j);
            self.q[j].set(word);
            word ^ mask
        }
    }
}

impl<M: Memory> Generator for Hc128<M> {
    type Memory = M;
    const SEED_BYTES: usize = KEY_BYTES + NONCE_BYTES;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let words: Zeroizing<Vec<u32>> =
            seed.chunks_exact(4).filter_map(|w| w.try_into().ok()).map(u32::from_le_bytes).collect::<Vec<_>>().into();
        let mut w = [0u32; 1280];
        for i in 0..16 {
            // The key twice, then the nonce twice.
            w[i] = words[i % 4 + 4 * (i / 8)];
        }
        for i in 16..w.len() {
            w[i] = f2(w[i - 2])
                .wrapping_add(w[i - 7])
                .wrapping_add(f1(w[i - 15]))
                .wrapping_add(w[i - 16])
                .wrapping_add(i as u32);
        }
        let state = Self {
            p: array::from_fn(|i| Scalar::new(w[256 + i])),
            q: array::from_fn(|i| Scalar::new(w[768 + i])),
            step: Scalar::new(0),
        };
        w.zeroize();
        for j in 0..TABLE_WORDS {
            let (word, mask) = state.step_p(j);
            state.p[j].set(word ^ mask);
        }
        for j in 0..TABLE_WORDS {
            let (word, mask) = state.step_q(j);
            state.q[j].set(word ^ mask);
        }
        Ok(state)
    }

    #[inline(always)]
    fn word(&self) -> [u8; 4] {
        self.next().to_le_bytes()
    }
}

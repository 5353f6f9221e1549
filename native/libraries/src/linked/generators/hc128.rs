//! HC-128 (Wu, eSTREAM portfolio 2008): two tables of 512 words, of which each step changes one and gives one.

use super::memory::{Memory, Slot};
use super::sharing::Core;
use crate::export::Failure;
use std::array;
use zeroize::{Zeroize, Zeroizing};

const KEY: usize = 16;
const NONCE: usize = 16;
const TABLE: usize = 512;

pub(super) struct Hc128<M: Memory> {
    p: [M::Word; TABLE],
    q: [M::Word; TABLE],
    step: M::Word,
}

fn f1(x: u32) -> u32 {
    x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3)
}

fn f2(x: u32) -> u32 {
    x.rotate_right(17) ^ x.rotate_right(19) ^ (x >> 10)
}

/// The word `back` places before place `j`, around the end.
#[inline(always)]
fn before<S: Slot<u32>>(table: &[S; TABLE], j: usize, back: usize) -> u32 {
    table[(j + TABLE - back) % TABLE].get()
}

#[inline(always)]
fn h<S: Slot<u32>>(table: &[S; TABLE], x: u32) -> u32 {
    let [low, _, third, _] = x.to_le_bytes();
    table[usize::from(low)].get().wrapping_add(table[256 + usize::from(third)].get())
}

impl<M: Memory> Hc128<M> {
    /// Changes word `j` of P, and the word that Q masks it with.
    #[inline(always)]
    fn step_p(&self, j: usize) -> (u32, u32) {
        let p = &self.p;
        let g = (before(p, j, 3).rotate_right(10) ^ before(p, j, 511).rotate_right(23))
            .wrapping_add(before(p, j, 10).rotate_right(8));
        (p[j].get().wrapping_add(g), h(&self.q, before(p, j, 12)))
    }

    #[inline(always)]
    fn step_q(&self, j: usize) -> (u32, u32) {
        let q = &self.q;
        let g = (before(q, j, 3).rotate_left(10) ^ before(q, j, 511).rotate_left(23))
            .wrapping_add(before(q, j, 10).rotate_left(8));
        (q[j].get().wrapping_add(g), h(&self.p, before(q, j, 12)))
    }

    #[inline(always)]
    fn next(&self) -> u32 {
        let step = self.step.get() as usize % (2 * TABLE);
        self.step.set(step as u32 + 1);
        let j = step % TABLE;
        if step < TABLE {
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

impl<M: Memory> Core for Hc128<M> {
    type Memory = M;
    const SEED: usize = KEY + NONCE;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let words: Zeroizing<Vec<u32>> =
            seed.chunks_exact(4).filter_map(|four| four.try_into().ok()).map(u32::from_le_bytes).collect::<Vec<_>>().into();
        let mut w = [0u32; 1280];
        for i in 0..16 {
            // Key and nonce, each twice.
            w[i] = words[i % 4 + 4 * (i / 8)];
        }
        for i in 16..w.len() {
            w[i] = f2(w[i - 2])
                .wrapping_add(w[i - 7])
                .wrapping_add(f1(w[i - 15]))
                .wrapping_add(w[i - 16])
                .wrapping_add(i as u32);
        }
        let made = Self {
            p: array::from_fn(|i| Slot::new(w[256 + i])),
            q: array::from_fn(|i| Slot::new(w[768 + i])),
            step: Slot::new(0),
        };
        w.zeroize();
        for j in 0..TABLE {
            let (word, mask) = made.step_p(j);
            made.p[j].set(word ^ mask);
        }
        for j in 0..TABLE {
            let (word, mask) = made.step_q(j);
            made.q[j].set(word ^ mask);
        }
        Ok(made)
    }

    #[inline(always)]
    fn word(&self) -> [u8; 4] {
        self.next().to_le_bytes()
    }
}

//! ARC4, the cipher published anonymously in 1994: a permutation of 256 bytes and two indices.

use super::memory::{Memory, Scalar};
use super::sharing::Generator;
use crate::export::Failure;
use std::array;

const KEY_BYTES: usize = 16;

pub(super) struct Arc4<M: Memory> {
    state: [M::U8; 256],
    i: M::U8,
    j: M::U8,
}

impl<M: Memory> Arc4<M> {
    #[inline(always)]
    fn byte(&self) -> u8 {
        let i = self.i.get().wrapping_add(1);
        let a = self.state[usize::from(i)].get();
        let j = self.j.get().wrapping_add(a);
        let b = self.state[usize::from(j)].get();
        self.i.set(i);
        self.j.set(j);
        self.state[usize::from(i)].set(b);
        self.state[usize::from(j)].set(a);
        self.state[usize::from(a.wrapping_add(b))].get()
    }
}

impl<M: Memory> Generator for Arc4<M> {
    type Memory = M;
    const SEED_BYTES: usize = KEY_BYTES;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let mut state: [u8; 256] = array::from_fn(|i| i as u8);
        let mut j = 0u8;
        for (i, key) in (0..256).zip(seed.iter().cycle()) {
            j = j.wrapping_add(state[i]).wrapping_add(*key);
            state.swap(i, usize::from(j));
        }
        Ok(Self { state: state.map(Scalar::new), i: Scalar::new(0), j: Scalar::new(0) })
    }

    #[inline(always)]
    fn word(&self) -> [u8; 4] {
        array::from_fn(|_| self.byte())
    }
}

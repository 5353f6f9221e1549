//! ARC4, as it leaked in 1994: a permutation of 256 bytes and two indices.

use super::memory::{Memory, Slot};
use super::sharing::Core;
use crate::export::Failure;
use std::array;

const KEY: usize = 16;

pub(super) struct Arc4<M: Memory> {
    state: [M::Byte; 256],
    i: M::Byte,
    j: M::Byte,
}

impl<M: Memory> Arc4<M> {
    #[inline(always)]
    fn byte(&self) -> u8 {
        let i = self.i.get().wrapping_add(1);
        let one = self.state[usize::from(i)].get();
        let j = self.j.get().wrapping_add(one);
        let other = self.state[usize::from(j)].get();
        self.i.set(i);
        self.j.set(j);
        self.state[usize::from(i)].set(other);
        self.state[usize::from(j)].set(one);
        self.state[usize::from(one.wrapping_add(other))].get()
    }
}

impl<M: Memory> Core for Arc4<M> {
    type Memory = M;
    const SEED: usize = KEY;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let mut state: [u8; 256] = array::from_fn(|i| i as u8);
        let mut j = 0u8;
        for (i, key) in (0..256).zip(seed.iter().cycle()) {
            j = j.wrapping_add(state[i]).wrapping_add(*key);
            state.swap(i, usize::from(j));
        }
        Ok(Self { state: state.map(Slot::new), i: Slot::new(0), j: Slot::new(0) })
    }

    #[inline(always)]
    fn word(&self) -> [u8; 4] {
        array::from_fn(|_| self.byte())
    }
}

//! Poly1305 without vector instructions, four blocks in one pass.
//!
//! Three of four products do not depend on the running value, and the sum of the four is reduced once.

use crate::element::{Element, Multiplier, Product};
use crate::wipe::wipe;

/// The multipliers r⁴, r³, r² and r.
pub(super) struct Table([Multiplier; 4]);

impl Table {
    pub(super) fn new(r: Element) -> Self {
        let square = r.mul(r);
        Self([square.mul(square), square.mul(r), square, r].map(Element::multiplier))
    }

    pub(super) fn wipe(&mut self) {
        wipe(&mut self.0);
    }
}

pub(super) fn hash(Table(powers): &Table, mut value: Element, blocks: &[[u8; 16]]) -> Element {
    let (passes, rest) = blocks.as_chunks::<4>();
    for pass in passes {
        value = add_blocks(value, pass, powers);
    }
    if rest.is_empty() { value } else { add_blocks(value, rest, &powers[4 - rest.len()..]) }
}

/// Return (value + m₀) · p₀ + m₁ · p₁ + … for at most four blocks.
#[inline]
fn add_blocks(mut value: Element, blocks: &[[u8; 16]], powers: &[Multiplier]) -> Element {
    let mut sum = Product::default();
    for (block, power) in blocks.iter().zip(powers) {
        let mut term = Element::from_block(block, 1);
        // Limbs of 46 bits at most, which leaves the sum of four products below the bound of a product.
        term.0.iter_mut().zip(value.0).for_each(|(limb, added)| *limb += added);
        value = Element::ZERO;
        sum.add(term, power);
    }
    sum.reduce()
}

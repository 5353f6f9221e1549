//! Length and overlap checks of the caller's buffers.

use crate::error::{Error, Result};

/// Return the first `expected` bytes of `output`.
pub(crate) fn output_prefix(output: &mut [u8], expected: usize) -> Result<&mut [u8]> {
    let given = output.len();
    output.get_mut(..expected).ok_or_else(|| Error::Length {
        name: "output buffer",
        given,
        expected: format!("at least {expected}"),
    })
}

/// Fail with [`Error::Overlap`] if the two buffers share a byte.
pub(crate) fn require_disjoint(a: *const u8, a_bytes: usize, b: *const u8, b_bytes: usize) -> Result<()> {
    let (a, b) = (a.addr(), b.addr());
    let disjoint = a_bytes == 0 || b_bytes == 0 || a + a_bytes <= b || b + b_bytes <= a;
    if disjoint { Ok(()) } else { Err(Error::Overlap) }
}

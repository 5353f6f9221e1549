//! Memory of the caller. No slice refers to a message, because input and output may be equal.

use crate::status::ensure;
use parsplit::{Error, Result};
use std::ffi::c_void;
use std::slice;
use zeroize::Zeroize;

/// Returns the input `name` as a slice.
///
/// # Safety
/// `pointer` is NULL or valid for `length` bytes during the call.
pub(crate) unsafe fn input_slice<'a>(pointer: *const u8, length: usize, name: &str) -> Result<&'a [u8]> {
    check_buffer(pointer, length, name)?;
    // SAFETY: the caller's promise; the pointer is not NULL and the length not 0.
    Ok(if length == 0 { &[] } else { unsafe { slice::from_raw_parts(pointer, length) } })
}

/// Rejects NULL for a buffer that is not empty, and lengths that no buffer has.
pub(crate) fn check_buffer(pointer: *const u8, length: usize, name: &str) -> Result<()> {
    ensure!(!pointer.is_null() || length == 0, "{name} of {length} bytes given as NULL");
    // A length beyond half of the address space is a negative number that was cast.
    ensure!(
        isize::try_from(length).is_ok() && pointer.addr().checked_add(length).is_some(),
        "{name} of {length} bytes given, which exceeds the address space"
    );
    Ok(())
}

/// Rejects an input that overlaps `output`, which is `length` bytes long.
pub(crate) fn check_disjoint(input: &[u8], output: *const u8, length: usize) -> Result<()> {
    let (input, output) = (input.as_ptr_range(), output.addr());
    let overlaps = length > 0 && !input.is_empty() && input.start.addr() < output + length && output < input.end.addr();
    if overlaps { Err(Error::Overlap) } else { Ok(()) }
}

/// Writes a result to `*destination`.
///
/// # Safety
/// `destination` is NULL or valid for writing.
pub(crate) unsafe fn write_result<T>(destination: *mut T, value: T) -> Result<()> {
    ensure!(!destination.is_null(), "pointer for the result given as NULL");
    // SAFETY: the caller's promise, and not NULL.
    unsafe { destination.write(value) };
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_wipe(memory: *mut c_void, bytes: usize) {
    if !memory.is_null() && bytes > 0 {
        // SAFETY: by the header the memory has this length and no other user.
        unsafe { slice::from_raw_parts_mut(memory.cast::<u8>(), bytes) }.zeroize();
    }
}

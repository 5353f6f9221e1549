//! The caller's memory as Rust sees it. No slice is made of what is sealed or opened: input and output may be equal.

use crate::call::refused;
use parsplit::{Error, Result};
use std::ffi::c_void;
use std::slice;
use zeroize::Zeroize;

/// A slice of what a function only reads.
///
/// # Safety
/// `pointer` is null or valid for `bytes` during the call.
pub(crate) unsafe fn bytes<'a>(pointer: *const u8, bytes: usize, what: &str) -> Result<&'a [u8]> {
    check(pointer, bytes, what)?;
    // SAFETY: the caller's promise, and neither null nor empty.
    Ok(if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(pointer, bytes) } })
}

/// Whether a pointer may belong to memory of `bytes`.
pub(crate) fn check(pointer: *const u8, bytes: usize, what: &str) -> Result<()> {
    if pointer.is_null() && bytes > 0 {
        return refused(format!("{what} of {bytes} bytes given at NULL"));
    }
    // More than half of the address space is a negative number that was cast.
    if isize::try_from(bytes).is_err() || pointer.addr().checked_add(bytes).is_none() {
        return refused(format!("{what} of {bytes} bytes given, which no memory has"));
    }
    Ok(())
}

/// Refuses memory that is read while `output` is written.
pub(crate) fn apart(read: &[u8], output: *const u8, bytes: usize) -> Result<()> {
    let (read, output) = (read.as_ptr_range(), output.addr());
    let touches = bytes > 0 && !read.is_empty() && read.start.addr() < output + bytes && output < read.end.addr();
    if touches { Err(Error::Overlap) } else { Ok(()) }
}

/// Writes a result.
///
/// # Safety
/// `place` is null or a place for it.
pub(crate) unsafe fn give<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return refused("no place given for the result: it is NULL");
    }
    // SAFETY: the caller's promise, and not null.
    unsafe { place.write(value) };
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_wipe(memory: *mut c_void, bytes: usize) {
    if !memory.is_null() && bytes > 0 {
        // SAFETY: the header asks for memory of this length that nobody else uses.
        unsafe { slice::from_raw_parts_mut(memory.cast::<u8>(), bytes) }.zeroize();
    }
}

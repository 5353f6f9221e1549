use crate::error::{Error, Result};
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence};

/// The input and the output of one call: two disjoint buffers of equal length, or one buffer that is overwritten.
///
/// No Rust reference to the bytes exists while they are processed, so that input and output may be equal.
#[derive(Debug)]
pub struct Buffers<'a> {
    input: *const u8,
    output: *mut u8,
    bytes: usize,
    borrow: PhantomData<(&'a [u8], &'a mut [u8])>,
}

// SAFETY: a value stands for a shared reference to the input and an exclusive one to the output, and both can be sent.
unsafe impl Send for Buffers<'_> {}

impl<'a> Buffers<'a> {
    /// Return separate buffers.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if the lengths differ.
    pub fn separate(input: &'a [u8], output: &'a mut [u8]) -> Result<Self> {
        if input.len() != output.len() {
            return Err(Error::BufferLength { input: input.len(), output: output.len() });
        }
        Ok(Self { input: input.as_ptr(), output: output.as_mut_ptr(), bytes: input.len(), borrow: PhantomData })
    }

    /// Return one buffer that is overwritten.
    pub fn in_place(buffer: &'a mut [u8]) -> Self {
        let output = buffer.as_mut_ptr();
        Self { input: output, output, bytes: buffer.len(), borrow: PhantomData }
    }

    /// Return buffers of `bytes` at two addresses.
    ///
    /// # Safety
    /// `input` is valid for reads and `output` for writes of `bytes` during `'a`. They are equal or disjoint. No other
    /// code writes to either, or reads the output, during `'a`. The output need not be initialized.
    pub unsafe fn from_raw(input: *const u8, output: *mut u8, bytes: usize) -> Self {
        Self { input, output, bytes, borrow: PhantomData }
    }

    /// Return the length of the input, which is the length of the output.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Return whether the buffers are empty.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Return the first `bytes` and the rest. `bytes` is limited to the length.
    pub fn split_at(self, bytes: usize) -> (Self, Self) {
        let at = bytes.min(self.bytes);
        // SAFETY: `at` is at most the length, so both parts lie in the same allocations; they do not overlap.
        unsafe {
            (
                Self::from_raw(self.input, self.output, at),
                Self::from_raw(self.input.add(at), self.output.add(at), self.bytes - at),
            )
        }
    }

    pub(crate) fn input(&self) -> *const u8 {
        self.input
    }

    pub(crate) fn output(&self) -> *mut u8 {
        self.output
    }

    /// Overwrite the output with zeros in a way that the compiler cannot remove.
    pub(crate) fn wipe(&mut self) {
        // SAFETY: the output is valid for `bytes` and has no other user.
        unsafe { self.output.write_bytes(0, self.bytes) };
        black_box(self.output);
        compiler_fence(Ordering::SeqCst);
    }
}

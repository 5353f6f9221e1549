//! The complete result of a case, to compare with that of another library before anything is timed.

use crate::arena::{self, Mapping};
use crate::case::{Case, Op, Placement, apply};
use parsplit::Error;
use std::{io, slice};

/// The reason why a case has no answer.
#[derive(Debug)]
pub enum AnswerError {
    /// Its memory cannot be allocated.
    Memory(String),
    /// The error of the case, such as [`Error::WrongResult`].
    Case(Error),
}

impl From<Error> for AnswerError {
    fn from(error: Error) -> Self {
        Self::Case(error)
    }
}

/// Fill memory with the pseudo-random message of a seed.
///
/// # Safety
/// `start` is valid for writes of `bytes`.
pub unsafe fn fill(start: *mut u8, bytes: usize, seed: u64) {
    if bytes > 0 {
        // SAFETY: the caller's promise.
        arena::fill(unsafe { slice::from_raw_parts_mut(start, bytes) }, seed);
    }
}

/// Return the position of the first byte that differs from the pseudo-random message of a seed.
fn first_difference(text: &[u8], seed: u64) -> Option<usize> {
    let equal = |i: usize, chunk: &[u8]| match chunk.try_into() {
        Ok(chunk) => u64::from_le_bytes(chunk) == arena::word(seed, i),
        Err(_) => chunk == &arena::word(seed, i).to_le_bytes()[..chunk.len()],
    };
    let (i, chunk) = text.chunks(8).enumerate().find(|(i, chunk)| !equal(*i, chunk))?;
    let expected = arena::word(seed, i).to_le_bytes();
    chunk.iter().zip(expected).position(|(byte, expected)| *byte != expected).map(|position| 8 * i + position)
}

fn wrong<T>(reason: String) -> Result<T, AnswerError> {
    Err(AnswerError::Case(Error::WrongResult(reason)))
}

impl Case {
    /// Executes the case for a pseudo-random message and returns the BLAKE3 digest of the whole result.
    ///
    /// A message that is opened is sealed first. The result is then that of sealing, the opened message must equal the
    /// original, and a changed tag must be rejected. The memory is the case's own: one buffer in place, otherwise two.
    ///
    /// # Errors
    /// [`Error::WrongResult`] for an opened message that differs, an accepted forgery, and a changed input; the error of
    /// the library; memory that cannot be allocated.
    pub fn answer(&mut self, seed: u64) -> Result<[u8; 32], AnswerError> {
        let (bytes, tag_bytes, op) = (self.spec.bytes, self.tag_bytes, self.spec.op);
        let text = if op == Op::Digest { 0 } else { bytes };
        let allocate = |bytes: usize| {
            Mapping::new(bytes)
                .map_err(|error: io::Error| AnswerError::Memory(format!("{bytes} bytes cannot be allocated: {error}")))
        };
        apply(&self.spec.settings)?;
        let sealed = allocate(text + tag_bytes)?;
        let separate = if self.spec.placement == Placement::InPlace { None } else { Some(allocate(bytes)?) };
        let output = sealed.pointer();
        let plain = separate.as_ref().map_or(output, Mapping::pointer);
        let tags = output.wrapping_add(text);
        let first = if op == Op::Open { Op::Seal } else { op };
        // SAFETY: the mappings have these lengths, and no reference to them exists while the library runs.
        unsafe {
            fill(plain, bytes, seed);
            self.execute(first, plain, output, tags)?;
            if separate.is_some() {
                self.expect_message(plain, seed, "it changes its input")?;
            }
            let digest = blake3::hash(slice::from_raw_parts(output, text + tag_bytes)).into();
            if op == Op::Open {
                if separate.is_some() {
                    // An open operation that writes nothing would otherwise find the message there.
                    fill(plain, bytes, !seed);
                }
                self.execute(Op::Open, output, plain, tags)?;
                self.expect_message(plain, seed, "the opened message differs from the sealed one")?;
                if separate.is_none() {
                    self.execute(Op::Seal, output, output, tags)?;
                }
                self.expect_rejection(output, plain, tags)?;
            }
            Ok(digest)
        }
    }

    /// # Safety
    /// `text` is valid for the case's message.
    unsafe fn expect_message(&self, text: *const u8, seed: u64, fault: &str) -> Result<(), AnswerError> {
        // SAFETY: the caller's promise.
        match first_difference(unsafe { slice::from_raw_parts(text, self.spec.bytes) }, seed) {
            Some(position) => wrong(format!("{fault}, first at byte {position} of {}", self.spec.bytes)),
            None => Ok(()),
        }
    }

    /// # Safety
    /// As [`Case::execute`]; `tags` is writable.
    unsafe fn expect_rejection(&mut self, input: *mut u8, output: *mut u8, tags: *mut u8) -> Result<(), AnswerError> {
        // SAFETY: an AEAD has a tag of at least one byte.
        unsafe { *tags.wrapping_add(self.tag_bytes - 1) ^= 0x80 };
        // SAFETY: the caller's promise.
        match unsafe { self.execute(Op::Open, input, output, tags) } {
            Err(Error::Authentication) => Ok(()),
            Err(error) => Err(error.into()),
            Ok(()) => wrong(format!("it accepts a message of {} bytes with a changed tag", self.spec.bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_difference() {
        let mut text = vec![0; 1005];
        arena::fill(&mut text, 7);
        assert_eq!(first_difference(&text, 7), None);
        for position in [0, 7, 8, 999, 1000, 1004] {
            text[position] ^= 1;
            assert_eq!(first_difference(&text, 7), Some(position));
            text[position] ^= 1;
        }
        assert_eq!(first_difference(&text, 8), Some(0));
    }
}

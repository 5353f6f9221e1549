//! The complete result of a case, to compare with that of another library before anything is timed.

use crate::arena::{self, AssociatedData, Mapping};
use crate::case::{Buffers, Case, apply};
use crate::spec::{Op, Placement};
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
    /// original, and a changed tag and changed associated data must be rejected. The memory is the case's own: one
    /// buffer in place, otherwise two.
    ///
    /// # Errors
    /// [`Error::WrongResult`] for an opened message that differs, an accepted forgery, and a changed input; the error of
    /// the library; memory that cannot be allocated.
    pub fn answer(&mut self, seed: u64) -> Result<[u8; 32], AnswerError> {
        let (bytes, tag_bytes, op) = (self.spec.bytes, self.tag_bytes, self.spec.op);
        let text = if op == Op::Digest { 0 } else { bytes };
        let failed = |bytes: usize| {
            move |error: io::Error| AnswerError::Memory(format!("{bytes} bytes cannot be allocated: {error}"))
        };
        let allocate = |bytes: usize| Mapping::new(bytes).map_err(failed(bytes));
        apply(&self.spec.settings)?;
        let aad_bytes = self.spec.aad_bytes;
        let associated = AssociatedData::new(aad_bytes).map_err(failed(aad_bytes))?;
        let aad = associated.prefix(aad_bytes);
        let sealed = allocate(text + tag_bytes)?;
        let separate = if self.spec.placement == Placement::InPlace { None } else { Some(allocate(bytes)?) };
        let output = sealed.pointer();
        let plain = separate.as_ref().map_or(output, Mapping::pointer);
        let tags = output.wrapping_add(text);
        let sealing = Buffers { aad, input: plain, output, tags };
        let opening = Buffers { input: output, output: plain, ..sealing };
        let first = if op == Op::Open { Op::Seal } else { op };
        // SAFETY: the mappings have these lengths, and no reference to them exists while the library runs.
        unsafe {
            fill(plain, bytes, seed);
            self.execute(first, sealing)?;
            if separate.is_some() {
                self.expect_message(plain, seed, "it changes its input")?;
            }
            let digest = blake3::hash(slice::from_raw_parts(output, text + tag_bytes)).into();
            if op == Op::Open {
                if separate.is_some() {
                    // An open operation that writes nothing would otherwise find the message there.
                    fill(plain, bytes, !seed);
                }
                self.execute(Op::Open, opening)?;
                self.expect_message(plain, seed, "the opened message differs from the sealed one")?;
                if separate.is_none() {
                    self.execute(Op::Seal, sealing)?;
                }
                let changed = |what| format!("it accepts a message of {bytes} bytes with {what}");
                if let Some((_, shorter)) = aad.split_last() {
                    let shortened = Buffers { aad: shorter, ..opening };
                    self.expect_rejection(shortened, changed("shorter associated data"))?;
                    if separate.is_none() {
                        // The rejected open operation has overwritten the ciphertext.
                        fill(output, bytes, seed);
                        self.execute(Op::Seal, sealing)?;
                    }
                }
                // An AEAD has a tag of at least one byte.
                *tags.wrapping_add(tag_bytes - 1) ^= 0x80;
                self.expect_rejection(opening, changed("a changed tag"))?;
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
    /// As [`Case::execute`].
    unsafe fn expect_rejection(&mut self, opening: Buffers<'_>, fault: String) -> Result<(), AnswerError> {
        // SAFETY: the caller's promise.
        match unsafe { self.execute(Op::Open, opening) } {
            Err(Error::Authentication) => Ok(()),
            Err(error) => Err(error.into()),
            Ok(()) => wrong(fault),
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

//! ParSplit with one tag for all blocks of a message.

use crate::algorithm::{Algorithm, check_block_multiple};
use crate::buffer::Buffer;
use crate::errors::{ArgumentError, ensure, raise};
use crate::exclusive::exclusive;
use crate::interrupt::interruptible;
use crate::parsplit::{Direction, Output, inputs, number, with_output};
use ::parsplit::tags::{KeyedOneTag as EngineKeyed, ONE_TAG_BYTES, OneTag as Engine, Tags};
use ::parsplit::{Error, Schedule};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::Range;
use zeroize::Zeroizing;

/// The engine of `aeadlab.ParSplit` with `tags` other than "concatenated".
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct OneTag {
    pub(crate) inner: Engine,
}

#[pymethods]
impl OneTag {
    #[new]
    #[pyo3(signature = (algorithm, block_size, threads, schedule, serial_below, tags))]
    fn new(
        py: Python<'_>,
        algorithm: &Algorithm,
        block_size: usize,
        threads: usize,
        schedule: &str,
        serial_below: Option<usize>,
        tags: &str,
    ) -> PyResult<Self> {
        let schedule = schedule.parse::<Schedule>().map_err(raise)?;
        let tags = tags.parse::<Tags>().map_err(raise)?;
        let entry = algorithm.entry.algorithm;
        check_block_multiple(entry, "block size", block_size)?;
        let _guard = exclusive(py, entry);
        let inner = Engine::new(entry, block_size, threads, schedule, tags).map_err(|error| match error {
            Error::Argument(reason) => ArgumentError::new_err(format!("{}/{reason}", algorithm.entry.library)),
            error => raise(error),
        })?;
        Ok(Self { inner: serial_below.map_or(inner, |bytes| inner.serial_below(bytes)) })
    }

    /// Length of the key in bytes.
    #[getter]
    fn key_bytes(&self) -> usize {
        self.inner.key_bytes()
    }

    /// Length of the nonce in bytes.
    #[getter]
    fn nonce_bytes(&self) -> usize {
        self.inner.nonce_bytes()
    }

    /// Return the length of a sealed message, its tag included, for a message of `bytes` bytes.
    fn sealed_bytes(&self, bytes: usize) -> PyResult<usize> {
        Ok(self.inner.layout(bytes).map_err(raise)?.bytes() + ONE_TAG_BYTES)
    }

    /// Seal a message; return the ciphertext followed by the tag.
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.once(py, key, |keyed| transform(py, keyed, Direction::Seal, [nonce, data], aad, Output::of(out)))
    }

    /// Open a sealed message.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.once(py, key, |keyed| transform(py, keyed, Direction::Open, [nonce, data], aad, Output::of(out)))
    }

    /// Return the proof of `count` blocks of a sealed message, from index `first` on.
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, and the range of blocks
    fn prove<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first: &Bound<'py, PyAny>,
        count: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.once(py, key, |keyed| prove(py, keyed, [nonce, data], first, count, aad))
    }

    /// Open blocks from index `first` on of a message of `bytes`, whose ciphertext is `data`.
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, the blocks and their proof
    fn decrypt_proven<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first: &Bound<'py, PyAny>,
        bytes: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
        proof: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.once(py, key, |keyed| {
            open_proven(py, keyed, [nonce, data, tag, proof], first, bytes, aad, Output::of(out))
        })
    }
}

impl OneTag {
    fn once<R>(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        call: impl FnOnce(&mut EngineKeyed) -> PyResult<R>,
    ) -> PyResult<R> {
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let _guard = exclusive(py, self.inner.algorithm());
        call(&mut self.inner.key(&key).map_err(raise)?)
    }
}

/// Checks the length of a nonce.
fn check_nonce(engine: &Engine, given: usize) -> PyResult<()> {
    let expected = engine.nonce_bytes();
    let reason = match engine.tags() {
        Tags::Blake3 => "the nonces of the blocks are derived from it",
        Tags::Digest | Tags::Merkle => "5 less than the algorithm's, for block number and last flag",
    };
    ensure!(given == expected, "nonce of {given} bytes given, {expected} expected: {reason}");
    Ok(())
}

/// Seals or opens a message. The caller holds the lock of `exclusive`.
pub(crate) fn transform<'py>(
    py: Python<'py>,
    keyed: &mut EngineKeyed,
    direction: Direction,
    [nonce, data]: [&Bound<'py, PyAny>; 2],
    aad: Option<&Bound<'py, PyAny>>,
    out: Output<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = *keyed.settings();
    let (nonce, aad, data) = inputs(nonce, aad, data)?;
    let layout = match direction {
        Direction::Seal => engine.layout(data.bytes()),
        Direction::Open => engine.layout_of_sealed(data.bytes()),
    }
    .map_err(raise)?;
    let bytes = layout.bytes();
    check_block_multiple(engine.algorithm(), "message", bytes)?;
    check_nonce(&engine, nonce.len())?;
    keyed.set_fresh_output(matches!(out, Output::Fresh));
    let length = match direction {
        Direction::Seal => bytes + ONE_TAG_BYTES,
        Direction::Open => bytes,
    };
    with_output(py, out, length, |output| {
        let (set_flag, pointers) = (EngineKeyed::set_cancel_flag, (data.pointer().cast_const(), output));
        interruptible(py, keyed, set_flag, bytes, pointers, |keyed, input, output| {
            // SAFETY: the layout comes from the length of the input, and the output has the length that follows from
            // it. The engine rejects overlapping buffers, and the tag is written or read as a copy.
            unsafe {
                match direction {
                    Direction::Seal => {
                        let tag = keyed.seal_raw(&nonce, &aad, input, bytes, output)?;
                        output.add(bytes).cast::<[u8; ONE_TAG_BYTES]>().write(tag);
                        Ok(())
                    }
                    Direction::Open => {
                        let tag = input.add(bytes).cast::<[u8; ONE_TAG_BYTES]>().read();
                        keyed.open_raw(&nonce, &aad, input, bytes, output, &tag)
                    }
                }
            }
        })
    })
}

pub(crate) fn prove<'py>(
    py: Python<'py>,
    keyed: &mut EngineKeyed,
    [nonce, data]: [&Bound<'py, PyAny>; 2],
    first: &Bound<'py, PyAny>,
    count: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let engine = *keyed.settings();
    let (first, count) = (number(first, "first block", 0)?, number(count, "count", 1)?);
    let (nonce, aad, data) = inputs(nonce, aad, data)?;
    let bytes = engine.layout_of_sealed(data.bytes()).map_err(raise)?.bytes();
    check_block_multiple(engine.algorithm(), "message", bytes)?;
    check_nonce(&engine, nonce.len())?;
    let blocks = first..first.saturating_add(count);
    let (set_flag, pointers) = (EngineKeyed::set_cancel_flag, (data.pointer().cast_const(), std::ptr::null_mut()));
    let proof = interruptible(py, keyed, set_flag, bytes, pointers, |keyed, input, _| {
        // SAFETY: the input has this length and then its tag.
        unsafe {
            let tag = input.add(bytes).cast::<[u8; ONE_TAG_BYTES]>().read();
            keyed.prove_raw(&nonce, &aad, &blocks, input, bytes, &tag)
        }
    })?;
    Ok(PyBytes::new(py, &proof))
}

/// Returns the blocks from `first` on that `given` bytes of ciphertext are.
fn proven_blocks(engine: &Engine, first: u64, given: usize, bytes: usize) -> PyResult<Range<u64>> {
    let blocks = first..first.saturating_add(given.div_ceil(engine.block_size()).max(1) as u64);
    let expected = engine.layout(bytes).and_then(|layout| layout.byte_range(&blocks)).map_err(raise)?.len();
    ensure!(
        given == expected,
        "data of {given} bytes given, the blocks from {first} on have {expected}: give whole blocks without the tag"
    );
    Ok(blocks)
}

pub(crate) fn open_proven<'py>(
    py: Python<'py>,
    keyed: &mut EngineKeyed,
    [nonce, data, tag, proof]: [&Bound<'py, PyAny>; 4],
    first: &Bound<'py, PyAny>,
    bytes: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
    out: Output<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = *keyed.settings();
    let (first, bytes) = (number(first, "first block", 0)?, number(bytes, "message length", 0)? as usize);
    let (nonce, aad, data) = inputs(nonce, aad, data)?;
    let (tag, proof) = (Buffer::copy_of(tag, "tag")?, Buffer::copy_of(proof, "proof")?);
    let given = tag.len();
    let Ok(tag) = <[u8; ONE_TAG_BYTES]>::try_from(tag) else {
        return Err(ArgumentError::new_err(format!("tag of {given} bytes given, {ONE_TAG_BYTES} expected")));
    };
    check_nonce(&engine, nonce.len())?;
    let blocks = proven_blocks(&engine, first, data.bytes(), bytes)?;
    check_block_multiple(engine.algorithm(), "message", bytes)?;
    let length = data.bytes();
    keyed.set_fresh_output(matches!(out, Output::Fresh));
    with_output(py, out, length, |output| {
        let (set_flag, pointers) = (EngineKeyed::set_cancel_flag, (data.pointer().cast_const(), output));
        interruptible(py, keyed, set_flag, length, pointers, |keyed, input, output| {
            // SAFETY: input and output have the length of the blocks; the engine rejects overlapping buffers.
            unsafe { keyed.open_proven_raw(&nonce, &aad, &blocks, input, bytes, &tag, &proof, output) }
        })
        .map(drop)
    })
}

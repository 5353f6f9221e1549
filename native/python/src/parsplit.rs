//! ParSplit: messages in memory, and schedules.

use crate::algorithm::{Algorithm, check_block_multiple};
use crate::buffer::{Buffer, new_bytes};
use crate::errors::{ArgumentError, BufferError, ensure, raise};
use crate::exclusive::exclusive;
use crate::interrupt::interruptible;
use ::parsplit::{ForeignLoop, Keyed, Schedule, Span};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice};
use zeroize::Zeroizing;

/// The engine of `aeadlab.ParSplit`.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct ParSplit {
    pub(crate) inner: ::parsplit::ParSplit,
}

#[derive(Clone, Copy)]
enum Direction {
    Seal,
    Open,
}

#[pymethods]
impl ParSplit {
    #[new]
    #[pyo3(signature = (algorithm, block_size, threads, schedule, serial_below))]
    fn new(
        algorithm: &Algorithm,
        block_size: usize,
        threads: usize,
        schedule: &str,
        serial_below: Option<usize>,
    ) -> PyResult<Self> {
        let schedule = schedule.parse::<Schedule>().map_err(raise)?;
        if algorithm.entry.algorithm.kind != aeadlab_abi::AEAD {
            // The engine also takes baselines, for measurements. Users get authenticated encryption only.
            return Err(ArgumentError::new_err(format!(
                "{}/{} is not an AEAD: ParSplit needs one, because without tags it cannot detect changes",
                algorithm.entry.library, algorithm.entry.name
            )));
        }
        let algorithm = algorithm.entry.algorithm;
        check_block_multiple(algorithm, "block size", block_size)?;
        let inner = ::parsplit::ParSplit::new(algorithm, block_size, threads, schedule).map_err(raise)?;
        Ok(Self { inner: serial_below.map_or(inner, |bytes| inner.serial_below(bytes)) })
    }

    /// Length of the key in bytes.
    #[getter]
    fn key_bytes(&self) -> usize {
        self.inner.key_bytes()
    }

    /// Length of the nonce in bytes: 5 less than the algorithm's.
    #[getter]
    fn nonce_bytes(&self) -> usize {
        self.inner.nonce_bytes()
    }

    /// Return the length of a sealed message, tags included, for a message of `bytes` bytes.
    fn sealed_bytes(&self, bytes: usize) -> PyResult<usize> {
        Ok(self.inner.layout(bytes).map_err(raise)?.sealed_bytes())
    }

    /// Seal a message; return the ciphertext followed by the tags.
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.process(py, Direction::Seal, [key, nonce, data, aad], out, false)?.0)
    }

    /// Open a sealed message.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.process(py, Direction::Open, [key, nonce, data, aad], out, false)?.0)
    }

    /// Open `count` blocks of a sealed message, from index `first` on.
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, and the range of blocks
    fn decrypt_range<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first: u64,
        count: u64,
        aad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let algorithm = self.inner.algorithm();
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let (nonce, aad) = (Buffer::copy_of(nonce, "nonce")?, Buffer::copy_of(aad, "aad")?);
        let data = Buffer::input(data, "data")?;
        let (sealed, blocks) = (data.bytes(), first..first.saturating_add(count));
        let layout = self.inner.layout_of_sealed(sealed).map_err(raise)?;
        check_block_multiple(algorithm, "message", layout.bytes())?;
        let length = layout.byte_range(&blocks).map_err(raise)?.len();
        let _guard = exclusive(py, algorithm);
        let mut keyed = self.inner.key(&key).map_err(raise)?;
        keyed.set_fresh_output(out.is_none());
        let (result, _) = with_output(py, out, length, |output| {
            let (set_flag, pointers) = (Keyed::set_cancel_flag, (data.pointer().cast_const(), output));
            interruptible(py, &mut keyed, set_flag, length, pointers, |keyed, input, output| {
                // SAFETY: `layout` and `length` give the lengths; the engine rejects overlapping buffers.
                unsafe { keyed.open_range_raw(&nonce, &aad, blocks, input, sealed, output) }
            })
        })?;
        Ok(result)
    }

    /// Seal or open a message; return also the trace: five 64-bit words per block, its index, worker, leaf, start and
    /// end, the times in nanoseconds.
    #[allow(clippy::too_many_arguments)] // those of `encrypt`, and the direction
    fn traced<'py>(
        &self,
        py: Python<'py>,
        opening: bool,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
        let direction = if opening { Direction::Open } else { Direction::Seal };
        let (result, spans) = self.process(py, direction, [key, nonce, data, aad], out, true)?;
        Ok((result, span_bytes(py, &spans)?))
    }
}

impl ParSplit {
    fn process<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        [key, nonce, data, aad]: [&Bound<'py, PyAny>; 4],
        out: Option<&Bound<'py, PyAny>>,
        traced: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<Span>)> {
        let algorithm = self.inner.algorithm();
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let nonce = Buffer::copy_of(nonce, "nonce")?;
        let aad = Buffer::copy_of(aad, "aad")?;
        let data = Buffer::input(data, "data")?;
        let layout = match direction {
            Direction::Seal => self.inner.layout(data.bytes()),
            Direction::Open => self.inner.layout_of_sealed(data.bytes()),
        }
        .map_err(raise)?;
        check_block_multiple(algorithm, "message", layout.bytes())?;
        let (given, expected) = (nonce.len(), self.inner.nonce_bytes());
        ensure!(
            given == expected,
            "nonce of {given} bytes given, {expected} expected: 5 less than the algorithm's, for block number and \
             last flag"
        );
        let _guard = exclusive(py, algorithm);
        let mut keyed = self.inner.key(&key).map_err(raise)?;
        keyed.set_traced(traced);
        keyed.set_fresh_output(out.is_none());
        let bytes = layout.bytes();
        let length = match direction {
            Direction::Seal => layout.sealed_bytes(),
            Direction::Open => bytes,
        };
        with_output(py, out, length, |output| {
            let (set_flag, pointers) = (Keyed::set_cancel_flag, (data.pointer().cast_const(), output));
            interruptible(py, &mut keyed, set_flag, bytes, pointers, |keyed, input, output| {
                // SAFETY: the layout comes from the length of the input, and the output has the length that follows
                // from it. The engine rejects overlapping buffers.
                unsafe {
                    match direction {
                        Direction::Seal => {
                            keyed.seal_raw(&nonce, &aad, input, bytes, output, output.wrapping_add(bytes))
                        }
                        Direction::Open => {
                            keyed.open_raw(&nonce, &aad, input, bytes, output, input.wrapping_add(bytes))
                        }
                    }
                }
            })?;
            Ok(keyed.spans().to_vec())
        })
    }
}

/// Lets `write` fill `length` bytes of a new `bytes` object or of the caller's `out`. Returns that object, or a view of
/// the bytes written to `out`, and the value of `write`.
fn with_output<'py, T>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    length: usize,
    write: impl FnOnce(*mut u8) -> PyResult<T>,
) -> PyResult<(Bound<'py, PyAny>, T)> {
    let Some(out) = out else {
        let (bytes, start) = new_bytes(py, length)?;
        let value = write(start)?;
        return Ok((bytes.into_any(), value));
    };
    let buffer = Buffer::output(out, length)?;
    let view = PyMemoryView::from(out)?
        .call_method1("cast", ("B",))
        .map_err(|e| BufferError::new_err(format!("out cannot be viewed as bytes: {}", e.value(py))))?;
    let value = write(buffer.pointer())?;
    Ok((view.get_item(PySlice::new(py, 0, length as isize, 1))?, value))
}

/// Converts spans to Python bytes, which NumPy reads as a structured array.
pub(crate) fn span_bytes<'py>(py: Python<'py>, spans: &[Span]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, size_of_val(spans), |bytes| {
        let words = spans.iter().flat_map(|span| [span.block, span.thread, span.leaf, span.start_ns, span.end_ns]);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_ne_bytes()));
        Ok(())
    })
}

/// Add a schedule that is a function at `address`, of the type `ForeignLoop` of the engine and never unloaded.
#[pyfunction]
pub(crate) fn add_schedule(name: &str, most_threads: usize, address: usize) -> PyResult<()> {
    ensure!(address != 0, "schedule {name:?} given without a function");
    // SAFETY: the caller promises a function of this type, as for all code loaded from outside.
    unsafe {
        let call = std::mem::transmute::<usize, ForeignLoop>(address);
        Schedule::register_foreign(name, most_threads, call).map(|_| ()).map_err(raise)
    }
}

/// Return the names of the engine's own schedules.
#[pyfunction]
pub(crate) fn schedules() -> Vec<&'static str> {
    Schedule::ALL.iter().map(|(name, _)| *name).collect()
}

/// Return the names of the experimental variants of `rayon`.
#[pyfunction]
pub(crate) fn schedule_experiments() -> Vec<&'static str> {
    Schedule::EXPERIMENTS.iter().map(|(name, _)| *name).collect()
}

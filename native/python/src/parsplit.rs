//! ParSplit: messages in memory, and schedules.

use crate::algorithm::{Algorithm, check_block_multiple};
use crate::buffer::{Buffer, new_bytes};
use crate::errors::{ArgumentError, ArgumentTypeError, BufferArgumentError, ensure, raise};
use crate::exclusive::exclusive;
use crate::interrupt::interruptible;
use ::parsplit::{ForeignLoop, Keyed, Schedule, Span};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PySlice};
use std::borrow::Cow;
use zeroize::Zeroizing;

/// The engine of `aeadlab.ParSplit`.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct ParSplit {
    pub(crate) inner: ::parsplit::ParSplit,
}

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Seal,
    Open,
}

/// The memory of a result, and what the call returns.
#[derive(Clone, Copy)]
pub(crate) enum Output<'a, 'py> {
    /// A new `bytes` object, which is returned.
    Fresh,
    /// The caller's memory; a view of the part that was written is returned.
    View(&'a Bound<'py, PyAny>),
    /// The caller's memory; the number of bytes written is returned.
    Count(&'a Bound<'py, PyAny>),
}

impl<'a, 'py> Output<'a, 'py> {
    /// That of the argument `out`.
    pub(crate) fn of(out: Option<&'a Bound<'py, PyAny>>) -> Self {
        out.map_or(Self::Fresh, Self::View)
    }
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
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.process(py, Direction::Seal, [key, nonce, data], aad, out, false)?.0)
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
        Ok(self.process(py, Direction::Open, [key, nonce, data], aad, out, false)?.0)
    }

    /// Open `count` blocks of a sealed message, from index `first` on.
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, and the range of blocks
    fn decrypt_range<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first: &Bound<'py, PyAny>,
        count: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let _guard = exclusive(py, self.inner.algorithm());
        let mut keyed = self.inner.key_once(&key).map_err(raise)?;
        open_range(py, &mut keyed, [nonce, data], first, count, aad, Output::of(out))
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
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
        let direction = if opening { Direction::Open } else { Direction::Seal };
        let (result, spans) = self.process(py, direction, [key, nonce, data], aad, out, true)?;
        Ok((result, span_bytes(py, &spans)?))
    }
}

impl ParSplit {
    /// The engine with a limit in bytes for the buffers of a stream; None keeps the default.
    pub(crate) fn with_max_memory(&self, bytes: Option<usize>) -> ::parsplit::ParSplit {
        bytes.map_or(self.inner, |bytes| self.inner.max_memory(bytes))
    }

    fn process<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        [key, nonce, data]: [&Bound<'py, PyAny>; 3],
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        traced: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<Span>)> {
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let _guard = exclusive(py, self.inner.algorithm());
        let mut keyed = self.inner.key_once(&key).map_err(raise)?;
        keyed.set_traced(traced);
        let result = transform(py, &mut keyed, direction, [nonce, data], aad, Output::of(out))?;
        Ok((result, keyed.spans().to_vec()))
    }
}

/// Seals or opens a message. The caller holds the lock of `exclusive`.
pub(crate) fn transform<'py>(
    py: Python<'py>,
    keyed: &mut Keyed,
    direction: Direction,
    [nonce, data]: [&Bound<'py, PyAny>; 2],
    aad: Option<&Bound<'py, PyAny>>,
    out: Output<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = *keyed.splitter();
    let (nonce, aad, data) = inputs(nonce, aad, data)?;
    let layout = match direction {
        Direction::Seal => engine.layout(data.bytes()),
        Direction::Open => engine.layout_of_sealed(data.bytes()),
    }
    .map_err(raise)?;
    check_block_multiple(engine.algorithm(), "message", layout.bytes())?;
    let (given, expected) = (nonce.len(), engine.nonce_bytes());
    ensure!(
        given == expected,
        "nonce of {given} bytes given, {expected} expected: 5 less than the algorithm's, for block number and last \
         flag"
    );
    keyed.set_fresh_output(matches!(out, Output::Fresh));
    let bytes = layout.bytes();
    let length = match direction {
        Direction::Seal => layout.sealed_bytes(),
        Direction::Open => bytes,
    };
    with_output(py, out, length, |output| {
        let (set_flag, pointers) = (Keyed::set_cancel_flag, (data.pointer().cast_const(), output));
        interruptible(py, keyed, set_flag, bytes, pointers, |keyed, input, output| {
            // SAFETY: the layout comes from the length of the input, and the output has the length that follows from
            // it. The engine rejects overlapping buffers.
            unsafe {
                match direction {
                    Direction::Seal => keyed.seal_raw(&nonce, &aad, input, bytes, output, output.wrapping_add(bytes)),
                    Direction::Open => keyed.open_raw(&nonce, &aad, input, bytes, output, input.wrapping_add(bytes)),
                }
            }
        })
    })
}

/// Nonce, associated data and the memory of the message.
pub(crate) type Inputs<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>, Buffer<'a>);

/// Returns nonce and associated data, which no other thread can change, and the memory of the message.
#[inline(always)] // moving what was just written takes longer than the checks
pub(crate) fn inputs<'a>(
    nonce: &'a Bound<'_, PyAny>,
    aad: Option<&'a Bound<'_, PyAny>>,
    data: &'a Bound<'_, PyAny>,
) -> PyResult<Inputs<'a>> {
    let nonce = Buffer::short(nonce, "nonce")?;
    let aad = aad.map_or(Ok(Cow::Borrowed([].as_slice())), |aad| Buffer::short(aad, "aad"))?;
    Ok((nonce, aad, Buffer::input(data, "data")?))
}

/// Opens `count` blocks of a sealed message from block `first` on. The caller holds the lock of `exclusive`.
pub(crate) fn open_range<'py>(
    py: Python<'py>,
    keyed: &mut Keyed,
    [nonce, data]: [&Bound<'py, PyAny>; 2],
    first: &Bound<'py, PyAny>,
    count: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
    out: Output<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = *keyed.splitter();
    let (first, count) = (number(first, "first block", 0)?, number(count, "count", 1)?);
    let (nonce, aad, data) = inputs(nonce, aad, data)?;
    let (sealed, blocks) = (data.bytes(), first..first.saturating_add(count));
    let layout = engine.layout_of_sealed(sealed).map_err(raise)?;
    check_block_multiple(engine.algorithm(), "message", layout.bytes())?;
    let length = layout.byte_range(&blocks).map_err(raise)?.len();
    keyed.set_fresh_output(matches!(out, Output::Fresh));
    with_output(py, out, length, |output| {
        let (set_flag, pointers) = (Keyed::set_cancel_flag, (data.pointer().cast_const(), output));
        interruptible(py, keyed, set_flag, length, pointers, |keyed, input, output| {
            // SAFETY: `layout` and `length` give the lengths; the engine rejects overlapping buffers.
            unsafe { keyed.open_range_raw(&nonce, &aad, blocks, input, sealed, output) }
        })
        .map(drop)
    })
}

/// Returns an index or a count of blocks that is at least `minimum`.
pub(crate) fn number(object: &Bound<'_, PyAny>, name: &str, minimum: u64) -> PyResult<u64> {
    match object.extract::<u64>() {
        Ok(number) if number >= minimum => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
            Err(ArgumentTypeError::new_err(format!("{name} {} given, an integer expected", object.repr()?)))
        }
        _ if object.lt(minimum)? => {
            Err(ArgumentError::new_err(format!("{name} {} given, at least {minimum} expected", object.str()?)))
        }
        _ => Err(ArgumentError::new_err(format!("{name} {} given, at most {} expected", object.str()?, u64::MAX))),
    }
}

/// Lets `write` fill `length` bytes of the output. Returns what the kind of output states.
pub(crate) fn with_output<'py>(
    py: Python<'py>,
    out: Output<'_, 'py>,
    length: usize,
    write: impl FnOnce(*mut u8) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    match out {
        Output::Fresh => {
            let (bytes, start) = new_bytes(py, length)?;
            write(start)?;
            Ok(bytes.into_any())
        }
        Output::Count(out) => {
            write(Buffer::output(out, length)?.pointer())?;
            Ok(length.into_pyobject(py)?.into_any())
        }
        Output::View(out) => match out.cast_exact::<PyByteArray>() {
            Ok(array) if array.len() >= length => {
                // The view keeps the memory of the array in place.
                let (view, given) = (PyMemoryView::from(out)?, array.len());
                write(array.data())?;
                prefix(view.into_any(), given, length)
            }
            _ => {
                let buffer = Buffer::output(out, length)?;
                let mut view = PyMemoryView::from(out)?.into_any();
                if !buffer.is_flat_bytes() {
                    view = view.call_method1("cast", ("B",)).map_err(|e| {
                        BufferArgumentError::new_err(format!("out cannot be viewed as bytes: {}", e.value(py)))
                    })?;
                }
                write(buffer.pointer())?;
                prefix(view, buffer.bytes(), length)
            }
        },
    }
}

/// Returns the first `length` bytes of a view of `given` bytes.
fn prefix(view: Bound<'_, PyAny>, given: usize, length: usize) -> PyResult<Bound<'_, PyAny>> {
    if given == length { Ok(view) } else { view.get_item(PySlice::new(view.py(), 0, length as isize, 1)) }
}

/// Converts spans to Python bytes, which NumPy reads as a structured array.
pub(crate) fn span_bytes<'py>(py: Python<'py>, spans: &[Span]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, size_of_val(spans), |bytes| {
        let words = spans.iter().flat_map(|span| [span.block, span.thread, span.leaf, span.start_ns, span.end_ns]);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_ne_bytes()));
        Ok(())
    })
}

/// Add a schedule that is a function at `address`, of the type `ForeignLoop` of the engine and never unloaded. `started`
/// states whether its runtime has started its threads.
#[pyfunction]
pub(crate) fn add_schedule(name: &str, most_threads: usize, address: usize, started: bool) -> PyResult<()> {
    ensure!(address != 0, "schedule {name:?} given without a function");
    // SAFETY: the caller promises a function of this type, as for all code loaded from outside.
    unsafe {
        let call = std::mem::transmute::<usize, ForeignLoop>(address);
        Schedule::register_foreign(name, most_threads, call, started).map(|_| ()).map_err(raise)
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

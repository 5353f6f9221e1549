use crate::algorithm::{Algorithm, check_blocks};
use crate::alone::alone;
use crate::buffer::{Buffer, Shared, new_bytes};
use crate::errors::{ArgumentError, BufferError, raise};
use crate::interrupt::Watch;
use ::parsplit::{Keyed, Layout, Loop, Schedule, Span};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};
use zeroize::Zeroizing;

/// The engine behind `aeadlab.ParSplit`.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct ParSplit {
    pub(crate) inner: ::parsplit::ParSplit,
    algorithm: &'static aeadlab_abi::Algorithm,
}

#[derive(Clone, Copy)]
enum Way {
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
            // The engine itself also takes baselines, which the lab measures; users get authenticated encryption.
            return Err(ArgumentError::new_err(format!(
                "{}/{} is no AEAD: ParSplit needs one, without tags it could not detect any change",
                algorithm.entry.library, algorithm.entry.name
            )));
        }
        let algorithm = algorithm.entry.algorithm;
        check_blocks(algorithm, "block size", block_size)?;
        let inner = ::parsplit::ParSplit::new(algorithm, block_size, threads, schedule).map_err(raise)?;
        let inner = serial_below.map_or(inner, |bytes| inner.serial_below(bytes));
        Ok(Self { inner, algorithm })
    }

    /// Length of the key in bytes.
    #[getter]
    fn key_bytes(&self) -> usize {
        self.inner.key_bytes()
    }

    /// Length of the nonce in bytes: the algorithm's less 5.
    #[getter]
    fn nonce_bytes(&self) -> usize {
        self.inner.nonce_bytes()
    }

    /// Length of the sealed message, tags included, for a message of `bytes`.
    fn sealed_bytes(&self, bytes: usize) -> PyResult<usize> {
        Ok(self.inner.layout(bytes).map_err(raise)?.sealed())
    }

    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.call(py, Way::Seal, [key, nonce, data, aad], out, false)?.0)
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.call(py, Way::Open, [key, nonce, data, aad], out, false)?.0)
    }

    /// Some blocks of what `encrypt` made, `count` of them from number `first` on.
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, and which blocks
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
        let key = Zeroizing::new(Buffer::copied(key, "key")?);
        let (nonce, aad) = (Buffer::copied(nonce, "nonce")?, Buffer::copied(aad, "aad")?);
        let data = Buffer::input(data, "data")?;
        let blocks = first..first.saturating_add(count);
        let layout = self.inner.layout_of_sealed(data.bytes()).map_err(raise)?;
        check_blocks(self.algorithm, "message", layout.bytes())?;
        let length = layout.bytes_of(&blocks).map_err(raise)?.len();
        let _alone = alone(py, self.algorithm);
        let mut keyed = self.inner.key(&key).map_err(raise)?;
        keyed.fresh_output(out.is_none());
        let opened = into(py, out, length, |to| {
            let watch = Watch::over(py, length)?;
            keyed.cancelled_by(watch.as_ref().map(Watch::word));
            let (input, output, sealed) = (Shared(data.pointer()), Shared(to), data.bytes());
            let engine = &mut keyed;
            let done = py.detach(move || {
                let (Shared(input), Shared(output)) = ({ input }, { output });
                // SAFETY: the lengths were checked above, the Python objects are held, overlap is checked by the engine.
                unsafe { engine.open_range_raw(&nonce, &aad, blocks, input, sealed, output) }
            });
            finish(py, watch, done)
        })?;
        Ok(opened.0)
    }

    /// As `encrypt` or `decrypt`, and for each block its index, worker, start and end, four 64-bit words.
    #[allow(clippy::too_many_arguments)] // those of `encrypt`, and which way
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
        let way = if opening { Way::Open } else { Way::Seal };
        let (result, spans) = self.call(py, way, [key, nonce, data, aad], out, true)?;
        Ok((result, span_bytes(py, &spans)?))
    }
}

impl ParSplit {
    fn call<'py>(
        &self,
        py: Python<'py>,
        way: Way,
        [key, nonce, data, aad]: [&Bound<'py, PyAny>; 4],
        out: Option<&Bound<'py, PyAny>>,
        traced: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<Span>)> {
        let key = Zeroizing::new(Buffer::copied(key, "key")?);
        let nonce = Buffer::copied(nonce, "nonce")?;
        let aad = Buffer::copied(aad, "aad")?;
        let data = Buffer::input(data, "data")?;
        let layout = match way {
            Way::Seal => self.inner.layout(data.bytes()),
            Way::Open => self.inner.layout_of_sealed(data.bytes()),
        }
        .map_err(raise)?;
        check_blocks(self.algorithm, "message", layout.bytes())?;
        if nonce.len() != self.inner.nonce_bytes() {
            return Err(ArgumentError::new_err(format!(
                "nonce of {} bytes given, {} wanted: the algorithm's own less 5, which number the blocks",
                nonce.len(),
                self.inner.nonce_bytes()
            )));
        }
        let _alone = alone(py, self.algorithm);
        let mut keyed = self.inner.key(&key).map_err(raise)?;
        keyed.traced(traced);
        keyed.fresh_output(out.is_none());
        let length = match way {
            Way::Seal => layout.sealed(),
            Way::Open => layout.bytes(),
        };
        into(py, out, length, |to| run(py, way, keyed, (&nonce, &aad), layout, data.pointer(), to))
    }
}

/// Has `work` write `length` bytes, to a new object or to the caller's.
fn into<'py, T>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    length: usize,
    work: impl FnOnce(*mut u8) -> PyResult<T>,
) -> PyResult<(Bound<'py, PyAny>, T)> {
    let Some(out) = out else {
        let (bytes, to) = new_bytes(py, length)?;
        let done = work(to)?;
        return Ok((bytes.into_any(), done));
    };
    let buffer = Buffer::output(out, length)?;
    let view = PyMemoryView::from(out)?
        .call_method1("cast", ("B",))
        .map_err(|e| BufferError::new_err(format!("out cannot be seen as bytes: {}", e.value(py))))?;
    let done = work(buffer.pointer())?;
    Ok((view.get_item(pyo3::types::PySlice::new(py, 0, length as isize, 1))?, done))
}

/// The outcome of a call that Ctrl-C may have ended.
pub(crate) fn finish<T>(py: Python<'_>, watch: Option<Watch>, done: ::parsplit::Result<T>) -> PyResult<T> {
    drop(watch);
    if matches!(done, Err(::parsplit::Error::Interrupted)) {
        // Python's own handler has noted the signal too, and raises here instead of after this.
        py.check_signals()?;
    }
    done.map_err(raise)
}

fn run(
    py: Python<'_>,
    way: Way,
    mut keyed: Keyed,
    (nonce, aad): (&[u8], &[u8]),
    layout: Layout,
    input: *mut u8,
    output: *mut u8,
) -> PyResult<Vec<Span>> {
    let (input, output) = (Shared(input), Shared(output));
    let watch = Watch::over(py, layout.bytes())?;
    keyed.cancelled_by(watch.as_ref().map(Watch::word));
    let engine = &mut keyed;
    let done = py.detach(move || {
        // Whole values, not their fields, so that `Shared` and with it the promise crosses.
        let (Shared(input), Shared(output)) = ({ input }, { output });
        let bytes = layout.bytes();
        // SAFETY: the layout was made from the input's length, the output was checked or made to fit it, and the
        // Python objects are held by the caller. Overlap is checked by the engine.
        unsafe {
            match way {
                Way::Seal => engine.seal_raw(nonce, aad, input, bytes, output, output.wrapping_add(bytes)),
                Way::Open => engine.open_raw(nonce, aad, input, bytes, output, input.wrapping_add(bytes)),
            }
        }
    });
    finish(py, watch, done)?;
    Ok(keyed.spans().to_vec())
}

/// Spans as Python's bytes: NumPy gives the words their names.
pub(crate) fn span_bytes<'py>(py: Python<'py>, spans: &[Span]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, size_of_val(spans), |bytes| {
        let words = spans.iter().flat_map(|span| [span.block, span.thread, span.leaf, span.start_ns, span.end_ns]);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_ne_bytes()));
        Ok(())
    })
}

/// Adds a loop that lies at `address` and is never unloaded; `aeadlab.schedules` knows the loops that fit.
#[pyfunction]
pub(crate) fn add_schedule(name: &str, most_threads: usize, address: usize) -> PyResult<()> {
    if address == 0 {
        return Err(ArgumentError::new_err(format!("schedule {name:?} has no function")));
    }
    // SAFETY: the caller's promise, as for everything that is loaded from outside.
    unsafe {
        let call = std::mem::transmute::<usize, Loop>(address);
        Schedule::foreign(name, most_threads, call).map(|_| ()).map_err(raise)
    }
}

/// Names of the engine's own schedules.
#[pyfunction]
pub(crate) fn schedules() -> Vec<&'static str> {
    Schedule::ALL.iter().map(|(name, _)| *name).collect()
}

/// Names of the changes to `rayon` that experiments are made with.
#[pyfunction]
pub(crate) fn schedule_experiments() -> Vec<&'static str> {
    Schedule::EXPERIMENTS.iter().map(|(name, _)| *name).collect()
}

//! The native clock: prepared cases, and samples of Python calls.

use crate::algorithm::Algorithm;
use crate::buffer::{SendPointer, new_bytes};
use crate::errors::{ArgumentError, MeasurementError, ensure, raise};
use crate::parsplit::span_bytes;
use ::parsplit::tags::{OneTag, Tags};
use ::parsplit::{ParSplit, Schedule};
use aeadlab_abi as abi;
use aeadlab_libraries::Settings;
use aeadlab_measure::{self as measure, Engine, LibrarySettings, Model, Op, Placement, Sample, Spec, Standard};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// wall_ns, cpu_ns, tsc_ticks, minor_faults, major_faults, voluntary_switches, involuntary_switches
type Row = (i64, i64, u64, i64, i64, i64, i64);

fn row(s: &Sample) -> Row {
    (s.wall_ns, s.cpu_ns, s.tsc_ticks, s.minor_faults, s.major_faults, s.voluntary_switches, s.involuntary_switches)
}

fn parse<T: Copy>(parameter: &str, given: &str, table: &[(&str, T)]) -> PyResult<T> {
    table.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = table.iter().map(|(name, _)| *name).collect();
        ArgumentError::new_err(format!("{parameter} {given:?} given, one of {} expected", names.join(", ")))
    })
}

/// Returns the settings of an algorithm's library: thread count and block size, or one thread and the library's own
/// block size where none are given. A value other than that needs a library that exports its setter.
fn library_settings(algorithm: &Algorithm, given: Option<(usize, usize)>) -> PyResult<LibrarySettings> {
    let entry = &algorithm.entry;
    let parallel = entry.algorithm.has(abi::PARALLEL);
    let (threads, block_size) = given.unwrap_or((1, 0));
    let settings = if parallel { entry.settings } else { Settings::default() };
    for (parameter, value, default, setter, symbol) in [
        ("threads", threads, 1, settings.threads, "aeadlab_set_threads"),
        ("block size", block_size, 0, settings.block_size, "aeadlab_set_block_size"),
    ] {
        if value != default && setter.is_none() {
            let reason = if parallel {
                format!("the library does not export {symbol}")
            } else {
                "the algorithm is not parallel itself".into()
            };
            return Err(ArgumentError::new_err(format!(
                "{parameter} {value} given for engine whole of {}/{}, {default} expected: {reason}",
                entry.library, entry.name
            )));
        }
    }
    Ok([settings.threads.map(|set| (set, threads)), settings.block_size.map(|set| (set, block_size))])
}

/// Returns the engine that splits a message, with this form of the tags.
fn split(
    algorithm: &Algorithm,
    block_size: usize,
    threads: usize,
    schedule: Schedule,
    serial_below: Option<usize>,
    tags: &str,
) -> PyResult<Engine> {
    let entry = &algorithm.entry;
    match tags {
        "concatenated" => {
            let splitter = ParSplit::new(entry.algorithm, block_size, threads, schedule).map_err(raise)?;
            Ok(Engine::ParSplit(serial_below.map_or(splitter, |bytes| splitter.serial_below(bytes))))
        }
        "standard" => {
            let own_kernel = entry.library == "aeadlab";
            Ok(Engine::Standard(Standard { own_kernel, threads, schedule, segment_bytes: block_size }))
        }
        one => {
            let form = one.parse::<Tags>().map_err(raise)?;
            let one_tag = OneTag::new(entry.algorithm, block_size, threads, schedule, form).map_err(raise)?;
            Ok(Engine::OneTag(serial_below.map_or(one_tag, |bytes| one_tag.serial_below(bytes))))
        }
    }
}

/// The memory of a run, pre-faulted and filled, and shared by its cases.
#[pyclass(module = "aeadlab._native")]
pub(crate) struct Arena(measure::Arena);

#[pymethods]
impl Arena {
    #[new]
    fn new(py: Python<'_>, bytes: usize, tag_bytes: usize, seed: u64) -> PyResult<Self> {
        py.detach(|| measure::Arena::new(bytes, tag_bytes, seed))
            .map(Self)
            .map_err(|e| PyMemoryError::new_err(format!("two buffers of {bytes} bytes cannot be allocated: {e}")))
    }

    /// Use each page of a message of this length and of its output once, which changes no byte.
    fn touch(&mut self, py: Python<'_>, bytes: usize) {
        py.detach(|| self.0.touch(bytes));
    }
}

/// A prepared case.
#[pyclass(module = "aeadlab._native")]
pub(crate) struct Case(measure::Case);

#[pymethods]
impl Case {
    #[new]
    #[pyo3(signature = (
        algorithm, *, engine, model, op, bytes, block_size, threads, schedule, placement, serial_below, cold,
        aad_bytes=0, tags="concatenated"
    ))]
    #[allow(clippy::too_many_arguments)] // keyword arguments: the columns of a case
    fn new(
        algorithm: &Algorithm,
        engine: &str,
        model: &str,
        op: &str,
        bytes: usize,
        block_size: usize,
        threads: usize,
        schedule: &str,
        placement: &str,
        serial_below: Option<usize>,
        cold: bool,
        aad_bytes: usize,
        tags: &str,
    ) -> PyResult<Self> {
        let entry = algorithm.entry.algorithm;
        // With engine parsplit each block is one call, which uses one thread.
        let mut settings = library_settings(algorithm, None)?;
        let engine = match engine {
            "whole" => {
                settings = library_settings(algorithm, Some((threads, block_size)))?;
                Engine::Whole
            }
            "parsplit" => {
                let schedule = schedule.parse::<Schedule>().map_err(raise)?;
                split(algorithm, block_size, threads, schedule, serial_below, tags)?
            }
            other => {
                return Err(ArgumentError::new_err(format!("engine {other:?} given, whole or parsplit expected")));
            }
        };
        let models = [("oneshot", Model::Oneshot), ("keyed", Model::Keyed), ("rekeyed", Model::Rekeyed)];
        let model = parse("model", model, &models)?;
        let op = parse(
            "op",
            op,
            &[
                ("seal", Op::Seal),
                ("open", Op::Open),
                ("encrypt", Op::Encrypt),
                ("decrypt", Op::Decrypt),
                ("digest", Op::Digest),
            ],
        )?;
        let placement =
            parse("placement", placement, &[("separate", Placement::Separate), ("in-place", Placement::InPlace)])?;
        let spec = Spec { algorithm: entry, engine, model, op, bytes, aad_bytes, placement, cold, settings };
        measure::Case::new(spec).map(Self).map_err(raise)
    }

    /// Length in bytes of the tags behind the message.
    #[getter]
    fn tag_bytes(&self) -> usize {
        self.0.tag_bytes()
    }

    /// A fingerprint of the result, or None where no result is left to compare.
    #[getter]
    fn fingerprint(&self) -> Option<u64> {
        self.0.fingerprint()
    }

    /// Return the number of executions that take at least `target_ns` nanoseconds together.
    fn calibrate(&mut self, py: Python<'_>, arena: &mut Arena, target_ns: i64) -> PyResult<u64> {
        py.detach(|| self.0.calibrate(&mut arena.0, target_ns)).map_err(measurement_error)
    }

    /// Take one sample: wall_ns, cpu_ns, tsc_ticks, minor and major faults, voluntary and involuntary switches.
    fn sample(&mut self, py: Python<'_>, arena: &mut Arena, batch: u64) -> PyResult<Row> {
        py.detach(|| self.0.sample(&mut arena.0, batch)).map(|s| row(&s)).map_err(measurement_error)
    }

    /// Execute the case once for a pseudo-random message in memory of its own, and return the BLAKE3 digest of the whole
    /// result: of the sealed message also where it is opened.
    fn answer<'py>(&mut self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| self.0.answer(seed)).map_err(|error| match error {
            measure::AnswerError::Memory(reason) => PyMemoryError::new_err(reason),
            measure::AnswerError::Case(error) => raise(error),
        })?;
        Ok(PyBytes::new(py, &answer))
    }

    /// Execute a case of engine parsplit and model keyed once, and return its trace as `ParSplit.traced` does.
    fn trace<'py>(&mut self, py: Python<'py>, arena: &mut Arena) -> PyResult<Bound<'py, PyBytes>> {
        let spans = py.detach(|| self.0.trace(&mut arena.0)).map_err(measurement_error)?;
        span_bytes(py, &spans)
    }
}

/// Threads that request output from a generator. They need no arena.
#[pyclass(module = "aeadlab._native")]
pub(crate) struct Streams(measure::Streams);

#[pymethods]
impl Streams {
    #[new]
    #[pyo3(signature = (algorithm, *, bytes, request, threads))]
    fn new(algorithm: &Algorithm, bytes: usize, request: usize, threads: usize) -> PyResult<Self> {
        measure::Streams::new(algorithm.entry.algorithm, bytes, request, threads).map(Self).map_err(raise)
    }

    /// Calibrate as `Case.calibrate` does.
    fn calibrate(&mut self, py: Python<'_>, target_ns: i64) -> PyResult<u64> {
        py.detach(|| self.0.calibrate(target_ns)).map_err(measurement_error)
    }

    /// Take one sample as `Case.sample` does.
    fn sample(&mut self, py: Python<'_>, batch: u64) -> PyResult<Row> {
        py.detach(|| self.0.sample(batch)).map(|s| row(&s)).map_err(measurement_error)
    }
}

fn measurement_error(error: ::parsplit::Error) -> PyErr {
    match error {
        // A wrong result makes all times of the implementation worthless.
        ::parsplit::Error::Authentication | ::parsplit::Error::WrongResult(_) => raise(error),
        _ => MeasurementError::new_err(error.to_string()),
    }
}

/// Return a pseudo-random message, the same as that of [`Case::answer`].
#[pyfunction]
pub(crate) fn pseudorandom(py: Python<'_>, bytes: usize, seed: u64) -> PyResult<Bound<'_, PyBytes>> {
    let (object, start) = new_bytes(py, bytes)?;
    let start = SendPointer(start);
    py.detach(move || {
        let SendPointer(start) = { start };
        // SAFETY: the new object's content of this length, which no other code can see yet.
        unsafe { measure::fill(start, bytes, seed) };
    });
    Ok(object)
}

/// Return the associated data of every case with that length.
#[pyfunction]
pub(crate) fn associated_data(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyBytes>> {
    PyBytes::new_with(py, bytes, |memory| {
        measure::fill_associated(memory);
        Ok(())
    })
}

/// Take one sample of `batch` calls of a Python function; return it and the result of the last call.
#[pyfunction]
pub(crate) fn sample_call<'py>(call: &Bound<'py, PyAny>, batch: u64) -> PyResult<(Row, Bound<'py, PyAny>)> {
    ensure!(batch > 0, "batch of 0 given, at least 1 expected");
    let (sample, result) = measure::sample(|| {
        // Each result is freed before the next call, as in a loop that uses one result after the other.
        for _ in 1..batch {
            drop(call.call0()?);
        }
        call.call0()
    });
    Ok((row(&sample), result?))
}

/// Return the batch length for which `sample(batch)` takes at least `target_ns` nanoseconds. The first item of what
/// `sample` returns is the wall time in nanoseconds.
#[pyfunction]
pub(crate) fn calibrate(sample: &Bound<'_, PyAny>, target_ns: i64) -> PyResult<u64> {
    measure::calibrate(target_ns, |batch| sample.call1((batch,))?.get_item(0)?.extract())
}

/// Return the time-stamp counter.
#[pyfunction]
pub(crate) fn tsc() -> u64 {
    measure::tsc()
}

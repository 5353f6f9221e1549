use crate::algorithm::Algorithm;
use crate::errors::{ArgumentError, MeasurementError, raise};
use crate::parsplit::span_bytes;
use ::parsplit::{ParSplit, Schedule};
use aeadlab_abi as abi;
use aeadlab_libraries::Settings;
use aeadlab_measure::{self as measure, Engine, Model, Op, Placement, Sample, Spec, Told};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// wall_ns, cpu_ns, tsc_ticks, minor_faults, major_faults, voluntary_switches, involuntary_switches
type Row = (i64, i64, u64, i64, i64, i64, i64);

fn row(s: &Sample) -> Row {
    (s.wall_ns, s.cpu_ns, s.tsc_ticks, s.minor_faults, s.major_faults, s.voluntary_switches, s.involuntary_switches)
}

fn named<T: Copy>(what: &str, given: &str, table: &[(&str, T)]) -> PyResult<T> {
    table.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = table.iter().map(|(name, _)| *name).collect();
        ArgumentError::new_err(format!("{what} {given:?} given, one of {} wanted", names.join(", ")))
    })
}

/// What the library of an algorithm is told: threads and block size, or where they are not given one thread and its own
/// blocks. Fails where more is given than it can be told.
fn settings(algorithm: &Algorithm, given: Option<(usize, usize)>) -> PyResult<Told> {
    let entry = &algorithm.entry;
    let parallel = entry.algorithm.has(abi::PARALLEL);
    let (threads, block_size) = given.unwrap_or((1, 0));
    let settings = if parallel { entry.settings } else { Settings::default() };
    for (what, given, usual, export, symbol) in [
        ("threads", threads, 1, settings.threads, "aeadlab_set_threads"),
        ("block size", block_size, 0, settings.block_size, "aeadlab_set_block_size"),
    ] {
        if given != usual && export.is_none() {
            let why = if parallel {
                format!("its library does not export {symbol}")
            } else {
                "it is not parallel itself".into()
            };
            return Err(ArgumentError::new_err(format!(
                "{what} {given} given for one call of {}/{} over the message, {usual} wanted: {why}",
                entry.library, entry.name
            )));
        }
    }
    Ok([settings.threads.map(|set| (set, threads)), settings.block_size.map(|set| (set, block_size))])
}

/// The memory of a run: pre-faulted, filled, shared by its cases.
#[pyclass(module = "aeadlab._native")]
pub(crate) struct Arena(measure::Arena);

#[pymethods]
impl Arena {
    #[new]
    fn new(py: Python<'_>, bytes: usize, tag_bytes: usize, seed: u64) -> PyResult<Self> {
        py.detach(|| measure::Arena::new(bytes, tag_bytes, seed))
            .map(Self)
            .map_err(|e| PyMemoryError::new_err(format!("two buffers of {bytes} bytes could not be had: {e}")))
    }
}

/// A prepared case.
#[pyclass(module = "aeadlab._native")]
pub(crate) struct Case(measure::Case);

#[pymethods]
impl Case {
    #[new]
    #[pyo3(signature = (
        algorithm, *, engine, model, op, bytes, block_size, threads, schedule, placement, serial_below, cold
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
    ) -> PyResult<Self> {
        let entry = algorithm.entry.algorithm;
        // ParSplit gives the threads; what it calls is then to use one.
        let mut told = settings(algorithm, None)?;
        let engine = match engine {
            "whole" => {
                told = settings(algorithm, Some((threads, block_size)))?;
                Engine::Whole
            }
            "parsplit" => {
                let schedule = schedule.parse::<Schedule>().map_err(raise)?;
                let splitter = ParSplit::new(entry, block_size, threads, schedule).map_err(raise)?;
                Engine::ParSplit(serial_below.map_or(splitter, |bytes| splitter.serial_below(bytes)))
            }
            other => {
                return Err(ArgumentError::new_err(format!("engine {other:?} given, whole or parsplit wanted")));
            }
        };
        let model = named("model", model, &[("oneshot", Model::Oneshot), ("keyed", Model::Keyed)])?;
        let op = named(
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
            named("placement", placement, &[("separate", Placement::Separate), ("in-place", Placement::InPlace)])?;
        let spec = Spec { algorithm: entry, engine, model, op, bytes, placement, cold, told };
        measure::Case::new(spec).map(Self).map_err(raise)
    }

    /// Bytes of tags behind the message.
    #[getter]
    fn tag_bytes(&self) -> usize {
        self.0.tag_bytes()
    }

    /// A fingerprint of the result, or None where it is not kept.
    #[getter]
    fn fingerprint(&self) -> Option<u64> {
        self.0.fingerprint()
    }

    /// Executions that together take at least `target_ns`.
    fn calibrate(&mut self, py: Python<'_>, arena: &mut Arena, target_ns: i64) -> PyResult<u64> {
        py.detach(|| self.0.calibrate(&mut arena.0, target_ns)).map_err(failed)
    }

    /// One sample: wall_ns, cpu_ns, tsc_ticks, minor and major faults, voluntary and involuntary switches.
    fn sample(&mut self, py: Python<'_>, arena: &mut Arena, batch: u64) -> PyResult<Row> {
        py.detach(|| self.0.sample(&mut arena.0, batch)).map(|s| row(&s)).map_err(failed)
    }

    /// One execution of a case of engine parsplit and model keyed, as `ParSplit.traced` gives it.
    fn trace<'py>(&mut self, py: Python<'py>, arena: &mut Arena) -> PyResult<Bound<'py, PyBytes>> {
        let spans = py.detach(|| self.0.trace(&mut arena.0)).map_err(failed)?;
        span_bytes(py, &spans)
    }
}

/// Threads that ask a generator for output; needs no arena.
#[pyclass(module = "aeadlab._native")]
pub(crate) struct Streams(measure::Streams);

#[pymethods]
impl Streams {
    #[new]
    #[pyo3(signature = (algorithm, *, bytes, request, threads))]
    fn new(algorithm: &Algorithm, bytes: usize, request: usize, threads: usize) -> PyResult<Self> {
        measure::Streams::new(algorithm.entry.algorithm, bytes, request, threads).map(Self).map_err(raise)
    }

    /// As `Case.calibrate`.
    fn calibrate(&mut self, py: Python<'_>, target_ns: i64) -> PyResult<u64> {
        py.detach(|| self.0.calibrate(target_ns)).map_err(failed)
    }

    /// As `Case.sample`.
    fn sample(&mut self, py: Python<'_>, batch: u64) -> PyResult<Row> {
        py.detach(|| self.0.sample(batch)).map(|s| row(&s)).map_err(failed)
    }
}

fn failed(error: ::parsplit::Error) -> PyErr {
    MeasurementError::new_err(error.to_string())
}

/// One sample of a Python call, made `batch` times, and what the last one returned.
#[pyfunction]
pub(crate) fn sample_call<'py>(call: &Bound<'py, PyAny>, batch: u64) -> PyResult<(Row, Bound<'py, PyAny>)> {
    if batch == 0 {
        return Err(ArgumentError::new_err("a batch of 0 given, at least 1 wanted"));
    }
    let (sample, result) = measure::sample(|| {
        // Each result is dropped before the next call, as in a loop that uses one result after the other.
        for _ in 1..batch {
            drop(call.call0()?);
        }
        call.call0()
    });
    Ok((row(&sample), result?))
}

/// The time-stamp counter.
#[pyfunction]
pub(crate) fn tsc() -> u64 {
    measure::tsc()
}

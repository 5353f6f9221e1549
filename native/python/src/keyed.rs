//! ParSplit with its key: contexts that are kept from message to message.

use crate::buffer::Buffer;
use crate::errors::{ArgumentError, raise};
use crate::exclusive::exclusive;
use crate::idle::IdleEngines;
use crate::parsplit::{Direction, Output, ParSplit, open_range, transform};
use crate::tags::{self, OneTag};
use ::parsplit::tags::{KeyedOneTag as KeyedTagEngine, OneTag as TagEngine};
use ::parsplit::{Keyed as KeyedEngine, ParSplit as Engine, Result};
use aeadlab_abi::Algorithm;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zeroize::Zeroizing;

/// The engines of one key, for each form of the tags.
enum Engines {
    Concatenated(Engine, IdleEngines<KeyedEngine>),
    OneTag(TagEngine, IdleEngines<KeyedTagEngine>),
}

/// ParSplit with its key, made by `ParSplit.with_key`: messages need no key set-up.
///
/// Any number of threads may call it at the same time; each call has contexts of its own, which are kept for the next
/// one. `close`, or the end of a `with` block, wipes the key and the contexts. It cannot be pickled or copied.
#[pyclass(frozen, module = "aeadlab")]
pub(crate) struct Keyed {
    engines: Engines,
}

#[pymethods]
impl Keyed {
    #[new]
    fn new(py: Python<'_>, parsplit: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let engines = match parsplit.cast::<OneTag>() {
            Ok(one_tag) => {
                let engine = one_tag.get().inner;
                let _guard = exclusive(py, engine.algorithm());
                let first = engine.key(&key).map_err(raise)?;
                Engines::OneTag(engine, IdleEngines::new(key, first))
            }
            Err(_) => {
                let engine = parsplit.cast::<ParSplit>()?.get().inner;
                let _guard = exclusive(py, engine.algorithm());
                let first = engine.key(&key).map_err(raise)?;
                Engines::Concatenated(engine, IdleEngines::new(key, first))
            }
        };
        Ok(Self { engines })
    }

    /// Seal `data`; see `ParSplit.encrypt`.
    #[pyo3(signature = (nonce, data, aad=None, out=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.transform(py, Direction::Seal, [nonce, data], aad, Output::of(out))
    }

    /// Open a sealed message, as a whole or not at all; see `ParSplit.decrypt`.
    #[pyo3(signature = (nonce, data, aad=None, out=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.transform(py, Direction::Open, [nonce, data], aad, Output::of(out))
    }

    /// Seal `data` into `out`, which may be longer, and return the number of bytes written.
    ///
    /// `encrypt` with `out` creates a memoryview for its result, which takes longer than new memory for a short message.
    fn encrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.transform(py, Direction::Seal, [nonce, data], aad, Output::Count(out))
    }

    /// Open a sealed message into `out`, which may be longer, and return the number of bytes written; see `encrypt_into`.
    fn decrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.transform(py, Direction::Open, [nonce, data], aad, Output::Count(out))
    }

    /// Open `count` blocks of a sealed message from block `first_block` on; see `ParSplit.decrypt_range`.
    #[pyo3(signature = (nonce, data, first_block, count, aad=None, out=None))]
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, and the range of blocks
    fn decrypt_range<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first_block: &Bound<'py, PyAny>,
        count: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Engines::Concatenated(engine, engines) = &self.engines else {
            return Err(ArgumentError::new_err("the blocks have no tags of their own: use prove and decrypt_proven"));
        };
        let call =
            |keyed: &mut KeyedEngine| open_range(py, keyed, [nonce, data], first_block, count, aad, Output::of(out));
        with(py, engine.algorithm(), engines, |key| engine.key(key), KeyedEngine::set_cancel_flag, call)
    }

    /// Return the proof of `count` blocks of a sealed message from block `first_block` on; see `ParSplit.prove`.
    #[pyo3(signature = (nonce, data, first_block, count, aad=None))]
    fn prove<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first_block: &Bound<'py, PyAny>,
        count: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.with_one_tag(py, |keyed| tags::prove(py, keyed, [nonce, data], first_block, count, aad))
    }

    /// Open blocks with their proof; see `ParSplit.decrypt_proven`.
    #[pyo3(signature = (nonce, data, first_block, message_bytes, tag, proof, aad=None, out=None))]
    #[allow(clippy::too_many_arguments)] // those of `decrypt`, the blocks and their proof
    fn decrypt_proven<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        first_block: &Bound<'py, PyAny>,
        message_bytes: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
        proof: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.with_one_tag(py, |keyed| {
            let inputs = [nonce, data, tag, proof];
            tags::open_proven(py, keyed, inputs, first_block, message_bytes, aad, Output::of(out))
        })
    }

    /// Whether `close` was called.
    #[getter]
    fn closed(&self) -> bool {
        match &self.engines {
            Engines::Concatenated(_, engines) => engines.closed(),
            Engines::OneTag(_, engines) => engines.closed(),
        }
    }

    /// Wipe the key and the contexts; calls that are running end first. A closed object stays closed.
    fn close(&self, py: Python<'_>) {
        match &self.engines {
            Engines::Concatenated(engine, engines) => {
                let _guard = exclusive(py, engine.algorithm());
                engines.close();
            }
            Engines::OneTag(engine, engines) => {
                let _guard = exclusive(py, engine.algorithm());
                engines.close();
            }
        }
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) {
        self.close(py);
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "an object with a key cannot be pickled or copied: pickle the ParSplit, and call with_key in the other \
             process",
        ))
    }

    fn __repr__(&self) -> &'static str {
        if self.closed() { "<aeadlab.Keyed, closed>" } else { "<aeadlab.Keyed>" }
    }
}

impl Keyed {
    fn transform<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        inputs: [&Bound<'py, PyAny>; 2],
        aad: Option<&Bound<'py, PyAny>>,
        out: Output<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.engines {
            Engines::Concatenated(engine, engines) => {
                let call = |keyed: &mut KeyedEngine| transform(py, keyed, direction, inputs, aad, out);
                with(py, engine.algorithm(), engines, |key| engine.key(key), KeyedEngine::set_cancel_flag, call)
            }
            Engines::OneTag(..) => {
                self.with_one_tag(py, |keyed| tags::transform(py, keyed, direction, inputs, aad, out))
            }
        }
    }

    fn with_one_tag<R>(&self, py: Python<'_>, call: impl FnOnce(&mut KeyedTagEngine) -> PyResult<R>) -> PyResult<R> {
        let Engines::OneTag(engine, engines) = &self.engines else {
            return Err(ArgumentError::new_err("each block has its own tag: use decrypt_range, which needs no proof"));
        };
        with(py, engine.algorithm(), engines, |key| engine.key(key), KeyedTagEngine::set_cancel_flag, call)
    }
}

/// Runs a call on an idle engine, or on a new one if all are in use.
fn with<E, R>(
    py: Python<'_>,
    algorithm: &Algorithm,
    engines: &IdleEngines<E>,
    new: impl FnOnce(&[u8]) -> Result<E>,
    set_cancel_flag: impl FnOnce(&mut E, Option<Arc<AtomicBool>>),
    call: impl FnOnce(&mut E) -> PyResult<R>,
) -> PyResult<R> {
    let _guard = exclusive(py, algorithm);
    engines.with(
        |key| new(key).map_err(raise),
        |engine| {
            let result = call(engine);
            set_cancel_flag(engine, None);
            result
        },
    )
}

impl Drop for Keyed {
    fn drop(&mut self) {
        // Freeing a context is a call of the library too.
        Python::attach(|py| self.close(py));
    }
}

//! ParSplit with its key: contexts that are kept from message to message.

use crate::buffer::Buffer;
use crate::errors::{ArgumentError, raise};
use crate::exclusive::exclusive;
use crate::parsplit::{Direction, Output, ParSplit, open_range, transform};
use ::parsplit::{Keyed as EngineKeyed, ParSplit as Engine};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// Number of idle engines that are kept, each with its contexts: that of Python threads that call at the same time.
const MOST_IDLE: usize = 16;

/// The key, and the engines that no call uses at the moment.
struct State {
    key: Zeroizing<Vec<u8>>,
    /// Boxed, because a call takes one from the list and returns it: to move an engine that was just changed takes a
    /// tenth of the time of a short message.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<EngineKeyed>>,
}

/// An AEAD with its key, made by `ParSplit.with_key`: messages need no key set-up.
///
/// Any number of threads may call it at the same time; each call has contexts of its own, which are kept for the next
/// one. `close`, or the end of a `with` block, wipes the key and the contexts. It cannot be pickled or copied.
#[pyclass(frozen, module = "aeadlab")]
pub(crate) struct Keyed {
    engine: Engine,
    /// None once closed. Locked while the GIL is held, and never across a call of a library.
    state: Mutex<Option<State>>,
}

#[pymethods]
impl Keyed {
    #[new]
    fn new(py: Python<'_>, parsplit: &ParSplit, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (engine, key) = (parsplit.inner, Zeroizing::new(Buffer::copy_of(key, "key")?));
        let _guard = exclusive(py, engine.algorithm());
        let idle = vec![Box::new(engine.key(&key).map_err(raise)?)];
        Ok(Self { engine, state: Mutex::new(Some(State { key, idle })) })
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
        self.with(py, |keyed| transform(py, keyed, Direction::Seal, [nonce, data], aad, Output::of(out)))
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
        self.with(py, |keyed| transform(py, keyed, Direction::Open, [nonce, data], aad, Output::of(out)))
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
        self.with(py, |keyed| transform(py, keyed, Direction::Seal, [nonce, data], aad, Output::Count(out)))
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
        self.with(py, |keyed| transform(py, keyed, Direction::Open, [nonce, data], aad, Output::Count(out)))
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
        self.with(py, |keyed| open_range(py, keyed, [nonce, data], first_block, count, aad, Output::of(out)))
    }

    /// Whether `close` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    /// Wipe the key and the contexts; calls that are running end first. A closed object stays closed.
    fn close(&self, py: Python<'_>) {
        let _guard = exclusive(py, self.engine.algorithm());
        let closed = self.lock().take();
        drop(closed);
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
    fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call on an idle engine, or on a new one if all are in use.
    fn with<R>(&self, py: Python<'_>, call: impl FnOnce(&mut EngineKeyed) -> PyResult<R>) -> PyResult<R> {
        let _guard = exclusive(py, self.engine.algorithm());
        let taken = match self.lock().as_mut() {
            None => {
                return Err(ArgumentError::new_err("this object is closed: make another one with ParSplit.with_key"));
            }
            Some(state) => state.idle.pop().ok_or_else(|| state.key.clone()),
        };
        let mut keyed = match taken {
            Ok(keyed) => keyed,
            Err(key) => Box::new(self.engine.key(&key).map_err(raise)?),
        };
        let result = call(&mut keyed);
        keyed.set_cancel_flag(None);
        let surplus = match self.lock().as_mut() {
            Some(state) if state.idle.len() < MOST_IDLE => {
                state.idle.push(keyed);
                None
            }
            _ => Some(keyed),
        };
        drop(surplus);
        result
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        // Freeing a context is a call of the library too.
        Python::attach(|py| self.close(py));
    }
}

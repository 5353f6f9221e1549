//! Engines with one key that no call uses at the moment.

use crate::errors::ArgumentError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// Number of idle engines that are kept, each with its contexts: that of Python threads that call at the same time.
const MOST_IDLE: usize = 16;

/// The key, and the engines that no call uses at the moment.
struct State<E> {
    key: Zeroizing<Vec<u8>>,
    /// Boxed, because a call takes one from the list and returns it: to move an engine that was just changed takes a
    /// tenth of the time of a short message.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<E>>,
}

/// Engines with one key; closed once the key is wiped. Locked while the GIL is held, and never across a call of a library.
pub(crate) struct IdleEngines<E>(Mutex<Option<State<E>>>);

impl<E> IdleEngines<E> {
    pub(crate) fn new(key: Zeroizing<Vec<u8>>, first: E) -> Self {
        Self(Mutex::new(Some(State { key, idle: vec![Box::new(first)] })))
    }

    fn lock(&self) -> MutexGuard<'_, Option<State<E>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn closed(&self) -> bool {
        self.lock().is_none()
    }

    /// Wipe the key and the idle engines.
    pub(crate) fn close(&self) {
        let closed = self.lock().take();
        drop(closed);
    }

    /// Runs a call on an idle engine, or on a `new` one if all are in use.
    pub(crate) fn with<R>(
        &self,
        new: impl FnOnce(&[u8]) -> PyResult<E>,
        call: impl FnOnce(&mut E) -> PyResult<R>,
    ) -> PyResult<R> {
        let taken = match self.lock().as_mut() {
            None => {
                return Err(ArgumentError::new_err("this object is closed: make another one with ParSplit.with_key"));
            }
            Some(state) => state.idle.pop().ok_or_else(|| state.key.clone()),
        };
        let mut engine = match taken {
            Ok(engine) => engine,
            Err(key) => Box::new(new(&key)?),
        };
        let result = call(&mut engine);
        let surplus = match self.lock().as_mut() {
            Some(state) if state.idle.len() < MOST_IDLE => {
                state.idle.push(engine);
                None
            }
            _ => Some(engine),
        };
        drop(surplus);
        result
    }
}

//! Serialisation of calls to libraries that are not thread-safe.

use ::parsplit::PerProcess;
use aeadlab_abi::{self as abi, Algorithm};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A forked child has its own lock: a thread that does not exist there may hold the inherited one.
static LIBRARY_CALL: PerProcess<Mutex<()>> = PerProcess::new();

/// Locks out other calls if the algorithm is not thread-safe. The guard is held from key set-up until the context is
/// freed: `aeadlab.h` requires one call at a time, and other Python threads run while the GIL is released.
pub(crate) fn exclusive(py: Python<'_>, algorithm: &Algorithm) -> Option<MutexGuard<'static, ()>> {
    (!algorithm.has(abi::THREAD_SAFE))
        .then(|| LIBRARY_CALL.get().lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
}

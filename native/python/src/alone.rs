use aeadlab_abi::{self as abi, Algorithm};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

static ALONE: Mutex<()> = Mutex::new(());

/// Held around every use of an algorithm that is not thread-safe: the header promises it that contexts do not run at
/// once, and Python threads would otherwise run them so while the GIL is released.
pub(crate) fn alone(py: Python<'_>, algorithm: &Algorithm) -> Option<MutexGuard<'static, ()>> {
    (!algorithm.has(abi::THREAD_SAFE)).then(|| ALONE.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
}

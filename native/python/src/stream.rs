//! Streams, a batch of blocks per call; aeadlab/streaming.py reads and writes the files.

use crate::algorithm::check_blocks;
use crate::alone::alone;
use crate::buffer::{Buffer, Shared};
use crate::errors::{ArgumentError, FormatError, raise};
use crate::interrupt::Watch;
use crate::parsplit::{ParSplit, finish};
use ::parsplit::{Derivation, Header};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, TryLockError};
use zeroize::Zeroizing;

/// What is used by one thread at a time, and dropped as `alone` wants it.
struct Held<T: Send> {
    inner: Mutex<Option<T>>,
    algorithm: &'static aeadlab_abi::Algorithm,
}

impl<T: Send> Held<T> {
    fn new(inner: T, algorithm: &'static aeadlab_abi::Algorithm) -> Self {
        Self { inner: Mutex::new(Some(inner)), algorithm }
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Option<T>>> {
        match self.inner.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
            Err(TryLockError::WouldBlock) => Err(ArgumentError::new_err("this stream is in use by another thread")),
        }
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        match self.lock()?.as_mut() {
            Some(inner) => work(inner),
            None => Err(ArgumentError::new_err("this stream was closed")),
        }
    }
}

impl<T: Send> Drop for Held<T> {
    fn drop(&mut self) {
        // Freeing a context is a use of the algorithm too.
        Python::attach(|py| {
            let _alone = alone(py, self.algorithm);
            drop(self.inner.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take());
        });
    }
}

/// Seals the blocks of one stream in their order.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Sealer {
    held: Held<::parsplit::Sealer>,
    header: Vec<u8>,
    batch_bytes: usize,
}

#[pymethods]
impl Sealer {
    #[new]
    #[pyo3(signature = (parsplit, key, aad, nonce))]
    fn new(
        py: Python<'_>,
        parsplit: &ParSplit,
        key: &Bound<'_, PyAny>,
        aad: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (splitter, algorithm) = (&parsplit.inner, parsplit.inner.algorithm());
        let key = Zeroizing::new(Buffer::copied(key, "key")?);
        let aad = Buffer::copied(aad, "aad")?;
        let header = match nonce {
            None => Header::random(splitter),
            Some(nonce) => Header::new(splitter, &Buffer::copied(nonce, "nonce")?, Derivation::None),
        }
        .map_err(raise)?;
        let _alone = alone(py, algorithm);
        let sealer = ::parsplit::Sealer::new(splitter, header, &key, &aad).map_err(raise)?;
        let batch_bytes = sealer.batch_blocks() * splitter.block_size();
        Ok(Self { header: sealer.header().bytes(), batch_bytes, held: Held::new(sealer, algorithm) })
    }

    /// What the stream begins with.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.header)
    }

    /// Bytes of plaintext to give at once: a few blocks for each thread.
    #[getter]
    fn batch_bytes(&self) -> usize {
        self.batch_bytes
    }

    /// Length of what sealing so many bytes gives.
    fn sealed_bytes(&self, bytes: usize) -> PyResult<usize> {
        self.held.with(|sealer| sealer.sealed_bytes(bytes).map_err(raise))
    }

    /// Seals the next whole blocks, or those that the stream `ends` with; returns the bytes written to `out`.
    fn seal(&self, py: Python<'_>, data: &Bound<'_, PyAny>, ends: bool, out: &Bound<'_, PyAny>) -> PyResult<usize> {
        let data = Buffer::input(data, "data")?;
        check_blocks(self.held.algorithm, "message", data.bytes())?;
        let _alone = alone(py, self.held.algorithm);
        self.held.with(|sealer| {
            let out = Buffer::output(out, sealer.sealed_bytes(data.bytes()).map_err(raise)?)?;
            let watch = Watch::over(py, data.bytes())?;
            sealer.cancelled_by(watch.as_ref().map(Watch::word));
            let (input, output, bytes) = (Shared(data.pointer()), Shared(out.pointer()), data.bytes());
            let done = py.detach(move || {
                let (Shared(input), Shared(output)) = ({ input }, { output });
                // SAFETY: the lengths were checked, the Python objects are held, overlap is checked by the engine.
                unsafe { sealer.seal_raw(input, bytes, ends, output) }
            });
            finish(py, watch, done)
        })
    }
}

/// Opens blocks of one stream, in any order.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Opener {
    held: Held<::parsplit::Opener>,
    header: Header,
    batch_blocks: usize,
}

#[pymethods]
impl Opener {
    #[new]
    #[pyo3(signature = (parsplit, header, key, aad, nonce))]
    fn new(
        py: Python<'_>,
        parsplit: &ParSplit,
        header: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
        aad: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (splitter, algorithm) = (&parsplit.inner, parsplit.inner.algorithm());
        let key = Zeroizing::new(Buffer::copied(key, "key")?);
        let aad = Buffer::copied(aad, "aad")?;
        let header = Header::parse(&Buffer::copied(header, "header")?).map_err(raise)?;
        // What the header says is not believed: which of the two it is, the caller knows.
        match (nonce, header.derivation()) {
            (None, Derivation::HkdfSha256 { .. }) => {}
            (None, Derivation::None) => {
                return Err(FormatError::new_err(
                    "this stream's key was not derived: give the nonce that it was sealed with",
                ));
            }
            (Some(nonce), Derivation::None) if Buffer::copied(nonce, "nonce")? == header.prefix() => {}
            (Some(_), _) => return Err(FormatError::new_err("this stream was not sealed with the nonce given")),
        }
        check_blocks(algorithm, "block size", header.block_size())?;
        let _alone = alone(py, algorithm);
        let opener = ::parsplit::Opener::new(splitter, header.clone(), &key, &aad).map_err(raise)?;
        let batch_blocks = opener.batch_blocks();
        Ok(Self { header, batch_blocks, held: Held::new(opener, algorithm) })
    }

    /// Bytes per block.
    #[getter]
    fn block_size(&self) -> usize {
        self.header.block_size()
    }

    /// Bytes of a tag.
    #[getter]
    fn tag_bytes(&self) -> usize {
        self.header.tag_bytes()
    }

    /// How many blocks to give at once: a few for each thread.
    #[getter]
    fn batch_blocks(&self) -> usize {
        self.batch_blocks
    }

    /// Bytes of plaintext and number of blocks of a stream that has `sealed` bytes after its header.
    fn layout(&self, sealed: u64) -> PyResult<(u64, u64)> {
        let layout = self.held.with(|opener| opener.layout(sealed).map_err(raise))?;
        Ok((layout.bytes(), layout.blocks()))
    }

    /// Opens blocks from number `first` on, with which the stream `ends` or not; returns the bytes written to `out`.
    fn open(
        &self,
        py: Python<'_>,
        first: u64,
        data: &Bound<'_, PyAny>,
        ends: bool,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let data = Buffer::input(data, "data")?;
        let _alone = alone(py, self.held.algorithm);
        self.held.with(|opener| {
            let out = Buffer::output(out, opener.opened_bytes(data.bytes()).map_err(raise)?)?;
            let watch = Watch::over(py, data.bytes())?;
            opener.cancelled_by(watch.as_ref().map(Watch::word));
            let (input, output, sealed) = (Shared(data.pointer()), Shared(out.pointer()), data.bytes());
            let done = py.detach(move || {
                let (Shared(input), Shared(output)) = ({ input }, { output });
                // SAFETY: the lengths were checked, the Python objects are held, overlap is checked by the engine.
                unsafe { opener.open_raw(first, input, sealed, ends, output) }
            });
            finish(py, watch, done)
        })
    }
}

/// Length of a stream's header and the name of its algorithm, None until all of it is given.
#[pyfunction]
pub(crate) fn read_header(data: &Bound<'_, PyAny>) -> PyResult<(usize, Option<String>)> {
    let data = Buffer::copied(data, "header")?;
    let length = Header::length(&data).map_err(raise)?;
    if data.len() < length {
        return Ok((length, None));
    }
    let header = Header::parse(&data).map_err(raise)?;
    Ok((length, Some(header.algorithm().to_owned())))
}

/// HKDF with SHA-256, RFC 5869.
#[pyfunction]
pub(crate) fn hkdf_sha256<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    salt: &Bound<'py, PyAny>,
    info: &Bound<'py, PyAny>,
    bytes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let key = Zeroizing::new(Buffer::copied(key, "key")?);
    let (salt, info) = (Buffer::copied(salt, "salt")?, Buffer::copied(info, "info")?);
    PyBytes::new_with(py, bytes, |out| ::parsplit::hkdf_sha256(&key, &salt, &info, out).map_err(raise))
}

/// The key of one message.
#[pyfunction]
pub(crate) fn message_key<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    salt: &Bound<'py, PyAny>,
    info: &Bound<'py, PyAny>,
    bytes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let key = Zeroizing::new(Buffer::copied(key, "key")?);
    let (salt, info) = (Buffer::copied(salt, "salt")?, Buffer::copied(info, "info")?);
    let derived = ::parsplit::message_key(&key, &salt, &info, bytes).map_err(raise)?;
    Ok(PyBytes::new(py, &derived))
}

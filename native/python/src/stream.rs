//! Formats: a batch of chunks per call, and key derivation. The Python package reads and writes the files.

use crate::algorithm::check_block_multiple;
use crate::buffer::Buffer;
use crate::errors::{ArgumentError, FormatError, raise};
use crate::exclusive::exclusive;
use crate::interrupt::interruptible;
use crate::parsplit::ParSplit;
use ::parsplit::{Derivation, Format, Header, Opener as EngineOpener, Sealer as EngineSealer};
use aeadlab_abi::Algorithm;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError, TryLockError};
use zeroize::Zeroizing;

/// A sealer or opener that one thread uses at a time, and that is freed while no other call of its library runs.
struct Stream<T: Send> {
    inner: Mutex<Option<T>>,
    algorithm: &'static Algorithm,
}

impl<T: Send> Stream<T> {
    fn new(inner: T, algorithm: &'static Algorithm) -> Self {
        Self { inner: Mutex::new(Some(inner)), algorithm }
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let mut guard = match self.inner.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(ArgumentError::new_err(
                    "this stream is in use by another thread, or was when this process was forked: wait, or start the \
                     stream again",
                ));
            }
        };
        match guard.as_mut() {
            Some(inner) => work(inner),
            None => Err(ArgumentError::new_err("this stream was closed")),
        }
    }
}

impl<T: Send> Drop for Stream<T> {
    fn drop(&mut self) {
        // Freeing a context is a call of the library too.
        Python::attach(|py| {
            let _guard = exclusive(py, self.algorithm);
            drop(self.inner.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        });
    }
}

/// Seals the blocks of one stream in order.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Sealer {
    stream: Stream<EngineSealer>,
    header: Vec<u8>,
    batch_bytes: usize,
    lead_bytes: usize,
}

impl Sealer {
    fn of(sealer: EngineSealer, algorithm: &'static Algorithm) -> Self {
        let batch_bytes = sealer.batch_blocks() * sealer.chunk_bytes();
        let (header, lead_bytes) = (sealer.header().to_vec(), sealer.lead_bytes());
        Self { header, batch_bytes, lead_bytes, stream: Stream::new(sealer, algorithm) }
    }
}

#[pymethods]
impl Sealer {
    #[new]
    #[pyo3(signature = (parsplit, key, aad, nonce, max_memory=None))]
    fn new(
        py: Python<'_>,
        parsplit: &ParSplit,
        key: &Bound<'_, PyAny>,
        aad: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
        max_memory: Option<usize>,
    ) -> PyResult<Self> {
        let (splitter, algorithm) = (&parsplit.with_max_memory(max_memory), parsplit.inner.algorithm());
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let aad = Buffer::copy_of(aad, "aad")?;
        let header = match nonce {
            None => Header::random(splitter),
            Some(nonce) => Header::new(splitter, &Buffer::copy_of(nonce, "nonce")?, Derivation::None),
        }
        .map_err(raise)?;
        let _guard = exclusive(py, algorithm);
        let sealer = EngineSealer::new(splitter, header, &key, &aad).map_err(raise)?;
        Ok(Self::of(sealer, algorithm))
    }

    /// Start a message of the format of this name.
    #[staticmethod]
    #[pyo3(signature = (parsplit, format, key, context, max_memory=None))]
    fn begin(
        py: Python<'_>,
        parsplit: &ParSplit,
        format: &str,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        max_memory: Option<usize>,
    ) -> PyResult<Self> {
        let (splitter, algorithm) = (&parsplit.with_max_memory(max_memory), parsplit.inner.algorithm());
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let context = Buffer::copy_of(context, "context")?;
        let _guard = exclusive(py, algorithm);
        let format = Format::find(format).map_err(raise)?;
        Ok(Self::of(EngineSealer::begin(splitter, format, &key, &context).map_err(raise)?, algorithm))
    }

    /// The bytes that the stream begins with.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.header)
    }

    /// Length in bytes of the plaintext for one call of `seal`: one or several blocks per thread.
    #[getter]
    fn batch_bytes(&self) -> usize {
        self.batch_bytes
    }

    /// Bytes by which the first block or chunk is shorter than the others.
    #[getter]
    fn lead_bytes(&self) -> usize {
        self.lead_bytes
    }

    /// Return the sealed length of `bytes` bytes of plaintext; `ends` states whether the message ends with them.
    fn sealed_bytes(&self, bytes: usize, ends: bool) -> PyResult<usize> {
        self.stream.with(|sealer| sealer.sealed_bytes(bytes, ends).map_err(raise))
    }

    /// Seal the next whole blocks, or the last blocks where `ends` is true; return the number of bytes written to `out`.
    fn seal(&self, py: Python<'_>, data: &Bound<'_, PyAny>, ends: bool, out: &Bound<'_, PyAny>) -> PyResult<usize> {
        let data = Buffer::input(data, "data")?;
        let bytes = data.bytes();
        check_block_multiple(self.stream.algorithm, "message", bytes)?;
        let _guard = exclusive(py, self.stream.algorithm);
        self.stream.with(|sealer| {
            let out = Buffer::output(out, sealer.sealed_bytes(bytes, ends).map_err(raise)?)?;
            let pointers = (data.pointer().cast_const(), out.pointer());
            interruptible(py, sealer, EngineSealer::set_cancel_flag, bytes, pointers, |sealer, input, output| {
                // SAFETY: both lengths were checked; the engine rejects overlapping buffers.
                unsafe { sealer.seal_raw(input, bytes, ends, output) }
            })
        })
    }
}

/// Opens blocks of one stream in any order.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Opener {
    stream: Stream<EngineOpener>,
    sizes: Sizes,
}

/// The properties of an opener that do not change.
struct Sizes {
    chunk: usize,
    sealed_chunk: usize,
    lead: usize,
    batch_blocks: usize,
    committing: bool,
}

impl Opener {
    fn of(opener: EngineOpener, algorithm: &'static Algorithm) -> Self {
        let sizes = Sizes {
            chunk: opener.chunk_bytes(),
            sealed_chunk: opener.sealed_chunk_bytes(),
            lead: opener.lead_bytes(),
            batch_blocks: opener.batch_blocks(),
            committing: opener.committing(),
        };
        Self { sizes, stream: Stream::new(opener, algorithm) }
    }
}

#[pymethods]
impl Opener {
    #[new]
    #[pyo3(signature = (parsplit, header, key, aad, nonce, max_memory=None))]
    fn new(
        py: Python<'_>,
        parsplit: &ParSplit,
        header: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
        aad: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
        max_memory: Option<usize>,
    ) -> PyResult<Self> {
        let (splitter, algorithm) = (&parsplit.with_max_memory(max_memory), parsplit.inner.algorithm());
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let aad = Buffer::copy_of(aad, "aad")?;
        let header = Header::parse(&Buffer::copy_of(header, "header")?).map_err(raise)?;
        // The header is not authenticated yet, so the caller decides whether the key was derived.
        match (nonce, header.derivation()) {
            (None, Derivation::HkdfSha256 { .. }) => {}
            (None, Derivation::None) => {
                return Err(FormatError::new_err(
                    "the key of this stream was not derived: give the nonce that it was sealed with",
                ));
            }
            (Some(nonce), Derivation::None) if Buffer::copy_of(nonce, "nonce")? == header.prefix() => {}
            (Some(_), _) => return Err(FormatError::new_err("this stream was not sealed with the nonce given")),
        }
        check_block_multiple(algorithm, "block size", header.block_size())?;
        let _guard = exclusive(py, algorithm);
        Ok(Self::of(EngineOpener::new(splitter, header, &key, &aad).map_err(raise)?, algorithm))
    }

    /// Prepare to open the message of a format with this header.
    #[staticmethod]
    #[pyo3(signature = (parsplit, format, header, key, context, max_memory=None))]
    fn resume(
        py: Python<'_>,
        parsplit: &ParSplit,
        format: &str,
        header: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        max_memory: Option<usize>,
    ) -> PyResult<Self> {
        let (splitter, algorithm) = (&parsplit.with_max_memory(max_memory), parsplit.inner.algorithm());
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let context = Buffer::copy_of(context, "context")?;
        let header = Buffer::copy_of(header, "header")?;
        let _guard = exclusive(py, algorithm);
        let format = Format::find(format).map_err(raise)?;
        Ok(Self::of(EngineOpener::resume(splitter, format, &key, &context, &header).map_err(raise)?, algorithm))
    }

    /// Plaintext bytes per block or chunk.
    #[getter]
    fn block_size(&self) -> usize {
        self.sizes.chunk
    }

    /// Bytes of a sealed block or chunk.
    #[getter]
    fn sealed_block_bytes(&self) -> usize {
        self.sizes.sealed_chunk
    }

    /// Bytes by which the first block or chunk is shorter than the others.
    #[getter]
    fn lead_bytes(&self) -> usize {
        self.sizes.lead
    }

    /// Whether the header has been verified, and not only with the first block.
    #[getter]
    fn committing(&self) -> bool {
        self.sizes.committing
    }

    /// Number of blocks for one call of `open`: one or several per thread.
    #[getter]
    fn batch_blocks(&self) -> usize {
        self.sizes.batch_blocks
    }

    /// Return where a block begins in the message, and after the header.
    fn starts(&self, block: u64) -> PyResult<(u64, u64)> {
        self.stream.with(|opener| Ok(opener.starts(block)))
    }

    /// Return the block that holds the byte at a position of the message.
    fn block_at(&self, position: u64) -> PyResult<u64> {
        self.stream.with(|opener| Ok(opener.block_at(position)))
    }

    /// Return the plaintext length and the number of blocks of a stream with `sealed` bytes after its header.
    fn layout(&self, sealed: u64) -> PyResult<(u64, u64)> {
        let layout = self.stream.with(|opener| opener.layout(sealed).map_err(raise))?;
        Ok((layout.bytes(), layout.blocks()))
    }

    /// Open blocks from index `first` on, the last ones of the stream where `ends` is true; return the number of bytes
    /// written to `out`.
    fn open(
        &self,
        py: Python<'_>,
        first: u64,
        data: &Bound<'_, PyAny>,
        ends: bool,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let data = Buffer::input(data, "data")?;
        let sealed = data.bytes();
        let _guard = exclusive(py, self.stream.algorithm);
        self.stream.with(|opener| {
            let out = Buffer::output(out, opener.opened_bytes(first, sealed, ends).map_err(raise)?)?;
            let pointers = (data.pointer().cast_const(), out.pointer());
            interruptible(py, opener, EngineOpener::set_cancel_flag, sealed, pointers, |opener, input, output| {
                // SAFETY: both lengths were checked; the engine rejects overlapping buffers.
                unsafe { opener.open_raw(first, input, sealed, ends, output) }
            })
        })
    }
}

/// Return the name, document, algorithm, key length and chunk length of each format, and whether it is committing.
/// Lengths that depend on the algorithm or the header are 0.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, &'static str, &'static str, usize, usize, bool)> {
    let row = |f: &&Format| (f.name, f.document, f.algorithm, f.key_bytes, f.chunk_bytes, f.committing);
    Format::ALL.iter().map(row).collect()
}

/// Return the length of the header of a format that begins with `start`. If `start` is shorter than the result, a longer
/// one may give a larger length.
#[pyfunction]
pub(crate) fn header_bytes(format: &str, start: &Bound<'_, PyAny>) -> PyResult<usize> {
    let start = Buffer::copy_of(start, "header")?;
    Format::find(format).and_then(|format| format.header_bytes(&start)).map_err(raise)
}

/// Return the length of a stream's header and the name of its algorithm, which is None if `data` holds only a part of
/// the header.
#[pyfunction]
pub(crate) fn read_header(data: &Bound<'_, PyAny>) -> PyResult<(usize, Option<String>)> {
    let data = Buffer::copy_of(data, "header")?;
    let length = Header::length(&data).map_err(raise)?;
    if data.len() < length {
        return Ok((length, None));
    }
    let header = Header::parse(&data).map_err(raise)?;
    Ok((length, Some(header.algorithm().to_owned())))
}

/// Return a key derived by HKDF with SHA-256 (RFC 5869).
#[pyfunction]
pub(crate) fn hkdf_sha256<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    salt: &Bound<'py, PyAny>,
    info: &Bound<'py, PyAny>,
    bytes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
    let (salt, info) = (Buffer::copy_of(salt, "salt")?, Buffer::copy_of(info, "info")?);
    PyBytes::new_with(py, bytes, |out| ::parsplit::hkdf_sha256(&key, &salt, &info, out).map_err(raise))
}

/// Return the key of one message, derived from a long-term key and the message's salt.
#[pyfunction]
pub(crate) fn message_key<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    salt: &Bound<'py, PyAny>,
    info: &Bound<'py, PyAny>,
    bytes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
    let (salt, info) = (Buffer::copy_of(salt, "salt")?, Buffer::copy_of(info, "info")?);
    let derived = ::parsplit::message_key(&key, &salt, &info, bytes).map_err(raise)?;
    Ok(PyBytes::new(py, &derived))
}

//! One message of a standard AEAD on several threads, and its parts.

use crate::algorithm::Algorithm;
use crate::buffer::{Buffer, new_bytes};
use crate::errors::{ArgumentError, BufferArgumentError, BufferTypeError, raise};
use crate::interrupt::interruptible;
use crate::parsplit::{inputs, number};
use ::parsplit::one_message::{
    AesGcm, Call, ChaCha20Poly1305, ChaChaKey, GcmKey, LibraryGcm, LibraryGcmKey, Multipart as EngineMultipart,
    OneMessage as EngineOneMessage, Part, SegmentedKey, TAG_BYTES,
};
use ::parsplit::{Error, Result, Schedule, available_cores};
use pyo3::exceptions::PyTypeError;
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zeroize::Zeroizing;

import_exception!(aeadlab.parsplit.one_message, InvalidTag);

/// An engine for each kind of key. Boxed, because Python aligns its objects to 16 bytes and kernels need 64.
enum Engine {
    Gcm(Box<AesGcm>),
    LibraryGcm(Box<LibraryGcm>),
    ChaCha(Box<ChaCha20Poly1305>),
}

/// Evaluate an expression with the engine of any kind.
macro_rules! with_engine {
    ($engine:expr, $name:ident => $body:expr) => {
        match $engine {
            Engine::Gcm($name) => $body,
            Engine::LibraryGcm($name) => $body,
            Engine::ChaCha($name) => $body,
        }
    };
}

/// The base of `aeadlab.AESGCM` and `aeadlab.ChaCha20Poly1305`.
///
/// The methods have the arguments of the classes of `cryptography`, and make the same bytes.
#[pyclass(frozen, subclass, module = "aeadlab._native")]
pub(crate) struct OneMessage {
    engine: Engine,
}

/// An engine and the flag that ends its call.
type Target<'a> = (&'a Engine, Option<Arc<AtomicBool>>);

fn set_flag(target: &mut Target<'_>, flag: Option<Arc<AtomicBool>>) {
    target.1 = flag;
}

fn configured<K: SegmentedKey>(
    key: Result<K>,
    threads: usize,
    schedule: Schedule,
    segment_bytes: Option<usize>,
) -> Result<EngineOneMessage<K>> {
    let engine = EngineOneMessage::new(key?, threads, schedule)?;
    match segment_bytes {
        Some(bytes) => engine.serial_below(0).segment_bytes(bytes),
        None => Ok(engine),
    }
}

/// Raise `InvalidTag` for a tag that does not match.
fn raise_tag(error: PyErr, py: Python<'_>) -> PyErr {
    if error.is_instance_of::<crate::errors::AuthenticationError>(py) {
        return InvalidTag::new_err(error.value(py).to_string());
    }
    error
}

/// Return the buffer `buf` of exactly `length` bytes.
fn exact_output<'a>(buf: &'a Bound<'_, PyAny>, length: usize) -> PyResult<Buffer<'a>> {
    let buffer = Buffer::input(buf, "buf")?;
    if buffer.is_read_only() {
        return Err(BufferTypeError::new_err(format!(
            "buf of type {} is read-only: give a bytearray or a writable array",
            buf.get_type().name()?
        )));
    }
    if buffer.bytes() == length {
        return Ok(buffer);
    }
    Err(BufferArgumentError::new_err(format!("buf of {} bytes given, {length} expected", buffer.bytes())))
}

#[pymethods]
impl OneMessage {
    #[new]
    #[pyo3(signature = (algorithm, key, threads, schedule, segment_bytes, library))]
    fn new(
        algorithm: &str,
        key: &Bound<'_, PyAny>,
        threads: Option<usize>,
        schedule: &str,
        segment_bytes: Option<usize>,
        library: Option<&Algorithm>,
    ) -> PyResult<Self> {
        let key = Zeroizing::new(Buffer::copy_of(key, "key")?);
        let schedule = schedule.parse::<Schedule>().map_err(raise)?;
        let threads = threads.unwrap_or_else(available_cores);
        let engine = match (algorithm, library) {
            ("aes-gcm", None) => {
                configured(GcmKey::new(&key), threads, schedule, segment_bytes).map(|e| Engine::Gcm(e.into()))
            }
            ("aes-gcm", Some(library)) => {
                let key = LibraryGcmKey::new(library.entry.algorithm, &key);
                configured(key, threads, schedule, segment_bytes).map(|e| Engine::LibraryGcm(e.into()))
            }
            ("chacha20-poly1305", None) => {
                configured(ChaChaKey::new(&key), threads, schedule, segment_bytes).map(|e| Engine::ChaCha(e.into()))
            }
            _ => return Err(ArgumentError::new_err(format!("no engine for {algorithm:?} of a library"))),
        };
        Ok(Self { engine: engine.map_err(raise)? })
    }

    /// Number of threads that process a message.
    #[getter]
    fn threads(&self) -> usize {
        with_engine!(&self.engine, engine => engine.threads())
    }

    /// The code chosen for this processor, or `library`.
    #[getter]
    fn kernel(&self) -> &'static str {
        match &self.engine {
            Engine::Gcm(engine) => engine.key().kernel(),
            Engine::LibraryGcm(_) => "library",
            Engine::ChaCha(engine) => engine.key().kernel(),
        }
    }

    /// Encrypt `data`; return the ciphertext followed by the tag of 16 bytes.
    #[pyo3(signature = (nonce, data, associated_data))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, ad, data) = inputs(nonce, associated_data, data)?;
        self.check_length(data.bytes())?;
        let length = sealed_length(data.bytes())?;
        let (bytes, start) = new_bytes(py, length)?;
        self.seal(py, &nonce, &ad, &data, start, true)?;
        Ok(bytes)
    }

    /// Decrypt `data`, which ends with its tag; raise `InvalidTag` if that does not match.
    #[pyo3(signature = (nonce, data, associated_data))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, ad, data) = inputs(nonce, associated_data, data)?;
        let length = opened_length(data.bytes())?;
        self.check_length(length)?;
        let (bytes, start) = new_bytes(py, length)?;
        self.open(py, &nonce, &ad, &data, start, true)?;
        Ok(bytes)
    }

    /// Encrypt `data` into `buf`, which is 16 bytes longer, and return the length of `buf`.
    fn encrypt_into(
        &self,
        py: Python<'_>,
        nonce: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        associated_data: Option<&Bound<'_, PyAny>>,
        buf: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let (nonce, ad, data) = inputs(nonce, associated_data, data)?;
        let length = sealed_length(data.bytes())?;
        let output = exact_output(buf, length)?;
        self.seal(py, &nonce, &ad, &data, output.pointer(), false)?;
        Ok(length)
    }

    /// Decrypt `data` into `buf`, which is 16 bytes shorter, and return the length of `buf`.
    fn decrypt_into(
        &self,
        py: Python<'_>,
        nonce: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        associated_data: Option<&Bound<'_, PyAny>>,
        buf: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let (nonce, ad, data) = inputs(nonce, associated_data, data)?;
        let length = opened_length(data.bytes())?;
        let output = exact_output(buf, length)?;
        self.open(py, &nonce, &ad, &data, output.pointer(), false)?;
        Ok(length)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("an object with a key cannot be pickled or copied: make it where it is used"))
    }
}

fn sealed_length(bytes: usize) -> PyResult<usize> {
    bytes.checked_add(TAG_BYTES).ok_or_else(|| BufferArgumentError::new_err("the result does not fit into memory"))
}

fn opened_length(bytes: usize) -> PyResult<usize> {
    let too_short = || InvalidTag::new_err(format!("data of {bytes} bytes given, a tag has {TAG_BYTES}"));
    bytes.checked_sub(TAG_BYTES).ok_or_else(too_short)
}

impl OneMessage {
    /// Check the length of a message before its result is allocated.
    fn check_length(&self, bytes: usize) -> PyResult<()> {
        with_engine!(&self.engine, engine => engine.check_length(bytes as u64)).map_err(raise)
    }

    /// Seal `data` into memory that is 16 bytes longer.
    fn seal(
        &self,
        py: Python<'_>,
        nonce: &[u8],
        ad: &[u8],
        data: &Buffer<'_>,
        output: *mut u8,
        fresh: bool,
    ) -> PyResult<()> {
        let bytes = data.bytes();
        let (mut target, pointers): (Target<'_>, _) = ((&self.engine, None), (data.pointer().cast_const(), output));
        interruptible(py, &mut target, set_flag, bytes, pointers, |(engine, cancel), input, output| {
            let call = Call { cancel: cancel.as_deref(), fresh };
            // SAFETY: the buffers have these lengths; the engine rejects overlapping ones.
            unsafe {
                let tag = with_engine!(engine, engine => engine.seal_raw(nonce, ad, input, bytes, output, call))?;
                output.add(bytes).cast::<[u8; TAG_BYTES]>().write(tag);
            }
            Ok(())
        })
    }

    /// Open `data`, which ends with its tag, into memory that is 16 bytes shorter.
    fn open(
        &self,
        py: Python<'_>,
        nonce: &[u8],
        ad: &[u8],
        data: &Buffer<'_>,
        output: *mut u8,
        fresh: bool,
    ) -> PyResult<()> {
        let bytes = data.bytes() - TAG_BYTES;
        let (mut target, pointers): (Target<'_>, _) = ((&self.engine, None), (data.pointer().cast_const(), output));
        interruptible(py, &mut target, set_flag, bytes, pointers, |(engine, cancel), input, output| {
            let call = Call { cancel: cancel.as_deref(), fresh };
            // SAFETY: the buffers have these lengths; the engine rejects overlapping ones.
            unsafe {
                let tag = input.add(bytes).cast::<[u8; TAG_BYTES]>().read();
                with_engine!(engine, engine => engine.open_raw(nonce, ad, input, bytes, &tag, output, call))
            }
        })
        .map_err(|error| raise_tag(error, py))
    }
}

/// One message whose parts are sealed anywhere, in any order.
///
/// Each machine makes it from the same key, nonce, associated data and length.
#[pyclass(frozen, module = "aeadlab")]
pub(crate) struct Multipart {
    key: Py<OneMessage>,
    nonce: Vec<u8>,
    ad: Vec<u8>,
    bytes: u64,
}

/// The position of a sealed part and the value of its ciphertext, of which `bytes()` can be stored or sent.
///
/// It is as secret as the key: with the ciphertext it reveals the key of the hash, with which anybody can forge messages.
#[pyclass(frozen, module = "aeadlab")]
pub(crate) struct Partial {
    part: Part,
}

#[pymethods]
impl Partial {
    /// Return the partial value that `bytes()` stored.
    #[staticmethod]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let stored = Zeroizing::new(Buffer::copy_of(data, "partial value")?);
        Ok(Self { part: Part::from_bytes(&stored).map_err(raise)? })
    }

    /// Position of the part in the message in bytes.
    #[getter]
    fn offset(&self) -> u64 {
        self.part.offset()
    }

    /// Length of the part in bytes.
    #[getter]
    fn length(&self) -> u64 {
        self.part.bytes()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &Zeroizing::new(self.part.to_bytes()))
    }

    fn __repr__(&self) -> String {
        format!("<aeadlab.Partial, {} bytes at {}>", self.part.bytes(), self.part.offset())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a partial value is secret and cannot be pickled: encrypt bytes() of it and send that",
        ))
    }
}

#[pymethods]
impl Multipart {
    #[new]
    fn new(
        key: Bound<'_, OneMessage>,
        nonce: &Bound<'_, PyAny>,
        associated_data: Option<&Bound<'_, PyAny>>,
        length: u64,
    ) -> PyResult<Self> {
        let (nonce, ad) = (Buffer::copy_of(nonce, "nonce")?, associated_data.map(|ad| Buffer::copy_of(ad, "aad")));
        let message = Self { key: key.unbind(), nonce, ad: ad.transpose()?.unwrap_or_default(), bytes: length };
        with_engine!(&message.key.get().engine, engine => message.with(engine, |_| Ok(()))).map_err(raise)?;
        Ok(message)
    }

    /// Length of the message in bytes.
    #[getter]
    fn length(&self) -> u64 {
        self.bytes
    }

    /// Seal the part at `offset` bytes; return the ciphertext and its partial value.
    ///
    /// Parts begin at multiples of 16 and have such lengths, except for the one that ends the message.
    fn seal<'py>(
        &self,
        py: Python<'py>,
        offset: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Partial)> {
        let data = Buffer::input(data, "data")?;
        let (sealed, start) = new_bytes(py, data.bytes())?;
        let part = self.seal_part(py, number(offset, "offset", 0)?, &data, start)?;
        Ok((sealed, part))
    }

    /// Seal the part at `offset` bytes into `buf` of the same length; return its partial value.
    fn seal_into(
        &self,
        py: Python<'_>,
        offset: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        buf: &Bound<'_, PyAny>,
    ) -> PyResult<Partial> {
        let data = Buffer::input(data, "data")?;
        let output = exact_output(buf, data.bytes())?;
        let (input, output, bytes) = (data.pointer().addr(), output.pointer(), data.bytes());
        let disjoint = input + bytes <= output.addr() || output.addr() + bytes <= input;
        if input != output.addr() && !disjoint {
            return Err(raise(Error::Overlap));
        }
        self.seal_part(py, number(offset, "offset", 0)?, &data, output)
    }

    /// Return the tag of the message for the partial values of all parts, in any order, as objects or as bytes.
    fn finish<'py>(&self, py: Python<'py>, partials: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let mut parts = Vec::new();
        for item in partials.try_iter()? {
            let item = item?;
            parts.push(match item.cast::<Partial>() {
                Ok(partial) => partial.get().part.clone(),
                Err(_) => Partial::from_bytes(&item)?.part,
            });
        }
        let engine = &self.key.get().engine;
        let tag = with_engine!(engine, engine => self.with(engine, |message| message.finish(&parts)));
        Ok(PyBytes::new(py, &tag.map_err(raise)?))
    }
}

impl Multipart {
    fn with<K: SegmentedKey, T>(
        &self,
        engine: &EngineOneMessage<K>,
        call: impl FnOnce(&EngineMultipart<'_, K>) -> Result<T>,
    ) -> Result<T> {
        call(&EngineMultipart::new(engine.key(), &self.nonce, &self.ad, self.bytes)?)
    }

    fn seal_part(&self, py: Python<'_>, offset: u64, data: &Buffer<'_>, output: *mut u8) -> PyResult<Partial> {
        let (engine, bytes) = (&self.key.get().engine, data.bytes());
        let pointers = (data.pointer().cast_const(), output);
        // A part ends before a signal could end it, because parts are sealed whole.
        let part = interruptible(py, &mut (engine, None), set_flag, 0, pointers, |(engine, _), input, output| {
            // SAFETY: the buffers have this length, and are equal or disjoint.
            let seal = |input, output| unsafe {
                with_engine!(engine, engine => self.with(engine, |message| message.seal_raw(offset, input, bytes, output)))
            };
            seal(input, output)
        })?;
        Ok(Partial { part })
    }
}

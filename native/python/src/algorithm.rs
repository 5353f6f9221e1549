use crate::alone::alone;
use crate::buffer::Buffer;
use crate::errors::{ArgumentError, PluginError, VerificationError, raise};
use crate::guarded::{Argument, Memory, guard, keeps_keys};
use aeadlab_abi as abi;
use aeadlab_libraries::{Entry, Foreign, Settings, load};
use parsplit::Context;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use zeroize::{Zeroize, Zeroizing};

const KINDS: [(u32, &str); 5] = [
    (abi::AEAD, "aead"),
    (abi::CIPHER, "cipher"),
    (abi::HASH, "hash"),
    (abi::MAC, "mac"),
    (abi::GENERATOR, "generator"),
];

const FLAGS: [(u64, &str); 11] = [
    (abi::IN_PLACE, "in-place"),
    (abi::THREAD_SAFE, "thread-safe"),
    (abi::ANY_NONCE_LENGTH, "any-nonce-length"),
    (abi::OPEN_COMPUTES_TAG, "open-computes-tag"),
    (abi::UNIVERSAL_HASH, "universal-hash"),
    (abi::BASELINE, "baseline"),
    (abi::RESEARCH, "research"),
    (abi::HISTORICAL, "historical"),
    (abi::NOT_CRYPTOGRAPHIC, "not-cryptographic"),
    (abi::PARALLEL, "parallel"),
    (abi::NO_ASSOCIATED_DATA, "no-associated-data"),
];

/// Bytes of the message before, no whole number of blocks where a part of one is possible.
const EARLIER: usize = 75;

/// One algorithm of one library behind the C ABI.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Algorithm {
    pub(crate) entry: Entry,
}

impl Algorithm {
    fn context(&self, key: &Bound<'_, PyAny>) -> PyResult<Context> {
        let mut key = Memory::of(Argument::Key, &Zeroizing::new(Buffer::copied(key, "key")?));
        let context = Context::new(self.entry.algorithm, key.as_slice());
        key.as_mut_slice().zeroize();
        let mut context = context.map_err(raise)?;
        if keeps_keys() {
            self.use_once(&mut context);
        }
        Ok(context)
    }

    /// Has a context serve another message, so that what follows meets a key that was kept. What comes of that message
    /// does not matter here: whoever answers wrongly does so in calls that are looked at as well.
    fn use_once(&self, context: &mut Context) {
        let algorithm = self.entry.algorithm;
        // A generator goes on where it was: another message before is another output.
        if algorithm.kind == abi::GENERATOR {
            return;
        }
        let bytes = EARLIER - EARLIER % algorithm.block_bytes as usize;
        let nonce = Memory::of(Argument::Nonce, &vec![1; algorithm.nonce_bytes as usize]);
        let input = Memory::of(Argument::Input, &vec![2; bytes]);
        let mut text = Memory::zeros(Argument::Output, bytes);
        let mut tag = Memory::zeros(Argument::Tag, algorithm.tag_bytes as usize);
        let (n, input) = (nonce.as_slice(), input.as_slice().as_ptr());
        let (text, tag) = (text.as_mut_slice().as_mut_ptr(), tag.as_mut_slice().as_mut_ptr());
        if ![abi::AEAD, abi::CIPHER].contains(&algorithm.kind) {
            // SAFETY: buffers of the lengths that the call is told, each of its own.
            let _ = unsafe { context.digest(n, input, bytes, tag) };
            return;
        }
        // SAFETY: likewise.
        if unsafe { context.seal(n, &[], input, bytes, text, tag) }.is_ok() {
            // Only now: a fault is named after the latest buffer of each argument.
            let mut back = Memory::zeros(Argument::Output, bytes);
            // SAFETY: likewise.
            let _ = unsafe { context.open(n, &[], text, bytes, back.as_mut_slice().as_mut_ptr(), tag) };
        }
    }

    /// The nonce, of the algorithm's length unless it takes any.
    fn nonce(&self, nonce: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let nonce = Buffer::copied(nonce, "nonce")?;
        let (given, wanted) = (nonce.len(), self.entry.algorithm.nonce_bytes as usize);
        if given != wanted && !self.entry.algorithm.has(abi::ANY_NONCE_LENGTH) {
            return Err(ArgumentError::new_err(format!("nonce of {given} bytes given, {wanted} wanted")));
        }
        Ok(nonce)
    }

    /// Fails unless the algorithm is of one of these kinds: a context would seal with a cipher, without any tag.
    fn check_kind(&self, kinds: &[u32], named: &str) -> PyResult<()> {
        if !kinds.contains(&self.entry.algorithm.kind) {
            return Err(ArgumentError::new_err(format!("{}/{} is no {named}", self.entry.library, self.entry.name)));
        }
        Ok(())
    }
}

/// Fails unless `bytes` is a multiple of what the algorithm takes.
pub(crate) fn check_blocks(algorithm: &abi::Algorithm, what: &str, bytes: usize) -> PyResult<()> {
    let block = algorithm.block_bytes as usize;
    if bytes % block != 0 {
        return Err(ArgumentError::new_err(format!(
            "{what} of {bytes} bytes given, a multiple of {block} wanted: the algorithm does not pad"
        )));
    }
    Ok(())
}

/// Data are copied: these calls are for checking an implementation, one message at a time, not for speed.
#[pymethods]
impl Algorithm {
    #[getter]
    fn library(&self) -> &'static str {
        self.entry.library
    }
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.entry.name
    }
    #[getter]
    fn kind(&self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self.entry.algorithm.kind).map_or("unknown", |(_, name)| name)
    }
    #[getter]
    fn version(&self) -> &'static str {
        self.entry.version
    }
    #[getter]
    fn build(&self) -> &'static str {
        self.entry.build
    }
    #[getter]
    fn kernel(&self) -> &'static str {
        self.entry.kernel
    }
    #[getter]
    fn key_bytes(&self) -> u32 {
        self.entry.algorithm.key_bytes
    }
    #[getter]
    fn nonce_bytes(&self) -> u32 {
        self.entry.algorithm.nonce_bytes
    }
    #[getter]
    fn tag_bytes(&self) -> u32 {
        self.entry.algorithm.tag_bytes
    }
    #[getter]
    fn block_bytes(&self) -> u32 {
        self.entry.algorithm.block_bytes
    }
    #[getter]
    fn flags(&self) -> Vec<&'static str> {
        FLAGS.iter().filter(|(flag, _)| self.entry.algorithm.has(*flag)).map(|(_, name)| *name).collect()
    }
    /// What its library can be told before it is timed: `threads`, `block_size`.
    #[getter]
    fn settings(&self) -> Vec<&'static str> {
        let Settings { threads, block_size } = self.entry.settings;
        [("threads", threads), ("block_size", block_size)]
            .into_iter()
            .filter_map(|(name, export)| export.map(|_| name))
            .collect()
    }

    fn seal<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::AEAD], "AEAD")?;
        let data = Buffer::copied(data, "data")?;
        check_blocks(self.entry.algorithm, "message", data.len())?;
        let _alone = alone(py, self.entry.algorithm);
        let mut context = self.context(key)?;
        let mut call = Call::new(self, nonce, aad, &data, data.len())?;
        let (n, a, input) = (call.nonce.as_slice(), call.aad.as_slice(), call.input.as_slice());
        let (text, tag) = (call.text.as_mut_slice().as_mut_ptr(), call.tag.as_mut_slice().as_mut_ptr());
        // SAFETY: buffers of the lengths that the call is told, each of its own.
        let sealed = unsafe { context.seal(n, a, input.as_ptr(), input.len(), text, tag) };
        call.intact()?;
        sealed.map_err(raise)?;
        Ok(PyBytes::new(py, &[call.text.as_slice(), call.tag.as_slice()].concat()))
    }

    fn open<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        sealed: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::AEAD], "AEAD")?;
        let sealed = Buffer::copied(sealed, "sealed")?;
        let tag_bytes = self.entry.algorithm.tag_bytes as usize;
        let Some(bytes) = sealed.len().checked_sub(tag_bytes) else {
            return Err(ArgumentError::new_err(format!(
                "sealed message of {} bytes given, at least the tag's {tag_bytes} wanted",
                sealed.len()
            )));
        };
        let (ciphertext, tag) = sealed.split_at(bytes);
        let _alone = alone(py, self.entry.algorithm);
        let mut context = self.context(key)?;
        let mut call = Call::new(self, nonce, aad, ciphertext, bytes)?;
        call.tag = Memory::of(Argument::Tag, tag);
        let (n, a, input) = (call.nonce.as_slice(), call.aad.as_slice(), call.input.as_slice());
        let (text, tag) = (call.text.as_mut_slice().as_mut_ptr(), call.tag.as_slice().as_ptr());
        // SAFETY: buffers of the lengths that the call is told, each of its own.
        let opened = unsafe { context.open(n, a, input.as_ptr(), input.len(), text, tag) };
        call.intact()?;
        opened.map_err(raise)?;
        Ok(PyBytes::new(py, call.text.as_slice()))
    }

    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt(py, key, nonce, data, true)
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt(py, key, nonce, data, false)
    }

    fn digest<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::HASH, abi::MAC], "hash or MAC")?;
        let data = Buffer::copied(data, "data")?;
        let _alone = alone(py, self.entry.algorithm);
        let mut context = self.context(key)?;
        let mut call = Call::new(self, nonce, &PyBytes::new(py, b"").into_any(), &data, 0)?;
        let (n, input) = (call.nonce.as_slice(), call.input.as_slice());
        let tag = call.tag.as_mut_slice().as_mut_ptr();
        // SAFETY: buffers of the lengths that the call is told, each of its own.
        let made = unsafe { context.digest(n, input.as_ptr(), input.len(), tag) };
        call.intact()?;
        made.map_err(raise)?;
        Ok(PyBytes::new(py, call.tag.as_slice()))
    }

    /// Output of a generator under a key, asked for in requests of these lengths, one behind the other.
    fn generate<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        requests: Vec<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::GENERATOR], "generator")?;
        let wanted = requests.iter().fold(0u64, |all, &one| all.saturating_add(one as u64));
        let most = self.entry.algorithm.max_bytes;
        if most != 0 && wanted > most {
            return Err(ArgumentError::new_err(format!(
                "{wanted} bytes given, at most {most} under one key wanted: ask for the rest under the next one"
            )));
        }
        let _alone = alone(py, self.entry.algorithm);
        let mut context = self.context(key)?;
        let mut output = Vec::new();
        for bytes in requests {
            let mut piece = Memory::zeros(Argument::Output, bytes);
            // SAFETY: a buffer of the length that the call is told.
            let made = unsafe { context.generate(piece.as_mut_slice().as_mut_ptr(), bytes) };
            if !piece.intact() {
                return Err(VerificationError::new_err("it writes in front of its output"));
            }
            made.map_err(raise)?;
            output.extend_from_slice(piece.as_slice());
        }
        Ok(PyBytes::new(py, &output))
    }
}

impl Algorithm {
    fn crypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        encrypt: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::CIPHER], "cipher")?;
        let data = Buffer::copied(data, "data")?;
        check_blocks(self.entry.algorithm, "message", data.len())?;
        let _alone = alone(py, self.entry.algorithm);
        let mut context = self.context(key)?;
        let mut call = Call::new(self, nonce, &PyBytes::new(py, b"").into_any(), &data, data.len())?;
        let (n, input) = (call.nonce.as_slice(), call.input.as_slice());
        let text = call.text.as_mut_slice().as_mut_ptr();
        // SAFETY: buffers of the lengths that the call is told, each of its own; a cipher touches no tag.
        let done = unsafe {
            if encrypt {
                context.seal(n, &[], input.as_ptr(), input.len(), text, std::ptr::null_mut())
            } else {
                context.open(n, &[], input.as_ptr(), input.len(), text, std::ptr::null())
            }
        };
        call.intact()?;
        done.map_err(raise)?;
        Ok(PyBytes::new(py, call.text.as_slice()))
    }
}

/// The memory of one call, each argument of its own.
struct Call {
    nonce: Memory,
    aad: Memory,
    input: Memory,
    text: Memory,
    tag: Memory,
}

impl Call {
    fn new(
        algorithm: &Algorithm,
        nonce: &Bound<'_, PyAny>,
        aad: &Bound<'_, PyAny>,
        input: &[u8],
        text_bytes: usize,
    ) -> PyResult<Self> {
        Ok(Self {
            nonce: Memory::of(Argument::Nonce, &algorithm.nonce(nonce)?),
            aad: Memory::of(Argument::AssociatedData, &Buffer::copied(aad, "aad")?),
            input: Memory::of(Argument::Input, input),
            text: Memory::zeros(Argument::Output, text_bytes),
            tag: Memory::zeros(Argument::Tag, algorithm.entry.algorithm.tag_bytes as usize),
        })
    }

    /// Fails if the call wrote in front of one of its buffers; one that writes behind has faulted.
    fn intact(&self) -> PyResult<()> {
        for (argument, memory) in [
            (Argument::Nonce, &self.nonce),
            (Argument::AssociatedData, &self.aad),
            (Argument::Input, &self.input),
            (Argument::Output, &self.text),
            (Argument::Tag, &self.tag),
        ] {
            if !memory.intact() {
                return Err(VerificationError::new_err(format!("it writes in front of its {}", argument.name())));
            }
        }
        Ok(())
    }
}

/// An AEAD of a cipher and a MAC; raises `ArgumentError` where they do not make a safe one.
#[pyfunction]
pub(crate) fn compose(cipher: &Algorithm, mac: &Algorithm) -> PyResult<Algorithm> {
    let entry = aeadlab_libraries::compose(&cipher.entry, &mac.entry).map_err(ArgumentError::new_err)?;
    Ok(Algorithm { entry })
}

/// Makes every later call of this process place its buffers at guard pages, and every other one use a key that served
/// another message before: for processes that verify.
#[pyfunction]
pub(crate) fn guard_buffers() {
    guard();
}

/// Loads a shared library of an older shape, described by the file beside it.
#[pyfunction]
#[pyo3(signature = (path, *, shape, library, algorithm, version, encrypt, decrypt, key_bytes, nonce_bytes, tag_bytes, thread_safe))]
#[allow(clippy::too_many_arguments)] // keyword arguments: the fields of the file
pub(crate) fn load_foreign(
    path: PathBuf,
    shape: &str,
    library: &str,
    algorithm: &str,
    version: &str,
    encrypt: &str,
    decrypt: &str,
    key_bytes: u32,
    nonce_bytes: u32,
    tag_bytes: u32,
    thread_safe: bool,
) -> PyResult<Vec<Algorithm>> {
    let foreign = Foreign {
        shape,
        library,
        algorithm,
        version,
        encrypt,
        decrypt,
        key_bytes,
        nonce_bytes,
        tag_bytes,
        thread_safe,
    };
    // SAFETY: the Python side probes unknown files in a child process before it comes here.
    let entry =
        unsafe { aeadlab_libraries::load_foreign(&path, &foreign) }.map_err(|e| PluginError::new_err(e.to_string()))?;
    Ok(vec![Algorithm { entry }])
}

/// All algorithms of all linked libraries.
#[pyfunction]
pub(crate) fn linked() -> PyResult<Vec<Algorithm>> {
    let mut all = Vec::new();
    for library in aeadlab_libraries::linked() {
        let found = library.entries().map_err(PluginError::new_err)?;
        all.extend(found.into_iter().map(|entry| Algorithm { entry }));
    }
    Ok(all)
}

/// Loads a shared library into this process and returns its algorithms. Runs its code: probe it in a child first.
#[pyfunction]
pub(crate) fn load_plugin(path: PathBuf) -> PyResult<Vec<Algorithm>> {
    // SAFETY: the Python side probes unknown files in a child process before it comes here.
    let entries = unsafe { load(&path) }.map_err(|e| PluginError::new_err(e.to_string()))?;
    Ok(entries.into_iter().map(|entry| Algorithm { entry }).collect())
}

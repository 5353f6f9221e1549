//! Algorithms: their properties, and single calls.

use crate::buffer::Buffer;
use crate::errors::{ArgumentError, PluginError, VerificationError, ensure, raise};
use crate::exclusive::exclusive;
use crate::guard_pages::{self, Argument, Memory};
use aeadlab_abi as abi;
use aeadlab_libraries::{Entry, LegacyPlugin, Settings, load};
use parsplit::{ClearDeadStack, Context, check_lengths};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use zeroize::Zeroizing;

const KINDS: [(u32, &str); 5] = [
    (abi::AEAD, "aead"),
    (abi::CIPHER, "cipher"),
    (abi::HASH, "hash"),
    (abi::MAC, "mac"),
    (abi::GENERATOR, "generator"),
];

const FLAGS: [(u64, &str); 12] = [
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
    (abi::MANY, "many"),
];

/// Length in bytes of the message before the verified one: not a multiple of a block, where the algorithm allows that.
const FIRST_MESSAGE: usize = 75;

/// One algorithm of one library behind the C ABI.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Algorithm {
    pub(crate) entry: Entry,
}

impl Algorithm {
    fn context(&self, key: &Bound<'_, PyAny>) -> PyResult<Context> {
        self.context_of(&Zeroizing::new(Buffer::copy_of(key, "key")?))
    }

    pub(crate) fn context_of(&self, key: &[u8]) -> PyResult<Context> {
        let mut copy = Memory::input(Argument::Key, key);
        let context = Context::new(self.entry.algorithm, copy.as_slice());
        let checked = check_input(Argument::Key, &copy, key);
        copy.wipe();
        checked?;
        let mut context = context.map_err(raise)?;
        if guard_pages::reuses_context() {
            self.use_once(&mut context);
        }
        Ok(context)
    }

    /// Processes another message with the context, so that the next call uses a kept key. The outcome is ignored: an
    /// implementation that fails here also fails in the calls that are checked.
    fn use_once(&self, context: &mut Context) {
        let algorithm = self.entry.algorithm;
        // A generator continues its output, so that another call before would change the next output.
        if algorithm.kind == abi::GENERATOR {
            return;
        }
        let bytes = FIRST_MESSAGE - FIRST_MESSAGE % algorithm.block_bytes as usize;
        let nonce = Memory::input(Argument::Nonce, &vec![1; algorithm.nonce_bytes as usize]);
        let input = Memory::input(Argument::Input, &vec![2; bytes]);
        let mut text = Memory::output(Argument::Output, bytes);
        let mut tag = Memory::output(Argument::Tag, algorithm.tag_bytes as usize);
        let ad = Memory::input(Argument::AssociatedData, &[]);
        let (n, ad, input) = (nonce.as_slice(), ad.as_slice(), input.as_slice().as_ptr());
        let (text, tag) = (text.as_mut_ptr(), tag.as_mut_ptr());
        if ![abi::AEAD, abi::CIPHER].contains(&algorithm.kind) {
            // SAFETY: disjoint buffers of the lengths passed.
            let _ = unsafe { context.digest(n, input, bytes, tag) };
            return;
        }
        // SAFETY: as above.
        if unsafe { context.seal(n, ad, input, bytes, text, tag) }.is_ok() {
            let mut opened = Memory::output(Argument::Output, bytes);
            // SAFETY: as above.
            let _ = unsafe { context.open(n, ad, text, bytes, opened.as_mut_ptr(), tag) };
        }
    }

    /// Copies the nonce and checks its length.
    fn nonce(&self, nonce: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let nonce = Buffer::copy_of(nonce, "nonce")?;
        let (given, expected) = (nonce.len(), self.entry.algorithm.nonce_bytes as usize);
        ensure!(
            given == expected || self.entry.algorithm.has(abi::ANY_NONCE_LENGTH),
            "nonce of {given} bytes given, {expected} expected"
        );
        Ok(nonce)
    }

    /// Copies a message, which `tag_bytes` of a tag follow, after checking its length.
    fn message(&self, data: &Bound<'_, PyAny>, name: &str, tag_bytes: usize) -> PyResult<Vec<u8>> {
        let bytes = Buffer::input(data, name)?.bytes().saturating_sub(tag_bytes);
        check_lengths(self.entry.algorithm, bytes, 0).map_err(raise)?;
        Buffer::copy_of(data, name)
    }

    /// Raises ArgumentError unless the algorithm is of one of these kinds. Without the check a context would seal with
    /// a cipher, without any tag.
    fn check_kind(&self, kinds: &[u32], expected: &str) -> PyResult<()> {
        let Entry { library, name, algorithm, .. } = self.entry;
        ensure!(kinds.contains(&algorithm.kind), "{library}/{name} is not {expected}");
        Ok(())
    }
}

/// Raises ArgumentError unless `bytes` is a multiple of the algorithm's block length.
pub(crate) fn check_block_multiple(algorithm: &abi::Algorithm, name: &str, bytes: usize) -> PyResult<()> {
    let block = algorithm.block_bytes as usize;
    ensure!(
        bytes.is_multiple_of(block),
        "{name} of {bytes} bytes given, a multiple of {block} expected: the algorithm does not pad"
    );
    Ok(())
}

/// The calls verify an implementation, one message at a time. They are not made for speed: all data are copied.
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
    fn max_bytes(&self) -> u64 {
        self.entry.algorithm.max_bytes
    }
    #[getter]
    fn max_aad_bytes(&self) -> u32 {
        self.entry.algorithm.max_ad_bytes
    }
    #[getter]
    fn flags(&self) -> Vec<&'static str> {
        FLAGS.iter().filter(|(flag, _)| self.entry.algorithm.has(*flag)).map(|(_, name)| *name).collect()
    }
    /// Settings that the library exports: `threads`, `block_size`.
    #[getter]
    fn settings(&self) -> Vec<&'static str> {
        let Settings { threads, block_size } = self.entry.settings;
        [("threads", threads), ("block_size", block_size)]
            .into_iter()
            .filter_map(|(name, setter)| setter.map(|_| name))
            .collect()
    }

    /// The environment variable that makes the library ignore CPU features, with its syntax, or `none: REASON`; empty
    /// where the library does not declare it.
    #[getter]
    fn feature_switch(&self) -> &'static str {
        self.entry.feature_switch
    }

    fn seal<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::AEAD], "an AEAD")?;
        let data = self.message(data, "data", 0)?;
        check_block_multiple(self.entry.algorithm, "message", data.len())?;
        let call = self.call(py, key, nonce, Some(aad), (&data, data.len(), None), seal)?;
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
        self.check_kind(&[abi::AEAD], "an AEAD")?;
        let tag_bytes = self.entry.algorithm.tag_bytes as usize;
        let sealed = self.message(sealed, "sealed", tag_bytes)?;
        let Some(bytes) = sealed.len().checked_sub(tag_bytes) else {
            return Err(ArgumentError::new_err(format!(
                "sealed message of {} bytes given, at least the {tag_bytes} bytes of the tag expected",
                sealed.len()
            )));
        };
        let (ciphertext, tag) = sealed.split_at(bytes);
        let call = self.call(py, key, nonce, Some(aad), (ciphertext, bytes, Some(tag)), open)?;
        Ok(PyBytes::new(py, call.text.as_slice()))
    }

    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt(py, key, nonce, data, seal)
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt(py, key, nonce, data, open)
    }

    fn digest<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::HASH, abi::MAC], "a hash or MAC")?;
        let data = self.message(data, "data", 0)?;
        let call = self.call(py, key, nonce, None, (&data, 0, None), digest)?;
        Ok(PyBytes::new(py, call.tag.as_slice()))
    }

    /// Return the output of a generator under a key, the concatenation of requests of these lengths in bytes.
    fn generate<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        requests: Vec<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::GENERATOR], "a generator")?;
        let total = requests.iter().fold(0u64, |total, &bytes| total.saturating_add(bytes as u64));
        let limit = self.entry.algorithm.max_bytes;
        ensure!(
            limit == 0 || total <= limit,
            "{total} bytes given, at most {limit} under one key expected: use another key for the rest"
        );
        let _guard = exclusive(py, self.entry.algorithm);
        let _clear = ClearDeadStack(self.entry.algorithm);
        let mut context = self.context(key)?;
        let mut output = Vec::new();
        for bytes in requests {
            let mut chunk = Memory::output(Argument::Output, bytes);
            // SAFETY: a buffer of the length passed.
            let generated = unsafe { context.generate(chunk.as_mut_ptr(), bytes) };
            check_output(Argument::Output, &chunk)?;
            generated.map_err(raise)?;
            output.extend_from_slice(chunk.as_slice());
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
        operation: Operation,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::CIPHER], "a cipher")?;
        let data = self.message(data, "data", 0)?;
        check_block_multiple(self.entry.algorithm, "message", data.len())?;
        let call = self.call(py, key, nonce, None, (&data, data.len(), None), operation)?;
        Ok(PyBytes::new(py, call.text.as_slice()))
    }

    /// Calls an operation with a new context. Input, length of the output, and the tag where it is an input.
    fn call(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        nonce: &Bound<'_, PyAny>,
        aad: Option<&Bound<'_, PyAny>>,
        (input, text_bytes, tag): (&[u8], usize, Option<&[u8]>),
        operation: Operation,
    ) -> PyResult<Call> {
        let _guard = exclusive(py, self.entry.algorithm);
        let _clear = ClearDeadStack(self.entry.algorithm);
        let mut context = self.context(key)?;
        let nonce = self.nonce(nonce)?;
        let aad = aad.map_or(Ok(Vec::new()), |aad| Buffer::copy_of(aad, "aad"))?;
        let mut call = Call {
            nonce: Memory::input(Argument::Nonce, &nonce),
            aad: Memory::input(Argument::AssociatedData, &aad),
            input: Memory::input(Argument::Input, input),
            text: Memory::output(Argument::Output, text_bytes),
            tag: match tag {
                Some(tag) => Memory::input(Argument::Tag, tag),
                None => Memory::output(Argument::Tag, self.entry.algorithm.tag_bytes as usize),
            },
        };
        let outcome = operation(&mut context, &mut call);
        check_input(Argument::Nonce, &call.nonce, &nonce)?;
        check_input(Argument::AssociatedData, &call.aad, &aad)?;
        check_input(Argument::Input, &call.input, input)?;
        check_output(Argument::Output, &call.text)?;
        match tag {
            Some(tag) => check_input(Argument::Tag, &call.tag, tag)?,
            None => check_output(Argument::Tag, &call.tag)?,
        }
        outcome.map_err(raise)?;
        Ok(call)
    }
}

/// The arguments of one call, each in its own buffer.
struct Call {
    nonce: Memory,
    aad: Memory,
    input: Memory,
    text: Memory,
    tag: Memory,
}

/// An operation of a context on the buffers of a call, which have the lengths of the algorithm.
type Operation = fn(&mut Context, &mut Call) -> ::parsplit::Result<()>;

fn seal(context: &mut Context, call: &mut Call) -> ::parsplit::Result<()> {
    let (nonce, ad, input) = (call.nonce.as_slice(), call.aad.as_slice(), call.input.as_slice());
    let (text, tag) = (call.text.as_mut_ptr(), call.tag.as_mut_ptr());
    // SAFETY: disjoint buffers; the output is as long as the input, and the tag has the algorithm's length.
    unsafe { context.seal(nonce, ad, input.as_ptr(), input.len(), text, tag) }
}

fn open(context: &mut Context, call: &mut Call) -> ::parsplit::Result<()> {
    let (nonce, ad, input) = (call.nonce.as_slice(), call.aad.as_slice(), call.input.as_slice());
    let text = call.text.as_mut_ptr();
    // SAFETY: as in `seal`.
    unsafe { context.open(nonce, ad, input.as_ptr(), input.len(), text, call.tag.as_slice().as_ptr()) }
}

fn digest(context: &mut Context, call: &mut Call) -> ::parsplit::Result<()> {
    let (nonce, input) = (call.nonce.as_slice(), call.input.as_slice());
    // SAFETY: disjoint buffers; the tag has the algorithm's length.
    unsafe { context.digest(nonce, input.as_ptr(), input.len(), call.tag.as_mut_ptr()) }
}

/// Raises VerificationError if a call wrote to an argument that it may only read, or outside of it.
pub(crate) fn check_input(argument: Argument, memory: &Memory, original: &[u8]) -> PyResult<()> {
    check_output(argument, memory)?;
    if memory.as_slice() == original {
        return Ok(());
    }
    Err(VerificationError::new_err(format!("it writes to its {}", argument.name())))
}

/// Raises VerificationError if a call wrote outside of an argument.
pub(crate) fn check_output(argument: Argument, memory: &Memory) -> PyResult<()> {
    match memory.outside_write() {
        None => Ok(()),
        Some(side) => Err(VerificationError::new_err(format!("it writes {side} its {}", argument.name()))),
    }
}

/// Compose an AEAD from a cipher and a MAC; raise `ArgumentError` where the combination is not safe.
#[pyfunction]
pub(crate) fn compose(cipher: &Algorithm, mac: &Algorithm) -> PyResult<Algorithm> {
    let entry = aeadlab_libraries::compose(&cipher.entry, &mac.entry).map_err(ArgumentError::new_err)?;
    Ok(Algorithm { entry })
}

/// Place the buffers of every later call between guard pages, with read-only inputs, and let every second call use a
/// key that processed another message before. For processes that verify implementations.
#[pyfunction]
pub(crate) fn guard_buffers() {
    guard_pages::enable();
    aeadlab_libraries::keep_legacy_keys(|key| Box::new(Memory::input(Argument::Key, key)));
}

/// Load a shared library of an older interface, which the TOML file beside it describes.
#[pyfunction]
#[pyo3(signature = (path, *, shape, library, algorithm, version, encrypt, decrypt, hash, key_bytes, nonce_bytes, tag_bytes, thread_safe))]
#[allow(clippy::too_many_arguments)] // keyword arguments: the fields of the TOML file
pub(crate) fn load_foreign(
    path: PathBuf,
    shape: &str,
    library: &str,
    algorithm: &str,
    version: &str,
    encrypt: &str,
    decrypt: &str,
    hash: &str,
    key_bytes: u32,
    nonce_bytes: u32,
    tag_bytes: u32,
    thread_safe: bool,
) -> PyResult<Vec<Algorithm>> {
    let plugin = LegacyPlugin {
        shape,
        library,
        algorithm,
        version,
        encrypt,
        decrypt,
        hash,
        key_bytes,
        nonce_bytes,
        tag_bytes,
        thread_safe,
    };
    // SAFETY: the Python package probes unknown files in a child process first.
    let entry =
        unsafe { aeadlab_libraries::load_legacy(&path, &plugin) }.map_err(|e| PluginError::new_err(e.to_string()))?;
    Ok(vec![Algorithm { entry }])
}

/// Return all algorithms of all linked libraries.
#[pyfunction]
pub(crate) fn linked() -> PyResult<Vec<Algorithm>> {
    let mut all = Vec::new();
    for library in aeadlab_libraries::linked() {
        let entries = library.entries().map_err(PluginError::new_err)?;
        all.extend(entries.into_iter().map(|entry| Algorithm { entry }));
    }
    Ok(all)
}

/// Load a plugin into this process and return its algorithms. This runs the plugin's code: probe it in a child process
/// first.
#[pyfunction]
pub(crate) fn load_plugin(path: PathBuf) -> PyResult<Vec<Algorithm>> {
    // SAFETY: the Python package probes unknown files in a child process first.
    let entries = unsafe { load(&path) }.map_err(|e| PluginError::new_err(e.to_string()))?;
    Ok(entries.into_iter().map(|entry| Algorithm { entry }).collect())
}

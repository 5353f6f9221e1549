use crate::alone::alone;
use crate::buffer::Buffer;
use crate::errors::{ArgumentError, PluginError, raise};
use aeadlab_abi as abi;
use aeadlab_libraries::{Entry, entries, load};
use parsplit::Context;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

const KINDS: [(u32, &str); 5] = [
    (abi::AEAD, "aead"),
    (abi::CIPHER, "cipher"),
    (abi::HASH, "hash"),
    (abi::MAC, "mac"),
    (abi::GENERATOR, "generator"),
];

const FLAGS: [(u64, &str); 10] = [
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
];

/// One algorithm of one library behind the C ABI.
#[pyclass(frozen, module = "aeadlab._native")]
pub(crate) struct Algorithm {
    pub(crate) entry: Entry,
}

impl Algorithm {
    fn context(&self, key: &Bound<'_, PyAny>) -> PyResult<Context> {
        Context::new(self.entry.algorithm, &Buffer::copied(key, "key")?).map_err(raise)
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

    fn seal<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_kind(&[abi::AEAD], "AEAD")?;
        let _alone = alone(py, self.entry.algorithm);
        let (mut context, nonce) = (self.context(key)?, self.nonce(nonce)?);
        let (data, aad) = (Buffer::copied(data, "data")?, Buffer::copied(aad, "aad")?);
        check_blocks(self.entry.algorithm, "message", data.len())?;
        let mut out = vec![0; data.len() + self.entry.algorithm.tag_bytes as usize];
        let (text, tag) = out.split_at_mut(data.len());
        // SAFETY: slices of the lengths that the call is told, `out` fresh.
        unsafe { context.seal(&nonce, &aad, data.as_ptr(), data.len(), text.as_mut_ptr(), tag.as_mut_ptr()) }
            .map_err(raise)?;
        Ok(PyBytes::new(py, &out))
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
        let _alone = alone(py, self.entry.algorithm);
        let (mut context, nonce) = (self.context(key)?, self.nonce(nonce)?);
        let (sealed, aad) = (Buffer::copied(sealed, "sealed")?, Buffer::copied(aad, "aad")?);
        let tag_bytes = self.entry.algorithm.tag_bytes as usize;
        let Some(bytes) = sealed.len().checked_sub(tag_bytes) else {
            return Err(ArgumentError::new_err(format!(
                "sealed message of {} bytes given, at least the tag's {tag_bytes} wanted",
                sealed.len()
            )));
        };
        let (text, tag) = sealed.split_at(bytes);
        let mut out = vec![0; bytes];
        // SAFETY: slices of the lengths that the call is told, `out` fresh.
        unsafe { context.open(&nonce, &aad, text.as_ptr(), bytes, out.as_mut_ptr(), tag.as_ptr()) }.map_err(raise)?;
        Ok(PyBytes::new(py, &out))
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
        let _alone = alone(py, self.entry.algorithm);
        let (mut context, nonce) = (self.context(key)?, self.nonce(nonce)?);
        let data = Buffer::copied(data, "data")?;
        let mut out = vec![0; self.entry.algorithm.tag_bytes as usize];
        // SAFETY: slices of the lengths that the call is told, `out` fresh.
        unsafe { context.digest(&nonce, data.as_ptr(), data.len(), out.as_mut_ptr()) }.map_err(raise)?;
        Ok(PyBytes::new(py, &out))
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
        let _alone = alone(py, self.entry.algorithm);
        let (mut context, nonce) = (self.context(key)?, self.nonce(nonce)?);
        let data = Buffer::copied(data, "data")?;
        check_blocks(self.entry.algorithm, "message", data.len())?;
        let mut out = vec![0; data.len()];
        let (input, output) = (data.as_ptr(), out.as_mut_ptr());
        // SAFETY: slices of the lengths that the call is told; a cipher touches no tag.
        unsafe {
            if encrypt {
                context.seal(&nonce, &[], input, data.len(), output, std::ptr::null_mut())
            } else {
                context.open(&nonce, &[], input, data.len(), output, std::ptr::null())
            }
        }
        .map_err(raise)?;
        Ok(PyBytes::new(py, &out))
    }
}

/// All algorithms of all linked libraries.
#[pyfunction]
pub(crate) fn linked() -> PyResult<Vec<Algorithm>> {
    let mut all = Vec::new();
    for library in aeadlab_libraries::linked() {
        // SAFETY: linked descriptors live as long as the process.
        let found = unsafe { entries(library) }.map_err(PluginError::new_err)?;
        all.extend(found.into_iter().map(|entry| Algorithm { entry }));
    }
    Ok(all)
}

/// Loads a shared library into this process and returns its algorithms. Runs its code: probe it in a child first.
#[pyfunction]
pub(crate) fn load_plugin(path: PathBuf) -> PyResult<Vec<Algorithm>> {
    // SAFETY: the Python side probes unknown files in a child process before it comes here.
    let plugin = unsafe { load(&path) }.map_err(|e| PluginError::new_err(e.to_string()))?;
    Ok(plugin.entries.into_iter().map(|entry| Algorithm { entry }).collect())
}

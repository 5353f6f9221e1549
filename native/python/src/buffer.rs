//! Memory of Python objects.

use crate::errors::BufferError;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::slice;

/// Contiguous memory of a Python object: bytes, bytearray, memoryview or a NumPy array of any type.
pub(crate) struct Buffer(PyUntypedBuffer);

impl Buffer {
    /// Returns the memory of the argument `name`.
    pub(crate) fn input(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let buffer = PyUntypedBuffer::get(object).map_err(|e| {
            // A TypeError only repeats that the object is no buffer.
            let reason = if e.is_instance_of::<PyTypeError>(object.py()) { String::new() } else { format!(" ({e})") };
            BufferError::new_err(format!(
                "{name} of type {} given, a bytes-like object expected{reason}",
                type_name(object)
            ))
        })?;
        if !buffer.is_c_contiguous() {
            return Err(BufferError::new_err(format!(
                "{name} is not contiguous: copy it first, for example with numpy.ascontiguousarray"
            )));
        }
        Ok(Self(buffer))
    }

    /// Returns the memory of `out`, which is writable and at least `min_bytes` bytes long.
    pub(crate) fn output(object: &Bound<'_, PyAny>, min_bytes: usize) -> PyResult<Self> {
        let buffer = Self::input(object, "out")?;
        if buffer.0.readonly() {
            return Err(BufferError::new_err(format!(
                "out of type {} is read-only: give a bytearray or a writable array",
                type_name(object)
            )));
        }
        if buffer.bytes() < min_bytes {
            return Err(BufferError::new_err(format!(
                "out of {} bytes given, at least {min_bytes} expected",
                buffer.bytes()
            )));
        }
        Ok(buffer)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len_bytes()
    }

    pub(crate) fn pointer(&self) -> *mut u8 {
        self.0.buf_ptr().cast()
    }

    /// Copies the argument `name`, a key or another short input, so that no other thread changes it during the call.
    pub(crate) fn copy_of(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u8>> {
        let buffer = Self::input(object, name)?;
        if buffer.bytes() == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: contiguous and exported while `buffer` lives; the GIL is held during the copy.
        Ok(unsafe { slice::from_raw_parts(buffer.pointer(), buffer.bytes()) }.to_vec())
    }
}

fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "unknown".into(), |name| name.to_string())
}

/// Returns a new `bytes` object and the address of its uninitialised content. `PyBytes::new_with` would zero the
/// content first, which costs more for a gibibyte than encrypting into it.
pub(crate) fn new_bytes(py: Python<'_>, length: usize) -> PyResult<(Bound<'_, PyBytes>, *mut u8)> {
    let size = isize::try_from(length).map_err(|_| BufferError::new_err("the result does not fit into memory"))?;
    // SAFETY: a NULL source gives uninitialised content, which the caller fills before other code can see the object; a
    // NULL result becomes the pending exception.
    unsafe {
        let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), size);
        let bytes = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>();
        let start = ffi::PyBytes_AsString(bytes.as_ptr()).cast::<u8>();
        ::parsplit::advise_huge(start, length);
        Ok((bytes, start))
    }
}

/// A pointer for code that runs with the GIL released.
#[derive(Clone, Copy)]
pub(crate) struct SendPointer(pub(crate) *mut u8);

// SAFETY: the caller holds the buffer that the pointer came from until the GIL is acquired again.
unsafe impl Send for SendPointer {}

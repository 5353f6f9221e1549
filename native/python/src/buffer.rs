use crate::errors::BufferError;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::slice;

/// Contiguous memory of a Python object: bytes, bytearray, memoryview, NumPy array of any type.
pub(crate) struct Buffer(PyUntypedBuffer);

impl Buffer {
    fn get(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let buffer = PyUntypedBuffer::get(object).map_err(|e| {
            // That it is no buffer at all needs no second telling.
            let why = if e.is_instance_of::<PyTypeError>(object.py()) { String::new() } else { format!(" ({e})") };
            BufferError::new_err(format!("{what} of type {} given, bytes-like wanted{why}", type_name(object)))
        })?;
        if !buffer.is_c_contiguous() {
            return Err(BufferError::new_err(format!(
                "{what} is not contiguous: copy it first, for example with numpy.ascontiguousarray"
            )));
        }
        Ok(Self(buffer))
    }

    pub(crate) fn input(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        Self::get(object, what)
    }

    /// Writable and at least `wanted` bytes long.
    pub(crate) fn output(object: &Bound<'_, PyAny>, wanted: usize) -> PyResult<Self> {
        let buffer = Self::get(object, "out")?;
        if buffer.0.readonly() {
            return Err(BufferError::new_err(format!(
                "out is read-only ({}): give a bytearray or a writable array",
                type_name(object)
            )));
        }
        if buffer.bytes() < wanted {
            return Err(BufferError::new_err(format!(
                "out of {} bytes given, at least {wanted} wanted",
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

    /// A copy, for keys and nonces: short, and another thread cannot change it later.
    pub(crate) fn copied(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
        let buffer = Self::get(object, what)?;
        if buffer.bytes() == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: contiguous and exported for as long as `buffer` lives; the GIL is held during the copy.
        Ok(unsafe { slice::from_raw_parts(buffer.pointer(), buffer.bytes()) }.to_vec())
    }
}

fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "unknown".into(), |name| name.to_string())
}

/// A new `bytes` of this length and where to write its content. Unlike `PyBytes::new_with` it is not zeroed first:
/// zeroing a fresh gibibyte costs more than encrypting into it.
pub(crate) fn new_bytes(py: Python<'_>, length: usize) -> PyResult<(Bound<'_, PyBytes>, *mut u8)> {
    let size = isize::try_from(length).map_err(|_| BufferError::new_err("the result does not fit the memory"))?;
    // SAFETY: a NULL source asks for uninitialised content, which the caller fills before anyone else sees the
    // object; NULL results become the pending exception.
    unsafe {
        let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), size);
        let bytes = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>();
        let start = ffi::PyBytes_AsString(bytes.as_ptr()).cast::<u8>();
        ::parsplit::advise_huge(start, length);
        Ok((bytes, start))
    }
}

/// A pointer that crosses to code without the GIL.
#[derive(Clone, Copy)]
pub(crate) struct Shared(pub(crate) *mut u8);

// SAFETY: the buffer that the pointer came from is held until the GIL is taken back.
unsafe impl Send for Shared {}

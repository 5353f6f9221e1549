//! Memory of Python objects.

use crate::errors::BufferError;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};
use std::slice;

/// Contiguous memory of a Python object whose items are numbers, bool or bytes, alone or in structs: bytes, bytearray,
/// memoryview, NumPy array and others.
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
        check_items(object, &buffer, name)?;
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

    /// Whether a memoryview of it consists of unsigned bytes in one dimension, as those of bytes and bytearray do.
    pub(crate) fn is_flat_bytes(&self) -> bool {
        self.0.dimensions() == 1 && self.0.format().to_bytes() == b"B"
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

/// Raises BufferError if the items may be addresses: encrypted, they are no message, and written to, they crash Python.
///
/// A memoryview can be cast to bytes, so that the object that it shows is checked as well.
fn check_items(object: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer, name: &str) -> PyResult<()> {
    let format = buffer.format();
    // ctypes states the format of bytes for unions and packed structs, which can hold addresses.
    if !is_plain(format.to_bytes()) || (format == c"B" && buffer.item_size() != 1) {
        return Err(BufferError::new_err(format!(
            "{name} of type {} has items of format {:?} and {} bytes, which may hold addresses of objects: give \
             integers, floats, bool or bytes, for example with astype of a NumPy array",
            type_name(object),
            format.to_string_lossy(),
            buffer.item_size()
        )));
    }
    if object.is_instance_of::<PyMemoryView>() {
        let shown = object.getattr("obj")?;
        if !shown.is_none() && !shown.is_instance_of::<PyBytes>() {
            return check_items(&shown, &PyUntypedBuffer::get(&shown)?, name);
        }
    }
    Ok(())
}

/// Returns whether items of a format (PEP 3118, and `w` for the text of NumPy) hold no addresses.
fn is_plain(format: &[u8]) -> bool {
    let mut rest = format.iter();
    let mut depth = 0_usize;
    while let Some(&item) = rest.next() {
        match item {
            b'@' | b'=' | b'<' | b'>' | b'!' | b'^' | b' ' | b'x' | b'0'..=b'9' => {}
            b'?' | b'c' | b'b' | b'B' | b'h' | b'H' | b'i' | b'I' | b'l' | b'L' | b'q' | b'Q' | b'n' | b'N' => {}
            b'e' | b'f' | b'd' | b'g' | b's' | b'p' | b'u' | b'w' => {}
            // Complex numbers; for ctypes, Z alone is the address of a text.
            b'Z' if matches!(rest.next(), Some(b'f' | b'd' | b'g')) => {}
            b'T' if rest.next() == Some(&b'{') => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            // The shape of an array, and the name of a field.
            b'(' if rest.any(|&c| c == b')') => {}
            b':' if rest.any(|&c| c == b':') => {}
            _ => return false,
        }
    }
    depth == 0
}

/// Checks that an object is contiguous memory as all functions accept it, and returns its length in bytes.
///
/// A BufferError is raised otherwise; it begins with `name`.
#[pyfunction]
pub(crate) fn check_buffer(object: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    Ok(Buffer::input(object, name)?.bytes())
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

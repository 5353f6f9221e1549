//! Memory of Python objects.

use crate::errors::{BufferArgumentError, BufferTypeError};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView};
use std::borrow::Cow;
use std::ffi::c_void;
use std::slice;

/// Contiguous memory of a Python object whose items are numbers, bool or bytes, alone or in structs: bytes, bytearray,
/// memoryview, NumPy array and others.
pub(crate) enum Buffer<'a> {
    /// The content of `bytes`, which never changes or moves: the buffer protocol and the checks of its items would take
    /// as long as the encryption of some hundred bytes.
    Bytes(&'a [u8]),
    /// The content of `bytearray`, whose items need no checks either.
    Array(ArrayExport),
    Exported(PyUntypedBuffer),
}

/// The memory of a `bytearray`, which cannot be resized while this lives.
///
/// It holds what differs between simple views of bytes, because to move a complete `Py_buffer`, which was just written
/// field by field, takes longer than to export the memory.
pub(crate) struct ArrayExport {
    owner: *mut ffi::PyObject,
    start: *mut c_void,
    bytes: isize,
}

impl ArrayExport {
    fn of(array: &Bound<'_, PyByteArray>) -> PyResult<Self> {
        let mut view = ffi::Py_buffer::new();
        // SAFETY: the array exports its memory into the view. A simple view points to nothing but the memory and its
        // owner.
        if unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), &raw mut view, ffi::PyBUF_WRITABLE) } != 0 {
            return Err(PyErr::fetch(array.py()));
        }
        Ok(Self { owner: view.obj, start: view.buf, bytes: view.len })
    }
}

impl Drop for ArrayExport {
    fn drop(&mut self) {
        let mut view = ffi::Py_buffer::new();
        (view.obj, view.buf, view.len, view.itemsize, view.ndim) = (self.owner, self.start, self.bytes, 1, 1);
        // SAFETY: the view that `of` exported, released once. A buffer is a local variable of a function that holds the
        // GIL when it returns.
        unsafe { ffi::PyBuffer_Release(&raw mut view) };
    }
}

impl<'a> Buffer<'a> {
    /// Returns the memory of the argument `name`.
    pub(crate) fn input(object: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes()));
        }
        if let Ok(array) = object.cast_exact::<PyByteArray>() {
            return ArrayExport::of(array).map(Self::Array);
        }
        let buffer = PyUntypedBuffer::get(object).map_err(|e| {
            let given = format!("{name} of type {} given, a bytes-like object expected", type_name(object));
            // A TypeError only repeats that the object is no buffer.
            if e.is_instance_of::<PyTypeError>(object.py()) {
                BufferTypeError::new_err(given)
            } else {
                BufferArgumentError::new_err(format!("{given} ({e})"))
            }
        })?;
        if !buffer.is_c_contiguous() {
            return Err(BufferArgumentError::new_err(format!(
                "{name} is not contiguous: copy it first, for example with numpy.ascontiguousarray"
            )));
        }
        check_items(object, &buffer, name)?;
        Ok(Self::Exported(buffer))
    }

    /// Returns the memory of `out`, which is writable and at least `min_bytes` bytes long.
    pub(crate) fn output(object: &'a Bound<'_, PyAny>, min_bytes: usize) -> PyResult<Self> {
        let array = object.cast_exact::<PyByteArray>().ok().filter(|array| array.len() >= min_bytes);
        if let Some(array) = array {
            return ArrayExport::of(array).map(Self::Array);
        }
        let buffer = Self::input(object, "out")?;
        if buffer.is_read_only() {
            return Err(BufferArgumentError::new_err(format!(
                "out of type {} is read-only: give a bytearray or a writable array",
                type_name(object)
            )));
        }
        if buffer.bytes() < min_bytes {
            return Err(BufferArgumentError::new_err(format!(
                "out of {} bytes given, at least {min_bytes} expected",
                buffer.bytes()
            )));
        }
        Ok(buffer)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        match self {
            Self::Bytes(_) => true,
            Self::Array(_) => false,
            Self::Exported(buffer) => buffer.readonly(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Array(array) => array.bytes as usize,
            Self::Exported(buffer) => buffer.len_bytes(),
        }
    }

    /// Whether a memoryview of it consists of unsigned bytes in one dimension, as those of bytes and bytearray do.
    pub(crate) fn is_flat_bytes(&self) -> bool {
        match self {
            Self::Bytes(_) | Self::Array(_) => true,
            Self::Exported(buffer) => buffer.dimensions() == 1 && buffer.format().to_bytes() == b"B",
        }
    }

    pub(crate) fn pointer(&self) -> *mut u8 {
        match self {
            Self::Bytes(bytes) => bytes.as_ptr().cast_mut(),
            Self::Array(array) => array.start.cast(),
            Self::Exported(buffer) => buffer.buf_ptr().cast(),
        }
    }

    /// Returns the argument `name`, a short input that is no secret. What another thread could change during the call
    /// is copied.
    pub(crate) fn short(object: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Cow<'a, [u8]>> {
        match Self::input(object, name)? {
            Self::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            exported => Ok(Cow::Owned(exported.to_vec())),
        }
    }

    /// Copies the argument `name`, a key or another short input, so that no other thread changes it during the call.
    pub(crate) fn copy_of(object: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u8>> {
        Ok(Self::input(object, name)?.to_vec())
    }

    fn to_vec(&self) -> Vec<u8> {
        if self.bytes() == 0 {
            return Vec::new();
        }
        // SAFETY: contiguous and exported while `self` lives; the GIL is held during the copy.
        unsafe { slice::from_raw_parts(self.pointer(), self.bytes()) }.to_vec()
    }
}

/// Raises BufferArgumentError if the items may be addresses: encrypted, they are no message, and written to, they crash Python.
///
/// A memoryview can be cast to bytes, so that the object that it shows is checked as well.
fn check_items(object: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer, name: &str) -> PyResult<()> {
    let format = buffer.format();
    // ctypes states the format of bytes for unions and packed structs, which can hold addresses.
    if !is_plain(format.to_bytes()) || (format == c"B" && buffer.item_size() != 1) {
        return Err(BufferArgumentError::new_err(format!(
            "{name} of type {} has items of format {:?} and {} bytes, which may hold addresses of objects: give \
             integers, floats, bool or bytes, for example with astype of a NumPy array",
            type_name(object),
            format.to_string_lossy(),
            buffer.item_size()
        )));
    }
    if object.is_instance_of::<PyMemoryView>() {
        let shown = object.getattr(intern!(object.py(), "obj"))?;
        let of_bytes = shown.is_exact_instance_of::<PyByteArray>() || shown.is_instance_of::<PyBytes>();
        if !shown.is_none() && !of_bytes {
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
/// A BufferArgumentError is raised otherwise; it begins with `name`.
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
    let size =
        isize::try_from(length).map_err(|_| BufferArgumentError::new_err("the result does not fit into memory"))?;
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

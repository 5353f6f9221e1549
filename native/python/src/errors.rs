//! Python exceptions of the engine's errors.

use aeadlab_abi as abi;
use pyo3::PyErr;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::import_exception;

import_exception!(aeadlab.errors, ArgumentError);
import_exception!(aeadlab.errors, ArgumentTypeError);
import_exception!(aeadlab.errors, AuthenticationError);
import_exception!(aeadlab.errors, BufferArgumentError);
import_exception!(aeadlab.errors, BufferTypeError);
import_exception!(aeadlab.errors, Error);
import_exception!(aeadlab.errors, FormatError);
import_exception!(aeadlab.errors, MeasurementError);
import_exception!(aeadlab.errors, PluginError);
import_exception!(aeadlab.errors, VerificationError);

/// Raises ArgumentError with this message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::errors::ArgumentError::new_err(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

/// Converts an error of the engine to the exception that Python users catch.
pub(crate) fn raise(error: parsplit::Error) -> PyErr {
    let text = error.to_string();
    match error {
        parsplit::Error::Authentication => AuthenticationError::new_err(text),
        parsplit::Error::Overlap => BufferArgumentError::new_err(text),
        parsplit::Error::Length { name: "output buffer", .. } => BufferArgumentError::new_err(text),
        parsplit::Error::Length { .. } | parsplit::Error::Argument(_) => ArgumentError::new_err(text),
        parsplit::Error::Library { status: abi::BAD_ARGUMENT } => ArgumentError::new_err(text),
        parsplit::Error::WrongResult(_) => VerificationError::new_err(text),
        parsplit::Error::Format(_) => FormatError::new_err(text),
        parsplit::Error::Interrupted => PyKeyboardInterrupt::new_err(text),
        parsplit::Error::Library { .. } | parsplit::Error::Panic(_) => Error::new_err(text),
    }
}

use std::any::Any;
use std::fmt;

/// The result of a fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call failed. All lengths are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A tag does not match; the output has been wiped.
    Authentication,
    /// A key, nonce prefix, output buffer, … of the wrong length.
    Length {
        /// The name of the argument: "key", "nonce prefix", …
        name: &'static str,
        /// The length given.
        given: usize,
        /// The accepted length or lengths.
        expected: String,
    },
    /// An argument outside its range, or an operation that the algorithm does not have.
    Argument(String),
    /// The input is not a sealed stream, or one of an unsupported version or algorithm.
    Format(String),
    /// Input and output overlap without being equal.
    Overlap,
    /// The library behind the algorithm returned an error; the output has been wiped.
    Library {
        /// The status returned.
        status: i32,
    },
    /// A result that differs from the one expected.
    WrongResult(String),
    /// The call was cancelled before it was complete; the output has been wiped.
    Interrupted,
    /// A worker panicked; the output has been wiped.
    Panic(String),
}

/// Return [`Error::Argument`] with this message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::error::Error::Argument(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

impl Error {
    pub(crate) fn from_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self::Panic(text.unwrap_or("panic without a message").to_owned())
    }

    pub(crate) fn threads_not_started(threads: usize, cause: &dyn fmt::Display) -> Self {
        Self::Argument(format!("{threads} threads could not be started: {cause}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authentication => {
                f.write_str("a tag does not match: wrong key, nonce or associated data, or changed data; output wiped")
            }
            Self::Length { name, given, expected } => write!(f, "{name} of {given} bytes given, {expected} expected"),
            Self::Argument(reason) | Self::Format(reason) | Self::WrongResult(reason) => f.write_str(reason),
            Self::Overlap => f.write_str(
                "input and output overlap: give separate buffers, or the same one if the algorithm works in place",
            ),
            Self::Library { status } => write!(f, "the library returned status {status}; output wiped"),
            Self::Interrupted => f.write_str("interrupted before the message was complete; output wiped"),
            Self::Panic(message) => write!(f, "a worker panicked ({message}); output wiped: please report this"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Authentication | Error::Format(_) => std::io::ErrorKind::InvalidData,
            // Not `ErrorKind::Interrupted`, which makes the standard library retry the call.
            Error::Interrupted | Error::Library { .. } | Error::WrongResult(_) | Error::Panic(_) => {
                std::io::ErrorKind::Other
            }
            _ => std::io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}

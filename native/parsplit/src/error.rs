use std::fmt;

/// Why a call was refused or failed. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A tag does not match; the output has been wiped.
    Authentication,
    /// A key, nonce prefix, block size, … of the wrong length.
    Length {
        /// What it is: "key", "nonce prefix", …
        what: &'static str,
        /// The length given.
        given: usize,
        /// The length or lengths wanted.
        wanted: String,
    },
    /// Something outside its range, or something that cannot be done with this algorithm.
    Argument(String),
    /// What is given is no sealed stream, or one of a version or an algorithm that is not known here.
    Format(String),
    /// Input and output overlap without being equal.
    Overlap,
    /// The library behind the algorithm refused the call; the output has been wiped.
    Library {
        /// The status it returned.
        status: i32,
    },
    /// The call was told to end before it was done; the output has been wiped.
    Interrupted,
    /// A worker met a bug; the output has been wiped.
    Panic(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authentication => {
                f.write_str("a tag does not match: wrong key, nonce or associated data, or changed data; output wiped")
            }
            Self::Length { what, given, wanted } => {
                write!(f, "{what} of {given} bytes given, {wanted} wanted")
            }
            Self::Argument(why) | Self::Format(why) => f.write_str(why),
            Self::Overlap => f.write_str(
                "input and output overlap: give separate buffers, or the very same one where the algorithm works in place",
            ),
            Self::Library { status } => {
                write!(f, "the library refused the call with status {status}; output wiped")
            }
            Self::Interrupted => f.write_str("interrupted before the message was done; output wiped"),
            Self::Panic(said) => write!(f, "a worker failed ({said}); output wiped: please report this"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Authentication | Error::Format(_) => std::io::ErrorKind::InvalidData,
            // Not Interrupted: that means to try again, and std does so without asking.
            Error::Interrupted | Error::Library { .. } | Error::Panic(_) => std::io::ErrorKind::Other,
            _ => std::io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}

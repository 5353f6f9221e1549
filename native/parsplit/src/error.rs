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
    /// Input and output overlap without being equal.
    Overlap,
    /// The library behind the algorithm refused the call; the output has been wiped.
    Library {
        /// The status it returned.
        status: i32,
    },
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
            Self::Argument(why) => f.write_str(why),
            Self::Overlap => f.write_str(
                "input and output overlap: give separate buffers, or the very same one where the algorithm works in place",
            ),
            Self::Library { status } => {
                write!(f, "the library refused the call with status {status}; output wiped")
            }
        }
    }
}

impl std::error::Error for Error {}

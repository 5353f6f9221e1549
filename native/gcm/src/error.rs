use crate::Kernel;
use std::fmt;

/// The result of a fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call failed. All lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The tag does not match; the output has been wiped.
    Authentication,
    /// A key that is not 16, 24 or 32 bytes long.
    KeyLength(usize),
    /// An empty nonce.
    EmptyNonce,
    /// A message longer than [`crate::MAX_MESSAGE_BYTES`], or a segment that ends beyond that limit.
    MessageLength(u64),
    /// Associated data, or a nonce, longer than [`crate::MAX_AD_BYTES`].
    AdLength(u64),
    /// Input and output of different lengths.
    BufferLength {
        /// The length of the input.
        input: usize,
        /// The length of the output.
        output: usize,
    },
    /// A run whose buffer does not hold as many messages as there are nonces and tags.
    RunLength {
        /// The number of messages that the buffer holds.
        messages: usize,
        /// The number of nonces or tags given.
        given: usize,
    },
    /// A kernel whose instructions this processor does not have.
    Kernel(Kernel),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authentication => write!(f, "the tag does not match; the output has been wiped"),
            Self::KeyLength(given) => write!(f, "the key has {given} bytes, AES needs 16, 24 or 32"),
            Self::EmptyNonce => write!(f, "the nonce is empty, AES-GCM needs at least 1 byte; use 12"),
            Self::MessageLength(given) => write!(
                f,
                "the message has {given} bytes, AES-GCM allows at most {}; use a new nonce for each part",
                crate::MAX_MESSAGE_BYTES
            ),
            Self::AdLength(given) => write!(
                f,
                "the associated data or nonce has {given} bytes, AES-GCM allows at most {}",
                crate::MAX_AD_BYTES
            ),
            Self::BufferLength { input, output } => {
                write!(f, "the input has {input} bytes and the output {output}; pass equal lengths")
            }
            Self::RunLength { messages, given } => {
                write!(f, "the buffer holds {messages} messages; pass as many nonces and tags instead of {given}")
            }
            Self::Kernel(kernel) => write!(
                f,
                "this processor lacks the instructions of kernel {}; choose one of Kernel::available()",
                kernel.name()
            ),
        }
    }
}

impl std::error::Error for Error {}

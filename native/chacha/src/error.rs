use crate::Kernel;
use crate::message::MAX_LENGTH;
use std::fmt;

/// The reason why a call failed. All lengths and offsets are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The tag does not match; [`crate::Key::open`] has wiped the output.
    Authentication,
    /// The message, or the end of a segment, exceeds [`MAX_LENGTH`].
    TooLong {
        /// The length given, or the end of the segment given; `u64::MAX` where that exceeds 64 bits.
        length: u64,
    },
    /// A segment starts, or ends before the end of the message, at an offset that is not a multiple of 16.
    Alignment {
        /// The offset.
        offset: u64,
    },
    /// A segment ends after the message.
    Range {
        /// The end of the segment; `u64::MAX` where that exceeds 64 bits.
        end: u64,
        /// The length of the message.
        length: u64,
    },
    /// The segments added are longer or shorter in total than the message.
    Coverage {
        /// The total length of the segments.
        added: u64,
        /// The length of the message.
        length: u64,
    },
    /// The 17 bytes are not a number below 2¹³⁰ − 5.
    Partial,
    /// This processor cannot execute the kernel.
    Unavailable(Kernel),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authentication => f.write_str("the tag does not match the message"),
            Self::TooLong { length } => {
                write!(f, "a message of {length} bytes exceeds the limit of ChaCha20-Poly1305, {MAX_LENGTH} bytes")
            }
            Self::Alignment { offset } => {
                write!(f, "a segment starts or ends at byte {offset}; expected a multiple of 16, or the message's end")
            }
            Self::Range { end, length } => write!(f, "a segment ends at byte {end} of a message of {length} bytes"),
            Self::Coverage { added, length } => write!(
                f,
                "the segments have {added} bytes in total, the message has {length}; add each segment exactly once"
            ),
            Self::Partial => {
                f.write_str("a partial value is a number below 2^130 - 5 in 17 bytes, least significant first")
            }
            Self::Unavailable(kernel) => {
                write!(f, "this processor cannot execute the kernel {}; use Kernel::fastest()", kernel.name())
            }
        }
    }
}

impl std::error::Error for Error {}

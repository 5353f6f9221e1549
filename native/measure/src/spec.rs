//! The parameters of a case.

use aeadlab_abi::{Algorithm, SetNumber};
use parsplit::tags::OneTag;
use parsplit::{ParSplit, Schedule};

/// How an implementation is driven.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// One call over the whole message.
    Whole,
    /// Message split into blocks, each with its tag.
    ParSplit(ParSplit),
    /// Message split into blocks with one tag.
    OneTag(OneTag),
    /// One standard AES-GCM message in segments.
    Standard(Standard),
}

/// The settings of one standard message.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Standard {
    /// Whether the kernel of the lab processes the segments, instead of the algorithm's library.
    pub own_kernel: bool,
    pub threads: usize,
    pub schedule: Schedule,
    pub segment_bytes: usize,
}

/// The part of an execution that the clock covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Key set-up and message.
    Oneshot,
    /// The message alone.
    Keyed,
    /// The message, with a key set-up for each block of ParSplit.
    Rekeyed,
}

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Seal,
    Open,
    Encrypt,
    Decrypt,
    Digest,
}

/// Where the output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Input and output differ.
    Separate,
    /// The output replaces the input.
    InPlace,
}

/// Settings of a library that is parallel itself: exported setters with their values. They are applied before each
/// sample, since other cases of the run may use other values.
pub type LibrarySettings = [Option<(SetNumber, usize)>; 2];

/// The parameters of a case.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Spec {
    pub algorithm: &'static Algorithm,
    pub engine: Engine,
    pub model: Model,
    pub op: Op,
    pub bytes: usize,
    /// Length of the associated data of each message.
    pub aad_bytes: usize,
    pub placement: Placement,
    /// Whether message and output are evicted from all caches before each execution.
    pub cold: bool,
    pub settings: LibrarySettings,
}

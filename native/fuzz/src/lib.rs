//! What the fuzz targets share. The AEADs and the readers are those of the tests of the formats.
#![allow(missing_docs)]

pub mod check;
#[path = "../../parsplit/tests/formats/double.rs"]
pub mod double;
pub mod edits;
#[allow(unused_imports)]
#[path = "../../parsplit/tests/formats/readers.rs"]
pub mod readers;

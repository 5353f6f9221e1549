//! Writes the seeds anew, after a change of a format: `cargo run --example seeds`.
#![allow(clippy::unwrap_used)]

use parsplit_fuzz::check::{CHUNK_BYTES, FAMILIES, family, seed_folder};
use parsplit_fuzz::double::{message, splitter};
use parsplit_fuzz::readers::{lead, seal};

/// Longest message of a seed, so that the repository stays small.
const MAX_BYTES: usize = 70_000;

fn main() {
    for (name, _) in FAMILIES {
        let folder = seed_folder().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for format in family(name) {
            let chunk = if format.chunk_bytes == 0 { CHUNK_BYTES } else { format.chunk_bytes };
            let first = chunk - lead(format);
            let mut lengths = vec![0, 1, 40, first + 1];
            if first < 5000 {
                lengths.extend([first, first + 2 * chunk]);
            }
            for bytes in lengths.into_iter().filter(|bytes| *bytes < MAX_BYTES) {
                let sealed = seal(format, &splitter(format, CHUNK_BYTES, 1), &message(bytes), MAX_BYTES);
                std::fs::write(folder.join(format!("{}.{bytes}", format.name)), sealed).unwrap();
            }
        }
    }
}

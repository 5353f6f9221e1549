//! What every reader must do with any file.

use crate::double::{context, key, message, splitter};
use crate::readers::{READERS, lead};
use parsplit::Format;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Families of formats, which are the names of the fuzz targets, and how the names of their formats begin.
pub const FAMILIES: [(&str, &[&str]); 5] = [
    ("age", &["age-payload"]),
    ("cobblestone", &["cobblestone", "chunked"]),
    ("floe", &["floe"]),
    ("parsplit", &["parsplit"]),
    ("tink", &["tink"]),
];

/// Plaintext bytes of a chunk in seeds of formats that state no length.
pub const CHUNK_BYTES: usize = 64;

/// A file as it was sealed, with the message of this length.
pub struct Seed {
    pub format: &'static Format,
    pub bytes: usize,
    pub sealed: Vec<u8>,
}

/// The folder of the seeds, in which each family of formats has a folder and each file is named `FORMAT.BYTES`.
pub fn seed_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds")
}

/// The seeds of all formats, in the order of their paths.
pub static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(|| {
    let files = |folder: PathBuf| folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = files(seed_folder()).flat_map(files).collect();
    paths.sort();
    let seed = |path: &PathBuf| {
        let (format, bytes) = path.file_name().unwrap().to_str().unwrap().split_once('.').unwrap();
        let format = Format::find(format).unwrap();
        Seed { format, bytes: bytes.parse().unwrap(), sealed: std::fs::read(path).unwrap() }
    };
    paths.iter().map(seed).collect()
});

impl Seed {
    /// Whether it is a file of a format: of its own, or of another one of Tink, if it has only one segment. Such a file does
    /// not tell how long segments are.
    fn is_file_of(&self, format: &Format) -> bool {
        let tink = |format: &Format| format.name.starts_with("tink");
        let one_segment = || self.bytes + lead(format) <= self.format.chunk_bytes.min(format.chunk_bytes);
        self.format.name == format.name
            || tink(self.format) && tink(format) && self.format.algorithm == format.algorithm && one_segment()
    }
}

/// Panics unless each reader of a format opens the input exactly if it is a seed, and returns no byte that was not sealed.
pub fn check(format: &Format, input: &[u8]) {
    let seed = SEEDS.iter().find(|seed| seed.is_file_of(format) && seed.sealed == input);
    for threads in [1, 2] {
        let splitter = splitter(format, CHUNK_BYTES, threads);
        for (name, open) in READERS {
            let opened = open(&splitter, format, &key(format), context(format), input);
            let place = format!("{} {name}, {threads} threads", format.name);
            match (opened.result, seed) {
                (Ok(()), Some(seed)) => assert!(opened.plain == message(seed.bytes), "{place}: another message"),
                (Ok(()), None) => panic!("{place}: opened what nobody sealed"),
                (Err(error), Some(_)) => panic!("{place}: refused a seed: {error}"),
                (Err(_), None) => assert!(opened.plain == message(opened.plain.len()), "{place}: unverified bytes"),
            }
        }
    }
}

/// Returns the formats of a family.
pub fn family(name: &str) -> impl Iterator<Item = &'static Format> {
    let starts = FAMILIES.iter().find(|family| family.0 == name).unwrap().1;
    Format::ALL.iter().copied().filter(|format| starts.iter().any(|start| format.name.starts_with(start)))
}

/// [`check`] the input as a file of each format of a family.
pub fn check_family(name: &str, input: &[u8]) {
    family(name).for_each(|format| check(format, input));
}

//! What holds of any file, whoever wrote it.

use crate::double::{context, key, message, splitter};
use crate::readers::{READERS, lead};
use parsplit::Format;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

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
        let splitter = splitter(format, 64, threads);
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

/// [`check`] the input as a file of each format of a family: those whose names begin with one of these.
pub fn check_family(prefixes: &[&str], input: &[u8]) {
    let family = |format: &&&Format| prefixes.iter().any(|prefix| format.name.starts_with(prefix));
    Format::ALL.iter().filter(family).for_each(|format| check(format, input));
}

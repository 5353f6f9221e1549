//! The seeds of the fuzz targets (native/fuzz), and that their check fails where it should.

use crate::check::{SEEDS, check, check_family, seed_folder};
use crate::double::{message, splitter};
use crate::readers::{lead, seal};
use parsplit::Format;

/// Families of formats, which are the names of the fuzz targets, and how the names of their formats begin.
const FAMILIES: [(&str, &[&str]); 5] = [
    ("age", &["age-payload"]),
    ("cobblestone", &["cobblestone", "chunked"]),
    ("floe", &["floe"]),
    ("parsplit", &["parsplit"]),
    ("tink", &["tink"]),
];

/// Plaintext bytes of a chunk in seeds of formats that state no length.
const CHUNK_BYTES: usize = 64;
/// Longest message of a seed, so that the repository stays small.
const MAX_BYTES: usize = 70_000;

#[test]
fn every_seed_opens() {
    for seed in SEEDS.iter() {
        check(seed.format, &seed.sealed);
    }
    for format in Format::ALL {
        let seeds = SEEDS.iter().filter(|seed| seed.format.name == format.name).count();
        assert!(seeds >= 3, "{}: {seeds} seeds", format.name);
        let families = FAMILIES.iter().filter(|family| family.1.iter().any(|start| format.name.starts_with(start)));
        assert_eq!(families.count(), 1, "{}", format.name);
    }
}

#[test]
fn families_refuse_the_seeds_of_others_and_changed_ones() {
    for (family, prefixes) in FAMILIES {
        for seed in SEEDS.iter() {
            check_family(prefixes, &seed.sealed);
            check_family(prefixes, &seed.sealed[1..]);
        }
        check_family(prefixes, family.as_bytes());
    }
}

#[test]
#[should_panic(expected = "opened what nobody sealed")]
fn the_check_fails_for_a_file_that_opens_and_is_no_seed() {
    let format = Format::find("cobblestone-256").unwrap();
    check(format, &seal(format, &splitter(format, CHUNK_BYTES, 1), &message(10), 10));
}

/// `cargo test -p parsplit --test formats -- --ignored write_the_seeds`, after a change of a format.
#[test]
#[ignore = "writes native/fuzz/seeds"]
fn write_the_seeds() {
    for (family, prefixes) in FAMILIES {
        let folder = seed_folder().join(family);
        std::fs::create_dir_all(&folder).unwrap();
        for format in Format::ALL.iter().filter(|format| prefixes.iter().any(|start| format.name.starts_with(start))) {
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

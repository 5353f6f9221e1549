//! The seeds of the fuzz targets (native/fuzz), and that their check fails where it should.

use crate::check::{CHUNK_BYTES, FAMILIES, SEEDS, check, check_family, family};
use crate::double::{message, splitter};
use crate::readers::seal;
use parsplit::Format;

#[test]
fn every_seed_opens() {
    for seed in SEEDS.iter() {
        check(seed.format, &seed.sealed);
    }
    for format in Format::ALL {
        let seeds = SEEDS.iter().filter(|seed| seed.format.name == format.name).count();
        assert!(seeds >= 3, "{}: {seeds} seeds", format.name);
        let families = FAMILIES.iter().flat_map(|(name, _)| family(name)).filter(|other| other.name == format.name);
        assert_eq!(families.count(), 1, "{}", format.name);
    }
}

#[test]
fn families_refuse_the_seeds_of_others_and_changed_ones() {
    for (name, _) in FAMILIES {
        for seed in SEEDS.iter() {
            check_family(name, &seed.sealed);
            check_family(name, &seed.sealed[1..]);
        }
        check_family(name, name.as_bytes());
    }
}

#[test]
#[should_panic(expected = "opened what nobody sealed")]
fn the_check_fails_for_a_file_that_opens_and_is_no_seed() {
    let format = Format::find("cobblestone-256").unwrap();
    check(format, &seal(format, &splitter(format, CHUNK_BYTES, 1), &message(10), 10));
}

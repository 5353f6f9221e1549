//! All operations on raw memory and threads, with messages short enough for Miri and the sanitizers (`make sanitize`,
//! native/SAFETY.md). The buffers have the exact length, so that an access beyond the end is detected.
//!
//! The names of tests without Rayon begin with `own`: `native/sanitize.sh` selects them.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod toy;

use parsplit::{BlockCallback, Error, Keyed, OpeningReader, ParSplit, Schedule, SealingWriter, SeekingReader};
use std::ffi::c_void;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use toy::TOY;

const KEY: [u8; 16] = *b"sixteen key byte";
const NONCE: [u8; 7] = *b"7 bytes";
const AD: &[u8] = b"associated";
const TAG: usize = 8;

fn own() -> impl Iterator<Item = Schedule> {
    schedules(false)
}

fn rayon() -> impl Iterator<Item = Schedule> {
    schedules(true)
}

/// Rayon's schedules are separate, because crossbeam-epoch violates Stacked Borrows.
fn schedules(rayon: bool) -> impl Iterator<Item = Schedule> {
    let chosen = Schedule::ALL.iter().filter(move |(name, _)| name.starts_with("rayon") == rayon);
    chosen.map(|(_, schedule)| *schedule)
}

fn keyed(block_size: usize, threads: usize, schedule: Schedule) -> Keyed {
    ParSplit::new(&TOY, block_size, threads, schedule).unwrap().serial_below(0).key(&KEY).unwrap()
}

fn text(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 37) as u8).collect()
}

fn sealed_serially(message: &[u8], block_size: usize) -> Vec<u8> {
    let mut sealed = vec![0; message.len() + TAG * message.len().div_ceil(block_size).max(1)];
    keyed(block_size, 1, Schedule::STATIC).seal(&NONCE, AD, message, &mut sealed).unwrap();
    sealed
}

fn seals_and_opens(schedule: Schedule) {
    for (bytes, block_size) in [(0, 16), (1, 16), (16, 16), (17, 16), (160, 16), (45, 7)] {
        let message = text(bytes);
        let expected = sealed_serially(&message, block_size);
        for threads in [1, 2, 3] {
            let mut keyed = keyed(block_size, threads, schedule);
            keyed.set_traced(threads == 2);
            let mut sealed = vec![0; expected.len()];
            keyed.seal(&NONCE, AD, &message, &mut sealed).unwrap();
            assert_eq!(sealed, expected, "{schedule:?}: {bytes} in {block_size}, {threads} threads");
            let mut opened = vec![0; bytes];
            keyed.open(&NONCE, AD, &sealed, &mut opened).unwrap();
            assert_eq!(opened, message);
            sealed[..bytes].copy_from_slice(&message);
            keyed.seal_in_place(&NONCE, AD, &mut sealed, bytes).unwrap();
            assert_eq!(sealed, expected);
            keyed.open_in_place(&NONCE, AD, &mut sealed).unwrap();
            assert_eq!(sealed[..bytes], message);
            assert_eq!(keyed.spans().len(), if threads == 2 { bytes.div_ceil(block_size).max(1) } else { 0 });
        }
    }
}

fn wipes_after_failures(schedule: Schedule) {
    let (message, mut sealed) = (text(100), sealed_serially(&text(100), 10));
    let last = sealed.len() - 1;
    sealed[last] ^= 1;
    let mut keyed = keyed(10, 3, schedule);
    let mut opened = vec![0xee; 100];
    assert_eq!(keyed.open(&NONCE, AD, &sealed, &mut opened), Err(Error::Authentication), "{schedule:?}");
    assert!(opened.iter().all(|&byte| byte == 0));
    assert_eq!(keyed.open_in_place(&NONCE, AD, &mut sealed), Err(Error::Authentication));
    assert!(sealed[..100].iter().all(|&byte| byte == 0));
    // Cancelled before the first block: the output is unchanged.
    let flag = Arc::new(AtomicBool::new(true));
    keyed.set_cancel_flag(Some(flag.clone()));
    assert_eq!(keyed.seal(&NONCE, AD, &message, &mut sealed), Err(Error::Interrupted));
    // Cancelled by another thread, at any time.
    flag.store(false, Ordering::Relaxed);
    let shared_flag = flag.clone();
    let canceller = thread::spawn(move || shared_flag.store(true, Ordering::Relaxed));
    let result = keyed.seal(&NONCE, AD, &message, &mut sealed);
    canceller.join().unwrap();
    assert!(result == Ok(sealed.len()) || result == Err(Error::Interrupted));
}

fn separates_concurrent_callers(schedule: Schedule) {
    let (message, expected) = (text(60), sealed_serially(&text(60), 5));
    thread::scope(|scope| {
        for threads in [1, 2, 3] {
            let (message, expected) = (&message, &expected);
            scope.spawn(move || {
                let mut keyed = keyed(5, threads, schedule);
                for _ in 0..3 {
                    let mut sealed = vec![0; expected.len()];
                    keyed.seal(&NONCE, AD, message, &mut sealed).unwrap();
                    assert_eq!(sealed, *expected, "{schedule:?}");
                }
            });
        }
    });
}

#[test]
fn own_schedules_seal_and_open() {
    own().for_each(seals_and_opens);
}

#[test]
fn own_schedules_wipe_after_failures() {
    own().for_each(wipes_after_failures);
}

#[test]
fn own_schedules_separate_concurrent_callers() {
    own().for_each(separates_concurrent_callers);
}

#[test]
fn rayon_seals_and_opens() {
    rayon().for_each(seals_and_opens);
}

#[test]
fn rayon_wipes_after_failures() {
    rayon().for_each(wipes_after_failures);
}

#[test]
fn rayon_separates_concurrent_callers() {
    rayon().for_each(separates_concurrent_callers);
}

/// A foreign loop with its own threads.
unsafe extern "C" fn shared_counter(threads: usize, blocks: usize, block: BlockCallback, state: *const c_void) -> i32 {
    struct State(*const c_void);
    unsafe impl Sync for State {}
    let (state, next) = (&State(state), &AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= blocks || unsafe { block(state.0, i) } != 0 {
                        break;
                    }
                }
            });
        }
    });
    0
}

#[test]
fn own_code_called_by_foreign_loops() {
    let foreign = unsafe { Schedule::register_foreign("counter-memory", 8, shared_counter, false) }.unwrap();
    seals_and_opens(foreign);
    wipes_after_failures(foreign);
    separates_concurrent_callers(foreign);
}

#[test]
fn own_contexts_survive_a_resize() {
    let mut keyed = keyed(16, 2, Schedule::DYNAMIC);
    for (block_size, threads) in [(16, 2), (5, 4), (33, 1), (5, 3)] {
        keyed.resize(block_size, threads).unwrap();
        let message = text(100);
        let expected = sealed_serially(&message, block_size);
        let mut sealed = vec![0; expected.len()];
        keyed.seal(&NONCE, AD, &message, &mut sealed).unwrap();
        assert_eq!(sealed, expected, "{block_size} {threads}");
    }
    assert!(keyed.resize(0, 1).is_err() && keyed.resize(16, 257).is_err());
    let mut sealed = vec![0; 100 + 20 * TAG];
    keyed.seal(&NONCE, AD, &text(100), &mut sealed).unwrap();
    assert_eq!(sealed, sealed_serially(&text(100), 5), "a rejected size changed the settings");
}

#[test]
fn own_overlap_check_leaves_the_buffers_unchanged() {
    let mut memory = vec![7; 100];
    let start = memory.as_mut_ptr();
    let mut keyed = keyed(16, 2, Schedule::DYNAMIC);
    let failed = unsafe { keyed.seal_raw(&NONCE, AD, start, 32, start.add(1), start.add(50)) };
    assert_eq!(failed, Err(Error::Overlap));
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn own_streams_open_completely_and_in_parts() {
    for (bytes, block_size) in [(0, 16), (16, 16), (100, 7)] {
        let message = text(bytes);
        let splitter = ParSplit::new(&TOY, block_size, 2, Schedule::DYNAMIC).unwrap().serial_below(0);
        let mut writer = SealingWriter::new(&splitter, &KEY, AD, Vec::new()).unwrap();
        message.chunks(30).for_each(|chunk| writer.write_all(chunk).unwrap());
        let mut sealed = writer.finish().unwrap();
        let mut opened = Vec::new();
        OpeningReader::new(&splitter, &KEY, AD, &sealed[..]).unwrap().read_to_end(&mut opened).unwrap();
        assert_eq!(opened, message);
        let mut file = SeekingReader::new(&splitter, &KEY, AD, Cursor::new(&sealed)).unwrap();
        file.seek(SeekFrom::Start(bytes as u64 / 2)).unwrap();
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, message[bytes / 2..]);
        let last = sealed.len() - 1;
        sealed[last] ^= 1;
        let mut opened = Vec::new();
        let mut reader = OpeningReader::new(&splitter, &KEY, AD, &sealed[..]).unwrap();
        assert!(reader.read_to_end(&mut opened).is_err());
        assert!(message.starts_with(&opened));
    }
}

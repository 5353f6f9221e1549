//! The construction equals the StreamBE32 of aead-stream for every schedule, thread count and placement, and opening
//! rejects every rearrangement.

use crate::double::GCM;
use aead_stream::{EncryptorBE32, Nonce, StreamBE32, aead::Payload};
use aes_gcm::Aes256Gcm;
use parsplit::{BlockCallback, Error, ParSplit, Schedule};
use std::ffi::c_void;

const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 7] = [1, 2, 3, 4, 5, 6, 7];

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i * 131) >> 3) as u8).collect()
}

/// Seals with aead-stream and moves the tags behind the ciphertext.
fn reference(message: &[u8], block_size: usize, ad: &[u8]) -> Vec<u8> {
    let nonce = Nonce::<Aes256Gcm, StreamBE32<Aes256Gcm>>::from(NONCE);
    let mut stream = EncryptorBE32::<Aes256Gcm>::new(&KEY.into(), &nonce);
    let blocks: Vec<&[u8]> = if message.is_empty() { vec![&[]] } else { message.chunks(block_size).collect() };
    let (last, before) = blocks.split_last().unwrap();
    let ad_of = |i: usize| if i == 0 { ad } else { &[] };
    let mut sealed: Vec<Vec<u8>> = before
        .iter()
        .enumerate()
        .map(|(i, block)| stream.encrypt_next(Payload { msg: block, aad: ad_of(i) }).unwrap())
        .collect();
    sealed.push(stream.encrypt_last(Payload { msg: last, aad: ad_of(before.len()) }).unwrap());
    let (text, tags): (Vec<_>, Vec<_>) = sealed.iter().map(|block| block.split_at(block.len() - 16)).unzip();
    [text.concat(), tags.concat()].concat()
}

fn seal(message: &[u8], block_size: usize, threads: usize, schedule: Schedule, ad: &[u8]) -> Vec<u8> {
    let splitter = ParSplit::new(&GCM, block_size, threads, schedule).unwrap().serial_below(0);
    let mut sealed = vec![0; splitter.layout(message.len()).unwrap().sealed_bytes()];
    splitter.key(&KEY).unwrap().seal(&NONCE, ad, message, &mut sealed).unwrap();
    sealed
}

fn open(sealed: &[u8], block_size: usize, ad: &[u8]) -> Result<Vec<u8>, Error> {
    let splitter = ParSplit::new(&GCM, block_size, 2, Schedule::DYNAMIC).unwrap().serial_below(0);
    let mut message = vec![0xee; splitter.layout_of_sealed(sealed.len())?.bytes()];
    let opened = splitter.key(&KEY).unwrap().open(&NONCE, ad, sealed, &mut message);
    if opened.is_err() {
        assert!(message.iter().all(|&byte| byte == 0), "a failed opening left plaintext in the output");
    }
    opened.map(|_| message)
}

#[test]
fn equals_aead_stream_for_all_settings_and_placements() {
    for bytes in [0, 1, 15, 16, 17, 100, 1000, 4096] {
        for block_size in [1, 16, 17, 1000, 5000] {
            let message = data(bytes);
            let expected = reference(&message, block_size, b"associated");
            for (name, schedule) in Schedule::ALL {
                for threads in [1, 2, 3, 5, 8] {
                    let sealed = seal(&message, block_size, threads, *schedule, b"associated");
                    assert_eq!(sealed, expected, "{name} {threads} threads, {bytes} in {block_size}");
                    let splitter = ParSplit::new(&GCM, block_size, threads, *schedule).unwrap().serial_below(0);
                    let mut keyed = splitter.key(&KEY).unwrap();
                    let mut buffer = [message.clone(), vec![0; expected.len() - bytes]].concat();
                    keyed.seal_in_place(&NONCE, b"associated", &mut buffer, bytes).unwrap();
                    assert_eq!(buffer, expected, "in place: {name} {threads} threads, {bytes} in {block_size}");
                    assert_eq!(keyed.open_in_place(&NONCE, b"associated", &mut buffer).unwrap(), bytes);
                    assert_eq!(buffer[..bytes], message);
                }
            }
        }
    }
}

/// A foreign loop with its own threads.
unsafe extern "C" fn round_robin(threads: usize, blocks: usize, block: BlockCallback, state: *const c_void) -> i32 {
    let state = state as usize;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for i in (thread..blocks).step_by(threads) {
                    unsafe { block(state as *const c_void, i) };
                }
            });
        }
    });
    0
}

#[test]
fn all_schedules_give_equal_bytes_for_1_to_64_threads() {
    let (message, ad) = (data(20_011), b"associated");
    let expected = reference(&message, 100, ad);
    let foreign = unsafe { Schedule::register_foreign("roundrobin-construction", 64, round_robin, false) }.unwrap();
    for schedule in Schedule::ALL.iter().map(|(_, schedule)| *schedule).chain([foreign]) {
        for threads in 1..=64 {
            let splitter = ParSplit::new(&GCM, 100, threads, schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&KEY).unwrap();
            let mut sealed = vec![0; expected.len()];
            keyed.seal(&NONCE, ad, &message, &mut sealed).unwrap();
            assert!(sealed == expected, "{schedule:?} with {threads} threads");
            let mut opened = vec![0; message.len()];
            assert_eq!(keyed.open(&NONCE, ad, &sealed, &mut opened), Ok(message.len()));
            assert!(opened == message, "{schedule:?} with {threads} threads: opened");
            sealed[..message.len()].copy_from_slice(&message);
            keyed.seal_in_place(&NONCE, ad, &mut sealed, message.len()).unwrap();
            assert!(sealed == expected, "{schedule:?} with {threads} threads: in place");
            assert_eq!(keyed.open_in_place(&NONCE, ad, &mut sealed), Ok(message.len()));
            assert!(sealed[..message.len()] == message, "{schedule:?} with {threads} threads: opened in place");
        }
    }
}

/// Rearranges the blocks of a sealed message together with their tags.
fn rearrange(sealed: &[u8], bytes: usize, block_size: usize, order: &[usize]) -> Vec<u8> {
    let (text, tags) = sealed.split_at(bytes);
    let texts: Vec<_> = text.chunks(block_size).collect();
    let tags: Vec<_> = tags.chunks(16).collect();
    let text: Vec<_> = order.iter().map(|&i| texts[i]).collect();
    let tag: Vec<_> = order.iter().map(|&i| tags[i]).collect();
    [text.concat(), tag.concat()].concat()
}

#[test]
fn rejects_swapped_dropped_and_repeated_blocks() {
    let message = data(5 * 16);
    let sealed = seal(&message, 16, 2, Schedule::DYNAMIC, b"");
    assert_eq!(open(&sealed, 16, b"").unwrap(), message);
    let original: Vec<usize> = (0..5).collect();
    let mut orders = Vec::new();
    for i in 0..5 {
        for j in 0..5 {
            let mut swapped = original.clone();
            swapped.swap(i, j);
            orders.push(swapped);
            let mut repeated = original.clone();
            repeated.insert(j, i);
            orders.push(repeated);
            let mut replaced = original.clone();
            replaced[j] = i;
            orders.push(replaced);
        }
        let mut dropped = original.clone();
        dropped.remove(i);
        orders.push(dropped);
        orders.push(original[..i].to_vec());
        orders.push(original[i..].to_vec());
    }
    orders.retain(|order| *order != original && !order.is_empty());
    for order in orders {
        assert_eq!(open(&rearrange(&sealed, 80, 16, &order), 16, b""), Err(Error::Authentication), "{order:?}");
    }
}

#[test]
fn rejects_every_changed_bit_and_truncation() {
    let message = data(5 * 16 - 3);
    let sealed = seal(&message, 16, 1, Schedule::DYNAMIC, b"ad");
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(open(&changed, 16, b"ad"), Err(Error::Authentication), "bit {bit}");
    }
    assert_eq!(open(&sealed, 16, b"aD"), Err(Error::Authentication));
    for length in 0..sealed.len() {
        assert!(open(&sealed[..length], 16, b"ad").is_err(), "truncated to {length}");
    }
}

#[test]
fn rejects_a_block_of_another_message() {
    let (a, b) = (seal(&data(80), 16, 1, Schedule::DYNAMIC, b""), {
        let splitter = ParSplit::new(&GCM, 16, 1, Schedule::DYNAMIC).unwrap();
        let mut sealed = vec![0; 160];
        splitter.key(&KEY).unwrap().seal(&[9; 7], b"", &data(80), &mut sealed).unwrap();
        sealed
    });
    for block in 0..5 {
        let mut spliced = a.clone();
        spliced[block * 16..][..16].copy_from_slice(&b[block * 16..][..16]);
        spliced[80 + block * 16..][..16].copy_from_slice(&b[80 + block * 16..][..16]);
        assert_eq!(open(&spliced, 16, b""), Err(Error::Authentication), "block {block}");
    }
}

#[test]
fn rejects_wrong_lengths_before_any_block() {
    let splitter = ParSplit::new(&GCM, 16, 1, Schedule::RAYON).unwrap();
    assert!(matches!(splitter.key(&[0; 31]), Err(Error::Length { name: "key", given: 31, .. })));
    let mut keyed = splitter.key(&KEY).unwrap();
    let mut out = vec![0xaa; 64];
    assert!(matches!(keyed.seal(&[0; 12], b"", &data(20), &mut out), Err(Error::Length { given: 12, .. })));
    assert!(matches!(keyed.seal(&NONCE, b"", &data(40), &mut out), Err(Error::Length { given: 64, .. })));
    assert!(out.iter().all(|&byte| byte == 0xaa), "the output was written");
    assert!(ParSplit::new(&GCM, 0, 1, Schedule::RAYON).is_err());
    assert!(ParSplit::new(&GCM, 16, 0, Schedule::RAYON).is_err());
    assert!(ParSplit::new(&GCM, 16, 257, Schedule::RAYON).is_err());
}

#[test]
fn rejects_overlapping_buffers() {
    let splitter = ParSplit::new(&GCM, 16, 1, Schedule::DYNAMIC).unwrap();
    let mut keyed = splitter.key(&KEY).unwrap();
    let mut memory = vec![0u8; 400];
    let start = memory.as_mut_ptr();
    for shift in [1, 16, 79] {
        let sealed = unsafe { keyed.seal_raw(&NONCE, b"", start, 80, start.add(shift), start.add(200)) };
        assert_eq!(sealed, Err(Error::Overlap), "output {shift} bytes after the input");
        let sealed = unsafe { keyed.seal_raw(&NONCE, b"", start.add(shift), 80, start, start.add(200)) };
        assert_eq!(sealed, Err(Error::Overlap), "output {shift} bytes before the input");
    }
    let sealed = unsafe { keyed.seal_raw(&NONCE, b"", start, 80, start, start.add(79)) };
    assert_eq!(sealed, Err(Error::Overlap), "tags inside the output");
    assert!(memory.iter().all(|&byte| byte == 0));
}

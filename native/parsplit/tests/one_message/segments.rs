use super::any_nonce::{GCM, ONLY_12, WRONG};
use super::oracle::{bytes, engines, gcm, message};
use parsplit::one_message::{AesGcm, Call, GcmKey, LibraryGcmKey, OneMessage};
use parsplit::{Error, Schedule};
use std::sync::atomic::AtomicBool;

fn lengths(segment: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..70).collect();
    for edge in [128, 256, 512, 576, 1024, segment, 2 * segment, 5 * segment, 40 * segment] {
        lengths.extend([edge - 17, edge - 16, edge - 1, edge, edge + 1, edge + 15, edge + 16, edge + 17]);
    }
    lengths
}

#[test]
fn every_length_around_an_edge_has_the_bytes_of_the_oracle() {
    for key_bytes in [16, 24, 32] {
        let key = bytes(9, key_bytes);
        for segment in [64, 1024] {
            for (name, engine, oracle, nonces) in engines(&key, 3, Schedule::DYNAMIC, segment) {
                for (seed, length) in lengths(segment).into_iter().enumerate() {
                    let (nonce, ad) = (nonces[seed % nonces.len()], [0, 1, 16, 100, 3000][seed % 5]);
                    let expected = message(oracle, &key, seed as u64, nonce, ad, length);
                    for in_place in [false, true] {
                        let label = format!("{name}, {key_bytes} B key, {length} B, segments of {segment}, {in_place}");
                        let (output, tag) = engine.seal(&expected, in_place);
                        assert!(output == expected.ciphertext(), "{label}: ciphertext");
                        assert_eq!(tag, expected.tag(), "{label}: tag");
                        assert!(engine.open(&expected, in_place) == Ok(expected.text.clone()), "{label}: opening");
                    }
                }
            }
        }
    }
}

#[test]
fn every_schedule_and_thread_count_gives_the_same_bytes() {
    let key = bytes(1, 32);
    for (schedule_name, schedule) in Schedule::ALL {
        for threads in [1, 2, 3, 8, 256] {
            for (name, engine, oracle, nonces) in engines(&key, threads, *schedule, 4096) {
                let expected = message(oracle, &key, 5, nonces[0], 9000, 150_001);
                let (output, tag) = engine.seal(&expected, false);
                let label = format!("{name}, {schedule_name}, {threads} threads");
                assert!(output == expected.ciphertext() && tag == expected.tag(), "{label}");
                assert!(engine.open(&expected, true) == Ok(expected.text.clone()), "{label}");
            }
        }
    }
}

#[test]
fn every_changed_bit_is_rejected_and_the_output_wiped() {
    let key = bytes(2, 32);
    for (name, engine, oracle, nonces) in engines(&key, 2, Schedule::DYNAMIC, 16) {
        let expected = message(oracle, &key, 7, nonces[0], 20, 50);
        let fields =
            |expected: &super::oracle::Expected| [expected.nonce.len(), expected.ad.len(), expected.sealed.len()];
        for (field, length) in fields(&expected).into_iter().enumerate() {
            for bit in 0..8 * length {
                let mut changed = message(oracle, &key, 7, nonces[0], 20, 50);
                let bytes = [&mut changed.nonce, &mut changed.ad, &mut changed.sealed].into_iter().nth(field).unwrap();
                bytes[bit / 8] ^= 1 << (bit % 8);
                for in_place in [false, true] {
                    assert_eq!(engine.open(&changed, in_place), Err(Error::Authentication), "{name} {field} {bit}");
                }
            }
        }
        let mut longer = message(oracle, &key, 7, nonces[0], 20, 50);
        longer.ad.push(0);
        assert_eq!(engine.open(&longer, false), Err(Error::Authentication), "{name}: padded associated data");
    }
}

#[test]
fn the_counter_wraps_within_32_bits() {
    // With a nonce of 16 bytes the first counter is any block, so some of these wrap within the message.
    let key = bytes(3, 32);
    let mut wrapped = 0;
    for (name, engine, oracle, nonces) in engines(&key, 2, Schedule::STATIC, 64) {
        if !nonces.contains(&16) {
            continue;
        }
        // The own engine's nonce for a counter 3 blocks before the wrap, found by the black box's formula.
        let own = aeadlab_gcm::Key::new(&key).unwrap();
        let inverse = own.power(1).inverse();
        let start = aeadlab_gcm::Element::from_bytes(
            &[[0xab; 12].as_slice(), &[0xff, 0xff, 0xff, 0xfd]].concat().try_into().unwrap(),
        );
        let nonce = ((start * inverse + aeadlab_gcm::Key::lengths(0, 16)) * inverse).to_bytes();
        let mut expected = message(oracle, &key, 11, 16, 5, 1000);
        expected.nonce = nonce.to_vec();
        expected.sealed = gcm(&key, &nonce, &expected.ad, &expected.text);
        let (output, tag) = engine.seal(&expected, false);
        assert!(output == expected.ciphertext() && tag == expected.tag(), "{name}");
        wrapped += 1;
    }
    assert_eq!(wrapped, 2);
}

#[test]
fn wrong_arguments_are_named() {
    let key = || GcmKey::new(&[1; 32]).unwrap();
    let text = |error: Error| error.to_string();
    assert_eq!(
        GcmKey::new(&[0; 17]).map(|_| ()).map_err(text).unwrap_err(),
        "key of 17 bytes given, 16, 24 or 32 expected"
    );
    for threads in [0, 257] {
        let failed = OneMessage::new(key(), threads, Schedule::DYNAMIC).map(|_| ()).map_err(text).unwrap_err();
        assert_eq!(failed, format!("{threads} threads given, 1 to 256 expected"));
    }
    let engine: AesGcm = OneMessage::new(key(), 2, Schedule::DYNAMIC).unwrap();
    let failed = engine.seal(&[], &[], &[1; 5], &mut [0; 5]).map_err(text).unwrap_err();
    assert_eq!(failed, "nonce of 0 bytes given, at least 1, usually 12, expected");
    let failed = engine.seal(&[0; 12], &[], &[1; 5], &mut [0; 6]).map_err(text).unwrap_err();
    assert_eq!(failed, "output buffer of 6 bytes given, 5 expected");
    for segment in [0, 8, 100] {
        let engine: AesGcm = OneMessage::new(key(), 2, Schedule::DYNAMIC).unwrap();
        let failed = engine.segment_bytes(segment).map(|_| ()).map_err(text).unwrap_err();
        assert_eq!(failed, format!("segments of {segment} bytes given, a multiple of 16 expected"));
    }
    let engine: AesGcm = OneMessage::new(key(), 2, Schedule::DYNAMIC).unwrap();
    // SAFETY: the length is rejected before any access.
    let failed = unsafe {
        engine.seal_raw(&[0; 12], &[], std::ptr::dangling(), (1 << 36) - 31, std::ptr::dangling_mut(), Call::default())
    };
    assert!(
        text(failed.unwrap_err()).starts_with("message of 68719476705 bytes given, AES-GCM takes at most 68719476704")
    );
    let mut buffer = [0; 100];
    let start = buffer.as_mut_ptr();
    // SAFETY: both lie in the buffer; their overlap is rejected before any access.
    let failed = unsafe { engine.seal_raw(&[0; 12], &[], start, 50, start.add(10), Call::default()) };
    assert_eq!(failed.unwrap_err(), Error::Overlap);
}

#[test]
fn libraries_without_the_ability_are_refused() {
    assert!(LibraryGcmKey::new(&GCM, &[1; 32]).is_ok());
    for (algorithm, expected) in [(&ONLY_12, "takes nonces of 16 bytes"), (&WRONG, "not AES-GCM")] {
        let failed = LibraryGcmKey::new(algorithm, &[1; 32]).map(|_| ()).unwrap_err().to_string();
        assert!(failed.contains(expected), "{failed}");
    }
}

#[test]
fn a_cancelled_call_wipes_the_output() {
    let engine: AesGcm = OneMessage::new(GcmKey::new(&[1; 32]).unwrap(), 2, Schedule::DYNAMIC).unwrap();
    let cancel = AtomicBool::new(true);
    let (input, mut output) = (vec![1; 1 << 20], vec![0; 1 << 20]);
    let call = Call { cancel: Some(&cancel), fresh: false };
    // SAFETY: two buffers of this length.
    let failed = unsafe { engine.seal_raw(&[0; 12], &[], input.as_ptr(), 1 << 20, output.as_mut_ptr(), call) };
    assert_eq!(failed, Err(Error::Interrupted));
    assert!(output.iter().all(|&byte| byte == 0));
}

#[test]
fn associated_data_alone_is_gmac_on_all_threads() {
    let key = bytes(4, 32);
    let engine: AesGcm = OneMessage::new(GcmKey::new(&key).unwrap(), 4, Schedule::DYNAMIC).unwrap().serial_below(0);
    for length in [0, 1, 16, 100_003, 1 << 20] {
        let ad = bytes(6, length);
        assert_eq!(engine.authenticate(&[3; 12], &ad).unwrap().as_slice(), gcm(&key, &[3; 12], &ad, &[]), "{length}");
    }
}

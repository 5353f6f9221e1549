use super::oracle::{bytes, chacha, gcm};
use parsplit::one_message::{ChaChaKey, GcmKey, LibraryGcmKey, Multipart, Part, SegmentedKey};

/// Seal parts in an order that the seed decides, each on a "machine" of its own, and return ciphertext and tag.
fn seal_parts<K: SegmentedKey>(key: &dyn Fn() -> K, edges: &[usize], text: &[u8], seed: u64) -> Vec<u8> {
    let mut sealed = vec![0; text.len()];
    let mut order: Vec<usize> = (0..edges.len() - 1).collect();
    let keys = bytes(seed, order.len());
    order.sort_by_key(|&part| keys[part]);
    let mut stored = Vec::new();
    for part in order {
        let machine = key();
        let message = Multipart::new(&machine, &[7; 12], b"header", text.len() as u64).unwrap();
        let range = edges[part]..edges[part + 1];
        let value = message.seal(range.start as u64, &text[range.clone()], &mut sealed[range]).unwrap();
        stored.push(value.to_bytes());
    }
    let parts: Vec<Part> = stored.iter().map(|bytes| Part::from_bytes(bytes).unwrap()).collect();
    let machine = key();
    let message = Multipart::new(&machine, &[7; 12], b"header", text.len() as u64).unwrap();
    sealed.extend(message.finish(&parts).unwrap());
    sealed
}

#[test]
fn parts_in_any_order_give_the_message_of_one_call() {
    let key = bytes(20, 32);
    for (seed, edges) in
        [vec![0, 16], vec![0, 16, 32, 35], vec![0, 4096, 5008, 5024, 100_003], vec![0, 0, 64, 64, 1000], vec![0, 0]]
            .into_iter()
            .enumerate()
    {
        let text = bytes(30 + seed as u64, *edges.last().unwrap());
        for order in 0..5 {
            let expected = gcm(&key, &[7; 12], b"header", &text);
            assert!(seal_parts(&|| GcmKey::new(&key).unwrap(), &edges, &text, order) == expected, "{edges:?}");
            let library = || LibraryGcmKey::new(&super::any_nonce::GCM, &key).unwrap();
            assert!(seal_parts(&library, &edges, &text, order) == expected, "{edges:?}");
            let expected = chacha(&key, &[7; 12], b"header", &text);
            assert!(seal_parts(&|| ChaChaKey::new(&key).unwrap(), &edges, &text, order) == expected, "{edges:?}");
        }
    }
}

#[test]
fn wrong_parts_are_named() {
    let key = GcmKey::new(&[1; 32]).unwrap();
    let message = Multipart::new(&key, &[7; 12], b"", 100).unwrap();
    let seal = |message: &Multipart<'_, GcmKey>, from: usize, to: usize| {
        message.seal(from as u64, &[5; 100][from..to], &mut [0; 100][from..to]).map_err(|error| error.to_string())
    };
    let finish = |parts: &[Part]| message.finish(parts).map_err(|error| error.to_string());
    let (a, b, c) = (seal(&message, 0, 32).unwrap(), seal(&message, 32, 64).unwrap(), seal(&message, 64, 100).unwrap());
    assert!(finish(&[c.clone(), a.clone(), b.clone()]).is_ok());
    let lost = finish(&[a.clone(), c.clone()]).unwrap_err();
    assert_eq!(lost, "no part covers bytes 32 to 64 of the message: seal them");
    assert_eq!(
        finish(&[a.clone(), b.clone()]).unwrap_err(),
        "no part covers bytes 64 to 100 of the message: seal them"
    );
    assert!(finish(&[]).is_err());
    let repeated = finish(&[a.clone(), a.clone(), b.clone(), c.clone()]).unwrap_err();
    assert_eq!(repeated, "the part at byte 0 overlaps the one that ends at byte 32: give each once");
    let wide = seal(&message, 16, 64).unwrap();
    assert!(finish(&[a.clone(), wide, c.clone()]).unwrap_err().contains("overlaps"));
    for other in [
        Multipart::new(&key, &[8; 12], b"", 100).unwrap(),
        Multipart::new(&key, &[7; 12], b"x", 100).unwrap(),
        Multipart::new(&key, &[7; 12], b"", 101).unwrap(),
        Multipart::new(&GcmKey::new(&[2; 32]).unwrap(), &[7; 12], b"", 100).unwrap(),
    ] {
        let foreign = seal(&other, 32, 64).unwrap();
        let failed = finish(&[a.clone(), foreign, c.clone()]).unwrap_err();
        assert!(failed.starts_with("the part at byte 32 belongs to another message"), "{failed}");
    }
    for (from, to) in [(1, 32), (0, 31), (33, 64)] {
        assert!(seal(&message, from, to).unwrap_err().contains("multiples of 16 expected"), "{from} {to}");
    }
    assert!(message.seal(96, &[0; 32], &mut [0; 32]).unwrap_err().to_string().contains("ends after the message"));
    assert!(message.seal(u64::MAX - 15, &[0; 32], &mut [0; 32]).is_err());
    assert!(message.seal(0, &[0; 32], &mut [0; 16]).unwrap_err().to_string().contains("the length of the part"));
    for length in [0, 16, 47, 50] {
        assert!(Part::from_bytes(&vec![0; length]).unwrap_err().to_string().contains("48 or 49"), "{length}");
    }
    assert!(!format!("{a:?}").contains("value"));
}

//! The test vectors of RFC 8439.
#![allow(clippy::unwrap_used)]

mod common;

use aeadlab_chacha::{InOutBuf, Key, Poly};
use common::{hex, kernels};

const IETF: &str = "Any submission to the IETF intended by the Contributor for publication as all or part of an IETF \
Internet-Draft or RFC and any statement made within the context of an IETF activity is considered an \"IETF \
Contribution\". Such statements include oral statements in IETF sessions, as well as written and electronic \
communications made at any time or place, which are addressed to";

const JABBERWOCKY: &str = "'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the \
borogoves,\nAnd the mome raths outgrabe.";

const DRAFTS: &str = "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, \
replaced, or obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference \
material or to cite them other than as /\u{201c}work in progress./\u{201d}";

const SUNSCREEN: &str = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
sunscreen would be it.";

/// A key of Poly1305, a message and its tag: section 2.5.2 and all of appendix A.3.
fn poly1305_vectors() -> Vec<(String, Vec<u8>, &'static str)> {
    let zeros = "00000000000000000000000000000000";
    let ones = "ffffffffffffffffffffffffffffffff";
    let one = "01000000000000000000000000000000";
    let two = "02000000000000000000000000000000";
    let mixed = "36e5f6b5c5e06070f0efca96227a863e";
    let wide = "01000000000000000400000000000000";
    let words = "e33594d7505e43b90000000000000000 3394d7505e4379cd0100000000000000";
    vec![
        (
            "85d6be7857556d337f4452fe42d506a8 0103808afb0db2fd4abff6af4149f51b".into(),
            b"Cryptographic Forum Research Group".into(),
            "a8061dc1305136c6c22b8baf0c0127a9",
        ),
        (format!("{zeros}{zeros}"), vec![0; 64], zeros),
        (format!("{zeros}{mixed}"), IETF.into(), mixed),
        (format!("{mixed}{zeros}"), IETF.into(), "f3477e7cd95417af89a6b8794c310cf0"),
        (
            "1c9240a5eb55d38af333888604f6b5f0 473917c1402b80099dca5cbc207075c0".into(),
            JABBERWOCKY.into(),
            "4541669a7eaaee61e708dc7cbcc5eb62",
        ),
        (format!("{two}{zeros}"), hex(ones), "03000000000000000000000000000000"),
        (format!("{two}{ones}"), hex(two), "03000000000000000000000000000000"),
        (
            format!("{one}{zeros}"),
            hex(&format!("{ones} f0ffffffffffffffffffffffffffffff 11000000000000000000000000000000")),
            "05000000000000000000000000000000",
        ),
        (
            format!("{one}{zeros}"),
            hex(&format!("{ones} fbfefefefefefefefefefefefefefefe 01010101010101010101010101010101")),
            zeros,
        ),
        (format!("{two}{zeros}"), hex("fdffffffffffffffffffffffffffffff"), "faffffffffffffffffffffffffffffff"),
        (format!("{wide}{zeros}"), hex(&format!("{words}{zeros}{one}")), "14000000000000005500000000000000"),
        (format!("{wide}{zeros}"), hex(&format!("{words}{zeros}")), "13000000000000000000000000000000"),
    ]
}

#[test]
fn poly1305_gives_the_tags_of_appendix_a3() {
    for (key, message, tag) in poly1305_vectors() {
        let key = hex(&key);
        for kernel in kernels() {
            let poly = Poly::with_kernel(key[..16].try_into().unwrap(), kernel).unwrap();
            let found = poly.finish(&poly.hash_final(&message), key[16..].try_into().unwrap());
            assert_eq!(found.to_vec(), hex(tag), "{kernel:?} {key:02x?}");
        }
    }
}

#[test]
fn one_time_keys_are_those_of_section_2_6_and_appendix_a4() {
    let first: [u8; 32] = std::array::from_fn(|index| 0x80 + index as u8);
    let vectors = [
        (
            first.to_vec(),
            "000000000001020304050607",
            "8ad5a08b905f81cc815040274ab29471a833b637e3fd0da508dbb8e2fdd1a646",
        ),
        (vec![0; 32], "000000000000000000000000", "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"),
        (
            hex("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"),
            "000000000000000000000002",
            "965e3bc6f9ec7ed9560808f4d229f94b137ff275ca9b3fcbdd59deaad23310ae",
        ),
    ];
    for (key, nonce, expected) in vectors {
        for kernel in kernels() {
            let key = Key::with_kernel(key.as_slice().try_into().unwrap(), kernel).unwrap();
            let (r, s) = key.one_time_key(&hex(nonce).try_into().unwrap());
            assert_eq!([r, s].concat(), hex(expected), "{kernel:?}");
        }
    }
}

#[test]
fn the_message_of_section_2_8_is_sealed_and_opened() {
    let key: [u8; 32] = std::array::from_fn(|index| 0x80 + index as u8);
    let nonce = hex("070000004041424344454647").try_into().unwrap();
    let associated = hex("50515253c0c1c2c3c4c5c6c7");
    let ciphertext = hex("d31a8d34648e60db7b86afbc53ef7ec2 a4aded51296e08fea9e2b5a736ee62d6 \
         3dbea45e8ca9671282fafb69da92728b 1a71de0a9e060b2905d6a5b67ecd3b36 92ddbd7f2d778b8c9803aee328091b58 \
         fab324e4fad675945585808b4831d7bc 3ff4def08e4b7a9de576d26586cec64b 6116");
    let tag: [u8; 16] = hex("1ae10b594f09e26a7e902ecbd0600691").try_into().unwrap();
    for kernel in kernels() {
        let key = Key::with_kernel(&key, kernel).unwrap();
        let mut buffer = SUNSCREEN.as_bytes().to_vec();
        assert_eq!(key.seal(&nonce, &associated, InOutBuf::from(buffer.as_mut_slice())), Ok(tag));
        assert_eq!(buffer, ciphertext);
        assert_eq!(key.open(&nonce, &associated, InOutBuf::from(buffer.as_mut_slice()), &tag), Ok(()));
        assert_eq!(buffer, SUNSCREEN.as_bytes());
    }
}

#[test]
fn the_message_of_appendix_a5_has_its_tag() {
    let key = hex("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0").try_into().unwrap();
    let nonce = hex("000000000102030405060708").try_into().unwrap();
    for kernel in kernels() {
        let mut buffer = DRAFTS.as_bytes().to_vec();
        let tag = Key::with_kernel(&key, kernel)
            .unwrap()
            .seal(&nonce, &hex("f33388860000000000004e91"), InOutBuf::from(buffer.as_mut_slice()))
            .unwrap();
        assert_eq!(buffer[..16], hex("64a0861575861af460f062c79be643bd"));
        assert_eq!(tag.to_vec(), hex("eead9d67890cbb22392336fea1851f38"), "{kernel:?}");
    }
}

//! Messages and segments of ChaCha20-Poly1305.

use super::{ASSOCIATED, LENGTHS, Leak, NONCE, leak, marks};
use aeadlab_chacha::{InOutBuf, Kernel, Key};

pub fn seal(planted: Option<Leak>) {
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.available()) {
        println!("chacha20-poly1305 {}", kernel.name());
        for length in LENGTHS {
            let (key, mut text, mut output) = ([7; 32], vec![1; length], vec![0; length]);
            marks::secret(&key);
            marks::secret(&text);
            let key = Key::with_kernel(&key, kernel).unwrap();
            let tag = key.seal(&NONCE, &ASSOCIATED, InOutBuf::new(&text, &mut output).unwrap()).unwrap();
            leak(planted, &output);

            let message = key.message(&NONCE);
            let mut sum = message.sum(&ASSOCIATED, length as u64).unwrap();
            let (first, second) = text.split_at_mut(length / 32 * 16);
            let middle = first.len() as u64;
            let value = message.encrypt(middle, InOutBuf::from(&mut *second)).unwrap();
            sum.add(middle, second.len() as u64, &value).unwrap();
            let value = message.encrypt(0, InOutBuf::from(first)).unwrap();
            sum.add(0, middle, &value).unwrap();
            let combined = sum.tag().unwrap();

            // What follows compares and prints, as a receiver may.
            marks::public(&tag);
            marks::public(&combined);
            assert_eq!(tag, combined);
        }
    }
}

//! Seal messages whose key and text valgrind takes for uninitialized: it reports each branch and each address that
//! depends on them. With the argument `leak` there is one, which valgrind must report.
//!
//! `native/sanitize.sh secrets` runs both. Valgrind does not execute AVX-512, so this checks the other kernels.
#![allow(clippy::unwrap_used)]

/// Marks memory for valgrind. Nothing happens outside of it.
#[cfg(target_arch = "x86_64")]
mod marks {
    /// The client requests of memcheck: "MC" and a number.
    const SECRET: u64 = 0x4d43_0001;
    const PUBLIC: u64 = 0x4d43_0002;

    pub fn secret(bytes: &[u8]) {
        request(SECRET, bytes);
    }

    pub fn public(bytes: &[u8]) {
        request(PUBLIC, bytes);
    }

    fn request(code: u64, bytes: &[u8]) {
        let arguments = [code, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0];
        // SAFETY: the rotations amount to 128 bits and the exchange is one of a register with itself, so a processor
        // changes nothing; valgrind recognizes the sequence and reads the arguments.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") arguments.as_ptr(), inout("rdx") 0_u64 => _, inout("rdi") 0_u64 => _,
            );
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn main() {
    use aeadlab_chacha::{InOutBuf, Kernel, Key};

    let leak = std::env::args().any(|argument| argument == "leak");
    let (nonce, associated) = ([1; 12], [3; 21]);
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.available()) {
        println!("{}", kernel.name());
        for length in [5, 64, 300, 700, 5000, 20_001] {
            let (key, mut text, mut output) = ([7; 32], vec![1; length], vec![0; length]);
            marks::secret(&key);
            marks::secret(&text);
            let key = Key::with_kernel(&key, kernel).unwrap();
            let tag = key.seal(&nonce, &associated, InOutBuf::new(&text, &mut output).unwrap()).unwrap();
            if leak && output[0] == 3 {
                println!("a branch that depends on a secret");
            }

            let message = key.message(&nonce);
            let mut sum = message.sum(&associated, length as u64).unwrap();
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

#[cfg(not(target_arch = "x86_64"))]
fn main() {}

//! Marks memory for valgrind. Nothing happens outside of it.

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
    // SAFETY: the rotations amount to 128 bits and the exchange is one of a register with itself, so a processor changes
    // nothing; valgrind recognizes the sequence and reads the arguments.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(), inout("rdx") 0_u64 => _, inout("rdi") 0_u64 => _,
        );
    }
}

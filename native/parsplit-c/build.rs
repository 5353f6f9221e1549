//! The name that programs linked to the shared library will look for, whatever the file was called when they were.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libparsplit.so");
    }
}

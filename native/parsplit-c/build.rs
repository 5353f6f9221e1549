//! Sets the soname, because Cargo names the file after the crate and programs load libparsplit.so.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libparsplit.so");
    }
}

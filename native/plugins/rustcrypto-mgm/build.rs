//! Passes the versions in Cargo.lock and the compiler to the source, because a crate cannot report its own at run time.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("Cargo.lock");
    println!("cargo:rerun-if-changed={}", path.display());
    let lock = fs::read_to_string(path)?;
    for name in ["kuznyechik", "magma", "mgm"] {
        let version = version(&lock, name).ok_or_else(|| format!("Cargo.lock does not contain {name}"))?;
        println!("cargo:rustc-env={}={name} {version}", name.to_uppercase());
    }
    println!("cargo:rustc-env=BUILD={}", compiler()?);
    Ok(())
}

fn version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let row = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| *line != row);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

fn compiler() -> Result<String, Box<dyn Error>> {
    let version = String::from_utf8(Command::new(env::var("RUSTC")?).arg("--version").output()?.stdout)?;
    let version = version.split(" (").next().unwrap_or_default().trim();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    Ok(format!("{version} opt-level={} {flags}", env::var("OPT_LEVEL")?).trim_end().to_owned())
}

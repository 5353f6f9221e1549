//! Embeds a hash of the native sources, so that an extension older than the checkout it is used in can be refused.

use sha2::{Digest, Sha256};
use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let workspace = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let mut files = Vec::new();
    for place in ["Cargo.toml", "Cargo.lock", "include", "abi", "export", "parsplit", "libraries", "measure", "python"]
    {
        println!("cargo:rerun-if-changed={}", workspace.join(place).display());
        collect(&workspace.join(place), &mut files)?;
    }
    files.retain(|path| path.extension().is_some_and(|e| ["rs", "toml", "lock", "h"].iter().any(|known| e == *known)));
    // What only tests are made of does not change the extension.
    files.retain(|path| !path.components().any(|part| part.as_os_str() == "tests"));
    let mut named: Vec<_> = files
        .iter()
        .map(|path| Ok((path.strip_prefix(&workspace)?.to_string_lossy().replace('\\', "/"), path)))
        .collect::<Result<_, std::path::StripPrefixError>>()?;
    named.sort();
    let mut hash = Sha256::new();
    for (name, path) in named {
        hash.update(format!("{name}\0{:x}\n", Hex(Sha256::digest(fs::read(path)?).as_slice())));
    }
    println!("cargo:rustc-env=AEADLAB_SOURCES={:x}", Hex(hash.finalize().as_slice()));
    println!("cargo:rustc-env=AEADLAB_RUST_BUILD={}", compiler()?);
    Ok(())
}

struct Hex<'a>(&'a [u8]);

impl fmt::LowerHex for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if place.is_dir() {
        for entry in fs::read_dir(place)? {
            collect(&entry?.path(), files)?;
        }
    } else {
        files.push(place.to_owned());
    }
    Ok(())
}

fn compiler() -> Result<String, Box<dyn std::error::Error>> {
    let version = String::from_utf8(Command::new(env::var("RUSTC")?).arg("--version").output()?.stdout)?;
    let version = version.split(" (").next().unwrap_or_default().trim().to_owned();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    Ok(format!("{version} opt-level={} {flags}", env::var("OPT_LEVEL")?).trim_end().to_owned())
}

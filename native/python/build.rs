//! Embeds a hash of the native sources, by which the Python package detects an extension of other sources, and the
//! version of fast-floe, because a crate cannot report its own at run time.

use sha2::{Digest, Sha256};
use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let workspace = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let mut files = Vec::new();
    for name in ["Cargo.toml", "Cargo.lock", "include", "abi", "export", "parsplit", "libraries", "measure", "python"] {
        println!("cargo:rerun-if-changed={}", workspace.join(name).display());
        collect(&workspace.join(name), &mut files)?;
    }
    files
        .retain(|path| path.extension().is_some_and(|e| ["rs", "toml", "lock", "h"].iter().any(|hashed| e == *hashed)));
    // Sources of tests do not change the extension.
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
    let lock = fs::read_to_string(workspace.join("Cargo.lock"))?;
    let version = version(&lock, "fast-floe").ok_or("Cargo.lock does not contain fast-floe")?;
    println!("cargo:rustc-env=FAST_FLOE_VERSION={version}");
    Ok(())
}

fn version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let row = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| *line != row);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

struct Hex<'a>(&'a [u8]);

impl fmt::LowerHex for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else {
        files.push(path.to_owned());
    }
    Ok(())
}

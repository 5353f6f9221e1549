//! Collects the files of `src/linked/`, so that a new library is a new file, and the versions that Cargo.lock fixes,
//! because a crate cannot report its own at run time.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let linked = here.join("src/linked");
    let lock = here.join("../Cargo.lock");
    println!("cargo:rerun-if-changed={}", linked.display());
    println!("cargo:rerun-if-changed={}", lock.display());
    fs::write(out.join("linked.rs"), modules(&linked)?)?;
    fs::write(out.join("versions.rs"), versions(&fs::read_to_string(lock)?))?;
    println!("cargo:rustc-env=AEADLAB_RUST_BUILD={}", compiler()?);
    Ok(())
}

fn modules(folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "rs"));
    paths.sort();
    let names: Vec<_> = paths.iter().filter_map(|p| p.file_stem()?.to_str()).collect();
    let mut text = String::new();
    for (name, path) in names.iter().zip(&paths) {
        text += &format!("#[path = {path:?}]\nmod {name};\n");
    }
    let calls: Vec<_> = names.iter().map(|name| format!("{name}::library")).collect();
    text += &format!("const LINKED: &[fn() -> &'static Library] = &[{}];\n", calls.join(", "));
    Ok(text)
}

/// A table of (crate, version); of several versions of a crate the last is taken.
fn versions(lock: &str) -> String {
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned());
    let mut rows = String::new();
    let mut name = None;
    for line in lock.lines() {
        if let Some(found) = value(line, "name") {
            name = Some(found);
        } else if let (Some(crate_name), Some(version)) = (&name, value(line, "version")) {
            rows += &format!("    ({crate_name:?}, {version:?}),\n");
            name = None;
        }
    }
    format!("const VERSIONS: &[(&str, &str)] = &[\n{rows}];\n")
}

fn compiler() -> Result<String, Box<dyn std::error::Error>> {
    let rustc = env::var("RUSTC")?;
    let version = String::from_utf8(Command::new(rustc).arg("--version").output()?.stdout)?;
    let version = version.split(" (").next().unwrap_or_default().trim().to_owned();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    Ok(format!("{version} opt-level={} {flags}", env::var("OPT_LEVEL")?).trim_end().to_owned())
}

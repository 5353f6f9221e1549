//! Lists the files of `src/linked/`, so that a new library is one new file, and the crate versions in Cargo.lock,
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
    for source in files(&linked, "c")? {
        compile(&source, &here.join("../include"))?;
    }
    Ok(())
}

/// Compile `linked/NAME.c`, the source of a plugin, so that it exports `aeadlab_NAME_library_v1` and
/// `aeadlab_NAME_feature_switch`. Its headers are those of the `-sys` crate whose `links` key starts with NAME. The
/// sources in `linked/NAME/` belong to it and are compiled twice, see [`at_both_levels`].
fn compile(source: &Path, include: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let name =
        source.file_stem().and_then(|s| s.to_str()).ok_or_else(|| format!("{} has no name", source.display()))?;
    let key = format!("DEP_{}_", name.to_uppercase());
    let headers = env::vars().find(|(k, _)| k.starts_with(&key) && k.ends_with("INCLUDE")).map(|(_, folder)| folder);
    let headers = headers
        .ok_or_else(|| format!("{name}.c: no dependency sets {key}…INCLUDE: add its -sys crate to Cargo.toml"))?;
    let mut build = cc::Build::new();
    build.file(source).include(include).include(&headers).opt_level(3).warnings(true).extra_warnings(true);
    build.flag_if_supported("-march=native");
    let compiler = build.get_compiler();
    let version = String::from_utf8(compiler.to_command().arg("--version").output()?.stdout)?;
    let version = version.lines().next().unwrap_or_default();
    build.define("AEADLAB_BUILD", format!("\"{version}, -O3 -march=native\"").as_str());
    build.define("AEADLAB_LIBRARY", format!("\"{}\"", name.replace('_', "-")).as_str());
    for export in ["library_v1", "feature_switch"] {
        build.define(&format!("aeadlab_{export}"), format!("aeadlab_{name}_{export}").as_str());
    }
    let folder = source.with_extension("");
    for source in if folder.is_dir() { files(&folder, "c")? } else { Vec::new() } {
        for object in at_both_levels(&source, &headers)? {
            build.object(object);
        }
    }
    build.try_compile(&format!("aeadlab_{name}"))?;
    println!("cargo:rerun-if-changed={}", include.display());
    Ok(())
}

/// Compile a source with -O2 and with -O3, and the macro LEVEL of 2 and 3, for every CPU of the architecture.
fn at_both_levels(source: &Path, headers: &str) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let mut objects = Vec::new();
    for level in [2, 3] {
        let out = PathBuf::from(env::var("OUT_DIR")?).join(format!("o{level}"));
        fs::create_dir_all(&out)?;
        let mut build = cc::Build::new();
        build.file(source).include(headers).opt_level(level).warnings(true).extra_warnings(true).out_dir(out);
        build.define("LEVEL", level.to_string().as_str());
        objects.extend(build.try_compile_intermediates()?);
    }
    Ok(objects)
}

fn files(folder: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == ending));
    paths.sort();
    Ok(paths)
}

fn modules(folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let paths = files(folder, "rs")?;
    let names: Vec<_> = paths.iter().filter_map(|p| p.file_stem()?.to_str()).collect();
    let mut text = String::new();
    for (name, path) in names.iter().zip(&paths) {
        text += &format!("#[path = {path:?}]\nmod {name};\n");
    }
    let functions: Vec<_> = names.iter().map(|name| format!("{name}::library")).collect();
    text += &format!("const LINKED: &[fn() -> Linked] = &[{}];\n", functions.join(", "));
    Ok(text)
}

/// Return the source of a table of (crate, version) in the order of Cargo.lock.
fn versions(lock: &str) -> String {
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned());
    let mut rows = String::new();
    let mut name = None;
    for line in lock.lines() {
        if let Some(crate_name) = value(line, "name") {
            name = Some(crate_name);
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

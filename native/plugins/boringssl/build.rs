//! Compiles the C source that BoringSSL shares with AWS-LC against the headers that boring-sys built with.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let source = here.join("../../libraries/src/linked/aws_lc.c");
    let include = here.join("../../include");
    let lock = here.join("Cargo.lock");
    for path in [&source, &include, &lock] {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    // boring-sys names only the folder it built in, where its copy of the sources lies.
    let headers = PathBuf::from(env::var("DEP_BORINGSSL_ROOT")?).join("boringssl/include");
    if !headers.join("openssl/aead.h").is_file() {
        return Err(format!("boring-sys did not leave BoringSSL's headers in {}", headers.display()).into());
    }
    let mut build = cc::Build::new();
    build.file(source).include(include).include(headers).opt_level(3).warnings(true).extra_warnings(true);
    build.flag_if_supported("-march=native");
    let compiler = String::from_utf8(build.get_compiler().to_command().arg("--version").output()?.stdout)?;
    let compiler = compiler.lines().next().unwrap_or_default();
    let lock = fs::read_to_string(lock)?;
    let version = boring_sys_version(&lock).ok_or("Cargo.lock does not name boring-sys")?;
    build.define("AEADLAB_BUILD", format!("\"{compiler}, -O3 -march=native\"").as_str());
    build.define("AEADLAB_LIBRARY", "\"boringssl\"");
    build.define("AEADLAB_VERSION", format!("\"boring-sys {version}\"").as_str());
    build.define("aeadlab_library_v1", "aeadlab_boringssl_library_v1");
    build.try_compile("aeadlab_boringssl")?;
    // A function that BoringSSL only declares shows here and not when the plugin is loaded.
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,defs");
    Ok(())
}

/// BoringSSL has no versions; this crate's is what fixes its sources.
fn boring_sys_version(lock: &str) -> Option<&str> {
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"boring-sys\"");
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

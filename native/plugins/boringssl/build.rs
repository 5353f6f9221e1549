//! Compiles the C source that BoringSSL shares with AWS-LC, with the headers of boring-sys.

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
    // boring-sys exports only its build folder, which contains its copy of the sources.
    let headers = PathBuf::from(env::var("DEP_BORINGSSL_ROOT")?).join("boringssl/include");
    if !headers.join("openssl/aead.h").is_file() {
        return Err(format!("boring-sys has no BoringSSL headers in {}", headers.display()).into());
    }
    let mut build = cc::Build::new();
    build.file(source).include(include).include(headers).opt_level(3).warnings(true).extra_warnings(true);
    build.flag_if_supported("-march=native");
    let compiler = String::from_utf8(build.get_compiler().to_command().arg("--version").output()?.stdout)?;
    let compiler = compiler.lines().next().unwrap_or_default();
    let lock = fs::read_to_string(lock)?;
    let version = boring_sys_version(&lock).ok_or("Cargo.lock does not contain boring-sys")?;
    build.define("AEADLAB_BUILD", format!("\"{compiler}, -O3 -march=native\"").as_str());
    build.define("AEADLAB_LIBRARY", "\"boringssl\"");
    build.define("AEADLAB_VERSION", format!("\"boring-sys {version}\"").as_str());
    build.define("aeadlab_library_v1", "aeadlab_boringssl_library_v1");
    build.define("aeadlab_feature_switch", "aeadlab_boringssl_feature_switch");
    build.try_compile("aeadlab_boringssl")?;
    // A function that BoringSSL only declares fails here and not when the plugin is loaded.
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,defs");
    Ok(())
}

/// Return the version of boring-sys in Cargo.lock, which determines the sources: BoringSSL has no versions.
fn boring_sys_version(lock: &str) -> Option<&str> {
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"boring-sys\"");
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

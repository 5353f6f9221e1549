//! Each module imports only from modules that precede it in the list of `src/lib.rs`.
#![cfg(not(miri))]

use std::fs;
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

#[test]
fn modules_import_only_from_preceding_modules() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(source.join("lib.rs")).unwrap();
    let listed = lib.lines().filter_map(|line| line.strip_prefix("//! - ")?.split_once(':'));
    let order: Vec<&str> = listed.flat_map(|(names, _)| names.split(", ")).map(|name| name.trim_matches('`')).collect();
    let position = |name: &str| order.iter().position(|listed| *listed == name);
    for file in rust_files(&source) {
        let module = file.strip_prefix(&source).unwrap().iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if matches!(module, "lib" | "test_cipher") {
            continue;
        }
        let importer = position(module).unwrap_or_else(|| panic!("{module} is missing in the list of src/lib.rs"));
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for import in code.lines().filter_map(|line| line.strip_prefix("use crate::")) {
            let imported = import.split([':', ';']).next().unwrap();
            let precedes = position(imported).is_some_and(|imported| imported < importer);
            assert!(precedes || file.ends_with("tests.rs"), "{module} imports from {imported}");
        }
    }
}

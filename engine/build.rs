//! Puts the base game into the program, so that the binary alone plays: writes a list of the
//! paths and texts of `base_game/` that `engine/mods/embedded.rs` includes. What the texts mean is
//! found out when the program runs, by the code that reads any other mod.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const FOLDER: &str = "base_game";

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo names the package"));
    let out =
        PathBuf::from(env::var_os("OUT_DIR").expect("Cargo names the place for what is built"));
    println!("cargo::rerun-if-changed=engine/build.rs");
    let mut files = Vec::new();
    if root.join(FOLDER).join("mod.toml").is_file() {
        collect(&root.join(FOLDER), "", &mut files);
    } else {
        println!("cargo::rerun-if-changed={FOLDER}");
    }
    files.sort();
    let mut list = String::from("&[\n");
    for (path, file) in &files {
        let file = file.to_str().expect("the package lies at a path that is text");
        writeln!(list, "    ({path:?}, include_str!({file:?})),")
            .expect("a text can be written to");
    }
    list.push_str("]\n");
    fs::write(out.join("base_game.rs"), list).expect("Cargo's folder can be written to");
}

/// Collects the manifest, the scripts and the files of templates, but for those of the game's own tests.
fn collect(folder: &Path, inside: &str, files: &mut Vec<(String, PathBuf)>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the base game can be read") {
        let entry = entry.expect("the base game can be read");
        let kind = entry.file_type().expect("the base game can be read");
        let name = entry.file_name().into_string().expect("names in the base game are text");
        let path = format!("{inside}{name}");
        if name.starts_with('.') || path == "tests" {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file() && (path == "mod.toml" || is_taken(&name)) {
            println!("cargo::rerun-if-changed={}", entry.path().display());
            files.push((path, entry.path()));
        }
    }
}

fn is_taken(name: &str) -> bool {
    name.ends_with(".luau") || name.ends_with(".lua") || name.ends_with(".in")
}

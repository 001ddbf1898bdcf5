//! Puts the base game into the program, so that the binary alone plays: writes a list of the
//! paths and texts of `base_game/`, in the order of the texts, that `engine/mods/embedded.rs` includes.
//! What the texts mean is found out when the program runs, by the code that reads any other mod; only
//! what scripts compile to is put beside them, since that takes half as long as all the rest of a
//! start.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "script/compiler.rs"]
mod compiler;

const FOLDER: &str = "base_game";

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo names the package"));
    let out =
        PathBuf::from(env::var_os("OUT_DIR").expect("Cargo names the place for what is built"));
    println!("cargo::rerun-if-changed=engine/build.rs");
    println!("cargo::rerun-if-changed=engine/script/compiler.rs");
    let mut files = Vec::new();
    if root.join(FOLDER).join("mod.toml").is_file() {
        collect(&root.join(FOLDER), "", &mut files);
    } else {
        println!("cargo::rerun-if-changed={FOLDER}");
    }
    files.sort_by_cached_key(|(_, file)| fs::read(file).expect("the base game can be read"));
    let code = out.join("code");
    fs::create_dir_all(&code).expect("Cargo's folder can be written to");
    let mut list = String::from("&[\n");
    for (at, (path, file)) in files.iter().enumerate() {
        let compiled = code.join(at.to_string());
        fs::write(&compiled, compile(path, file)).expect("Cargo's folder can be written to");
        let [file, compiled] = [file, &compiled]
            .map(|path| path.to_str().expect("the package lies at a path that is text"));
        writeln!(list, "    ({path:?}, include_str!({file:?}), include_bytes!({compiled:?})),")
            .expect("a text can be written to");
    }
    list.push_str("]\n");
    fs::write(out.join("base_game.rs"), list).expect("Cargo's folder can be written to");
}

/// What a script compiles to. Nothing if it does not, which the program tells like any other fault, or
/// if it would be built here for a machine that reads numbers the other way round.
fn compile(path: &str, file: &Path) -> Vec<u8> {
    let ours = if cfg!(target_endian = "little") { "little" } else { "big" };
    if !is_script(path) || env::var_os("CARGO_CFG_TARGET_ENDIAN").is_none_or(|end| end != ours) {
        return Vec::new();
    }
    let text = fs::read(file).expect("the base game can be read");
    compiler::compiler().compile(text).unwrap_or_default()
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
    is_script(name) || name.ends_with(".in")
}

fn is_script(name: &str) -> bool {
    name.ends_with(".luau") || name.ends_with(".lua")
}

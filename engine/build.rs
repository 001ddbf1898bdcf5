//! Puts the bundled games and the mods that they stand on into the program, so that the binary alone
//! plays: writes a list of their paths and texts, in the order of the texts, that `engine/main.rs`
//! includes. What the texts mean is found out when the program runs, by the code that reads any other
//! mod; only what scripts compile to is put beside them, since that takes half as long as all the rest
//! of a start.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "script/code/mod.rs"]
mod code;
#[path = "script/compiler.rs"]
mod compiler;
#[path = "script/scan.rs"]
mod scan;

/// What the program carries, the game that it plays unasked first. Of these, one that is not there is
/// left out.
const FOLDERS: [&str; 6] =
    ["base_game", "mods/sovereign", "mods/hollow_way", "mods/fivey", "mods/leeward", "mods/parts"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo names the package"));
    let out =
        PathBuf::from(env::var_os("OUT_DIR").expect("Cargo names the place for what is built"));
    println!("cargo::rerun-if-changed=engine/build.rs");
    println!("cargo::rerun-if-changed=engine/script/code");
    println!("cargo::rerun-if-changed=engine/script/compiler.rs");
    println!("cargo::rerun-if-changed=engine/script/scan.rs");
    let mut texts = Vec::new();
    let mut there = Vec::new();
    for name in FOLDERS {
        let folder = root.join(name);
        if !folder.join("mod.toml").is_file() {
            // What is not there cannot be watched, but where it would come to lie.
            let above = Path::new(name).parent().filter(|above| *above != Path::new(""));
            println!("cargo::rerun-if-changed={}", above.unwrap_or(Path::new(name)).display());
            continue;
        }
        let mut files = Vec::new();
        collect(&folder, "", &mut files);
        texts.extend(files.into_iter().map(|(path, file)| (text_of(&file), there.len(), path)));
        there.push(name);
    }
    texts.sort();
    let kept = out.join("carried");
    fs::create_dir_all(&kept).expect("Cargo's folder can be written to");
    let mut list = format!("Carried {{ folders: &{there:?}, files: &[\n");
    for (at, (text, folder, path)) in texts.iter().enumerate() {
        let keep = |ending: &str, bytes: &[u8]| {
            let file = kept.join(format!("{at}.{ending}"));
            fs::write(&file, bytes).expect("Cargo's folder can be written to");
            file.into_os_string().into_string().expect("the package lies at a path that is text")
        };
        let (code, text) = (keep("code", &compile(path, text)), keep("text", text.as_bytes()));
        writeln!(
            list,
            "    ({folder}, {path:?}, include_str!({text:?}), include_bytes!({code:?})),"
        )
        .expect("a text can be written to");
    }
    list.push_str("] }\n");
    fs::write(out.join("carried.rs"), list).expect("Cargo's folder can be written to");
}

/// A text as the program reads files: without a byte order mark, line ends as LF.
fn text_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("what is carried can be read, and is UTF-8");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// What a script compiles to. Nothing if it does not or may not, which the program tells like any other
/// fault, or if it would be built here for a machine that reads numbers the other way round.
fn compile(path: &str, text: &str) -> Vec<u8> {
    let ours = if cfg!(target_endian = "little") { "little" } else { "big" };
    let alike = env::var_os("CARGO_CFG_TARGET_ENDIAN").is_some_and(|end| end == ours);
    match is_script(path) && alike && scan::find_power(text).is_none() {
        true => {
            let compiled = compiler::compiler().compile(text).ok();
            compiled.and_then(|compiled| code::bounded(&compiled)).unwrap_or_default()
        }
        false => Vec::new(),
    }
}

/// Collects the manifest, the scripts and the files of templates, but for those of the mod's own tests.
fn collect(folder: &Path, inside: &str, files: &mut Vec<(String, PathBuf)>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("what is carried can be read") {
        let entry = entry.expect("what is carried can be read");
        let kind = entry.file_type().expect("what is carried can be read");
        let name = entry.file_name().into_string().expect("names in what is carried are text");
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

//! Embeds the bundled games and the mods that they need into the program. Writes a list of paths,
//! texts and compiled scripts, sorted by text, that `engine/app/main.rs` includes. The texts are
//! interpreted at run time, by the code that reads any other mod. Only the bytecode is precomputed,
//! because compiling takes a third of the start-up time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "../script/compile/bytecode/mod.rs"]
mod bytecode;
#[path = "../script/compile/compiler_options.rs"]
mod compiler_options;
#[path = "../script/source_text/source_scan.rs"]
mod scan;

/// The bundled folders, the default game first. A folder that does not exist is skipped.
const BUNDLED_FOLDERS: [&str; 6] =
    ["base_game", "mods/sovereign", "mods/hollow_way", "mods/fivey", "mods/leeward", "mods/parts"];

fn main() {
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    println!("cargo::rerun-if-changed=engine/app/build.rs");
    println!("cargo::rerun-if-changed=engine/script/compile/bytecode");
    println!("cargo::rerun-if-changed=engine/script/compile/compiler_options.rs");
    println!("cargo::rerun-if-changed=engine/script/source_text/source_scan.rs");
    let mut texts = Vec::new();
    let mut there = Vec::new();
    for name in BUNDLED_FOLDERS {
        let folder = root.join(name);
        if !folder.join("mod.toml").is_file() {
            // A missing folder cannot be watched, but its parent can.
            let above = Path::new(name).parent().filter(|above| *above != Path::new(""));
            println!("cargo::rerun-if-changed={}", above.unwrap_or(Path::new(name)).display());
            continue;
        }
        let mut files = Vec::new();
        collect_files(&folder, "", &mut files);
        texts.extend(files.into_iter().map(|(path, file)| (read_text(&file), there.len(), path)));
        there.push(name);
    }
    texts.sort();
    let embedded_folder = out.join("embedded");
    fs::create_dir_all(&embedded_folder).expect("OUT_DIR is writable");
    let mut list = format!("EmbeddedMods {{ folders: &{there:?}, files: &[\n");
    for (at, (text, folder, path)) in texts.iter().enumerate() {
        let keep = |ending: &str, bytes: &[u8]| {
            let file = embedded_folder.join(format!("{at}.{ending}"));
            fs::write(&file, bytes).expect("OUT_DIR is writable");
            file.into_os_string().into_string().expect("the path of the package is UTF-8")
        };
        let (code, text) =
            (keep("code", &compile_script(path, text)), keep("text", text.as_bytes()));
        writeln!(
            list,
            "    ({folder}, {path:?}, include_str!({text:?}), include_bytes!({code:?})),"
        )
        .expect("writing to a string cannot fail");
    }
    list.push_str("] }\n");
    fs::write(out.join("embedded_mods.rs"), list).expect("OUT_DIR is writable");
}

/// The text as the program reads files: without a byte order mark, line ends as LF.
fn read_text(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("bundled files are readable and UTF-8");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The bytecode of a script. Empty if it does not compile or may not be bundled, so that the
/// program reports the error at run time; also empty if the target has another byte order than this
/// machine.
fn compile_script(path: &str, text: &str) -> Vec<u8> {
    let ours = if cfg!(target_endian = "little") { "little" } else { "big" };
    let alike = env::var_os("CARGO_CFG_TARGET_ENDIAN").is_some_and(|end| end == ours);
    match is_script(path) && alike && scan::find_power_operator(text).is_none() {
        true => {
            let compiled = compiler_options::create_compiler().compile(text).ok();
            compiled
                .and_then(|compiled| bytecode::insert_charges_and_guards(&compiled))
                .unwrap_or_default()
        }
        false => Vec::new(),
    }
}

/// Collects the manifest, the scripts and the template files, without the mod's own tests.
fn collect_files(folder: &Path, inside: &str, files: &mut Vec<(String, PathBuf)>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("bundled files are readable") {
        let entry = entry.expect("bundled files are readable");
        let kind = entry.file_type().expect("bundled files are readable");
        let name = entry.file_name().into_string().expect("names of bundled files are UTF-8");
        let path = format!("{inside}{name}");
        if name.starts_with('.') || path == "tests" {
            continue;
        }
        if kind.is_dir() {
            collect_files(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file() && (path == "mod.toml" || is_bundled(&name)) {
            println!("cargo::rerun-if-changed={}", entry.path().display());
            files.push((path, entry.path()));
        }
    }
}

fn is_bundled(name: &str) -> bool {
    is_script(name) || name.ends_with(".in") || name.ends_with(".po")
}

fn is_script(name: &str) -> bool {
    name.ends_with(".luau") || name.ends_with(".lua")
}

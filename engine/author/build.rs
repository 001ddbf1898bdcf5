//! Lists the texts of the program that are translated: those in `host_text!` and `host_text_id!`,
//! and those in `word(…)` in the scripts of the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The crates that show texts.
const CRATES: [&str; 6] = ["base", "protocol", "script", "serve", "session", "ui"];
const MACROS: [&str; 2] = ["host_text!(", "host_text_id!("];
const PAGE_CALLS: [&str; 1] = ["word("];

fn main() {
    let engine = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let engine = engine.parent().expect("the crate is in the folder of the engine").to_owned();
    println!("cargo::rerun-if-changed=build.rs");
    let mut texts = BTreeMap::new();
    for name in CRATES {
        println!("cargo::rerun-if-changed={}", engine.join(name).display());
        read_folder(&engine, Path::new(name), &mut texts);
    }
    let mut list = "&[\n".to_owned();
    for (text, files) in texts {
        writeln!(list, "    ({text:?}, &{files:?}),").expect("a string can be written to");
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    fs::write(out.join("host_texts.rs"), list).expect("OUT_DIR is writable");
}

fn read_folder(engine: &Path, folder: &Path, texts: &mut BTreeMap<String, Vec<String>>) {
    let entries = fs::read_dir(engine.join(folder)).expect("the sources are readable");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("the sources are readable").file_name())
        .map(|name| name.into_string().expect("names of sources are UTF-8"))
        .collect();
    names.sort();
    for name in names {
        let path = folder.join(&name);
        if engine.join(&path).is_dir() {
            read_folder(engine, &path, texts);
            continue;
        }
        let calls: &[&str] = match name.rsplit_once('.') {
            Some((_, "rs")) if name != "host_texts.rs" => &MACROS,
            Some((_, "js")) => &PAGE_CALLS,
            _ => continue,
        };
        let source = fs::read_to_string(engine.join(&path)).expect("sources are UTF-8");
        let shown = format!("engine/{}", path.display()).replace('\\', "/");
        for text in texts_of_source(&source, calls) {
            let files = texts.entry(text).or_default();
            if !files.contains(&shown) {
                files.push(shown.clone());
            }
        }
    }
}

/// The literals in the calls, with their escapes resolved.
fn texts_of_source(source: &str, calls: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    for name in calls {
        for (at, _) in source.match_indices(name) {
            let Some(literal) = source[at + name.len()..].trim_start().strip_prefix('"') else {
                continue;
            };
            let (mut text, mut chars) = (String::new(), literal.chars());
            while let Some(c) = chars.next().filter(|c| *c != '"') {
                match c {
                    '\\' => match chars.next() {
                        Some('n') => text.push('\n'),
                        Some('\n') => chars = chars.as_str().trim_start().chars(),
                        escaped => text.extend(escaped),
                    },
                    c => text.push(c),
                }
            }
            texts.push(text);
        }
    }
    texts
}

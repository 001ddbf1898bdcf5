//! The list of the codes of Problems: each is used, and each says what it means and what to do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use engine::base::{Code, Problem};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The texts of all sources below a folder, but for the list itself.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() && !name.ends_with("problem_code") {
            sources(&path, found);
        } else if name.ends_with(".rs") || name.ends_with(".luau") {
            found.push(fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_code_is_used() {
    let mut files = Vec::new();
    sources(&Path::new(ROOT).join("engine"), &mut files);
    let written = |code: &Code| {
        // The prelude, which is Luau, names codes by their texts.
        let (name, text) = (format!("Code::{code:?}"), format!("\"{code}\","));
        let is_whole = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric());
        files.iter().any(|file| file.contains(&text) || file.split(&name).skip(1).any(is_whole))
    };
    let idle: Vec<Code> = Code::all().filter(|code| !written(code)).collect();
    assert!(idle.is_empty(), "nothing makes a Problem with {idle:?}");
}

#[test]
fn every_code_is_named_once_and_says_what_to_do() {
    let mut names = BTreeSet::new();
    for code in Code::all() {
        assert!(names.insert(code.as_str()), "{code} is there twice");
        let spelt: String = code
            .as_str()
            .split('-')
            .flat_map(|part| {
                let (first, rest) = part.split_at(1);
                [first.to_uppercase(), rest.to_owned()]
            })
            .collect();
        assert_eq!(format!("{code:?}"), spelt, "the name in Rust is that of the code");
        for text in [code.meaning(), code.help()] {
            assert!(text.len() > 4 && text.ends_with(['.', '`']), "{code}: {text:?}");
        }
    }
    assert!(names.len() > 200, "{} codes", names.len());
}

#[test]
fn a_code_is_read_by_its_name_and_a_misspelt_one_is_told() {
    assert_eq!(Code::parse("unknown-name"), Some(Code::UnknownName));
    assert_eq!(Code::parse("unknown-nam"), None);
    assert_eq!(Code::nearest_code("unknown-nam"), Some(Code::UnknownName));
    let told = serde_json::from_str::<Code>("\"unknown-nam\"").unwrap_err().to_string();
    assert!(told.contains("did you mean \"unknown-name\"?"), "{told}");
}

/// A Problem is stored with the steps of a run: one of another program, which has other codes, is read.
#[test]
fn a_stored_problem_with_another_code_is_unknown() {
    let stored = r#"{ "severity": "error", "code": "of-another-time", "message": "it was so" }"#;
    let read: Problem = serde_json::from_str(stored).unwrap();
    assert_eq!(read.code, Code::Unknown);
    let own = Problem::error(Code::BadCase, "so");
    let again: Problem = serde_json::from_str(&serde_json::to_string(&own).unwrap()).unwrap();
    assert_eq!(again.code, Code::BadCase);
}

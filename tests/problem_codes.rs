//! The list of the codes of Problems: each is used, and each says what it means and what to do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use base::{Code, Problem};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The texts of all sources below a folder, but for the list itself.
fn collect_sources(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() && !name.ends_with("problem_code") {
            collect_sources(&path, texts);
        } else if name.ends_with(".rs") || name.ends_with(".luau") {
            texts.push(fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_code_is_used() {
    let mut files = Vec::new();
    collect_sources(&Path::new(PROJECT_ROOT).join("engine"), &mut files);
    let is_used = |code: &Code| {
        // The prelude, which is Luau, names codes by their texts.
        let (name, text) = (format!("Code::{code:?}"), format!("\"{code}\","));
        let is_complete_name = |rest: &str| {
            !rest.starts_with(|next_character: char| next_character.is_ascii_alphanumeric())
        };
        files
            .iter()
            .any(|file| file.contains(&text) || file.split(&name).skip(1).any(is_complete_name))
    };
    let unused: Vec<Code> = Code::all_codes().filter(|code| !is_used(code)).collect();
    assert!(unused.is_empty(), "nothing makes a Problem with {unused:?}");
}

#[test]
fn every_code_has_a_unique_name_a_meaning_and_help() {
    let mut names = BTreeSet::new();
    for code in Code::all_codes() {
        assert!(names.insert(code.as_str()), "{code} is there twice");
        let expected_name: String = code
            .as_str()
            .split('-')
            .flat_map(|part| {
                let (first_letter, rest) = part.split_at(1);
                [first_letter.to_uppercase(), rest.to_owned()]
            })
            .collect();
        assert_eq!(format!("{code:?}"), expected_name, "the name in Rust is that of the code");
        for text in [code.meaning(), code.help()] {
            assert!(text.len() > 4 && text.ends_with(['.', '`']), "{code}: {text:?}");
        }
    }
    assert!(names.len() > 200, "{} codes", names.len());
}

#[test]
fn a_code_is_parsed_by_name_and_a_misspelt_one_is_refused() {
    assert_eq!(Code::parse_code("unknown-name"), Some(Code::UnknownName));
    assert_eq!(Code::parse_code("unknown-nam"), None);
    assert_eq!(Code::nearest_code("unknown-nam"), Some(Code::UnknownName));
    let message = serde_json::from_str::<Code>("\"unknown-nam\"").unwrap_err().to_string();
    assert!(message.contains("did you mean \"unknown-name\"?"), "{message}");
}

/// A stored Problem of another program version may have an unknown code; it is still readable.
#[test]
fn a_stored_problem_with_another_code_is_unknown() {
    let stored_json =
        r#"{ "severity": "error", "code": "of-another-time", "message": "it was so" }"#;
    let problem: Problem = serde_json::from_str(stored_json).unwrap();
    assert_eq!(problem.code, Code::Unknown);
    let known_problem = Problem::error(Code::BadCase, "so");
    let restored_problem: Problem =
        serde_json::from_str(&serde_json::to_string(&known_problem).unwrap()).unwrap();
    assert_eq!(restored_problem.code, Code::BadCase);
}

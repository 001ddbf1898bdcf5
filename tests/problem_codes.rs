//! Every code of a Problem in the engine stands in `docs/modding/problems.md`, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Words written like codes that are none; a new one is added here, a new code to the page.
const NO_CODES: [&str; 4] = ["blue-orange", "cyan-red", "ls-files", "sub-rosa"];
/// What stands before a code of one word.
const MAKERS: [&str; 4] = ["error(", "warning(", "refuse(", "fail("];

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, found);
        } else if name.ends_with(".rs") || name.ends_with(".luau") {
            found.push(fs::read_to_string(&path).unwrap());
        }
    }
}

/// The code that a text between quotes is, if it is one.
fn code<'t>(before: &str, text: &'t str) -> Option<&'t str> {
    let word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    if !text.split('-').all(word) || NO_CODES.contains(&text) {
        return None;
    }
    let made = MAKERS.iter().any(|maker| before.trim_end().ends_with(maker));
    (text.contains('-') || made).then_some(text)
}

#[test]
fn every_code_has_its_cause_and_its_cure_in_the_docs() {
    let mut files = Vec::new();
    sources(&Path::new(ROOT).join("engine"), &mut files);
    let mut made = BTreeSet::new();
    for file in &files {
        // Comments speak of options and flags; quotes in them are not codes.
        let lines = file.lines().map(|line| line.split(" //").next().unwrap_or(""));
        let text: String = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
        let parts: Vec<&str> = text.split('"').collect();
        for pair in parts.windows(2) {
            made.extend(code(pair[0], pair[1]).map(str::to_owned));
        }
    }
    assert!(made.len() > 80, "only {} codes were found: {made:?}", made.len());
    let page = fs::read_to_string(Path::new(ROOT).join("docs/modding/problems.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let told: Vec<String> = rows.map(str::to_owned).collect();
    let told_once: BTreeSet<String> = told.iter().cloned().collect();
    assert_eq!(told.len(), told_once.len(), "a code stands there twice");
    let missing: Vec<&String> = made.difference(&told_once).collect();
    let idle: Vec<&String> = told_once.difference(&made).collect();
    assert!(missing.is_empty(), "docs/modding/problems.md says nothing of {missing:?}");
    assert!(idle.is_empty(), "docs/modding/problems.md tells of {idle:?}, which nothing makes");
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        assert!(cells.len() >= 3 && cells.iter().all(|cell| cell.len() > 3), "{line}");
    }
}

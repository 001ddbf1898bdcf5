//! Links between pages lead to an existing file and heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every page for readers.
fn pages() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    let mut found = ["README.md", "tests/README.md", "tests/fuzz/README.md"]
        .map(|page| Path::new(ROOT).join(page))
        .to_vec();
    walk(&Path::new(ROOT).join("docs"), &mut found);
    found
}

/// The lines of a page outside its code blocks.
fn lines(page: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The anchors of a page's headings, as web pages create them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = lines(page).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of a page's links, without those to other sites.
fn targets(page: &str) -> Vec<String> {
    let text: String = lines(page).map(|line| format!("{line}\n")).collect();
    // Text in backticks contains no link.
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let links = plain.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = links.map(|(target, _)| target.to_owned());
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let (mut count, mut wrong) = (0, Vec::new());
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for target in targets(&page) {
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let there = match (file.exists(), anchor) {
                (there, "") => there,
                (there, anchor) => {
                    there && anchors(&fs::read_to_string(&file).unwrap()).contains(anchor)
                }
            };
            if !there {
                wrong.push(format!("{}: {target}", path.strip_prefix(ROOT).unwrap().display()));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
    assert!(anchors("## A *size* of `place`\n").contains("a-size-of-place"), "headings are read");
}

/// The names of all modules, and of what is declared in them.
fn engine_names() -> BTreeSet<String> {
    fn walk(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            names.insert(path.file_stem().unwrap().to_string_lossy().into_owned());
            if path.is_dir() {
                walk(&path, names);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
                let declares = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
                let pairs = words.windows(2).filter(|pair| declares.contains(&pair[0]));
                names.extend(pairs.map(|pair| pair[1].to_owned()));
            }
        }
    }
    let mut names = BTreeSet::new();
    walk(&Path::new(ROOT).join("engine"), &mut names);
    names
}

#[test]
fn every_module_and_item_that_a_page_names_exists() {
    let names = engine_names();
    let rooms = fs::read_dir(Path::new(ROOT).join("engine")).unwrap();
    let rooms: Vec<String> = rooms
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("{}::", entry.file_name().to_string_lossy()))
        .collect();
    let (mut missing, mut found) = (Vec::new(), 0);
    for page in pages().iter().filter(|page| !page.starts_with(Path::new(ROOT).join("tests"))) {
        let text = fs::read_to_string(page).unwrap();
        for line in lines(&text) {
            let quoted = line.split('`').skip(1).step_by(2);
            for path in quoted.filter(|text| rooms.iter().any(|room| text.starts_with(room))) {
                found += 1;
                if path.split("::").any(|name| !names.contains(name)) {
                    missing.push(format!("{}: {path}", page.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(found > 15, "only {found} paths were found");
}

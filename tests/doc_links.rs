//! Links between pages lead to an existing file and heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every page for readers.
fn page_paths() -> Vec<PathBuf> {
    fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, paths);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                paths.push(path);
            }
        }
    }
    let mut paths = ["README.md", "tests/README.md", "tests/fuzz/README.md"]
        .map(|page| Path::new(PROJECT_ROOT).join(page))
        .to_vec();
    walk(&Path::new(PROJECT_ROOT).join("docs"), &mut paths);
    paths
}

/// The lines of a page outside its code blocks.
fn lines_outside_code_blocks(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code_block = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code_block ^= is_fence;
        !in_code_block && !is_fence
    })
}

/// The anchors of a page's headings, as web pages create them.
fn heading_anchors(page: &str) -> BTreeSet<String> {
    let headings = lines_outside_code_blocks(page).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let allowed_characters =
            words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        allowed_characters.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of a page's links, without those to other sites.
fn link_targets(page: &str) -> Vec<String> {
    let text: String = lines_outside_code_blocks(page).map(|line| format!("{line}\n")).collect();
    // Text in backticks contains no link.
    let text_without_code: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let link_parts = text_without_code.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = link_parts.map(|(target, _)| target.to_owned());
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let (mut count, mut broken_links) = (0, Vec::new());
    for path in page_paths() {
        let page = fs::read_to_string(&path).unwrap();
        for target in link_targets(&page) {
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let exists = match (file.exists(), anchor) {
                (exists, "") => exists,
                (exists, anchor) => {
                    exists && heading_anchors(&fs::read_to_string(&file).unwrap()).contains(anchor)
                }
            };
            if !exists {
                broken_links.push(format!(
                    "{}: {target}",
                    path.strip_prefix(PROJECT_ROOT).unwrap().display()
                ));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert!(broken_links.is_empty(), "links that lead nowhere:\n{}", broken_links.join("\n"));
    assert!(
        heading_anchors("## A *size* of `place`\n").contains("a-size-of-place"),
        "headings are read"
    );
}

/// The names of all modules, and of what is declared in them.
fn engine_module_and_item_names() -> BTreeSet<String> {
    fn walk(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            names.insert(path.file_stem().unwrap().to_string_lossy().into_owned());
            if path.is_dir() {
                walk(&path, names);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
                let keywords = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
                let pairs = words.windows(2).filter(|pair| keywords.contains(&pair[0]));
                names.extend(pairs.map(|pair| pair[1].to_owned()));
            }
        }
    }
    let mut names = BTreeSet::new();
    walk(&Path::new(PROJECT_ROOT).join("engine"), &mut names);
    names
}

#[test]
fn every_module_and_item_that_a_page_names_exists() {
    let names = engine_module_and_item_names();
    let module_prefixes = fs::read_dir(Path::new(PROJECT_ROOT).join("engine")).unwrap();
    let module_prefixes: Vec<String> = module_prefixes
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("{}::", entry.file_name().to_string_lossy()))
        .collect();
    let (mut missing, mut path_count) = (Vec::new(), 0);
    for page in
        page_paths().iter().filter(|page| !page.starts_with(Path::new(PROJECT_ROOT).join("tests")))
    {
        let text = fs::read_to_string(page).unwrap();
        for line in lines_outside_code_blocks(&text) {
            let quoted = line.split('`').skip(1).step_by(2);
            for path in
                quoted.filter(|text| module_prefixes.iter().any(|prefix| text.starts_with(prefix)))
            {
                path_count += 1;
                if path.split("::").any(|name| !names.contains(name)) {
                    missing.push(format!("{}: {path}", page.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(path_count > 15, "only {path_count} paths were found");
}

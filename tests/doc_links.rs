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

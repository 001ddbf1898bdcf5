//! Renames names of the Luau surface by a table: `cargo test --bench rename -- GROUP[,GROUP…] [--apply] [FOLDER…]`.
//!
//! It reads Luau files, Luau in Markdown blocks and Luau in strings of Rust, decides each use of an old name by
//! the rules in `names.tsv`, and lists each use that no rule decides. Only then, with `--apply`, it writes:
//! nothing but the names themselves changes.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    unreachable_pub
)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod embedded;
mod scan;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use table::Rule;

const NAMES: &str = include_str!("names.tsv");
const TEXTS: &str = include_str!("texts.tsv");

/// Pages that `sub-rosa api` writes.
const MADE: [&str; 2] = ["docs/modding/reference.md", "docs/modding/sub_rosa.d.luau"];

struct Asked {
    groups: Vec<String>,
    apply: bool,
    /// All uses with what is decided, for whoever writes rules.
    all: bool,
    folders: Vec<PathBuf>,
}

fn main() {
    let mut asked = Asked { groups: Vec::new(), apply: false, all: false, folders: Vec::new() };
    let mut table = None;
    for word in std::env::args().skip(1) {
        match &*word {
            "--apply" => asked.apply = true,
            "--all" => asked.all = true,
            "--bench" | "--test" => {}
            other if other.starts_with("--table=") => {
                table = Some(std::fs::read_to_string(&other[8..]).unwrap())
            }
            other if asked.groups.is_empty() => {
                asked.groups = other.split(',').map(str::to_owned).collect()
            }
            other => asked.folders.push(other.into()),
        }
    }
    if asked.groups.is_empty() {
        println!("rename GROUP[,GROUP…] [--apply] [--all] [FOLDER…]");
        return;
    }
    let rules = table::read(table.as_deref().unwrap_or(NAMES));
    let rules: Vec<Rule> =
        rules.into_iter().filter(|rule| asked.groups.contains(&rule.group)).collect();
    assert!(!rules.is_empty(), "no such group: {}", asked.groups.join(", "));
    if asked.folders.is_empty() {
        asked.folders.push(".".into());
    }
    let mut files = Vec::new();
    for folder in &asked.folders {
        gather(folder, &mut files);
    }
    files.sort();
    std::process::exit(i32::from(!work(&asked, &rules, &files)));
}

/// All files that may hold Luau, without what is built or kept by Git.
fn gather(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        // Templates of mods are Luau with placeholders.
        let is_template = path.to_string_lossy().ends_with(".luau.in");
        if is_template || ["luau", "lua", "md", "rs", "toml"].contains(&ending) {
            files.push(path.to_owned());
        }
        return;
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    inside.sort();
    for path in inside {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_ours =
            path.ends_with("tests/rename") || MADE.iter().any(|made| path.ends_with(made));
        if !["target", ".git", "changes"].contains(&name) && !is_ours {
            gather(&path, files);
        }
    }
}

/// Whether everything was decided.
fn work(asked: &Asked, rules: &[Rule], files: &[PathBuf]) -> bool {
    let mut undecided = 0;
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut written = Vec::new();
    let texts = table::read_texts(TEXTS);
    let texts: Vec<_> =
        texts.into_iter().filter(|text| asked.groups.contains(&text.group)).collect();
    for path in files {
        let Ok(before) = std::fs::read_to_string(path) else { continue };
        let shown = path.to_string_lossy();
        let shown = shown.strip_prefix("./").unwrap_or(&shown);
        let text = texts
            .iter()
            .filter(|text| table::fits(&text.files, shown))
            .fold(before.clone(), |all, text| all.replace(&text.old, &text.new));
        let (uses, unread) = embedded::uses(shown, &text, rules);
        // What is read by eye and stays is in the list of texts as it is.
        let seen = |at: usize| {
            let kept =
                texts.iter().filter(|one| one.old == one.new && table::fits(&one.files, shown));
            kept.into_iter().any(|one| text[at..].find(&one.old).is_some_and(|n| n < 200))
        };
        let unread = unread.into_iter().filter(|(at, _)| !seen(*at));
        for (at, why) in unread {
            undecided += 1;
            println!("{shown}:{}: {why}", line(&text, at));
        }
        let mut edits: Vec<(usize, &str, &str)> = Vec::new();
        for usage in &uses {
            if !table::wants(rules, &usage.name, usage.role) {
                continue;
            }
            let rule = table::rule(rules, shown, usage);
            if let Some(rule) = rule {
                *counts.entry(rule.line).or_default() += 1;
            }
            let new = rule.map(|rule| rule.new.as_deref());
            if let Some(Some(new)) = new
                && usage.locals.iter().any(|local| local == new)
            {
                undecided += 1;
                println!("{shown}:{}: a local hides {new}", line(&text, usage.at));
            }
            let told = match new {
                Some(Some(new)) => format!("-> {new}"),
                Some(None) => "kept".to_owned(),
                None => "?".to_owned(),
            };
            if new.is_none() || asked.all {
                println!(
                    "{shown}:{}: {} {} {told} | path={} | base={} | origin={} | keys={}",
                    line(&text, usage.at),
                    usage.role.word(),
                    usage.name,
                    usage.path,
                    usage.base,
                    usage.origin,
                    usage.keys.join(",")
                );
            }
            undecided += usize::from(new.is_none());
            if let Some(Some(new)) = new {
                edits.push((usage.at, &usage.name, new));
            }
        }
        edits.sort();
        edits.dedup();
        if !edits.is_empty() || text != before {
            let mut out = text.clone();
            for (at, old, new) in edits.iter().rev() {
                assert_eq!(&out[*at..at + old.len()], *old, "{shown} at byte {at}");
                out.replace_range(*at..at + old.len(), new);
            }
            written.push((path, out));
        }
    }
    for rule in rules {
        let count = counts.get(&rule.line).copied().unwrap_or(0);
        let when: Vec<String> = rule.role.iter().cloned().collect();
        eprintln!(
            "{count:6} by line {}: {} -> {} {}",
            rule.line,
            rule.old,
            rule.new.as_deref().unwrap_or("kept"),
            when.join(" ")
        );
    }
    if undecided > 0 {
        println!("{undecided} uses that no rule decides");
        return false;
    }
    if asked.apply {
        for (path, text) in &written {
            std::fs::write(path, text).unwrap();
        }
        println!("{} files written", written.len());
    } else {
        println!("{} files would be written", written.len());
    }
    true
}

fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Whether a text holds a name as a whole word.
pub fn holds_word(text: &str, word: &str) -> bool {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    text.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).map(|at| text.as_bytes()[at]);
        let after = text.as_bytes().get(at + word.len());
        !before.is_some_and(is_word) && !after.copied().is_some_and(is_word)
    })
}

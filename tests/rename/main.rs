//! Renames names of the Luau surface by a table: `cargo test --bench rename -- GROUP[,GROUP…] [--apply] [FOLDER…]`.
//!
//! It reads Luau files, Luau in Markdown blocks and Luau in strings of Rust, decides each use of an old name by
//! the rules in `names.tsv`, and lists each use that no rule decides. Only then, with `--apply`, it writes:
//! nothing but the names themselves changes.
//!
//! `names.tsv` lists group, old and new name, and where it is that name: a function of the host, a key of a
//! choice, a field of a kind. `texts.tsv` lists texts that were decided by eye. For the group `host`:
//!
//! ```sh
//! cargo test --bench rename -- host                     # says what would be written, and each undecided use
//! cargo test --bench rename -- host --apply             # writes it
//! cargo test --bench rename -- host --apply ~/my_mod    # in another folder
//! cargo test --bench rename -- host --all               # lists every use with its place, to write a rule by
//! ```

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

use table::RenameRule;

const RENAME_TABLE: &str = include_str!("names.tsv");
const TEXT_TABLE: &str = include_str!("texts.tsv");

/// Pages that `sub-rosa api` writes.
const GENERATED_PAGES: [&str; 2] = ["docs/modding/reference.md", "docs/modding/sub_rosa.d.luau"];

struct RenameRequest {
    groups: Vec<String>,
    apply: bool,
    /// Whether all uses are listed with their decisions, for authors of rules.
    lists_all_uses: bool,
    folders: Vec<PathBuf>,
}

fn main() {
    let mut request = RenameRequest {
        groups: Vec::new(),
        apply: false,
        lists_all_uses: false,
        folders: Vec::new(),
    };
    let mut table_text = None;
    for word in std::env::args().skip(1) {
        match &*word {
            "--apply" => request.apply = true,
            "--all" => request.lists_all_uses = true,
            "--bench" | "--test" => {}
            argument if argument.starts_with("--table=") => {
                table_text = Some(std::fs::read_to_string(&argument[8..]).unwrap())
            }
            argument if request.groups.is_empty() => {
                request.groups = argument.split(',').map(str::to_owned).collect()
            }
            argument => request.folders.push(argument.into()),
        }
    }
    if request.groups.is_empty() {
        println!("rename GROUP[,GROUP…] [--apply] [--all] [FOLDER…]");
        return;
    }
    let rules = table::read_rules(table_text.as_deref().unwrap_or(RENAME_TABLE));
    let rules: Vec<RenameRule> =
        rules.into_iter().filter(|rule| request.groups.contains(&rule.group)).collect();
    assert!(!rules.is_empty(), "no such group: {}", request.groups.join(", "));
    if request.folders.is_empty() {
        request.folders.push(".".into());
    }
    let mut files = Vec::new();
    for folder in &request.folders {
        gather_files(folder, &mut files);
    }
    files.sort();
    std::process::exit(i32::from(!rename_files(&request, &rules, &files)));
}

/// All files that may hold Luau, without what is built or kept by Git.
fn gather_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        // Templates of mods are Luau with placeholders.
        let is_template = path.to_string_lossy().ends_with(".luau.in");
        if is_template || ["luau", "lua", "md", "rs", "toml"].contains(&ending) {
            files.push(path.to_owned());
        }
        return;
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_excluded = path.ends_with("tests/rename")
            || GENERATED_PAGES.iter().any(|generated| path.ends_with(generated));
        if !["target", ".git", "changes"].contains(&name) && !is_excluded {
            gather_files(&path, files);
        }
    }
}

/// Renames in all files. Returns whether the rules decide every use.
fn rename_files(request: &RenameRequest, rules: &[RenameRule], files: &[PathBuf]) -> bool {
    let mut undecided = 0;
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut written_files = Vec::new();
    let texts = table::read_texts(TEXT_TABLE);
    let texts: Vec<_> =
        texts.into_iter().filter(|text| request.groups.contains(&text.group)).collect();
    for path in files {
        let Ok(original) = std::fs::read_to_string(path) else { continue };
        let path_text = path.to_string_lossy();
        let path_text = path_text.strip_prefix("./").unwrap_or(&path_text);
        let text = texts
            .iter()
            .filter(|text| table::matches_pattern(&text.files, path_text))
            .fold(original.clone(), |replaced, text| replaced.replace(&text.old, &text.new));
        let (uses, unread_places) = embedded::find_uses(path_text, &text, rules);
        // Uses that were checked by eye and stay are listed in `texts.tsv` with an unchanged text.
        let is_listed = |position: usize| {
            let unchanged_texts = texts.iter().filter(|replacement| {
                replacement.old == replacement.new
                    && table::matches_pattern(&replacement.files, path_text)
            });
            unchanged_texts.into_iter().any(|replacement| {
                text[position..].find(&replacement.old).is_some_and(|offset| offset < 200)
            })
        };
        let unread_places = unread_places.into_iter().filter(|(position, _)| !is_listed(*position));
        for (position, reason) in unread_places {
            undecided += 1;
            println!("{path_text}:{}: {reason}", line_number(&text, position));
        }
        let mut edits: Vec<(usize, &str, &str)> = Vec::new();
        for usage in &uses {
            if !table::has_rule_for(rules, &usage.name, usage.role) {
                continue;
            }
            let rule = table::find_rule(rules, path_text, usage);
            if let Some(rule) = rule {
                *counts.entry(rule.line).or_default() += 1;
            }
            let new_name = rule.map(|rule| rule.new.as_deref());
            if let Some(Some(new_name)) = new_name
                && usage.locals.iter().any(|local| local == new_name)
            {
                undecided += 1;
                println!(
                    "{path_text}:{}: a local hides {new_name}",
                    line_number(&text, usage.byte_position)
                );
            }
            let decision = match new_name {
                Some(Some(new_name)) => format!("-> {new_name}"),
                Some(None) => "kept".to_owned(),
                None => "?".to_owned(),
            };
            if new_name.is_none() || request.lists_all_uses {
                println!(
                    "{path_text}:{}: {} {} {decision} | path={} | base={} | origin={} | keys={}",
                    line_number(&text, usage.byte_position),
                    usage.role.table_word(),
                    usage.name,
                    usage.path,
                    usage.base,
                    usage.origin,
                    usage.keys.join(",")
                );
            }
            undecided += usize::from(new_name.is_none());
            if let Some(Some(new_name)) = new_name {
                edits.push((usage.byte_position, &usage.name, new_name));
            }
        }
        edits.sort();
        edits.dedup();
        if !edits.is_empty() || text != original {
            let mut rewritten = text.clone();
            for (position, old, new_name) in edits.iter().rev() {
                assert_eq!(
                    &rewritten[*position..position + old.len()],
                    *old,
                    "{path_text} at byte {position}"
                );
                rewritten.replace_range(*position..position + old.len(), new_name);
            }
            written_files.push((path, rewritten));
        }
    }
    for rule in rules {
        let count = counts.get(&rule.line).copied().unwrap_or(0);
        let role_texts: Vec<String> = rule.role.iter().cloned().collect();
        eprintln!(
            "{count:6} by line {}: {} -> {} {}",
            rule.line,
            rule.old,
            rule.new.as_deref().unwrap_or("kept"),
            role_texts.join(" ")
        );
    }
    if undecided > 0 {
        println!("{undecided} uses that no rule decides");
        return false;
    }
    if request.apply {
        for (path, text) in &written_files {
            std::fs::write(path, text).unwrap();
        }
        println!("{} files written", written_files.len());
    } else {
        println!("{} files would be written", written_files.len());
    }
    true
}

fn line_number(text: &str, position: usize) -> usize {
    text.as_bytes()[..position].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Whether a text holds a name as a whole word.
pub fn contains_word(text: &str, word: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.match_indices(word).any(|(position, _)| {
        let previous_byte = position.checked_sub(1).map(|position| text.as_bytes()[position]);
        let next_byte = text.as_bytes().get(position + word.len());
        !previous_byte.is_some_and(is_word) && !next_byte.copied().is_some_and(is_word)
    })
}

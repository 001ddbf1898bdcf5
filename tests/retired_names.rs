//! Retired words do not come back: `docs/glossary.md` lists them with their replacements, and this
//! test searches them in the engine and in the docs. A type name also stands for one type only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const GLOSSARY: &str = "docs/glossary.md";

/// Parts of the engine that keep old names because they will be deleted, not renamed: second copies
/// of Luau instructions, their callers, and the re-execution of old runs under old limits.
const TO_BE_DELETED: &[&str] = &[
    "engine/base/fault.rs",
    "engine/base/untimed.rs",
    "engine/luau/blocks.rs",
    "engine/protocol/compat.rs",
    "engine/script/added_words.rs",
    "engine/script/blocks",
    "engine/script/callers.rs",
    "engine/script/code/",
    "engine/script/fits.rs",
    "engine/script/from_lua/held.rs",
    "engine/script/guards.rs",
    "engine/script/handler_cache.rs",
    "engine/script/hold.rs",
    "engine/script/keys.rs",
    "engine/script/maker.rs",
    "engine/script/mirror",
    "engine/script/operands.rs",
    "engine/script/rigour.rs",
    "engine/session/differing.rs",
    "engine/session/ladder.rs",
    "engine/state/watch.rs",
    "engine/ui/full/paint.rs",
];

/// Names that several types may have: by idiom, one in each module.
const SHARED_TYPE_NAMES: &[&str] = &["Error", "Options"];

/// Pages that speak with the words of a game, or quote them: errands, bells, shelves.
const GAME_PAGES: &[&str] = &[
    "docs/games/",
    "docs/modding/fivey.md",
    "docs/modding/hollow_way.md",
    "docs/modding/leeward.md",
    "docs/modding/reference.md",
    "docs/modding/sovereign.md",
    "docs/modding/whole-game.md",
];

/// One row of a table of the glossary, without backticks.
struct Row(Vec<String>);

impl Row {
    fn cell(&self, index: usize) -> &str {
        self.0.get(index).map_or("", String::as_str)
    }
}

/// The rows of the tables in the section of the glossary with this heading.
fn section(heading: &str) -> Vec<Row> {
    let page = fs::read_to_string(Path::new(ROOT).join(GLOSSARY)).unwrap();
    let (_, section) = page.split_once(&format!("{heading}\n")).expect("the glossary has it");
    let lines = section.lines().take_while(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.starts_with('|')).skip(2).map(|line| {
        let cells = line.trim_matches('|').split('|');
        Row(cells.map(|cell| cell.trim().replace('`', "")).collect())
    });
    let rows: Vec<Row> = rows.collect();
    assert!(!rows.is_empty(), "{heading} has no table");
    rows
}

/// Files below a folder with the ending, as path from the root and text.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    fn walk(path: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        if path.is_dir() {
            fs::read_dir(path)
                .unwrap()
                .for_each(|entry| walk(&entry.unwrap().path(), ending, found));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path.to_owned());
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(ROOT).join(folder), ending, &mut found);
    found.sort();
    let relative = |path: &Path| path.strip_prefix(ROOT).unwrap().to_string_lossy().into_owned();
    found
        .iter()
        .map(|path| (relative(path).replace('\\', "/"), fs::read_to_string(path).unwrap()))
        .collect()
}

fn engine() -> Vec<(String, String)> {
    let mut files = files("engine", "rs");
    files.retain(|(path, _)| !TO_BE_DELETED.iter().any(|part| path.starts_with(part)));
    files
}

/// The pages of the docs, without the changelog, which names what was renamed, and the glossary.
fn pages() -> Vec<(String, String)> {
    let mut pages = files("docs", "md");
    pages.retain(|(path, _)| path != GLOSSARY && path != "docs/CHANGELOG.md");
    pages.extend(files("README.md", "md"));
    pages
}

fn is_game_page(path: &str) -> bool {
    GAME_PAGES.iter().any(|page| path.starts_with(page))
}

/// Lines with their numbers, without those of code blocks.
fn prose_lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    (1..).zip(page.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The code in backticks of a line.
fn quoted_code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_word_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '-'
}

/// Whether a text has a phrase that neither begins nor ends inside another word.
fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        let starts = !phrase.starts_with(is_word_part) || !before.is_some_and(is_word_part);
        let ends = !phrase.ends_with(is_word_part) || !after.is_some_and(is_word_part);
        starts && ends
    })
}

/// The words of a name in lower case: `ToldLine`, `told_line` and `TOLD_LINE` have two.
fn words_of_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        if character == '_' || (character.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = character.is_lowercase() || character.is_ascii_digit();
        if character != '_' {
            words.last_mut().unwrap().extend(character.to_lowercase());
        }
    }
    words
}

/// A definition in a line of Rust: its keyword and its name.
fn definition(line: &str) -> Option<(&str, &str)> {
    let mut words = line.trim_start().split(' ').skip_while(|word| {
        word.starts_with("pub")
            || word.ends_with(')')
            || word.starts_with('"')
            || ["const", "async", "unsafe", "extern", "in"].contains(word)
    });
    let keyword = words.next()?;
    let name = words.next()?.split(|c| !is_word_part(c)).next()?;
    let is_definition = ["struct", "enum", "trait", "type", "mod", "fn"].contains(&keyword);
    (is_definition && !name.is_empty()).then_some((keyword, name))
}

/// The row of a retired word that the name of a definition has.
fn retired_name<'a>(rows: &'a [Row], keyword: &str, name: &str) -> Option<&'a Row> {
    let words = words_of_name(name);
    rows.iter().find(|row| match row.cell(2) {
        "whole module" => keyword == "mod" && name == row.cell(0),
        "whole name" => words.len() == 1 && words[0] == row.cell(0),
        _ => words.iter().any(|word| word == row.cell(0)),
    })
}

/// Fails with one line for each retired word: file, line, word and replacement.
fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "retired words (see {GLOSSARY}):\n{}", found.join("\n"));
}

fn message(path: &str, line: usize, old: &str, new: &str) -> String {
    format!("{path}:{line}: `{old}` is retired; use: {new}")
}

#[test]
fn no_definition_of_the_engine_has_a_retired_name() {
    let rows = section("### In the engine");
    let mut found = Vec::new();
    let mut definitions = 0;
    for (path, source) in engine() {
        for (number, line) in (1..).zip(source.lines()) {
            let Some((keyword, name)) = definition(line) else { continue };
            // The declaration of a module that will be deleted.
            let file = format!("{}/{name}", path.rsplit_once('/').unwrap().0);
            let is_deleted = TO_BE_DELETED.iter().any(|part| part.starts_with(&file));
            if keyword == "mod" && is_deleted {
                continue;
            }
            definitions += 1;
            if let Some(row) = retired_name(&rows, keyword, name) {
                found.push(message(&path, number, name, row.cell(1)));
            }
        }
    }
    assert!(definitions > 2000, "only {definitions} definitions were found");
    assert_none(&found);
}

#[test]
fn a_type_name_stands_for_one_type() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, source) in engine() {
        for (number, line) in (1..).zip(source.lines()) {
            let Some((keyword, name)) = definition(line) else { continue };
            // An indented `type` is an associated type.
            let is_type = ["struct", "enum", "trait"].contains(&keyword)
                || keyword == "type" && !line.starts_with(' ');
            if is_type && !SHARED_TYPE_NAMES.contains(&name) {
                types.entry(name.to_owned()).or_default().push(format!("{path}:{number}"));
            }
        }
    }
    assert!(types.len() > 300, "only {} types were found", types.len());
    let shared = types.iter().filter(|(_, places)| places.len() > 1);
    let shared: Vec<String> =
        shared.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    assert!(shared.is_empty(), "names of several types:\n{}", shared.join("\n"));
}

#[test]
fn pages_quote_no_retired_word_as_code() {
    let luau = section("### In Luau and on the command line");
    let engine = section("### In the engine");
    let mut found = Vec::new();
    for (path, page) in pages() {
        for (number, line) in prose_lines(&page) {
            let heading = line.strip_prefix('#').map(str::to_lowercase).unwrap_or_default();
            for row in &luau {
                let (old, new) = (row.cell(0), row.cell(1));
                let in_code = quoted_code(line).any(|code| has_phrase(code, old));
                // A declaration such as `moment "`: its word heads no section.
                let word = old.strip_suffix(" \"");
                let in_heading = word.is_some_and(|word| {
                    has_phrase(&heading, word) || has_phrase(&heading, &format!("{word}s"))
                });
                if in_code || in_heading {
                    found.push(message(&path, number, old, new));
                }
            }
            if is_game_page(&path) {
                continue;
            }
            // Rust names in code: types, paths of modules, files.
            for code in quoted_code(line) {
                let names = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                for name in names.filter(|name| !name.is_empty()) {
                    let is_module =
                        code.contains(&format!("{name}.rs")) || code.contains(&format!("{name}::"));
                    let is_type =
                        name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
                    if !(is_module || is_type) {
                        continue;
                    }
                    let keyword = if is_module { "mod" } else { "struct" };
                    if let Some(row) = retired_name(&engine, keyword, name) {
                        found.push(message(&path, number, code, row.cell(1)));
                    }
                }
            }
        }
    }
    assert_none(&found);
}

/// A name of Luau in a text of the engine was missed by renames of Rust: it is looked up or shown.
#[test]
fn no_text_of_the_engine_is_a_retired_name_of_luau() {
    let rows = section("### In Luau and on the command line");
    let mut found = Vec::new();
    for (path, source) in engine() {
        for (number, line) in (1..).zip(source.lines()) {
            let line = line.trim_start();
            // Names in files stay as they are.
            if line.starts_with("//") || line.starts_with("#[serde(") {
                continue;
            }
            for text in line.split('"').skip(1).step_by(2) {
                let row = rows.iter().find(|row| text == row.cell(0).trim_end_matches(" \""));
                found.extend(row.map(|row| message(&path, number, text, row.cell(1))));
            }
        }
    }
    assert_none(&found);
}

#[test]
fn the_command_line_has_no_retired_word() {
    let rows = section("### In Luau and on the command line");
    let (flags, labels): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| row.cell(0).starts_with("--"));
    let mut found = Vec::new();
    let mut arguments = 0;
    for (path, source) in engine() {
        let mut is_argument = false;
        for (number, line) in (1..).zip(source.lines()) {
            let is_attribute = line.trim_start().starts_with("#[arg(");
            if is_argument
                && !is_attribute
                && let Some((name, _)) = line.split_once(':')
            {
                let name = name.split_whitespace().next_back().unwrap_or("");
                let flag = format!("--{}", name.replace('_', "-"));
                arguments += 1;
                let row = flags.iter().find(|row| row.cell(0) == flag);
                found.extend(row.map(|row| message(&path, number, &flag, row.cell(1))));
                is_argument = false;
            }
            is_argument |= is_attribute && line.contains("long");
            let labels = labels.iter().filter(|row| row.cell(0).ends_with(':'));
            for row in labels.filter(|row| line.contains(row.cell(0))) {
                found.push(message(&path, number, row.cell(0), row.cell(1)));
            }
        }
    }
    assert!(arguments > 40, "only {arguments} flags were found");
    assert_none(&found);
}

#[test]
fn prose_has_no_coined_word() {
    let rows = section("### Coined words");
    let search = |text: &str| {
        let text = text.to_lowercase();
        let mut rows = rows.iter();
        rows.find(|row| {
            let old = row.cell(0);
            has_phrase(&text, old) || has_phrase(&text, &format!("{old}s"))
        })
    };
    let mut found = Vec::new();
    for (path, page) in pages().iter().filter(|(path, _)| !is_game_page(path)) {
        for (number, line) in prose_lines(page) {
            let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("` `");
            let row = search(&prose);
            found.extend(row.map(|row| message(path, number, row.cell(0), row.cell(1))));
        }
    }
    for (path, source) in engine() {
        for (number, line) in (1..).zip(source.lines()) {
            let line = line.trim_start();
            let Some(comment) = line.strip_prefix("///").or(line.strip_prefix("//!")) else {
                continue;
            };
            let prose: String = comment.split('`').step_by(2).collect::<Vec<_>>().join("` `");
            let row = search(&prose);
            found.extend(row.map(|row| message(&path, number, row.cell(0), row.cell(1))));
        }
    }
    assert_none(&found);
}

#[test]
fn the_glossary_names_existing_files_and_searches_find_one_file() {
    let page = fs::read_to_string(Path::new(ROOT).join(GLOSSARY)).unwrap();
    let (words, _) = page.split_once("## Retired words").unwrap();
    let mut files = 0;
    for line in words.lines().filter(|line| line.starts_with('|')) {
        for file in quoted_code(line).filter(|code| code.ends_with(".rs")) {
            files += 1;
            assert!(
                Path::new(ROOT).join("engine").join(file).is_file(),
                "no engine/{file}: {line}"
            );
        }
    }
    assert!(files > 150, "only {files} files");
    for row in section("## Where is it?") {
        let (search, file) = (row.cell(1), format!("engine/{}", row.cell(2)));
        let sources = engine();
        let hits: Vec<&str> = sources
            .iter()
            .filter(|(_, source)| source.lines().any(|line| has_phrase(line, search)))
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(hits, [file.as_str()], "{search}");
    }
}

#[test]
fn the_search_finds_a_planted_word() {
    let rows = section("### In the engine");
    let retired = |line| {
        let (keyword, name) = definition(line).unwrap();
        retired_name(&rows, keyword, name).map(|row| row.cell(1).to_owned())
    };
    assert_eq!(retired("    pub(crate) struct LobbyPage {").as_deref(), Some("menu"));
    assert_eq!(retired("pub(in crate::author) fn open_lobby() {}").as_deref(), Some("menu"));
    assert_eq!(retired("pub const fn play() {}"), None, "a word of the language as a function");
    assert_eq!(retired("pub mod play;").as_deref(), Some("protocol"));
    assert!(has_phrase("An errand.", "errand") && !has_phrase("errands", "errand"));
    assert!(has_phrase("moment \"blow\"", "moment \"") && !has_phrase("rounds = 2", "round"));
}

//! Retired words do not come back: `retired_names.md` and, for prose, `docs/glossary.md` list them
//! with their replacements, and this test searches them in the engine and in the docs. A type name
//! also stands for one type only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");
const GLOSSARY: &str = "docs/glossary.md";
const RETIRED_NAMES: &str = "tests/retired_names.md";

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

/// One row of a table of these pages, without backticks.
struct GlossaryRow(Vec<String>);

impl GlossaryRow {
    fn column(&self, index: usize) -> &str {
        self.0.get(index).map_or("", String::as_str)
    }
}

/// The rows of the tables in the section of the page with this heading.
fn table_rows(page: &str, heading: &str) -> Vec<GlossaryRow> {
    let page = fs::read_to_string(Path::new(PROJECT_ROOT).join(page)).unwrap();
    let (_, section) = page.split_once(&format!("{heading}\n")).expect("the page has it");
    let lines = section.lines().take_while(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.starts_with('|')).skip(2).map(|line| {
        let cells = line.trim_matches('|').split('|');
        GlossaryRow(cells.map(|cell_text| cell_text.trim().replace('`', "")).collect())
    });
    let rows: Vec<GlossaryRow> = rows.collect();
    assert!(!rows.is_empty(), "{heading} has no table");
    rows
}

/// Files below a folder with the ending, as path from the root and text.
pub fn files_with_extension(folder: &str, ending: &str) -> Vec<(String, String)> {
    fn collect_paths(path: &Path, ending: &str, paths: &mut Vec<PathBuf>) {
        if path.is_dir() {
            fs::read_dir(path)
                .unwrap()
                .for_each(|entry| collect_paths(&entry.unwrap().path(), ending, paths));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            paths.push(path.to_owned());
        }
    }
    let mut paths = Vec::new();
    collect_paths(&Path::new(PROJECT_ROOT).join(folder), ending, &mut paths);
    paths.sort();
    let relative_path =
        |path: &Path| path.strip_prefix(PROJECT_ROOT).unwrap().to_string_lossy().into_owned();
    paths
        .iter()
        .map(|path| (relative_path(path).replace('\\', "/"), fs::read_to_string(path).unwrap()))
        .collect()
}

fn engine_sources() -> Vec<(String, String)> {
    files_with_extension("engine", "rs")
}

/// The pages of the docs, without the changelog, which names what was renamed, and the glossary.
fn doc_pages() -> Vec<(String, String)> {
    let mut pages = files_with_extension("docs", "md");
    pages.retain(|(path, _)| path != GLOSSARY && path != "docs/CHANGELOG.md");
    pages.extend(files_with_extension("README.md", "md"));
    pages
}

fn is_game_page(path: &str) -> bool {
    GAME_PAGES.iter().any(|page| path.starts_with(page))
}

/// Lines with their numbers, without those of code blocks.
fn prose_lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code_block = false;
    (1..).zip(page.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code_block ^= is_fence;
        !in_code_block && !is_fence
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
    text.match_indices(phrase).any(|(position, _)| {
        let previous_character = text[..position].chars().next_back();
        let next_character = text[position + phrase.len()..].chars().next();
        let starts_at_boundary =
            !phrase.starts_with(is_word_part) || !previous_character.is_some_and(is_word_part);
        let ends_at_boundary =
            !phrase.ends_with(is_word_part) || !next_character.is_some_and(is_word_part);
        starts_at_boundary && ends_at_boundary
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
fn definition_in_line(line: &str) -> Option<(&str, &str)> {
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
fn find_retired_row<'a>(
    rows: &'a [GlossaryRow],
    keyword: &str,
    name: &str,
) -> Option<&'a GlossaryRow> {
    let words = words_of_name(name);
    rows.iter().find(|row| match row.column(2) {
        "whole module" => keyword == "mod" && name == row.column(0),
        "whole name" => words.len() == 1 && words[0] == row.column(0),
        _ => words.iter().any(|word| word == row.column(0)),
    })
}

/// Fails with one line for each retired word: file, line, word and replacement.
fn assert_no_findings(findings: &[String]) {
    assert!(
        findings.is_empty(),
        "retired words (see {GLOSSARY}, {RETIRED_NAMES}):\n{}",
        findings.join("\n")
    );
}

fn retired_word_message(path: &str, line: usize, retired_word: &str, replacement: &str) -> String {
    format!("{path}:{line}: `{retired_word}` is retired; use: {replacement}")
}

#[test]
fn no_definition_of_the_engine_has_a_retired_name() {
    let rows = table_rows(RETIRED_NAMES, "## In the engine");
    let mut findings = Vec::new();
    let mut definition_count = 0;
    for (path, source) in engine_sources() {
        for (number, line) in (1..).zip(source.lines()) {
            let Some((keyword, name)) = definition_in_line(line) else { continue };
            definition_count += 1;
            if let Some(row) = find_retired_row(&rows, keyword, name) {
                findings.push(retired_word_message(&path, number, name, row.column(1)));
            }
        }
    }
    assert!(definition_count > 2000, "only {definition_count} definitions were found");
    assert_no_findings(&findings);
}

#[test]
fn a_type_name_stands_for_one_type() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, source) in engine_sources() {
        for (number, line) in (1..).zip(source.lines()) {
            let Some((keyword, name)) = definition_in_line(line) else { continue };
            // An indented `type` is an associated type.
            let is_type = ["struct", "enum", "trait"].contains(&keyword)
                || keyword == "type" && !line.starts_with(' ');
            if is_type && !SHARED_TYPE_NAMES.contains(&name) {
                types.entry(name.to_owned()).or_default().push(format!("{path}:{number}"));
            }
        }
    }
    assert!(types.len() > 300, "only {} types were found", types.len());
    let shared_names = types.iter().filter(|(_, places)| places.len() > 1);
    let shared_names: Vec<String> =
        shared_names.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    assert!(shared_names.is_empty(), "names of several types:\n{}", shared_names.join("\n"));
}

#[test]
fn pages_quote_no_retired_word_as_code() {
    let luau_rows = table_rows(RETIRED_NAMES, "## In Luau and on the command line");
    let engine_rows = table_rows(RETIRED_NAMES, "## In the engine");
    let mut findings = Vec::new();
    for (path, page) in doc_pages() {
        for (number, line) in prose_lines(&page) {
            let heading = line.strip_prefix('#').map(str::to_lowercase).unwrap_or_default();
            for row in &luau_rows {
                let (retired_word, replacement) = (row.column(0), row.column(1));
                let in_code = quoted_code(line).any(|code| has_phrase(code, retired_word));
                // A declaration such as `moment "`: its word heads no section.
                let word = retired_word.strip_suffix(" \"");
                let in_heading = word.is_some_and(|word| {
                    has_phrase(&heading, word) || has_phrase(&heading, &format!("{word}s"))
                });
                if in_code || in_heading {
                    findings.push(retired_word_message(&path, number, retired_word, replacement));
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
                    if let Some(row) = find_retired_row(&engine_rows, keyword, name) {
                        findings.push(retired_word_message(&path, number, code, row.column(1)));
                    }
                }
            }
        }
    }
    assert_no_findings(&findings);
}

/// Finds retired Luau names in strings of the engine, which renames of Rust code do not reach.
#[test]
fn no_string_of_the_engine_is_a_retired_luau_name() {
    let rows = table_rows(RETIRED_NAMES, "## In Luau and on the command line");
    let mut findings = Vec::new();
    for (path, source) in engine_sources() {
        for (number, line) in (1..).zip(source.lines()) {
            let line = line.trim_start();
            // Names in files stay as they are.
            if line.starts_with("//") || line.starts_with("#[serde(") {
                continue;
            }
            for text in line.split('"').skip(1).step_by(2) {
                let row = rows.iter().find(|row| text == row.column(0).trim_end_matches(" \""));
                findings.extend(
                    row.map(|row| retired_word_message(&path, number, text, row.column(1))),
                );
            }
        }
    }
    assert_no_findings(&findings);
}

#[test]
fn the_command_line_has_no_retired_word() {
    let rows = table_rows(RETIRED_NAMES, "## In Luau and on the command line");
    let (flag_rows, label_rows): (Vec<GlossaryRow>, Vec<GlossaryRow>) =
        rows.into_iter().partition(|row| row.column(0).starts_with("--"));
    let mut findings = Vec::new();
    let mut argument_count = 0;
    for (path, source) in engine_sources() {
        let mut is_argument = false;
        for (number, line) in (1..).zip(source.lines()) {
            let is_attribute = line.trim_start().starts_with("#[arg(");
            if is_argument
                && !is_attribute
                && let Some((name, _)) = line.split_once(':')
            {
                let name = name.split_whitespace().next_back().unwrap_or("");
                let flag = format!("--{}", name.replace('_', "-"));
                argument_count += 1;
                let row = flag_rows.iter().find(|row| row.column(0) == flag);
                findings.extend(
                    row.map(|row| retired_word_message(&path, number, &flag, row.column(1))),
                );
                is_argument = false;
            }
            is_argument |= is_attribute && line.contains("long");
            let colon_labels = label_rows.iter().filter(|row| row.column(0).ends_with(':'));
            for row in colon_labels.filter(|row| line.contains(row.column(0))) {
                findings.push(retired_word_message(&path, number, row.column(0), row.column(1)));
            }
        }
    }
    assert!(argument_count > 40, "only {argument_count} flags were found");
    assert_no_findings(&findings);
}

#[test]
fn prose_has_no_coined_word() {
    let rows = table_rows(GLOSSARY, "## Retired words");
    let find_row = |text: &str| {
        let text = text.to_lowercase();
        let mut rows = rows.iter();
        rows.find(|row| {
            let retired_word = row.column(0);
            has_phrase(&text, retired_word) || has_phrase(&text, &format!("{retired_word}s"))
        })
    };
    let mut findings = Vec::new();
    for (path, page) in doc_pages().iter().filter(|(path, _)| !is_game_page(path)) {
        for (number, line) in prose_lines(page) {
            let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("` `");
            let row = find_row(&prose);
            findings.extend(
                row.map(|row| retired_word_message(path, number, row.column(0), row.column(1))),
            );
        }
    }
    for (path, source) in engine_sources() {
        for (number, line) in (1..).zip(source.lines()) {
            let line = line.trim_start();
            let Some(comment) = line.strip_prefix("///").or(line.strip_prefix("//!")) else {
                continue;
            };
            let prose: String = comment.split('`').step_by(2).collect::<Vec<_>>().join("` `");
            let row = find_row(&prose);
            findings.extend(
                row.map(|row| retired_word_message(&path, number, row.column(0), row.column(1))),
            );
        }
    }
    assert_no_findings(&findings);
}

#[test]
fn the_glossary_names_existing_files_and_searches_find_one_file() {
    let page = fs::read_to_string(Path::new(PROJECT_ROOT).join(GLOSSARY)).unwrap();
    let (words, _) = page.split_once("## Retired words").unwrap();
    let mut file_count = 0;
    for line in words.lines().filter(|line| line.starts_with(['|', '-'])) {
        for file in quoted_code(line).filter(|code| code.ends_with(".rs")) {
            file_count += 1;
            assert!(
                Path::new(PROJECT_ROOT).join("engine").join(file).is_file(),
                "no engine/{file}: {line}"
            );
        }
    }
    assert!(file_count > 150, "only {file_count} files");
    for row in table_rows(GLOSSARY, "## Where is it?") {
        let (search_text, file) = (row.column(1), format!("engine/{}", row.column(2)));
        let sources = engine_sources();
        let matching_files: Vec<&str> = sources
            .iter()
            .filter(|(_, source)| source.lines().any(|line| has_phrase(line, search_text)))
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(matching_files, [file.as_str()], "{search_text}");
        let name = search_text.trim_start_matches("fn ");
        let is_call =
            |line: &str| line.contains(&format!("{name}(")) && !has_phrase(line, search_text);
        assert!(
            sources.iter().any(|(_, source)| source.lines().any(is_call)),
            "no code of the engine calls {name}"
        );
    }
}

#[test]
fn retired_words_and_phrases_are_detected() {
    let rows = table_rows(RETIRED_NAMES, "## In the engine");
    let replacement_for = |line| {
        let (keyword, name) = definition_in_line(line).unwrap();
        find_retired_row(&rows, keyword, name).map(|row| row.column(1).to_owned())
    };
    assert_eq!(replacement_for("    pub(crate) struct LobbyPage {").as_deref(), Some("menu"));
    assert_eq!(
        replacement_for("pub(in crate::author) fn open_lobby() {}").as_deref(),
        Some("menu")
    );
    assert_eq!(
        replacement_for("pub const fn play() {}"),
        None,
        "a word of the language as a function"
    );
    assert_eq!(replacement_for("pub mod play;").as_deref(), Some("protocol"));
    assert!(has_phrase("An errand.", "errand") && !has_phrase("errands", "errand"));
    assert!(has_phrase("moment \"blow\"", "moment \"") && !has_phrase("rounds = 2", "round"));
}

//! The ledger of a game: a page with a table in which each row is a requirement. The first cell has
//! the id of the row. The column `done by` lists the files that implement it, each followed by
//! names in the file. The column `shown by` lists the files of the cases whose names begin with the
//! id, and other tests.

use std::collections::BTreeSet;

use base::digest::Hasher;
use base::{Code, Problem, SourceLocation};
use mods::{ModSource, TESTS_FOLDER};

/// Text before the reason why no case can test a row.
const HOST_ONLY_PREFIX: &str = "the host alone:";

/// Delimiters of the line that lists the counted files and their digest.
const COUNTED_FILES_PREFIX: &str = "<!-- of ";
const DIGEST_SEPARATOR: &str = ", ";
const COUNTED_FILES_SUFFIX: &str = " -->";

/// What the mutation counts of a page were made from: files of a mod, selected by path prefixes,
/// with their digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedFiles {
    owner: String,
    /// Path prefixes; none for all files.
    path_prefixes: Vec<String>,
    digest: String,
}

impl CountedFiles {
    /// The current files of a mod.
    pub fn new(source: &ModSource, files: &[String]) -> Self {
        let mut hasher = Hasher::new("counted");
        let counts = |file: &str| {
            let wanted = files.is_empty() || files.iter().any(|begin| file.starts_with(&**begin));
            wanted && !file.starts_with(TESTS_FOLDER)
        };
        for (file, text) in source.files.iter().filter(|(file, _)| counts(file)) {
            hasher.feed_text(file).feed_text(text);
        }
        let digest = hasher.finish().to_string();
        Self { owner: source.id().to_owned(), path_prefixes: files.to_vec(), digest }
    }

    /// Formats it as a line of a page.
    pub fn to_line(&self) -> String {
        let words: Vec<&str> =
            [&self.owner].into_iter().chain(&self.path_prefixes).map(String::as_str).collect();
        format!(
            "{COUNTED_FILES_PREFIX}{}{DIGEST_SEPARATOR}{}{COUNTED_FILES_SUFFIX}",
            words.join(" "),
            self.digest
        )
    }

    /// Parses a line of a page.
    fn parse(line: &str) -> Option<Self> {
        let (words, digest) = line
            .strip_prefix(COUNTED_FILES_PREFIX)?
            .strip_suffix(COUNTED_FILES_SUFFIX)?
            .rsplit_once(DIGEST_SEPARATOR)?;
        let mut words = words.split(' ').map(str::to_owned);
        Some(Self {
            owner: words.next()?,
            path_prefixes: words.collect(),
            digest: digest.to_owned(),
        })
    }
}

/// A row of the ledger: a requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequirementRow {
    /// Such as `SR-3.5`.
    pub id: String,
    /// The line in the page.
    pub(super) line: u32,
    /// The files that implement it, each with the words after it.
    pub implemented_by: Vec<(String, Vec<String>)>,
    /// Names of tuned constants, with their file: the words after `tuned:`.
    pub tuned_names: Vec<(String, String)>,
    /// The files of its cases, below the mod's `tests/`.
    pub(super) case_files: BTreeSet<String>,
    /// Other tests that show it.
    pub(super) other_evidence: Vec<String>,
    /// Why no case can test it: the text after `the host alone:`.
    pub(super) host_only_reason: Option<String>,
}

/// All rows of a page.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The path of the page, as given.
    pub(super) page_path: String,
    /// The rows of the page.
    pub rows: Vec<RequirementRow>,
    /// The source of the counts, and the line that states it.
    counted_files: Option<(CountedFiles, u32)>,
}

impl Ledger {
    /// Parses the text of a page.
    pub fn parse(page: &str, text: &str) -> Result<Self, Problem> {
        let mut ledger = Self { page_path: page.to_owned(), ..Self::default() };
        let (mut implemented_column, mut evidence_column) = (None, None);
        for (line, number) in text.lines().zip(1..) {
            if let Some(counted) = CountedFiles::parse(line) {
                ledger.counted_files = Some((counted, number));
            }
            let Some(inner) = line.strip_prefix('|') else { continue };
            let cells: Vec<&str> =
                inner.trim_end().trim_end_matches('|').split('|').map(str::trim).collect();
            let column = |name: &str| cells.iter().position(|cell| *cell == name);
            if column("id").is_some() {
                (implemented_column, evidence_column) = (column("done by"), column("shown by"));
                continue;
            }
            let id = cells.first().copied().unwrap_or_default();
            if leading_ids(id).0 != [id] {
                continue;
            }
            let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).copied().unwrap_or("");
            let evidence_names = backticked_texts(cell(evidence_column));
            let (cases, elsewhere) =
                evidence_names.into_iter().partition(|name| name.ends_with(".luau"));
            let cases: Vec<String> = cases;
            ledger.rows.push(RequirementRow {
                id: id.to_owned(),
                line: number,
                tuned_names: tuned_names(cell(implemented_column)),
                implemented_by: files_with_words(cell(implemented_column)),
                case_files: cases.into_iter().collect(),
                other_evidence: elsewhere,
                host_only_reason: cell(evidence_column)
                    .split_once(HOST_ONLY_PREFIX)
                    .map(|(_, why)| why.trim().to_owned()),
            });
        }
        if !ledger.rows.is_empty() {
            return Ok(ledger);
        }
        Err(Problem::error(Code::NoLedger, format!("{page} has no ledger rows")).expected(
            "a table with the columns `id`, `done by` and `shown by`, and ids such as SR-3.5",
        ))
    }
}

impl Ledger {
    /// Functions that rows name in a file of a mod, and that this file does not have.
    pub(super) fn missing_function_problems(&self, source: &ModSource) -> Vec<Problem> {
        let mut problems = Vec::new();
        for row in &self.rows {
            for (file, words) in &row.implemented_by {
                let Some(text) = source.files.get(file) else { continue };
                // `enemy.leaves_for` in the file has the name `leaves_for` too.
                let has_name = |word: &str, name: &str| {
                    let before = word.strip_suffix(name);
                    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
                };
                let occurs = |name: &str| words_of(text).any(|word| has_name(word, name));
                let names = words.iter().filter(|word| word.contains(['_', '.']));
                for name in names.filter(|name| !occurs(name)) {
                    let found = format!("{} names {name}, which is not in `{file}`", row.id);
                    problems.push(
                        Problem::error(Code::UnknownFunction, found)
                            .at(SourceLocation::new("", &*self.page_path, row.line))
                            .expected(
                                "a function or a rule of that file, or words without _ and .",
                            ),
                    );
                }
            }
        }
        problems
    }

    /// A warning if the counted files have changed since they were counted.
    pub(super) fn outdated_mutation_counts_warning(&self, source: &ModSource) -> Option<Problem> {
        let (counted, line) =
            self.counted_files.as_ref().filter(|(old, _)| old.owner == source.id())?;
        if CountedFiles::new(source, &counted.path_prefixes) == *counted {
            return None;
        }
        let (owner, page) = (&counted.owner, &self.page_path);
        let files: Vec<String> =
            counted.path_prefixes.iter().map(|file| format!(" --file {file}")).collect();
        let what = if files.is_empty() { owner } else { &counted.path_prefixes.join(" and ") };
        let found = format!("{what} changed after the mutation counts in {page} were made");
        let problem = Problem::warning(Code::OutdatedLedgerCounts, found);
        let write = format!("`mutate {owner}{} --ledger {page} --write`", files.concat());
        Some(
            problem
                .at(SourceLocation::new("", &**page, *line))
                .hint(format!("count again: {write}")),
        )
    }
}

/// The ids at the start of a text such as `SR-3.1, SR-3.2 and …`, and the rest. `A-1.2 to A-1.4`
/// stands for three ids.
pub fn leading_ids(text: &str) -> (Vec<String>, &str) {
    let (mut ids, mut rest) = (Vec::<String>::new(), text.trim_start());
    let mut is_range = false;
    while let Some(length) = id_length(rest) {
        let id = &rest[..length];
        match ids.last().filter(|_| is_range).map(|last| expand_row_id_range(last, id)) {
            Some(further) => ids.extend(further),
            None => ids.push(id.to_owned()),
        }
        rest = &rest[length..];
        let joints = [", ", " and ", " to "];
        let Some(joint) = joints
            .into_iter()
            .find(|joint| rest.strip_prefix(joint).is_some_and(|after| id_length(after).is_some()))
        else {
            break;
        };
        is_range = joint == " to ";
        rest = &rest[joint.len()..];
    }
    (ids, rest.trim_start_matches([':', '.', ';']).trim_start())
}

/// The length of the id at the start of a text: capital letters, a hyphen, numbers with points.
fn id_length(text: &str) -> Option<usize> {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let numbers = text.get(letters..)?.strip_prefix('-').filter(|_| letters > 0)?;
    let mut length =
        numbers.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    while length > 0 && !numbers.as_bytes()[length - 1].is_ascii_digit() {
        length -= 1;
    }
    (length > 0).then_some(letters + 1 + length)
}

/// The ids after `from` up to `to`, if only the last number differs; else only `to`.
fn expand_row_id_range(from: &str, to: &str) -> Vec<String> {
    let parts = |id: &str| {
        let (front, last) = id.rsplit_once('.')?;
        Some((front.to_owned(), last.parse::<u32>().ok()?))
    };
    match (parts(from), parts(to)) {
        (Some((front, first)), Some((other, last))) if front == other && first < last => {
            (first + 1..=last).map(|number| format!("{front}.{number}")).collect()
        }
        _ => vec![to.to_owned()],
    }
}

/// The texts between backticks.
fn backticked_texts(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Files in backticks, each with the words after it.
fn files_with_words(cell: &str) -> Vec<(String, Vec<String>)> {
    let mut places: Vec<(String, Vec<String>)> = Vec::new();
    for (index, part) in cell.split('`').enumerate() {
        if index % 2 == 1 && part.ends_with(".luau") {
            places.push((part.to_owned(), Vec::new()));
        } else if let Some((_, words)) = places.last_mut() {
            words.extend(words_of(part).map(str::to_owned));
        }
    }
    places
}

/// The words of a text. The name of an export with its module, such as `fight.harm`, is one word.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let parts =
        text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_' || sign == '.'));
    parts.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty())
}

/// Names of tuned constants, with their file: `` `rules/a.luau` work, tuned: weights ``.
fn tuned_names(cell: &str) -> Vec<(String, String)> {
    let parts: Vec<&str> = cell.split('`').collect();
    let mut names = Vec::new();
    for pair in parts.windows(2).skip(1).step_by(2).filter(|pair| pair[0].ends_with(".luau")) {
        let Some((_, tuned_text)) = pair[1].split_once("tuned:") else { continue };
        names.extend(words_of(tuned_text).map(|word| (pair[0].to_owned(), word.to_owned())));
    }
    names
}

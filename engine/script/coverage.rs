//! Coverage of play, for `explore`: which definitions were read and which lines ran. Off by
//! default; scripts cannot see it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mlua::Function;

/// What a VM has reached so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Definitions that were read in play: kind and full id.
    pub definitions: BTreeSet<(String, String)>,
    /// The lines with code, by file (`mod/path.luau`), and whether each ran since loading.
    pub lines: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl Coverage {
    /// Adds the coverage of another VM.
    pub fn merge(&mut self, other: Self) {
        self.definitions.extend(other.definitions);
        for (file, lines) in other.lines {
            let mine = self.lines.entry(file).or_default();
            for (line, ran) in lines {
                *mine.entry(line).or_default() |= ran;
            }
        }
    }
}

/// How often lines ran, by file (`mod/path.luau`). Lines without code have no count.
pub type LineCounts = BTreeMap<String, BTreeMap<u32, u64>>;

/// Records the coverage of a VM.
#[derive(Default)]
pub(crate) struct CoverageTrace {
    definitions: RefCell<BTreeSet<(String, String)>>,
    files: RefCell<Vec<TracedFile>>,
}

/// A compiled file.
struct TracedFile {
    file: String,
    /// The file as it runs, with coverage instructions.
    with_coverage: Function,
    /// Compiled without coverage. Luau mistakes some data words for coverage instructions; counts
    /// in this one are such words.
    without_coverage: Function,
}

/// How often each line of a file ran, if it has a count.
fn line_hits(function: &Function) -> BTreeMap<u32, u64> {
    let mut lines = BTreeMap::<u32, u64>::new();
    function.coverage(|part| {
        for (line, hits) in (0_u32..).zip(part.hits) {
            // Lines without code have no count.
            if let Ok(hits) = u64::try_from(hits) {
                *lines.entry(line).or_default() += hits;
            }
        }
    });
    lines
}

impl CoverageTrace {
    /// Records that a definition was read.
    pub(super) fn record_definition(&self, kind: &str, id: &str) {
        let one = (kind.to_owned(), id.to_owned());
        self.definitions.borrow_mut().insert(one);
    }

    /// Adds a compiled file, with and without coverage instructions.
    pub(super) fn add_file(&self, file: String, counted: Function, plain: Function) {
        self.files.borrow_mut().push(TracedFile {
            file,
            with_coverage: counted,
            without_coverage: plain,
        });
    }

    /// How often each line ran so far, by file. Callers compare two results.
    pub(super) fn line_counts(&self) -> LineCounts {
        let mut lines = LineCounts::new();
        for chunk in &*self.files.borrow() {
            let lines = lines.entry(chunk.file.clone()).or_default();
            for (line, hits) in line_hits(&chunk.with_coverage) {
                *lines.entry(line).or_default() += hits;
            }
        }
        lines
    }

    /// The coverage so far.
    pub(super) fn coverage(&self) -> Coverage {
        let mut lines = BTreeMap::<String, BTreeMap<u32, bool>>::new();
        for chunk in &*self.files.borrow() {
            let lines = lines.entry(chunk.file.clone()).or_default();
            let data = line_hits(&chunk.without_coverage);
            for (line, hits) in line_hits(&chunk.with_coverage) {
                if hits > 0 || !data.contains_key(&line) {
                    *lines.entry(line).or_default() |= hits > 0;
                }
            }
        }
        Coverage { definitions: self.definitions.borrow().clone(), lines }
    }
}

//! Coverage of play, for `explore`: which definitions were read and which lines ran. Off by
//! default; scripts cannot see it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mlua::Function;

/// The coverage of a VM so far.
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
            let own_lines = self.lines.entry(file).or_default();
            for (line, has_run) in lines {
                *own_lines.entry(line).or_default() |= has_run;
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
    /// What the VM counted that this one replaced.
    replaced: RefCell<ReplacedCoverage>,
}

/// The coverage of a VM that another one has replaced.
#[derive(Default)]
struct ReplacedCoverage {
    line_counts: LineCounts,
    coverage: Coverage,
    /// What the new VM had counted when it was loaded: loading is not counted twice.
    counts_of_load: LineCounts,
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
fn count_line_hits(function: &Function) -> BTreeMap<u32, u64> {
    let mut lines = BTreeMap::<u32, u64>::new();
    function.coverage(|function_coverage| {
        for (line, hits) in (0_u32..).zip(function_coverage.hits) {
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
    pub(crate) fn record_definition_read(&self, kind: &str, id: &str) {
        let definition = (kind.to_owned(), id.to_owned());
        self.definitions.borrow_mut().insert(definition);
    }

    /// Adds a compiled file, with and without coverage instructions.
    pub(crate) fn add_file(
        &self,
        file: String,
        traced_function: Function,
        plain_function: Function,
    ) {
        self.files.borrow_mut().push(TracedFile {
            file,
            with_coverage: traced_function,
            without_coverage: plain_function,
        });
    }

    /// Goes on where the trace of another VM ended, which this one replaces.
    pub(crate) fn continue_trace(&self, replaced: &Self) {
        let replaced = ReplacedCoverage {
            line_counts: replaced.line_counts(),
            coverage: replaced.coverage(),
            counts_of_load: self.own_line_counts(),
        };
        *self.replaced.borrow_mut() = replaced;
    }

    /// How often each line ran so far, by file. Callers compare two results.
    pub(crate) fn line_counts(&self) -> LineCounts {
        let mut lines = self.own_line_counts();
        let ReplacedCoverage { line_counts, counts_of_load, .. } = &*self.replaced.borrow();
        for (file, counts) in counts_of_load {
            let file_lines = lines.entry(file.clone()).or_default();
            for (line, hits) in counts {
                let own_hits = file_lines.entry(*line).or_default();
                *own_hits = own_hits.saturating_sub(*hits);
            }
        }
        for (file, counts) in line_counts {
            let file_lines = lines.entry(file.clone()).or_default();
            for (line, hits) in counts {
                *file_lines.entry(*line).or_default() += hits;
            }
        }
        lines
    }

    fn own_line_counts(&self) -> LineCounts {
        let mut lines = LineCounts::new();
        for traced_file in &*self.files.borrow() {
            let file_lines = lines.entry(traced_file.file.clone()).or_default();
            for (line, hits) in count_line_hits(&traced_file.with_coverage) {
                *file_lines.entry(line).or_default() += hits;
            }
        }
        lines
    }

    /// The coverage so far.
    pub(crate) fn coverage(&self) -> Coverage {
        let mut lines = BTreeMap::<String, BTreeMap<u32, bool>>::new();
        for traced_file in &*self.files.borrow() {
            let file_lines = lines.entry(traced_file.file.clone()).or_default();
            let false_counts = count_line_hits(&traced_file.without_coverage);
            for (line, hits) in count_line_hits(&traced_file.with_coverage) {
                if hits > 0 || !false_counts.contains_key(&line) {
                    *file_lines.entry(line).or_default() |= hits > 0;
                }
            }
        }
        let mut coverage = Coverage { definitions: self.definitions.borrow().clone(), lines };
        coverage.merge(self.replaced.borrow().coverage.clone());
        coverage
    }
}

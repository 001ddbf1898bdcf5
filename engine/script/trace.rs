//! What play has reached, for those who explore a game: which definitions were read and which
//! lines ran. Off unless it is asked for; it changes nothing that scripts can see.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mlua::Function;

/// What a VM has reached so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Definitions that were read in play: kind and whole id.
    pub definitions: BTreeSet<(String, String)>,
    /// The lines that hold code, by file (`mod/path.luau`), and whether each ran since loading.
    pub lines: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl Reached {
    /// Adds what another VM has reached.
    pub fn add(&mut self, other: Self) {
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

/// Where a VM notes what is reached.
#[derive(Default)]
pub(crate) struct Trace {
    definitions: RefCell<BTreeSet<(String, String)>>,
    chunks: RefCell<Vec<Chunk>>,
}

/// A compiled file.
struct Chunk {
    file: String,
    /// The file as it runs, with its counting instructions.
    counted: Function,
    /// Compiled without any. Luau takes a word of data that looks like a counting instruction for
    /// one; what counts here is such a word.
    plain: Function,
}

/// How often each line of a file ran that has a count.
fn counts(function: &Function) -> BTreeMap<u32, u64> {
    let mut lines = BTreeMap::<u32, u64>::new();
    function.coverage(|part| {
        for (line, hits) in (0_u32..).zip(part.hits) {
            // What has no code has no count.
            if let Ok(hits) = u64::try_from(hits) {
                *lines.entry(line).or_default() += hits;
            }
        }
    });
    lines
}

impl Trace {
    /// A definition is read.
    pub(super) fn read(&self, kind: &str, id: &str) {
        let one = (kind.to_owned(), id.to_owned());
        self.definitions.borrow_mut().insert(one);
    }

    /// A file has been compiled, with counting instructions and without.
    pub(super) fn compiled(&self, file: String, counted: Function, plain: Function) {
        self.chunks.borrow_mut().push(Chunk { file, counted, plain });
    }

    /// How often each line ran so far, by file; what is compared is what lies between two looks.
    pub(super) fn counts(&self) -> LineCounts {
        let mut lines = LineCounts::new();
        for chunk in &*self.chunks.borrow() {
            let lines = lines.entry(chunk.file.clone()).or_default();
            for (line, hits) in counts(&chunk.counted) {
                *lines.entry(line).or_default() += hits;
            }
        }
        lines
    }

    /// What was reached so far.
    pub(super) fn reached(&self) -> Reached {
        let mut lines = BTreeMap::<String, BTreeMap<u32, bool>>::new();
        for chunk in &*self.chunks.borrow() {
            let lines = lines.entry(chunk.file.clone()).or_default();
            let data = counts(&chunk.plain);
            for (line, hits) in counts(&chunk.counted) {
                if hits > 0 || !data.contains_key(&line) {
                    *lines.entry(line).or_default() |= hits > 0;
                }
            }
        }
        Reached { definitions: self.definitions.borrow().clone(), lines }
    }
}

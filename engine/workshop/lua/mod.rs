//! What can be known of a script without running it: who assigns to what, which texts and names it
//! mentions and where, which comments it carries. The syntax is read by `full_moon`; the names are
//! followed here.

mod handed;
mod hidden;
mod locals;
mod names;
mod offered;
mod reader;
mod required;
mod roles;
mod said;
mod shown;
mod used;
mod uses;

use std::collections::BTreeSet;

pub(super) use hidden::{Hidden, Holds};
pub(super) use offered::Offered;
pub(super) use required::{Required, Returned};
pub(super) use said::{Called, Part, Said, Table, Whole};
pub(super) use shown::{Shown, Sort};
pub(super) use used::{Calling, From, MomentUse, PartUse, Uses};

use full_moon::visitors::Visitor as _;

use crate::kit::{FileText, Place, Problem, text};
use crate::mods::ModSource;
use crate::script;

/// Room for the parser to nest in; as deep as the compiler lets a script nest, with much to spare.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// What is known of one file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The mod.
    pub(super) owner: String,
    /// The file.
    pub(super) file: String,
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// The texts that stand in it.
    pub(super) words: Vec<Word>,
    /// Fields read of names that are not the file's own: `spell.x`, `rules.x`.
    pub(super) reads: BTreeSet<Read>,
    /// Names that are not the file's own and are used as a whole: `all(spell)`.
    pub(super) wholes: BTreeSet<String>,
    /// Changes, inside functions, of what the file keeps in its locals.
    pub(super) kept: Vec<Kept>,
    /// Loops over tables whose keys have no order.
    pub(super) loops: Vec<Finding>,
    /// Texts of prompts: what they are, where, and what they say.
    pub(super) labels: Vec<Label>,
    /// Choices that are written out and say what they belong to or which key they wish for.
    pub(super) offered: Vec<Offered>,
    /// Comments of one line.
    pub(super) comments: Vec<Comment>,
    /// What it uses that is not its own.
    pub(super) uses: Uses,
    /// What it gives to whoever requires it, if that can be told.
    pub(super) returned: Option<Returned>,
}

/// A text in a script.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) line: u32,
    /// What it is the first argument of: `go`, `patch.spell`; empty if it is none.
    pub(super) callee: String,
    /// The outermost named call that it stands inside: `spell` and `x` of `spell "x" { … }`.
    pub(super) inside: Option<(String, String)>,
}

/// A field read of a name that is not the file's own.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Read {
    pub(super) table: String,
    pub(super) name: String,
}

/// Something found on a line about a name.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) name: String,
    pub(super) line: u32,
}

/// A change, inside a function, of what a file keeps in a local.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) name: String,
    pub(super) line: u32,
    /// Where the local is declared.
    pub(super) declared: u32,
    /// Whether the local itself is assigned, or the table in it written to.
    pub(super) assigned: bool,
}

/// A text of a prompt that must fit on one line.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) field: String,
    pub(super) text: String,
    pub(super) line: u32,
}

/// A comment of one line.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) line: u32,
    /// Whether nothing else stands on its line.
    pub(super) alone: bool,
}

impl Facts {
    /// A place in the file.
    pub(super) fn place(&self, line: u32) -> Place {
        let place = Place::new(&*self.owner, &*self.file, line);
        let index = (line as usize).checked_sub(1);
        match index.and_then(|index| self.lines.get(index)) {
            Some(line) => place.with_excerpt(text::clean(line)),
            None => place,
        }
    }
}

/// Reads all scripts of a mod, those of `lib/` too. A file that cannot be read is a Problem, and
/// nothing is known of it.
pub(super) fn read(source: &ModSource) -> (Vec<Facts>, Vec<Problem>) {
    let work = || {
        let mut all = (Vec::new(), Vec::new());
        for (file, text) in &source.files {
            match read_file(source.id(), file, text) {
                Ok(facts) => all.0.push(facts),
                Err(problem) => all.1.push(problem),
            }
        }
        all
    };
    with_room(work)
}

/// Does work on syntax trees, which may be deep.
pub(super) fn with_room<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work).expect("the system gives us one thread");
        thread.join().expect("reading scripts has no way to fail but by a Problem")
    })
}

/// What is known of a file. The compiler is asked first: it bounds how deep a script nests.
pub(super) fn read_file(owner: &str, file: &str, text: &FileText) -> Result<Facts, Problem> {
    if let Some(problem) = script::syntax(owner, file, text) {
        return Err(problem);
    }
    let mut facts = Facts { owner: owner.to_owned(), file: file.to_owned(), ..Facts::default() };
    facts.lines = text.lines().map(str::to_owned).collect();
    let tree = full_moon::parse(text).map_err(|errors| {
        let line = errors.first().map_or(0, |error| error.range().0.line());
        let problem = "the script runs, but its syntax is not known here, so it was not looked at";
        Problem::warning("unread-script", problem)
            .at(facts.place(u32::try_from(line).unwrap_or(0)))
            .hint("write this line in an older way, if it is worth the look")
    })?;
    facts.returned = required::returned(&tree);
    let mut reader = reader::Reader::new(facts);
    reader.visit_ast(&tree);
    Ok(reader.finish())
}

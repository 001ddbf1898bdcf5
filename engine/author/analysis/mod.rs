//! Static analysis of scripts: which names are assigned, which strings and names occur where, which
//! comments there are. `full_moon` parses the syntax; this module resolves the names.

mod callback_types;
mod choice_tables;
mod duplicate_keys;
mod file_uses;
mod function_values;
mod functions;
mod lib_files;
mod literal;
mod locals;
mod param_inference;
mod return_flow;
mod script_walker;
mod shadowing;
pub(crate) mod syntax;
mod ui_tables;
mod use_collector;

use std::collections::BTreeSet;

pub(super) use callback_types::{CHANGE_FUNCTIONS, changed_kind};
pub(super) use choice_tables::ChoiceTable;
pub(super) use duplicate_keys::DuplicateKey;
pub(super) use file_uses::{CallSite, EventUse, ExternalUses, MethodCall, PathAccess, ValueSource};
pub(super) use functions::FunctionSummary;
pub(super) use lib_files::{RequiredFile, ReturnedTable};
pub(super) use literal::{AccessPath, CalledFunction, Literal, PathRoot, TableLiteral};
pub(super) use locals::FunctionIndex;
pub(super) use script_walker::MUTATING_FUNCTIONS;
pub(super) use shadowing::{LocalValue, MisusedLocal};
pub(super) use ui_tables::{FunctionTable, UiTable, UiTableKind};
pub(super) use use_collector::PROFILE_GLOBALS;

use full_moon::visitors::Visitor as _;

use base::{Code, FileText, Problem, SourceLocation, text};
use mods::ModSource;

/// Stack size for the parser, much deeper than the compiler lets a script nest.
const PARSER_STACK_BYTES: usize = 256 * 1024 * 1024;

/// The summary of one file.
#[derive(Debug, Default)]
pub struct FileSummary {
    /// The id of the mod.
    pub(super) owner: String,
    /// The path of the file.
    pub(super) file: String,
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// The string literals in it.
    pub(super) string_literals: Vec<StringLiteral>,
    /// Fields read from globals: `spell.x`, `rules.x`.
    pub(super) field_reads: BTreeSet<FieldRead>,
    /// Globals used as a whole: `all(spell)`.
    pub(super) globals_used_as_values: BTreeSet<String>,
    /// Changes, inside functions, of the file's own locals.
    pub(super) local_mutations: Vec<LocalMutation>,
    /// Loops over tables whose keys have no order.
    pub(super) unordered_loops: Vec<UnorderedLoop>,
    /// Texts of prompts, with their field and line.
    pub(super) prompt_labels: Vec<PromptLabel>,
    /// Choices written as tables with a group or a requested key.
    pub(super) choices: Vec<ChoiceTable>,
    /// Keys that table literals have twice.
    pub(super) duplicate_keys: Vec<DuplicateKey>,
    /// Comments of one line.
    pub(super) comments: Vec<Comment>,
    /// What it uses that is not its own.
    pub uses: ExternalUses,
    /// What it returns to `require`, if that is known.
    pub(super) returned_table: Option<ReturnedTable>,
}

/// A string literal.
#[derive(Debug)]
pub(super) struct StringLiteral {
    pub(super) text: String,
    pub(super) line: u32,
    /// The call that it is the first argument of: `go`, `patch.spell`; else empty.
    pub(super) callee: String,
    /// The outermost named call around it: `spell` and `x` of `spell "x" { … }`.
    pub(super) outermost_call: Option<(String, String)>,
}

/// A field read from a global.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldRead {
    pub(super) table: String,
    pub(super) name: String,
}

/// A name with a line.
#[derive(Debug)]
pub(super) struct UnorderedLoop {
    pub(super) name: String,
    pub(super) line: u32,
}

/// A change of a local of the file, inside a function.
#[derive(Debug)]
pub(super) struct LocalMutation {
    pub(super) name: String,
    pub(super) line: u32,
    /// The line of the declaration.
    pub(super) declared_line: u32,
    /// Whether the local is assigned, not a field of its table.
    pub(super) is_assigned: bool,
}

/// A text of a prompt that must fit on one line.
#[derive(Debug)]
pub(super) struct PromptLabel {
    pub(super) field: String,
    pub(super) text: String,
    pub(super) line: u32,
}

/// A comment of one line.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) line: u32,
    /// Whether it is alone on its line.
    pub(super) is_alone_on_line: bool,
}

impl FileSummary {
    /// A place in the file.
    pub(super) fn place(&self, line: u32) -> SourceLocation {
        let place = SourceLocation::new(&*self.owner, &*self.file, line);
        let index = (line as usize).checked_sub(1);
        match index.and_then(|index| self.lines.get(index)) {
            Some(line) => place.with_excerpt(text::strip_unprintable(line)),
            None => place,
        }
    }
}

/// Analyzes all scripts of a mod, including `lib/`. A file that cannot be parsed becomes a Problem.
pub(super) fn analyze_mod(source: &ModSource) -> (Vec<FileSummary>, Vec<Problem>) {
    analyze_files(source.id(), source.files.iter())
}

/// Analyzes scripts of a mod.
pub(super) fn analyze_files<'t>(
    owner: &str,
    files: impl Iterator<Item = (&'t String, &'t FileText)> + Send,
) -> (Vec<FileSummary>, Vec<Problem>) {
    let work = || {
        let mut all = (Vec::new(), Vec::new());
        for (file, text) in files {
            match analyze_file(owner, file, text) {
                Ok(facts) => all.0.push(facts),
                Err(problem) => all.1.push(problem),
            }
        }
        all
    };
    with_large_stack(work)
}

/// Runs work on syntax trees with a large stack.
pub fn with_large_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(PARSER_STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work).expect("the system gives us one thread");
        thread.join().expect("reading scripts has no way to fail but by a Problem")
    })
}

/// Analyzes a file. The compiler parses it first, which bounds the nesting.
pub fn analyze_file(owner: &str, file: &str, text: &FileText) -> Result<FileSummary, Problem> {
    if let Some(problem) = script::check_syntax(owner, file, text) {
        return Err(problem);
    }
    let mut summary =
        FileSummary { owner: owner.to_owned(), file: file.to_owned(), ..FileSummary::default() };
    summary.lines = text.lines().map(str::to_owned).collect();
    let tree = full_moon::parse(text).map_err(|errors| {
        let line = errors.first().map_or(0, |error| error.range().0.line());
        let problem =
            "the script runs, but the checker does not know its syntax, so it was not checked";
        Problem::warning(Code::UnreadScript, problem)
            .at(summary.place(u32::try_from(line).unwrap_or(0)))
            .hint("write this line in older syntax to have the file checked")
    })?;
    summary.returned_table = lib_files::returned_table(&tree);
    let mut reader = script_walker::ScriptWalker::new(summary, &tree);
    reader.visit_ast(&tree);
    Ok(reader.into_summary())
}

//! What a file uses that is not its own: globals, calls of them, access paths, events.

use std::collections::{BTreeMap, BTreeSet};

use super::functions::FunctionSummary;
use super::lib_files::{RequiredFile, RequiredFileMember};
use super::literal::{AccessPath, Literal, TableLiteral};
use super::locals::FunctionIndex;
use super::shadowing::MisusedLocal;
use super::ui_tables::{FunctionTable, UiTable};

/// A global name.
#[derive(Debug)]
pub struct GlobalUse {
    pub name: String,
    /// The field that is read, if it is written out: `abs` of `math.abs`.
    pub(crate) field: Option<String>,
    pub(crate) line: u32,
    pub(crate) is_assigned: bool,
}

/// A call of a global function.
#[derive(Debug)]
pub(crate) struct CallSite {
    pub(crate) name: String,
    /// The required file that the function is from, if any.
    pub(crate) required_file: Option<RequiredFile>,
    pub(crate) line: u32,
    /// The minimum number of arguments; the exact number unless `may_have_more_arguments`.
    pub(crate) min_argument_count: usize,
    pub(crate) may_have_more_arguments: bool,
    /// The literals of the arguments.
    pub(crate) argument_literals: Vec<Literal>,
    /// The sources of arguments whose types are declared elsewhere.
    pub(crate) argument_sources: Vec<Option<ValueSource>>,
    /// The sources of the named fields of a table that is the first argument of `award`.
    pub(crate) awarded_sources: Vec<(String, Option<ValueSource>)>,
    /// The function that directly contains the call.
    pub(crate) function: Option<FunctionIndex>,
    /// Whether it may be left out when the function runs.
    pub(crate) is_conditional: bool,
}

impl CallSite {
    /// The sources of all values that it is given.
    pub(super) fn sources_mut(&mut self) -> impl Iterator<Item = &mut Option<ValueSource>> {
        let awarded = self.awarded_sources.iter_mut().map(|(_, source)| source);
        self.argument_sources.iter_mut().chain(awarded)
    }
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) enum ValueSource {
    /// An access path.
    Path(AccessPath),
    /// The result of a function, and the file that it is from.
    Call(String, Option<RequiredFile>),
}

/// A use of an event: registered on, emitted or previewed.
#[derive(Debug)]
pub(crate) struct EventUse {
    /// The host function.
    pub(crate) host_function: String,
    /// The name; none if it is known only at run time.
    pub(crate) name: Option<String>,
    pub(crate) line: u32,
    /// The event table, if it is written out.
    pub(crate) event_table: Option<TableLiteral>,
}

/// A read or a write of an access path.
#[derive(Debug)]
pub(crate) struct PathAccess {
    pub(crate) path: AccessPath,
    pub(crate) line: u32,
    /// The value that is written, if any.
    pub(crate) written_value: Option<Literal>,
    /// The function that directly contains it.
    pub(crate) function: Option<FunctionIndex>,
    /// Whether it may be left out when the function runs.
    pub(crate) is_conditional: bool,
    /// Whether it is in an event that can no longer change.
    pub(crate) is_in_final_event: bool,
    /// Whether it is in a bot.
    pub(crate) is_in_bot: bool,
}

/// A comparison of an access path with a string literal.
#[derive(Debug)]
pub(crate) struct TextComparison {
    pub(crate) path: AccessPath,
    pub(crate) text: String,
    pub(crate) line: u32,
}

/// A call with a colon: `vitals:mend(3)`.
#[derive(Debug)]
pub(crate) struct MethodCall {
    /// What it is called on.
    pub(crate) receiver: AccessPath,
    pub(crate) name: String,
    pub(crate) line: u32,
}

/// A hook that returns a value.
#[derive(Debug)]
pub(crate) struct HookReturn {
    pub(crate) event: String,
    pub(crate) line: u32,
}

/// All uses in one file.
#[derive(Debug, Default)]
pub struct ExternalUses {
    /// By position.
    pub globals: BTreeMap<usize, GlobalUse>,
    pub(crate) functions: Vec<FunctionSummary>,
    pub(crate) calls: Vec<CallSite>,
    pub(crate) method_calls: Vec<MethodCall>,
    pub(crate) events: Vec<EventUse>,
    pub(crate) accesses: Vec<PathAccess>,
    pub(crate) misused_locals: Vec<MisusedLocal>,
    pub(crate) required_file_members: Vec<RequiredFileMember>,
    pub(crate) ui_tables: Vec<UiTable>,
    pub(crate) function_tables: Vec<FunctionTable>,
    pub(crate) comparisons: Vec<TextComparison>,
    pub(crate) hook_returns: Vec<HookReturn>,
    /// The lines of functions that wrap another one and never use it.
    pub(crate) wraps_without_original: Vec<u32>,
    /// Global functions that are passed on or stored, so that they may be called anywhere.
    pub(crate) functions_used_as_values: BTreeSet<String>,
}

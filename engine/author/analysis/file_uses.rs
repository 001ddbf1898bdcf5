//! What a file uses that is not its own: globals, calls of them, access paths, events.

use std::collections::{BTreeMap, BTreeSet};

use super::displays::UiTable;
use super::lib_files::{RequiredFile, RequiredFileMember};
use super::literal::{AccessPath, Literal, TableLiteral};
use super::shadowing::MisusedLocal;

/// A global name.
#[derive(Debug)]
pub(in crate::author) struct GlobalUse {
    pub(in crate::author) name: String,
    /// The field that is read, if it is written out: `abs` of `math.abs`.
    pub(in crate::author) field: Option<String>,
    /// The field of that field: `name` of `boat.low.name`.
    pub(in crate::author) nested_field: Option<String>,
    pub(in crate::author) line: u32,
    pub(in crate::author) is_assigned: bool,
}

/// A call of a global function.
#[derive(Debug)]
pub(in crate::author) struct CallSite {
    pub(in crate::author) name: String,
    /// The required file that the function is from, if any.
    pub(in crate::author) required_file: Option<RequiredFile>,
    pub(in crate::author) line: u32,
    /// The minimum number of arguments; the exact number unless `may_have_more_arguments`.
    pub(in crate::author) min_argument_count: usize,
    pub(in crate::author) may_have_more_arguments: bool,
    /// The literals of the arguments.
    pub(in crate::author) argument_literals: Vec<Literal>,
    /// The sources of arguments whose types are declared elsewhere.
    pub(in crate::author) argument_sources: Vec<Option<ValueSource>>,
    /// The read-only function that directly contains the call, such as `a rule`.
    pub(in crate::author) enclosing_read_only_function: Option<&'static str>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(in crate::author) enum ValueSource {
    /// An access path.
    Path(AccessPath),
    /// The result of a function, and the file that it is from.
    Call(String, Option<RequiredFile>),
}

/// A use of an event: registered on, emitted or previewed.
#[derive(Debug)]
pub(in crate::author) struct EventUse {
    /// The host function.
    pub(in crate::author) host_function: String,
    /// The name; none if it is known only at run time.
    pub(in crate::author) name: Option<String>,
    pub(in crate::author) line: u32,
    /// The event table, if it is written out.
    pub(in crate::author) event_table: Option<TableLiteral>,
}

/// A read or a write of an access path.
#[derive(Debug)]
pub(in crate::author) struct PathAccess {
    pub(in crate::author) path: AccessPath,
    pub(in crate::author) line: u32,
    /// The value that is written, if any.
    pub(in crate::author) written_value: Option<Literal>,
    /// The read-only function that directly contains it.
    pub(in crate::author) enclosing_read_only_function: Option<&'static str>,
    /// Whether it is in an event that can no longer change.
    pub(in crate::author) is_in_final_event: bool,
    /// Whether it is in a bot.
    pub(in crate::author) is_in_bot: bool,
}

/// A comparison of an access path with a string literal.
#[derive(Debug)]
pub(in crate::author) struct TextComparison {
    pub(in crate::author) path: AccessPath,
    pub(in crate::author) text: String,
    pub(in crate::author) line: u32,
}

/// A hook that returns a value.
#[derive(Debug)]
pub(in crate::author) struct HookReturn {
    pub(in crate::author) event: String,
    pub(in crate::author) line: u32,
}

/// All uses in one file.
#[derive(Debug, Default)]
pub(in crate::author) struct ExternalUses {
    /// By position.
    pub(in crate::author) globals: BTreeMap<usize, GlobalUse>,
    pub(in crate::author) calls: Vec<CallSite>,
    pub(in crate::author) events: Vec<EventUse>,
    pub(in crate::author) accesses: Vec<PathAccess>,
    pub(in crate::author) misused_locals: Vec<MisusedLocal>,
    pub(in crate::author) required_file_members: Vec<RequiredFileMember>,
    pub(in crate::author) ui_tables: Vec<UiTable>,
    pub(in crate::author) comparisons: Vec<TextComparison>,
    pub(in crate::author) hook_returns: Vec<HookReturn>,
    /// Global functions that are passed on or stored, so that they may be called anywhere.
    pub(in crate::author) functions_used_as_values: BTreeSet<String>,
}

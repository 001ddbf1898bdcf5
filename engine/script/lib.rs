//! Everything that deals with Lua: a sealed VM, its limits, and both directions of calls.
//! `from_lua/` has the functions that scripts call, `to_lua/` the calls of script functions, one
//! file per topic. No Lua value leaves this crate: results are plain data, prompts, views and
//! Problems.

mod compile;
mod diagnostics;
mod from_lua;
mod functions;
mod host;
mod limits;
mod load;
mod source_text;
mod to_lua;
mod values;
mod vm;

pub use diagnostics::missing_names::{hint_need_mod, reverse_dependency_hint};
pub use from_lua::FAILURE_OUTCOME;
pub use from_lua::dice::notation_problem;
pub use from_lua::host_fn::HostFn;
pub use from_lua::profile::profile_write_problem;
pub use from_lua::run_options::option_write_problem;
pub use host::coverage::{Coverage, LineCounts};
pub use host::disabled_set::{DisabledSet, FailedHook};
pub use host::phase::{
    Availability, call_in_read_only_problem, not_loading_problem, write_in_read_only_problem,
};
pub use host::script_sources::CONSOLE_FILE;
pub use host::script_sources::{declares_name, resolve_require_path};
pub use host::step_trace::{FieldChange, TraceEntry, TracedAction};
pub use host::write_checks::WrongWrite;
pub use limits::fuel::FuelByMod;
pub use source_text::syntax_errors::check_syntax;
pub use to_lua::{BotInput, VersionBump};
pub use values::read_fields::unfilled_placeholder_problem;
pub use vm::function_doc::{ExportedType, FunctionDoc};
pub use vm::name_resolution::NameUse;
pub use vm::strict_mode::{name_in_list_problem, undeclared_field_problem};
pub use vm::{HookInfo, LUAU_LIBRARY, LUAU_TYPES, LoadOptions, ModSettings, Vm, host_functions};

//! Content: kinds with typed fields, definitions, the changes that other mods make to them, and the
//! resulting frozen registry. Knows no Lua (a function is an opaque handle), no disk, and no game:
//! the kinds are data.

mod builtin_events;
mod builtin_kinds;
mod case_name;
mod collect_declarations;
mod conflict;
pub mod content_builder;
pub mod datum;
mod datum_checker;
mod datum_map;
pub mod definition_change;
mod error_path;
pub mod file_declarations;
mod list_edits;
mod luau_type_parser;
mod open_lists;
mod option_checks;
mod option_default;
mod patch;
pub mod registry;
mod registry_assembler;
pub mod schema;
mod signature;
mod source_files;
mod state_schema;
mod text_overrides;
mod type_checker;
mod unknown_kind;

pub use builtin_events::{STEP_ENDED_EVENT, builtin_events};
pub use builtin_kinds::EXPORT_KIND;
pub use content_builder::{ContentBuilder, DependencyMap};
pub use datum::{Datum, FunctionRef};
pub use datum_map::DatumMap;
pub use definition_change::{ChangeKind, DefinitionChange, FieldEdit};
pub use error_path::ErrorPathStep;
pub use file_declarations::FileDeclarations;
pub use luau_type_parser::{
    declared_type_text, is_pascal_case_of, parse_declared_type, pascal_case,
};
pub use open_lists::{collect_text_lists, set_list_paths, set_list_paths_in_type};
pub use option_checks::check_options;
pub use option_default::{option_daily_values, option_default};
pub use registry::{ChangeAction, Definition, ProvenanceRecord, Registry};
pub use schema::{
    AllowedTexts, Field, FieldList, FieldType, FirstParameter, FunctionSchema, HOST_MOD_ID, Kind,
};
pub use signature::{Parameter, Signature};
pub use source_files::SourceFiles;
pub use state_schema::{
    PathLookupResult, StatePathStep, StateSchema, StateSchemas, find_function_field,
    lookup_in_type, lookup_path,
};
pub use type_checker::{BasicValue, Mismatch, MismatchReason, TypeChecker, TypedValue};
pub use unknown_kind::{expect_kind, unexplained_unknown_kind, unknown_kind_problem};

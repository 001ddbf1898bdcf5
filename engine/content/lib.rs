//! Content: kinds with typed fields, definitions, the changes that other mods make to them, and the
//! resulting frozen registry. Knows no Lua (a function is an opaque handle), no disk, and no game:
//! the kinds are data.

mod add_drop;
mod assemble;
mod builtin;
mod case_name;
pub mod change;
mod check;
mod collect;
mod conflict;
pub mod content_builder;
pub mod datum;
mod datum_map;
mod error_path;
pub mod file_declarations;
mod luau_type;
mod open_lists;
mod options;
mod patch;
pub mod registry;
pub mod schema;
mod signature;
mod sources;
mod state_schema;
mod text_overrides;

pub use builtin::EXPORT_KIND;
pub use change::{ChangeKind, DefinitionChange, FieldEdit};
pub use content_builder::{ContentBuilder, DependencyMap};
pub use datum::{Datum, FunctionRef};
pub use datum_map::DatumMap;
pub use file_declarations::FileDeclarations;
pub use luau_type::{parse_declared_type, pascal_case};
pub use open_lists::collect_text_lists;
pub use options::check_options;
pub use registry::{ChangeAction, Definition, ProvenanceRecord, Registry};
pub use schema::{
    AllowedTexts, Field, FieldType, FirstParameter, FunctionSchema, HOST_MOD_ID, Kind,
};
pub use signature::{Parameter, Signature};
pub use sources::SourceFiles;
pub use state_schema::{
    PathLookupResult, StatePathStep, StateSchema, StateSchemas, find_function_field,
    lookup_in_type, lookup_path,
};

//! Content: kinds with typed fields, definitions, the changes that other mods make to them, and the
//! resulting frozen registry. Knows no Lua (a function is an opaque handle), no disk, and no game:
//! the kinds are data.

mod add_drop;
mod assemble;
mod builtin;
pub mod change;
mod check;
mod clash;
pub mod datum;
pub mod draft;
mod fields;
mod gather;
mod luau_type;
mod options;
pub mod part;
mod patch;
pub mod registry;
pub mod schema;
mod sentence;
mod shape;
mod shown;
mod signature;
mod sources;
mod spot;
mod words;

pub use builtin::EXPORT;
pub use change::{Change, Edit, Verb};
pub use datum::{Datum, FnRef};
pub use draft::{Behind, Draft};
pub use fields::Fields;
pub use luau_type::{declared_type, title};
pub use options::look_at_options;
pub use part::Part;
pub use registry::{Definition, Origin, Registry, What};
pub use schema::{Field, FieldType, Given, HOST, Kind, Words, Work};
pub use shape::{Come, Shape, Shapes, Way, follow, follow_in, function_at};
pub use signature::{Argument, Signature};
pub use sources::Sources;
pub(crate) use words::lists_in;

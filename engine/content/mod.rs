//! Content: kinds with typed fields, the definitions that authors write, the changes that other
//! mods make to them, and the frozen registry that comes of it. Knows no Lua (a function is an
//! opaque handle), no disk, and no game: which kinds there are is data.

pub mod change;
pub mod datum;
pub mod draft;
pub mod registry;
pub mod schema;

pub use change::{Change, Edit};
pub use datum::{Datum, FnRef};
pub use draft::Draft;
pub use registry::{Definition, Origin, Registry, What};
pub use schema::{Field, FieldType, Kind};

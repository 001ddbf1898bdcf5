//! Values between Luau, the state and plain data.

pub(crate) mod data_path;
pub(crate) mod plain_data;
pub(crate) mod proxy;
pub(crate) mod read_fields;
pub(crate) mod table_mirrors;
pub(crate) mod value_ref;

//! Problems with place, explanation and hint, from what Luau reports.

pub(crate) mod caller_attribution;
pub(crate) mod error;
pub(crate) mod host_explanation;
pub(crate) mod missing_names;
mod module_hints;
pub(crate) mod nil_hints;
pub(crate) mod state_errors;
pub(crate) mod text_origin;

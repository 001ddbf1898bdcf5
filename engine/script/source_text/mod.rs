//! The text of scripts: scanning it, and describing what is wrong in it. Knows no VM.

pub(crate) mod declared_names;
pub(crate) mod describe_value;
pub(crate) mod lookalike_chars;
pub(crate) mod operator_hints;
mod scanned_line;
pub(crate) mod source_scan;
pub(crate) mod syntax_errors;
mod unclosed_bracket;

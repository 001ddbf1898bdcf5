//! The Problems of operations that the state refuses.

use std::fmt;

use crate::host::Host;
use base::{Code, Problem};
use luau::CallError;
use state::{StateError, TableHandle};

#[cold]
pub(crate) fn not_a_proxy_error() -> CallError {
    Problem::error(Code::WrongType, "this object of the engine is no table")
        .expected("a table, or a table of the state")
        .into()
}

/// The Problem of an operation that the state refused.
#[cold]
pub(crate) fn state_error(target: impl fmt::Display, error: &StateError) -> CallError {
    // A removed table has no path any more.
    let message = match error {
        StateError::StaleHandle => error.to_string(),
        _ => format!("{target}: {error}"),
    };
    let code = match error {
        StateError::StaleHandle => Code::StaleTable,
        StateError::TooDeep
        | StateError::TooManyEntries
        | StateError::StateTooLarge
        | StateError::WriteBudgetExceeded => Code::TooLarge,
        StateError::TextTooLong(_) | StateError::NotFinite | StateError::IntegerTooLarge(_) => {
            Code::NotPlain
        }
        _ => Code::BadKey,
    };
    Problem::error(code, message).hint(error.hint()).into()
}

#[cold]
pub(crate) fn bad_key_error(host: &Host, node: TableHandle, key_text: &str) -> CallError {
    let name = host.format_state_path(node, None);
    Problem::error(Code::BadKey, format!("{key_text} was used as a key of {name}"))
        .expected("a name, or a whole number from 1")
        .into()
}

//! Whether a literal reads like a text that is shown, or like a name.

use full_moon::ast::Expression;

use crate::analysis::syntax::{callee_and_arguments, string_token, string_value};
use base::text::is_luau_name;

/// Whether an expression is a text with a space, or fills one.
pub(super) fn is_sentence(expression: &Expression) -> bool {
    match expression {
        Expression::FunctionCall(call) => {
            callee_and_arguments(call).is_some_and(|(callee, _)| callee == "fill")
        }
        _ => string_token(expression)
            .and_then(|token| string_value(token.token()))
            .is_some_and(|text| is_sentence_text(&text)),
    }
}

/// Whether a text is no name or id, but of several words.
pub(super) fn is_sentence_text(text: &str) -> bool {
    text.contains(' ') && reads_like_text(text)
}

/// Whether a literal is a name of several words, or a path: `hill_drawn`, `run.hill`.
pub(super) fn is_joined_name(text: &str) -> bool {
    text.split('.').all(is_luau_name) && text.trim_matches(['_', '.']).contains(['_', '.'])
}

/// Whether a literal is no name: it has a space, a mark or a capital.
pub(super) fn reads_like_text(text: &str) -> bool {
    let is_id = text.contains(':') && !text.contains(' ');
    let begins_with_capital = text.starts_with(char::is_uppercase);
    !is_id && (text.contains([' ', '{', '\u{2019}']) || begins_with_capital && text.len() > 1)
}

//! The texts of the program itself: menus, keys, what the front ends add. They are translated like
//! those of the games. `author/build.rs` finds them by the macro.

use std::cell::RefCell;
use std::fmt::Display;
use std::sync::Arc;

use super::text_overrides::TextOverrides;

thread_local! {
    /// What is shown instead of them. One person plays in a thread, in one language.
    static HOST_TEXT_OVERRIDES: RefCell<Option<Arc<TextOverrides>>> = const { RefCell::new(None) };
}

/// A text of the program in the language of the player, with its marks filled:
/// `host_text!("Step {step} of {last}.", step = 1, last = 2)`.
#[macro_export]
macro_rules! host_text {
    ($text:literal $(,)?) => { $crate::host_texts::translate_host_text($text, &[]) };
    ($text:literal, $($mark:ident = $value:expr),+ $(,)?) => {
        $crate::host_texts::translate_host_text($text, &[$((stringify!($mark), &$value)),+])
    };
}

/// Names a text of the program that is shown through [`translate_host_text`] later.
#[macro_export]
macro_rules! host_text_id {
    ($text:literal) => {
        $text
    };
}

/// Sets what is shown instead of the texts of the program.
pub fn set_host_texts(overrides: Arc<TextOverrides>) {
    HOST_TEXT_OVERRIDES.set(Some(overrides).filter(|overrides| !overrides.is_empty()));
}

/// A text of the program in the language of the player. Values are inserted as they are.
pub fn translate_host_text(text: &str, values: &[(&str, &dyn Display)]) -> String {
    HOST_TEXT_OVERRIDES.with_borrow(|overrides| {
        let shown = overrides.as_deref().map_or(text, |all| all.apply_word_override(text));
        fill_marks(shown, values)
    })
}

/// What is shown instead of a text of the program, with its marks; `None` if that is the text.
pub fn find_host_text_translation(text: &str) -> Option<Arc<str>> {
    HOST_TEXT_OVERRIDES.with_borrow(|overrides| overrides.as_deref()?.replacement(text).cloned())
}

fn fill_marks(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, mark)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, after) = mark.split_once('}').unwrap_or((mark, ""));
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            filled.push_str(&value.to_string());
        }
        rest = after;
    }
    filled + rest
}

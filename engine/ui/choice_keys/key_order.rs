//! The keys that choices get without a wish, in order: a list has digits, a submenu and what is in
//! it letters, so that they do not take each other's.

use protocol::Choice;

/// The key of the way back.
pub(crate) const BACK_KEY: char = '0';

const DIGITS: &str = "123456789";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Where a choice stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyClass {
    /// In the list.
    TopLevel,
    /// It is a submenu.
    Submenu,
    /// In a submenu.
    InSubmenu,
}

impl KeyClass {
    /// That of a choice in a submenu. Ways and groups that stand in the list where there is room
    /// belong to their place.
    pub(super) fn in_submenu(choice: &Choice) -> Self {
        let is_always_there =
            choice.is_in_submenu || choice.group.as_ref().is_none_or(|group| group.is_submenu);
        match is_always_there && choice.map_targets.is_empty() {
            true => Self::InSubmenu,
            false => Self::TopLevel,
        }
    }
}

/// Whether choices can have this key.
pub(super) fn is_key(key: char) -> bool {
    key.is_ascii_alphanumeric()
}

/// The keys in the order in which they are given. Who asks for a key that is taken gets the one
/// after it.
pub(super) fn keys_in_order(
    class: KeyClass,
    preferred_key: Option<char>,
) -> impl Iterator<Item = char> {
    let keys = match class {
        KeyClass::TopLevel => [DIGITS, LETTERS, CAPITALS],
        KeyClass::Submenu | KeyClass::InSubmenu => [LETTERS, CAPITALS, DIGITS],
    };
    let keys: Vec<char> = keys.iter().flat_map(|some| some.chars()).collect();
    let start = keys.iter().position(|key| Some(*key) == preferred_key).unwrap_or(0);
    let count = keys.len();
    keys.into_iter().cycle().skip(start).take(count)
}

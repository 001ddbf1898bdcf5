//! The actions of keys: their names, labels and default keys.

use super::keymap::KeyAction;
use base::host_text_id;

/// An action, its name in the key file, its label, and its default keys.
pub(super) type KeyActionRow = (KeyAction, &'static str, &'static str, &'static [&'static str]);

pub(super) const KEY_ACTIONS: [KeyActionRow; 24] = [
    (KeyAction::Up, "up", host_text_id!("up"), &["Up", "k"]),
    (KeyAction::Down, "down", host_text_id!("down"), &["Down", "j"]),
    (KeyAction::Left, "left", host_text_id!("left"), &["Left", "h"]),
    (KeyAction::Right, "right", host_text_id!("right"), &["Right", "l"]),
    (KeyAction::FocusFirst, "first", host_text_id!("first"), &["Home"]),
    (KeyAction::FocusLast, "last", host_text_id!("last"), &["End"]),
    (KeyAction::TakeChoice, "take", host_text_id!("take"), &["Enter"]),
    (KeyAction::ToggleMark, "mark", host_text_id!("mark, or scroll on"), &["Space"]),
    (KeyAction::Examine, "examine", host_text_id!("examine"), &["x"]),
    (KeyAction::Sheet, "sheet", host_text_id!("sheet"), &["c"]),
    (KeyAction::Map, "map", host_text_id!("map"), &["m"]),
    (KeyAction::Explore, "explore", host_text_id!("travel to the nearest unvisited place"), &["o"]),
    (KeyAction::Log, "log", host_text_id!("log"), &["t"]),
    (KeyAction::Search, "search", host_text_id!("search"), &["/"]),
    (KeyAction::NextMatch, "next", host_text_id!("next match"), &["n"]),
    (KeyAction::PageUp, "page_up", host_text_id!("scroll the story back"), &["PgUp"]),
    (KeyAction::PageDown, "page_down", host_text_id!("scroll the story on"), &["PgDn"]),
    (KeyAction::Dice, "dice", host_text_id!("dice in full, or in short"), &["*"]),
    (KeyAction::Help, "help", host_text_id!("help"), &["?", "F1"]),
    (KeyAction::Close, "close", host_text_id!("back"), &["Esc", "q"]),
    (KeyAction::Undo, "undo", host_text_id!("undo"), &["u"]),
    (KeyAction::Reload, "reload", host_text_id!("reload the mods (for authors)"), &["R"]),
    (KeyAction::Console, "console", host_text_id!("open the console"), &[":"]),
    (KeyAction::Leave, "leave", host_text_id!("leave"), &["Q"]),
];

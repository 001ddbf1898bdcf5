//! The key map: which key does which action. All displayed keys come from here, so a rebinding is
//! shown as well. A player's own keys come from a TOML file with one action per line.

use super::key_actions::{KEY_ACTIONS, KeyActionRow};
use base::host_texts::translate_host_text;
use base::{host_text, host_text_id};
use std::collections::BTreeMap;
use std::ops::Range;

use crossterm::event::KeyCode;
use toml::de::{DeTable, DeValue};

use base::problem::nearest_name;
use base::{Code, Problem, SourceLocation, text};

/// Something that a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyAction {
    /// Focus the choice above; increase a number.
    Up,
    /// Focus the choice below; decrease a number.
    Down,
    /// Focus the choice to the left; decrease a number.
    Left,
    /// Focus the choice to the right; increase a number.
    Right,
    /// Focus the first choice or line.
    FocusFirst,
    /// Focus the last choice or line.
    FocusLast,
    /// Take the focused choice.
    TakeChoice,
    /// Mark one of several choices, or scroll the story on.
    ToggleMark,
    /// Examine the focused choice, or one thing after another.
    Examine,
    /// Show everything in the view.
    Sheet,
    /// Show the map.
    Map,
    /// Travel to the nearest unvisited place.
    Explore,
    /// Show the log.
    Log,
    /// Search the log.
    Search,
    /// Go to the next match.
    NextMatch,
    /// Scroll the story back.
    PageUp,
    /// Scroll the story on.
    PageDown,
    /// Show the rolls of the story in full, or as short marks.
    Dice,
    /// Show the keys that work now.
    Help,
    /// Close the overlay or submenu; go back.
    Close,
    /// Undo the last answer, where that is allowed.
    Undo,
    /// Reload the mods from disk.
    Reload,
    /// Open the author's console.
    Console,
    /// Leave the run.
    Leave,
}

impl KeyAction {
    /// Whether it moves the focus.
    pub(super) fn is_movement(self) -> bool {
        matches!(
            self,
            Self::Up | Self::Down | Self::Left | Self::Right | Self::FocusFirst | Self::FocusLast
        )
    }
}

/// Keys with names; other keys are named by their character.
const KEY_NAMES: [(KeyCode, &str); 15] = [
    (KeyCode::Up, host_text_id!("Up")),
    (KeyCode::Down, host_text_id!("Down")),
    (KeyCode::Left, host_text_id!("Left")),
    (KeyCode::Right, host_text_id!("Right")),
    (KeyCode::Home, host_text_id!("Home")),
    (KeyCode::End, host_text_id!("End")),
    (KeyCode::PageUp, host_text_id!("PgUp")),
    (KeyCode::PageDown, host_text_id!("PgDn")),
    (KeyCode::Enter, host_text_id!("Enter")),
    (KeyCode::Esc, host_text_id!("Esc")),
    (KeyCode::Char(' '), host_text_id!("Space")),
    (KeyCode::Tab, host_text_id!("Tab")),
    (KeyCode::Backspace, host_text_id!("Backspace")),
    (KeyCode::Delete, host_text_id!("Delete")),
    (KeyCode::Insert, host_text_id!("Insert")),
];

/// Which key does which action.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// The keys of each action, the displayed one first.
    keys_by_action: BTreeMap<KeyAction, Vec<KeyCode>>,
}

impl Default for Keymap {
    fn default() -> Self {
        let line = |(action, _, _, keys): &KeyActionRow| {
            (*action, keys.iter().filter_map(|key| parse_key_name(key)).collect())
        };
        Self { keys_by_action: KEY_ACTIONS.iter().map(line).collect() }
    }
}

impl Keymap {
    /// The default keys, overridden by a player's key file. Errors in the file are returned and the
    /// entry is skipped.
    pub fn parse(toml_text: &str, file: &str) -> (Self, Vec<Problem>) {
        let mut parser = KeymapParser { toml_text, file_name: file, problems: Vec::new() };
        let map = match DeTable::parse(toml_text) {
            Ok(table) => parser.parse_keymap(Self::default(), table.get_ref()),
            Err(error) => {
                let problem =
                    Problem::error(Code::BadToml, text::strip_unprintable(error.message()));
                parser.report_problem(error.span().unwrap_or(0..0), problem);
                Self::default()
            }
        };
        (map, parser.problems)
    }

    /// These keys, overridden by a player's own: for each action name its keys. Errors are
    /// returned.
    pub fn with_overrides(&self, overrides: &[(String, Vec<String>)]) -> (Self, Vec<Problem>) {
        let line = |(action, keys): &(String, Vec<String>)| {
            let keys: Vec<String> =
                keys.iter().map(|key| toml::Value::from(key.as_str()).to_string()).collect();
            format!("{action} = [{}]\n", keys.join(", "))
        };
        let toml_text: String = overrides.iter().map(line).collect();
        let mut parser =
            KeymapParser { toml_text: &toml_text, file_name: "the settings", problems: Vec::new() };
        let map = match DeTable::parse(&toml_text) {
            Ok(table) => parser.parse_keymap(self.clone(), table.get_ref()),
            Err(error) => {
                let problem =
                    Problem::error(Code::BadToml, text::strip_unprintable(error.message()));
                parser.report_problem(error.span().unwrap_or(0..0), problem);
                self.clone()
            }
        };
        (map, parser.problems)
    }

    /// All actions with their names.
    pub fn actions_with_names() -> impl Iterator<Item = (KeyAction, &'static str)> {
        KEY_ACTIONS.iter().map(|(action, name, ..)| (*action, *name))
    }

    /// The action of a key.
    pub fn action_of_key(&self, code: KeyCode) -> Option<KeyAction> {
        self.keys_by_action.iter().find(|(_, keys)| keys.contains(&code)).map(|(action, _)| *action)
    }

    /// The action that reserves a key at a prompt, so that no choice can have it.
    pub fn reserved_action(&self, key: char) -> Option<KeyAction> {
        // Stepping through search matches does nothing at a prompt.
        self.action_of_key(KeyCode::Char(key)).filter(|action| *action != KeyAction::NextMatch)
    }

    /// The displayed key of an action; empty if it has none.
    pub fn key_text(&self, action: KeyAction) -> String {
        self.keys_by_action
            .get(&action)
            .and_then(|keys| keys.first())
            .map(|key| key_label(*key))
            .unwrap_or_default()
    }

    /// All keys of an action by the names that the key file has.
    pub fn keys_of(&self, action: KeyAction) -> Vec<String> {
        self.keys_by_action.get(&action).into_iter().flatten().map(|key| key_name(*key)).collect()
    }

    /// All keys of an action, as text.
    pub fn all_key_text(&self, action: KeyAction) -> String {
        let keys = self.keys_by_action.get(&action).into_iter().flatten();
        keys.map(|key| key_label(*key)).collect::<Vec<_>>().join(", ")
    }

    /// The notice for a key that does nothing on a page.
    pub(super) fn unused_key_notice(&self, code: KeyCode) -> Option<String> {
        let KeyCode::Char(key) = code else { return None };
        let works_on_page = |action: KeyAction| {
            use KeyAction::{Console, Explore, Leave, Reload, Undo};
            !matches!(action, Explore | Undo | Reload | Leave | Console)
        };
        let is_unused = !self.action_of_key(code).is_some_and(works_on_page);
        is_unused.then(|| host_text!("{key} does nothing on this page", key = key))
    }

    /// The label of an action.
    pub fn action_label(action: KeyAction) -> String {
        let label = KEY_ACTIONS.iter().find(|(of, ..)| *of == action);
        label.map_or(String::new(), |(_, _, does, _)| translate_host_text(does, &[]))
    }
}

/// A key file being parsed.
struct KeymapParser<'a> {
    toml_text: &'a str,
    file_name: &'a str,
    problems: Vec<Problem>,
}

impl KeymapParser<'_> {
    fn report_problem(&mut self, span: Range<usize>, problem: Problem) {
        let before =
            self.toml_text.get(..span.start.min(self.toml_text.len())).unwrap_or(self.toml_text);
        let line = before.matches('\n').count();
        let excerpt = self.toml_text.split('\n').nth(line).unwrap_or_default();
        let number = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let place = SourceLocation::new("", self.file_name, number)
            .with_excerpt(text::strip_unprintable(excerpt));
        self.problems.push(problem.at(place));
    }

    fn parse_keymap(&mut self, mut map: Keymap, table: &DeTable<'_>) -> Keymap {
        let mut overrides: BTreeMap<KeyAction, Vec<(KeyCode, Range<usize>)>> = BTreeMap::new();
        for (name, value) in table {
            let word: &str = name.get_ref();
            let Some((action, ..)) = KEY_ACTIONS.iter().find(|(_, known, ..)| *known == word)
            else {
                let names = || KEY_ACTIONS.iter().map(|(_, name, ..)| *name);
                let problem =
                    Problem::error(Code::UnknownAction, format!("there is no action {word:?}"))
                        .expected(format!("one of {}", names().collect::<Vec<_>>().join(", ")));
                let problem = problem.suggest_name(nearest_name(word, names()));
                self.report_problem(name.span(), problem);
                continue;
            };
            let keys = match value.get_ref() {
                DeValue::Array(list) => {
                    list.iter().map(|key| (key.get_ref(), key.span())).collect()
                }
                one => vec![(one, value.span())],
            };
            let keys: Vec<(&DeValue<'_>, Range<usize>)> = keys;
            let parsed_keys =
                keys.into_iter().filter_map(|(key, span)| self.parse_key(key, span)).collect();
            overrides.insert(*action, parsed_keys);
        }
        for (action, keys) in &overrides {
            let keys: Vec<KeyCode> = keys.iter().map(|(key, _)| *key).collect();
            if !keys.is_empty() {
                map.keys_by_action.insert(*action, keys);
            }
        }
        self.resolve_conflicts(&mut map, &overrides);
        self.problems.sort_by_key(|problem| problem.place.as_ref().map(|place| place.line));
        map
    }

    /// Each key does one action. If the file binds a key twice, the first action keeps it; a key in
    /// the file is taken from actions that the file does not name.
    fn resolve_conflicts(
        &mut self,
        map: &mut Keymap,
        overrides: &BTreeMap<KeyAction, Vec<(KeyCode, Range<usize>)>>,
    ) {
        let mut action_by_key: BTreeMap<String, KeyAction> = BTreeMap::new();
        for (action, keys) in overrides {
            for (key, span) in keys {
                let name = key_name(*key);
                let Some(other) = action_by_key.get(&name).copied().filter(|other| other != action)
                else {
                    action_by_key.insert(name, *action);
                    continue;
                };
                let words = format!(
                    "{name} is bound to two actions: {} and {}",
                    action_name(other),
                    action_name(*action)
                );
                let hint =
                    format!("the first one keeps it; give {} another key", action_name(*action));
                self.report_problem(
                    span.clone(),
                    Problem::error(Code::KeyConflict, words).hint(hint),
                );
                remove_key(map, *action, *key);
            }
        }
        for (action, keys) in overrides {
            for (key, span) in keys {
                let others = KEY_ACTIONS.iter().map(|(other, ..)| *other);
                let others =
                    others.filter(|other| other != action && !overrides.contains_key(other));
                for other in others.collect::<Vec<_>>() {
                    if !map.keys_by_action.get(&other).is_some_and(|keys| keys.contains(key)) {
                        continue;
                    }
                    remove_key(map, other, *key);
                    if map.keys_by_action.get(&other).is_some_and(Vec::is_empty) {
                        let words = format!(
                            "{} was the only key of {}",
                            key_name(*key),
                            action_name(other)
                        );
                        let hint = format!("give {} another key", action_name(other));
                        self.report_problem(
                            span.clone(),
                            Problem::warning(Code::KeyConflict, words).hint(hint),
                        );
                    }
                }
            }
        }
    }

    fn parse_key(
        &mut self,
        value: &DeValue<'_>,
        span: Range<usize>,
    ) -> Option<(KeyCode, Range<usize>)> {
        let name = value.as_str().unwrap_or_default();
        let code = parse_key_name(name);
        if let Some(code) = code
            && !matches!(code, KeyCode::Char('0'..='9'))
        {
            return Some((code, span));
        }
        let why = match code {
            Some(_) => "digits take choices and cannot be bound".to_owned(),
            None => format!(
                "{} is not a key",
                text::strip_unprintable(
                    &value.as_str().map_or_else(|| "this".to_owned(), |name| format!("{name:?}"))
                )
            ),
        };
        let names: Vec<&str> = KEY_NAMES.iter().map(|(_, name)| *name).collect();
        let expected = format!("a character, F1 to F12, or one of {}", names.join(", "));
        self.report_problem(span, Problem::error(Code::UnknownKey, why).expected(expected));
        None
    }
}

fn remove_key(map: &mut Keymap, action: KeyAction, key: KeyCode) {
    map.keys_by_action.entry(action).or_default().retain(|other| *other != key);
}

fn action_name(action: KeyAction) -> &'static str {
    KEY_ACTIONS.iter().find(|(of, ..)| *of == action).map_or("", |(_, name, ..)| name)
}

fn parse_key_name(name: &str) -> Option<KeyCode> {
    if let Some((code, _)) = KEY_NAMES.iter().find(|(_, known)| *known == name) {
        return Some(*code);
    }
    let mut letters = name.chars();
    match (letters.next(), letters.as_str()) {
        (Some(letter), "") if text::is_printable(letter) && letter != '\n' => {
            Some(KeyCode::Char(letter))
        }
        (Some('F'), number) => {
            let number: u8 = number.parse().ok()?;
            (1..=12).contains(&number).then_some(KeyCode::F(number))
        }
        _ => None,
    }
}

/// The name of a key as it is shown.
fn key_label(code: KeyCode) -> String {
    named_key(code).map_or_else(|| key_name(code), |name| translate_host_text(name, &[]))
}

/// The name of a key in the key file.
fn key_name(code: KeyCode) -> String {
    match code {
        KeyCode::Char(letter) if letter != ' ' => letter.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        _ => named_key(code).unwrap_or_default().to_owned(),
    }
}

fn named_key(code: KeyCode) -> Option<&'static str> {
    KEY_NAMES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}

//! A form: rows that set values. Each row uses choices of the prompt, which are then left out of
//! the list of choices. A row is a number with a step down and up, or a selection. Both frontends
//! use this module.

use super::facts;
use crate::kit::text;
use crate::play::view::{Row, Widget};
use crate::play::{Ask, Choice, Input, Prompt, View};

/// The most steps that one typed line takes to set a number.
const MOST_STEPS: usize = 200;

/// A form with the choices that change it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// The label.
    pub label: String,
    /// The rows, in the game's order.
    pub rows: Vec<Line>,
}

/// A row of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The label.
    pub label: String,
    /// The note beside it.
    pub note: String,
    /// How it is changed.
    pub field: Field,
}

/// How a row is changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A number with the choices that decrease and increase it by one.
    Stepper {
        /// The number.
        value: i64,
        /// The choice that subtracts one.
        less: Option<Box<Choice>>,
        /// The choice that adds one.
        more: Option<Box<Choice>>,
    },
    /// A selection of one choice.
    Picks {
        /// The choices.
        choices: Vec<Choice>,
        /// The selected one.
        now: Option<usize>,
    },
}

/// Splits a prompt into its form and the prompt without the form's choices.
pub fn split(prompt: &Prompt, view: &View) -> (Prompt, Option<Form>) {
    let mut rest = prompt.clone();
    let widgets = view.widgets.iter().map(|placed| &placed.widget);
    let mut forms = widgets.filter_map(|widget| match widget {
        Widget::Form { label, rows } => Some((label, rows)),
        _ => None,
    });
    let Some((label, rows)) = forms.next().filter(|_| prompt.ask == Ask::One) else {
        return (rest, None);
    };
    let rows: Vec<Line> = rows.iter().filter_map(|row| line(row, prompt)).collect();
    if rows.is_empty() {
        return (rest, None);
    }
    let shown: Vec<&str> = rows.iter().flat_map(Line::ids).collect();
    rest.choices.retain(|choice| !shown.contains(&choice.id.as_str()));
    (rest, Some(Form { label: facts::line(label), rows }))
}

/// A row with its choices; `None` if the prompt has none for it.
fn line(row: &Row, prompt: &Prompt) -> Option<Line> {
    let found = |id: &String| prompt.choice(id).cloned();
    let field = match &row.stepper {
        Some(stepper) => {
            let [less, more] = [&stepper.less, &stepper.more].map(|id| found(id).map(Box::new));
            less.as_ref().or(more.as_ref())?;
            Field::Stepper { value: stepper.value, less, more }
        }
        None => {
            let choices: Vec<Choice> = row.choices.iter().filter_map(found).collect();
            let now = choices.iter().position(|choice| choice.id == row.now);
            if choices.is_empty() {
                return None;
            }
            Field::Picks { choices, now }
        }
    };
    Some(Line { label: facts::line(&row.label), note: facts::line(&row.note), field })
}

impl Line {
    fn ids(&self) -> Vec<&str> {
        match &self.field {
            Field::Stepper { less, more, .. } => {
                less.iter().chain(more).map(|choice| choice.id.as_str()).collect()
            }
            Field::Picks { choices, .. } => {
                choices.iter().map(|choice| choice.id.as_str()).collect()
            }
        }
    }

    /// The choice that changes the number by one.
    pub fn step(&self, up: bool) -> Option<&Choice> {
        match &self.field {
            Field::Stepper { less, more, .. } => {
                if up {
                    more.as_deref()
                } else {
                    less.as_deref()
                }
            }
            Field::Picks { .. } => None,
        }
    }

    /// The row in words.
    pub fn in_words(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!(" ({})", self.note) };
        match &self.field {
            Field::Stepper { value, .. } => format!("{} {value}{note}", self.label),
            Field::Picks { choices, now } => {
                let each = choices.iter().enumerate().map(|(at, choice)| {
                    let mark = if *now == Some(at) { "selected" } else { "" };
                    let note = match &choice.closed {
                        Some(why) => format!("closed: {}", facts::line(why)),
                        None => facts::line(&choice.note),
                    };
                    let beside = match (&*note, mark) {
                        ("", "") => String::new(),
                        (words, "") | ("", words) => format!(" ({words})"),
                        (note, mark) => format!(" ({note}, {mark})"),
                    };
                    format!("{}{beside}", facts::choice_label(choice))
                });
                format!("{}{note}: {}", self.label, each.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// Why a choice is disabled, without a full stop.
pub fn why_closed(choice: &Choice) -> Option<String> {
    let why = choice.closed.as_ref()?;
    Some(text::clean(&format!("{} is closed: {}", facts::line(&choice.label), facts::line(why))))
}

/// A typed line that sets a row: `atk 9`, `atk +1`, `hands blade`. Setting a number can take
/// several answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    row: String,
    wanted: i64,
    scene: String,
    left: usize,
}

impl Form {
    /// The rows in words, and an example of how to set one.
    pub fn in_words(&self) -> Vec<String> {
        let mut out: Vec<String> = self.rows.iter().map(Line::in_words).collect();
        let first = self.rows.first().map(|row| row.label.to_lowercase()).unwrap_or_default();
        out.push(format!("Set a row by its name and a number or a choice, as in: {first} +1"));
        out
    }

    /// For each row that can be changed, a line that changes it.
    pub fn ways(&self) -> Vec<String> {
        let way = |row: &Line| {
            let open = |choice: &&Choice| choice.closed.is_none();
            let set = match &row.field {
                Field::Stepper { more, less, .. } => {
                    let more = more.as_deref().filter(open).map(|_| "+1");
                    more.or(less.as_deref().filter(open).map(|_| "-1"))?.to_owned()
                }
                Field::Picks { choices, now } => {
                    let now = now.and_then(|now| choices.get(now));
                    let other = choices.iter().filter(open).find(|choice| Some(*choice) != now)?;
                    facts::choice_label(other)
                }
            };
            Some(format!("{} {set}", row.label).to_lowercase())
        };
        self.rows.iter().filter_map(way).collect()
    }

    /// Parses a line that sets a row: the first answer, and the rest of the change. `None` if it
    /// sets no row.
    pub fn read(
        &self,
        line: &str,
        scene: &str,
    ) -> Option<Result<(Option<Setting>, Input), String>> {
        let line = line.trim().to_lowercase();
        let row = self.rows.iter().find(|row| {
            let name = row.label.to_lowercase();
            line.strip_prefix(&name).is_some_and(|rest| rest.starts_with([' ', '+', '-', '=']))
        });
        let Some(row) = row else { return self.picked(&line).map(taken) };
        let rest = line[row.label.to_lowercase().len()..].trim_start_matches(['=', ' ']);
        match &row.field {
            Field::Stepper { value, .. } => {
                let number: i64 = rest.trim_start_matches('+').parse().ok()?;
                let by = rest.starts_with(['+', '-']);
                let wanted = if by { value.saturating_add(number) } else { number };
                let setting = Setting {
                    row: row.label.clone(),
                    wanted,
                    scene: scene.to_owned(),
                    left: MOST_STEPS,
                };
                Some(match setting.step(self) {
                    Some(Ok((setting, input))) => Ok((Some(setting), input)),
                    Some(Err(why)) => Err(why),
                    None => Err(format!("{} is {value}", row.label)),
                })
            }
            Field::Picks { choices, .. } => {
                let wanted = bare(rest);
                // Matched by the label, or by the note beside it.
                let begins = |words: &str| bare(&facts::line(words)).starts_with(&wanted);
                let named = choices.iter().find(|choice| begins(&choice.label));
                let noted = || choices.iter().find(|choice| begins(&choice.note));
                let found = named.or_else(noted).filter(|_| !wanted.is_empty())?;
                Some(taken(found))
            }
        }
    }

    /// The choice with this label, if only one in all rows has it.
    fn picked(&self, words: &str) -> Option<&Choice> {
        let picks = self.rows.iter().flat_map(|row| match &row.field {
            Field::Picks { choices, .. } => choices.as_slice(),
            Field::Stepper { .. } => &[],
        });
        let mut called = picks.filter(|one| bare(&facts::line(&one.label)) == bare(words));
        called.next().filter(|_| called.next().is_none())
    }
}

/// The words in lower case, without a leading "the".
fn bare(words: &str) -> String {
    let words = words.to_lowercase();
    words.strip_prefix("the ").unwrap_or(&words).to_owned()
}

/// The answer that takes a choice of a row, or why it is disabled.
fn taken(choice: &Choice) -> Result<(Option<Setting>, Input), String> {
    match why_closed(choice) {
        Some(why) => Err(why),
        None => Ok((None, Input::Choice(choice.id.clone()))),
    }
}

impl Setting {
    /// The answer to the next prompt; `None` if the change is complete or blocked.
    pub fn go_on(self, prompt: &Prompt, form: &Form) -> Option<(Self, Input)> {
        if prompt.scene != self.scene || self.left == 0 {
            return None;
        }
        self.step(form)?.ok()
    }

    /// Explains why the row stopped before the wanted value.
    pub fn fell_short(&self, form: &Form) -> Option<String> {
        let row = form.rows.iter().find(|row| row.label == self.row)?;
        let Field::Stepper { value, .. } = row.field else { return None };
        let why = match row.step(value < self.wanted) {
            _ if value == self.wanted => return None,
            Some(choice) => why_closed(choice)?,
            None => "it cannot go further".to_owned(),
        };
        Some(format!("{} is {value} now and not {}: {why}", row.label, self.wanted))
    }

    fn step(mut self, form: &Form) -> Option<Result<(Self, Input), String>> {
        let row = form.rows.iter().find(|row| row.label == self.row)?;
        let Field::Stepper { value, .. } = row.field else { return None };
        if value == self.wanted {
            return None;
        }
        let choice = row.step(value < self.wanted)?;
        if let Some(why) = why_closed(choice) {
            return Some(Err(why));
        }
        self.left -= 1;
        Some(Ok((self, Input::Choice(choice.id.clone()))))
    }
}

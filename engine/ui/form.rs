//! A form: rows that set values. Each row uses choices of the prompt, which are then left out of
//! the list of choices. A row is a number with a step down and up, or a selection. Both frontends
//! use this module.

use super::display_text;
use base::host_text;
use base::text;
use protocol::view::{FormRow, Widget};
use protocol::{AcceptedInput, AnswerType, Choice, Prompt, View};

/// The most steps that one typed line takes to set a number.
const MAX_STEPS_PER_LINE: usize = 200;

/// A form with the choices that change it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// The label.
    pub label: String,
    /// The rows, in the game's order.
    pub rows: Vec<FormField>,
}

/// A row of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormField {
    /// The label.
    pub label: String,
    /// The note beside it.
    pub note: String,
    /// How it is changed.
    pub control: FieldControl,
}

/// How a row is changed.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldControl {
    /// A number with the choices that decrease and increase it by one.
    Stepper {
        /// The number.
        value: i64,
        /// The choice that subtracts one.
        decrement: Option<Box<Choice>>,
        /// The choice that adds one.
        increment: Option<Box<Choice>>,
    },
    /// A selection of one choice.
    Select {
        /// The choices.
        choices: Vec<Choice>,
        /// The selected one.
        selected: Option<usize>,
    },
}

/// Splits a prompt into its form and the prompt without the form's choices.
pub fn split_off_form(prompt: &Prompt, view: &View) -> (Prompt, Option<Form>) {
    let mut rest = prompt.clone();
    let widgets = view.widgets.iter().map(|placed| &placed.widget);
    let mut forms = widgets.filter_map(|widget| match widget {
        Widget::Form { label, rows } => Some((label, rows)),
        _ => None,
    });
    let Some((label, rows)) =
        forms.next().filter(|_| prompt.answer_type == AnswerType::SingleChoice)
    else {
        return (rest, None);
    };
    let rows: Vec<FormField> = rows.iter().filter_map(|row| build_field(row, prompt)).collect();
    if rows.is_empty() {
        return (rest, None);
    }
    let form_choice_ids: Vec<&str> = rows.iter().flat_map(FormField::choice_ids).collect();
    rest.choices.retain(|choice| !form_choice_ids.contains(&choice.id.as_str()));
    (rest, Some(Form { label: display_text::markup_on_one_line(label), rows }))
}

/// A row with its choices; `None` if the prompt has none for it.
fn build_field(row: &FormRow, prompt: &Prompt) -> Option<FormField> {
    let find_choice = |id: &String| prompt.choice(id).cloned();
    let control = match &row.stepper {
        Some(stepper) => {
            let [decrement, increment] = [&stepper.decrement_choice, &stepper.increment_choice]
                .map(|id| find_choice(id).map(Box::new));
            decrement.as_ref().or(increment.as_ref())?;
            FieldControl::Stepper { value: stepper.value, decrement, increment }
        }
        None => {
            let choices: Vec<Choice> = row.choices.iter().filter_map(find_choice).collect();
            let selected = choices.iter().position(|choice| choice.id == row.selected);
            if choices.is_empty() {
                return None;
            }
            FieldControl::Select { choices, selected }
        }
    };
    Some(FormField {
        label: display_text::markup_on_one_line(&row.label),
        note: display_text::markup_on_one_line(&row.note),
        control,
    })
}

impl FormField {
    fn choice_ids(&self) -> Vec<&str> {
        match &self.control {
            FieldControl::Stepper { decrement: less, increment: more, .. } => {
                less.iter().chain(more).map(|choice| choice.id.as_str()).collect()
            }
            FieldControl::Select { choices, .. } => {
                choices.iter().map(|choice| choice.id.as_str()).collect()
            }
        }
    }

    /// The choice that changes the number by one.
    pub fn increment_or_decrement_choice(&self, up: bool) -> Option<&Choice> {
        match &self.control {
            FieldControl::Stepper { decrement: less, increment: more, .. } => {
                if up {
                    more.as_deref()
                } else {
                    less.as_deref()
                }
            }
            FieldControl::Select { .. } => None,
        }
    }

    /// The row in words.
    pub fn describe_field(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!(" ({})", self.note) };
        match &self.control {
            FieldControl::Stepper { value, .. } => format!("{} {value}{note}", self.label),
            FieldControl::Select { choices, selected: now } => {
                let each = choices.iter().enumerate().map(|(at, choice)| {
                    let mark = match *now == Some(at) {
                        true => host_text!("selected"),
                        false => String::new(),
                    };
                    let note = match &choice.disabled_because {
                        Some(why) => {
                            host_text!("closed: {why}", why = display_text::markup_on_one_line(why))
                        }
                        None => display_text::markup_on_one_line(&choice.note),
                    };
                    let choice_note = match (&*note, &*mark) {
                        ("", "") => String::new(),
                        (words, "") | ("", words) => format!(" ({words})"),
                        (note, mark) => format!(" ({note}, {mark})"),
                    };
                    format!("{}{choice_note}", display_text::choice_label(choice))
                });
                format!("{}{note}: {}", self.label, each.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// Why a choice is disabled, without a full stop.
pub fn disabled_reason(choice: &Choice) -> Option<String> {
    let why = choice.disabled_because.as_ref()?;
    Some(text::strip_unprintable(&host_text!(
        "{label} is closed: {why}",
        label = display_text::markup_on_one_line(&choice.label),
        why = display_text::markup_on_one_line(why)
    )))
}

/// A typed line that sets a row: `atk 9`, `atk +1`, `hands blade`. Setting a number can take
/// several answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChange {
    row_label: String,
    target_value: i64,
    scene: String,
    steps_remaining: usize,
}

impl Form {
    /// The rows in words, and an example of how to set one.
    pub fn describe_rows(&self) -> Vec<String> {
        let mut out: Vec<String> = self.rows.iter().map(FormField::describe_field).collect();
        let first = self.rows.first().map(|row| row.label.to_lowercase()).unwrap_or_default();
        out.push(host_text!(
            "Set a row by its name and a number or a choice, as in: {line}",
            line = format!("{first} +1")
        ));
        out
    }

    /// For each row that can be changed, a line that changes it.
    pub fn example_lines(&self) -> Vec<String> {
        let example_line = |row: &FormField| {
            let open = |choice: &&Choice| choice.is_enabled();
            let new_value = match &row.control {
                FieldControl::Stepper { increment: more, decrement: less, .. } => {
                    let more = more.as_deref().filter(open).map(|_| "+1");
                    more.or(less.as_deref().filter(open).map(|_| "-1"))?.to_owned()
                }
                FieldControl::Select { choices, selected: now } => {
                    let selected_choice = now.and_then(|now| choices.get(now));
                    let other = choices
                        .iter()
                        .filter(open)
                        .find(|choice| Some(*choice) != selected_choice)?;
                    display_text::choice_label(other)
                }
            };
            Some(format!("{} {new_value}", row.label).to_lowercase())
        };
        self.rows.iter().filter_map(example_line).collect()
    }

    /// Parses a line that sets a row: the first answer, and the rest of the change. `None` if it
    /// sets no row.
    pub fn parse_row_line(
        &self,
        line: &str,
        scene: &str,
    ) -> Option<Result<(Option<RowChange>, AcceptedInput), String>> {
        let line = line.trim().to_lowercase();
        let row = self.rows.iter().find(|row| {
            let name = row.label.to_lowercase();
            line.strip_prefix(&name).is_some_and(|rest| rest.starts_with([' ', '+', '-', '=']))
        });
        let set_by_choice = |choice| accept_row_choice(choice).map(|input| (None, input));
        let Some(row) = row else { return self.find_unique_choice(&line).map(set_by_choice) };
        let rest = line[row.label.to_lowercase().len()..].trim_start_matches(['=', ' ']);
        match &row.control {
            FieldControl::Stepper { value, .. } => {
                let number: i64 = rest.trim_start_matches('+').parse().ok()?;
                let is_relative = rest.starts_with(['+', '-']);
                let target_value = if is_relative { value.saturating_add(number) } else { number };
                let change = RowChange {
                    row_label: row.label.clone(),
                    target_value,
                    scene: scene.to_owned(),
                    steps_remaining: MAX_STEPS_PER_LINE,
                };
                Some(match change.take_row_step(self) {
                    Some(Ok((setting, input))) => Ok((Some(setting), input)),
                    Some(Err(why)) => Err(why),
                    None => Err(host_text!("{label} is {value}", label = row.label, value = value)),
                })
            }
            FieldControl::Select { choices, .. } => {
                let wanted_name = normalize_name(rest);
                // Matched by the label, or by the note beside it.
                let starts_with_wanted = |words: &str| {
                    normalize_name(&display_text::markup_on_one_line(words))
                        .starts_with(&wanted_name)
                };
                let choice_by_label =
                    choices.iter().find(|choice| starts_with_wanted(&choice.label));
                let choice_by_note =
                    || choices.iter().find(|choice| starts_with_wanted(&choice.note));
                let choice =
                    choice_by_label.or_else(choice_by_note).filter(|_| !wanted_name.is_empty())?;
                Some(set_by_choice(choice))
            }
        }
    }

    /// The choice with this label, if only one in all rows has it.
    fn find_unique_choice(&self, words: &str) -> Option<&Choice> {
        let select_choices = self.rows.iter().flat_map(|row| match &row.control {
            FieldControl::Select { choices, .. } => choices.as_slice(),
            FieldControl::Stepper { .. } => &[],
        });
        let mut matching_choices = select_choices.filter(|one| {
            normalize_name(&display_text::markup_on_one_line(&one.label)) == normalize_name(words)
        });
        matching_choices.next().filter(|_| matching_choices.next().is_none())
    }
}

/// The words in lower case, without a leading "the".
fn normalize_name(words: &str) -> String {
    let words = words.to_lowercase();
    words.strip_prefix("the ").unwrap_or(&words).to_owned()
}

/// The answer that takes a choice of a row, or why it is disabled, in the words of the form.
pub fn accept_row_choice(choice: &Choice) -> Result<AcceptedInput, String> {
    choice.accept().map_err(|why| disabled_reason(choice).unwrap_or(why))
}

impl RowChange {
    /// The answer to the next prompt; `None` if the change is complete or blocked.
    pub fn next_row_answer(self, prompt: &Prompt, form: &Form) -> Option<(Self, AcceptedInput)> {
        if prompt.scene != self.scene || self.steps_remaining == 0 {
            return None;
        }
        self.take_row_step(form)?.ok()
    }

    /// Explains why the row stopped before the wanted value.
    pub fn explain_shortfall(&self, form: &Form) -> Option<String> {
        let row = form.rows.iter().find(|row| row.label == self.row_label)?;
        let FieldControl::Stepper { value, .. } = row.control else { return None };
        let why = match row.increment_or_decrement_choice(value < self.target_value) {
            _ if value == self.target_value => return None,
            Some(choice) => disabled_reason(choice)?,
            None => host_text!("it cannot go further"),
        };
        Some(host_text!(
            "{label} is {value} now and not {target}: {why}",
            label = row.label,
            value = value,
            target = self.target_value,
            why = why
        ))
    }

    fn take_row_step(mut self, form: &Form) -> Option<Result<(Self, AcceptedInput), String>> {
        let row = form.rows.iter().find(|row| row.label == self.row_label)?;
        let FieldControl::Stepper { value, .. } = row.control else { return None };
        if value == self.target_value {
            return None;
        }
        let choice = row.increment_or_decrement_choice(value < self.target_value)?;
        self.steps_remaining -= 1;
        Some(accept_row_choice(choice).map(|input| (self, input)))
    }
}

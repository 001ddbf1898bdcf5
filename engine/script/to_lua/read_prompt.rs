//! Reads a prompt from a scene's table, strictly.

use base::text::escape_markup;
use base::{Code, Problem, TextOverrides, limits, quote};
use protocol::choice_group::parse_preferred_key;
use protocol::prompt::OddsBand;
use protocol::{AnswerType, Choice, Odds, Prompt};

use super::read_view::read_card;
use super::scene_groups::SceneGroups;
use crate::values::data_path::DataPath;
use crate::values::read_fields::{FieldReader, LIST_PART_KEY, wrong_type_problem};
use crate::values::value_ref::ValueRef;

const PROMPT_FIELDS: &[&str] =
    &["text", "ask", "min", "max", "default", "max_length", "choices", "repeats", "values"];
const CHOICE_FIELDS: &[&str] = &[
    "id",
    "label",
    "note",
    "cost",
    "gains",
    "group",
    "key",
    "in_submenu",
    "back",
    "confirm",
    "disabled_because",
    "odds",
    "card",
    "map_target",
    "hint",
    "on",
    "with",
    "values",
];
const ODDS_FIELDS: &[&str] = &["label", "of", "bands", "values", LIST_PART_KEY];
const BAND_FIELDS: &[&str] = &["label", "cases", "tone"];
const BAND_TONES: &[&str] = &["", "good", "fair", "poor", "bad"];

/// What reading a prompt needs to know.
#[derive(Clone, Copy, Default)]
pub(crate) struct PromptContext<'a> {
    /// The order of outcome names, best first, for odds from `odds`.
    pub(crate) odds_rankings: &'a [Vec<String>],
    /// The groups that choices may belong to.
    pub(crate) groups: SceneGroups<'a>,
    /// The text overrides.
    pub(crate) text_overrides: Option<&'a TextOverrides>,
}

/// Reads a prompt. `check_prompt` looks for dead ends after choices of other mods were added.
pub(crate) fn read_prompt(
    scene: &str,
    value: &ValueRef<'_>,
    context: PromptContext<'_>,
) -> Result<Prompt, Problem> {
    let fields = FieldReader::open_table(
        value,
        DataPath::root("prompt", context.text_overrides),
        PROMPT_FIELDS,
    )?;
    let choices = fields.read_list("choices", limits::MAX_CHOICES_PER_PROMPT, |value, path| {
        read_choice(value, path, context)
    })?;
    let ask = read_answer_type(&fields, choices.len())?;
    if !choices.is_empty() && matches!(ask, AnswerType::Number { .. } | AnswerType::Text { .. }) {
        let message = "prompt.choices is not allowed when ask is number or text";
        return Err(Problem::error(Code::WrongType, message)
            .expected(r#"`choices` only with `ask = "one"` or `ask = "many"`"#));
    }
    let text = fields.read_text_or_empty("text")?;
    let repeats = fields.read_flag("repeats")?;
    Ok(Prompt { scene: scene.to_owned(), text, answer_type: ask, choices, repeats })
}

fn read_answer_type(fields: &FieldReader<'_>, choices: usize) -> Result<AnswerType, Problem> {
    let answer_kind =
        fields.read_one_of_words("ask", &["one", "many", "number", "text"])?.unwrap_or("one");
    let used_fields: &[&'static str] = match answer_kind {
        "many" => &["min", "max"],
        "number" => &["min", "max", "default"],
        "text" => &["max_length", "default"],
        _ => &[],
    };
    let unused_field = ["min", "max", "default", "max_length"]
        .into_iter()
        .find(|name| fields.field_value(name).is_some() && !used_fields.contains(name));
    if let Some(unused_field) = unused_field {
        let message =
            format!("{} has no effect when ask is {answer_kind}", fields.path.field(unused_field));
        let expected = if used_fields.is_empty() {
            "no such field".to_owned()
        } else {
            used_fields.join(", ")
        };
        return Err(Problem::error(Code::UnknownField, message).expected(expected));
    }
    match answer_kind {
        "many" => read_multiple_choice(fields, choices),
        "number" => read_number_answer(fields),
        "text" => read_text_answer(fields),
        _ => Ok(AnswerType::SingleChoice),
    }
}

fn read_multiple_choice(fields: &FieldReader<'_>, choices: usize) -> Result<AnswerType, Problem> {
    let min = read_count(fields, "min", 0)?;
    let max = read_count(fields, "max", choices)?;
    if min > max {
        return Err(min_above_max_problem(min, max));
    }
    Ok(AnswerType::MultipleChoice { min, max })
}

fn read_count(
    fields: &FieldReader<'_>,
    name: &'static str,
    default: usize,
) -> Result<usize, Problem> {
    let Some(number) = fields.read_int(name)? else { return Ok(default) };
    usize::try_from(number).map_err(|_| {
        wrong_type_problem(
            &fields.path.field(name),
            &ValueRef::Int(number),
            "a whole number from 0",
        )
    })
}

fn read_number_answer(fields: &FieldReader<'_>) -> Result<AnswerType, Problem> {
    let (min, max) = (fields.read_required_int("min")?, fields.read_required_int("max")?);
    if min > max {
        return Err(min_above_max_problem(min, max));
    }
    let default = fields.read_int("default")?.unwrap_or(min);
    if default < min || default > max {
        let path = fields.path.field("default");
        return Err(wrong_type_problem(
            &path,
            &ValueRef::Int(default),
            &format!("from {min} to {max}"),
        ));
    }
    Ok(AnswerType::Number { min, max, default })
}

fn read_text_answer(fields: &FieldReader<'_>) -> Result<AnswerType, Problem> {
    let max_length = read_count(fields, "max_length", 80)?;
    let default = fields.read_text_or_empty("default")?;
    if max_length == 0 || default.chars().count() > max_length {
        let message = format!("prompt.max_length {max_length} is too short for an answer");
        return Err(Problem::error(Code::WrongType, message)
            .expected("at least 1, and at least the length of the default"));
    }
    Ok(AnswerType::Text { max_length, default })
}

fn min_above_max_problem(min: impl std::fmt::Display, max: impl std::fmt::Display) -> Problem {
    Problem::error(Code::DeadEnd, format!("prompt asks for at least {min} and at most {max}"))
        .expected("min no larger than max")
}

/// Reads one choice.
pub(crate) fn read_choice(
    value: &ValueRef<'_>,
    path: &DataPath<'_>,
    context: PromptContext<'_>,
) -> Result<Choice, Problem> {
    let fields = FieldReader::open_table(value, *path, CHOICE_FIELDS)?;
    fields.require_field("id", "a text, unique in the prompt")?;
    let id = fields.read_word("id")?.unwrap_or_default().to_owned();
    check_choice_id(&fields.path, &id)?;
    Ok(Choice {
        label: fields.read_required_text("label")?,
        note: fields.read_text_or_empty("note")?,
        cost: fields.read_text_or_empty("cost")?,
        gains: fields.read_text_or_empty("gains")?,
        group: fields
            .read_optional_field("group", |value, path| context.groups.find_group(value, path))?,
        preferred_key: fields.read_optional_field("key", read_choice_key)?,
        is_in_submenu: fields.read_flag("in_submenu")?,
        is_back_choice: fields.read_flag("back")?,
        confirm: fields.read_text_or_empty("confirm")?,
        disabled_because: fields.read_text("disabled_because")?,
        odds: fields.read_optional_field("odds", |value, path| match find_case_counts(value) {
            Some(case_counts) => odds_from_counts(case_counts, path, context.odds_rankings),
            None => read_odds(value, path),
        })?,
        card: fields.read_optional_field("card", read_card)?,
        map_targets: read_map_targets(&fields)?,
        bot_hint: fields.read_any_value("hint"),
        handler_name: fields.read_word("on")?.map(str::to_owned),
        handler_data: fields.read_any_value("with"),
        id,
    })
}

/// The requested key.
fn read_choice_key(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<char, Problem> {
    let preferred_key = value.as_text().and_then(parse_preferred_key);
    preferred_key.ok_or_else(|| wrong_type_problem(path, value, "one letter or digit"))
}

/// The map nodes that a choice leads to: one id, or a list of ids.
fn read_map_targets(fields: &FieldReader<'_>) -> Result<Vec<String>, Problem> {
    if let Some(ValueRef::Text(id)) = fields.field_value("map_target") {
        return Ok(vec![(*id).to_string()]);
    }
    fields.read_list("map_target", limits::MAX_WIDGET_ENTRIES, |value, path| {
        let id = value
            .as_text()
            .ok_or_else(|| wrong_type_problem(path, value, "the id of a map node"))?;
        Ok(id.to_owned())
    })
}

/// People type the id of a choice, and journals store it: no spaces, no special characters.
fn check_choice_id(path: &DataPath<'_>, id: &str) -> Result<(), Problem> {
    let is_valid = !id.is_empty()
        && id.len() <= 2 * limits::MAX_ID_PART_BYTES
        && id.chars().all(|c| c.is_ascii_alphanumeric() || "_:.-/#".contains(c));
    if is_valid {
        return Ok(());
    }
    Err(Problem::error(Code::WrongType, format!("{path}.id is the text {}", quote(id)))
        .expected("letters, digits and _ : . - / # without spaces"))
}

/// The cases by name, if the odds come from `odds`: `{ of = 20, full = 6, failure = 14 }`.
fn find_case_counts<'v>(value: &'v ValueRef<'v>) -> Option<Vec<(&'v str, i64)>> {
    let ValueRef::Map(map) = value else { return None };
    let case_counts: Option<Vec<_>> =
        map.iter().map(|(name, cases)| Some((&**name, cases.as_int()?))).collect();
    case_counts.filter(|counts| counts.len() > 1 && counts.iter().any(|(name, _)| *name == "of"))
}

/// Odds from `odds`, in the order in which they were counted; without a ranking by name, with
/// failure last.
fn odds_from_counts(
    case_counts: Vec<(&str, i64)>,
    path: &DataPath<'_>,
    rankings: &[Vec<String>],
) -> Result<Odds, Problem> {
    let declared_total =
        case_counts.iter().find(|(name, _)| *name == "of").map_or(0, |(_, of)| *of);
    let mut bands: Vec<OddsBand> = Vec::new();
    for (name, cases) in case_counts.into_iter().filter(|(name, _)| *name != "of") {
        let cases = read_case_count(cases, &path.field(name))?;
        bands.push(OddsBand { label: escape_markup(name), case_count: cases, tone: String::new() });
    }
    let covers_bands = |ranking: &&Vec<String>| {
        bands.iter().all(|band| ranking.iter().any(|name| escape_markup(name) == band.label))
    };
    match rankings.iter().rev().find(covers_bands) {
        Some(ranking) => bands
            .sort_by_key(|band| ranking.iter().position(|name| escape_markup(name) == band.label)),
        None => bands.sort_by(|a, b| {
            (a.label == "failure", &a.label).cmp(&(b.label == "failure", &b.label))
        }),
    }
    check_odds_total(declared_total, &bands, path)?;
    Ok(Odds { label: String::new(), total_cases: declared_total.unsigned_abs(), bands })
}

/// A number of cases. Larger ones could overflow in a sum, and no dice come near.
fn read_case_count(cases: i64, path: &DataPath<'_>) -> Result<u64, Problem> {
    let cases_problem = || wrong_type_problem(path, &ValueRef::Int(cases), "a whole number from 0");
    u64::try_from(cases).ok().filter(|cases| *cases <= 1 << 53).ok_or_else(cases_problem)
}

fn read_odds(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<Odds, Problem> {
    let fields = FieldReader::open_table(value, *path, ODDS_FIELDS).map_err(|problem| {
        problem.hint("the bands as a list: { of = 20, { label = \"full\", cases = 6 }, … }")
    })?;
    let declared_total = fields.read_required_int("of")?;
    let bands_field =
        if fields.field_value(LIST_PART_KEY).is_some() { LIST_PART_KEY } else { "bands" };
    let bands = fields.read_list(bands_field, 64, read_band)?;
    let total = check_odds_total(declared_total, &bands, path)?;
    Ok(Odds { label: fields.read_text_or_empty("label")?, total_cases: total, bands })
}

/// The total number of cases, which must be the sum of the bands.
fn check_odds_total(
    declared_total: i64,
    bands: &[OddsBand],
    path: &DataPath<'_>,
) -> Result<u64, Problem> {
    let sum: u64 = bands.iter().map(|band| band.case_count).sum();
    if u64::try_from(declared_total) != Ok(sum) || sum == 0 {
        let message = format!("the cases in {path} add up to {sum}, but `of` is {declared_total}");
        return Err(Problem::error(Code::BadOdds, message)
            .expected("at least one case, and cases that add up to `of`")
            .hint("pass the result of odds(…), which counts every case, or list every outcome"));
    }
    Ok(sum)
}

fn read_band(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<OddsBand, Problem> {
    let fields = FieldReader::open_table(value, *path, BAND_FIELDS)?;
    let cases = read_case_count(fields.read_required_int("cases")?, &fields.path.field("cases"))?;
    let tone = fields.read_one_of_words("tone", BAND_TONES)?.unwrap_or_default().to_owned();
    Ok(OddsBand { label: fields.read_required_text("label")?, case_count: cases, tone })
}

/// Checks a whole prompt: unique ids, and at least one possible answer.
pub(crate) fn check_prompt(prompt: &Prompt) -> Result<(), Problem> {
    let dead_end = |reason: String| {
        Problem::error(Code::DeadEnd, format!("the prompt of {} {reason}", prompt.scene))
            .expected("at least one choice that is open")
            .hint("a scene without a question should go to another scene or finish the run")
    };
    for (index, choice) in prompt.choices.iter().enumerate() {
        if prompt.choices[..index].iter().any(|earlier_choice| earlier_choice.id == choice.id) {
            let message = format!("two choices of {} have the id {:?}", prompt.scene, choice.id);
            return Err(Problem::error(Code::DuplicateId, message)
                .expected("ids that are unique in the prompt"));
        }
    }
    if prompt.choices.len() > limits::MAX_CHOICES_PER_PROMPT {
        return Err(Problem::error(Code::TooMany, format!("{} choices", prompt.choices.len()))
            .expected(format!("at most {}", limits::MAX_CHOICES_PER_PROMPT)));
    }
    let open_count = prompt.choices.iter().filter(|choice| choice.is_enabled()).count();
    match prompt.answer_type {
        AnswerType::SingleChoice if prompt.choices.is_empty() => {
            Err(dead_end("has no choices".to_owned()))
        }
        AnswerType::SingleChoice if open_count == 0 => {
            Err(dead_end(format!("has no open choice: {} closed", prompt.choices.len())))
        }
        AnswerType::MultipleChoice { min, .. } if open_count < min => Err(dead_end(format!(
            "asks for {min} choices, but the number of open ones is {open_count}"
        ))),
        _ => Ok(()),
    }
}

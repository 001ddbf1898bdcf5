//! Options of a roll, and the judge that names its outcome. The same judge names rolled dice and
//! computed odds, so the odds shown are exact.
//!
//! A judge receives the dice in the order of `dice::FaceCombination`, so it cannot depend on the
//! order of equal dice.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::borrow::Cow;

use super::host_fn::{HostCall, HostFnParam};
use crate::host::phase::Permit;
use crate::host::upvalues;
use crate::source_text::describe_value::describe_lua_value;
use crate::values::data_path::DataPath;
use crate::values::plain_data::{BorrowingVisitor, MixedTablePolicy, not_plain_error};
use crate::values::read_fields::{FieldReader, wrong_type_problem};
use crate::values::value_ref::{NamedValue, ValueRef};
use base::{Code, Problem, host_text_id, limits, meter};
use luau::{CallError, LuaType, StackIndex, TableReader};
use protocol::story_event::Modifier;

/// The outcome below the lowest threshold; for rolls under, above the highest.
pub const FAILURE_OUTCOME: &str = host_text_id!("failure");
/// The key under which `odds` returns the total number of cases.
pub(super) const TOTAL_CASES_KEY: &str = "of";
/// The reader that read-only errors name while a judge runs.
const JUDGE_READER_NAME: &str = "the judge of a roll";

/// The options of a roll.
#[derive(Default)]
pub(super) struct RollOptions {
    pub(super) label: String,
    pub(super) modifiers: Vec<Modifier>,
    pub(super) target: Option<i64>,
    pub(super) judge: Option<Judge>,
    /// Whether the roll is not shown.
    pub(super) is_silent: bool,
    /// Whether it stays open for changes before it is shown.
    pub(super) stays_open: bool,
    /// Whether a threshold is reached by that number or less.
    pub(super) rolls_under: bool,
    /// Changes that may be made to the roll; and its outcomes, best first.
    pub(super) possible_changes: Vec<String>,
    pub(super) best_outcomes: Vec<String>,
}

const ROLL_OPTION_NAMES: &[&str] = &[
    "label",
    "modifiers",
    "target",
    "outcome",
    "values",
    "silent",
    "open",
    "roll_under",
    "changes",
    "best_outcomes",
];

impl HostFnParam for RollOptions {
    type Value<'c> = Self;
    const LUAU_TYPE: &'static str = "About?";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<Self> {
        let stack = call.stack;
        match stack.lua_type(index) {
            LuaType::Nil => return Ok(Self::default()),
            LuaType::Table => {}
            _ => {
                let options_value: mlua::Value = stack.read_value(&call.lua(), index)?;
                let message = format!(
                    "{} got {} as the options of the roll",
                    call.name,
                    describe_lua_value(&options_value)
                );
                return Err(Problem::error(Code::WrongType, message)
                    .expected("a table: { label, modifiers, target, outcome, … }")
                    .into_lua_err());
            }
        }
        let host_bytes_before = meter::counted_host_bytes();
        // A judge function is called in place: above the arguments.
        stack.push_text("outcome");
        stack.raw_get(index);
        let judge_index = stack.top();
        let judge = match stack.lua_type(judge_index) {
            LuaType::Nil => None,
            _ => Some(Judge::read_judge(call, judge_index).into_lua_err()?),
        };
        let fields = ValueRef::Map(Self::read_options_without_judge(call, index)?);
        let fields = FieldReader::open_table(
            &fields,
            DataPath::root("about", call.host.active_text_overrides()),
            ROLL_OPTION_NAMES,
        )
        .into_lua_err()?;
        let modifiers = fields
            .read_list("modifiers", limits::MAX_ROLL_MODIFIERS, |value, path| {
                let fields = FieldReader::open_table(value, *path, &["label", "value", "values"])?;
                let (label, value) =
                    (fields.read_required_text("label")?, fields.read_required_int("value")?);
                Ok(Modifier { label, value })
            })
            .into_lua_err()?;
        let change_texts = fields
            .read_list("changes", limits::MAX_ROLL_MODIFIERS, |value, path| match value {
                ValueRef::Int(number) => Ok(format!("{number:+}")),
                other => read_text_or_wrong_type(
                    other,
                    path,
                    "\"+1d6\", \"-1d6\", \"again\", \"better\" or a whole number",
                ),
            })
            .into_lua_err()?;
        let best_names = fields
            .read_list("best_outcomes", limits::MAX_ROLL_MODIFIERS, |value, path| {
                let name = read_text_or_wrong_type(value, path, "a name")?;
                check_name_length(name.as_bytes()).map(|()| name)
            })
            .into_lua_err()?;
        let options = Self {
            label: fields.read_text_or_empty("label").into_lua_err()?,
            modifiers,
            target: fields.read_int("target").into_lua_err()?,
            judge,
            is_silent: fields.read_flag("silent").into_lua_err()?,
            stays_open: fields.read_flag("open").into_lua_err()?,
            rolls_under: fields.read_flag("roll_under").into_lua_err()?,
            possible_changes: change_texts,
            best_outcomes: best_names,
        };
        // Only the output is kept.
        meter::set_counted_host_bytes(host_bytes_before);
        Ok(options)
    }
}

fn read_text_or_wrong_type(
    value: &ValueRef<'_>,
    path: &DataPath<'_>,
    expected: &str,
) -> Result<String, Problem> {
    value.as_text().map(str::to_owned).ok_or_else(|| wrong_type_problem(path, value, expected))
}

impl RollOptions {
    /// The options without the judge. Each is read and charged separately.
    fn read_options_without_judge<'c>(
        call: &HostCall<'c>,
        options_index: StackIndex,
    ) -> mlua::Result<Vec<NamedValue<'c>>> {
        let (stack, mut fields) = (call.stack, Vec::new());
        let name_index = stack.top() + 1;
        let mut position = stack.push_next_entry(options_index, 0);
        while position >= 0 {
            let field_name = stack.text(name_index).unwrap_or_default();
            if field_name != "outcome" {
                let mut visitor = BorrowingVisitor(call.host);
                let mut reader = TableReader::new(&mut visitor);
                let value = reader.read_value(stack, name_index + 1);
                let value_path = format_args!("about.{field_name}");
                let value = value.map_err(|error| {
                    not_plain_error(&value_path, *error, MixedTablePolicy::Reject)
                })?;
                meter::charge_units(1);
                call.host.check_fuel_budget().into_lua_err()?;
                fields.push((Cow::Borrowed(field_name), value));
            }
            stack.set_top(name_index - 1);
            position = stack.push_next_entry(options_index, position);
        }
        Ok(fields)
    }

    /// The total of dice and modifiers.
    pub(super) fn total_with_modifiers(&self, dice: i64) -> i64 {
        self.modifiers.iter().fold(dice, |total, modifier| total.saturating_add(modifier.value))
    }
}

/// Names the outcome of a total.
#[derive(Clone)]
pub(super) enum Judge {
    /// Names with the number that each needs, highest first.
    Thresholds(Vec<(i64, String)>),
    /// A function of the total and the parts, at a stack index.
    Function(StackIndex),
}

/// The data of a roll that a judge receives.
#[derive(Clone, Copy)]
pub(super) struct JudgedRoll<'s> {
    pub(super) total: i64,
    pub(super) natural: Option<i64>,
    /// The faces; `None` if they were not enumerated.
    pub(super) dice: Option<&'s [u32]>,
}

impl Judge {
    pub(super) fn read_judge(call: &HostCall<'_>, index: StackIndex) -> Result<Self, Problem> {
        let stack = call.stack;
        let judge_problem = |message: &str| {
            Problem::error(Code::WrongType, format!("{} got {message}", call.name))
                .expected("thresholds such as { full = 18, partial = 13 }, or a function")
        };
        match stack.lua_type(index) {
            LuaType::Function => Ok(Self::Function(index)),
            LuaType::Table => {
                let mut thresholds = Vec::new();
                let name_index = stack.top() + 1;
                let mut position = stack.push_next_entry(index, 0);
                while position >= 0 {
                    let threshold = stack.number(name_index + 1);
                    let is_whole = stack.lua_type(name_index + 1) == LuaType::Number
                        && threshold == threshold.trunc();
                    match stack.text_bytes(name_index) {
                        Some(outcome_bytes) if is_whole => {
                            check_name_length(outcome_bytes)?;
                            // The name is sorted, ranked and returned.
                            meter::charge_units(1);
                            let outcome_name = String::from_utf8_lossy(outcome_bytes).into_owned();
                            thresholds.push((threshold as i64, outcome_name));
                        }
                        _ => {
                            return Err(judge_problem(
                                "thresholds that are not names with whole numbers",
                            ));
                        }
                    }
                    stack.set_top(name_index - 1);
                    position = stack.push_next_entry(index, position);
                }
                thresholds.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
                Ok(Self::Thresholds(thresholds))
            }
            _ => {
                let judge_value = stack.read_value::<mlua::Value>(&call.lua(), index);
                let value_text = judge_value
                    .map_or_else(|_| "something".to_owned(), |given| describe_lua_value(&given));
                Err(judge_problem(&format!("{value_text} as a judge")))
            }
        }
    }

    /// The outcome of a roll; `None` if the judge needs dice that were not passed.
    pub(super) fn name_outcome(
        &self,
        call: &HostCall<'_>,
        rolls_under: bool,
        judged_roll: JudgedRoll<'_>,
    ) -> Result<Option<String>, CallError> {
        match self {
            Self::Thresholds(thresholds) => Ok(Some(
                find_reached_threshold(thresholds, judged_roll.total, rolls_under).to_owned(),
            )),
            Self::Function(judge) => {
                let (wants_dice, top) = (&call.host.call_scope.judge_needs_dice, call.stack.top());
                wants_dice.set(false);
                let name = call_judge(call, *judge, judged_roll);
                if wants_dice.replace(false) {
                    call.stack.set_top(top);
                    return Ok(None);
                }
                name.map(Some)
            }
        }
    }

    /// All outcomes, best first, if the judge determines them.
    pub(super) fn list_outcomes_best_first(&self, rolls_under: bool) -> Option<Vec<&str>> {
        let Self::Thresholds(thresholds) = self else { return None };
        let mut best_first: Vec<&str> = thresholds.iter().map(|(_, name)| &**name).collect();
        if rolls_under {
            best_first.reverse();
        }
        best_first.push(FAILURE_OUTCOME);
        Some(best_first)
    }
}

/// Calls a judge function.
fn call_judge(
    call: &HostCall<'_>,
    judge: StackIndex,
    judged_roll: JudgedRoll<'_>,
) -> Result<String, CallError> {
    let stack = call.stack;
    let _permit = call.host.execution_mode.restrict_permit(Permit::ReadOnly(JUDGE_READER_NAME));
    let top = stack.top();
    stack.push_copy(upvalues::ERROR_HANDLER_UPVALUE);
    stack.push_copy(judge);
    stack.push_number(judged_roll.total as f64);
    stack.push_table(0, 4);
    let parts = stack.top();
    if let Some(natural) = judged_roll.natural {
        stack.push_number(natural as f64);
        stack.set_field(parts, "natural");
    }
    stack.push_number(judged_roll.total as f64);
    stack.set_field(parts, "total");
    match judged_roll.dice {
        Some(dice) => {
            stack.push_list(dice, false, |face| stack.push_number(f64::from(*face)));
            stack.set_field(parts, "dice");
        }
        None => {
            stack.push_copy(upvalues::HIDDEN_DICE_METATABLE_UPVALUE);
            stack.set_metatable(parts);
        }
    }
    if !stack.protected_call(2, 1, top + 1) {
        return Err(CallError::ErrorOnStack);
    }
    let name = read_outcome_name(call, top + 2, judged_roll.total)?.into_owned();
    stack.set_top(top);
    Ok(name)
}

/// The outcome that a judge function returned.
fn read_outcome_name<'c>(
    call: &HostCall<'c>,
    index: StackIndex,
    total: i64,
) -> Result<Cow<'c, str>, CallError> {
    match call.stack.text_bytes(index) {
        Some(name) if name != TOTAL_CASES_KEY.as_bytes() => {
            check_name_length(name)?;
            Ok(String::from_utf8_lossy(name))
        }
        _ => {
            let result_value: mlua::Value = call.stack.read_value(&call.lua(), index)?;
            let message = format!(
                "the judge of a roll returned {} for a total of {total}",
                describe_lua_value(&result_value)
            );
            Err(Problem::error(Code::WrongType, message)
                .expected(format!("a name for the outcome, other than {TOTAL_CASES_KEY:?}"))
                .into())
        }
    }
}

/// Refuses a name that is too long to be shown: there may be very many of them.
fn check_name_length(name: &[u8]) -> Result<(), Problem> {
    if name.len() <= limits::MAX_OUTCOME_NAME_BYTES {
        return Ok(());
    }
    let message = format!("an outcome of a roll has a name of {} bytes", name.len());
    Err(Problem::error(Code::BadArgument, message)
        .expected(format!("a name of at most {} bytes", limits::MAX_OUTCOME_NAME_BYTES)))
}

/// The threshold that a total reaches: the highest, or for rolls under the lowest. The list is
/// sorted from the highest.
pub(super) fn find_reached_threshold(
    thresholds: &[(i64, String)],
    total: i64,
    rolls_under: bool,
) -> &str {
    let threshold = match rolls_under {
        false => {
            thresholds.get(thresholds.partition_point(|(needed_total, _)| *needed_total > total))
        }
        true => {
            let above_count =
                thresholds.partition_point(|(needed_total, _)| *needed_total >= total);
            above_count.checked_sub(1).and_then(|index| thresholds.get(index))
        }
    };
    threshold.map_or(FAILURE_OUTCOME, |(_, name)| name)
}

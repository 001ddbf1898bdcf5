//! The ways in which an award is paid: values add up, the greatest is kept, or the last replaces
//! what was there. An award keeps what is not added under the name of its mode.

use std::sync::Arc;

use super::award::{explain_type_mismatch, find_award_type_conflict, pay_award};
use super::profile_parts::{mod_of_table_name, mod_table_name, profile_part};
use base::Value;
use base::value::ValueMap;

/// A way to pay an award.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwardMode {
    /// Whole numbers add up, lists are appended, tables merge, other values are replaced.
    Add,
    /// Of two whole numbers the greater is kept; tables merge.
    Max,
    /// The value replaces what was there.
    Set,
}

/// All modes.
const AWARD_MODES: [AwardMode; 3] = [AwardMode::Add, AwardMode::Max, AwardMode::Set];

impl AwardMode {
    /// The word with which a script names it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Max => "max",
            Self::Set => "set",
        }
    }

    /// The mode of a word.
    pub fn parse(word: &str) -> Option<Self> {
        AWARD_MODES.into_iter().find(|mode| mode.word() == word)
    }

    /// The name under which an award keeps what is paid in this mode; what adds up is the award
    /// itself.
    fn name_in_award(self) -> Option<&'static str> {
        match self {
            Self::Add => None,
            Self::Max => Some("=max"),
            Self::Set => Some("=set"),
        }
    }
}

/// Whether a name of an award stands for a mode.
pub(super) fn is_mode_name(name: &str) -> bool {
    name.starts_with('=')
}

/// Who is paid, and how.
#[derive(Clone, Copy, Debug)]
pub struct AwardTarget<'t> {
    /// The mod into whose table it is paid; `None` for the game.
    pub mod_id: Option<&'t str>,
    /// The way to pay.
    pub mode: AwardMode,
}

impl AwardTarget<'_> {
    /// What the game adds.
    pub const GAME_SUM: Self = Self { mod_id: None, mode: AwardMode::Add };

    /// Why an award cannot be paid to what is there, if so. `present` is what its owner sees.
    pub fn find_type_conflict(&self, present: &Value, award: &ValueMap) -> Option<String> {
        let present = present.as_map()?;
        if self.mode == AwardMode::Set {
            return award.iter().find_map(|(name, value)| {
                let why = explain_type_mismatch(present.get(name)?, value)?;
                Some(format!("award.{name} {why}"))
            });
        }
        let no_number = || find_non_integer(award, "award");
        let wrong = (self.mode == AwardMode::Max).then(no_number).flatten();
        wrong.or_else(|| find_award_type_conflict(present, award))
    }

    /// Why a name is paid in two ways in one run, if one is.
    pub(super) fn find_mode_conflict(&self, awarded: &Value, award: &ValueMap) -> Option<String> {
        AWARD_MODES.into_iter().filter(|mode| *mode != self.mode).find_map(|mode| {
            let other = Self { mode, ..*self }.part_of_award(awarded);
            let name = award.keys().find(|name| other.get(name).is_some())?;
            Some(format!("award.{name} was paid with \"{}\" earlier in this run", mode.word()))
        })
    }

    /// What an award pays to this owner in this mode.
    pub(super) fn part_of_award(&self, award: &Value) -> Value {
        let modal = match self.mode.name_in_award() {
            Some(name) => award.get(name),
            None => Some(award),
        };
        modal.map_or_else(Value::map, |modal| profile_part(modal, self.mod_id).into_owned())
    }

    /// Adds an award to what a run has awarded so far.
    pub(super) fn add_to(&self, awarded: &mut ValueMap, award: &ValueMap) -> Result<(), String> {
        let mut table = awarded;
        let mode_name = self.mode.name_in_award().map(Arc::from);
        for name in mode_name.into_iter().chain(self.mod_id.map(mod_table_name)) {
            let Value::Map(inner) = table.entry(name).or_insert_with(Value::map) else {
                return Ok(());
            };
            table = inner;
        }
        match self.mode {
            AwardMode::Add => pay_award(table, award)?,
            AwardMode::Max | AwardMode::Set => pay_entries(table, award, self.mode),
        }
        Ok(())
    }
}

/// What an award pays to one owner, in all modes together.
pub fn award_part(award: &Value, mod_id: Option<&str>) -> Value {
    let mut all = ValueMap::new();
    for mode in AWARD_MODES {
        if let Value::Map(part) = (AwardTarget { mod_id, mode }).part_of_award(award) {
            all.extend(part);
        }
    }
    Value::Map(all)
}

/// Pays what an award does not add.
pub(super) fn pay_modes(data: &mut ValueMap, award: &ValueMap) {
    for mode in [AwardMode::Max, AwardMode::Set] {
        let modal = mode.name_in_award().and_then(|name| award.get(name));
        let Some(Value::Map(modal)) = modal else { continue };
        for (name, value) in modal {
            match value {
                Value::Map(part) if mod_of_table_name(name).is_some() => {
                    let table = data.entry(name.clone()).or_insert_with(Value::map);
                    if let Value::Map(table) = table {
                        pay_entries(table, part, mode);
                    }
                }
                value => pay_entry(data, name, value, mode),
            }
        }
    }
}

fn pay_entries(table: &mut ValueMap, award: &ValueMap, mode: AwardMode) {
    award.iter().for_each(|(name, value)| pay_entry(table, name, value, mode));
}

fn pay_entry(table: &mut ValueMap, name: &Arc<str>, value: &Value, mode: AwardMode) {
    let Some(present) = table.get_mut(name) else {
        table.insert(name.clone(), value.clone());
        return;
    };
    match (present, value) {
        (Value::Int(present), Value::Int(value)) if mode == AwardMode::Max => {
            *present = (*present).max(*value);
        }
        (Value::Map(present), Value::Map(value)) if mode == AwardMode::Max => {
            pay_entries(present, value, mode);
        }
        (present, value)
            if mode == AwardMode::Set && explain_type_mismatch(present, value).is_none() =>
        {
            *present = value.clone();
        }
        _ => {}
    }
}

/// Names a value that is neither a whole number nor a table of them.
fn find_non_integer(award: &ValueMap, path: &str) -> Option<String> {
    award.iter().find_map(|(name, value)| match value {
        Value::Int(_) => None,
        Value::Map(inner) => find_non_integer(inner, &format!("{path}.{name}")),
        other => Some(format!(
            "{path}.{name} has type {}, and \"max\" takes whole numbers",
            other.type_name()
        )),
    })
}

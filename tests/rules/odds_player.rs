//! A player that follows the odds: it heals when low, counters prepared attacks, strikes where the
//! expected damage is highest, takes checks that are likelier to succeed than fail, rests when
//! needed, and visits every room before the last.

use base::Value;
use protocol::{AnswerType, Choice, Input, Prompt};

use super::harness::GameSession;

fn hint_value<'a>(choice: &'a Choice, name: &str) -> Option<&'a Value> {
    choice.bot_hint.as_ref().and_then(|hint| hint.get(name))
}

fn choice_kind(choice: &Choice) -> &str {
    hint_value(choice, "kind").and_then(Value::as_text).unwrap_or_default()
}

fn band_cases(choice: &Choice, band: &str) -> i64 {
    let bands = choice.odds.iter().flat_map(|odds| &odds.bands);
    bands
        .filter(|odds_band| odds_band.label == band)
        .map(|odds_band| odds_band.case_count as i64)
        .sum()
}

/// The value of a fight choice, in twentieths of the foe's vigour.
fn choice_value(choice: &Choice) -> i64 {
    let number = |name: &str| hint_value(choice, name).and_then(Value::as_int).unwrap_or(0);
    match choice_kind(choice) {
        "skill" => 20 * number("full"),
        "strike" | "attack" => {
            band_cases(choice, "full") * number("full")
                + band_cases(choice, "partial") * number("partial")
        }
        "decisive" => 400,
        _ => 0,
    }
}

/// Chooses an answer for the current state.
pub fn choose_answer(session: &mut GameSession<'_>, prompt: &Prompt, turn: usize) -> Input {
    let enabled_choices: Vec<&Choice> =
        prompt.choices.iter().filter(|choice| choice.disabled_because.is_none()).collect();
    match &prompt.answer_type {
        AnswerType::MultipleChoice { max, .. } => {
            let ids = enabled_choices.iter().take(*max).map(|choice| choice.id.clone());
            return Input::Choices(ids.collect());
        }
        AnswerType::SingleChoice => {}
        other => panic!("the game asks for no {}", other.describe_expected()),
    }
    let hero = session.state_value("hero.stats");
    let vigour = session.int("hero.vigour");
    let is_low = vigour * 5 < 2 * (20 + 2 * 8);
    let heal_prefixes =
        ["mend:", "cast:mend", "item:candle", "item:black", "item:grave", "item:rose"];
    let heal_choice = enabled_choices
        .iter()
        .find(|choice| heal_prefixes.iter().any(|id| choice.id.starts_with(id)));
    if let Some(heal_choice) = heal_choice.filter(|_| is_low) {
        return Input::Choice(heal_choice.id.clone());
    }
    let best_choice = match &*prompt.scene {
        // SR-2.13: prepared attacks are countered, guards are studied.
        "sub_rosa:round" => match session
            .state_value("fight")
            .get("intent")
            .and_then(Value::as_text)
        {
            Some("heavy") => enabled_choices.iter().find(|choice| choice.id == "brace").copied(),
            Some("guard") => enabled_choices.iter().find(|choice| choice.id == "study").copied(),
            _ => enabled_choices.iter().max_by_key(|choice| choice_value(choice)).copied(),
        },
        "sub_rosa:boss" => enabled_choices.iter().find(|choice| choice.id == "draw").copied(),
        "sub_rosa:level" => enabled_choices
            .iter()
            .max_by_key(|choice| hero.get(&choice.id).and_then(Value::as_int))
            .copied(),
        "sub_rosa:puzzle" => {
            enabled_choices.get(turn % (enabled_choices.len().max(2) - 1)).copied()
        }
        "sub_rosa:room" => choose_room_action(&enabled_choices, is_low, turn),
        _ => enabled_choices.first().copied(),
    };
    Input::Choice(best_choice.unwrap_or(enabled_choices[0]).id.clone())
}

fn choose_room_action<'a>(
    enabled_choices: &[&'a Choice],
    is_low: bool,
    turn: usize,
) -> Option<&'a Choice> {
    let first_matching = |is_wanted: &dyn Fn(&Choice) -> bool| {
        enabled_choices.iter().find(|choice| is_wanted(choice)).copied()
    };
    let is_likely_check = |choice: &Choice| {
        choice_kind(choice) == "check"
            && band_cases(choice, "full") + band_cases(choice, "partial") >= 12
    };
    let is_free_deed = |choice: &Choice| {
        ["deed", "puzzle"].contains(&choice_kind(choice)) && choice.cost.is_empty()
    };
    let is_scroll = |choice: &Choice| choice.id.starts_with("read:");
    let is_unexplored_door = |choice: &Choice| {
        choice_kind(choice) == "door"
            && hint_value(choice, "seen") == Some(&Value::Bool(false))
            && !choice.note.contains("no way back")
    };
    first_matching(&|choice: &Choice| is_low && choice_kind(choice) == "rest")
        .or_else(|| first_matching(&is_likely_check))
        .or_else(|| first_matching(&is_free_deed))
        .or_else(|| first_matching(&is_scroll))
        .or_else(|| first_matching(&is_unexplored_door))
        .or_else(|| choose_door(enabled_choices, turn))
}

/// Without an unexplored door nearby: go deeper, or sometimes back up; the last door when there is
/// no other.
fn choose_door<'a>(enabled_choices: &[&'a Choice], turn: usize) -> Option<&'a Choice> {
    let mut doors: Vec<&Choice> =
        enabled_choices.iter().filter(|choice| choice_kind(choice) == "door").copied().collect();
    doors.sort_by_key(|door| hint_value(door, "depth").and_then(Value::as_int));
    if turn.is_multiple_of(3) { doors.first().copied() } else { doors.last().copied() }
}

/// Plays a descent to its end; returns whether it was won.
pub fn plays_to_victory(session: &mut GameSession<'_>) -> bool {
    for turn in 0..1_500 {
        if let Some(run_outcome) = session.world.run_outcome() {
            return run_outcome.get("outcome") == Some(&Value::text("victory"));
        }
        let prompt = session.prompt();
        let input = choose_answer(session, &prompt, turn);
        session.answer_prompt(&prompt, &input);
    }
    false
}

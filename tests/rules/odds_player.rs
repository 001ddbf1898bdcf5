//! A player that follows the odds: it heals when low, counters prepared attacks, strikes where the
//! expected damage is highest, takes checks that are likelier to succeed than fail, rests when
//! needed, and visits every room before the last.

use engine::base::Value;
use engine::protocol::{AnswerType, Choice, Input, Prompt};

use super::harness::GameSession;

fn hint<'a>(choice: &'a Choice, name: &str) -> Option<&'a Value> {
    choice.hint.as_ref().and_then(|hint| hint.get(name))
}

fn kind(choice: &Choice) -> &str {
    hint(choice, "kind").and_then(Value::as_text).unwrap_or_default()
}

fn cases(choice: &Choice, band: &str) -> i64 {
    let bands = choice.odds.iter().flat_map(|odds| &odds.bands);
    bands.filter(|other| other.label == band).map(|other| other.cases as i64).sum()
}

/// The value of a fight choice, in twentieths of the foe's vigour.
fn choice_value(choice: &Choice) -> i64 {
    let number = |name: &str| hint(choice, name).and_then(Value::as_int).unwrap_or(0);
    match kind(choice) {
        "skill" => 20 * number("full"),
        "strike" | "attack" => {
            cases(choice, "full") * number("full") + cases(choice, "partial") * number("partial")
        }
        "decisive" => 400,
        _ => 0,
    }
}

/// Chooses an answer for the current state.
pub fn answer(table: &mut GameSession<'_>, prompt: &Prompt, turn: usize) -> Input {
    let open: Vec<&Choice> =
        prompt.choices.iter().filter(|choice| choice.disabled_because.is_none()).collect();
    match &prompt.ask {
        AnswerType::Many { max, .. } => {
            let ids = open.iter().take(*max).map(|choice| choice.id.clone());
            return Input::Many(ids.collect());
        }
        AnswerType::One => {}
        other => panic!("the game asks for no {}", other.describe_expected()),
    }
    let hero = table.state_value("hero.stats");
    let vigour = table.int("hero.vigour");
    let low = vigour * 5 < 2 * (20 + 2 * 8);
    let heals = ["mend:", "cast:mend", "item:candle", "item:black", "item:grave", "item:rose"];
    let heal = open.iter().find(|choice| heals.iter().any(|id| choice.id.starts_with(id)));
    if let Some(heal) = heal.filter(|_| low) {
        return Input::Choice(heal.id.clone());
    }
    let chosen = match &*prompt.scene {
        // SR-2.13: prepared attacks are countered, guards are studied.
        "sub_rosa:round" => match table.state_value("fight").get("intent").and_then(Value::as_text)
        {
            Some("heavy") => open.iter().find(|choice| choice.id == "brace").copied(),
            Some("guard") => open.iter().find(|choice| choice.id == "study").copied(),
            _ => open.iter().max_by_key(|choice| choice_value(choice)).copied(),
        },
        "sub_rosa:boss" => open.iter().find(|choice| choice.id == "draw").copied(),
        "sub_rosa:level" => {
            open.iter().max_by_key(|choice| hero.get(&choice.id).and_then(Value::as_int)).copied()
        }
        "sub_rosa:puzzle" => open.get(turn % (open.len().max(2) - 1)).copied(),
        "sub_rosa:room" => choose_step(&open, low, turn),
        _ => open.first().copied(),
    };
    Input::Choice(chosen.unwrap_or(open[0]).id.clone())
}

fn choose_step<'a>(open: &[&'a Choice], low: bool, turn: usize) -> Option<&'a Choice> {
    let first =
        |wanted: &dyn Fn(&Choice) -> bool| open.iter().find(|choice| wanted(choice)).copied();
    let likely = |choice: &Choice| {
        kind(choice) == "check" && cases(choice, "full") + cases(choice, "partial") >= 12
    };
    let deed =
        |choice: &Choice| ["deed", "puzzle"].contains(&kind(choice)) && choice.cost.is_empty();
    let read = |choice: &Choice| choice.id.starts_with("read:");
    let unseen = |choice: &Choice| {
        kind(choice) == "door"
            && hint(choice, "seen") == Some(&Value::Bool(false))
            && !choice.note.contains("no way back")
    };
    first(&|choice: &Choice| low && kind(choice) == "rest")
        .or_else(|| first(&likely))
        .or_else(|| first(&deed))
        .or_else(|| first(&read))
        .or_else(|| first(&unseen))
        .or_else(|| choose_door(open, turn))
}

/// Without an unexplored door nearby: go deeper, or sometimes back up; the last door when there is
/// no other.
fn choose_door<'a>(open: &[&'a Choice], turn: usize) -> Option<&'a Choice> {
    let mut doors: Vec<&Choice> =
        open.iter().filter(|choice| kind(choice) == "door").copied().collect();
    doors.sort_by_key(|door| hint(door, "depth").and_then(Value::as_int));
    if turn.is_multiple_of(3) { doors.first().copied() } else { doors.last().copied() }
}

/// Plays a descent to its end; returns whether it was won.
pub fn plays_to_victory(table: &mut GameSession<'_>) -> bool {
    for turn in 0..1_500 {
        if let Some(finished) = table.world.run_outcome() {
            return finished.get("outcome") == Some(&Value::text("victory"));
        }
        let prompt = table.prompt();
        let input = answer(table, &prompt, turn);
        table.answer_to(&prompt, &input);
    }
    false
}

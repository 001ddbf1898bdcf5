//! Whole descents by a player who takes any open door: nothing fails, no value leaves its bounds,
//! every run ends, and every round follows the rules (`oracle`).

use std::collections::BTreeMap;

use engine::base::Value;
use engine::protocol::{AnswerType, Input, Prompt, StoryEvent};

use super::harness::{GameSession, options, vm};
use super::oracle::{RoundState, judge_round};
use crate::support::RandomSource;

/// Any answer that the prompt accepts, except giving up.
fn any_answer(prompt: &Prompt, chance: &mut RandomSource) -> Input {
    let open: Vec<String> = prompt
        .choices
        .iter()
        .filter(|choice| choice.disabled_because.is_none() && choice.id != "abandon")
        .map(|choice| choice.id.clone())
        .collect();
    match &prompt.ask {
        AnswerType::One => Input::Choice(open[chance.index(open.len())].clone()),
        AnswerType::Many { max, .. } => Input::Many(open.into_iter().take(*max).collect()),
        AnswerType::Number { min, .. } => Input::Number(*min),
        AnswerType::Text { .. } => Input::Text("a line".to_owned()),
    }
}

fn in_bounds(table: &GameSession<'_>, prompt: &Prompt) {
    assert!(
        prompt.choices.iter().any(|choice| choice.disabled_because.is_none()),
        "{}",
        prompt.text
    );
    let state = table.state();
    let Some(hero) = state.get("hero") else { return };
    let number = |name: &str| hero.get(name).and_then(Value::as_int).unwrap();
    assert!(number("vigour") > 0, "an asked hero stands");
    assert!(number("mp") >= 0);
    assert!(hero.get("satchel").unwrap().as_list().unwrap().len() <= 6, "SR-6.5");
    assert!(number("gained") <= 10, "SR-1.3");
}

/// SR-5.2: the cost and the effect of a breath.
fn assert_breath_cost(before: &Value, after: &Value) {
    let run = |state: &Value, name: &str| state.get("run").unwrap().get(name).unwrap().clone();
    let spent = run(before, "breaths").as_int() > run(after, "breaths").as_int();
    if !spent || run(after, "breaths") == Value::Int(0) {
        return;
    }
    assert_eq!(run(after, "here"), run(after, "last_rest"));
    let whole = RoundState::of(after);
    assert_eq!(whole.vigour(), whole.most());
    for room in run(after, "rooms").as_map().unwrap().values() {
        if let Some(foe) =
            room.get("foe").filter(|foe| foe.get("beaten") == Some(&Value::Bool(false)))
        {
            assert_eq!(foe.get("vigour"), foe.get("max"), "whole again");
        }
    }
}

/// Plays until the run ends; returns its outcome and the number of judged rounds.
fn play_out(table: &mut GameSession<'_>, chance: &mut RandomSource) -> (String, usize) {
    let mut judged = 0;
    for step in 0..3_000 {
        if let Some(finished) = table.world.run_outcome() {
            let outcome = finished.get("outcome").and_then(Value::as_text).unwrap().to_owned();
            return (outcome, judged);
        }
        let prompt = table.prompt();
        in_bounds(table, &prompt);
        if step % 7 == 0 {
            table.view();
        }
        let input = any_answer(&prompt, chance);
        let before = table.state();
        let told: Vec<StoryEvent> = table.answer_to(&prompt, &input);
        if before.get("hero").is_none() {
            continue;
        }
        let after = table.state();
        assert_breath_cost(&before, &after);
        if let Input::Choice(id) = &input
            && prompt.scene == "sub_rosa:round"
            && table.state_value("run.dungeon").as_text() == Some("dye_works:dye_works")
            && !told
                .iter()
                .any(|event| matches!(event, StoryEvent::Heading { .. }) && id != "leave")
        {
            let (before, after) = (RoundState::of(&before), RoundState::of(&after));
            judged += usize::from(judge_round(&prompt, id, &before, &after, &told));
        }
    }
    panic!("a descent of 3000 steps has not ended: {}", table.prompt().text);
}

pub fn profile_with_relic(experience: i64) -> Value {
    let relic = Value::map_of([
        ("name", Value::text("old thimble")),
        ("piece", Value::text("sub_rosa:silver_thimble")),
        ("stats", Value::map_of([("DEF", Value::Int(1))])),
    ]);
    Value::map_of([("experience", Value::Int(experience)), ("relics", Value::List(vec![relic]))])
}

/// SR-2.3 to SR-2.12, SR-5.2, SR-5.3: for any build and standing, every round follows the rules,
/// and the descent ends.
#[test]
fn every_descent_ends() {
    let vm = vm();
    let builds = ["blade", "breath", "tongue", "eye", "even"];
    let mut endings = BTreeMap::<String, usize>::new();
    let mut judged = 0;
    for seed in 0..24 {
        let mut chance = RandomSource::of(seed + 1);
        let build = builds[seed as usize % builds.len()];
        let profile = profile_with_relic([5000, 0, 1200, 400][chance.index(4)]);
        let dungeon = ["dye_works:dye_works", "sub_rosa:ice_house"][seed as usize % 2];
        let mut table =
            GameSession::begin(&vm, seed, options(dungeon, build, seed % 5 == 0), profile);
        let (outcome, rounds) = play_out(&mut table, &mut chance);
        *endings.entry(outcome).or_default() += 1;
        judged += rounds;
    }
    assert!(endings.keys().all(|e| ["victory", "failure", "peace"].contains(&e.as_str())));
    assert!(judged > 100, "{judged} rounds were judged");
}

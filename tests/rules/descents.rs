//! Whole descents by a player who takes any open door: nothing fails, no value leaves its bounds,
//! every run ends, and every round follows the rules (`oracle`).

use std::collections::BTreeMap;

use base::Value;
use protocol::{AnswerType, Input, Prompt, StoryEvent};

use super::harness::{GameSession, load_test_vm, run_options};
use super::oracle::{RoundState, judge_round};
use crate::support::RandomSource;

/// Any answer that the prompt accepts, except giving up.
fn random_answer(prompt: &Prompt, random: &mut RandomSource) -> Input {
    let enabled_ids: Vec<String> = prompt
        .choices
        .iter()
        .filter(|choice| choice.disabled_because.is_none() && choice.id != "abandon")
        .map(|choice| choice.id.clone())
        .collect();
    match &prompt.answer_type {
        AnswerType::SingleChoice => {
            Input::Choice(enabled_ids[random.next_index(enabled_ids.len())].clone())
        }
        AnswerType::MultipleChoice { max, .. } => {
            Input::Choices(enabled_ids.into_iter().take(*max).collect())
        }
        AnswerType::Number { min, .. } => Input::Number(*min),
        AnswerType::Text { .. } => Input::Text("a line".to_owned()),
    }
}

fn assert_state_in_bounds(session: &GameSession<'_>, prompt: &Prompt) {
    assert!(
        prompt.choices.iter().any(|choice| choice.disabled_because.is_none()),
        "{}",
        prompt.text
    );
    let state = session.state();
    let Some(hero) = state.get("hero") else { return };
    let number = |name: &str| hero.get(name).and_then(Value::as_int).unwrap();
    assert!(number("vigour") > 0, "an asked hero stands");
    assert!(number("mp") >= 0);
    assert!(hero.get("satchel").unwrap().as_list().unwrap().len() <= 6, "SR-6.5");
    assert!(number("gained") <= 10, "SR-1.3");
}

/// SR-5.2: the cost and the effect of a breath.
fn assert_breath_cost(before: &Value, after: &Value) {
    let run_field =
        |state: &Value, name: &str| state.get("run").unwrap().get(name).unwrap().clone();
    let is_breath_spent =
        run_field(before, "breaths").as_int() > run_field(after, "breaths").as_int();
    if !is_breath_spent || run_field(after, "breaths") == Value::Int(0) {
        return;
    }
    assert_eq!(run_field(after, "here"), run_field(after, "last_rest"));
    let state_after = RoundState::from_state(after);
    assert_eq!(state_after.vigour(), state_after.max_vigour());
    for room in run_field(after, "rooms").as_map().unwrap().values() {
        if let Some(foe) =
            room.get("foe").filter(|foe| foe.get("beaten") == Some(&Value::Bool(false)))
        {
            assert_eq!(foe.get("vigour"), foe.get("max"), "whole again");
        }
    }
}

/// Plays until the run ends; returns its outcome and the number of judged rounds.
fn play_to_outcome(session: &mut GameSession<'_>, random: &mut RandomSource) -> (String, usize) {
    let mut judged_count = 0;
    for step in 0..3_000 {
        if let Some(run_outcome) = session.world.run_outcome() {
            let outcome = run_outcome.get("outcome").and_then(Value::as_text).unwrap().to_owned();
            return (outcome, judged_count);
        }
        let prompt = session.prompt();
        assert_state_in_bounds(session, &prompt);
        if step % 7 == 0 {
            session.view();
        }
        let input = random_answer(&prompt, random);
        let before = session.state();
        let events: Vec<StoryEvent> = session.answer_prompt(&prompt, &input);
        if before.get("hero").is_none() {
            continue;
        }
        let after = session.state();
        assert_breath_cost(&before, &after);
        if let Input::Choice(id) = &input
            && prompt.scene == "sub_rosa:round"
            && session.state_value("run.dungeon").as_text() == Some("dye_works:dye_works")
            && !events
                .iter()
                .any(|event| matches!(event, StoryEvent::Heading { .. }) && id != "leave")
        {
            let (before, after) = (RoundState::from_state(&before), RoundState::from_state(&after));
            judged_count += usize::from(judge_round(&prompt, id, &before, &after, &events));
        }
    }
    panic!("a descent of 3000 steps has not ended: {}", session.prompt().text);
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
fn every_descent_ends_and_follows_the_rules() {
    let vm = load_test_vm();
    let builds = ["blade", "breath", "tongue", "eye", "even"];
    let mut ending_counts = BTreeMap::<String, usize>::new();
    let mut judged_count = 0;
    for seed in 0..24 {
        let mut random = RandomSource::from_seed(seed + 1);
        let build = builds[seed as usize % builds.len()];
        let profile = profile_with_relic([5000, 0, 1200, 400][random.next_index(4)]);
        let dungeon = ["dye_works:dye_works", "sub_rosa:ice_house"][seed as usize % 2];
        let mut session =
            GameSession::begin(&vm, seed, run_options(dungeon, build, seed % 5 == 0), profile);
        let (outcome, round_count) = play_to_outcome(&mut session, &mut random);
        *ending_counts.entry(outcome).or_default() += 1;
        judged_count += round_count;
    }
    assert!(
        ending_counts
            .keys()
            .all(|outcome_name| ["victory", "failure", "peace"].contains(&outcome_name.as_str()))
    );
    assert!(judged_count > 100, "{judged_count} rounds were judged");
}

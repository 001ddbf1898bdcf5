//! Rule-based bots play dozens of whole descents. They meet no Problem, no prompt without a choice,
//! and the same seed gives the same story.

use std::collections::BTreeMap;

use base::Value;
use session::{Bot, RANDOM_BOT_ID, RunContent, Session};

use crate::bundled;

/// The step limit of a run.
const MAX_STEPS: u64 = 3_000;

/// Plays a run to its end and returns how it ended.
pub fn play_to_end(session: &mut Session, bot: &mut Bot) -> String {
    let mut last_events = Vec::new();
    while session.run_outcome().is_none() {
        let number = session.step_number();
        assert!(number < MAX_STEPS, "{}", bundled::prompt_description(session));
        let input =
            bot.choose_input(session, &last_events).unwrap_or_else(|problem| panic!("{problem}"));
        let step_outcome = session.answer_prompt(&input).unwrap();
        assert!(step_outcome.refusal.is_none(), "step {number}: {}", step_outcome.refusal.unwrap());
        last_events = step_outcome.events;
    }
    let outcome = session.run_outcome().unwrap();
    outcome.get("outcome").and_then(Value::as_text).unwrap().to_owned()
}

fn count_outcomes(
    content: &RunContent,
    bot: &str,
    seeds: std::ops::Range<u64>,
) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for seed in seeds {
        let (mut session, _) = bundled::start_session(content, seed, &[], Value::map());
        let outcome = play_to_end(&mut session, &mut Bot::new(bot, seed));
        *counts.entry(outcome).or_default() += 1;
    }
    counts
}

#[test]
fn random_choices_lead_to_an_end() {
    let content = bundled::game_content("sub_rosa", &[]);
    let outcome_counts = count_outcomes(&content, RANDOM_BOT_ID, 0..12);
    assert_eq!(outcome_counts.values().sum::<usize>(), 12, "{outcome_counts:?}");
}

#[test]
fn a_bot_that_plays_by_the_odds_wins_and_loses() {
    let content = bundled::game_content("sub_rosa", &[]);
    let outcome_counts = count_outcomes(&content, "sub_rosa:steady", 0..24);
    assert!(
        outcome_counts.contains_key("victory") && outcome_counts.contains_key("failure"),
        "{outcome_counts:?}"
    );
}

//! Rule-based bots play dozens of whole descents. They meet no Problem, no prompt without a choice,
//! and the same seed gives the same story.

use std::collections::BTreeMap;

use engine::base::Value;
use engine::session::{Bot, Content, RANDOM_BOT_ID, Session};

use crate::bundled;

/// The step limit of a run.
const STEPS: u64 = 3_000;

/// Plays a run to its end and returns how it ended.
pub fn play_out(session: &mut Session, bot: &mut Bot) -> String {
    let mut told = Vec::new();
    while session.run_outcome().is_none() {
        let number = session.step_number();
        assert!(number < STEPS, "{}", bundled::prompt_ids(session));
        let input = bot.choose(session, &told).unwrap_or_else(|problem| panic!("{problem}"));
        let found = session.answer(&input).unwrap();
        assert!(found.refused.is_none(), "step {number}: {}", found.refused.unwrap());
        told = found.events;
    }
    let table = session.run_outcome().unwrap();
    table.get("outcome").and_then(Value::as_text).unwrap().to_owned()
}

fn outcomes(content: &Content, bot: &str, seeds: std::ops::Range<u64>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for seed in seeds {
        let (mut session, _) = bundled::begin(content, seed, &[], Value::map());
        let outcome = play_out(&mut session, &mut Bot::new(bot, seed));
        *counts.entry(outcome).or_default() += 1;
    }
    counts
}

#[test]
fn any_choice_at_all_leads_to_an_end() {
    let content = bundled::content("sub_rosa", &[]);
    let found = outcomes(&content, RANDOM_BOT_ID, 0..12);
    assert_eq!(found.values().sum::<usize>(), 12, "{found:?}");
}

#[test]
fn a_bot_that_plays_by_the_odds_wins_and_loses() {
    let content = bundled::content("sub_rosa", &[]);
    let found = outcomes(&content, "sub_rosa:steady", 0..24);
    assert!(found.contains_key("victory") && found.contains_key("failure"), "{found:?}");
}

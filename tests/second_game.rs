//! A second game of about a hundred lines runs on the same host and shares nothing with the bundled
//! one. It has its own kinds, options, rules, dice, awards and endings.

use base::Value;
use protocol::{AnswerType, Input};

use crate::rules::harness::{GameSession, load_vm};

#[test]
fn a_second_game_runs_without_the_bundled_one() {
    let vm = load_vm(&["tests/games/duel"]);
    assert!(vm.registry().kind("spell").is_none(), "nothing of another game is here");
    let mut endings = std::collections::BTreeSet::new();
    for seed in 0..30 {
        let rival = ["duel:miller", "duel:widow"][seed as usize % 2];
        let options = Value::map_of([("rival", Value::text(rival)), ("stones", Value::Int(15))]);
        let mut session = GameSession::begin(&vm, seed, options, Value::map());
        session.choose("heads");
        while session.world.run_outcome().is_none() {
            let prompt = session.prompt();
            let AnswerType::Number { min, max, .. } = prompt.answer_type else {
                panic!("{prompt:?}")
            };
            let stones = session.int("stones");
            let best_number = (stones - 1).rem_euclid(4).clamp(min, max);
            let number = if seed % 2 == 0 { best_number } else { min };
            assert!(max <= 3 && max <= stones);
            session.answer_prompt(&prompt, &Input::Number(number));
            assert_eq!(session.view().widgets.len(), 2);
        }
        let stones_taken = session.int("taken.mine") + session.int("taken.theirs");
        assert_eq!(stones_taken, 15, "every stone was taken");
        let outcome = session.world.run_outcome().unwrap().get("outcome").cloned().unwrap();
        let outcome = outcome.as_text().unwrap().to_owned();
        let award = session.world.award_so_far().get("won").cloned();
        assert_eq!(award, (outcome == "won").then_some(Value::Int(1)));
        endings.insert(outcome);
    }
    assert_eq!(endings.len(), 2, "both may win: {endings:?}");
}

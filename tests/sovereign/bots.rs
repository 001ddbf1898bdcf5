//! Sovereign's bots and scripted runs, played and replayed from their answers with the VM rebuilt
//! now and then. Digests are compared step by step. `SOVEREIGN_RUNS` sets the number of runs.

use std::process::Command;

use base::Value;
use protocol::Input;
use session::{Bot, RunContent, Session};

use crate::bundled;
use crate::support::count_from_env;

const BOT_IDS: [&str; 3] = ["sovereign:careful", "sovereign:bold", "sovereign:thrifty"];

/// The step limit of a run.
const MAX_STEPS: u64 = 250;

fn start_session(content: &RunContent, seed: u64) -> Session {
    let openings =
        ["hearth", "hearth", "in_the_barn", "at_the_scales", "in_the_sett", "by_the_well"];
    let opening = openings[usize::try_from(seed).unwrap() % openings.len()];
    let opening = Value::text(format!("sovereign:{opening}"));
    bundled::start_session(content, seed, &[("opening", opening)], Value::map()).0
}

/// Plays a run; returns its answers and the digest after each.
fn play_and_record(content: &RunContent, seed: u64) -> Vec<(Input, String)> {
    let mut session = start_session(content, seed);
    let mut bot = Bot::new(BOT_IDS[usize::try_from(seed / 6).unwrap() % BOT_IDS.len()], seed);
    let (mut last_events, mut steps) = (Vec::new(), Vec::new());
    while session.run_outcome().is_none() && session.step_number() < MAX_STEPS {
        let input = bot
            .choose_input(&mut session, &last_events)
            .unwrap_or_else(|problem| panic!("{problem}"));
        let step_outcome = session.answer_prompt(&input).unwrap();
        assert!(step_outcome.refusal.is_none(), "seed {seed}: {}", step_outcome.refusal.unwrap());
        last_events = step_outcome.events;
        steps.push((input.into_input(), session.digest().to_string()));
    }
    steps
}

#[test]
fn bot_runs_replay_with_equal_digests() {
    let content = bundled::game_content("sovereign", &[]);
    let mut compared_steps = 0;
    for seed in 0..count_from_env("SOVEREIGN_RUNS", 2) {
        let steps = play_and_record(&content, seed);
        let mut session = start_session(&content, seed);
        for (number, (input, digest)) in steps.iter().enumerate() {
            if number % 97 == 96 {
                session.rebuild_vm().unwrap();
            }
            session.answer_prompt(input).unwrap();
            assert_eq!(&session.digest().to_string(), digest, "seed {seed}, step {number}");
        }
        compared_steps += steps.len();
    }
    assert!(compared_steps > 200, "{compared_steps} steps are too few to mean anything");
}

#[test]
fn sovereign_passes_check() {
    for id in ["sovereign", "sexton_spade"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["check", id, "--game", "sovereign"]);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("XDG_DATA_HOME", "/no/such/folder");
        let output = command.output().unwrap();
        let output_text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && output_text.contains("no problems"), "{output_text}");
    }
}

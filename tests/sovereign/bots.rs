//! Sovereign's bots and scripted runs, played and replayed from their answers with the VM rebuilt
//! now and then. Digests are compared step by step. `SOVEREIGN_RUNS` sets the number of runs.

use std::process::Command;

use engine::base::Value;
use engine::protocol::Input;
use engine::session::{Bot, Content, Session};

use crate::bundled;
use crate::support::count_from_env;

const BOTS: [&str; 3] = ["sovereign:careful", "sovereign:bold", "sovereign:thrifty"];

/// The step limit of a run.
const STEPS: u64 = 250;

fn begin(content: &Content, seed: u64) -> Session {
    let plights =
        ["hearth", "hearth", "in_the_barn", "at_the_scales", "in_the_sett", "by_the_well"];
    let opening = plights[usize::try_from(seed).unwrap() % plights.len()];
    let opening = Value::text(format!("sovereign:{opening}"));
    bundled::begin(content, seed, &[("opening", opening)], Value::map()).0
}

/// Plays a run; returns its answers and the digest after each.
fn played(content: &Content, seed: u64) -> Vec<(Input, String)> {
    let mut session = begin(content, seed);
    let mut bot = Bot::new(BOTS[usize::try_from(seed / 6).unwrap() % BOTS.len()], seed);
    let (mut told, mut steps) = (Vec::new(), Vec::new());
    while session.run_outcome().is_none() && session.step_number() < STEPS {
        let input = bot.choose(&mut session, &told).unwrap_or_else(|problem| panic!("{problem}"));
        let found = session.answer(&input).unwrap();
        assert!(found.refused.is_none(), "seed {seed}: {}", found.refused.unwrap());
        told = found.events;
        steps.push((input, session.digest().to_string()));
    }
    steps
}

#[test]
fn runs_of_bots_replay_without_a_difference() {
    let content = bundled::content("sovereign", &[]);
    let mut compared = 0;
    for seed in 0..count_from_env("SOVEREIGN_RUNS", 2) {
        let steps = played(&content, seed);
        let mut session = begin(&content, seed);
        for (number, (input, digest)) in steps.iter().enumerate() {
            if number % 97 == 96 {
                session.rebuild_vm().unwrap();
            }
            session.answer(input).unwrap();
            assert_eq!(&session.digest().to_string(), digest, "seed {seed}, step {number}");
        }
        compared += steps.len();
    }
    assert!(compared > 200, "{compared} steps are too few to mean anything");
}

#[test]
fn sovereign_passes_check() {
    for id in ["sovereign", "sexton_spade"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["check", id, "--game", "sovereign"]);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("XDG_DATA_HOME", "/no/such/folder");
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("no problems"), "{told}");
    }
}

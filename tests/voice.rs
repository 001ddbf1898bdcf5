//! The voice: what scripts do while a run is played, and what their authors read when it is wrong.

mod agenda;
mod asking;
mod chance;
mod dice;
mod moments;
mod remembering;
mod telling;

use engine::kit::{Problem, Value};
use engine::play::Event;

use crate::support::{Run, game};

/// A game of one scene with one choice, whose handler is `body`; `more` stands beside it.
fn one_scene(body: &str, more: &str) -> String {
    format!(
        r#"scene "only" {{
  prompt = function() return {{ text = "?", choices = {{ {{ id = "go", label = "Go" }} }} }} end,
  on = {{ go = function(input)
{body}
  end }},
}}
start(function() go "only" end)
{more}"#
    )
}

/// Begins a run of a game of one file.
fn begin(main: &str) -> Result<Run, Problem> {
    Run::of(&game(&[("main.luau", main)]), 7)
}

/// Plays the one choice of a game of one scene.
fn act_beside(body: &str, more: &str) -> Result<(Run, Vec<Event>), Problem> {
    let mut run = begin(&one_scene(body, more))?;
    run.choose("go")?;
    let events = run.world.take_events();
    Ok((run, events))
}

fn act(body: &str) -> Result<(Run, Vec<Event>), Problem> {
    act_beside(body, "")
}

/// What a body that must be refused is refused with.
fn refusal(body: &str) -> Problem {
    match act(body) {
        Ok(_) => panic!("this was not refused: {body}"),
        Err(problem) => problem,
    }
}

/// The refusals of several bodies, as an author reads them.
fn refusals(bodies: &[&str]) -> String {
    let shown = bodies.iter().map(|body| format!("{}\n", refusal(body)));
    shown.collect::<Vec<_>>().join("\n")
}

fn state(run: &Run) -> Value {
    run.world.state.value(run.world.game()).unwrap()
}

//! Script functions in play: what they do, and the messages for authors.

mod chance;
mod events;
mod output;
mod prompts_and_views;
mod roll_options;
mod stage_queue;
mod state_access;

use base::{Problem, Value};
use protocol::StoryEvent;

use crate::support::{TestRun, game_from_files};

/// A game of one scene with one choice, whose handler is `body`; `extra_script` is added to the
/// file.
fn one_scene_game(body: &str, extra_script: &str) -> String {
    format!(
        r#"scene "only" {{
  prompt = function() return {{ text = "?", choices = {{ {{ id = "go", label = "Go" }} }} }} end,
  on = {{ go = function(input)
{body}
  end }},
}}
start(function() go "only" end)
{extra_script}"#
    )
}

/// Begins a run of a game of one file.
fn start_run(main: &str) -> Result<TestRun, Problem> {
    TestRun::start(&game_from_files(&[("main.luau", main)]), 7)
}

/// Plays the one choice of a game of one scene.
fn play_handler_with(
    body: &str,
    extra_script: &str,
) -> Result<(TestRun, Vec<StoryEvent>), Problem> {
    let mut run = start_run(&one_scene_game(body, extra_script))?;
    run.choose("go")?;
    let events = run.take_events();
    Ok((run, events))
}

fn play_handler(body: &str) -> Result<(TestRun, Vec<StoryEvent>), Problem> {
    play_handler_with(body, "")
}

/// The Problem of a handler that must be refused.
fn refusal_problem(body: &str) -> Problem {
    match play_handler(body) {
        Ok(_) => panic!("this was not refused: {body}"),
        Err(problem) => problem,
    }
}

/// The refusals of several bodies, as an author reads them.
fn refusal_texts(bodies: &[&str]) -> String {
    let texts = bodies.iter().map(|body| format!("{}\n", refusal_problem(body)));
    texts.collect::<Vec<_>>().join("\n")
}

fn state_value(run: &TestRun) -> Value {
    run.world.state.table_to_value(run.world.game_table()).unwrap()
}

//! The cost of a step: from a person's answer to the next prompt and view, without a disk and with
//! a synced journal.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use mlua::{Function, Lua, Table};
use save::DataDir;
use session::RunRequest;

use super::descent::{begin_session, bundled_content, record_answers, run_parameters};
use super::report::{self, median_time, percentile, time_work};

/// Bytes of a step's two lines in the journal, roughly; the plain file writes as many.
const STEP_BYTES: usize = 1_200;

/// The minimal prompt in bare Luau: ten choices with odds, as a table.
const PROMPT_SCRIPT: &str = r#"function()
  local choices = {}
  for index = 1, 10 do
    choices[index] = { id = "choice:" .. index, label = "A choice", odds = { of = 20, full = 6 } }
  end
  return choices
end"#;

/// Steps of whole small descents without storage, beside bare calls into Lua.
pub fn add_rows_without_disk(report: &mut report::BenchReport, rounds: usize) {
    let content = bundled_content();
    let lua = Lua::new();
    let prompt_fn: Function = lua.load(PROMPT_SCRIPT).eval().unwrap();
    let (mut step_times, mut call_times, mut descent_times) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..rounds as u64 {
        let answers = record_answers(&content, seed);
        let mut session = begin_session(&content, content.load_vm().unwrap(), seed);
        let (descent_time, ()) = time_work(|| {
            for input in &answers {
                step_times.push(time_work(|| session.answer_prompt(input).unwrap()).0);
            }
        });
        descent_times.push(descent_time);
        // A step calls Lua for the handler, the prompt and the view.
        let (lua_time, ()) = time_work(|| {
            for _ in 0..answers.len() * 3 {
                let _: Table = prompt_fn.call(()).unwrap();
            }
        });
        call_times.push(lua_time / answers.len() as u32);
    }
    let call_time = median_time(&mut call_times);
    let baseline = "three bare calls, ten choices built";
    report.add_row(
        "step of a small descent, no disk",
        median_time(&mut step_times),
        baseline,
        call_time,
    );
    report.add_row(
        "  99 of 100 steps take at most",
        percentile(&mut step_times, 99),
        baseline,
        call_time,
    );
    let descent_time = median_time(&mut descent_times);
    report.add_row(
        "whole small descent, its bot's time left out",
        descent_time,
        baseline,
        call_time,
    );
}

/// Steps with intent and result written and synced, beside a plain file with the same writes.
pub fn add_rows_with_sync(report: &mut report::BenchReport, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(folder.path().join("data"));
    let (mut step_times, mut plain_times) = (Vec::new(), Vec::new());
    for seed in 0..rounds.div_ceil(5) as u64 {
        let (mut locked_profile, _) = data_dir.lock_profile(&format!("bench {seed}")).unwrap();
        let content = bundled_content();
        let answers = record_answers(&content, seed);
        let options = run_parameters(&content.load_vm().unwrap(), seed).options;
        let request = RunRequest { content, options, seed: Some(seed), is_practice: false };
        let mut session =
            session::start_run(&mut locked_profile, request, &mut || 0).unwrap().session;
        for input in answers.iter().take(200) {
            step_times.push(time_work(|| session.answer_prompt(input).unwrap()).0);
            plain_times.push(time_write_and_sync(&folder.path().join("plain")));
        }
    }
    for percent in [50, 99] {
        report.add_row(
            &format!("step with its sync, p{percent}"),
            percentile(&mut step_times, percent),
            &format!("plain file: two writes, one sync, p{percent}"),
            percentile(&mut plain_times, percent),
        );
    }
}

/// As many bytes, pieces and syncs as a step. The intent is synced before the step runs; the result
/// can be recomputed from it.
fn time_write_and_sync(path: &Path) -> Duration {
    let line = [b'x'; STEP_BYTES / 2];
    time_work(|| {
        let open_file = || OpenOptions::new().create(true).append(true).open(path).unwrap();
        let mut file = open_file();
        file.write_all(&line).unwrap();
        file.sync_all().unwrap();
        open_file().write_all(&line).unwrap();
    })
    .0
}

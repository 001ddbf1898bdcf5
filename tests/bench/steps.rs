//! The cost of a step: from a person's answer to the next prompt and view, without a disk and with
//! a synced journal.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use engine::save::DataDir;
use engine::session::{self, RunRequest};
use mlua::{Function, Lua, Table};

use super::descent::{answers, begin, content, terms};
use super::report::{self, median, percentile, timed};

/// Bytes of a step's two lines in the journal, roughly; the plain file writes as many.
const STEP_BYTES: usize = 1_200;

/// The minimal prompt in bare Luau: ten choices with odds, as a table.
const BARE: &str = r#"function()
  local choices = {}
  for index = 1, 10 do
    choices[index] = { id = "choice:" .. index, label = "A choice", odds = { of = 20, full = 6 } }
  end
  return choices
end"#;

/// Steps of whole small descents without storage, beside bare calls into Lua.
pub fn without_disk(table: &mut report::BenchReport, rounds: usize) {
    let content = content();
    let lua = Lua::new();
    let bare: Function = lua.load(BARE).eval().unwrap();
    let (mut steps, mut calls, mut descents) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..rounds as u64 {
        let answers = answers(&content, seed);
        let mut session = begin(&content, content.load().unwrap(), seed);
        let (whole, ()) = timed(|| {
            for input in &answers {
                steps.push(timed(|| session.answer(input).unwrap()).0);
            }
        });
        descents.push(whole);
        // A step calls Lua for the handler, the prompt and the view.
        let (three, ()) = timed(|| {
            for _ in 0..answers.len() * 3 {
                let _: Table = bare.call(()).unwrap();
            }
        });
        calls.push(three / answers.len() as u32);
    }
    let calls = median(&mut calls);
    let beside = "three bare calls, ten choices built";
    table.row("step of a small descent, no disk", median(&mut steps), beside, calls);
    table.row("  99 of 100 steps take at most", percentile(&mut steps, 99), beside, calls);
    let whole = median(&mut descents);
    table.row("whole small descent, its bot's time left out", whole, beside, calls);
}

/// Steps with intent and result written and synced, beside a plain file with the same writes.
pub fn with_sync(table: &mut report::BenchReport, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(folder.path().join("data"));
    let (mut steps, mut plain) = (Vec::new(), Vec::new());
    for seed in 0..rounds.div_ceil(5) as u64 {
        let (mut held, _) = data_dir.lock_profile(&format!("bench {seed}")).unwrap();
        let content = content();
        let answers = answers(&content, seed);
        let options = terms(&content.load().unwrap(), seed).options;
        let wish = RunRequest { content, options, seed: Some(seed), practice: false };
        let mut session = session::start_run(&mut held, wish, &mut || 0).unwrap().session;
        for input in answers.iter().take(200) {
            steps.push(timed(|| session.answer(input).unwrap()).0);
            plain.push(written_and_synced(&folder.path().join("plain")));
        }
    }
    for share in [50, 99] {
        table.row(
            &format!("step with its sync, p{share}"),
            percentile(&mut steps, share),
            &format!("plain file: two writes, one sync, p{share}"),
            percentile(&mut plain, share),
        );
    }
}

/// As many bytes, pieces and syncs as a step. The intent is synced before the step runs; the result
/// can be recomputed from it.
fn written_and_synced(path: &Path) -> Duration {
    let line = [b'x'; STEP_BYTES / 2];
    timed(|| {
        let open = || OpenOptions::new().create(true).append(true).open(path).unwrap();
        let mut file = open();
        file.write_all(&line).unwrap();
        file.sync_all().unwrap();
        open().write_all(&line).unwrap();
    })
    .0
}

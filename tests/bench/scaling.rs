//! How costs grow: start, step, reload, resume and replay of a small game with more definitions,
//! more mods, a larger unused state and a longer journal. Each stands beside the smallest size.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base::Value;
use mods::sort_into_load_order;
use protocol::Input;
use save::{BackgroundTask, DataDir, Disk, LockHandle, RealDisk};
use session::{RunContent, RunRequest};

use super::descent::begin_session;
use super::report::{
    BenchReport, BestTimes, measure_thread_time, median_time, min_time, percentile, time_work,
};
use super::support::{GAME_MANIFEST, manifest_needing, mod_from_text};

/// The size of a game and its run.
#[derive(Clone, Copy)]
struct GameSize {
    definition_count: usize,
    mod_count: usize,
    leaf_count: usize,
    step_count: usize,
}

const SMALL_SIZE: GameSize =
    GameSize { definition_count: 100, mod_count: 1, leaf_count: 100, step_count: 100 };
/// Steps that are timed from the current position.
const TIMED_STEPS: usize = 400;
/// Definitions per file; a file must not exceed its limit.
const DEFINITIONS_PER_FILE: usize = 500;

const GAME_SCRIPT: &str = r#"
kind "thing" { name = field.text, weight = field.int { min = 0, max = 100 }, text = field.text { optional = true } }
thing "first" { name = "First", weight = 3 }
start(function()
  state.hero = { vigour = 12, turns = 0 }
  state.untouched = {}
  for shelf = 1, LEAVES // 100 do
    local row = {}
    for place = 1, 99 do
      row[place] = place
    end
    state.untouched["shelf" .. shelf] = row
  end
  go "round"
end)
scene "round" {
  prompt = function()
    return { text = "Turn " .. state.hero.turns, choices = { { id = "go", label = "Go" }, { id = "stay", label = "Stay" } } }
  end,
  on = {
    go = function()
      state.hero.turns += 1
      state.hero.vigour = roll("1d6+2", "turns") + thing["game:first"].weight
      say "On."
    end,
    stay = function() state.hero.turns += 1 end,
  },
}
view "table"(function()
  return { title = "Here", widgets = { { widget = "stat", label = "vigour", value = state.hero.vigour } } }
end)
"#;

/// The costs of one size.
struct ScalingCosts {
    start_time: Duration,
    step_time: Duration,
    slowest_step: Duration,
    reload_time: Duration,
    resume_time: Duration,
    replay_time: Duration,
    /// The number of steps to replay.
    steps_taken: usize,
    journal_bytes: u64,
}

/// The rows of growth. A journal has at most `max_journal_steps` steps.
pub fn add_rows(report: &mut BenchReport, rounds: usize, max_journal_steps: usize) {
    let small_costs = measure_size(SMALL_SIZE, rounds);
    for definitions in [1_000, 10_000] {
        let costs = measure_size(GameSize { definition_count: definitions, ..SMALL_SIZE }, rounds);
        add_comparison(report, &format!("{definitions} definitions"), &costs, "100", &small_costs);
    }
    for mods in [10, 100] {
        let costs = measure_size(GameSize { mod_count: mods, ..SMALL_SIZE }, rounds);
        add_comparison(report, &format!("{mods} mods"), &costs, "1", &small_costs);
    }
    for leaf_count in [10_000, 100_000] {
        let costs = measure_size(GameSize { leaf_count, ..SMALL_SIZE }, rounds);
        add_comparison(
            report,
            &format!("{leaf_count} leaves of state"),
            &costs,
            "100",
            &small_costs,
        );
        if leaf_count == 10_000 {
            let max_time = Duration::from_millis(2);
            let label = "(g) p99 of a step without the sync, 10,000 leaves";
            report.add_row_with_limit(
                label,
                costs.slowest_step,
                "the most it may take",
                max_time,
                1.0,
            );
        } else {
            let max_time = Duration::from_millis(5);
            let label = "the dearest of 2,000 steps, 100,000 leaves, one of them with a checkpoint";
            report.add_row_with_limit(
                label,
                slowest_checkpoint_step(GameSize { leaf_count, ..SMALL_SIZE }),
                "the most it may take",
                max_time,
                1.0,
            );
        }
    }
    for steps in [10_000, 100_000].into_iter().filter(|steps| *steps <= max_journal_steps) {
        let costs = measure_size(GameSize { step_count: steps, ..SMALL_SIZE }, rounds);
        add_comparison(report, &format!("a journal of {steps} steps"), &costs, "100", &small_costs);
        let replay_step_time = costs.replay_time / costs.steps_taken as u32;
        let label = format!("(h) replay of one step of {steps}");
        let step_without_disk = time_step_without_disk(costs.steps_taken, rounds.div_ceil(5));
        report.add_row_with_limit(
            &label,
            replay_step_time,
            "a step without a disk, as in (c)",
            step_without_disk,
            2.0,
        );
        report.add_note(&format!(
            "(h) a journal of {} steps is {:.1} MiB",
            costs.steps_taken,
            costs.journal_bytes as f64 / (1 << 20) as f64
        ));
    }
}

fn add_comparison(
    report: &mut BenchReport,
    label: &str,
    costs: &ScalingCosts,
    baseline_size: &str,
    baseline_costs: &ScalingCosts,
) {
    let baseline_label = format!("the same with {baseline_size}");
    let mut add_row = |name: &str, time: Duration, baseline_time: Duration| {
        report.add_row(&format!("(h) {name}, {label}"), time, &baseline_label, baseline_time);
    };
    add_row("start", costs.start_time, baseline_costs.start_time);
    add_row("reload", costs.reload_time, baseline_costs.reload_time);
    add_row("resume", costs.resume_time, baseline_costs.resume_time);
    add_row("replay", costs.replay_time, baseline_costs.replay_time);
    report.add_row_with_limit(
        &format!("(h) step, {label}"),
        costs.step_time,
        &baseline_label,
        baseline_costs.step_time,
        1.25,
    );
}

/// A step of the small game without journal and digest. Measured like a replay: by thread time of
/// as many steps, with the garbage they leave.
fn time_step_without_disk(steps: usize, repetitions: usize) -> Duration {
    let game_content = content_of_size(SMALL_SIZE);
    let inputs = ["go", "stay"].map(|id| Input::Choice(id.to_owned()));
    let play_time = |_| {
        let mut session = begin_session(&game_content, game_content.load_vm().unwrap(), 1);
        measure_thread_time(|| {
            (0..steps).for_each(|index| drop(session.answer_prompt(&inputs[index % 2]).unwrap()))
        })
        .0
    };
    min_time(&(0..repetitions).map(play_time).collect::<Vec<_>>()) / steps as u32
}

fn measure_size(size: GameSize, rounds: usize) -> ScalingCosts {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::with_disk(Arc::new(UnsyncedDisk), folder.path().join("data"));
    let game_content = content_of_size(size);
    let (repetitions, step_repetitions) = (rounds.div_ceil(5), rounds.div_ceil(2));
    let begin_fresh_run = || drop(begin_session(&game_content, game_content.load_vm().unwrap(), 1));
    let mut start_times: Vec<_> =
        (0..repetitions).map(|_| measure_thread_time(begin_fresh_run).0).collect();

    // Measures each step several times, because a disturbance seldom repeats. Small sizes use runs
    // of their own, large ones repeat at the end of one run. All sizes take the minimum of as many
    // measurements.
    let repetitions_in_one_run = if size.step_count > 1_000 { step_repetitions } else { 1 };
    let step_count = size.step_count + repetitions_in_one_run * TIMED_STEPS;
    let inputs = ["go", "stay"].map(|id| Input::Choice(id.to_owned()));
    let mut best_times = BestTimes::default();
    let play_run = |data_dir: &DataDir, best_times: &mut BestTimes| {
        let (mut locked_profile, _) = data_dir.lock_profile("bench").unwrap();
        let content = game_content.clone();
        let request =
            RunRequest { content, options: Value::map(), seed: Some(1), is_practice: false };
        let mut session =
            session::start_run(&mut locked_profile, request, &mut || 0).unwrap().session;
        for index in 0..size.step_count {
            session.answer_prompt(&inputs[index % 2]).unwrap();
        }
        for _ in 0..repetitions_in_one_run {
            let time_step =
                |index: usize| time_work(|| session.answer_prompt(&inputs[index % 2]).unwrap()).0;
            best_times.add_round((0..TIMED_STEPS).map(time_step).collect());
        }
        session
    };
    for index in repetitions_in_one_run..step_repetitions {
        let data_dir =
            DataDir::with_disk(Arc::new(UnsyncedDisk), folder.path().join(format!("again{index}")));
        drop(play_run(&data_dir, &mut best_times));
    }
    let mut session = play_run(&data_dir, &mut best_times);
    let mut step_times = best_times.0;
    let id = session.run_id().unwrap();
    let path = data_dir.journal_path(&id).unwrap();
    drop(session);

    let mut replay_times = Vec::new();
    for _ in 0..repetitions {
        let (time, replayed_steps) = measure_thread_time(|| {
            session::replay_and_verify(&data_dir, &id, &mut |_, _| {}).unwrap()
        });
        assert_eq!(replayed_steps as usize, step_count);
        replay_times.push(time);
    }
    let mut resume_times = Vec::new();
    let mut resumed_session = None;
    for _ in 0..repetitions {
        drop(resumed_session.take());
        let (time, run) = measure_thread_time(|| {
            session::resume_run(&data_dir, &id, Some(&game_content)).unwrap()
        });
        resume_times.push(time);
        resumed_session = Some(run.session);
    }
    let mut session = resumed_session.unwrap();
    let mut time_reload =
        || measure_thread_time(|| session.reload(game_content.clone()).unwrap()).0;
    let mut reload_times: Vec<_> = (0..repetitions).map(|_| time_reload()).collect();
    ScalingCosts {
        start_time: median_time(&mut start_times),
        step_time: median_time(&mut step_times),
        slowest_step: percentile(&mut step_times, 99),
        reload_time: median_time(&mut reload_times),
        resume_time: median_time(&mut resume_times),
        replay_time: min_time(&replay_times),
        steps_taken: step_count,
        journal_bytes: path.metadata().unwrap().len(),
    }
}

/// The slowest of as many steps as contain one checkpoint, by thread time of the thread that the
/// player waits for.
fn slowest_checkpoint_step(size: GameSize) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::with_disk(Arc::new(UnsyncedDisk), folder.path().to_owned());
    let (mut locked_profile, _) = data_dir.lock_profile("bench").unwrap();
    let request = RunRequest {
        content: content_of_size(size),
        options: Value::map(),
        seed: Some(1),
        is_practice: false,
    };
    let mut session = session::start_run(&mut locked_profile, request, &mut || 0).unwrap().session;
    let inputs = ["go", "stay"].map(|id| Input::Choice(id.to_owned()));
    let time_step =
        |index: usize| measure_thread_time(|| session.answer_prompt(&inputs[index % 2]).unwrap()).0;
    (0..2_000).map(time_step).max().unwrap_or_default()
}

/// A game of that size, with its definitions spread over its mods.
fn content_of_size(size: GameSize) -> RunContent {
    let thing_files = |start: usize, end: usize| -> Vec<(String, String)> {
        let numbers: Vec<usize> = (start..end).collect();
        let files = numbers.chunks(DEFINITIONS_PER_FILE).enumerate();
        let thing_declaration = |index: &usize| {
            format!("thing \"t{index}\" {{ name = \"Thing {index}\", weight = {} }}\n", index % 100)
        };
        files
            .map(|(index, chunk)| {
                (format!("things{index}.luau"), chunk.iter().map(thing_declaration).collect())
            })
            .collect()
    };
    let first_definition = |index: usize| size.definition_count * index / size.mod_count;
    let play_script = GAME_SCRIPT.replace("LEAVES", &size.leaf_count.to_string());
    let sources = (0..size.mod_count).map(|index| {
        let mut files = thing_files(first_definition(index), first_definition(index + 1));
        if index == 0 {
            files.push(("kinds/play.luau".to_owned(), play_script.clone()));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let manifest = if index == 0 {
            GAME_MANIFEST.to_owned()
        } else {
            manifest_needing(&format!("more{index}"), &["game"])
        };
        mod_from_text(&manifest, &files)
    });
    RunContent { mods: sort_into_load_order(sources.collect()).unwrap(), settings: Value::map() }
}

/// The disk of this machine without syncs: only the engine is timed.
struct UnsyncedDisk;

impl Disk for UnsyncedDisk {
    fn read_file(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        RealDisk.read_file(path, max_bytes)
    }
    fn open_reader(&self, path: &Path, start: u64) -> io::Result<Box<dyn io::Read + '_>> {
        RealDisk.open_reader(path, start)
    }
    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.write_file(path, bytes)
    }
    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append_to_file(path, bytes)
    }
    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        RealDisk.truncate_file(path, length)
    }
    fn sync_file(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        RealDisk.list_folder(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        RealDisk.exists(path)
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_folder(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        RealDisk.lock(path)
    }
    fn run_in_background(&self, work: Box<dyn FnOnce() + Send>) -> BackgroundTask {
        RealDisk.run_in_background(work)
    }
}

//! How costs grow: start, step, reload, resume and replay of a small game with more definitions,
//! more mods, a larger unused state and a longer journal. Each stands beside the smallest size.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::base::Value;
use engine::mods::load_order;
use engine::protocol::Input;
use engine::save::{BackgroundTask, DataDir, Disk, LockHandle, RealDisk};
use engine::session::{self, Content, RunRequest};

use super::descent::begin;
use super::report::{
    BenchReport, BestTimes, least, measure_thread_time, median, percentile, timed,
};
use super::support::{GAME, manifest_needing, mod_from_text};

/// The size of a game and its run.
#[derive(Clone, Copy)]
struct Size {
    definitions: usize,
    mods: usize,
    leaves: usize,
    steps: usize,
}

const SMALL: Size = Size { definitions: 100, mods: 1, leaves: 100, steps: 100 };
/// Steps that are timed from the current position.
const TIMED: usize = 400;
/// Definitions per file; a file must not exceed its limit.
const IN_A_FILE: usize = 500;

const PLAY: &str = r#"
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
    start: Duration,
    step: Duration,
    slowest: Duration,
    reload: Duration,
    resume: Duration,
    replay: Duration,
    /// The number of steps to replay.
    taken: usize,
    journal: u64,
}

/// The rows of growth. A journal has at most `longest` steps.
pub fn rows(table: &mut BenchReport, rounds: usize, longest: usize) {
    let small = measure_size(SMALL, rounds);
    for definitions in [1_000, 10_000] {
        let found = measure_size(Size { definitions, ..SMALL }, rounds);
        compare(table, &format!("{definitions} definitions"), &found, "100", &small);
    }
    for mods in [10, 100] {
        let found = measure_size(Size { mods, ..SMALL }, rounds);
        compare(table, &format!("{mods} mods"), &found, "1", &small);
    }
    for leaves in [10_000, 100_000] {
        let found = measure_size(Size { leaves, ..SMALL }, rounds);
        compare(table, &format!("{leaves} leaves of state"), &found, "100", &small);
        if leaves == 10_000 {
            let most = Duration::from_millis(2);
            let what = "(g) p99 of a step without the sync, 10,000 leaves";
            table.aim(what, found.slowest, "the most it may take", most, 1.0);
        } else {
            let most = Duration::from_millis(5);
            let what = "the dearest of 2,000 steps, 100,000 leaves, one of them with a checkpoint";
            table.aim(
                what,
                slowest_checkpoint_step(Size { leaves, ..SMALL }),
                "the most it may take",
                most,
                1.0,
            );
        }
    }
    for steps in [10_000, 100_000].into_iter().filter(|steps| *steps <= longest) {
        let found = measure_size(Size { steps, ..SMALL }, rounds);
        compare(table, &format!("a journal of {steps} steps"), &found, "100", &small);
        let replayed = found.replay / found.taken as u32;
        let what = format!("(h) replay of one step of {steps}");
        let plain = without_disk(found.taken, rounds.div_ceil(5));
        table.aim(&what, replayed, "a step without a disk, as in (c)", plain, 2.0);
        table.note(&format!(
            "(h) a journal of {} steps is {:.1} MiB",
            found.taken,
            found.journal as f64 / (1 << 20) as f64
        ));
    }
}

fn compare(
    table: &mut BenchReport,
    what: &str,
    found: &ScalingCosts,
    than: &str,
    small: &ScalingCosts,
) {
    let beside = format!("the same with {than}");
    let mut row = |name: &str, one: Duration, other: Duration| {
        table.row(&format!("(h) {name}, {what}"), one, &beside, other);
    };
    row("start", found.start, small.start);
    row("reload", found.reload, small.reload);
    row("resume", found.resume, small.resume);
    row("replay", found.replay, small.replay);
    table.aim(&format!("(h) step, {what}"), found.step, &beside, small.step, 1.25);
}

/// A step of the small game without journal and digest. Measured like a replay: by thread time of
/// as many steps, with the garbage they leave.
fn without_disk(steps: usize, few: usize) -> Duration {
    let content = content(SMALL);
    let inputs = ["go", "stay"].map(|id| Input::Choice(id.to_owned()));
    let played = |_| {
        let mut session = begin(&content, content.load().unwrap(), 1);
        measure_thread_time(|| {
            (0..steps).for_each(|at| drop(session.answer(&inputs[at % 2]).unwrap()))
        })
        .0
    };
    least(&(0..few).map(played).collect::<Vec<_>>()) / steps as u32
}

fn measure_size(size: Size, rounds: usize) -> ScalingCosts {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::on_disk(Arc::new(UnsyncedDisk), folder.path().join("data"));
    let content = content(size);
    let (few, often) = (rounds.div_ceil(5), rounds.div_ceil(2));
    let fresh = || drop(begin(&content, content.load().unwrap(), 1));
    let mut start: Vec<_> = (0..few).map(|_| measure_thread_time(fresh).0).collect();

    // Measures each step several times, because a disturbance seldom repeats. Small sizes use runs
    // of their own, large ones repeat at the end of one run. All sizes take the minimum of as many
    // measurements.
    let in_a_row = if size.steps > 1_000 { often } else { 1 };
    let taken = size.steps + in_a_row * TIMED;
    let inputs = ["go", "stay"].map(|id| Input::Choice(id.to_owned()));
    let mut best = BestTimes::default();
    let played = |data_dir: &DataDir, best: &mut BestTimes| {
        let (mut held, _) = data_dir.lock_profile("bench").unwrap();
        let content = content.clone();
        let wish = RunRequest { content, options: Value::map(), seed: Some(1), practice: false };
        let mut session = session::start_run(&mut held, wish, &mut || 0).unwrap().session;
        for at in 0..size.steps {
            session.answer(&inputs[at % 2]).unwrap();
        }
        for _ in 0..in_a_row {
            let step = |at: usize| timed(|| session.answer(&inputs[at % 2]).unwrap()).0;
            best.add_round((0..TIMED).map(step).collect());
        }
        session
    };
    for at in in_a_row..often {
        let data_dir =
            DataDir::on_disk(Arc::new(UnsyncedDisk), folder.path().join(format!("again{at}")));
        drop(played(&data_dir, &mut best));
    }
    let mut session = played(&data_dir, &mut best);
    let mut steps = best.0;
    let id = session.run_id().unwrap();
    let path = data_dir.journal_path(&id).unwrap();
    drop(session);

    let mut replay = Vec::new();
    for _ in 0..few {
        let (time, compared) =
            measure_thread_time(|| session::replay(&data_dir, &id, &mut |_, _| {}).unwrap());
        assert_eq!(compared as usize, taken);
        replay.push(time);
    }
    let mut resume = Vec::new();
    let mut resumed = None;
    for _ in 0..few {
        drop(resumed.take());
        let (time, run) =
            measure_thread_time(|| session::resume(&data_dir, &id, Some(&content)).unwrap());
        resume.push(time);
        resumed = Some(run.session);
    }
    let mut session = resumed.unwrap();
    let mut again = || measure_thread_time(|| session.reload(content.clone()).unwrap()).0;
    let mut reload: Vec<_> = (0..few).map(|_| again()).collect();
    ScalingCosts {
        start: median(&mut start),
        step: median(&mut steps),
        slowest: percentile(&mut steps, 99),
        reload: median(&mut reload),
        resume: median(&mut resume),
        replay: least(&replay),
        taken,
        journal: path.metadata().unwrap().len(),
    }
}

/// The slowest of as many steps as contain one checkpoint, by thread time of the thread that the
/// player waits for.
fn slowest_checkpoint_step(size: Size) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::on_disk(Arc::new(UnsyncedDisk), folder.path().to_owned());
    let (mut held, _) = data_dir.lock_profile("bench").unwrap();
    let wish = RunRequest {
        content: content(size),
        options: Value::map(),
        seed: Some(1),
        practice: false,
    };
    let mut session = session::start_run(&mut held, wish, &mut || 0).unwrap().session;
    let inputs = ["go", "stay"].map(|id| Input::Choice(id.to_owned()));
    let step = |at: usize| measure_thread_time(|| session.answer(&inputs[at % 2]).unwrap()).0;
    (0..2_000).map(step).max().unwrap_or_default()
}

/// A game of that size, with its definitions spread over its mods.
fn content(size: Size) -> Content {
    let things = |from: usize, to: usize| -> Vec<(String, String)> {
        let numbers: Vec<usize> = (from..to).collect();
        let files = numbers.chunks(IN_A_FILE).enumerate();
        let thing = |at: &usize| {
            format!("thing \"t{at}\" {{ name = \"Thing {at}\", weight = {} }}\n", at % 100)
        };
        files
            .map(|(at, some)| (format!("things{at}.luau"), some.iter().map(thing).collect()))
            .collect()
    };
    let share = |at: usize| size.definitions * at / size.mods;
    let play = PLAY.replace("LEAVES", &size.leaves.to_string());
    let sources = (0..size.mods).map(|at| {
        let mut files = things(share(at), share(at + 1));
        if at == 0 {
            files.push(("kinds/play.luau".to_owned(), play.clone()));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let manifest = if at == 0 {
            GAME.to_owned()
        } else {
            manifest_needing(&format!("more{at}"), &["game"])
        };
        mod_from_text(&manifest, &files)
    });
    Content { mods: load_order(sources.collect()).unwrap(), settings: Value::map() }
}

/// The disk of this machine without syncs: only the engine is timed.
struct UnsyncedDisk;

impl Disk for UnsyncedDisk {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        RealDisk.read(path, most)
    }
    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn io::Read + '_>> {
        RealDisk.reader(path, from)
    }
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.write(path, bytes)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append(path, bytes)
    }
    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        RealDisk.truncate_file(path, length)
    }
    fn sync(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        RealDisk.list(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        RealDisk.exists(path)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.make_folder(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        RealDisk.lock(path)
    }
    fn run_in_background(&self, work: Box<dyn FnOnce() + Send>) -> BackgroundTask {
        RealDisk.run_in_background(work)
    }
}

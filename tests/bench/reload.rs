//! The cost of a saved file: from the close of the file by the editor to the new prompt on the full
//! screen. The first case is the bundled game with every example mod loaded from folders and the
//! run on disk. The second is a game of a hundred files of two hundred lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::base::Value;
use engine::mods::{load_order, read_folder};
use engine::save::DataDir;
use engine::session::{self, Content, RunRequest, complete_options, option_specs};
use engine::ui::file_watch::{COMPLETE_DEBOUNCE, FileWatch};
use engine::ui::full::{Palette, Screen, Theme};

use super::report::{BenchReport, median, timed};
use super::screen::DiscardTerminal;
use super::support::copy;

/// The maximum time of a saved file, including debounce; and the maximum without debounce, for a
/// hundred files of two hundred lines.
const MOST: Duration = Duration::from_millis(60);
const MOST_OF_HUNDRED: Duration = Duration::from_millis(30);
/// How often a front end polls its reload signal.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A saved file, and the number in it that changes each time.
struct SavedFile<'t> {
    file: &'t str,
    number: &'t str,
    /// The expected report.
    told: &'t str,
}

/// The time of each part, in all rounds.
#[derive(Default)]
struct ReloadTimes {
    whole: Vec<Duration>,
    quiet: Vec<Duration>,
    reading: Vec<Duration>,
    swapping: Vec<Duration>,
}

/// The rows of a reload.
pub fn rows(table: &mut BenchReport, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let folders = copies(folder.path());
    let word = SavedFile {
        file: "ember_words/words/rekindle.luau",
        number: "bonus = 0",
        told: "ember_words:rekindle",
    };
    let mut took = time_saves(folder.path(), &folders, &word, rounds);
    let beside = "the most it may take";
    let what = "a saved file to the new prompt, all examples on";
    table.row(what, median(&mut took.whole), beside, MOST);
    table.row(
        "  of it: until it is quiet",
        median(&mut took.quiet),
        "the debounce",
        COMPLETE_DEBOUNCE,
    );
    table.row("  of it: what changed read again", median(&mut took.reading), beside, MOST);
    let swapped = "  of it: loaded, checked, carried, swapped";
    table.row(swapped, median(&mut took.swapping), beside, MOST);

    // Files that are loaded after a file with exports run again.
    let seen = SavedFile { file: "base_game/play/lasting.luau", number: "function", told: "" };
    let mut took = time_saves(folder.path(), &folders, &seen, rounds);
    table.row("a saved file that others see", median(&mut took.whole), beside, MOST);

    let folder = tempfile::tempdir().unwrap();
    let folders = vec![a_hundred(folder.path())];
    let file = SavedFile { file: "hundred/f50.luau", number: "worth = 1", told: "hundred:" };
    let mut took = time_saves(folder.path(), &folders, &file, rounds);
    let mut beyond: Vec<Duration> =
        took.reading.iter().zip(&took.swapping).map(|(read, swapped)| *read + *swapped).collect();
    let what = "a reload of 100 files of 200 lines, beyond the debounce";
    table.row(what, median(&mut beyond), beside, MOST_OF_HUNDRED);
    table.row("  with it, to the new prompt", median(&mut took.whole), beside, MOST);
}

/// Saves a file repeatedly under a run, and measures the time.
fn time_saves(
    root: &Path,
    folders: &[PathBuf],
    what: &SavedFile<'_>,
    rounds: usize,
) -> ReloadTimes {
    let sources = folders.iter().map(|folder| read_folder(folder).unwrap());
    let content = Content { mods: load_order(sources.collect()).unwrap(), settings: Value::map() };
    let kept = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(kept.path().join("data"));
    let (mut held, _) = data_dir.lock_profile("bench").unwrap();
    let registry_of = content.load().unwrap();
    let options =
        complete_options(&option_specs(registry_of.registry()), &BTreeMap::new()).unwrap();
    let wish = RunRequest { content, options, seed: Some(1), practice: false };
    let mut session = session::start_run(&mut held, wish, &mut || 0).unwrap().session;

    let mut nobody = DiscardTerminal::default();
    let mut screen = Screen::new(Theme::of(Palette::Dark));
    screen.show_prompt(session.prompt(), session.view());

    let watch = FileWatch::open(folders.to_vec()).unwrap();
    let file = root.join(what.file);
    let text = fs::read_to_string(&file).unwrap();
    let mut took = ReloadTimes::default();
    for round in 1..=rounds.max(2) * 2 {
        let other = match what.number.split_once(" = ") {
            Some((name, _)) => {
                text.replace(what.number, &format!("{name} = {}", 1 + (round + 1) % 9))
            }
            None => format!("{text}-- saved {round} times\n"),
        };
        fs::write(&file, other).unwrap();
        let closed = Instant::now();
        while !watch.poll_changed() {
            std::thread::sleep(POLL_INTERVAL);
        }
        took.quiet.push(closed.elapsed());
        let changed = watch.take_changes();
        let again = || session::read_changed_mods(session.content(), changed.files()).unwrap();
        let (time, read) = timed(again);
        took.reading.push(time);
        let (time, told) =
            timed(|| session::reload_if_changed(&data_dir, &mut session, read).unwrap().unwrap());
        took.swapping.push(time);
        screen.add_events(&told.events);
        screen.show_prompt(session.prompt(), session.view());
        nobody.paint(&mut screen);
        took.whole.push(closed.elapsed());
        assert!(format!("{:?}", told.events).contains(what.told), "{:?}", told.events);
    }
    took
}

/// A game of a hundred files of two hundred lines each: definitions with functions, and a scene.
fn a_hundred(into: &Path) -> PathBuf {
    let folder = into.join("hundred");
    fs::create_dir_all(folder.join("kinds")).unwrap();
    let manifest =
        "id = \"hundred\"\nname = \"Hundred\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    fs::write(folder.join("mod.toml"), manifest).unwrap();
    let kind = "kind \"thing\" { worth = field.int, text = field.text, on = field.fn, tags = field.list { field.text } }\n";
    fs::write(folder.join("kinds/thing.luau"), kind).unwrap();
    let frame = "start(function() state.n = 0 go \"rim\" end)\nscene \"rim\" {\n  prompt = function()\n    \
                 return { text = \"{n}\", values = { n = thing.f50_1.worth }, choices = { { id = \"on\", label = \
                 \"On\" } } }\n  end,\n  on = { on = function() state.n += thing.f50_1.on(state.n) end },\n}\n";
    fs::write(folder.join("frame.luau"), frame).unwrap();
    for file in 1..=100 {
        let mut text = String::from("-- Things, one like another.\n");
        for number in 1..=20 {
            text += &format!(
                "thing \"f{file}_{number}\" {{\n  worth = 1,\n  text = \"Thing {number} of {file}, which is \
                 like no other.\",\n  tags = {{ \"one\", \"two\", \"three\" }},\n  on = function(count)\n    local \
                 sum = 0\n    for at = 1, count % 7 do sum += at * {number} end\n    return sum\n  end,\n}}\n"
            );
        }
        assert!(text.lines().count() >= 200, "files of two hundred lines");
        fs::write(folder.join(format!("f{file}.luau")), text).unwrap();
    }
    folder
}

/// The bundled game and the example mods, copied to writable folders.
fn copies(into: &Path) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut from = vec![root.join("base_game"), root.join("mods/parts")];
    let examples = fs::read_dir(root.join("mods")).unwrap().map(|entry| entry.unwrap().path());
    from.extend(examples.filter(|path| is_mod_beside(path)));
    let copied = |from: &PathBuf| {
        let to = into.join(from.file_name().unwrap());
        copy(from, &to);
        to
    };
    from.iter().map(copied).collect()
}

/// Whether a folder holds a mod for the bundled game.
fn is_mod_beside(path: &Path) -> bool {
    path.join("mod.toml").exists()
        && read_folder(path).unwrap().manifest.needs.contains_key("sub_rosa")
}

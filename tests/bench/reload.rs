//! The cost of a saved file: from the close of the file by the editor to the new prompt on the full
//! screen. The first case is the bundled game with every example mod loaded from folders and the
//! run on disk. The second is a game of a hundred files of two hundred lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::Value;
use mods::{read_folder, sort_into_load_order};
use save::DataDir;
use session::{RunContent, RunRequest, complete_options, option_specs};
use ui::file_watch::{COMPLETE_DEBOUNCE, FileWatch};
use ui::full_screen::{Palette, Screen, Theme};

use super::report::{BenchReport, median_time, time_work};
use super::screen::DiscardTerminal;
use super::support::copy_folder;

/// The maximum time of a saved file, including debounce; and the maximum without debounce, for a
/// hundred files of two hundred lines.
const MAX_RELOAD_TIME: Duration = Duration::from_millis(60);
const MAX_HUNDRED_FILES_TIME: Duration = Duration::from_millis(30);
/// How often a front end polls its reload signal.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A saved file, and the number in it that changes each time.
struct SavedFile<'t> {
    path: &'t str,
    number: &'t str,
    /// The expected report.
    expected_text: &'t str,
}

/// The time of each part, in all rounds.
#[derive(Default)]
struct ReloadTimes {
    total_times: Vec<Duration>,
    debounce_times: Vec<Duration>,
    read_times: Vec<Duration>,
    swap_times: Vec<Duration>,
}

/// The rows of a reload.
pub fn add_rows(report: &mut BenchReport, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mod_folders = copy_mods(folder.path());
    let spell_file = SavedFile {
        path: "ember_words/words/rekindle.luau",
        number: "bonus = 0",
        expected_text: "ember_words:rekindle",
    };
    let mut reload_times = time_saves(folder.path(), &mod_folders, &spell_file, rounds);
    let limit_label = "the most it may take";
    let label = "a saved file to the new prompt, all examples on";
    report.add_row(label, median_time(&mut reload_times.total_times), limit_label, MAX_RELOAD_TIME);
    report.add_row(
        "  of it: until it is quiet",
        median_time(&mut reload_times.debounce_times),
        "the debounce",
        COMPLETE_DEBOUNCE,
    );
    report.add_row(
        "  of it: what changed read again",
        median_time(&mut reload_times.read_times),
        limit_label,
        MAX_RELOAD_TIME,
    );
    let swap_label = "  of it: loaded, checked, carried, swapped";
    report.add_row(
        swap_label,
        median_time(&mut reload_times.swap_times),
        limit_label,
        MAX_RELOAD_TIME,
    );

    // Files that are loaded after a file with exports run again.
    let exports_file =
        SavedFile { path: "base_game/play/lasting.luau", number: "function", expected_text: "" };
    let mut reload_times = time_saves(folder.path(), &mod_folders, &exports_file, rounds);
    report.add_row(
        "a saved file that others see",
        median_time(&mut reload_times.total_times),
        limit_label,
        MAX_RELOAD_TIME,
    );

    let folder = tempfile::tempdir().unwrap();
    let mod_folders = vec![write_hundred_files_game(folder.path())];
    let worth_file =
        SavedFile { path: "hundred/f50.luau", number: "worth = 1", expected_text: "hundred:" };
    let mut reload_times = time_saves(folder.path(), &mod_folders, &worth_file, rounds);
    let mut times_after_debounce: Vec<Duration> = reload_times
        .read_times
        .iter()
        .zip(&reload_times.swap_times)
        .map(|(read_time, swap_time)| *read_time + *swap_time)
        .collect();
    let label = "a reload of 100 files of 200 lines, beyond the debounce";
    report.add_row(
        label,
        median_time(&mut times_after_debounce),
        limit_label,
        MAX_HUNDRED_FILES_TIME,
    );
    report.add_row(
        "  with it, to the new prompt",
        median_time(&mut reload_times.total_times),
        limit_label,
        MAX_RELOAD_TIME,
    );
}

/// Saves a file repeatedly under a run, and measures the time.
fn time_saves(
    root: &Path,
    mod_folders: &[PathBuf],
    saved_file: &SavedFile<'_>,
    rounds: usize,
) -> ReloadTimes {
    let sources = mod_folders.iter().map(|folder| read_folder(folder).unwrap());
    let content = RunContent {
        mods: sort_into_load_order(sources.collect()).unwrap(),
        settings: Value::map(),
    };
    let data_folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(data_folder.path().join("data"));
    let (mut locked_profile, _) = data_dir.lock_profile("bench").unwrap();
    let loaded_vm = content.load_vm().unwrap();
    let options = complete_options(&option_specs(loaded_vm.registry()), &BTreeMap::new()).unwrap();
    let request = RunRequest { content, options, seed: Some(1), is_practice: false };
    let mut session = session::start_run(&mut locked_profile, request, &mut || 0).unwrap().session;

    let mut terminal = DiscardTerminal::default();
    let mut screen = Screen::new(Theme::from_palette(Palette::Dark));
    screen.show_prompt(session.prompt(), session.view());

    let watch = FileWatch::start(mod_folders.to_vec()).unwrap();
    let path = root.join(saved_file.path);
    let text = fs::read_to_string(&path).unwrap();
    let mut reload_times = ReloadTimes::default();
    for round in 1..=rounds.max(2) * 2 {
        let changed_text = match saved_file.number.split_once(" = ") {
            Some((name, _)) => {
                text.replace(saved_file.number, &format!("{name} = {}", 1 + (round + 1) % 9))
            }
            None => format!("{text}-- saved {round} times\n"),
        };
        fs::write(&path, changed_text).unwrap();
        let close_time = Instant::now();
        while !watch.poll_changed() {
            std::thread::sleep(POLL_INTERVAL);
        }
        reload_times.debounce_times.push(close_time.elapsed());
        let changes = watch.take_changes();
        let read_changes = || session::reread_mods(session.content(), changes.files()).unwrap();
        let (time, changed_mods) = time_work(read_changes);
        reload_times.read_times.push(time);
        let (time, step_outcome) = time_work(|| {
            session::reload_if_content_differs(&data_dir, &mut session, changed_mods)
                .unwrap()
                .unwrap()
        });
        reload_times.swap_times.push(time);
        screen.add_events(&step_outcome.events);
        screen.show_prompt(session.prompt(), session.view());
        terminal.paint(&mut screen);
        reload_times.total_times.push(close_time.elapsed());
        assert!(
            format!("{:?}", step_outcome.events).contains(saved_file.expected_text),
            "{:?}",
            step_outcome.events
        );
    }
    reload_times
}

/// A game of a hundred files of two hundred lines each: definitions with functions, and a scene.
fn write_hundred_files_game(target_folder: &Path) -> PathBuf {
    let folder = target_folder.join("hundred");
    fs::create_dir_all(folder.join("kinds")).unwrap();
    let manifest =
        "id = \"hundred\"\nname = \"Hundred\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    fs::write(folder.join("mod.toml"), manifest).unwrap();
    let kind = "kind \"thing\" { worth = field.int, text = field.text, on = field.fn, tags = field.list { field.text } }\n";
    fs::write(folder.join("kinds/thing.luau"), kind).unwrap();
    let frame_script = "start(function() state.n = 0 go \"rim\" end)\nscene \"rim\" {\n  prompt = function()\n    \
                 return { text = \"{n}\", values = { n = thing.f50_1.worth }, choices = { { id = \"on\", label = \
                 \"On\" } } }\n  end,\n  on = { on = function() state.n += thing.f50_1.on(state.n) end },\n}\n";
    fs::write(folder.join("frame.luau"), frame_script).unwrap();
    for file_number in 1..=100 {
        let mut text = String::from("-- Things, one like another.\n");
        for number in 1..=20 {
            text += &format!(
                "thing \"f{file_number}_{number}\" {{\n  worth = 1,\n  text = \"Thing {number} of {file_number}, which is \
                 like no other.\",\n  tags = {{ \"one\", \"two\", \"three\" }},\n  on = function(count)\n    local \
                 sum = 0\n    for at = 1, count % 7 do sum += at * {number} end\n    return sum\n  end,\n}}\n"
            );
        }
        assert!(text.lines().count() >= 200, "files of two hundred lines");
        fs::write(folder.join(format!("f{file_number}.luau")), text).unwrap();
    }
    folder
}

/// The bundled game and the example mods, copied to writable folders.
fn copy_mods(target_folder: &Path) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut source_folders = vec![root.join("base_game"), root.join("mods/parts")];
    let examples = fs::read_dir(root.join("mods")).unwrap().map(|entry| entry.unwrap().path());
    source_folders.extend(examples.filter(|path| is_mod_of_bundled_game(path)));
    let copy_folder = |source: &PathBuf| {
        let target = target_folder.join(source.file_name().unwrap());
        copy_folder(source, &target);
        target
    };
    source_folders.iter().map(copy_folder).collect()
}

/// Whether a folder holds a mod for the bundled game.
fn is_mod_of_bundled_game(path: &Path) -> bool {
    path.join("mod.toml").exists()
        && read_folder(path).unwrap().manifest.needed_mods.contains_key("sub_rosa")
}

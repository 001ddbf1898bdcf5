//! What a saved file costs: from the moment that an editor closes it to the new prompt on the full
//! screen, with the bundled game and every example mod loaded from folders and the run on disk.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use engine::kit::Value;
use engine::mods::{load_order, read_folder};
use engine::run::{self, Content, Wish};
use engine::save::Home;
use engine::ui::full::{Look, Palette, Screen};
use engine::ui::watch::{DEBOUNCE, Watch};

use super::descent::terms;
use super::screen::Nobody;
use super::table::{Table, median, timed};

/// The most that a saved file may take, debounce and all.
const MOST: Duration = Duration::from_millis(60);
/// How often a front end looks at its bell.
const LOOK: Duration = Duration::from_millis(5);
/// The file that is saved, and the number in it that changes.
const FILE: &str = "ember_words/words/rekindle.luau";

/// The rows of a reload.
pub fn rows(table: &mut Table, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let folders = copies(folder.path());
    let sources = folders.iter().map(|folder| read_folder(folder).unwrap());
    let content = Content { mods: load_order(sources.collect()).unwrap(), settings: Value::map() };
    let home = Home::new(folder.path().join("data"));
    let (mut held, _) = home.hold_profile("bench").unwrap();
    let options = terms(&content.load().unwrap(), 1).options;
    let wish = Wish { content, options, seed: Some(1), practice: false };
    let mut session = run::begin(&mut held, wish, &mut || 0).unwrap().session;

    let mut nobody = Nobody::default();
    let mut screen = Screen::new(Look::of(Palette::Dark));
    screen.pose(session.prompt(), session.view());

    let watch = Watch::over(folders).unwrap();
    let file = folder.path().join(FILE);
    let text = fs::read_to_string(&file).unwrap();
    let (mut whole, mut quiet, mut reading, mut swapping) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds.max(2) * 2 {
        fs::write(&file, text.replace("bonus = 0", &format!("bonus = {}", 1 + round % 9))).unwrap();
        let closed = Instant::now();
        while !watch.changed() {
            std::thread::sleep(LOOK);
        }
        quiet.push(closed.elapsed());
        let (took, read) = timed(|| run::reread(session.content()).unwrap());
        reading.push(took);
        let (took, told) = timed(|| run::reload(&home, &mut session, read).unwrap().unwrap());
        swapping.push(took);
        screen.tell(&told.events);
        screen.pose(session.prompt(), session.view());
        nobody.paint(&mut screen);
        whole.push(closed.elapsed());
        assert!(format!("{:?}", told.events).contains("ember_words:rekindle"), "{:?}", told.events);
    }
    let beside = "the most it may take";
    let what = "a saved file to the new prompt, all examples on";
    table.row(what, median(&mut whole), beside, MOST);
    table.row("  of it: until it is quiet", median(&mut quiet), "the debounce", DEBOUNCE);
    table.row("  of it: all mods read again", median(&mut reading), beside, MOST);
    table.row("  of it: loaded, checked, carried, swapped", median(&mut swapping), beside, MOST);
}

/// The bundled game and the example mods, in folders that may be written to.
fn copies(into: &Path) -> Vec<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut from = vec![root.join("base_game")];
    let examples = fs::read_dir(root.join("mods")).unwrap().map(|entry| entry.unwrap().path());
    from.extend(examples.filter(|path| is_mod_beside(path)));
    let copied = |from: &std::path::PathBuf| {
        let to = into.join(from.file_name().unwrap());
        copy(from, &to);
        to
    };
    from.iter().map(copied).collect()
}

/// Whether a folder holds a mod that goes with the bundled game.
fn is_mod_beside(path: &Path) -> bool {
    path.join("mod.toml").exists()
        && read_folder(path).unwrap().manifest.needs.contains_key("sub_rosa")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let beside = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &beside);
        } else {
            fs::copy(&path, &beside).unwrap();
        }
    }
}

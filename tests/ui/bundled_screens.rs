//! Screens of every kind of the bundled games at three sizes, and what they leave to the story.

use std::path::Path;
use std::sync::Arc;

use crossterm::event::KeyCode;
use engine::kit::Value;
use engine::mods::Places;
use engine::play::{Input, Past};
use engine::run::{Bot, Session};
use engine::save::{DataDir, MemoryDisk};
use engine::ui::Front;
use engine::ui::full::{Palette, Screen, Theme};
use engine::ui::laid::Laid;
use engine::ui::lobby::{Setup, play};
use engine::ui::plain::{Lines, Plain};

use super::sample::{frame, press};
use super::screens::{Album, setup};
use crate::bundled;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (40, 12)];

fn rows(screen: &mut Screen, (columns, height): (u16, u16)) -> Vec<String> {
    let frame = frame(screen, columns, height);
    super::sample::rows(&frame).map(|row| row.trim_end().to_owned()).collect()
}

fn at_each_size(screen: &mut Screen, name: &str) -> String {
    let drawn = SIZES.map(|size| {
        let drawn = rows(screen, size).join("\n");
        format!("== {name}, {} x {}\n{drawn}\n", size.0, size.1)
    });
    drawn.concat()
}

/// Reads on to the end of what is new, as somebody does before anything is taken.
fn read_on(screen: &mut Screen) -> Vec<String> {
    loop {
        let drawn = rows(screen, (80, 24));
        if !drawn.iter().any(|row| row.starts_with('─') && row.contains("reads on")) {
            return drawn;
        }
        press(screen, KeyCode::PageDown);
    }
}

/// Plays a game by a bot, and looks at each question.
fn each(
    game: &str,
    bot: &str,
    seed: u64,
    options: &[(&str, Value)],
    mut look: impl FnMut(&mut Screen, &Session),
) {
    let content = bundled::content(game, &[]);
    let (mut session, mut told) = bundled::begin(&content, seed, options, Value::map());
    let mut bot = Bot::new(bot, seed);
    let mut screen = Screen::new(Theme::of(Palette::None));
    let mut past = Vec::new();
    while session.finished().is_none() && session.step_number() < 150 {
        // What came before this step was read.
        screen.begin(&past);
        screen.tell(&told.events);
        past.extend(told.events.iter().cloned().map(Past::Told));
        screen.pose(session.prompt(), session.view());
        read_on(&mut screen);
        look(&mut screen, &session);
        let input = bot.choose(&mut session, &told.events).unwrap();
        told = session.take(&input).unwrap();
    }
}

/// The first screen of each scene with what opens over it: `pages` says which keys of which scene.
fn screens(game: &str, bot: &str, seed: u64, pages: &[(&str, char, &str)]) -> String {
    let (mut seen, mut out) = (Vec::new(), String::new());
    each(game, bot, seed, &[], |screen, session| {
        let scene = &session.prompt().scene;
        if !seen.contains(scene) {
            out.push_str(&at_each_size(screen, scene));
            seen.push(scene.clone());
        }
        for (of, key, name) in pages {
            let name = format!("{scene}: {name}");
            if of == scene && !seen.contains(&name) {
                press(screen, KeyCode::Char(*key));
                let opened = screen.page_is_open() || screen.in_focus().is_some();
                let shown = at_each_size(screen, &name);
                // A list is worth a look once there is something in it.
                if opened && session.step_number() > 12 {
                    out.push_str(&shown);
                    seen.push(name);
                }
                press(screen, KeyCode::Esc);
            }
        }
    });
    out
}

#[test]
fn screens_of_every_kind_at_three_sizes() {
    let rose = [
        ("sub_rosa:room", 'm', "the map"),
        ("sub_rosa:room", 'b', "the ways back"),
        ("sub_rosa:room", 'x', "what has a card"),
        ("sub_rosa:room", 'c', "the sheet"),
        ("sub_rosa:room", 't', "the log"),
    ];
    snapshot!("bundled_sub_rosa", screens("sub_rosa", "sub_rosa:steady", 14, &rose));
    let hill = [("sovereign:chamber", 'm', "the map"), ("sovereign:shop", 'a', "arms")];
    snapshot!("bundled_sovereign", screens("sovereign", "sovereign:steady", 9, &hill));
    let way = [("hollow_way:place", 'm', "the map")];
    snapshot!("bundled_hollow_way", screens("hollow_way", "hollow_way:careful", 9, &way));
}

/// What stands before a game and after it.
#[test]
fn the_host_s_own_screens_of_the_bundled_game() {
    let answers = "settings keys back back new sub_rosa:ice_house ready:blade done abandon leave \
                   page title history records run:player-0001 back back quit";
    let answers = answers.split_whitespace().map(|id| Input::Choice(id.to_owned()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("base_game");
    let setup = Setup {
        places: Places { extra: vec![folder], ..crate::support::places() },
        game: Some("sub_rosa".to_owned()),
        data_dir: DataDir::on(Arc::new(MemoryDisk::new()), "memory"),
        ..setup()
    };
    let mut album = Album::of(answers.collect(), &SIZES);
    play(setup, &mut album, &mut || 14).unwrap();
    snapshot!("bundled_host", crate::support::undated(&album.pages.concat()));
}

/// How many words of a text are words and no signs, numbers or keys.
fn words(text: &str) -> usize {
    let letters = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    text.split_whitespace().filter(letters).count()
}

#[test]
fn a_room_leaves_a_dozen_lines_to_the_story_and_a_fight_is_told_in_few() {
    let (mut rooms, mut fights) = (0, 0);
    for (place, bot, seed) in [("foundry", "curious", 4), ("pledge_house", "steady_eye", 2)] {
        let options = [("dungeon", Value::text(format!("sub_rosa:{place}")))];
        each("sub_rosa", &format!("sub_rosa:{bot}"), seed, &options, |screen, session| {
            let drawn = read_on(screen);
            let rule = drawn.iter().rposition(|row| row.starts_with('─')).unwrap();
            let (story, question) = (&drawn[1..rule], &drawn[rule + 1..23]);
            let shown = drawn.join("\n");
            match &*session.prompt().scene {
                "sub_rosa:room" => {
                    rooms += 1;
                    // What one decides between stands whole, also where it is more than that.
                    let in_sight = Laid::of(session.prompt()).whole.len();
                    let least = 12 - in_sight.saturating_sub(7).min(2);
                    assert!(story.len() >= least, "{} lines of story:\n{shown}", story.len());
                }
                "sub_rosa:round" => {
                    fights += 1;
                    assert!(question.len() <= 10, "{} lines:\n{shown}", question.len());
                    let told = words(&question.join(" "));
                    assert!(told <= 60, "{told} words:\n{shown}");
                    let lines = Lines::typed(std::io::Cursor::new("brief\n"));
                    let mut voice = Plain::new(lines, Vec::new(), 80);
                    voice.ask(session.prompt(), session.view()).unwrap();
                    let told = String::from_utf8(voice.into_output()).unwrap();
                    let brief = told.rsplit("> ").nth(1).unwrap();
                    assert!(words(brief) <= 60, "{} words:\n{brief}", words(brief));
                }
                _ => {}
            }
        });
    }
    assert!(rooms > 20 && fights > 20, "{rooms} rooms, {fights} rounds");
}

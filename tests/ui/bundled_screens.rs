//! Screens of every kind of the bundled games at three sizes.

use engine::kit::Value;
use engine::run::Bot;
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::frame;
use crate::bundled;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (40, 12)];

fn rows(screen: &mut Screen, (columns, height): (u16, u16)) -> Vec<String> {
    let frame = frame(screen, columns, height);
    super::sample::rows(&frame).map(|row| row.trim_end().to_owned()).collect()
}

/// Plays a game by a bot, and looks at each question.
fn each(
    game: &str,
    bot: &str,
    seed: u64,
    mut look: impl FnMut(&mut Screen, &engine::run::Session),
) {
    let content = bundled::content(game, &[]);
    let (mut session, mut told) = bundled::begin(&content, seed, &[], Value::map());
    let mut bot = Bot::new(bot, seed);
    let mut screen = Screen::new(Theme::of(Palette::None));
    while session.finished().is_none() && session.step_number() < 150 {
        screen.tell(&told.events);
        screen.pose(session.prompt(), session.view());
        look(&mut screen, &session);
        let input = bot.choose(&mut session, &told.events).unwrap();
        told = session.take(&input).unwrap();
    }
}

/// The first screen of each scene, at each size.
fn screens(game: &str, bot: &str, seed: u64) -> String {
    let (mut seen, mut out) = (Vec::new(), String::new());
    each(game, bot, seed, |screen, session| {
        let scene = session.prompt().scene.clone();
        if seen.contains(&scene) {
            return;
        }
        for size in SIZES {
            let drawn = rows(screen, size).join("\n");
            out.push_str(&format!("== {scene}, {} x {}\n{drawn}\n", size.0, size.1));
        }
        seen.push(scene);
    });
    out
}

#[test]
fn screens_of_every_kind_at_three_sizes() {
    snapshot!("bundled_sub_rosa", screens("sub_rosa", "sub_rosa:steady", 14));
    snapshot!("bundled_sovereign", screens("sovereign", "sovereign:steady", 9));
}

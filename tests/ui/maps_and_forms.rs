//! The map and the form of the bundled games as a player sees them, at three sizes, as snapshots.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use engine::base::Value;
use engine::protocol::view::Widget;
use engine::session::{Bot, Session};
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::picture;
use crate::bundled;

fn draw_at_three_sizes(screen: &mut Screen) -> String {
    let sizes = [(80, 24), (120, 36), (40, 12)];
    sizes.into_iter().map(|(columns, rows)| picture(screen, columns, rows)).collect()
}

/// The number of visited places.
fn visited_count(session: &Session) -> usize {
    let widgets = session.view().widgets.iter();
    let nodes = widgets.flat_map(|placed| match &placed.widget {
        Widget::Map { nodes, .. } => nodes.as_slice(),
        _ => &[],
    });
    nodes.filter(|node| node.seen).count()
}

/// The page of the map after a bot has visited this many places.
fn map_of(game: &str, bot: &str, options: &[(&str, Value)], places: usize) -> String {
    let content = bundled::content(game, &[]);
    let (mut session, mut told) = bundled::begin(&content, 5, options, Value::map());
    let mut bot = Bot::new(bot, 5);
    let mut screen = Screen::new(Theme::of(Palette::None));
    let ways =
        |session: &Session| session.prompt().choices.iter().any(|one| !one.map_targets.is_empty());
    while session.run_outcome().is_none() && !(visited_count(&session) >= places && ways(&session))
    {
        let input = bot.choose(&mut session, &told.events).unwrap();
        told = session.answer(&input).unwrap();
    }
    screen.show_prompt(session.prompt(), session.view());
    screen.press_key(KeyEvent::new(KeyCode::Char('m'), KeyModifiers::NONE));
    draw_at_three_sizes(&mut screen)
}

#[test]
fn the_map_of_a_descent() {
    let options = [("dungeon", Value::text("sub_rosa:foundry")), ("build", Value::text("blade"))];
    snapshot!("map_of_a_descent", map_of("sub_rosa", "sub_rosa:steady", &options, 9));
}

#[test]
fn the_map_of_the_hill() {
    snapshot!("map_of_the_hill", map_of("sovereign", "sovereign:careful", &[], 8));
}

#[test]
fn the_build_of_a_descent() {
    let content = bundled::content("sub_rosa", &[]);
    let (session, told) = bundled::begin(&content, 5, &[], Value::map());
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.add_events(&told.events);
    screen.show_prompt(session.prompt(), session.view());
    snapshot!("build_of_a_descent", draw_at_three_sizes(&mut screen));
}

//! The map and the form of the bundled games as a player sees them, at three sizes, as snapshots.

use base::Value;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use protocol::view::Widget;
use session::{Bot, Session};
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::draw_boxed_text;
use crate::bundled;

fn draw_at_three_sizes(screen: &mut Screen) -> String {
    let sizes = [(80, 24), (120, 36), (40, 12)];
    sizes.into_iter().map(|(columns, rows)| draw_boxed_text(screen, columns, rows)).collect()
}

/// The number of visited places.
fn count_visited_places(session: &Session) -> usize {
    let widgets = session.view().widgets.iter();
    let nodes = widgets.flat_map(|placed_widget| match &placed_widget.widget {
        Widget::Map { nodes, .. } => nodes.as_slice(),
        _ => &[],
    });
    nodes.filter(|node| node.is_visited).count()
}

/// The page of the map after a bot has visited this many places.
fn draw_map_after_visits(
    game: &str,
    bot: &str,
    options: &[(&str, Value)],
    min_visited: usize,
) -> String {
    let content = bundled::game_content(game, &[]);
    let (mut session, mut step_outcome) =
        bundled::start_session(&content, 5, options, Value::map());
    let mut bot = Bot::new(bot, 5);
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let has_map_targets = |session: &Session| {
        session.prompt().choices.iter().any(|choice| !choice.map_targets.is_empty())
    };
    while session.run_outcome().is_none()
        && !(count_visited_places(&session) >= min_visited && has_map_targets(&session))
    {
        let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
        step_outcome = session.answer_prompt(&input).unwrap();
    }
    screen.show_prompt(session.prompt(), session.view());
    screen.press_key(KeyEvent::new(KeyCode::Char('m'), KeyModifiers::NONE));
    draw_at_three_sizes(&mut screen)
}

#[test]
fn descent_map_matches_snapshots_at_three_sizes() {
    let options = [("dungeon", Value::text("sub_rosa:foundry")), ("build", Value::text("blade"))];
    snapshot!(
        "map_of_a_descent",
        draw_map_after_visits("sub_rosa", "sub_rosa:steady", &options, 9)
    );
}

#[test]
fn hill_map_matches_snapshots_at_three_sizes() {
    snapshot!("map_of_the_hill", draw_map_after_visits("sovereign", "sovereign:careful", &[], 8));
}

#[test]
fn build_form_matches_snapshots_at_three_sizes() {
    let content = bundled::game_content("sub_rosa", &[]);
    let (session, step_outcome) = bundled::start_session(&content, 5, &[], Value::map());
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.add_events(&step_outcome.events);
    screen.show_prompt(session.prompt(), session.view());
    snapshot!("build_of_a_descent", draw_at_three_sizes(&mut screen));
}

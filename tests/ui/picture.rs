//! The picture at the head of the README: a real frame of the bundled game. `SUB_ROSA_PICTURE=1
//! cargo test picture` redraws it.

use std::path::Path;

use base::Value;
use protocol::{Input, StoryEntry};
use ui::full_screen::{Palette, Screen, Theme, frame_svg};

use super::sample::draw_frame;
use crate::bundled;

#[test]
fn the_readme_picture_contains_the_frame_text() {
    let content = bundled::game_content("sub_rosa", &[]);
    let options = [("build", Value::text("breath"))];
    let (mut session, step_outcome) = bundled::start_session(&content, 7, &options, Value::map());
    let mut screen = Screen::new(Theme::from_palette(Palette::Dark));
    let mut earlier_events = step_outcome.events;
    // Through the first door, and on until there is a foe.
    for _ in 0..12 {
        let prompt = session.prompt().clone();
        let enabled_choices =
            || prompt.choices.iter().filter(|choice| choice.disabled_because.is_none());
        let choices_with_odds = enabled_choices().filter(|choice| choice.odds.is_some()).count();
        let is_fight = choices_with_odds >= 3;
        let choice = enabled_choices().find(|choice| is_fight || choice.odds.is_none()).unwrap();
        let input = Input::Choice(choice.id.clone());
        let events = session.answer_prompt(&input).unwrap().events;
        screen.begin_story(
            &earlier_events.iter().cloned().map(StoryEntry::Event).collect::<Vec<_>>(),
        );
        screen.add_events(&events);
        earlier_events.extend(events);
        if is_fight {
            break;
        }
    }
    screen.show_prompt(session.prompt(), session.view());
    let picture = frame_svg(&draw_frame(&mut screen, 120, 34));
    for word in ["<svg", "Strike", "vigour", "the way so far"] {
        assert!(picture.contains(word), "{word}");
    }
    if std::env::var_os("SUB_ROSA_PICTURE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/picture.svg");
        std::fs::write(path, picture).unwrap();
    }
}

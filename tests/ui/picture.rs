//! The picture at the head of the README: a real frame of the bundled game. `SUB_ROSA_PICTURE=1
//! cargo test picture` redraws it.

use std::path::Path;

use engine::base::Value;
use engine::protocol::{Input, StoryEntry};
use engine::ui::full::{Palette, Screen, Theme, frame_svg};

use super::sample::frame;
use crate::bundled;

#[test]
fn a_picture_of_a_frame_shows_what_the_frame_shows() {
    let content = bundled::content("sub_rosa", &[]);
    let options = [("build", Value::text("breath"))];
    let (mut session, told) = bundled::begin(&content, 7, &options, Value::map());
    let mut screen = Screen::new(Theme::of(Palette::Dark));
    let mut past = told.events;
    // Through the first door, and on until there is a foe.
    for _ in 0..12 {
        let prompt = session.prompt().clone();
        let open = || prompt.choices.iter().filter(|choice| choice.disabled_because.is_none());
        let uncertain = open().filter(|choice| choice.odds.is_some()).count();
        let fight = uncertain >= 3;
        let choice = open().find(|choice| fight || choice.odds.is_none()).unwrap();
        let input = Input::Choice(choice.id.clone());
        let told = session.answer(&input).unwrap().events;
        screen.begin_story(&past.iter().cloned().map(StoryEntry::Event).collect::<Vec<_>>());
        screen.add_events(&told);
        past.extend(told);
        if fight {
            break;
        }
    }
    screen.show_prompt(session.prompt(), session.view());
    let picture = frame_svg(&frame(&mut screen, 120, 34));
    for word in ["<svg", "Strike", "vigour", "the way so far"] {
        assert!(picture.contains(word), "{word}");
    }
    if std::env::var_os("SUB_ROSA_PICTURE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/picture.svg");
        std::fs::write(path, picture).unwrap();
    }
}

//! Keys and windows at random through everything there is: the title, settings, whole runs, pages,
//! replays. `SUB_ROSA_KEYS=100000` presses as many.

use std::io;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use engine::kit::Problem;
use engine::play::{Event, Prompt, View};
use engine::save::{DataDir, MemoryDisk, Reach};
use engine::ui::full::{Keymap, Palette, Screen, Theme};
use engine::ui::lobby::{NOBODY, Setup, play};
use engine::ui::{Answer, Front, Preferences};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::support::{self, Chance};

/// The full screen under random fingers.
struct Fingers {
    screen: Screen,
    chance: Chance,
    left: u64,
}

impl Fingers {
    fn key(&mut self) -> Option<Answer> {
        const KEYS: [KeyCode; 12] = [
            KeyCode::Enter,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::End,
            KeyCode::Backspace,
            KeyCode::F(1),
        ];
        let code = match self.chance.below(4) {
            0 => KEYS[self.chance.below(KEYS.len() as u64) as usize],
            1 => KeyCode::Char(char::from_u32(32 + self.chance.below(95) as u32).unwrap()),
            _ => KeyCode::Char(char::from_u32(49 + self.chance.below(9) as u32).unwrap()),
        };
        if self.chance.below(9) == 0 {
            let area = Rect::new(
                0,
                0,
                1 + self.chance.below(180) as u16,
                1 + self.chance.below(60) as u16,
            );
            self.screen.draw_into(area, &mut Buffer::empty(area));
            let click = MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column: self.chance.below(180) as u16,
                row: self.chance.below(60) as u16,
                modifiers: KeyModifiers::NONE,
            };
            return self.screen.point(click);
        }
        self.screen.press(KeyEvent::new(code, KeyModifiers::NONE))
    }
}

impl Front for Fingers {
    fn begin(&mut self, past: &[engine::play::Past]) -> io::Result<()> {
        self.screen.begin(past);
        Ok(())
    }

    fn tell(&mut self, events: &[Event]) -> io::Result<()> {
        self.screen.tell(events);
        Ok(())
    }

    fn ask(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.pose(prompt, view);
        loop {
            if self.left == 0 {
                return Ok(Answer::Quit);
            }
            self.left -= 1;
            match self.key() {
                // The end of the program is what the last key is for; runs are left seldom, so
                // that they come to something.
                Some(Answer::Leave) if self.chance.below(8) > 0 => {}
                Some(answer) => return Ok(answer),
                None => {}
            }
        }
    }

    fn show(&mut self, page: &View) -> io::Result<()> {
        self.screen.open_page(page);
        while self.screen.page_is_open() && self.left > 0 {
            self.left -= 1;
            drop(self.key());
        }
        Ok(())
    }

    fn trouble(&mut self, problem: &Problem) -> io::Result<()> {
        self.screen.trouble(problem);
        Ok(())
    }

    fn prefer(&mut self, preferences: &Preferences) {
        self.screen.prefer(preferences);
    }

    fn mark(&mut self, words: &str, may_undo: bool) -> io::Result<()> {
        self.screen.mark(words, may_undo);
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn random_keys_end_no_program_and_lose_no_run() {
    let keys = support::asked_for("SUB_ROSA_KEYS", 2_500);
    let data_dir = DataDir::on(Arc::new(MemoryDisk::new()), "memory");
    let mut pressed = 0;
    let mut seeds = 100;
    while pressed < keys {
        let stretch = (keys - pressed).min(2_500);
        let setup = Setup {
            places: crate::support::places(),
            game: Some("sub_rosa".to_owned()),
            with: Vec::new(),
            data_dir: data_dir.clone(),
            kept: true,
            profile: NOBODY.to_owned(),
            seed: None,
            daily: None,
            practice: pressed % 7_500 == 5_000,
            watch: None,
            keymap: Keymap::default(),
            set: vec![("build".to_owned(), "blade".to_owned())],
            dev: false,
            usual_ascii: false,
            anew: |_, _| Ok(()),
            prefer: Preferences::default(),
            told: Vec::new(),
            command: "sub-rosa".to_owned(),
        };
        let mut fingers = Fingers {
            screen: Screen::new(Theme::of(Palette::Dark)),
            chance: Chance::of(pressed + 1),
            left: stretch,
        };
        let mut seed = || {
            seeds += 1;
            seeds
        };
        play(setup, &mut fingers, &mut seed).unwrap();
        pressed += stretch;
        // Every run there is can be opened, and none of them is damaged.
        for line in data_dir.runs_there().unwrap() {
            let opened = data_dir.open(&line.run_id, Reach::All).unwrap();
            assert!(opened.damage.is_none(), "{}: {:?}", line.run_id, opened.damage);
        }
    }
    let runs = data_dir.runs_there().unwrap();
    assert!(!runs.is_empty(), "the keys found their way into a run");
}

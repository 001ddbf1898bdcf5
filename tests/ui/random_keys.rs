//! Random keys and window sizes through everything: the title, settings, whole runs, pages,
//! replays. `SUB_ROSA_KEYS=100000` presses that many.

use std::io;
use std::sync::Arc;

use base::Problem;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use protocol::{Prompt, View};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use save::{DataDir, MemoryDisk, ReadExtent};
use ui::full_screen::{Palette, Screen, Theme};
use ui::menu::{MenuSetup, run_menu};
use ui::{Answer, Frontend, Preferences};

use super::sample::forward_to_screen;
use super::screens::ferry_setup;
use crate::support::{self, RandomSource};

/// The full screen with random keys.
struct RandomKeyFrontend {
    screen: Screen,
    random: RandomSource,
    remaining_keys: u64,
}

impl RandomKeyFrontend {
    fn press_random_key(&mut self) -> Option<Answer> {
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
        let code = match self.random.next_below(4) {
            0 => KEYS[self.random.next_below(KEYS.len() as u64) as usize],
            1 => KeyCode::Char(char::from_u32(32 + self.random.next_below(95) as u32).unwrap()),
            _ => KeyCode::Char(char::from_u32(49 + self.random.next_below(9) as u32).unwrap()),
        };
        if self.random.next_below(9) == 0 {
            let area = Rect::new(
                0,
                0,
                1 + self.random.next_below(180) as u16,
                1 + self.random.next_below(60) as u16,
            );
            self.screen.draw_into(area, &mut Buffer::empty(area));
            let click = MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column: self.random.next_below(180) as u16,
                row: self.random.next_below(60) as u16,
                modifiers: KeyModifiers::NONE,
            };
            return self.screen.handle_mouse(click);
        }
        self.screen.press_key(KeyEvent::new(code, KeyModifiers::NONE))
    }
}

impl Frontend for RandomKeyFrontend {
    forward_to_screen!();

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        loop {
            if self.remaining_keys == 0 {
                return Ok(Answer::Quit);
            }
            self.remaining_keys -= 1;
            match self.press_random_key() {
                // Only the last key may end the program; runs are left seldom, so that they
                // progress.
                Some(Answer::Leave) if self.random.next_below(8) > 0 => {}
                Some(answer) => return Ok(answer),
                None => {}
            }
        }
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.screen.open_page(page);
        while self.screen.has_open_page() && self.remaining_keys > 0 {
            self.remaining_keys -= 1;
            drop(self.press_random_key());
        }
        Ok(())
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        self.screen.add_problem(problem);
        Ok(())
    }

    fn apply_preferences(&mut self, preferences: &Preferences) {
        self.screen.apply_preferences(preferences);
    }

    fn finish(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn random_keys_do_not_panic_or_damage_runs() {
    let key_count = support::count_from_env("SUB_ROSA_KEYS", 20_000);
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory");
    let mut pressed_count = 0;
    let mut next_seed = 100;
    while pressed_count < key_count {
        let batch = (key_count - pressed_count).min(2_500);
        let setup = MenuSetup {
            search_paths: crate::support::embedded_search_paths(),
            game: Some("sub_rosa".to_owned()),
            data_dir: data_dir.clone(),
            seed: None,
            is_practice: pressed_count % 7_500 == 5_000,
            command_line_options: vec![("build".to_owned(), "blade".to_owned())],
            ..ferry_setup()
        };
        let mut frontend = RandomKeyFrontend {
            screen: Screen::new(Theme::from_palette(Palette::Dark)),
            random: RandomSource::from_seed(pressed_count + 1),
            remaining_keys: batch,
        };
        let mut seed = || {
            next_seed += 1;
            next_seed
        };
        run_menu(setup, &mut frontend, &mut seed).unwrap();
        pressed_count += batch;
        // Every run can be opened, and none is damaged.
        for run_line in data_dir.list_runs().unwrap() {
            let opened_run = data_dir.open_run(&run_line.run_id, ReadExtent::All).unwrap();
            assert!(opened_run.damage.is_none(), "{}: {:?}", run_line.run_id, opened_run.damage);
        }
    }
    let runs = data_dir.list_runs().unwrap();
    assert!(!runs.is_empty(), "the keys found their way into a run");
}

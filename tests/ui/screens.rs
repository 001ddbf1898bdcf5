//! Screens of every kind in a small game, reached through the menu: each at three sizes, and with
//! the same signs in every palette.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::support::accepted;
use base::Problem;
use mods::SearchPaths;
use protocol::{Input, Prompt, View};
use save::{DataDir, MemoryDisk};
use ui::full_screen::{Keymap, Palette, Screen, Theme};
use ui::menu::{DEFAULT_PLAYER_NAME, MenuSetup, run_menu};
use ui::{Answer, Frontend, Preferences};

use super::sample::{draw_boxed_text, forward_to_screen};

/// Answers the prompts of a recorder; nothing ends it.
type AnswerCallback = Box<dyn FnMut(&Prompt) -> Option<Answer>>;

/// A front end that a function answers, and that records every frame.
pub struct FrameRecorder {
    screen: Screen,
    answer_fn: AnswerCallback,
    sizes: &'static [(u16, u16)],
    pub pages: Vec<String>,
}

impl FrameRecorder {
    /// One that a list answers.
    pub fn answered_by_list(answers: Vec<Input>, sizes: &'static [(u16, u16)]) -> Self {
        let mut answers = answers.into_iter();
        Self::answered_by_callback(
            Box::new(move |_| answers.next().map(|input| Answer::Input(accepted(input)))),
            sizes,
        )
    }

    pub fn answered_by_callback(answer_fn: AnswerCallback, sizes: &'static [(u16, u16)]) -> Self {
        let screen = Screen::new(Theme::from_palette(Palette::None));
        Self { screen, answer_fn, sizes, pages: Vec::new() }
    }

    fn record(&mut self, name: &str) {
        let mut page = format!("== {name}\n");
        for (columns, rows) in self.sizes.iter().copied() {
            let frame = draw_boxed_text(&mut self.screen, columns, rows);
            for (palette, palette_name, _) in Palette::ALL {
                let preferences = Preferences {
                    palette: Some(palette_name.to_owned()),
                    ..Preferences::default()
                };
                self.screen.apply_preferences(&preferences);
                assert_eq!(
                    draw_boxed_text(&mut self.screen, columns, rows),
                    frame,
                    "{name} in {palette_name}, {palette:?}"
                );
            }
            let ascii = Preferences { uses_ascii: Some(true), ..Preferences::default() };
            self.screen.apply_preferences(&ascii);
            assert!(draw_boxed_text(&mut self.screen, columns, rows).is_ascii(), "{name}");
            let unicode = Preferences { uses_ascii: Some(false), ..Preferences::default() };
            self.screen.apply_preferences(&unicode);
            page.push_str(&frame);
        }
        // A repeated page is not recorded.
        if !self.pages.contains(&page) {
            self.pages.push(page);
        }
    }
}

impl Frontend for FrameRecorder {
    forward_to_screen!();

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        self.record(&prompt.scene);
        Ok((self.answer_fn)(prompt).unwrap_or(Answer::Quit))
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.screen.open_page(page);
        self.record(&format!("page: {}", page.title));
        Ok(())
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        self.screen.add_problem(problem);
        Ok(())
    }

    fn apply_preferences(&mut self, _: &Preferences) {}

    fn finish(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

/// The menu with a small game.
pub fn ferry_setup() -> MenuSetup {
    let ferry = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games/ferry");
    MenuSetup {
        search_paths: SearchPaths {
            named_folders: vec![ferry],
            ..crate::support::embedded_search_paths()
        },
        game: Some("ferry".to_owned()),
        enabled_mods: Vec::new(),
        data_dir: DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory"),
        is_persistent: true,
        player_name: DEFAULT_PLAYER_NAME.to_owned(),
        seed: Some(7),
        daily_date: None,
        is_practice: false,
        watched_run: None,
        keymap: Keymap::default(),
        command_line_options: Vec::new(),
        is_dev_mode: false,
        uses_ascii_by_default: false,
        on_dev_load: |_, _, _| Ok(()),
        preferences: Preferences::default(),
        problems: Vec::new(),
        folder_flags: String::new(),
        is_plain: false,
    }
}

#[test]
fn each_screen_kind_matches_at_three_sizes_in_every_palette() {
    let choice_input = |id: &str| Input::Choice(id.to_owned());
    let answers = vec![
        choice_input("tides"),
        choice_input("settings"),
        choice_input("palette"),
        choice_input("dark"),
        choice_input("player"),
        choice_input("back"),
        choice_input("mods"),
        choice_input("back"),
        choice_input("back"),
        choice_input("new"),
        choice_input("ferry:skiff"),
        Input::Choices(vec!["rope".to_owned()]),
        Input::Text("Ann".to_owned()),
        choice_input("row"),
        choice_input("break"),
        choice_input("swim"),
        choice_input("page"),
        choice_input("title"),
        choice_input("history"),
        choice_input("records"),
        choice_input("run:player-0001"),
        choice_input("watch"),
        choice_input("next"),
        choice_input("jump"),
        Input::Number(2),
        choice_input("back"),
        choice_input("back"),
        choice_input("back"),
        choice_input("quit"),
    ];
    let mut recorder = FrameRecorder::answered_by_list(answers, &[(80, 24), (40, 12), (120, 40)]);
    run_menu(ferry_setup(), &mut recorder, &mut || 7).unwrap();
    let contains_repo_path = |page: &str| page.contains(env!("CARGO_MANIFEST_DIR"));
    assert!(
        !recorder.pages.iter().any(|page| contains_repo_path(page)),
        "a folder of this machine is shown"
    );
    snapshot!("full_screens", crate::support::mask_dates(&recorder.pages.concat()));
}

/// The frames of a player who tries again four times, without repeated ones.
fn frames_of_retries(setup: MenuSetup) -> Vec<String> {
    let mut remaining_retries = vec!["again"; 4].into_iter();
    let answer_fn = move |_: &Prompt| {
        let id = remaining_retries.next().unwrap_or("quit").to_owned();
        Some(Answer::Input(accepted(Input::Choice(id))))
    };
    let mut recorder = FrameRecorder::answered_by_callback(Box::new(answer_fn), &[(80, 40)]);
    assert!(run_menu(setup, &mut recorder, &mut || 7).is_err(), "nothing could be played");
    recorder.pages
}

#[test]
fn a_start_problem_is_shown_once_after_retries() {
    let setup_in_use = ferry_setup();
    let profile_lock = setup_in_use.data_dir.lock_profile(DEFAULT_PLAYER_NAME).unwrap();
    let frames = frames_of_retries(setup_in_use);
    drop(profile_lock);
    assert_eq!(frames.len(), 1, "{}", frames.concat());
    assert_eq!(frames[0].matches("is in use by").count(), 1, "{}", frames[0]);
    let broken_mod = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_mods/a_clock");
    let search_paths =
        SearchPaths { named_folders: vec![broken_mod], ..crate::support::embedded_search_paths() };
    let frames = frames_of_retries(MenuSetup {
        search_paths,
        game: Some("game".to_owned()),
        ..ferry_setup()
    });
    assert_eq!(frames.len(), 1, "{}", frames.concat());
    assert_eq!(frames[0].matches("error[").count(), 1, "{}", frames[0]);
}

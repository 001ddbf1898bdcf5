//! Screens of every kind in a small game, reached through the menu: each at three sizes, and with
//! the same signs in every palette.

use std::io;
use std::path::Path;
use std::sync::Arc;

use engine::base::Problem;
use engine::mods::SearchPaths;
use engine::protocol::{Input, Prompt, StoryEvent, View};
use engine::save::{DataDir, MemoryDisk};
use engine::ui::full::{Keymap, Palette, Screen, Theme};
use engine::ui::menu::{DEFAULT_PLAYER, Setup, run_menu};
use engine::ui::{Answer, Frontend, Preferences};

use super::sample::picture;

/// Answers the prompts of a recorder; nothing ends it.
type AnswerFn = Box<dyn FnMut(&Prompt) -> Option<Answer>>;

/// A front end that a function answers, and that records every frame.
pub struct FrameRecorder {
    screen: Screen,
    hand: AnswerFn,
    sizes: &'static [(u16, u16)],
    pub pages: Vec<String>,
}

impl FrameRecorder {
    /// One that a list answers.
    pub fn of(answers: Vec<Input>, sizes: &'static [(u16, u16)]) -> Self {
        let mut answers = answers.into_iter();
        Self::answered_by(Box::new(move |_| answers.next().map(Answer::Input)), sizes)
    }

    pub fn answered_by(hand: AnswerFn, sizes: &'static [(u16, u16)]) -> Self {
        let screen = Screen::new(Theme::of(Palette::None));
        Self { screen, hand, sizes, pages: Vec::new() }
    }

    fn record(&mut self, name: &str) {
        let mut page = format!("== {name}\n");
        for (columns, rows) in self.sizes.iter().copied() {
            let frame = picture(&mut self.screen, columns, rows);
            for (palette, of, _) in Palette::ALL {
                let preferences =
                    Preferences { palette: Some(of.to_owned()), ..Preferences::default() };
                self.screen.apply_preferences(&preferences);
                assert_eq!(
                    picture(&mut self.screen, columns, rows),
                    frame,
                    "{name} in {of}, {palette:?}"
                );
            }
            let ascii = Preferences { ascii: Some(true), ..Preferences::default() };
            self.screen.apply_preferences(&ascii);
            assert!(picture(&mut self.screen, columns, rows).is_ascii(), "{name}");
            let signs = Preferences { ascii: Some(false), ..Preferences::default() };
            self.screen.apply_preferences(&signs);
            page.push_str(&frame);
        }
        // A repeated page is not recorded.
        if !self.pages.contains(&page) {
            self.pages.push(page);
        }
    }
}

impl Frontend for FrameRecorder {
    fn begin_story(&mut self, past: &[engine::protocol::StoryEntry]) -> io::Result<()> {
        self.screen.begin_story(past);
        Ok(())
    }

    fn show_events(&mut self, events: &[StoryEvent]) -> io::Result<()> {
        self.screen.add_events(events);
        Ok(())
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        self.record(&prompt.scene);
        Ok((self.hand)(prompt).unwrap_or(Answer::Quit))
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

    fn set_run_label(&mut self, words: &str, may_undo: bool) -> io::Result<()> {
        self.screen.set_run_label(words, may_undo);
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

/// The menu with a small game.
pub fn setup() -> Setup {
    let ferry = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games/ferry");
    Setup {
        search_paths: SearchPaths {
            named_folders: vec![ferry],
            ..crate::support::embedded_search_paths()
        },
        game: Some("ferry".to_owned()),
        enabled_mods: Vec::new(),
        data_dir: DataDir::on_disk(Arc::new(MemoryDisk::new()), "memory"),
        is_persistent: true,
        player_name: DEFAULT_PLAYER.to_owned(),
        seed: Some(7),
        daily_date: None,
        is_practice: false,
        watched_run: None,
        keymap: Keymap::default(),
        option_values: Vec::new(),
        dev_mode: false,
        default_ascii: false,
        on_reload: |_, _| Ok(()),
        preferences: Preferences::default(),
        problems: Vec::new(),
        start_command: "sub-rosa".to_owned(),
    }
}

#[test]
fn every_kind_of_screen_at_three_sizes_and_in_every_palette() {
    let pick = |id: &str| Input::Choice(id.to_owned());
    let answers = vec![
        pick("tides"),
        pick("settings"),
        pick("palette"),
        pick("dark"),
        pick("player"),
        pick("back"),
        pick("mods"),
        pick("back"),
        pick("back"),
        pick("new"),
        pick("ferry:skiff"),
        Input::Many(vec!["rope".to_owned()]),
        Input::Text("Ann".to_owned()),
        pick("row"),
        pick("break"),
        pick("swim"),
        pick("page"),
        pick("title"),
        pick("history"),
        pick("records"),
        pick("run:player-0001"),
        pick("watch"),
        pick("next"),
        pick("jump"),
        Input::Number(2),
        pick("back"),
        pick("back"),
        pick("back"),
        pick("quit"),
    ];
    let mut album = FrameRecorder::of(answers, &[(80, 24), (40, 12), (120, 40)]);
    run_menu(setup(), &mut album, &mut || 7).unwrap();
    let path = |page: &str| page.contains(env!("CARGO_MANIFEST_DIR"));
    assert!(!album.pages.iter().any(|page| path(page)), "a folder of this machine is shown");
    snapshot!("full_screens", crate::support::mask_dates(&album.pages.concat()));
}

/// The frames of a player who tries again four times, without repeated ones.
fn frames_of_retries(setup: Setup) -> Vec<String> {
    let mut tries = vec!["again"; 4].into_iter();
    let hand = move |_: &Prompt| {
        let id = tries.next().unwrap_or("quit").to_owned();
        Some(Answer::Input(Input::Choice(id)))
    };
    let mut album = FrameRecorder::answered_by(Box::new(hand), &[(80, 40)]);
    assert!(run_menu(setup, &mut album, &mut || 7).is_err(), "nothing could be played");
    album.pages
}

#[test]
fn what_is_wrong_is_told_once_however_often_one_tries_again() {
    let in_use = setup();
    let held = in_use.data_dir.lock_profile(DEFAULT_PLAYER).unwrap();
    let frames = frames_of_retries(in_use);
    drop(held);
    assert_eq!(frames.len(), 1, "{}", frames.concat());
    assert_eq!(frames[0].matches("is in use by").count(), 1, "{}", frames[0]);
    let clock = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_mods/a_clock");
    let places =
        SearchPaths { named_folders: vec![clock], ..crate::support::embedded_search_paths() };
    let frames =
        frames_of_retries(Setup { search_paths: places, game: Some("game".to_owned()), ..setup() });
    assert_eq!(frames.len(), 1, "{}", frames.concat());
    assert_eq!(frames[0].matches("error[").count(), 1, "{}", frames[0]);
}

//! The pseudo-language: every text gets accents, so that a plain English word on a screen is a text
//! that escaped. Games are played in it from the title to the last page, on a screen of 80 x 24 and in
//! plain text.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mods::SearchPaths;
use save::{DataDir, MemoryDisk};
use ui::menu::run_menu;

use super::watching_frontends::{
    PlainWatcher, Player, ScreenWatcher, WordWatch, is_plain_word, is_pseudo_word,
};
use crate::support::embedded_search_paths;
use crate::ui::screens::ferry_setup;

/// The prompts of a run that is played in part.
const PLAIN_PROMPTS_AT_FIRST: usize = 160;
const SCREEN_PROMPTS_AT_FIRST: usize = 80;

/// The way through the menu around one run.
const MENU_ANSWERS: [&str; 26] = [
    "settings",
    "palette",
    "dark",
    "player",
    "back",
    "mods",
    "back",
    "keys",
    "back",
    "language",
    "pseudo",
    "back",
    "new",
    "page",
    "title",
    "history",
    "records",
    "achievements",
    "run:",
    "page",
    "watch",
    "next",
    "last",
    "back",
    "back",
    "back",
];

/// A game with its texts in the pseudo-language.
struct PseudoGame {
    id: &'static str,
    search_paths: SearchPaths,
    _folder: tempfile::TempDir,
}

impl PseudoGame {
    fn new(id: &'static str, game_folder: Option<&Path>) -> Self {
        Self::after_translation(id, game_folder, None)
    }

    /// The game in another language, and in the pseudo-language where that lacks a text.
    fn after_translation(
        id: &'static str,
        game_folder: Option<&Path>,
        translated_texts: Option<&str>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mod_folder = folder.path().join("pseudo_texts");
        let manifest = crate::support::manifest_needing("pseudo_texts", &[id]);
        let manifest = format!("language = \"pseudo\"\n{manifest}");
        super::write_file(&mod_folder.join("mod.toml"), &manifest);
        translated_texts
            .into_iter()
            .for_each(|texts| super::write_file(&mod_folder.join("locale/pseudo.po"), texts));
        let folders = [game_folder, Some(folder.path())].into_iter().flatten();
        let named_folders = folders.map(Path::to_owned).collect();
        let search_paths = SearchPaths { named_folders, ..embedded_search_paths() };
        let context = author::CommandContext {
            search_paths: search_paths.clone(),
            game: Some(id.to_owned()),
            extra_mods: Vec::new(),
            data_dir: DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory"),
            profile_name: "Player".to_owned(),
            folder_flags: String::new(),
        };
        let request = author::TextsRequest {
            id: "pseudo_texts".to_owned(),
            file: Some(mod_folder.join("locale/pseudo.po")),
            fills_with_pseudo: true,
            json: false,
        };
        let mut output = Vec::new();
        let outcome = author::extract_texts(&context, &request, &mut output).unwrap();
        assert_eq!(outcome, author::CommandOutcome::Ok, "{}", String::from_utf8_lossy(&output));
        Self { id, search_paths, _folder: folder }
    }

    /// Plays the game, up to a number of prompts or to its end and through the menu; returns the
    /// plain words.
    fn escaped_texts(
        &self,
        is_plain: bool,
        last_prompt: Option<usize>,
    ) -> BTreeMap<String, String> {
        let new_run = MENU_ANSWERS.iter().position(|id| *id == "new").unwrap();
        let menu_answers: Vec<&str> = match (self.id, last_prompt) {
            (_, Some(_)) => MENU_ANSWERS[..=new_run].to_vec(),
            // It has no achievements.
            ("ferry", _) => MENU_ANSWERS.into_iter().filter(|id| *id != "achievements").collect(),
            _ => MENU_ANSWERS.to_vec(),
        };
        let player = Player::new(&menu_answers, last_prompt);
        let watch = WordWatch::new(is_plain_word);
        self.play(player, &watch, is_plain, 7, &[]);
        watch.seen_words()
    }

    /// Plays with these options, and asserts that all answers of the menu were taken.
    fn play(
        &self,
        player: Player,
        watch: &WordWatch,
        is_plain: bool,
        seed: u64,
        options: &[(&str, &str)],
    ) {
        let mut setup = ferry_setup();
        setup.search_paths = self.search_paths.clone();
        setup.game = Some(self.id.to_owned());
        setup.seed = Some(seed);
        setup.preferences.language = Some("pseudo".to_owned());
        let options = options.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        setup.command_line_options = options.collect();
        let left_answers = if is_plain {
            let mut frontend = PlainWatcher::new(player, watch.clone());
            run_menu(setup, &mut frontend, &mut || seed).unwrap();
            frontend.player.menu_answers
        } else {
            let mut frontend = ScreenWatcher::new(player, watch.clone());
            run_menu(setup, &mut frontend, &mut || seed).unwrap();
            frontend.player.menu_answers
        };
        assert!(left_answers.is_empty(), "{left_answers:?}");
    }
}

/// In German, the smallest place is whole: a word of the pseudo-language is a text that has no German.
#[test]
fn the_smallest_place_of_sub_rosa_is_german_on_every_screen() {
    let german_texts = include_str!("../../mods/german/locale/de.po");
    let game = PseudoGame::after_translation("sub_rosa", None, Some(german_texts));
    let options = [("dungeon", "pledge_house"), ("difficulty", "gentle")];
    let watch = WordWatch::new(is_pseudo_word);
    for (is_plain, seed) in [(false, 7), (false, 8), (true, 9)] {
        game.play(Player::new(&MENU_ANSWERS, None), &watch, is_plain, seed, &options);
    }
    assert_nothing_escaped(&watch.seen_words());
}

fn assert_nothing_escaped(escaped: &BTreeMap<String, String>) {
    let lines: Vec<String> =
        escaped.iter().map(|(word, line)| format!("{word:14} {}", line.trim())).collect();
    assert!(lines.is_empty(), "{} words escaped:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn no_text_of_sub_rosa_escapes_translation_on_a_screen() {
    assert_nothing_escaped(&PseudoGame::new("sub_rosa", None).escaped_texts(false, None));
}

#[test]
fn no_text_of_sub_rosa_escapes_translation_in_plain_text() {
    assert_nothing_escaped(&PseudoGame::new("sub_rosa", None).escaped_texts(true, None));
}

#[test]
fn no_text_of_a_small_game_escapes_translation() {
    let ferry = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games/ferry");
    let game = PseudoGame::new("ferry", Some(&ferry));
    assert_nothing_escaped(&game.escaped_texts(false, None));
    assert_nothing_escaped(&game.escaped_texts(true, None));
}

/// Plays the first part of a run.
fn assert_nothing_escapes_at_first(id: &'static str) {
    let game = PseudoGame::new(id, None);
    assert_nothing_escaped(&game.escaped_texts(true, Some(PLAIN_PROMPTS_AT_FIRST)));
    assert_nothing_escaped(&game.escaped_texts(false, Some(SCREEN_PROMPTS_AT_FIRST)));
}

#[test]
fn no_text_of_hollow_way_escapes_translation() {
    assert_nothing_escapes_at_first("hollow_way");
}

#[test]
fn no_text_of_leeward_escapes_translation() {
    assert_nothing_escapes_at_first("leeward");
}

#[test]
fn no_text_of_fivey_escapes_translation() {
    assert_nothing_escapes_at_first("fivey");
}

#[test]
fn no_text_of_sovereign_escapes_translation() {
    assert_nothing_escapes_at_first("sovereign");
}

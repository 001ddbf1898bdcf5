//! The menu around the games: the same labels in the same order in each of them, and a chooser that
//! describes each game in full.

use std::cell::RefCell;
use std::io::Cursor;
use std::rc::Rc;

use crate::support::accepted;
use protocol::{AnswerType, Input, Prompt};
use ui::Answer;
use ui::menu::{MenuSetup, run_menu};
use ui::plain_text::{LineReader, PlainText};

use super::screens::{FrameRecorder, ferry_setup};
use crate::bundled;

/// The labels of the title that every game has, in their order.
const COMMON_LABELS: [&str; 8] = [
    "New game",
    "Daily run",
    "How to play",
    "Glossary",
    "Collection",
    "History",
    "Settings",
    "Quit",
];
/// The same while a run is unfinished.
const LABELS_WITH_RUN: [&str; 8] = [
    "Continue",
    "Give up the run",
    "How to play",
    "Glossary",
    "Collection",
    "History",
    "Settings",
    "Quit",
];
/// The pages that single games add, after the glossary.
const EXTRA_PAGES: [&str; 3] = ["Rules in full", "Unlocks", "Herbal"];

fn bundled_setup(game: Option<&str>) -> MenuSetup {
    MenuSetup {
        search_paths: crate::support::embedded_search_paths(),
        game: game.map(str::to_owned),
        ..ferry_setup()
    }
}

/// The labels of the title of a game, without and with an unfinished run.
fn title_labels(game: &str) -> Vec<Vec<String>> {
    let titles = Rc::new(RefCell::new(Vec::new()));
    let seen_titles = Rc::clone(&titles);
    let answer_fn = move |prompt: &Prompt| {
        if prompt.scene == "host:title" {
            let labels = prompt.choices.iter().map(|choice| choice.label.clone());
            seen_titles.borrow_mut().push(labels.collect::<Vec<String>>());
            let is_first_title = seen_titles.borrow().len() == 1;
            let next = if is_first_title { "new" } else { "quit" };
            return Some(Answer::Input(accepted(Input::Choice(next.to_owned()))));
        }
        if !prompt.scene.starts_with("host:option") {
            return Some(Answer::Leave);
        }
        Some(Answer::Input(accepted(match &prompt.answer_type {
            AnswerType::Number { default, .. } => Input::Number(*default),
            AnswerType::Text { default, .. } => Input::Text(default.clone()),
            _ => Input::Choice(prompt.choices[0].id.clone()),
        })))
    };
    let mut recorder = FrameRecorder::answered_by_callback(Box::new(answer_fn), &[]);
    run_menu(bundled_setup(Some(game)), &mut recorder, &mut || 14).unwrap();
    titles.take()
}

#[test]
fn the_title_of_each_game_has_the_same_labels_in_the_same_order() {
    for game in bundled::embedded_game_ids() {
        let titles = title_labels(&game).into_iter().map(|mut labels| {
            // A game's own pages stand beside the glossary.
            let is_extra = |label: &String| EXTRA_PAGES.contains(&label.as_str());
            let before_glossary = labels.iter().position(|label| label == "How to play").unwrap();
            let after_glossary = labels.iter().position(|label| label == "Collection").unwrap();
            let mut extra = labels.iter().enumerate().filter(|(_, label)| is_extra(label));
            assert!(extra.all(|(at, _)| (before_glossary..after_glossary).contains(&at)));
            labels.retain(|label| !is_extra(label));
            labels
        });
        let titles: Vec<Vec<String>> = titles.collect();
        assert_eq!(titles, [COMMON_LABELS.to_vec(), LABELS_WITH_RUN.to_vec()], "{game}");
    }
}

/// The chooser as full screens, and the whole plain output.
fn chooser_screens() -> (String, String) {
    let choice_input = |id: &str| Input::Choice(id.to_owned());
    let answers = vec![choice_input("games"), choice_input("back"), choice_input("quit")];
    let mut recorder = FrameRecorder::answered_by_list(answers, &[(40, 12), (80, 24)]);
    run_menu(bundled_setup(None), &mut recorder, &mut || 14).unwrap();
    let pages = recorder.pages.into_iter().filter(|page| page.starts_with("== host:games"));
    let mut plain_output = Vec::new();
    let input_lines = LineReader::from_pipe(Cursor::new("games\nback\nquit\n"));
    let mut plain_text = PlainText::new(input_lines, &mut plain_output, 80);
    run_menu(bundled_setup(None), &mut plain_text, &mut || 14).unwrap();
    drop(plain_text);
    (pages.collect(), String::from_utf8(plain_output).unwrap())
}

#[test]
fn the_chooser_describes_each_game_in_full() {
    let (screens, plain_output) = chooser_screens();
    snapshot!("chooser", &screens);
    let unwrapped = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at_80_columns = screens.rsplit_once("|─ Sub Rosa: Games").map_or("", |(_, rows)| rows);
    let full_screen_text = unwrapped(&at_80_columns.replace('|', " "));
    let plain_text = unwrapped(&plain_output);
    let embedded_mods = crate::support::all_embedded_mods();
    for source in embedded_mods.iter().filter(|source| source.manifest.is_game) {
        let (id, manifest) = (source.id(), &source.manifest);
        let text = format!("{}: {}", manifest.name, manifest.description.as_deref().unwrap());
        assert!(text.len() <= 2 * 78, "{id}: {} bytes", text.len());
        if id != "sub_rosa" {
            assert!(full_screen_text.contains(&text), "{text}\n{screens}");
            assert!(plain_text.contains(&text), "{text}\n{plain_output}");
        }
    }
}

//! Screens of every kind of the bundled games at three sizes, and the space they leave to the
//! story. The games are those embedded in the program; their own bots play them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crossterm::event::KeyCode;
use engine::base::Value;
use engine::protocol::view::Widget;
use engine::protocol::{AnswerType, Input, Prompt, StoryEntry, StoryEvent};
use engine::save::{DataDir, MemoryDisk};
use engine::session::{Bot, Session};
use engine::ui::auto_travel::reachable_places;
use engine::ui::choice_layout::ChoiceLayout;
use engine::ui::form::split_prompt;
use engine::ui::full::{Palette, Screen, Theme};
use engine::ui::menu::{Setup, run_menu};
use engine::ui::plain::{LineReader, PlainText};
use engine::ui::{Answer, Frontend, Preferences};

use super::edge_crossings::{crossings_in_row, least_crossings};
use super::few_keys::go_to;
use super::sample::{frame, press};
use super::screens::{FrameRecorder, setup};
use crate::bundled;
use crate::support::{count_from_env, sample};

/// The smallest comes first: text that was visible once is not read again.
const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (120, 36)];
/// The number of steps that are examined.
const STEPS: u64 = 150;
/// From this step on the lists of a game have entries.
const LATER: u64 = 12;

fn rows(screen: &mut Screen, (columns, height): (u16, u16)) -> Vec<String> {
    let frame = frame(screen, columns, height);
    super::sample::rows(&frame).map(|row| row.trim_end().to_owned()).collect()
}

fn draw_at_each_size(screen: &mut Screen, name: &str) -> String {
    let drawn = SIZES.map(|size| {
        let drawn = rows(screen, size).join("\n");
        format!("== {name}, {} x {}\n{drawn}\n", size.0, size.1)
    });
    drawn.concat()
}

/// Whether there is unread text below the window.
fn has_unread_text(drawn: &[String]) -> bool {
    drawn.iter().any(|row| row.starts_with('─') && row.contains("reads on"))
}

/// Scrolls to the end of the new text, as a player does before an answer.
fn read_on(screen: &mut Screen) -> Vec<String> {
    loop {
        let drawn = rows(screen, (80, 24));
        if !has_unread_text(&drawn) {
            return drawn;
        }
        press(screen, KeyCode::PageDown);
    }
}

/// Plays a game with a bot, and calls back at each prompt.
fn for_each_prompt(
    game: &str,
    bot: &str,
    seed: u64,
    options: &[(&str, Value)],
    mut look: impl FnMut(&mut Screen, &Session),
) {
    let content = bundled::content(game, &[]);
    let (mut session, mut told) = bundled::begin(&content, seed, options, Value::map());
    let mut bot = Bot::new(bot, seed);
    let mut screen = Screen::new(Theme::of(Palette::None));
    let mut past = Vec::new();
    while session.run_outcome().is_none() && session.step_number() < STEPS {
        // The text before this step was read.
        screen.begin_story(&past);
        screen.add_events(&told.events);
        past.extend(told.events.iter().cloned().map(StoryEntry::Event));
        screen.show_prompt(session.prompt(), session.view());
        look(&mut screen, &session);
        let input = bot.choose(&mut session, &told.events).unwrap();
        told = session.answer(&input).unwrap();
    }
}

/// The games of a long test: one that the sample selects, all of them in `.ci/full`.
fn sampled_games() -> Vec<String> {
    let mut games = bundled::games();
    if count_from_env("SUB_ROSA_FULL", 0) == 0 {
        let at = usize::try_from(sample()).unwrap() % games.len();
        games = vec![games.swap_remove(at)];
    }
    games
}

/// Collects screens, one of each kind.
#[derive(Default)]
struct ScreenCollector {
    seen: BTreeSet<String>,
    pages: String,
}

impl ScreenCollector {
    fn record(&mut self, screen: &mut Screen, name: &str) {
        if self.seen.insert(name.to_owned()) {
            self.pages.push_str(&draw_at_each_size(screen, name));
        }
    }

    /// Records a prompt: a story longer than the window, the prompt itself, the host's pages over
    /// it, the game's pages in it, and its confirmations.
    fn record_prompt(&mut self, screen: &mut Screen, session: &Session) {
        let (prompt, step) = (session.prompt(), session.step_number());
        if has_unread_text(&rows(screen, (80, 24))) {
            self.record(screen, "a story that is read on");
        }
        read_on(screen);
        self.record(screen, &prompt.scene);
        if step > LATER {
            for (key, name) in [('m', "map"), ('c', "sheet"), ('x', "cards"), ('t', "log")] {
                press(screen, KeyCode::Char(key));
                if screen.has_open_page() {
                    self.record(screen, &format!("page: {name}"));
                    press(screen, KeyCode::Enter);
                    if key == 'x' && screen.has_open_page() {
                        self.record(screen, "page: a card");
                    }
                }
                while screen.has_open_page() {
                    press(screen, KeyCode::Esc);
                }
            }
        }
        for page in ChoiceLayout::of(prompt).submenus {
            let [at, _, ..] = page.choices[..] else { continue };
            if self.seen.contains(&format!("{}: {}", prompt.scene, page.id)) {
                continue;
            }
            screen.show_prompt(prompt, session.view());
            go_to(screen, prompt, &prompt.choices[at].id);
            self.record(screen, &format!("{}: {}", prompt.scene, page.id));
            press(screen, KeyCode::Esc);
        }
        let dear = prompt
            .choices
            .iter()
            .find(|one| !one.confirm.is_empty() && one.disabled_because.is_none());
        if let Some(dear) = dear.filter(|_| !self.seen.contains("asked once more")) {
            go_to(screen, prompt, &dear.id);
            press(screen, KeyCode::Enter);
            self.record(screen, "asked once more");
            press(screen, KeyCode::Esc);
        }
    }
}

/// The screens before and after a game: its title, settings, keys, options, history, and the page
/// of a run.
fn screens_outside_run(game: &str) -> String {
    let mut wishes = "settings keys back back new abandon abandon history records run:player-0001 \
                      page back back quit"
        .split_whitespace()
        .peekable();
    let mut answers = 0;
    let hand = move |prompt: &Prompt| {
        let there =
            |id: &&str| prompt.choice(id).is_some_and(|choice| choice.disabled_because.is_none());
        if let Some(wish) = wishes.next_if(there) {
            return Some(Answer::Input(Input::Choice(wish.to_owned())));
        }
        // Plays some answers, and then leaves the run.
        answers += 1;
        if answers > 6 {
            return Some(Answer::Leave);
        }
        let mut open = prompt.choices.iter().filter(|one| one.disabled_because.is_none());
        open.next().map(|one| Answer::Input(Input::Choice(one.id.clone())))
    };
    let setup = Setup {
        search_paths: crate::support::embedded_search_paths(),
        game: Some(game.to_owned()),
        data_dir: DataDir::on_disk(Arc::new(MemoryDisk::new()), "memory"),
        ..setup()
    };
    let mut album = FrameRecorder::answered_by(Box::new(hand), &SIZES);
    run_menu(setup, &mut album, &mut || 14).unwrap();
    let host = album
        .pages
        .iter()
        .filter(|page| page.starts_with("== host:") || page.starts_with("== page"));
    crate::support::mask_dates(&host.cloned().collect::<String>())
}

#[test]
fn screens_of_every_kind_at_three_sizes() {
    for game in bundled::games() {
        let vm = bundled::load(&bundled::content(&game, &[]));
        let bots: Vec<String> =
            vm.registry().active_definitions("bot").take(2).map(|bot| bot.id.to_string()).collect();
        let mut book = ScreenCollector::default();
        for (bot, seed) in bots.iter().zip([9, 14]) {
            for_each_prompt(&game, bot, seed, &[], |screen, session| {
                book.record_prompt(screen, session)
            });
        }
        snapshot!(format!("bundled_{game}"), book.pages);
        snapshot!(format!("bundled_{game}_around"), screens_outside_run(&game));
    }
}
/// The number of words in a text.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Scenes with more choices than fit beside a dozen lines of story: skills to learn, errands, wares
/// to sell, applicants. None is a scene for walking or fighting.
const LISTS: [&str; 3] = ["sovereign:board", "sovereign:level", "sovereign:sell"];

#[test]
#[allow(clippy::print_stdout)]
fn a_dozen_lines_are_the_storys_and_a_fight_is_told_in_few() {
    let mut short = Vec::new();
    for game in sampled_games() {
        let vm = bundled::load(&bundled::content(&game, &[]));
        let (mut questions, mut rounds, mut many) = (0, 0, 0);
        let mut look = |screen: &mut Screen, session: &Session| {
            let prompt = session.prompt();
            let drawn = read_on(screen);
            let rule = drawn.iter().rposition(|row| row.starts_with('─')).unwrap();
            if prompt.ask != AnswerType::One || rule == 0 || LISTS.contains(&&*prompt.scene) {
                return;
            }
            // A form has rows, and no list of choices.
            if split_prompt(prompt, session.view()).1.is_some() {
                return;
            }
            let (story, question) = (&drawn[1..rule], &drawn[rule + 1..23]);
            let mut told = |what: String| {
                short.push(format!("{}: {what}\n{}", prompt.scene, drawn.join("\n")))
            };
            let in_sight = ChoiceLayout::of(prompt).top_level.len();
            questions += 1;
            many += usize::from(in_sight > 7);
            if story.len() < 12 || in_sight > 7 {
                told(format!("{} lines of story, {in_sight} choices in sight", story.len()));
            }
            if prompt.rounds {
                rounds += 1;
                // Percentages and keys stand in columns and are no words; the description of the
                // focused choice may stand beside it.
                let again = |at: usize| {
                    let row = question[at].trim();
                    question[..at].iter().any(|above| above.ends_with(row))
                };
                let rows = (0..question.len()).filter(|at| !again(*at)).map(|at| &*question[at]);
                let letters = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
                let question = rows.collect::<Vec<_>>().join(" ");
                let words = question.split_whitespace().filter(letters).count();
                if words > 60 || in_sight > 7 {
                    told(format!("{words} words in a round, {in_sight} choices"));
                }
            }
        };
        for (bot, seed) in vm.registry().active_definitions("bot").take(3).zip([4, 2, 7]) {
            for_each_prompt(&game, bot.id.as_str(), seed, &[], &mut look);
        }
        for place in vm.registry().active_definitions("dungeon") {
            let options = [("dungeon", Value::text(place.id.as_str()))];
            for_each_prompt(&game, "sub_rosa:curious", 3, &options, &mut look);
        }
        println!(
            "{game}: {questions} questions, {many} with more than seven choices, {rounds} rounds"
        );
    }
    assert!(short.is_empty(), "{} fall short:\n{}", short.len(), short.join("\n"));
}

/// The brief output of the plain front end for each round after the first, with its prompt.
fn rounds_in_brief(game: &str, bot: &str, seed: u64, options: &[(&str, Value)]) -> Vec<String> {
    let content = bundled::content(game, &[]);
    let (mut session, mut told) = bundled::begin(&content, seed, options, Value::map());
    let mut bot = Bot::new(bot, seed);
    let (mut asked, mut lines) = (Vec::new(), String::new());
    while session.run_outcome().is_none() && session.step_number() < 2 * STEPS {
        asked.push((told.events.clone(), session.prompt().clone(), session.view().clone()));
        let input = bot.choose(&mut session, &told.events).unwrap();
        let line = match &input {
            Input::Choice(id) => id.clone(),
            Input::Many(ids) if ids.is_empty() => "none".to_owned(),
            Input::Many(ids) => ids.join(", "),
            Input::Number(number) => number.to_string(),
            Input::Text(line) => line.clone(),
        };
        lines.push_str(&format!("{line}\n"));
        told = session.answer(&input).unwrap();
    }
    let mut voice =
        PlainText::new(LineReader::from_terminal(std::io::Cursor::new(lines)), Vec::new(), 80);
    voice.apply_preferences(&Preferences { brief: Some(true), ..Preferences::default() });
    for (events, prompt, view) in &asked {
        voice.show_events(events).unwrap();
        assert!(
            matches!(voice.ask_prompt(prompt, view).unwrap(), Answer::Input(_)),
            "{}",
            prompt.scene
        );
    }
    let said = String::from_utf8(voice.into_output()).unwrap();
    let each = said.split("\n> ").zip(asked.windows(2)).map(|(_, pair)| pair);
    // New scenes on the run are printed in full.
    let elsewhere =
        |events: &[StoryEvent]| events.iter().any(|one| matches!(one, StoryEvent::Heading { .. }));
    let round = |pair: &[(Vec<StoryEvent>, Prompt, _)]| {
        pair[1].1.rounds && pair[0].1.scene == pair[1].1.scene && !elsewhere(&pair[1].0)
    };
    let is_round: Vec<bool> = std::iter::once(false).chain(each.map(round)).collect();
    let said = said.split("\n> ").zip(is_round).filter(|(_, is_round)| *is_round);
    said.map(|(said, _)| said.to_owned()).collect()
}

#[test]
#[allow(clippy::print_stdout)]
fn a_brief_round_is_told_in_sixty_words_its_story_among_them() {
    for game in sampled_games() {
        let vm = bundled::load(&bundled::content(&game, &[]));
        let (mut all, mut longest) = (Vec::new(), String::new());
        for bot in vm.registry().active_definitions("bot").take(3) {
            for said in rounds_in_brief(&game, bot.id.as_str(), 5, &[]) {
                all.push(words(&said));
                if words(&said) > words(&longest) {
                    longest = said;
                }
            }
        }
        all.sort_unstable();
        let over = all.iter().filter(|words| **words > 60).count();
        println!(
            "{game}: {} rounds, the middle one {} words, the longest {}, {over} over sixty",
            all.len(),
            all.get(all.len() / 2).copied().unwrap_or(0),
            words(&longest),
        );
        println!("{longest}");
        assert!(game != "sub_rosa" || all.len() > 20, "{} rounds", all.len());
        assert!(over == 0, "{game}:\n{longest}");
    }
}

/// The choice that Enter alone takes after reading, and the number of presses.
fn choice_of_enter(screen: &mut Screen) -> Option<(String, usize)> {
    for pressed in 1..=2 {
        if let Some(Answer::Input(Input::Choice(id))) = press(screen, KeyCode::Enter) {
            return Some((id, pressed));
        }
        rows(screen, (80, 24));
    }
    None
}

/// The edge crossings on the page of the map, at 80 columns.
fn crossings(screen: &mut Screen) -> usize {
    press(screen, KeyCode::Char('m'));
    let drawn = rows(screen, (80, 70));
    press(screen, KeyCode::Esc);
    drawn.iter().map(|row| crossings_in_row(row)).sum()
}

/// Counts of a game while its bots play.
#[derive(Default)]
struct ScreenCounts {
    /// Prompts, those in which Enter asks for a confirmation, and those that Esc leaves.
    questions: usize,
    twice: usize,
    left: BTreeSet<String>,
    /// Maps, those without edge crossings, and the crossings of all others.
    maps: usize,
    plain: usize,
    crossed: usize,
    places: usize,
    /// Visited places without a path to them, and those with one.
    missed: BTreeSet<String>,
    reached: usize,
}

impl ScreenCounts {
    /// Enter alone rolls no dice and takes no choice that needs a confirmation or leads back.
    fn press_enter(&mut self, screen: &mut Screen, prompt: &Prompt) {
        self.questions += 1;
        let Some((id, pressed)) = choice_of_enter(screen) else { return };
        let taken = prompt.choice(&id).unwrap();
        assert!(taken.confirm.is_empty(), "{}: Enter takes {id}, which is dear", prompt.scene);
        assert!(taken.odds.is_none() || pressed == 2, "{}: Enter throws for {id}", prompt.scene);
        let left = prompt.choices.iter().any(|one| one.back && one.disabled_because.is_none());
        assert!(!left || taken.back || pressed == 2, "{}: Enter takes {id}", prompt.scene);
        self.twice += usize::from(pressed == 2);
    }

    /// Esc takes the choice that leads back out of a prompt.
    fn press_esc(&mut self, screen: &mut Screen, prompt: &Prompt) {
        let back = prompt.choices.iter().find(|one| one.back && one.disabled_because.is_none());
        let Some(back) = back else { return };
        let wanted = Some(Answer::Input(Input::Choice(back.id.clone())));
        assert_eq!(press(screen, KeyCode::Esc), wanted, "{}", prompt.scene);
        self.left.insert(prompt.scene.clone());
    }

    /// Every place of a map has a name, and where one can walk on, one can walk back.
    fn look_at_map(&mut self, screen: &mut Screen, session: &Session) {
        let (prompt, view) = (session.prompt(), session.view());
        let map = view.widgets.iter().find_map(|placed| match &placed.widget {
            Widget::Map { nodes, edges, .. } => Some((nodes, edges)),
            _ => None,
        });
        let Some((nodes, edges)) = map else { return };
        for node in nodes {
            assert!(!["", "?"].contains(&node.label.trim()), "{} has no name", node.id);
        }
        if nodes.len() != std::mem::replace(&mut self.places, nodes.len()) {
            self.maps += 1;
            let over = crossings(screen);
            // If the game gives positions, the map uses them.
            let free = nodes.iter().any(|node| node.position.is_none());
            let least = free.then(|| least_crossings(nodes, edges)).flatten();
            assert!(
                least.is_none_or(|least| over <= least),
                "{over} crossings, {least:?} would do"
            );
            self.plain += usize::from(over == 0);
            self.crossed += over;
        }
        if !prompt.choices.iter().any(|one| !one.map_targets.is_empty()) {
            return;
        }
        let within = reachable_places(prompt, view);
        for node in nodes.iter().filter(|node| node.seen && !node.here) {
            match within.contains(&&*node.id) {
                true => self.reached += 1,
                false => drop(self.missed.insert(format!("{}: {}", prompt.scene, node.id))),
            }
        }
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn enter_rolls_no_dice_esc_goes_back_and_maps_are_reachable_in_every_game() {
    for game in sampled_games() {
        let vm = bundled::load(&bundled::content(&game, &[]));
        let mut seen = ScreenCounts::default();
        let mut look = |screen: &mut Screen, session: &Session| {
            let (prompt, view) = (session.prompt(), session.view());
            if prompt.ask != AnswerType::One || split_prompt(prompt, view).1.is_some() {
                return;
            }
            read_on(screen);
            seen.look_at_map(screen, session);
            screen.show_prompt(prompt, view);
            seen.press_esc(screen, prompt);
            // This prompt is new.
            screen
                .show_prompt(&Prompt { scene: "nowhere:else".to_owned(), ..prompt.clone() }, view);
            screen.show_prompt(prompt, view);
            seen.press_enter(screen, prompt);
        };
        for (bot, seed) in vm.registry().active_definitions("bot").take(2).zip([4, 2]) {
            for_each_prompt(&game, bot.id.as_str(), seed, &[], &mut look);
        }
        let ScreenCounts { questions, twice, left, maps, plain, crossed, missed, reached, .. } =
            seen;
        println!(
            "{game}: {questions} questions, {twice} in which Enter asks to be pressed once more"
        );
        println!("  {maps} maps, {plain} without a crossing, {crossed} crossings in the others");
        println!(
            "  {reached} ways to a place that was entered; not {missed:?}; Esc leaves {left:?}"
        );
        assert!(questions > 50 && maps > 2 && reached > 10 * missed.len(), "{game}: {missed:?}");
    }
}

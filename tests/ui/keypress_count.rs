//! Keys per answer: the same choices of recorded descents with numbers, as before choices had keys,
//! and with keys. Confirmations are included.

use std::collections::BTreeMap;

use crossterm::event::KeyCode;
use engine::base::Value;
use engine::protocol::{Input, Prompt};
use engine::session::{Bot, Session};
use engine::ui::Answer;
use engine::ui::auto_travel::AutoTravel;
use engine::ui::choice_keys::ChoiceKeys;
use engine::ui::choice_layout::ChoiceLayout;
use engine::ui::form::split_prompt;
use engine::ui::full::{Keymap, Palette, Screen, Theme};

use super::sample::{frame, press};
use crate::bundled;

/// The keys for a number in a list of that length: where a longer number was possible, a digit
/// waited for the next one, or for `Enter`.
fn keys_by_number(prompt: &Prompt, input: &Input) -> usize {
    let number = |id: &String| {
        let all = prompt.choices.len();
        let at = prompt.choices.iter().position(|choice| choice.id == *id).unwrap() + 1;
        at.to_string().len() + usize::from(at * 10 <= all)
    };
    match input {
        Input::Choice(id) => number(id),
        Input::Many(ids) => {
            ids.iter().map(number).sum::<usize>() + if ids.is_empty() { 2 } else { 1 }
        }
        Input::Number(number) => number.to_string().len() + 1,
        Input::Text(line) => line.len() + 1,
    }
}

/// One prompt of a descent and its answer.
struct RecordedAnswer {
    prompt: Prompt,
    view: engine::protocol::View,
    input: Input,
    events: Vec<engine::protocol::StoryEvent>,
}

/// A descent played by a bot. With `walks`, the player explores with `o` wherever the bot would go
/// on, as a person does after seeing a place.
fn descent(place: &str, bot: &str, build: &str, seed: u64, walks: bool) -> Vec<RecordedAnswer> {
    let content = bundled::content("sub_rosa", &[]);
    let options =
        [("dungeon", Value::text(format!("sub_rosa:{place}"))), ("build", Value::text(build))];
    let (mut session, mut told) = bundled::begin(&content, seed, &options, Value::map());
    let mut bot = Bot::new(&format!("sub_rosa:{bot}"), seed);
    let mut all = Vec::new();
    let ask = |session: &Session| (session.prompt().clone(), session.view().clone());
    let mut errand: Option<AutoTravel> = None;
    while session.run_outcome().is_none() {
        let (prompt, view) = ask(&session);
        let on = errand.take().and_then(|errand| errand.next_step(&prompt, &view));
        let input = match on {
            Some((further, input)) => {
                errand = Some(further);
                input
            }
            None => {
                let input = bot.choose(&mut session, &told.events).unwrap();
                let goes =
                    |id: &String| prompt.choice(id).is_some_and(|one| !one.map_targets.is_empty());
                let goes = walks && matches!(&input, Input::Choice(id) if goes(id));
                match Some(())
                    .filter(|()| goes)
                    .map(|()| AutoTravel::start_exploring(&prompt, &view))
                {
                    Some(Ok((set_out, input))) => {
                        errand = Some(set_out);
                        input
                    }
                    _ => input,
                }
            }
        };
        told = session.answer(&input).unwrap();
        errand.take_if(|_| AutoTravel::is_ended_by(&told.events));
        all.push(RecordedAnswer { prompt, view, input, events: told.events.clone() });
        assert!(all.len() < 600, "{place}: no end");
    }
    all
}

/// The number of the next answers that `o` gives by itself.
fn explored(all: &[RecordedAnswer]) -> usize {
    let first = &all[0];
    let Ok((mut errand, mut input)) = AutoTravel::start_exploring(&first.prompt, &first.view)
    else {
        return 0;
    };
    for (at, asked) in all.iter().enumerate() {
        if asked.input != input {
            // It would have gone elsewhere on the way.
            return 0;
        }
        if AutoTravel::is_ended_by(&asked.events) {
            return at + 1;
        }
        let Some(next) = all.get(at + 1) else { return at + 1 };
        match errand.next_step(&next.prompt, &next.view) {
            Some(on) => (errand, input) = on,
            None => return at + 1,
        }
    }
    all.len()
}

/// The keys of a choice on a screen of 80 columns and 24 rows.
fn keys_by_letter(screen: &mut Screen, memory: &mut ChoiceKeys, asked: &RecordedAnswer) -> usize {
    let (rest, _) = split_prompt(&asked.prompt, &asked.view);
    let keymap = Keymap::default();
    let laid = ChoiceLayout::of(&rest);
    let is_free = |key| keymap.reserved_action(key).is_none();
    let given = memory.assign(&rest, &asked.view.title, &laid, &is_free);
    screen.show_prompt(&asked.prompt, &asked.view);
    drop(frame(screen, 80, 24));
    let ids = match &asked.input {
        Input::Choice(id) => vec![id],
        Input::Many(ids) if ids.is_empty() => return 2,
        Input::Many(ids) => return ids.len() + 1,
        other => unreachable!("a descent does not ask for {other:?}"),
    };
    let at = rest.choices.iter().position(|choice| choice.id == *ids[0]).unwrap();
    let mut keys: Vec<char> = Vec::new();
    match laid.top_level.iter().position(|of| *of == at) {
        Some(found) => keys.extend(given.top_level[found]),
        None => {
            let page = laid.submenus.iter().position(|page| page.choices.contains(&at)).unwrap();
            let found = laid.submenus[page].choices.iter().position(|of| *of == at).unwrap();
            match laid.submenus[page].single_choice(&rest) {
                Some(_) => keys.extend(given.submenus[page]),
                None => keys.extend(given.in_submenus[page][found]),
            }
        }
    }
    let answered = Some(Answer::Input(asked.input.clone()));
    let is_dear = !rest.choices[at].confirm.is_empty();
    let mut pressed = 0;
    let mut come = None;
    for key in &keys {
        pressed += 1;
        come = press(screen, KeyCode::Char(*key));
    }
    if come.is_none() && is_dear {
        pressed += 1;
        come = press(screen, KeyCode::Char(if keys.last() == Some(&'y') { '9' } else { 'y' }));
    }
    if come.is_none() {
        // It is in a submenu without room to show its content.
        screen.show_prompt(&asked.prompt, &asked.view);
        let page = laid.submenus.iter().position(|page| page.choices.contains(&at)).unwrap();
        press(screen, KeyCode::Char(given.submenus[page].unwrap()));
        pressed = 2;
        come = press(screen, KeyCode::Char(keys[0]));
        if is_dear {
            pressed += 1;
            come = press(screen, KeyCode::Char('y'));
        }
    }
    assert_eq!(come, answered, "{keys:?}");
    pressed
}

/// The answers of descents with their keys before and now.
#[derive(Clone, Copy, Default)]
struct KeyCounts {
    answers: usize,
    was: usize,
    now: usize,
}

impl KeyCounts {
    fn add(&mut self, was: usize, now: usize) {
        *self = Self { answers: self.answers + 1, was: self.was + was, now: self.now + now };
    }

    fn summary(&self) -> String {
        let Self { answers, was, now } = *self;
        let share = now * 1000 / was.max(1);
        format!("{answers} answers, {was} keys before, {now} now: {share} of a thousand")
    }
}

/// The keys for all prompts, and for those with ten or more choices.
fn count_keys(all: &[RecordedAnswer], whole: &mut KeyCounts, long: &mut KeyCounts) {
    let mut screen = Screen::new(Theme::of(Palette::None));
    let (mut memory, mut left) = (ChoiceKeys::default(), 0);
    for (at, asked) in all.iter().enumerate() {
        // One key starts the travel; its steps take none.
        let now = match left {
            0 => match explored(&all[at..]) {
                0 => keys_by_letter(&mut screen, &mut memory, asked),
                by_itself => {
                    left = by_itself;
                    1
                }
            },
            _ => 0,
        };
        left = left.saturating_sub(1);
        let was = keys_by_number(&asked.prompt, &asked.input);
        whole.add(was, now);
        if asked.prompt.choices.len() >= 10 {
            long.add(was, now);
        }
    }
}

/// `cargo test --test main -- ui::keypress_count --nocapture` prints the figures for descents by
/// bots, and by a player who explores with `o`.
#[test]
#[allow(clippy::print_stdout)]
fn an_answer_takes_fewer_keys_than_it_did() {
    for walks in [false, true] {
        let (mut sum, mut long) = (KeyCounts::default(), KeyCounts::default());
        for (place, bot, build, seed) in [
            ("ice_house", "steady", "breath", 9),
            ("foundry", "steady_eye", "eye", 5),
            ("library", "curious", "eye", 3),
        ] {
            let mut whole = KeyCounts::default();
            count_keys(&descent(place, bot, build, seed, walks), &mut whole, &mut long);
            println!("{place} {build}, with o {walks}: {}", whole.summary());
            // One key per answer, and one more for a confirmation.
            let KeyCounts { answers, now, .. } = whole;
            assert!(now <= answers + answers / 20, "{place}: {now} keys for {answers} answers");
            sum.was += whole.was;
            sum.now += whole.now;
            sum.answers += whole.answers;
        }
        println!("all, with o {walks}: {}", sum.summary());
        println!("of those with ten choices and more: {}", long.summary());
        // An answer takes at least one key, except for the steps of `o` and the map; one-digit
        // numbers had nothing to save. A choice in a submenu without room takes the submenu's key
        // first, and a confirmation a second key.
        assert!(sum.now * 1000 <= sum.was * 960, "{}", sum.summary());
        assert!(long.now * 1000 <= long.was * 800, "{}", long.summary());
    }
}

#[test]
fn what_is_carried_keeps_its_key_through_a_descent() {
    let mut seen = 0;
    for (place, bot, build, seed) in [
        ("ice_house", "steady", "breath", 9),
        ("foundry", "steady_eye", "eye", 5),
        ("library", "curious", "eye", 3),
    ] {
        let mut memory = ChoiceKeys::default();
        let mut first: BTreeMap<String, char> = BTreeMap::new();
        for asked in descent(place, bot, build, seed, false) {
            let (rest, _) = split_prompt(&asked.prompt, &asked.view);
            let keymap = Keymap::default();
            let laid = ChoiceLayout::of(&rest);
            let is_free = |key| keymap.reserved_action(key).is_none();
            let given = memory.assign(&rest, &asked.view.title, &laid, &is_free);
            for (page, keys) in laid.submenus.iter().zip(&given.in_submenus) {
                for (at, key) in page.choices.iter().zip(keys) {
                    let (choice, key) = (&rest.choices[*at], key.unwrap());
                    if choice.key.is_some() {
                        continue;
                    }
                    let home = *first.entry(choice.id.clone()).or_insert(key);
                    let wished = rest.choices.iter().any(|other| other.key == Some(home));
                    assert!(
                        key == home || wished,
                        "{place}, {}: {} had {home} and has {key}",
                        asked.view.title,
                        choice.id
                    );
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 100, "{seen} things are no descents");
}

//! How many keys an answer takes: the same choices of recorded descents, as the table asked before choices
//! had a key each and as it asks now, what is asked once more included.

use crossterm::event::KeyCode;
use engine::kit::Value;
use engine::play::{Input, Prompt};
use engine::run::{Bot, Session};
use engine::ui::Answer;
use engine::ui::choice_keys::ChoiceKeys;
use engine::ui::errand::Errand;
use engine::ui::form::split;
use engine::ui::full::{Keymap, Palette, Screen, Theme};
use engine::ui::laid::Laid;

use super::sample::{frame, press};
use crate::bundled;

/// What a finger typed for a number of a list as long as that: where a longer number could be meant, a
/// digit waited for the next one, or for `Enter`.
fn before(prompt: &Prompt, input: &Input) -> usize {
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

/// One question of a descent and its answer.
struct Asked {
    prompt: Prompt,
    view: engine::play::View,
    input: Input,
    events: Vec<engine::play::Event>,
}

fn descent(place: &str, bot: &str, build: &str, seed: u64) -> Vec<Asked> {
    let content = bundled::content("sub_rosa", &[]);
    let options =
        [("dungeon", Value::text(format!("sub_rosa:{place}"))), ("build", Value::text(build))];
    let (mut session, mut told) = bundled::begin(&content, seed, &options, Value::map());
    let mut bot = Bot::new(&format!("sub_rosa:{bot}"), seed);
    let mut all = Vec::new();
    let ask = |session: &Session| (session.prompt().clone(), session.view().clone());
    while session.finished().is_none() {
        let (prompt, view) = ask(&session);
        let input = bot.choose(&mut session, &told.events).unwrap();
        told = session.take(&input).unwrap();
        all.push(Asked { prompt, view, input, events: told.events.clone() });
    }
    all
}

/// How many of the answers from here on `o` gives by itself.
fn explored(all: &[Asked]) -> usize {
    let first = &all[0];
    let Ok((mut errand, mut input)) = Errand::explore(&first.prompt, &first.view) else { return 0 };
    for (at, asked) in all.iter().enumerate() {
        if asked.input != input {
            // On the way already it would have gone elsewhere.
            return 0;
        }
        if Errand::ends_with(&asked.events) {
            return at + 1;
        }
        let Some(next) = all.get(at + 1) else { return at + 1 };
        match errand.go_on(&next.prompt, &next.view) {
            Some(on) => (errand, input) = on,
            None => return at + 1,
        }
    }
    all.len()
}

/// Keys that a choice takes on a screen of 80 columns and 24 rows.
fn typed(screen: &mut Screen, memory: &mut ChoiceKeys, asked: &Asked) -> usize {
    let (rest, _) = split(&asked.prompt, &asked.view);
    let keymap = Keymap::default();
    let laid = Laid::of(&rest);
    let is_free = |key| keymap.taken_by(key).is_none();
    let given = memory.give(&rest, &asked.view.title, &laid, &is_free);
    screen.pose(&asked.prompt, &asked.view);
    drop(frame(screen, 80, 24));
    let ids = match &asked.input {
        Input::Choice(id) => vec![id],
        Input::Many(ids) if ids.is_empty() => return 2,
        Input::Many(ids) => return ids.len() + 1,
        other => unreachable!("a descent does not ask for {other:?}"),
    };
    let at = rest.choices.iter().position(|choice| choice.id == *ids[0]).unwrap();
    let mut keys: Vec<char> = Vec::new();
    match laid.whole.iter().position(|of| *of == at) {
        Some(found) => keys.extend(given.whole[found]),
        None => {
            let page = laid.pages.iter().position(|page| page.choices.contains(&at)).unwrap();
            let found = laid.pages[page].choices.iter().position(|of| *of == at).unwrap();
            match laid.pages[page].only(&rest) {
                Some(_) => keys.extend(given.pages[page]),
                None => keys.extend(given.on_pages[page][found]),
            }
        }
    }
    let answered = Some(Answer::Input(asked.input.clone()));
    let is_dear = !rest.choices[at].dear.is_empty();
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
        // It stands on a page that has no room to show what it holds.
        screen.pose(&asked.prompt, &asked.view);
        let page = laid.pages.iter().position(|page| page.choices.contains(&at)).unwrap();
        press(screen, KeyCode::Char(given.pages[page].unwrap()));
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

/// Keys for the whole of it, before and now, and answers.
fn counted(all: &[Asked]) -> (usize, usize, usize) {
    let was = all.iter().map(|asked| before(&asked.prompt, &asked.input)).sum();
    let mut screen = Screen::new(Theme::of(Palette::None));
    let (mut memory, mut now, mut at) = (ChoiceKeys::default(), 0, 0);
    while at < all.len() {
        let by_itself = explored(&all[at..]);
        if by_itself > 0 {
            now += 1;
            at += by_itself;
        } else {
            let keys = typed(&mut screen, &mut memory, &all[at]);
            now += keys;
            at += 1;
        }
    }
    (was, now, all.len())
}

#[test]
#[allow(clippy::print_stdout)]
fn an_answer_takes_fewer_keys_than_it_did() {
    let (mut before, mut today) = (0, 0);
    for (place, bot, build, seed) in [
        ("ice_house", "steady", "breath", 9),
        ("foundry", "steady_eye", "eye", 5),
        ("library", "curious", "eye", 3),
    ] {
        let (was, now, answers) = counted(&descent(place, bot, build, seed));
        println!("{place} {build}: {answers} answers, {was} keys before, {now} now");
        // One key an answer, and one more for what is asked again.
        assert!(now <= answers + answers / 20, "{place}: {now} keys for {answers} answers");
        before += was;
        today += now;
    }
    assert!(today < before, "{before} keys before, {today} now");
}

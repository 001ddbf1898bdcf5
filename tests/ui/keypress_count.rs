//! Keys per answer: the same choices of recorded descents with numbers, as before choices had keys,
//! and with keys. Confirmations are included.

use std::collections::BTreeMap;

use base::Value;
use crossterm::event::KeyCode;
use protocol::{AcceptedInput, Input, Prompt};
use session::{Bot, Session};
use ui::Answer;
use ui::auto_travel::AutoTravel;
use ui::choice_keys::ChoiceKeys;
use ui::choice_layout::ChoiceLayout;
use ui::form::split_off_form;
use ui::full_screen::{Keymap, Palette, Screen, Theme};

use super::sample::{draw_frame, press_key};
use crate::bundled;

/// The keys for a number in a list of that length: where a longer number was possible, a digit
/// waited for the next one, or for `Enter`.
fn count_keys_by_number(prompt: &Prompt, input: &Input) -> usize {
    let number = |id: &String| {
        let choice_count = prompt.choices.len();
        let choice_number = prompt.choices.iter().position(|choice| choice.id == *id).unwrap() + 1;
        choice_number.to_string().len() + usize::from(choice_number * 10 <= choice_count)
    };
    match input {
        Input::Choice(id) => number(id),
        Input::Choices(ids) => {
            ids.iter().map(number).sum::<usize>() + if ids.is_empty() { 2 } else { 1 }
        }
        Input::Number(number) => number.to_string().len() + 1,
        Input::Text(line) => line.len() + 1,
    }
}

/// One prompt of a descent and its answer.
struct RecordedAnswer {
    prompt: Prompt,
    view: protocol::View,
    input: AcceptedInput,
    events: Vec<protocol::StoryEvent>,
}

/// A descent played by a bot. With `auto_explores`, the player explores with `o` wherever the bot
/// would go on, as a person does after seeing a place.
fn play_descent(
    place: &str,
    bot: &str,
    build: &str,
    seed: u64,
    auto_explores: bool,
) -> Vec<RecordedAnswer> {
    let content = bundled::game_content("sub_rosa", &[]);
    let options =
        [("dungeon", Value::text(format!("sub_rosa:{place}"))), ("build", Value::text(build))];
    let (mut session, mut step_outcome) =
        bundled::start_session(&content, seed, &options, Value::map());
    let mut bot = Bot::new(&format!("sub_rosa:{bot}"), seed);
    let mut recorded_answers = Vec::new();
    let current_prompt_and_view =
        |session: &Session| (session.prompt().clone(), session.view().clone());
    let mut travel: Option<AutoTravel> = None;
    while session.run_outcome().is_none() {
        let (prompt, view) = current_prompt_and_view(&session);
        let travel_step = travel.take().and_then(|travel| travel.next_answer(&prompt, &view));
        let input = match travel_step {
            Some((next_travel, input)) => {
                travel = Some(next_travel);
                input
            }
            None => {
                let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
                let leads_to_place = |id: &String| {
                    prompt.choice(id).is_some_and(|choice| !choice.map_targets.is_empty())
                };
                let is_move =
                    auto_explores && matches!(&*input, Input::Choice(id) if leads_to_place(id));
                match Some(())
                    .filter(|()| is_move)
                    .map(|()| AutoTravel::start_exploring(&prompt, &view))
                {
                    Some(Ok((new_travel, input))) => {
                        travel = Some(new_travel);
                        input
                    }
                    _ => input,
                }
            }
        };
        step_outcome = session.answer_prompt(&input).unwrap();
        travel.take_if(|_| AutoTravel::is_ended_by_events(&step_outcome.events));
        recorded_answers.push(RecordedAnswer {
            prompt,
            view,
            input,
            events: step_outcome.events.clone(),
        });
        assert!(recorded_answers.len() < 600, "{place}: no end");
    }
    recorded_answers
}

/// The number of the next answers that `o` gives by itself.
fn count_auto_travel_answers(recorded_answers: &[RecordedAnswer]) -> usize {
    let first = &recorded_answers[0];
    let Ok((mut travel, mut input)) = AutoTravel::start_exploring(&first.prompt, &first.view)
    else {
        return 0;
    };
    for (index, recorded_answer) in recorded_answers.iter().enumerate() {
        if recorded_answer.input != input {
            // It would have gone elsewhere on the way.
            return 0;
        }
        if AutoTravel::is_ended_by_events(&recorded_answer.events) {
            return index + 1;
        }
        let Some(next_recorded) = recorded_answers.get(index + 1) else { return index + 1 };
        match travel.next_answer(&next_recorded.prompt, &next_recorded.view) {
            Some(next_step) => (travel, input) = next_step,
            None => return index + 1,
        }
    }
    recorded_answers.len()
}

/// The keys of a choice on a screen of 80 columns and 24 rows.
fn count_keys_by_letter(
    screen: &mut Screen,
    choice_keys: &mut ChoiceKeys,
    recorded_answer: &RecordedAnswer,
) -> usize {
    let (visible_prompt, _) = split_off_form(&recorded_answer.prompt, &recorded_answer.view);
    let keymap = Keymap::default();
    let layout = ChoiceLayout::from_prompt(&visible_prompt);
    let is_free = |key| keymap.reserved_action(key).is_none();
    let assigned_keys =
        choice_keys.assign_keys(&visible_prompt, &recorded_answer.view.title, &layout, &is_free);
    screen.show_prompt(&recorded_answer.prompt, &recorded_answer.view);
    drop(draw_frame(screen, 80, 24));
    let ids = match &*recorded_answer.input {
        Input::Choice(id) => vec![id],
        Input::Choices(ids) if ids.is_empty() => return 2,
        Input::Choices(ids) => return ids.len() + 1,
        other => unreachable!("a descent does not ask for {other:?}"),
    };
    let choice_index =
        visible_prompt.choices.iter().position(|choice| choice.id == *ids[0]).unwrap();
    let mut keys: Vec<char> = Vec::new();
    match layout.top_level.iter().position(|index| *index == choice_index) {
        Some(position) => keys.extend(assigned_keys.top_level[position]),
        None => {
            let submenu_index = layout
                .submenus
                .iter()
                .position(|page| page.choices.contains(&choice_index))
                .unwrap();
            let position = layout.submenus[submenu_index]
                .choices
                .iter()
                .position(|index| *index == choice_index)
                .unwrap();
            match layout.submenus[submenu_index].single_choice(&visible_prompt) {
                Some(_) => keys.extend(assigned_keys.submenus[submenu_index]),
                None => keys.extend(assigned_keys.submenu_choices[submenu_index][position]),
            }
        }
    }
    let expected_answer = Some(Answer::Input(recorded_answer.input.clone()));
    let needs_confirmation = !visible_prompt.choices[choice_index].confirm.is_empty();
    let mut key_count = 0;
    let mut answer = None;
    for key in &keys {
        key_count += 1;
        answer = press_key(screen, KeyCode::Char(*key));
    }
    if answer.is_none() && needs_confirmation {
        key_count += 1;
        answer =
            press_key(screen, KeyCode::Char(if keys.last() == Some(&'y') { '9' } else { 'y' }));
    }
    if answer.is_none() {
        // It is in a submenu without room to show its content.
        screen.show_prompt(&recorded_answer.prompt, &recorded_answer.view);
        let submenu_index =
            layout.submenus.iter().position(|page| page.choices.contains(&choice_index)).unwrap();
        press_key(screen, KeyCode::Char(assigned_keys.submenus[submenu_index].unwrap()));
        key_count = 2;
        answer = press_key(screen, KeyCode::Char(keys[0]));
        if needs_confirmation {
            key_count += 1;
            answer = press_key(screen, KeyCode::Char('y'));
        }
    }
    assert_eq!(answer, expected_answer, "{keys:?}");
    key_count
}

/// The answers of descents with their keys before and now.
#[derive(Clone, Copy, Default)]
struct KeyCounts {
    answers: usize,
    before: usize,
    after: usize,
}

impl KeyCounts {
    fn add_answer(&mut self, before: usize, after: usize) {
        *self = Self {
            answers: self.answers + 1,
            before: self.before + before,
            after: self.after + after,
        };
    }

    fn summary(&self) -> String {
        let Self { answers, before, after } = *self;
        let share = after * 1000 / before.max(1);
        format!("{answers} answers, {before} keys before, {after} now: {share} of a thousand")
    }
}

/// The keys for all prompts, and for those with ten or more choices.
fn count_keys(
    recorded_answers: &[RecordedAnswer],
    all_counts: &mut KeyCounts,
    long_list_counts: &mut KeyCounts,
) {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let (mut choice_keys, mut remaining_travel_answers) = (ChoiceKeys::default(), 0);
    for (index, recorded_answer) in recorded_answers.iter().enumerate() {
        // One key starts the travel; its steps take none.
        let after = match remaining_travel_answers {
            0 => match count_auto_travel_answers(&recorded_answers[index..]) {
                0 => count_keys_by_letter(&mut screen, &mut choice_keys, recorded_answer),
                travel_answers => {
                    remaining_travel_answers = travel_answers;
                    1
                }
            },
            _ => 0,
        };
        remaining_travel_answers = remaining_travel_answers.saturating_sub(1);
        let before = count_keys_by_number(&recorded_answer.prompt, &recorded_answer.input);
        all_counts.add_answer(before, after);
        if recorded_answer.prompt.choices.len() >= 10 {
            long_list_counts.add_answer(before, after);
        }
    }
}

/// `cargo test --test main -- ui::keypress_count --nocapture` prints the figures for descents by
/// bots, and by a player who explores with `o`.
#[test]
#[allow(clippy::print_stdout)]
fn letter_keys_take_fewer_presses_than_numbers() {
    for auto_explores in [false, true] {
        let (mut total, mut long_list_counts) = (KeyCounts::default(), KeyCounts::default());
        for (place, bot, build, seed) in [
            ("ice_house", "steady", "breath", 9),
            ("foundry", "steady_eye", "eye", 5),
            ("library", "curious", "eye", 3),
        ] {
            let mut all_counts = KeyCounts::default();
            count_keys(
                &play_descent(place, bot, build, seed, auto_explores),
                &mut all_counts,
                &mut long_list_counts,
            );
            println!("{place} {build}, with o {auto_explores}: {}", all_counts.summary());
            // One key per answer, and one more for a confirmation.
            let KeyCounts { answers, after, .. } = all_counts;
            assert!(after <= answers + answers / 20, "{place}: {after} keys for {answers} answers");
            total.before += all_counts.before;
            total.after += all_counts.after;
            total.answers += all_counts.answers;
        }
        println!("all, with o {auto_explores}: {}", total.summary());
        println!("of those with ten choices and more: {}", long_list_counts.summary());
        // An answer takes at least one key, except for the steps of `o` and the map; one-digit
        // numbers had nothing to save. A choice in a submenu without room takes the submenu's key
        // first, and a confirmation a second key.
        assert!(total.after * 1000 <= total.before * 960, "{}", total.summary());
        assert!(
            long_list_counts.after * 1000 <= long_list_counts.before * 800,
            "{}",
            long_list_counts.summary()
        );
    }
}

#[test]
fn a_carried_item_keeps_its_key_through_a_descent() {
    let mut compared_count = 0;
    for (place, bot, build, seed) in [
        ("ice_house", "steady", "breath", 9),
        ("foundry", "steady_eye", "eye", 5),
        ("library", "curious", "eye", 3),
    ] {
        let mut choice_keys = ChoiceKeys::default();
        let mut first_keys: BTreeMap<String, char> = BTreeMap::new();
        for recorded_answer in play_descent(place, bot, build, seed, false) {
            let (visible_prompt, _) =
                split_off_form(&recorded_answer.prompt, &recorded_answer.view);
            let keymap = Keymap::default();
            let layout = ChoiceLayout::from_prompt(&visible_prompt);
            let is_free = |key| keymap.reserved_action(key).is_none();
            let assigned_keys = choice_keys.assign_keys(
                &visible_prompt,
                &recorded_answer.view.title,
                &layout,
                &is_free,
            );
            for (submenu, keys) in layout.submenus.iter().zip(&assigned_keys.submenu_choices) {
                for (choice_index, key) in submenu.choices.iter().zip(keys) {
                    let (choice, key) = (&visible_prompt.choices[*choice_index], key.unwrap());
                    // A way belongs to its place.
                    if !choice.map_targets.is_empty() {
                        continue;
                    }
                    let first_key = *first_keys.entry(choice.id.clone()).or_insert(key);
                    let is_requested_by_other = visible_prompt
                        .choices
                        .iter()
                        .any(|other| other.preferred_key == Some(first_key));
                    assert!(
                        key == first_key || is_requested_by_other,
                        "{place}, {}: {} had {first_key} and has {key}",
                        recorded_answer.view.title,
                        choice.id
                    );
                    compared_count += 1;
                }
            }
        }
    }
    assert!(compared_count > 100, "{compared_count} things are no descents");
}

/// The keys of a descent at 80x24, read to the end before each answer: those that read on, and one
/// an answer and mark. Confirmations of what cannot be taken back are not counted.
fn count_keys_with_reading(recorded_answers: &[RecordedAnswer]) -> (usize, usize) {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let (mut choice_keys, mut reading_keys, mut answer_keys) = (ChoiceKeys::default(), 0, 0);
    let mut previous_events: &[protocol::StoryEvent] = &[];
    for recorded_answer in recorded_answers {
        screen.add_events(previous_events);
        screen.show_prompt(&recorded_answer.prompt, &recorded_answer.view);
        drop(draw_frame(&mut screen, 80, 24));
        while has_unread_text(&mut screen) {
            press_key(&mut screen, KeyCode::Enter);
            reading_keys += 1;
        }
        let needs_confirmation = matches!(&*recorded_answer.input, Input::Choice(id)
            if recorded_answer.prompt.choice(id).is_some_and(|one| !one.confirm.is_empty()));
        answer_keys += count_keys_by_letter(&mut screen, &mut choice_keys, recorded_answer)
            - usize::from(needs_confirmation);
        previous_events = &recorded_answer.events;
    }
    (reading_keys, answer_keys)
}

fn has_unread_text(screen: &mut Screen) -> bool {
    let frame = draw_frame(screen, 80, 24);
    super::sample::frame_rows(&frame).any(|row| row.contains("reads on"))
}

#[test]
#[allow(clippy::print_stdout)]
fn a_careful_small_descent_takes_few_keys_an_answer() {
    let (mut answers, mut keys) = (0, 0);
    for (place, bot, build, seed) in [
        ("ice_house", "steady", "breath", 9),
        ("ice_house", "steady_eye", "eye", 5),
        ("ice_house", "curious", "eye", 3),
        ("pledge_house", "curious", "tongue", 11),
        ("pledge_house", "steady", "blade", 4),
    ] {
        let recorded_answers = play_descent(place, bot, build, seed, false);
        let (reading_keys, answer_keys) = count_keys_with_reading(&recorded_answers);
        println!(
            "{place} {bot}: {} answers, {answer_keys} keys to answer, {reading_keys} to read on",
            recorded_answers.len()
        );
        (answers, keys) = (answers + recorded_answers.len(), keys + reading_keys + answer_keys);
    }
    println!("{keys} keys for {answers} answers: {} of a hundred", keys * 100 / answers);
    assert!(keys * 100 <= answers * 115, "{keys} keys for {answers} answers");
}

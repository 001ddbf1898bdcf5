//! Groups of choices: submenus behind one key, stable keys, and confirmations.

use std::sync::Arc;

use crossterm::event::KeyCode;
use protocol::{Choice, ChoiceGroup, Input, Prompt, View};
use ui::choice_keys::ChoiceKeys;
use ui::choice_layout::ChoiceLayout;
use ui::full_screen::{Keymap, Palette, Screen, Theme};
use ui::plain_text::{LineReader, PlainText};
use ui::{Answer, Frontend, Preferences};

use super::sample::*;
use crate::support::RandomSource;
use crate::support::accepted;

fn choice_group(label: &str, order: i64, key: Option<char>) -> Option<Arc<ChoiceGroup>> {
    let id = format!("ferry:{}", label.to_lowercase());
    let has_submenu = key.is_some();
    Some(Arc::new(ChoiceGroup {
        id,
        name: label.to_owned(),
        sort_order: order,
        is_submenu: has_submenu,
        collapses: false,
        preferred_key: key,
    }))
}

/// A crossing with ways back and items in submenus, and a choice that needs a confirmation.
fn quay_prompt() -> Prompt {
    let back_group = choice_group("Back", 10, Some('b'));
    let bag_group = choice_group("Bag", 20, Some('i'));
    let mut prompt = ferry_prompt();
    prompt.choices[0].preferred_key = Some('r');
    let burn_choice =
        Choice { confirm: "There is no other boat.".to_owned(), ..choice("burn", "Burn the boat") };
    let grouped_choice = |group: &Option<Arc<ChoiceGroup>>, id: &str, label: &str| Choice {
        group: group.clone(),
        ..choice(id, label)
    };
    prompt.choices.extend([
        grouped_choice(&bag_group, "rope", "Bend the rope"),
        grouped_choice(&back_group, "slip", "The slip"),
        grouped_choice(&back_group, "bar", "The sand bar"),
        burn_choice,
        Choice {
            preferred_key: Some('g'),
            ..grouped_choice(&choice_group("Gear", 30, Some('g')), "oars", "Ship the oars")
        },
    ]);
    prompt
}

fn screen_with_prompt(prompt: &Prompt) -> Screen {
    let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(prompt, &sample_view());
    screen
}

#[test]
fn each_submenu_opens_with_one_key() {
    let mut screen = screen_with_prompt(&quay_prompt());
    snapshot!("groups_80x24", draw_boxed_text(&mut screen, 80, 24));
    snapshot!("groups_40x12", draw_boxed_text(&mut screen, 40, 12));
    assert_eq!(type_keys(&mut screen, "b"), None);
    snapshot!("groups_page_80x24", draw_boxed_text(&mut screen, 80, 24));
    press_key(&mut screen, KeyCode::Esc);
    assert_eq!(type_keys(&mut screen, "bd"), choice_answer("bar"));
    // A choice shown on the row with a key is taken by it at once; a hidden one is not.
    let answer_at_size = |columns, height| {
        let mut screen = screen_with_prompt(&quay_prompt());
        drop(draw_frame(&mut screen, columns, height));
        type_keys(&mut screen, "d")
    };
    assert_eq!(answer_at_size(80, 24), choice_answer("bar"));
    assert_eq!(type_keys(&mut screen_with_prompt(&quay_prompt()), "d"), None);
    // Its key opens the submenu at it; pressed again it takes it.
    assert_eq!(type_keys(&mut screen_with_prompt(&quay_prompt()), "dd"), choice_answer("bar"));
    assert_eq!(type_keys(&mut screen_with_prompt(&quay_prompt()), "r"), choice_answer("row"));
    // A single entry that requests the submenu's own key gets it.
    assert_eq!(type_keys(&mut screen_with_prompt(&quay_prompt()), "g"), choice_answer("oars"));
}

#[test]
fn disabled_choices_of_a_submenu_are_bracketed_on_its_row() {
    let mut prompt = quay_prompt();
    let page = draw_boxed_text(&mut screen_with_prompt(&prompt), 84, 24);
    assert!(page.contains("sand bar") && !page.contains("(sand bar)"), "{page}");
    for choice in &mut prompt.choices {
        let is_disabled = ["rope", "bar", "oars"].contains(&&*choice.id);
        choice.disabled_because = is_disabled.then(|| "it rains".to_owned());
    }
    let page = draw_boxed_text(&mut screen_with_prompt(&prompt), 84, 24);
    for label in ["(Bend the rope)", "(sand bar)", "(Ship the oars)"] {
        assert!(page.contains(label), "{label}\n{page}");
    }
    assert!(!page.contains("(slip)"), "{page}");
}

#[test]
fn long_submenu_names_use_two_rows_where_space_permits() {
    let mut prompt = quay_prompt();
    prompt.choices.retain(|choice| choice.group.is_none());
    prompt.choices.truncate(2);
    let back_group = choice_group("Back", 10, Some('b'));
    let way_labels =
        ["The slip below the ferry house", "The sand bar at low water", "The old causeway stones"];
    let way_choice = |label: &&str| Choice { group: back_group.clone(), ..choice(label, label) };
    prompt.choices.extend(way_labels.iter().map(way_choice));
    let mut screen = screen_with_prompt(&prompt);
    let page = draw_boxed_text(&mut screen, 80, 30);
    assert!(
        way_labels.iter().all(|label| page.contains(label.trim_start_matches("The "))),
        "{page}"
    );
    let first_row = page.lines().position(|row| row.contains("b) Back: ")).unwrap();
    assert!(page.lines().nth(first_row + 1).unwrap().contains("e) old causeway stones"), "{page}");
    assert_eq!(type_keys(&mut screen, "e"), choice_answer(way_labels[2]));
    // In a fight round and in a small window there is only one row.
    prompt.repeats = true;
    assert!(draw_boxed_text(&mut screen_with_prompt(&prompt), 80, 30).contains('…'));
}

#[test]
fn arrows_and_enter_reach_every_choice() {
    let mut reached_ids = Vec::new();
    for down_presses in 0..8 {
        for extra_down_presses in 0..2 {
            let mut screen = screen_with_prompt(&quay_prompt());
            for _ in 0..down_presses {
                press_key(&mut screen, KeyCode::Down);
            }
            let mut answer = press_key(&mut screen, KeyCode::Enter);
            for _ in 0..extra_down_presses {
                press_key(&mut screen, KeyCode::Down);
            }
            answer = answer.or_else(|| press_key(&mut screen, KeyCode::Enter));
            if let Some(Answer::Input(input)) = answer
                && let Input::Choice(id) = input.into_input()
            {
                reached_ids.push(id);
            }
        }
    }
    for id in ["row", "ring", "wait", "rope", "slip", "bar", "burn", "oars"] {
        assert!(reached_ids.iter().any(|reached_id| reached_id == id), "{id}: {reached_ids:?}");
    }
}

#[test]
fn a_removed_choice_leaves_a_gap_in_the_keys() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    assert_eq!(type_keys(&mut screen, "2"), choice_answer("ring"));
    let mut shorter_prompt = ferry_prompt();
    shorter_prompt.choices.remove(1);
    screen.show_prompt(&shorter_prompt, &sample_view());
    assert_eq!(type_keys(&mut screen, "2"), None, "a repeated key takes nothing else");
    assert_eq!(type_keys(&mut screen, "3"), choice_answer("wait"));
    // In another place a repeated choice has its key.
    let view = View { title: "The other side".to_owned(), ..sample_view() };
    screen.show_prompt(&shorter_prompt, &view);
    assert_eq!(type_keys(&mut screen, "3"), choice_answer("wait"));
}

#[test]
fn the_first_key_request_wins_and_player_keys_override() {
    let mut prompt = ferry_prompt();
    prompt.choices[0].preferred_key = Some('r');
    prompt.choices[1].preferred_key = Some('r');
    assert_eq!(type_keys(&mut screen_with_prompt(&prompt), "r"), choice_answer("row"));
    assert_eq!(type_keys(&mut screen_with_prompt(&prompt), "s"), choice_answer("ring"));
    let (keymap, _) = Keymap::parse("sheet = \"r\"\n", "keys.toml");
    let mut screen = Screen::new(Theme::from_palette(Palette::None)).with_keymap(keymap);
    screen.show_prompt(&prompt, &sample_view());
    assert_eq!(type_keys(&mut screen, "s"), choice_answer("row"));
}

#[test]
fn a_confirmation_is_not_answered_by_a_repeated_key() {
    let mut screen = screen_with_prompt(&quay_prompt());
    assert_eq!(type_keys(&mut screen, "4444"), None);
    snapshot!("groups_sure_80x24", draw_boxed_text(&mut screen, 80, 24));
    assert_eq!(type_keys(&mut screen, "y"), choice_answer("burn"));
    let mut screen = screen_with_prompt(&quay_prompt());
    for _ in 0..3 {
        press_key(&mut screen, KeyCode::Down);
    }
    for _ in 0..5 {
        assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    }
}

#[test]
fn a_key_without_effect_is_reported_once() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    type_keys(&mut screen, "z");
    assert!(
        draw_boxed_text(&mut screen, 80, 24).contains("z does nothing here; ? lists the keys.")
    );
    type_keys(&mut screen, "z");
    assert!(!draw_boxed_text(&mut screen, 80, 24).contains("does nothing here"));
}

/// The plain front end's response to lines, and its answer.
fn plain_output_and_answer(prompt: &Prompt, input_lines: &str) -> (String, Answer) {
    let line_reader = LineReader::from_terminal(std::io::Cursor::new(input_lines.to_owned()));
    let mut frontend = PlainText::new(line_reader, Vec::new(), 80);
    let answer = frontend.ask_prompt(prompt, &sample_view()).unwrap();
    (String::from_utf8(frontend.into_output()).unwrap(), answer)
}

#[test]
fn a_practice_run_needs_no_confirmation() {
    let expected_answer = Answer::Input(accepted(Input::Choice("burn".to_owned())));
    let mut screen = screen_with_prompt(&quay_prompt());
    screen.set_run_label("Practice, earns nothing", true);
    assert_eq!(type_keys(&mut screen, "4"), choice_answer("burn"));
    let line_reader = LineReader::from_terminal(std::io::Cursor::new("burn the\n".to_owned()));
    let mut frontend = PlainText::new(line_reader, Vec::new(), 80);
    frontend.set_run_label("Practice, earns nothing", true).unwrap();
    assert_eq!(frontend.ask_prompt(&quay_prompt(), &sample_view()).unwrap(), expected_answer);
}

#[test]
fn plain_text_lists_submenus_and_asks_for_confirmation() {
    let (output, _) = plain_output_and_answer(&quay_prompt(), "brief\nfull\n");
    snapshot!("groups_plain", output);
    let choice_answer_for = |id: &str| Answer::Input(accepted(Input::Choice(id.to_owned())));
    for (input_lines, id) in [
        ("sand bar\n", "bar"),
        ("the far lamp\n", "row"),
        ("a rope\n", "rope"),
        ("burn it\nthe boat\nyes\n", "burn"),
        ("burn the\nwait\n", "wait"),
        ("burn\n", "burn"),
    ] {
        assert_eq!(
            plain_output_and_answer(&quay_prompt(), input_lines).1,
            choice_answer_for(id),
            "{input_lines}"
        );
    }
}

#[test]
fn brief_mode_names_a_choice_once_and_then_numbers_it() {
    let brief_preferences = Preferences { uses_brief_text: Some(true), ..Preferences::default() };
    let brief_output = |input_lines: &str, prompts: &[Prompt]| {
        let mut frontend = PlainText::new(
            LineReader::from_terminal(std::io::Cursor::new(input_lines.to_owned())),
            Vec::new(),
            200,
        );
        frontend.apply_preferences(&brief_preferences);
        prompts
            .iter()
            .for_each(|prompt| drop(frontend.ask_prompt(prompt, &sample_view()).unwrap()));
        String::from_utf8(frontend.into_output()).unwrap()
    };
    let mut longer_prompt = quay_prompt();
    let bag_group = choice_group("Bag", 20, Some('i'));
    longer_prompt.choices.push(Choice { group: bag_group, ..choice("tin", "Open the tin") });
    let count_name = |output: &str, name: &str| output.matches(name).count();
    let output_of_same_prompt = brief_output("wait\nwait\n", &[quay_prompt(), quay_prompt()]);
    let output_of_longer_prompt = brief_output("wait\nwait\n", &[quay_prompt(), longer_prompt]);
    for name in ["The slip", "The sand bar", "Bend the rope", "Ship the oars"] {
        assert_eq!(count_name(&output_of_same_prompt, name), 1, "{output_of_same_prompt}");
    }
    assert_eq!(
        (
            count_name(&output_of_longer_prompt, "Open the tin"),
            count_name(&output_of_longer_prompt, "The slip")
        ),
        (1, 1),
        "{output_of_longer_prompt}"
    );
    // A prompt that returns each round hides no new choice either.
    let mut round = quay_prompt();
    round.repeats = true;
    let output_of_round = brief_output("wait\nwait\n", &[round.clone(), round]);
    for name in ["The slip", "The sand bar", "Bend the rope", "Ship the oars"] {
        assert_eq!(count_name(&output_of_round, name), 1, "{output_of_round}");
    }
    // `again` prints the names again.
    let output_with_again = brief_output("wait\nagain\nwait\n", &[quay_prompt(), quay_prompt()]);
    assert_eq!(count_name(&output_with_again, "The slip"), 2, "{output_with_again}");
}

#[test]
fn a_fully_typed_label_selects_its_choice() {
    let mut prompt = ferry_prompt();
    prompt.choices = vec![
        choice("haste", "Watch the flock while she sleeps, in haste"),
        choice("watch", "Watch the flock while she sleeps"),
    ];
    let choice_answer_for = |id: &str| Answer::Input(accepted(Input::Choice(id.to_owned())));
    for (input_lines, id) in [
        ("Watch the flock while she sleeps\n", "watch"),
        ("watch the FLOCK while she sleeps\n", "watch"),
        ("watch the flock while she sleeps,\n", "haste"),
        ("watch\n2\n", "watch"),
    ] {
        assert_eq!(
            plain_output_and_answer(&prompt, input_lines).1,
            choice_answer_for(id),
            "{input_lines}"
        );
    }
}

#[test]
fn choice_numbers_stay_while_the_prompt_is_repeated() {
    let line_reader = LineReader::from_terminal(std::io::Cursor::new("2\n3\n".to_owned()));
    let mut frontend = PlainText::new(line_reader, Vec::new(), 80);
    frontend.ask_prompt(&ferry_prompt(), &sample_view()).unwrap();
    let mut shorter_prompt = ferry_prompt();
    shorter_prompt.choices.remove(1);
    let answer = frontend.ask_prompt(&shorter_prompt, &sample_view()).unwrap();
    assert_eq!(answer, Answer::Input(accepted(Input::Choice("wait".to_owned()))));
}

/// Actions and ways on; both collapse where there are many.
fn many_choices(way_count: usize) -> Prompt {
    let collapsing_group = |name: &str, order, key| {
        let base_group = choice_group(name, order, None).unwrap();
        Some(Arc::new(ChoiceGroup { collapses: true, preferred_key: key, ..(*base_group).clone() }))
    };
    let (actions_group, ways_group) =
        (collapsing_group("Here", 10, None), collapsing_group("Ways", 20, Some('w')));
    let mut prompt = ferry_prompt();
    prompt.choices.clear();
    prompt.text.clear();
    for number in 0..4 {
        let disabled_because = (number == 1 || number == 2).then(|| "it rains".to_owned());
        let base_choice = choice(&format!("do{number}"), &format!("Do {number}"));
        prompt.choices.push(Choice {
            group: actions_group.clone(),
            disabled_because,
            ..base_choice
        });
    }
    for number in 0..way_count {
        let base_choice = choice(&format!("way{number}"), &format!("Way {number}"));
        prompt.choices.push(Choice { group: ways_group.clone(), ..base_choice });
    }
    prompt
}

#[test]
fn groups_collapse_when_many_choices_disabled_choices_first() {
    let layout_of = |way_count| {
        let layout = ChoiceLayout::from_prompt(&many_choices(way_count));
        let submenu_texts: Vec<String> = layout
            .submenus
            .iter()
            .map(|page| format!("{} {:?}", page.name, page.choices))
            .collect();
        (layout.top_level, submenu_texts.join("; "))
    };
    assert_eq!(layout_of(3), ((0..7).collect(), String::new()));
    assert_eq!(layout_of(4), (vec![0, 3, 4, 5, 6, 7], "Here [1, 2]".to_owned()));
    assert_eq!(layout_of(6), (vec![0, 3], "Here [1, 2]; Ways [4, 5, 6, 7, 8, 9]".to_owned()));
    // A collapsed choice keeps its key, and it works where the row shows it.
    let mut screen = screen_with_prompt(&many_choices(3));
    drop(draw_frame(&mut screen, 80, 24));
    assert_eq!(type_keys(&mut screen, "7"), choice_answer("way2"));
    screen.show_prompt(&many_choices(6), &sample_view());
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("w) Ways: 5) 0, 6) 1, 7) 2"), "{page}");
    assert_eq!(type_keys(&mut screen, "7"), choice_answer("way2"));
}

#[test]
fn a_submenu_row_acts_on_its_named_keys_or_shows_a_count() {
    let mut prompt = quay_prompt();
    for choice in &mut prompt.choices {
        choice.label = format!("{} of the old ferry", choice.label);
    }
    let mut screen = screen_with_prompt(&prompt);
    drop(draw_frame(&mut screen, 60, 18));
    press_key(&mut screen, KeyCode::PageDown);
    let page = draw_boxed_text(&mut screen, 60, 18);
    assert!(page.contains("b) Back: a) slip of the old ferry, … (1)"), "{page}");
    assert_eq!(type_keys(&mut screen, "d"), None);
    assert_eq!(type_keys(&mut screen, "bd"), choice_answer("bar"));
    // No name is shortened; their common prefix is dropped.
    prompt.choices.truncate(7);
    prompt.choices.remove(4);
    for choice in &mut prompt.choices {
        choice.label = format!("The pack of {} the Elder of the Ferry", choice.id);
    }
    let mut screen = screen_with_prompt(&prompt);
    drop(draw_frame(&mut screen, 64, 18));
    press_key(&mut screen, KeyCode::PageDown);
    let page = draw_boxed_text(&mut screen, 64, 18);
    assert!(page.contains("b) Back: a) slip the Elder of the Ferry, … (1)"), "{page}");
}

#[test]
fn a_repeated_choice_gets_its_key_again() {
    let bag_group = choice_group("Bag", 20, Some('i'));
    let prompt_of = |scene: &str, rounds, ids: &[&str]| {
        let mut prompt = ferry_prompt();
        (prompt.scene, prompt.repeats) = (scene.to_owned(), rounds);
        prompt.choices = ids
            .iter()
            .map(|id| Choice {
                group: bag_group.clone().filter(|_| id.starts_with("bag")),
                ..choice(id, id)
            })
            .collect();
        prompt
    };
    let mut keys = ChoiceKeys::default();
    let mut assign_keys = |prompt: &Prompt, title: &str| {
        keys.assign_keys(prompt, title, &ChoiceLayout::from_prompt(prompt), &|key| key != 'x')
    };
    let keys_at_a = assign_keys(&prompt_of("at:a", false, &["row", "sing", "bag1", "bag2"]), "A");
    assert_eq!(keys_at_a.submenu_choices, [[Some('a'), Some('b')]]);
    // Elsewhere there are fewer choices, and the same ones have the same keys.
    let keys_at_b = assign_keys(&prompt_of("at:b", false, &["row", "bag2"]), "B");
    assert_eq!(
        (keys_at_b.top_level, keys_at_b.submenu_choices),
        (vec![Some('1')], vec![vec![Some('b')]])
    );
    let keys_in_fight = assign_keys(&prompt_of("at:c", true, &["hit1", "hit2", "run"]), "C");
    assert_eq!(keys_in_fight.top_level, [Some('1'), Some('2'), Some('3')]);
    let keys_later_in_fight = assign_keys(&prompt_of("at:c", true, &["run", "hit2"]), "D");
    assert_eq!(keys_later_in_fight.top_level, [Some('3'), Some('2')]);
    // Back at a place, the remaining choices have their keys.
    let keys_back_at_a = assign_keys(&prompt_of("at:a", false, &["sing", "row"]), "A");
    assert_eq!(keys_back_at_a.top_level, [Some('2'), Some('1')]);
    // A new one gets a key that nothing there ever had.
    let keys_with_new_choice = assign_keys(&prompt_of("at:a", false, &["dive", "sing"]), "A");
    assert_eq!(keys_with_new_choice.top_level, [Some('3'), Some('2')]);
    let host_keys = assign_keys(&prompt_of("host:title", false, &["sing", "row"]), "A");
    assert_eq!(host_keys.top_level, [Some('1'), Some('2')]);
}

#[test]
fn another_list_at_a_place_begins_with_1_and_no_letter_stands_in_both_cases() {
    let mut keys = ChoiceKeys::default();
    let mut assign_keys = |ids: &[&str]| {
        let mut prompt = ferry_prompt();
        prompt.scene = "ferry:talk".to_owned();
        prompt.choices = ids.iter().map(|id| choice(id, id)).collect();
        prompt.choices.push(Choice { is_back_choice: true, ..choice("leave", "Leave") });
        let layout = ChoiceLayout::from_prompt(&prompt);
        keys.assign_keys(&prompt, "A", &layout, &|key| key != 'x').top_level
    };
    assert_eq!(assign_keys(&["ask", "pay"]), [Some('1'), Some('2'), Some('0')]);
    // What was taken leaves its key free while the list goes on.
    assert_eq!(assign_keys(&["pay", "thank"]), [Some('2'), Some('3'), Some('0')]);
    // Somebody else is spoken to: nothing but the way back is the same.
    assert_eq!(assign_keys(&["greet", "warn"]), [Some('1'), Some('2'), Some('0')]);
    let mut capital_prompt = ferry_prompt();
    capital_prompt.choices =
        (0..12).map(|number| choice(&format!("way{number}"), "A way")).collect();
    capital_prompt.choices[0].preferred_key = Some('B');
    let layout = ChoiceLayout::from_prompt(&capital_prompt);
    let capital_keys = ChoiceKeys::default()
        .assign_keys(&capital_prompt, "B", &layout, &|key| key != 'x')
        .top_level;
    assert!(capital_keys.contains(&Some('a')) && !capital_keys.contains(&Some('b')));
    let many: Vec<String> = (0..36).map(|number| format!("choice{number}")).collect();
    let many: Vec<&str> = many.iter().map(|id| &**id).collect();
    let letters: Vec<char> = assign_keys(&many[..34]).into_iter().flatten().collect();
    let in_both_cases = letters
        .iter()
        .filter(|key| key.is_uppercase() && letters.contains(&key.to_ascii_lowercase()));
    // Nine digits and 25 letters are enough.
    assert_eq!(in_both_cases.count(), 0, "{letters:?}");
}

#[test]
fn restored_keys_assign_the_same_keys_to_the_next_prompt() {
    let groups = [choice_group("Bag", 20, Some('i')), choice_group("Spells", 30, None), None];
    let mut random = RandomSource::from_seed(5);
    let mut keys = ChoiceKeys::default();
    for _ in 0..400 {
        let mut prompt = ferry_prompt();
        prompt.scene = format!("at:{}", random.next_below(3));
        prompt.choices.clear();
        for number in 0..=random.next_below(60) {
            if random.next_below(3) > 0 {
                let id = format!("choice{number}");
                let group = groups[(number % 3) as usize].clone();
                let preferred_key = (number % 7 == 0).then_some('4');
                prompt.choices.push(Choice { group, preferred_key, ..choice(&id, &id) });
            }
        }
        let (title, layout) =
            (random.next_below(2).to_string(), ChoiceLayout::from_prompt(&prompt));
        let mut restored = ChoiceKeys::from_text(&keys.to_text()).unwrap();
        let assigned_keys = keys.assign_keys(&prompt, &title, &layout, &|key| key != 'x');
        assert_eq!(
            restored.assign_keys(&prompt, &title, &layout, &|key| key != 'x'),
            assigned_keys
        );
    }
    // Keys that an older program kept, which did not know the newest prompts.
    let mut older: serde_json::Value = serde_json::from_str(&keys.to_text()).unwrap();
    assert!(older.as_object_mut().unwrap().remove("recent_keys_by_place").is_some());
    assert!(ChoiceKeys::from_text(&older.to_string()).is_some());
    let damaged = keys.to_text().replace("\"4\"", "\"\\u001b\"");
    assert!(ChoiceKeys::from_text(&damaged).is_none());
}

#[test]
fn an_item_keeps_its_key_whatever_doors_ask_for() {
    let bag_group = choice_group("Bag", 20, Some('i'));
    let prompt_of = |door_count: usize, item_ids: &[&str]| {
        let mut prompt = ferry_prompt();
        let door_choice = |number| Choice {
            preferred_key: char::from_digit(number as u32, 10),
            ..choice(&format!("door{number}"), "A door")
        };
        prompt.choices = (1..=door_count).map(door_choice).collect();
        let item_choice = |id: &&str| Choice { group: bag_group.clone(), ..choice(id, id) };
        prompt.choices.extend(item_ids.iter().map(item_choice));
        prompt
    };
    let mut keys = ChoiceKeys::default();
    let mut assign_keys = |title: &str, door_count, item_ids: &[&str]| {
        let prompt = prompt_of(door_count, item_ids);
        let assigned_keys =
            keys.assign_keys(&prompt, title, &ChoiceLayout::from_prompt(&prompt), &|key| {
                key != 'x'
            });
        assigned_keys.submenu_choices.concat()
    };
    // Doors have digits, so a lamp is never moved by them.
    for (title, door_count) in [("A", 1), ("B", 2), ("C", 1), ("D", 2)] {
        assert_eq!(assign_keys(title, door_count, &["lamp"]), [Some('a')]);
    }
    // A new choice gets a key that nothing has anywhere, so that no other needs it later.
    for (title, door_count) in [("E", 1), ("F", 3), ("G", 1)] {
        assert_eq!(assign_keys(title, door_count, &["rope", "lamp"]), [Some('b'), Some('a')]);
    }
}

/// Wares of which some stand in a submenu, and a way out.
fn shop_prompt(bag_items: &[&str], repeats: bool) -> Prompt {
    let bag_group = choice_group("Bag", 20, Some('i'));
    let mut prompt = ferry_prompt();
    prompt.repeats = repeats;
    prompt.choices = vec![
        Choice { cost: "3 bells".to_owned(), ..choice("rope", "Rope") },
        choice("look", "Look about"),
        Choice { is_back_choice: true, ..choice("leave", "Leave") },
    ];
    let item = |id: &&str| Choice { group: bag_group.clone(), ..choice(id, id) };
    prompt.choices.extend(bag_items.iter().map(item));
    prompt
}

#[test]
fn a_submenu_of_wares_stays_open_while_it_offers_any() {
    let mut screen = screen_with_prompt(&shop_prompt(&["oil", "wick"], false));
    drop(draw_frame(&mut screen, 80, 24));
    assert_eq!(type_keys(&mut screen, "ia"), choice_answer("oil"));
    screen.show_prompt(&shop_prompt(&["wick"], false), &sample_view());
    assert_eq!(type_keys(&mut screen, "b"), choice_answer("wick"));
    screen.show_prompt(&shop_prompt(&["tin"], false), &sample_view());
    // Its own entry leads out of it; then the same key leads out of the shop.
    assert_eq!(type_keys(&mut screen, "0"), None);
    assert_eq!(type_keys(&mut screen, "0"), choice_answer("leave"));
    // A choice that was taken from the row opens nothing.
    let mut screen = screen_with_prompt(&shop_prompt(&["oil", "wick"], false));
    drop(draw_frame(&mut screen, 80, 24));
    assert_eq!(type_keys(&mut screen, "a"), choice_answer("oil"));
    screen.show_prompt(&shop_prompt(&["wick"], false), &sample_view());
    assert_eq!(type_keys(&mut screen, "1"), choice_answer("rope"));
}

#[test]
fn the_focus_does_not_begin_on_a_choice_with_a_price() {
    let mut screen = screen_with_prompt(&shop_prompt(&[], false));
    assert_eq!(screen.focused_id(), Some("look"));
    let mut prompt = shop_prompt(&[], true);
    prompt.choices.truncate(1);
    screen.show_prompt(&prompt, &View::default());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("rope"));
}

#[test]
fn the_letter_of_a_submenu_goes_on_leading_to_its_choices() {
    let mut screen = screen_with_prompt(&many_choices(3));
    drop(draw_frame(&mut screen, 80, 24));
    assert_eq!(type_keys(&mut screen, "w"), None);
    assert_eq!(screen.focused_id(), Some("way0"));
    assert_eq!(type_keys(&mut screen, "w"), None);
    assert_eq!(screen.focused_id(), Some("way1"));
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("way1"));
}

#[test]
fn plain_text_goes_back_with_one_word() {
    let prompt = shop_prompt(&["oil"], false);
    let leave = Answer::Input(accepted(Input::Choice("leave".to_owned())));
    assert_eq!(plain_output_and_answer(&prompt, "back\n").1, leave);
    let (output, _) = plain_output_and_answer(&ferry_prompt(), "back\n1\n");
    assert!(output.contains("\"back\" is not one of the choices"), "{output}");
}

#[test]
fn new_choices_of_a_round_are_named_over_several_rounds() {
    let blows = choice_group("Blows", 20, Some('i'));
    let mut prompt = Prompt { repeats: true, ..ferry_prompt() };
    prompt.choices.truncate(2);
    let first_prompt = prompt.clone();
    prompt.choices.extend((1..=14).map(|number| Choice {
        group: blows.clone(),
        ..choice(&format!("blow{number}"), &format!("Blow{number} at the near oarsman"))
    }));
    let line_reader = LineReader::from_terminal(std::io::Cursor::new("1\n".repeat(15)));
    let mut frontend = PlainText::new(line_reader, Vec::new(), 200);
    frontend
        .apply_preferences(&Preferences { uses_brief_text: Some(true), ..Preferences::default() });
    frontend.ask_prompt(&first_prompt, &sample_view()).unwrap();
    for _ in 0..14 {
        frontend.ask_prompt(&prompt, &sample_view()).unwrap();
    }
    let output = String::from_utf8(frontend.into_output()).unwrap();
    for number in 1..=14 {
        assert_eq!(output.matches(&format!("Blow{number} at")).count(), 1, "{output}");
    }
    let rounds: Vec<&str> = output.split("\n> ").collect();
    assert!(rounds[1].contains(" new: again"), "{output}");
    assert!(!rounds[14].contains(" new: again"), "{output}");
    for round in &rounds[1..] {
        let words = round.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        assert!(words.count() <= 60, "{round}");
    }
}

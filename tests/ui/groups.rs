//! Groups of choices: submenus behind one key, stable keys, and confirmations.

use std::sync::Arc;

use crossterm::event::KeyCode;
use engine::protocol::{Choice, ChoiceGroup, Input, Prompt, View};
use engine::ui::choice_keys::ChoiceKeys;
use engine::ui::choice_layout::ChoiceLayout;
use engine::ui::full::{Keymap, Palette, Screen, Theme};
use engine::ui::plain::{LineReader, PlainText};
use engine::ui::{Answer, Frontend, Preferences};

use super::sample::*;

fn group(name: &str, order: i64, key: Option<char>) -> Option<Arc<ChoiceGroup>> {
    let id = format!("ferry:{}", name.to_lowercase());
    let page = key.is_some();
    Some(Arc::new(ChoiceGroup { id, name: name.to_owned(), order, page, collapses: false, key }))
}

/// A crossing with ways back and items in submenus, and a choice that needs a confirmation.
fn quay_prompt() -> Prompt {
    let back = group("Back", 10, Some('b'));
    let bag = group("Bag", 20, Some('i'));
    let mut prompt = ferry_prompt();
    prompt.choices[0].key = Some('r');
    let burn =
        Choice { confirm: "There is no other boat.".to_owned(), ..choice("burn", "Burn the boat") };
    let of = |group: &Option<Arc<ChoiceGroup>>, id: &str, label: &str| Choice {
        group: group.clone(),
        ..choice(id, label)
    };
    prompt.choices.extend([
        of(&bag, "rope", "Bend the rope"),
        of(&back, "slip", "The slip"),
        of(&back, "bar", "The sand bar"),
        burn,
        Choice { key: Some('g'), ..of(&group("Gear", 30, Some('g')), "oars", "Ship the oars") },
    ]);
    prompt
}

fn screen_with_prompt(prompt: &Prompt) -> Screen {
    let mut screen = Screen::new(Theme::of(Palette::Sixteen));
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(prompt, &sample_view());
    screen
}

#[test]
fn each_submenu_opens_with_one_key() {
    let mut screen = screen_with_prompt(&quay_prompt());
    snapshot!("groups_80x24", picture(&mut screen, 80, 24));
    snapshot!("groups_40x12", picture(&mut screen, 40, 12));
    assert_eq!(type_in(&mut screen, "b"), None);
    snapshot!("groups_page_80x24", picture(&mut screen, 80, 24));
    press(&mut screen, KeyCode::Esc);
    assert_eq!(type_in(&mut screen, "b6"), choice_answer("bar"));
    // A choice shown on the row with a key is taken by it at once; a hidden one is not.
    let shown_at = |columns, height| {
        let mut screen = screen_with_prompt(&quay_prompt());
        drop(frame(&mut screen, columns, height));
        type_in(&mut screen, "6")
    };
    assert_eq!(shown_at(80, 24), choice_answer("bar"));
    assert_eq!(type_in(&mut screen_with_prompt(&quay_prompt()), "6"), None);
    assert_eq!(type_in(&mut screen_with_prompt(&quay_prompt()), "r"), choice_answer("row"));
    // A single entry that requests the submenu's own key gets it.
    assert_eq!(type_in(&mut screen_with_prompt(&quay_prompt()), "g"), choice_answer("oars"));
}

#[test]
fn disabled_choices_of_a_submenu_are_bracketed_on_its_row() {
    let mut prompt = quay_prompt();
    let open = picture(&mut screen_with_prompt(&prompt), 80, 24);
    assert!(open.contains("sand bar") && !open.contains("(sand bar)"), "{open}");
    for choice in &mut prompt.choices {
        let closed = ["rope", "bar", "oars"].contains(&&*choice.id);
        choice.disabled_because = closed.then(|| "it rains".to_owned());
    }
    let drawn = picture(&mut screen_with_prompt(&prompt), 80, 24);
    for label in ["(Bend the rope)", "(sand bar)", "(Ship the oars)"] {
        assert!(drawn.contains(label), "{label}\n{drawn}");
    }
    assert!(!drawn.contains("(slip)"), "{drawn}");
}

#[test]
fn names_that_one_row_would_cut_stand_whole_in_two_where_rows_are_free() {
    let mut prompt = quay_prompt();
    prompt.choices.retain(|choice| choice.group.is_none());
    prompt.choices.truncate(2);
    let back = group("Back", 10, Some('b'));
    let ways =
        ["The slip below the ferry house", "The sand bar at low water", "The old causeway stones"];
    let way = |label: &&str| Choice { group: back.clone(), ..choice(label, label) };
    prompt.choices.extend(ways.iter().map(way));
    let mut screen = screen_with_prompt(&prompt);
    let drawn = picture(&mut screen, 80, 30);
    assert!(ways.iter().all(|way| drawn.contains(way.trim_start_matches("The "))), "{drawn}");
    let first = drawn.lines().position(|row| row.contains("b Back: ")).unwrap();
    assert!(drawn.lines().nth(first + 1).unwrap().contains("4 old causeway stones"), "{drawn}");
    assert_eq!(type_in(&mut screen, "4"), choice_answer(ways[2]));
    // In a fight round and in a small window there is only one row.
    prompt.rounds = true;
    assert!(picture(&mut screen_with_prompt(&prompt), 80, 30).contains('…'));
}

#[test]
fn arrows_and_enter_reach_everything() {
    let mut reached = Vec::new();
    for down in 0..8 {
        for further in 0..2 {
            let mut screen = screen_with_prompt(&quay_prompt());
            for _ in 0..down {
                press(&mut screen, KeyCode::Down);
            }
            let mut answer = press(&mut screen, KeyCode::Enter);
            for _ in 0..further {
                press(&mut screen, KeyCode::Down);
            }
            answer = answer.or_else(|| press(&mut screen, KeyCode::Enter));
            if let Some(Answer::Input(Input::Choice(id))) = answer {
                reached.push(id);
            }
        }
    }
    for id in ["row", "ring", "wait", "rope", "slip", "bar", "burn", "oars"] {
        assert!(reached.iter().any(|one| one == id), "{id}: {reached:?}");
    }
}

#[test]
fn what_is_spent_leaves_a_gap() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    assert_eq!(type_in(&mut screen, "2"), choice_answer("ring"));
    let mut less = ferry_prompt();
    less.choices.remove(1);
    screen.show_prompt(&less, &sample_view());
    assert_eq!(type_in(&mut screen, "2"), None, "a repeated key takes nothing else");
    assert_eq!(type_in(&mut screen, "3"), choice_answer("wait"));
    // In another place a repeated choice has its key.
    let view = View { title: "The other side".to_owned(), ..sample_view() };
    screen.show_prompt(&less, &view);
    assert_eq!(type_in(&mut screen, "3"), choice_answer("wait"));
}

#[test]
fn the_first_request_gets_the_key_and_the_player_overrides() {
    let mut prompt = ferry_prompt();
    prompt.choices[0].key = Some('r');
    prompt.choices[1].key = Some('r');
    assert_eq!(type_in(&mut screen_with_prompt(&prompt), "r"), choice_answer("row"));
    assert_eq!(type_in(&mut screen_with_prompt(&prompt), "s"), choice_answer("ring"));
    let (keymap, _) = Keymap::parse("sheet = \"r\"\n", "keys.toml");
    let mut screen = Screen::new(Theme::of(Palette::None)).with_keymap(keymap);
    screen.show_prompt(&prompt, &sample_view());
    assert_eq!(type_in(&mut screen, "s"), choice_answer("row"));
}

#[test]
fn a_confirmation_is_not_answered_by_a_repeated_key() {
    let mut screen = screen_with_prompt(&quay_prompt());
    assert_eq!(type_in(&mut screen, "4444"), None);
    snapshot!("groups_sure_80x24", picture(&mut screen, 80, 24));
    assert_eq!(type_in(&mut screen, "y"), choice_answer("burn"));
    let mut screen = screen_with_prompt(&quay_prompt());
    for _ in 0..3 {
        press(&mut screen, KeyCode::Down);
    }
    for _ in 0..5 {
        assert_eq!(press(&mut screen, KeyCode::Enter), None);
    }
}

#[test]
fn a_key_that_does_nothing_says_so_once() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    type_in(&mut screen, "z");
    assert!(picture(&mut screen, 80, 24).contains("z does nothing here; ? lists the keys."));
    type_in(&mut screen, "z");
    assert!(!picture(&mut screen, 80, 24).contains("does nothing here"));
}

/// The plain front end's response to lines, and its answer.
fn plain_answer(prompt: &Prompt, typed: &str) -> (String, Answer) {
    let lines = LineReader::from_terminal(std::io::Cursor::new(typed.to_owned()));
    let mut voice = PlainText::new(lines, Vec::new(), 80);
    let answer = voice.ask_prompt(prompt, &sample_view()).unwrap();
    (String::from_utf8(voice.into_output()).unwrap(), answer)
}

#[test]
fn a_practice_run_asks_for_no_confirmation() {
    let burn = Answer::Input(Input::Choice("burn".to_owned()));
    let mut screen = screen_with_prompt(&quay_prompt());
    screen.set_run_label("Practice, earns nothing", true);
    assert_eq!(type_in(&mut screen, "4"), choice_answer("burn"));
    let lines = LineReader::from_terminal(std::io::Cursor::new("burn the\n".to_owned()));
    let mut voice = PlainText::new(lines, Vec::new(), 80);
    voice.set_run_label("Practice, earns nothing", true).unwrap();
    assert_eq!(voice.ask_prompt(&quay_prompt(), &sample_view()).unwrap(), burn);
}

#[test]
fn the_plain_voice_tells_pages_on_a_line_and_asks_as_often() {
    let (told, _) = plain_answer(&quay_prompt(), "brief\nfull\n");
    snapshot!("groups_plain", told);
    let input = |id: &str| Answer::Input(Input::Choice(id.to_owned()));
    for (typed, id) in [
        ("sand bar\n", "bar"),
        ("the far lamp\n", "row"),
        ("a rope\n", "rope"),
        ("burn it\nthe boat\nyes\n", "burn"),
        ("burn the\nwait\n", "wait"),
        ("burn\n", "burn"),
    ] {
        assert_eq!(plain_answer(&quay_prompt(), typed).1, input(id), "{typed}");
    }
}

#[test]
fn in_brief_a_choice_is_told_by_its_name_once_and_then_by_its_number() {
    let brief = Preferences { brief: Some(true), ..Preferences::default() };
    let told = |typed: &str, prompts: &[Prompt]| {
        let mut voice = PlainText::new(
            LineReader::from_terminal(std::io::Cursor::new(typed.to_owned())),
            Vec::new(),
            200,
        );
        voice.apply_preferences(&brief);
        prompts.iter().for_each(|prompt| drop(voice.ask_prompt(prompt, &sample_view()).unwrap()));
        String::from_utf8(voice.into_output()).unwrap()
    };
    let mut more = quay_prompt();
    let bag = group("Bag", 20, Some('i'));
    more.choices.push(Choice { group: bag, ..choice("tin", "Open the tin") });
    let count = |told: &str, name: &str| told.matches(name).count();
    let once = told("wait\nwait\n", &[quay_prompt(), quay_prompt()]);
    let twice = told("wait\nwait\n", &[quay_prompt(), more]);
    for name in ["The slip", "The sand bar", "Bend the rope", "Ship the oars"] {
        assert_eq!(count(&once, name), 1, "{once}");
    }
    assert_eq!((count(&twice, "Open the tin"), count(&twice, "The slip")), (1, 1), "{twice}");
    // `again` prints the names again.
    let again = told("wait\nagain\nwait\n", &[quay_prompt(), quay_prompt()]);
    assert_eq!(count(&again, "The slip"), 2, "{again}");
}

#[test]
fn a_choice_that_is_typed_in_full_is_that_choice() {
    let mut prompt = ferry_prompt();
    prompt.choices = vec![
        choice("haste", "Watch the flock while she sleeps, in haste"),
        choice("watch", "Watch the flock while she sleeps"),
    ];
    let input = |id: &str| Answer::Input(Input::Choice(id.to_owned()));
    for (typed, id) in [
        ("Watch the flock while she sleeps\n", "watch"),
        ("watch the FLOCK while she sleeps\n", "watch"),
        ("watch the flock while she sleeps,\n", "haste"),
        ("watch\n2\n", "watch"),
    ] {
        assert_eq!(plain_answer(&prompt, typed).1, input(id), "{typed}");
    }
}

#[test]
fn numbers_stay_for_as_long_as_the_question_stands() {
    let lines = LineReader::from_terminal(std::io::Cursor::new("2\n3\n".to_owned()));
    let mut voice = PlainText::new(lines, Vec::new(), 80);
    voice.ask_prompt(&ferry_prompt(), &sample_view()).unwrap();
    let mut less = ferry_prompt();
    less.choices.remove(1);
    let answer = voice.ask_prompt(&less, &sample_view()).unwrap();
    assert_eq!(answer, Answer::Input(Input::Choice("wait".to_owned())));
}

/// Actions and ways on; both collapse where there are many.
fn many_choices(ways: usize) -> Prompt {
    let folds = |name: &str, order, key| {
        let of = group(name, order, None).unwrap();
        Some(Arc::new(ChoiceGroup { collapses: true, key, ..(*of).clone() }))
    };
    let (here, on) = (folds("Here", 10, None), folds("Ways", 20, Some('w')));
    let mut prompt = ferry_prompt();
    prompt.choices.clear();
    prompt.text.clear();
    for at in 0..4 {
        let closed = (at == 1 || at == 2).then(|| "it rains".to_owned());
        let one = choice(&format!("do{at}"), &format!("Do {at}"));
        prompt.choices.push(Choice { group: here.clone(), disabled_because: closed, ..one });
    }
    for at in 0..ways {
        let one = choice(&format!("way{at}"), &format!("Way {at}"));
        prompt.choices.push(Choice { group: on.clone(), ..one });
    }
    prompt
}

#[test]
fn groups_collapse_where_there_are_many_choices_and_disabled_ones_first() {
    let laid = |ways| {
        let laid = ChoiceLayout::of(&many_choices(ways));
        let pages: Vec<String> =
            laid.submenus.iter().map(|page| format!("{} {:?}", page.name, page.choices)).collect();
        (laid.top_level, pages.join("; "))
    };
    assert_eq!(laid(3), ((0..7).collect(), String::new()));
    assert_eq!(laid(4), (vec![0, 3, 4, 5, 6, 7], "Here [1, 2]".to_owned()));
    assert_eq!(laid(6), (vec![0, 3], "Here [1, 2]; Ways [4, 5, 6, 7, 8, 9]".to_owned()));
    // A collapsed choice keeps its key, and it works where the row shows it.
    let mut screen = screen_with_prompt(&many_choices(3));
    drop(frame(&mut screen, 80, 24));
    assert_eq!(type_in(&mut screen, "7"), choice_answer("way2"));
    screen.show_prompt(&many_choices(6), &sample_view());
    let page = picture(&mut screen, 80, 24);
    assert!(page.contains("w Ways: 5 0, 6 1, 7 2"), "{page}");
    assert_eq!(type_in(&mut screen, "7"), choice_answer("way2"));
}

#[test]
fn a_row_acts_on_the_keys_that_it_names_and_brackets_count() {
    let mut prompt = quay_prompt();
    for choice in &mut prompt.choices {
        choice.label = format!("{} of the old ferry", choice.label);
    }
    let mut screen = screen_with_prompt(&prompt);
    let page = picture(&mut screen, 60, 18);
    assert!(page.contains("b Back (2)") && !page.contains("The slip of"), "{page}");
    assert_eq!(type_in(&mut screen, "6"), None);
    assert_eq!(type_in(&mut screen, "b6"), choice_answer("bar"));
    // Where shortened names fit, they are shortened; their common prefix is dropped.
    prompt.choices.truncate(7);
    prompt.choices.remove(4);
    for choice in &mut prompt.choices {
        choice.label = format!("The pack of {} the Elder of the Ferry", choice.id);
    }
    let page = picture(&mut screen_with_prompt(&prompt), 64, 18);
    let row = page.lines().find(|row| row.contains("b Back:")).unwrap();
    assert!(row.contains("4 slip the") && row.contains("5 bar the") && row.contains('…'), "{page}");
}

#[test]
fn what_is_met_again_has_its_key_again() {
    let bag = group("Bag", 20, Some('i'));
    let asked = |scene: &str, rounds, ids: &[&str]| {
        let mut prompt = ferry_prompt();
        (prompt.scene, prompt.rounds) = (scene.to_owned(), rounds);
        prompt.choices = ids
            .iter()
            .map(|id| Choice {
                group: bag.clone().filter(|_| id.starts_with("bag")),
                ..choice(id, id)
            })
            .collect();
        prompt
    };
    let mut keys = ChoiceKeys::default();
    let mut give = |prompt: &Prompt, title: &str| {
        keys.assign(prompt, title, &ChoiceLayout::of(prompt), &|key| key != 'x')
    };
    let here = give(&asked("at:a", false, &["row", "sing", "bag1", "bag2"]), "A");
    assert_eq!(here.in_submenus, [[Some('3'), Some('4')]]);
    // Elsewhere there are fewer choices, and the same ones have the same keys.
    let there = give(&asked("at:b", false, &["row", "bag2"]), "B");
    assert_eq!((there.top_level, there.in_submenus), (vec![Some('1')], vec![vec![Some('4')]]));
    let round = give(&asked("at:c", true, &["hit1", "hit2", "run"]), "C");
    assert_eq!(round.top_level, [Some('1'), Some('2'), Some('3')]);
    let later = give(&asked("at:c", true, &["run", "hit2"]), "D");
    assert_eq!(later.top_level, [Some('3'), Some('2')]);
    // Back at a place, the remaining choices have their keys.
    let back = give(&asked("at:a", false, &["sing", "row"]), "A");
    assert_eq!(back.top_level, [Some('2'), Some('1')]);
    // A new one gets a key that nothing there ever had.
    let more = give(&asked("at:a", false, &["dive", "sing"]), "A");
    assert_eq!(more.top_level, [Some('5'), Some('2')]);
    let host = give(&asked("host:title", false, &["sing", "row"]), "A");
    assert_eq!(host.top_level, [Some('1'), Some('2')]);
}

#[test]
fn a_carried_thing_keeps_its_key_where_another_had_it_for_once() {
    let bag = group("Bag", 20, Some('i'));
    let asked = |doors: usize, carried: &[&str]| {
        let mut prompt = ferry_prompt();
        let door = |at| Choice {
            key: char::from_digit(at as u32, 10),
            ..choice(&format!("door{at}"), "A door")
        };
        prompt.choices = (1..=doors).map(door).collect();
        let thing = |id: &&str| Choice { group: bag.clone(), ..choice(id, id) };
        prompt.choices.extend(carried.iter().map(thing));
        prompt
    };
    let mut keys = ChoiceKeys::default();
    let mut give = |title: &str, doors, carried: &[&str]| {
        let prompt = asked(doors, carried);
        let given = keys.assign(&prompt, title, &ChoiceLayout::of(&prompt), &|key| key != 'x');
        given.in_submenus.concat()
    };
    assert_eq!(give("A", 1, &["lamp"]), [Some('2')]);
    // A door has it here.
    assert_eq!(give("B", 2, &["lamp"]), [Some('3')]);
    assert_eq!(give("C", 1, &["lamp"]), [Some('2')]);
    assert_eq!(give("D", 2, &["lamp"]), [Some('3')]);
    // A new choice gets a key that nothing has anywhere, so that no other needs it later.
    assert_eq!(give("E", 1, &["rope", "lamp"]), [Some('4'), Some('2')]);
    assert_eq!(give("F", 3, &["rope", "lamp"]), [Some('4'), Some('5')]);
    assert_eq!(give("G", 1, &["rope", "lamp"]), [Some('4'), Some('2')]);
}

//! Forms: choices set their rows, with arrows on the screen or with a typed line. Each step is an
//! ordinary answer.

use crossterm::event::KeyCode;
use engine::protocol::view::{FormRow, PlacedWidget, Stepper, Widget, WidgetSlot};
use engine::protocol::{AnswerType, Choice, Input, Prompt, View};
use engine::ui::form::split_prompt;
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::{choice, choice_answer, picture, press};

/// Oars and lamps, at most three of each and five together; and the rower.
fn form_prompt(oars: i64, lamps: i64, who: &str) -> (Prompt, View) {
    let step = |id: &str, closed: Option<&str>| Choice {
        disabled_because: closed.map(str::to_owned),
        ..choice(id, id)
    };
    let least = |value: i64| (value <= 0).then_some("none is the least");
    let most = |value: i64| (value >= 3).then_some("three are the most");
    let prompt = Prompt {
        scene: "ferry:outfit".to_owned(),
        rounds: false,
        text: "What goes along?".to_owned(),
        ask: AnswerType::One,
        choices: vec![
            choice("done", "Push off"),
            step("oars-", least(oars)),
            step("oars+", most(oars)),
            step("lamps-", least(lamps)),
            step("lamps+", most(lamps)),
            choice("ann", "The ferryman's Ann"),
            choice("bea", "Bea"),
        ],
    };
    let stepper = |name: &str, value| FormRow {
        label: capital(name),
        note: format!("each {name} is a wave less"),
        stepper: Some(Stepper { value, less: format!("{name}-"), more: format!("{name}+") }),
        ..FormRow::default()
    };
    let rows = vec![
        stepper("oars", oars),
        stepper("lamps", lamps),
        FormRow {
            label: "At the oar".to_owned(),
            choices: vec!["ann".to_owned(), "bea".to_owned()],
            selected: who.to_owned(),
            ..FormRow::default()
        },
    ];
    let form = Widget::Form { label: "The outfit".to_owned(), rows };
    let widgets = vec![PlacedWidget { slot: WidgetSlot::Optional, widget: form }];
    (prompt, View { title: "The slip".to_owned(), widgets })
}

fn capital(name: &str) -> String {
    format!("{}{}", name[..1].to_uppercase(), &name[1..])
}

#[test]
fn rows_are_set_with_arrows_and_keep_the_focus() {
    let mut screen = Screen::new(Theme::of(Palette::None));
    let (prompt, view) = form_prompt(1, 2, "bea");
    screen.show_prompt(&prompt, &view);
    let page = picture(&mut screen, 80, 24);
    assert!(page.contains("> Oars") && page.contains("−  1 +") && page.contains("[Bea]"), "{page}");
    assert!(!page.contains("oars+"), "what the form shows is not in the list: {page}");
    let ways = split_prompt(&prompt, &view).1.unwrap().example_lines();
    assert_eq!(ways, ["oars +1", "lamps +1", "at the oar the ferryman's ann"]);
    assert_eq!(press(&mut screen, KeyCode::Right), choice_answer("oars+"));
    let (prompt, view) = form_prompt(3, 2, "bea");
    screen.show_prompt(&prompt, &view);
    assert_eq!(press(&mut screen, KeyCode::Right), None);
    let page = picture(&mut screen, 80, 24);
    assert!(page.contains("three are the most"), "{page}");
    assert_eq!(press(&mut screen, KeyCode::Char('-')), choice_answer("oars-"));
    press(&mut screen, KeyCode::Down);
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Left), None);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("ann"));
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("done"));
    press(&mut screen, KeyCode::Up);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("bea"), "back where it is set");
    for (columns, rows) in [(40, 12), (64, 14), (120, 36)] {
        let page = picture(&mut screen, columns, rows);
        assert!(page.contains("At the oar") && page.contains("Push off"), "{page}");
    }
}

#[test]
fn a_row_is_set_by_what_it_says_of_itself() {
    let content = crate::bundled::content("sub_rosa", &[]);
    let (session, _) = crate::bundled::begin(&content, 5, &[], engine::base::Value::map());
    let form = split_prompt(session.prompt(), session.view()).1.unwrap();
    for row in &form.rows {
        let engine::ui::form::FieldControl::Select { choices, .. } = &row.control else { continue };
        for choice in
            choices.iter().filter(|one| one.disabled_because.is_none() && !one.note.is_empty())
        {
            let said = choice.note.split([',', ';', '.']).next().unwrap();
            let (_, input) =
                form.parse_row_line(&format!("{} {said}", row.label), "").unwrap().unwrap();
            let first = choices.iter().find(|one| one.note.starts_with(said)).unwrap();
            assert_eq!(input, Input::Choice(first.id.clone()), "{} {said}", row.label);
        }
    }
}

#[test]
fn a_line_sets_a_row_with_as_many_answers_as_it_takes() {
    let (prompt, view) = form_prompt(0, 2, "bea");
    let (rest, form) = split_prompt(&prompt, &view);
    assert_eq!(rest.choices.len(), 1);
    let form = form.unwrap();
    let (setting, first) = form.parse_row_line("oars 2", "ferry:outfit").unwrap().unwrap();
    assert_eq!(first, Input::Choice("oars+".to_owned()));
    let (prompt, view) = form_prompt(1, 2, "bea");
    let form = split_prompt(&prompt, &view).1.unwrap();
    let (setting, next) = setting.unwrap().next_step(&prompt, &form).unwrap();
    assert_eq!(next, Input::Choice("oars+".to_owned()));
    let (prompt, view) = form_prompt(2, 2, "bea");
    let form = split_prompt(&prompt, &view).1.unwrap();
    assert!(setting.next_step(&prompt, &form).is_none(), "it is set");
    let read = |line: &str| form.parse_row_line(line, "ferry:outfit");
    let input = |id: &str| Input::Choice(id.to_owned());
    assert_eq!(read("LAMPS +1").unwrap().unwrap().1, input("lamps+"));
    assert_eq!(read("lamps -1").unwrap().unwrap().1, input("lamps-"));
    assert_eq!(read("at the oar ferryman").unwrap().unwrap().1, input("ann"));
    // A choice of a row is known by its name alone if the name is unique.
    assert_eq!(read("ferryman's Ann").unwrap().unwrap().1, input("ann"));
    assert_eq!(read("bea").unwrap().unwrap().1, input("bea"));
    assert!(read("be").is_none() && read("the").is_none());
    assert!(read("oars two").is_none() && read("sails 2").is_none());
    assert_eq!(read("oars 2").unwrap().unwrap_err(), "Oars is 2");
    // More than possible: it goes as far as it can, and says so.
    let (further, _) = read("oars 12").unwrap().unwrap();
    let further = further.unwrap();
    let (prompt, view) = form_prompt(3, 2, "bea");
    let most = split_prompt(&prompt, &view).1.unwrap();
    assert!(further.clone().next_step(&prompt, &most).is_none());
    let short = further.explain_shortfall(&most).unwrap();
    assert!(short.starts_with("Oars is 3 now and not 12: oars+ is closed: three are"), "{short}");
    let words = form.describe_rows();
    assert_eq!(words[0], "Oars 2 (each oars is a wave less)");
    assert!(words[2].contains("Bea (selected)") && words[3].contains("oars +1"), "{words:?}");
}

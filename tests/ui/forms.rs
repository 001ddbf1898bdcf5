//! Forms: choices set their rows, with arrows on the screen or with a typed line. Each step is an
//! ordinary answer.

use crossterm::event::KeyCode;
use protocol::view::{FormRow, PlacedWidget, Stepper, Widget, WidgetSlot};
use protocol::{AnswerType, Choice, Input, Prompt, View};
use ui::form::split_off_form;
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::{choice, choice_answer, draw_boxed_text, press_key};

/// Oars and lamps, at most three of each and five together; and the rower.
fn form_prompt(oars: i64, lamps: i64, rower: &str) -> (Prompt, View) {
    let step_choice = |id: &str, disabled_because: Option<&str>| Choice {
        disabled_because: disabled_because.map(str::to_owned),
        ..choice(id, id)
    };
    let at_min_reason = |value: i64| (value <= 0).then_some("none is the least");
    let at_max_reason = |value: i64| (value >= 3).then_some("three are the most");
    let prompt = Prompt {
        scene: "ferry:outfit".to_owned(),
        repeats: false,
        text: "What goes along?".to_owned(),
        answer_type: AnswerType::SingleChoice,
        choices: vec![
            choice("done", "Push off"),
            step_choice("oars-", at_min_reason(oars)),
            step_choice("oars+", at_max_reason(oars)),
            step_choice("lamps-", at_min_reason(lamps)),
            step_choice("lamps+", at_max_reason(lamps)),
            choice("ann", "The ferryman's Ann"),
            choice("bea", "Bea"),
        ],
    };
    let stepper_row = |name: &str, value| FormRow {
        label: capitalize(name),
        note: format!("each {name} is a wave less"),
        stepper: Some(Stepper {
            value,
            decrement_choice: format!("{name}-"),
            increment_choice: format!("{name}+"),
        }),
        ..FormRow::default()
    };
    let rows = vec![
        stepper_row("oars", oars),
        stepper_row("lamps", lamps),
        FormRow {
            label: "At the oar".to_owned(),
            choices: vec!["ann".to_owned(), "bea".to_owned()],
            selected: rower.to_owned(),
            ..FormRow::default()
        },
    ];
    let form = Widget::Form { label: "The outfit".to_owned(), rows };
    let widgets = vec![PlacedWidget { slot: WidgetSlot::Optional, widget: form }];
    (prompt, View { title: "The slip".to_owned(), widgets })
}

fn capitalize(name: &str) -> String {
    format!("{}{}", name[..1].to_uppercase(), &name[1..])
}

#[test]
fn arrows_set_form_rows_and_focus_stays() {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let (prompt, view) = form_prompt(1, 2, "bea");
    screen.show_prompt(&prompt, &view);
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("> Oars") && page.contains("−  1 +") && page.contains("[Bea]"), "{page}");
    assert!(!page.contains("oars+"), "what the form shows is not in the list: {page}");
    let example_lines = split_off_form(&prompt, &view).1.unwrap().example_lines();
    assert_eq!(example_lines, ["oars +1", "lamps +1", "at the oar the ferryman's ann"]);
    assert_eq!(press_key(&mut screen, KeyCode::Right), choice_answer("oars+"));
    let (prompt, view) = form_prompt(3, 2, "bea");
    screen.show_prompt(&prompt, &view);
    assert_eq!(press_key(&mut screen, KeyCode::Right), None);
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("three are the most"), "{page}");
    assert_eq!(press_key(&mut screen, KeyCode::Char('-')), choice_answer("oars-"));
    press_key(&mut screen, KeyCode::Down);
    press_key(&mut screen, KeyCode::Down);
    assert_eq!(press_key(&mut screen, KeyCode::Left), None);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("ann"));
    press_key(&mut screen, KeyCode::Down);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("done"));
    press_key(&mut screen, KeyCode::Up);
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        choice_answer("bea"),
        "back where it is set"
    );
    for (columns, rows) in [(40, 12), (64, 14), (120, 36)] {
        let page = draw_boxed_text(&mut screen, columns, rows);
        assert!(page.contains("At the oar") && page.contains("Push off"), "{page}");
    }
}

#[test]
fn a_typed_note_selects_the_row_choice() {
    let content = crate::bundled::game_content("sub_rosa", &[]);
    let (session, _) = crate::bundled::start_session(&content, 5, &[], base::Value::map());
    let form = split_off_form(session.prompt(), session.view()).1.unwrap();
    for row in &form.rows {
        let ui::form::FieldControl::Select { choices, .. } = &row.control else { continue };
        for choice in
            choices.iter().filter(|one| one.disabled_because.is_none() && !one.note.is_empty())
        {
            let note_prefix = choice.note.split([',', ';', '.']).next().unwrap();
            let (_, input) =
                form.parse_row_line(&format!("{} {note_prefix}", row.label), "").unwrap().unwrap();
            let first = choices.iter().find(|choice| choice.note.starts_with(note_prefix)).unwrap();
            assert_eq!(input, Input::Choice(first.id.clone()), "{} {note_prefix}", row.label);
        }
    }
}

#[test]
fn a_typed_line_sets_a_row_in_several_answers() {
    let (prompt, view) = form_prompt(0, 2, "bea");
    let (remaining_prompt, form) = split_off_form(&prompt, &view);
    assert_eq!(remaining_prompt.choices.len(), 1);
    let form = form.unwrap();
    let (pending_setting, first) = form.parse_row_line("oars 2", "ferry:outfit").unwrap().unwrap();
    assert_eq!(first, Input::Choice("oars+".to_owned()));
    let (prompt, view) = form_prompt(1, 2, "bea");
    let form = split_off_form(&prompt, &view).1.unwrap();
    let (pending_setting, next) = pending_setting.unwrap().next_row_answer(&prompt, &form).unwrap();
    assert_eq!(next, Input::Choice("oars+".to_owned()));
    let (prompt, view) = form_prompt(2, 2, "bea");
    let form = split_off_form(&prompt, &view).1.unwrap();
    assert!(pending_setting.next_row_answer(&prompt, &form).is_none(), "it is set");
    let parse_line = |line: &str| form.parse_row_line(line, "ferry:outfit");
    let choice_input = |id: &str| Input::Choice(id.to_owned());
    assert_eq!(parse_line("LAMPS +1").unwrap().unwrap().1, choice_input("lamps+"));
    assert_eq!(parse_line("lamps -1").unwrap().unwrap().1, choice_input("lamps-"));
    assert_eq!(parse_line("at the oar ferryman").unwrap().unwrap().1, choice_input("ann"));
    // A choice of a row is known by its name alone if the name is unique.
    assert_eq!(parse_line("ferryman's Ann").unwrap().unwrap().1, choice_input("ann"));
    assert_eq!(parse_line("bea").unwrap().unwrap().1, choice_input("bea"));
    assert!(parse_line("be").is_none() && parse_line("the").is_none());
    assert!(parse_line("oars two").is_none() && parse_line("sails 2").is_none());
    assert_eq!(parse_line("oars 2").unwrap().unwrap_err(), "Oars is 2");
    // More than possible: it goes as far as it can, and says so.
    let (setting_beyond_max, _) = parse_line("oars 12").unwrap().unwrap();
    let setting_beyond_max = setting_beyond_max.unwrap();
    let (prompt, view) = form_prompt(3, 2, "bea");
    let form_at_max = split_off_form(&prompt, &view).1.unwrap();
    assert!(setting_beyond_max.clone().next_row_answer(&prompt, &form_at_max).is_none());
    let shortfall_text = setting_beyond_max.explain_shortfall(&form_at_max).unwrap();
    assert!(
        shortfall_text.starts_with("Oars is 3 now and not 12: oars+ is closed: three are"),
        "{shortfall_text}"
    );
    let row_descriptions = form.describe_rows();
    assert_eq!(row_descriptions[0], "Oars 2 (each oars is a wave less)");
    assert!(
        row_descriptions[2].contains("Bea (selected)") && row_descriptions[3].contains("oars +1"),
        "{row_descriptions:?}"
    );
}

//! The plain front end, with events and prompts built by hand.

use std::io::{BufReader, Cursor};

use crate::support::accepted;
use base::{Problem, SourceLocation};
use protocol::{AnswerType, Choice, Input, Prompt, StoryEntry, StoryEvent, View};
use ui::plain_text::{self, ChoiceNumbers, LineReader, ParsedLine, PlainText};
use ui::{Answer, Frontend, odds_display};

use super::sample::*;

type TestFrontend<'a> = PlainText<Cursor<&'a str>, Vec<u8>>;

/// A line as the answer to a prompt that is asked for the first time.
fn parse_first_answer(prompt: &Prompt, line: &str) -> ParsedLine {
    let mut numbers = ChoiceNumbers::default();
    numbers.assign_numbers(prompt, "");
    plain_text::parse_answer_line(prompt, &numbers, line)
}

fn frontend_with_input(input_lines: &str) -> TestFrontend<'_> {
    PlainText::new(LineReader::from_pipe(Cursor::new(input_lines)), Vec::new(), 80)
}

fn transcript(frontend: TestFrontend<'_>) -> String {
    String::from_utf8(frontend.into_output()).unwrap()
}

#[test]
fn sample_screen_matches_the_plain_transcript() {
    let mut frontend =
        frontend_with_input("help\nodds\nlook\nlook rope\nlook 2\nsheet\nmap\nfly\nwalk\nR\nri\n");
    frontend.begin_story(&[]).unwrap();
    frontend.show_events(&sample_events()).unwrap();
    let answer = frontend.ask_prompt(&ferry_prompt(), &sample_view()).unwrap();
    assert_eq!(answer, Answer::Input(accepted(Input::Choice("ring".to_owned()))));
    snapshot!(transcript(frontend));
}

#[test]
fn the_status_is_printed_when_it_changes() {
    let mut frontend = frontend_with_input("3\n3\n3\n");
    let mut view = sample_view();
    frontend.ask_prompt(&ferry_prompt(), &view).unwrap();
    frontend.ask_prompt(&ferry_prompt(), &view).unwrap();
    view.title = "The sand bar".to_owned();
    frontend.ask_prompt(&ferry_prompt(), &view).unwrap();
    let output = transcript(frontend);
    assert_eq!(output.matches("Warmth 17 of 30").count(), 2, "{output}");
}

#[test]
fn end_of_input_quits() {
    let mut frontend = frontend_with_input("help\n");
    assert_eq!(frontend.ask_prompt(&ferry_prompt(), &sample_view()).unwrap(), Answer::Quit);
}

#[test]
fn number_text_and_many_prompts_match_the_transcript() {
    let mut frontend = frontend_with_input("3, 1\nnone\n12\n4\n\n:help\n*Ann*\n");
    let mut answers = Vec::new();
    for prompt in [
        cargo_prompt(),
        cargo_prompt(),
        sample_prompt(AnswerType::Number { min: 1, max: 9, default: 5 }, "How many strokes?"),
        sample_prompt(AnswerType::Number { min: 1, max: 9, default: 5 }, "How many strokes?"),
        sample_prompt(
            AnswerType::Text { max_length: 12, default: "nobody".to_owned() },
            "Your name?",
        ),
    ] {
        answers.push(frontend.ask_prompt(&prompt, &View::default()).unwrap());
    }
    snapshot!(format!("{}\n{answers:#?}", transcript(frontend)));
}

#[test]
fn a_script_is_echoed_and_stops_at_an_invalid_line() {
    let text = "# the crossing\n\nwait\n  # and on\nswim\n";
    let reader = LineReader::from_script(Cursor::new(text), "crossing.txt");
    let mut frontend = PlainText::new(reader, Vec::new(), 80);
    let first = frontend.ask_prompt(&ferry_prompt(), &sample_view()).unwrap();
    assert_eq!(first, Answer::Input(accepted(Input::Choice("wait".to_owned()))));
    let Answer::BadScriptLine(problem) =
        frontend.ask_prompt(&ferry_prompt(), &sample_view()).unwrap()
    else {
        unreachable!("a line that answers nothing was taken");
    };
    snapshot!(format!("{}\n{problem}", transcript(frontend)));
}

#[test]
fn a_resumed_story_starts_at_its_last_heading() {
    let mut earlier_story =
        vec![StoryEvent::Heading { text: "The road".to_owned() }, say_event("Far behind.")];
    earlier_story.extend(sample_events());
    let mut earlier_story: Vec<StoryEntry> =
        earlier_story.into_iter().map(StoryEntry::Event).collect();
    earlier_story.insert(2, StoryEntry::Answer("Wait for the ferry".to_owned()));
    let mut frontend = frontend_with_input("log\nlog 1\n1\n");
    frontend.begin_story(&earlier_story).unwrap();
    frontend.ask_prompt(&ferry_prompt(), &View::default()).unwrap();
    snapshot!(transcript(frontend));
}

#[test]
fn problems_and_pages_match_the_transcript() {
    let mut frontend = frontend_with_input("");
    let location =
        SourceLocation::new("ferry", "play/crossing.luau", 12).with_excerpt("  warmth -= 3");
    let problem = Problem::error(base::Code::StateWrongValue, "warmth is a text")
        .at(location)
        .expected("a number");
    frontend.show_problem(&problem).unwrap();
    frontend.show_page(&sample_view()).unwrap();
    frontend.finish(&["The run is saved.".to_owned()]).unwrap();
    snapshot!(transcript(frontend));
}

#[test]
fn a_choice_wins_over_a_command_of_the_same_name() {
    let mut prompt = ferry_prompt();
    prompt.choices.push(choice("map", "Unroll the chart"));
    assert_eq!(
        parse_first_answer(&prompt, "map"),
        ParsedLine::Input(accepted(Input::Choice("map".to_owned())))
    );
    assert!(matches!(parse_first_answer(&prompt, ":map"), ParsedLine::Command(_)));
    assert!(matches!(parse_first_answer(&ferry_prompt(), "map"), ParsedLine::Command(_)));
    prompt.choices.push(choice("elders", "Look under the elders"));
    assert_eq!(
        parse_first_answer(&prompt, "look under"),
        ParsedLine::Input(accepted(Input::Choice("elders".to_owned())))
    );
    assert!(matches!(parse_first_answer(&prompt, "look elders"), ParsedLine::Command(_)));
    assert!(matches!(parse_first_answer(&prompt, ":look under"), ParsedLine::Command(_)));
    // So does one whose label is typed in full, not one that only begins with it.
    prompt.choices.push(choice("ashore", "Leave"));
    assert_eq!(
        parse_first_answer(&prompt, "leave"),
        ParsedLine::Input(accepted(Input::Choice("ashore".to_owned())))
    );
    assert!(matches!(parse_first_answer(&prompt, ":leave"), ParsedLine::Command(_)));
    prompt.choices.last_mut().unwrap().label = "Leave the boat".to_owned();
    assert!(matches!(parse_first_answer(&prompt, "leave"), ParsedLine::Command(_)));
    // An id, which nobody sees, is no answer of somebody who may want to leave the run.
    prompt.choices.last_mut().unwrap().id = "leave".to_owned();
    assert!(matches!(parse_first_answer(&prompt, "leave"), ParsedLine::Input(_)), "in a script");
    let lines = LineReader::from_terminal(Cursor::new("leave\n:leave\n"));
    let mut frontend = PlainText::new(lines, Vec::new(), 80);
    assert_eq!(frontend.ask_prompt(&prompt, &sample_view()).unwrap(), Answer::Leave);
    assert!(transcript(frontend).contains("\"Leave the boat\" or the command"));
    assert!(matches!(parse_first_answer(&prompt, ":leave"), ParsedLine::Command(_)));
}

#[test]
fn every_enabled_choice_is_taken_by_number_id_or_label() {
    let prompt = ferry_prompt();
    for (index, choice) in prompt.choices.iter().enumerate() {
        let number = (index + 1).to_string();
        for word in [number.as_str(), choice.id.as_str(), choice.label.as_str()] {
            match (&choice.disabled_because, parse_first_answer(&prompt, word)) {
                (None, ParsedLine::Input(input)) => {
                    assert_eq!(input, Input::Choice(choice.id.clone()));
                }
                (Some(_), ParsedLine::Rejected(reason)) => {
                    assert!(reason.contains("under water"), "{reason}")
                }
                (_, other) => unreachable!("{word}: {other:?}"),
            }
        }
    }
}

#[test]
fn percentages_sum_to_100_and_hide_no_outcome() {
    for cases in [
        vec![6, 5, 8, 1],
        vec![1, 1, 1],
        vec![1, 399],
        vec![1, 9_999],
        vec![0, 0],
        vec![u64::MAX, 1],
        vec![33, 33, 34],
    ] {
        let sample_odds = odds_of_cases("", &cases);
        let shares = odds_display::apportion(&cases, 1000);
        let total: u64 = shares.iter().sum();
        assert!(total == 1000 || cases.iter().all(|count| *count == 0), "{cases:?}: {shares:?}");
        for (percent, count) in odds_display::band_percents(&sample_odds).iter().zip(&cases) {
            assert!(*count == 0 || (percent != "0%" && percent != "0.0%"), "{cases:?}: {percent}");
        }
        // Outcomes of equal frequency print the same.
        for (index, count) in cases.iter().enumerate() {
            for (other, _) in cases.iter().enumerate().filter(|(_, other)| *other == count) {
                let percents = odds_display::rounded_band_percents(&sample_odds);
                assert_eq!(percents[index], percents[other], "{cases:?}");
            }
        }
        let cells: usize = odds_display::bar_cells(&sample_odds, 20).iter().sum();
        assert!(cells == 20 || cells == 0, "{cases:?}");
    }
    assert_eq!(
        odds_display::band_percents(&odds_of_cases("", &[6, 5, 8, 1])),
        ["30%", "25%", "40%", "5%"]
    );
    assert_eq!(odds_display::band_percents(&odds_of_cases("", &[1, 399])), ["0.3%", "99.7%"]);
    assert_eq!(odds_display::band_percents(&odds_of_cases("", &[1, 9_999])), ["<0.1%", "100.0%"]);
    assert_eq!(odds_display::bar_cells(&odds_of_cases("", &[6, 5, 8, 1]), 20), [6, 5, 8, 1]);
}

#[test]
fn no_hostile_text_reaches_the_output() {
    let hostile_text = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}ab\u{0}\r\u{8}\u{200b}";
    let mut prompt = ferry_prompt();
    prompt.text = hostile_text.to_owned();
    for choice in &mut prompt.choices {
        let hostile_card = protocol::view::Card {
            title: hostile_text.to_owned(),
            subtitle: hostile_text.to_owned(),
            text: hostile_text.to_owned(),
            lines: vec![hostile_text.to_owned()],
        };
        *choice = Choice {
            label: format!("{} {hostile_text}", choice.label),
            note: hostile_text.to_owned(),
            cost: hostile_text.to_owned(),
            card: Some(hostile_card),
            odds: Some(odds_of_cases(hostile_text, &[1, 2, 3, 4])),
            ..choice.clone()
        };
    }
    let mut view = sample_view();
    view.title = hostile_text.to_owned();
    let mut roll = sample_roll();
    roll.label = hostile_text.to_owned();
    roll.notation = hostile_text.to_owned();
    roll.outcome = Some(hostile_text.to_owned());
    let input_lines = format!("{hostile_text}\nlook 1\nodds\nsheet\nmap\nhelp\nlog\n");
    let mut frontend = frontend_with_input(&input_lines);
    let text_of = |text: &str| text.to_owned();
    frontend
        .show_events(&[
            say_event(hostile_text),
            StoryEvent::Heading { text: text_of(hostile_text) },
            StoryEvent::Note { text: text_of(hostile_text) },
            StoryEvent::Gain { text: text_of(hostile_text) },
            StoryEvent::Loss { text: text_of(hostile_text) },
            StoryEvent::Roll(Box::new(roll)),
        ])
        .unwrap();
    assert_eq!(frontend.ask_prompt(&prompt, &view).unwrap(), Answer::Quit);
    frontend
        .show_problem(&Problem::error(base::Code::BadText, hostile_text).at(SourceLocation::new(
            hostile_text,
            hostile_text,
            1,
        )))
        .unwrap();
    frontend.show_page(&view).unwrap();
    frontend.finish(&[hostile_text.to_owned()]).unwrap();
    let output = transcript(frontend);
    assert!(output.chars().all(base::text::is_printable), "{output:?}");
}

#[test]
fn long_lines_and_invalid_utf8_are_rejected_as_answers() {
    let mut bytes = vec![b'a'; 200_000];
    bytes.extend(b"\n\xff\xfe\n2\n");
    let reader = LineReader::from_pipe(BufReader::new(bytes.as_slice()));
    let mut frontend = PlainText::new(reader, Vec::new(), 80);
    let answer = frontend.ask_prompt(&ferry_prompt(), &View::default()).unwrap();
    assert_eq!(answer, Answer::Input(accepted(Input::Choice("ring".to_owned()))));
}

#[test]
fn choices_are_numbered_up_to_two_hundred() {
    let mut prompt = Prompt { choices: Vec::new(), ..ferry_prompt() };
    for number in 1..=200 {
        prompt.choices.push(choice(&format!("id_{number}"), &format!("Stone {number}")));
    }
    let ParsedLine::Input(input) = parse_first_answer(&prompt, "200") else { unreachable!() };
    assert_eq!(input, Input::Choice("id_200".to_owned()));
    assert_eq!(
        parse_first_answer(&ferry_prompt(), "w"),
        ParsedLine::Input(accepted(Input::Choice("wait".to_owned())))
    );
    // A choice that is typed in full is taken, whatever else begins with it.
    assert_eq!(
        parse_first_answer(&prompt, "Stone 2"),
        ParsedLine::Input(accepted(Input::Choice("id_2".to_owned())))
    );
    let ParsedLine::Rejected(reason) = parse_first_answer(&prompt, "Stone") else { unreachable!() };
    assert!(reason.contains("could be"), "{reason}");
}

#[test]
fn ascii_art_is_omitted() {
    let print_text = |text: &str| {
        let mut frontend =
            PlainText::new(LineReader::from_terminal(Cursor::new("")), Vec::new(), 80);
        frontend.show_events(&[say_event(text)]).unwrap();
        String::from_utf8(frontend.into_output()).unwrap().trim().to_owned()
    };
    assert_eq!(print_text("   .-.\n .( @ ).\n  '-. .-'\n     |/"), "");
    let with_words = "   .-.\n .( @ ).\n  '-. .-'\nThe rose is up.\n...\nGo down.";
    assert_eq!(print_text(with_words), "The rose is up.\n...\nGo down.");
    // Verse, figures and a pause are no drawing.
    for text in ["...", "-\n-", "1 | 2\n--+--\n3 | 4", ""] {
        assert_eq!(print_text(text), text);
    }
}

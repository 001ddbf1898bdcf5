//! The plain front end, with events and prompts built by hand.

use std::io::{BufReader, Cursor};

use engine::base::{Problem, SourceLocation};
use engine::protocol::{AnswerType, Choice, Input, Prompt, StoryEntry, StoryEvent, View};
use engine::ui::plain::{self, ChoiceNumbers, LineReader, ParsedLine, PlainText};
use engine::ui::{Answer, Frontend, odds_display};

use super::sample::*;

type TestFrontend<'a> = PlainText<Cursor<&'a str>, Vec<u8>>;

/// A line as the answer to a prompt that is asked for the first time.
fn read(prompt: &Prompt, line: &str) -> ParsedLine {
    let mut numbers = ChoiceNumbers::default();
    numbers.assign(prompt, "");
    plain::parse_line(prompt, &numbers, line)
}

fn voice(typed: &str) -> TestFrontend<'_> {
    PlainText::new(LineReader::from_pipe(Cursor::new(typed)), Vec::new(), 80)
}

fn transcript(voice: TestFrontend<'_>) -> String {
    String::from_utf8(voice.into_output()).unwrap()
}

#[test]
fn a_sample_screen_in_plain_text() {
    let mut voice = voice("help\nodds\nlook\nlook rope\nlook 2\nsheet\nmap\nfly\nwalk\nR\nri\n");
    voice.begin_story(&[]).unwrap();
    voice.show_events(&sample_events()).unwrap();
    let answer = voice.ask_prompt(&ferry_prompt(), &sample_view()).unwrap();
    assert_eq!(answer, Answer::Input(Input::Choice("ring".to_owned())));
    snapshot!(transcript(voice));
}

#[test]
fn where_things_stand_is_said_when_it_changes() {
    let mut voice = voice("3\n3\n3\n");
    let mut view = sample_view();
    voice.ask_prompt(&ferry_prompt(), &view).unwrap();
    voice.ask_prompt(&ferry_prompt(), &view).unwrap();
    view.title = "The sand bar".to_owned();
    voice.ask_prompt(&ferry_prompt(), &view).unwrap();
    let said = transcript(voice);
    assert_eq!(said.matches("Warmth 17 of 30").count(), 2, "{said}");
}

#[test]
fn the_end_of_the_input_is_a_way_out() {
    let mut voice = voice("help\n");
    assert_eq!(voice.ask_prompt(&ferry_prompt(), &sample_view()).unwrap(), Answer::Quit);
}

#[test]
fn other_kinds_of_question() {
    let mut voice = voice("3, 1\nnone\n12\n4\n\n:help\n*Ann*\n");
    let mut answers = Vec::new();
    for prompt in [
        loading(),
        loading(),
        sample_prompt(AnswerType::Number { min: 1, max: 9, default: 5 }, "How many strokes?"),
        sample_prompt(AnswerType::Number { min: 1, max: 9, default: 5 }, "How many strokes?"),
        sample_prompt(
            AnswerType::Text { max_length: 12, default: "nobody".to_owned() },
            "Your name?",
        ),
    ] {
        answers.push(voice.ask_prompt(&prompt, &View::default()).unwrap());
    }
    snapshot!(format!("{}\n{answers:#?}", transcript(voice)));
}

#[test]
fn a_script_is_echoed_and_stopped_at_a_line_that_answers_nothing() {
    let text = "# the crossing\n\nwait\n  # and on\nswim\n";
    let lines = LineReader::from_script(Cursor::new(text), "crossing.txt");
    let mut voice = PlainText::new(lines, Vec::new(), 80);
    let first = voice.ask_prompt(&ferry_prompt(), &sample_view()).unwrap();
    assert_eq!(first, Answer::Input(Input::Choice("wait".to_owned())));
    let Answer::BadScriptLine(problem) = voice.ask_prompt(&ferry_prompt(), &sample_view()).unwrap()
    else {
        unreachable!("a line that answers nothing was taken");
    };
    snapshot!(format!("{}\n{problem}", transcript(voice)));
}

#[test]
fn a_story_that_goes_on_is_told_from_its_last_heading() {
    let mut past = vec![StoryEvent::Heading { text: "The road".to_owned() }, say("Far behind.")];
    past.extend(sample_events());
    let mut past: Vec<StoryEntry> = past.into_iter().map(StoryEntry::Event).collect();
    past.insert(2, StoryEntry::Answer("Wait for the ferry".to_owned()));
    let mut voice = voice("log\nlog 1\n1\n");
    voice.begin_story(&past).unwrap();
    voice.ask_prompt(&ferry_prompt(), &View::default()).unwrap();
    snapshot!(transcript(voice));
}

#[test]
fn disk_errors_and_pages() {
    let mut voice = voice("");
    let place =
        SourceLocation::new("ferry", "play/crossing.luau", 12).with_excerpt("  warmth -= 3");
    let problem = Problem::error(engine::base::Code::StateWrongValue, "warmth is a text")
        .at(place)
        .expected("a number");
    voice.show_problem(&problem).unwrap();
    voice.show_page(&sample_view()).unwrap();
    voice.finish(&["The run is saved.".to_owned()]).unwrap();
    snapshot!(transcript(voice));
}

#[test]
fn a_choice_named_like_a_command_comes_first_and_a_colon_gives_the_command() {
    let mut prompt = ferry_prompt();
    prompt.choices.push(choice("map", "Unroll the chart"));
    assert_eq!(read(&prompt, "map"), ParsedLine::Input(Input::Choice("map".to_owned())));
    assert!(matches!(read(&prompt, ":map"), ParsedLine::Command(_)));
    assert!(matches!(read(&ferry_prompt(), "map"), ParsedLine::Command(_)));
    prompt.choices.push(choice("elders", "Look under the elders"));
    assert_eq!(read(&prompt, "look under"), ParsedLine::Input(Input::Choice("elders".to_owned())));
    assert!(matches!(read(&prompt, "look elders"), ParsedLine::Command(_)));
    assert!(matches!(read(&prompt, ":look under"), ParsedLine::Command(_)));
}

#[test]
fn every_open_choice_can_be_taken_by_number_id_and_label() {
    let prompt = ferry_prompt();
    for (index, choice) in prompt.choices.iter().enumerate() {
        let number = (index + 1).to_string();
        for word in [number.as_str(), choice.id.as_str(), choice.label.as_str()] {
            match (&choice.disabled_because, read(&prompt, word)) {
                (None, ParsedLine::Input(input)) => {
                    assert_eq!(input, Input::Choice(choice.id.clone()));
                }
                (Some(_), ParsedLine::Rejected(why)) => {
                    assert!(why.contains("under water"), "{why}")
                }
                (_, other) => unreachable!("{word}: {other:?}"),
            }
        }
    }
}

#[test]
fn percentages_add_up_and_hide_nothing() {
    for cases in [
        vec![6, 5, 8, 1],
        vec![1, 1, 1],
        vec![1, 399],
        vec![1, 9_999],
        vec![0, 0],
        vec![u64::MAX, 1],
        vec![33, 33, 34],
    ] {
        let these = odds("", &cases);
        let shares = odds_display::apportion(&cases, 1000);
        let all: u64 = shares.iter().sum();
        assert!(all == 1000 || cases.iter().all(|count| *count == 0), "{cases:?}: {shares:?}");
        for (percent, count) in odds_display::percents(&these).iter().zip(&cases) {
            assert!(*count == 0 || (percent != "0%" && percent != "0.0%"), "{cases:?}: {percent}");
        }
        // Outcomes of equal frequency print the same.
        for (at, count) in cases.iter().enumerate() {
            for (other, _) in cases.iter().enumerate().filter(|(_, other)| *other == count) {
                let whole = odds_display::whole_percents(&these);
                assert_eq!(whole[at], whole[other], "{cases:?}");
            }
        }
        let cells: usize = odds_display::bar_cells(&these, 20).iter().sum();
        assert!(cells == 20 || cells == 0, "{cases:?}");
    }
    assert_eq!(odds_display::percents(&odds("", &[6, 5, 8, 1])), ["30%", "25%", "40%", "5%"]);
    assert_eq!(odds_display::percents(&odds("", &[1, 399])), ["0.3%", "99.7%"]);
    assert_eq!(odds_display::percents(&odds("", &[1, 9_999])), ["<0.1%", "100.0%"]);
    assert_eq!(odds_display::bar_cells(&odds("", &[6, 5, 8, 1]), 20), [6, 5, 8, 1]);
}

#[test]
fn no_hostile_text_reaches_the_output() {
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}ab\u{0}\r\u{8}\u{200b}";
    let mut prompt = ferry_prompt();
    prompt.text = evil.to_owned();
    for choice in &mut prompt.choices {
        let evil_card = engine::protocol::view::Card {
            title: evil.to_owned(),
            subtitle: evil.to_owned(),
            text: evil.to_owned(),
            lines: vec![evil.to_owned()],
        };
        *choice = Choice {
            label: format!("{} {evil}", choice.label),
            note: evil.to_owned(),
            cost: evil.to_owned(),
            card: Some(evil_card),
            odds: Some(odds(evil, &[1, 2, 3, 4])),
            ..choice.clone()
        };
    }
    let mut view = sample_view();
    view.title = evil.to_owned();
    let mut roll = sample_roll();
    roll.label = evil.to_owned();
    roll.notation = evil.to_owned();
    roll.outcome = Some(evil.to_owned());
    let typed = format!("{evil}\nlook 1\nodds\nsheet\nmap\nhelp\nlog\n");
    let mut voice = voice(&typed);
    let all = |text: &str| text.to_owned();
    voice
        .show_events(&[
            say(evil),
            StoryEvent::Heading { text: all(evil) },
            StoryEvent::Note { text: all(evil) },
            StoryEvent::Gain { text: all(evil) },
            StoryEvent::Loss { text: all(evil) },
            StoryEvent::Roll(Box::new(roll)),
        ])
        .unwrap();
    assert_eq!(voice.ask_prompt(&prompt, &view).unwrap(), Answer::Quit);
    voice
        .show_problem(
            &Problem::error(engine::base::Code::BadText, evil)
                .at(SourceLocation::new(evil, evil, 1)),
        )
        .unwrap();
    voice.show_page(&view).unwrap();
    voice.finish(&[evil.to_owned()]).unwrap();
    let said = transcript(voice);
    assert!(said.chars().all(engine::base::text::is_printable), "{said:?}");
}

#[test]
fn a_line_without_end_and_bytes_that_are_no_text_are_only_wrong_answers() {
    let mut bytes = vec![b'a'; 200_000];
    bytes.extend(b"\n\xff\xfe\n2\n");
    let lines = LineReader::from_pipe(BufReader::new(bytes.as_slice()));
    let mut voice = PlainText::new(lines, Vec::new(), 80);
    let answer = voice.ask_prompt(&ferry_prompt(), &View::default()).unwrap();
    assert_eq!(answer, Answer::Input(Input::Choice("ring".to_owned())));
}

#[test]
fn a_prompt_of_two_hundred_choices_is_numbered_through() {
    let mut prompt = Prompt { choices: Vec::new(), ..ferry_prompt() };
    for number in 1..=200 {
        prompt.choices.push(choice(&format!("id_{number}"), &format!("Stone {number}")));
    }
    let ParsedLine::Input(input) = read(&prompt, "200") else { unreachable!() };
    assert_eq!(input, Input::Choice("id_200".to_owned()));
    assert_eq!(read(&ferry_prompt(), "w"), ParsedLine::Input(Input::Choice("wait".to_owned())));
    // A choice that is typed in full is taken, whatever else begins with it.
    assert_eq!(read(&prompt, "Stone 2"), ParsedLine::Input(Input::Choice("id_2".to_owned())));
    let ParsedLine::Rejected(why) = read(&prompt, "Stone") else { unreachable!() };
    assert!(why.contains("could be"), "{why}");
}

#[test]
fn a_drawing_is_not_read_aloud() {
    let told = |text: &str| {
        let mut voice = PlainText::new(LineReader::from_terminal(Cursor::new("")), Vec::new(), 80);
        voice.show_events(&[say(text)]).unwrap();
        String::from_utf8(voice.into_output()).unwrap().trim().to_owned()
    };
    assert_eq!(told("   .-.\n .( @ ).\n  '-. .-'\n     |/"), "");
    let with_words = "   .-.\n .( @ ).\n  '-. .-'\nThe rose is up.\n...\nGo down.";
    assert_eq!(told(with_words), "The rose is up.\n...\nGo down.");
    // Verse, figures and a pause are no drawing.
    for text in ["...", "-\n-", "1 | 2\n--+--\n3 | 4", ""] {
        assert_eq!(told(text), text);
    }
}

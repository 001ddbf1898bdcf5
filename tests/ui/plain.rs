//! The plain voice, told and asked by hand.

use std::io::{BufReader, Cursor};

use engine::kit::{Place, Problem};
use engine::play::{Ask, Choice, Event, Input, Past, Prompt, View};
use engine::ui::plain::{self, Lines, Numbers, Plain, Reading};
use engine::ui::{Answer, Front, shares};

use super::sample::*;

type Voice<'a> = Plain<Cursor<&'a str>, Vec<u8>>;

/// A line as the answer to a prompt that is asked for the first time.
fn read(prompt: &Prompt, line: &str) -> Reading {
    let mut numbers = Numbers::default();
    numbers.give(prompt, "");
    plain::read(prompt, &numbers, line)
}

fn voice(typed: &str) -> Voice<'_> {
    Plain::new(Lines::piped(Cursor::new(typed)), Vec::new(), 80)
}

fn transcript(voice: Voice<'_>) -> String {
    String::from_utf8(voice.into_output()).unwrap()
}

#[test]
fn an_evening_in_plain_text() {
    let mut voice = voice("help\nodds\nlook\nlook rope\nlook 2\nsheet\nmap\nfly\nwalk\nR\nri\n");
    voice.begin(&[]).unwrap();
    voice.tell(&told()).unwrap();
    let answer = voice.ask(&crossing(), &evening()).unwrap();
    assert_eq!(answer, Answer::Input(Input::Choice("ring".to_owned())));
    snapshot!(transcript(voice));
}

#[test]
fn where_things_stand_is_said_when_it_changes() {
    let mut voice = voice("3\n3\n3\n");
    let mut view = evening();
    voice.ask(&crossing(), &view).unwrap();
    voice.ask(&crossing(), &view).unwrap();
    view.title = "The sand bar".to_owned();
    voice.ask(&crossing(), &view).unwrap();
    let said = transcript(voice);
    assert_eq!(said.matches("Warmth 17 of 30").count(), 2, "{said}");
}

#[test]
fn the_end_of_the_input_is_a_way_out() {
    let mut voice = voice("help\n");
    assert_eq!(voice.ask(&crossing(), &evening()).unwrap(), Answer::Quit);
}

#[test]
fn other_kinds_of_question() {
    let mut voice = voice("3, 1\nnone\n12\n4\n\n:help\n*Ann*\n");
    let mut answers = Vec::new();
    for prompt in [
        loading(),
        loading(),
        asking(Ask::Number { min: 1, max: 9, default: 5 }, "How many strokes?"),
        asking(Ask::Number { min: 1, max: 9, default: 5 }, "How many strokes?"),
        asking(Ask::Text { max_length: 12, default: "nobody".to_owned() }, "Your name?"),
    ] {
        answers.push(voice.ask(&prompt, &View::default()).unwrap());
    }
    snapshot!(format!("{}\n{answers:#?}", transcript(voice)));
}

#[test]
fn a_script_is_echoed_and_stopped_at_a_line_that_answers_nothing() {
    let text = "# the crossing\n\nwait\n  # and on\nswim\n";
    let lines = Lines::scripted(Cursor::new(text), "crossing.txt");
    let mut voice = Plain::new(lines, Vec::new(), 80);
    let first = voice.ask(&crossing(), &evening()).unwrap();
    assert_eq!(first, Answer::Input(Input::Choice("wait".to_owned())));
    let Answer::Stop(problem) = voice.ask(&crossing(), &evening()).unwrap() else {
        unreachable!("a line that answers nothing was taken");
    };
    snapshot!(format!("{}\n{problem}", transcript(voice)));
}

#[test]
fn a_story_that_goes_on_is_told_from_its_last_heading() {
    let mut past = vec![Event::Heading { text: "The road".to_owned() }, say("Far behind.")];
    past.extend(told());
    let mut past: Vec<Past> = past.into_iter().map(Past::Told).collect();
    past.insert(2, Past::Answered("Wait for the ferry".to_owned()));
    let mut voice = voice("log\nlog 1\n1\n");
    voice.begin(&past).unwrap();
    voice.ask(&crossing(), &View::default()).unwrap();
    snapshot!(transcript(voice));
}

#[test]
fn trouble_and_pages() {
    let mut voice = voice("");
    let place = Place::new("ferry", "play/crossing.luau", 12).with_excerpt("  warmth -= 3");
    let problem = Problem::error("state-type", "warmth is a text").at(place).expected("a number");
    voice.trouble(&problem).unwrap();
    voice.show(&evening()).unwrap();
    voice.finish(&["The run is saved.".to_owned()]).unwrap();
    snapshot!(transcript(voice));
}

#[test]
fn a_choice_named_like_a_command_comes_first_and_a_colon_gives_the_command() {
    let mut prompt = crossing();
    prompt.choices.push(choice("map", "Unroll the chart"));
    assert_eq!(read(&prompt, "map"), Reading::Input(Input::Choice("map".to_owned())));
    assert!(matches!(read(&prompt, ":map"), Reading::Command(_)));
    assert!(matches!(read(&crossing(), "map"), Reading::Command(_)));
    prompt.choices.push(choice("elders", "Look under the elders"));
    assert_eq!(read(&prompt, "look under"), Reading::Input(Input::Choice("elders".to_owned())));
    assert!(matches!(read(&prompt, "look elders"), Reading::Command(_)));
    assert!(matches!(read(&prompt, ":look under"), Reading::Command(_)));
}

#[test]
fn every_open_choice_can_be_taken_by_number_id_and_label() {
    let prompt = crossing();
    for (index, choice) in prompt.choices.iter().enumerate() {
        let number = (index + 1).to_string();
        for word in [number.as_str(), choice.id.as_str(), choice.label.as_str()] {
            match (&choice.closed, read(&prompt, word)) {
                (None, Reading::Input(input)) => {
                    assert_eq!(input, Input::Choice(choice.id.clone()));
                }
                (Some(_), Reading::Wrong(why)) => assert!(why.contains("under water"), "{why}"),
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
        let shares = shares::apportion(&cases, 1000);
        let all: u64 = shares.iter().sum();
        assert!(all == 1000 || cases.iter().all(|count| *count == 0), "{cases:?}: {shares:?}");
        for (percent, count) in shares::percents(&these).iter().zip(&cases) {
            assert!(*count == 0 || (percent != "0%" && percent != "0.0%"), "{cases:?}: {percent}");
        }
        // What comes up equally often reads alike.
        for (at, count) in cases.iter().enumerate() {
            for (other, _) in cases.iter().enumerate().filter(|(_, other)| *other == count) {
                let whole = shares::whole_percents(&these);
                assert_eq!(whole[at], whole[other], "{cases:?}");
            }
        }
        let cells: usize = shares::cells(&these, 20).iter().sum();
        assert!(cells == 20 || cells == 0, "{cases:?}");
    }
    assert_eq!(shares::percents(&odds("", &[6, 5, 8, 1])), ["30%", "25%", "40%", "5%"]);
    assert_eq!(shares::percents(&odds("", &[1, 399])), ["0.3%", "99.7%"]);
    assert_eq!(shares::percents(&odds("", &[1, 9_999])), ["<0.1%", "100.0%"]);
    assert_eq!(shares::cells(&odds("", &[6, 5, 8, 1]), 20), [6, 5, 8, 1]);
}

#[test]
fn no_hostile_text_reaches_the_output() {
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}ab\u{0}\r\u{8}\u{200b}";
    let mut prompt = crossing();
    prompt.text = evil.to_owned();
    for choice in &mut prompt.choices {
        let evil_card = engine::play::view::Card {
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
    let mut view = evening();
    view.title = evil.to_owned();
    let mut roll = throw();
    roll.label = evil.to_owned();
    roll.notation = evil.to_owned();
    roll.outcome = Some(evil.to_owned());
    let typed = format!("{evil}\nlook 1\nodds\nsheet\nmap\nhelp\nlog\n");
    let mut voice = voice(&typed);
    let all = |text: &str| text.to_owned();
    voice
        .tell(&[
            say(evil),
            Event::Heading { text: all(evil) },
            Event::Note { text: all(evil) },
            Event::Gain { text: all(evil) },
            Event::Loss { text: all(evil) },
            Event::Roll(Box::new(roll)),
        ])
        .unwrap();
    assert_eq!(voice.ask(&prompt, &view).unwrap(), Answer::Quit);
    voice.trouble(&Problem::error("evil", evil).at(Place::new(evil, evil, 1))).unwrap();
    voice.show(&view).unwrap();
    voice.finish(&[evil.to_owned()]).unwrap();
    let said = transcript(voice);
    assert!(said.chars().all(engine::kit::text::is_plain), "{said:?}");
}

#[test]
fn a_line_without_end_and_bytes_that_are_no_text_are_only_wrong_answers() {
    let mut bytes = vec![b'a'; 200_000];
    bytes.extend(b"\n\xff\xfe\n2\n");
    let lines = Lines::piped(BufReader::new(bytes.as_slice()));
    let mut voice = Plain::new(lines, Vec::new(), 80);
    let answer = voice.ask(&crossing(), &View::default()).unwrap();
    assert_eq!(answer, Answer::Input(Input::Choice("ring".to_owned())));
}

#[test]
fn a_prompt_of_two_hundred_choices_is_numbered_through() {
    let mut prompt = Prompt { choices: Vec::new(), ..crossing() };
    for number in 1..=200 {
        prompt.choices.push(choice(&format!("id_{number}"), &format!("Stone {number}")));
    }
    let Reading::Input(input) = read(&prompt, "200") else { unreachable!() };
    assert_eq!(input, Input::Choice("id_200".to_owned()));
    assert_eq!(read(&crossing(), "w"), Reading::Input(Input::Choice("wait".to_owned())));
    // One that is typed in full is meant, whatever else begins so.
    assert_eq!(read(&prompt, "Stone 2"), Reading::Input(Input::Choice("id_2".to_owned())));
    let Reading::Wrong(why) = read(&prompt, "Stone") else { unreachable!() };
    assert!(why.contains("could be"), "{why}");
}

#[test]
fn a_drawing_is_not_read_aloud() {
    let told = |text: &str| {
        let mut voice = Plain::new(Lines::typed(Cursor::new("")), Vec::new(), 80);
        voice.tell(&[say(text)]).unwrap();
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

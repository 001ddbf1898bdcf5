//! Shown texts, endings of runs, and their awards.

use base::Value;
use protocol::StoryEvent;

use super::{play_handler, refusal_texts};

#[test]
fn marks_are_filled_and_inserted_texts_are_not_parsed_for_marks() {
    let (_, events) = play_handler(r#"
heading "The *old* door"
say("The {foe.name} waits at {place}.", { foe = { name = "clerk {x} *y*" }, place = state.place or "the door" })
note("{n} left", { n = 3 })
gain(fill("{what}", { what = "a {lamp}" }))
loss "two \\{ braces \\}"
"#)
    .unwrap();
    let texts: Vec<String> = events
        .iter()
        .map(|event| match event {
            StoryEvent::Say { text } => format!("say {}", base::text::strip_markup(text)),
            StoryEvent::Heading { text } => format!("heading {text}"),
            StoryEvent::Note { text } | StoryEvent::Gain { text } | StoryEvent::Loss { text } => {
                base::text::strip_markup(text)
            }
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        texts,
        [
            "heading The *old* door",
            "say The clerk {x} *y* waits at the door.",
            "3 left",
            "a {lamp}",
            "two { braces }"
        ]
    );
}

/// Usual texts take a shorter path than others; both must print the same.
#[test]
fn a_text_is_filled_the_same_by_the_fast_and_the_slow_path() {
    let (_, events) = play_handler(r#"
local values = {
  whole = 3, less = -7, half = 0.5, third = 1 / 3, large = 9007199254740992, zero = -0, yes = true, no = false,
  plain = "clerk", marked = "{x} *y* \\z", far = "né à Zürich", empty = "", ["two words"] = "here",
}
local texts = {
  "none", "", "{whole}", "{whole}{less}", "{half} {third} {large} {zero}", "{yes} or {no}",
  "*{plain}* {marked}", "{far} — {empty}{empty}.", "\\{whole} {whole} \\\\{whole}", "{two words}", "behind\\",
  "{whole} {whole} {whole} {whole} {whole} {whole} {whole} {whole} {whole} {whole} {whole} {whole} {less}",
}
for _, text in texts do
  note(text, values)
  note(text, setmetatable({}, { __index = values }))
  note(fill(text, values))
end
"#)
    .unwrap();
    let texts: Vec<&str> = events
        .iter()
        .map(|event| match event {
            StoryEvent::Note { text } => text.as_str(),
            other => panic!("only notes are shown: {other:?}"),
        })
        .collect();
    assert_eq!(texts.len(), 36);
    for same_texts in texts.chunks(3) {
        assert_eq!((same_texts[0], same_texts[0]), (same_texts[1], same_texts[2]));
    }
    let assert_contains =
        |text: &str| assert!(texts.contains(&text), "{text:?} is among {texts:#?}");
    assert_contains("0.5 0.3333333333333333 9007199254740992 0");
    assert_contains("yes or no");
    assert_contains("*clerk* \\{x\\} \\*y\\* \\\\z");
    assert_contains("\\{whole} 3 \\\\3");
    assert_contains("3 3 3 3 3 3 3 3 3 3 3 3 -7");
}

#[test]
fn invalid_output_is_refused() {
    insta::assert_snapshot!(refusal_texts(&[
        "say('The {foe} waits.', { foo = 1, place = 2 })",
        "say 'The {foe} waits.'",
        "say(nil)",
        "say('x', 3)",
        "say(string.char(27) .. '[2J')",
        "say('{f}', { f = print_me })",
        "say('{f}', { f = function() end })",
        "for i = 1, 3000 do say 'again' end",
        "go 'onyl'",
        "go 'other:only'",
        "go 'Not An Id'",
        "go(nil)",
        "pop()",
        "for i = 1, 40 do push 'only' end",
        "finish { }",
        "finish { outcome = 'won' } finish { outcome = 'lost' }",
        "finish 'won'",
        "award(3)",
        "award { f = function() end }",
    ]));
}

#[test]
fn scenes_form_a_stack() {
    let (run, _) = play_handler(r#"push "only" push "only" pop() go "game:only""#).unwrap();
    assert_eq!(run.world.open_scenes(), ["game:only", "game:only"]);
}

#[test]
fn finish_records_the_outcome_and_awards_add_up() {
    let (mut run, _) =
        play_handler(r#"award { gold = 3, list = { "a" } } award { gold = 4, list = { "b" } } finish { outcome = "won", deeds = 2 }"#).unwrap();
    assert_eq!(run.world.award_so_far().to_json(), r#"{"gold":7,"list":["a","b"]}"#);
    let outcome = run.world.run_outcome().unwrap();
    assert_eq!(outcome.get("outcome").and_then(Value::as_text), Some("won"));
    assert_eq!(run.prompt().unwrap_err().code, "finished");
}

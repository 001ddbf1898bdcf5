//! The messages of `play --json`, one JSON object a line. `docs/protocol.md` explains them; their
//! schema is made from these types.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use super::choice_key_messages::ChoiceKeysMessage;

use base::{Problem, Severity, Value, text};
use protocol::{Choice, Input, Prompt, StoryEntry, StoryEvent, View};
use session::TraceEntry;

/// The version of the messages. A field that is added keeps it; a client ignores what it does not
/// know.
pub(super) const PROTOCOL_VERSION: u32 = 1;

/// What the program writes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum OutputMessage {
    /// The first line.
    Hello {
        /// The version of the messages.
        protocol: u32,
        /// The version of the program.
        version: String,
    },
    /// A story begins: a run, or the title. What the client has of an earlier one is over.
    Story {
        /// The story so far, oldest first; empty for a new run.
        past: Vec<PastEntry>,
    },
    /// What happened.
    Events {
        /// In order.
        events: Vec<StoryEvent>,
    },
    /// A question. The program waits for a line.
    Prompt {
        /// The question and its choices.
        prompt: Prompt,
        /// What is shown beside the story.
        view: View,
        /// Whether `{"command": "undo"}` takes the last answer back.
        can_undo: bool,
        /// What marks this run, such as practice; empty for none.
        run_label: String,
        /// Why the run uses older mods than those on disk, with `--dev`; empty if it does not.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        stale_reason: String,
        /// The keys of the choices, where a person answers; the same as in a terminal.
        #[serde(skip_serializing_if = "Option::is_none")]
        keys: Option<Box<ChoiceKeysMessage>>,
    },
    /// Which keys do which action, where a person answers. Those of an earlier one are void.
    Keymap {
        /// The keys of each action by its name, such as `take`: `["Enter"]`.
        actions: BTreeMap<&'static str, Vec<String>>,
        /// Whether a console and `reload` are there (`--dev`).
        is_dev: bool,
    },
    /// The page's own words in the language of the player, where a person answers.
    Words {
        /// The language; none for the one in which they are written.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
        /// What is shown instead of each; words without an entry are shown as they are.
        words: BTreeMap<&'static str, String>,
    },
    /// The state before a question, where a person answers with `--dev`.
    State {
        /// The tables `game` and `host`.
        #[schemars(with = "serde_json::Value")]
        state: Value,
        /// What the step before it did, in order: events, hooks with what they changed, writes.
        #[schemars(with = "Vec<serde_json::Value>")]
        trace: Vec<TraceEntry>,
    },
    /// The terms that the game explains, where a person answers.
    Terms {
        /// In the game's order.
        terms: Vec<TermMessage>,
    },
    /// A page to read, such as the help. The program does not wait.
    Page {
        /// Its title and widgets.
        page: View,
    },
    /// An error or a warning.
    Problem {
        /// The problem.
        problem: ProblemMessage,
    },
    /// The last line was no answer to the question, which still waits. Nothing has changed.
    Refused {
        /// Why; plain text.
        message: String,
    },
    /// The last line that is written.
    End {
        /// What else there is to say; plain text.
        lines: Vec<String>,
    },
}

/// An entry of the story so far.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PastEntry {
    /// What happened.
    Event(StoryEvent),
    /// An answer, as the label of its choice; plain text.
    Answer(String),
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct ProblemMessage {
    /// `error` or `warning`.
    pub(super) severity: &'static str,
    /// Its code, such as `unknown-field`.
    pub(super) code: String,
    /// All of it as text, with its place and what to do.
    pub(super) text: String,
    /// The mod's file and line, if there is one: `mod/file.luau:12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
}

/// An explained term; plain text.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct TermMessage {
    /// One name, or several with commas between them.
    pub(super) names: String,
    /// What it means.
    pub(super) meaning: String,
}

/// What the program reads: an answer to the question, or one of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum InputMessage {
    /// An answer: `{"choice": "strike"}`, `{"many": ["a", "b"]}`, `{"number": 3}` or
    /// `{"text": "Ada"}`.
    Answer(Input),
    /// A command, at any question.
    Command {
        /// The command.
        command: ClientCommand,
    },
    /// Travel to a place of the map by its id: several answers, as far as nothing stops them.
    Travel {
        /// The id of the map's node.
        travel: String,
    },
    /// A line for the console of `--dev`.
    Console {
        /// Luau code.
        console: String,
    },
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ClientCommand {
    /// Leave the run, which is saved.
    Leave,
    /// Take the last answer back, where that is allowed.
    Undo,
    /// Travel to the nearest place of the map that was not entered.
    Explore,
    /// Read the mods again.
    Reload,
    /// End the program.
    Quit,
}

impl OutputMessage {
    pub(super) fn story(past: &[StoryEntry]) -> Self {
        let past = past.iter().map(|entry| match entry {
            StoryEntry::Event(event) => PastEntry::Event(event.clone()),
            StoryEntry::Answer(answer) => PastEntry::Answer(answer.clone()),
        });
        Self::Story { past: past.collect() }
    }

    pub(super) fn problem(problem: &Problem) -> Self {
        Self::Problem {
            problem: ProblemMessage {
                severity: match problem.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                },
                code: problem.code.to_string(),
                text: text::strip_unprintable(&problem.to_string()),
                place: problem.place.as_ref().map(ToString::to_string),
            },
        }
    }
}

/// The prompt without what only scripts read.
pub(super) fn without_script_data(prompt: &Prompt) -> Prompt {
    let choices = prompt.choices.iter().map(|choice| Choice {
        bot_hint: None,
        handler_name: None,
        handler_data: None,
        ..choice.clone()
    });
    Prompt { choices: choices.collect(), ..prompt.clone() }
}

/// The JSON Schemas of a line that the program writes, and of one that it reads.
pub fn message_schemas() -> [(&'static str, Schema); 2] {
    [("output", schema_for!(OutputMessage)), ("input", schema_for!(InputMessage))]
}

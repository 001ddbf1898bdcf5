//! The frontend of `play --json`: messages for other programs, one JSON object a line.

mod choice_key_messages;
mod messages;

use std::io::{self, BufRead, Write};

use base::host_text;
use base::text;
use choice_key_messages::PersonKeys;
pub use messages::message_schemas;
use messages::{ClientCommand, InputMessage, OutputMessage, PROTOCOL_VERSION, without_script_data};

use crate::auto_travel::{self, AutoTravel};
use crate::file_watch::ReloadSignal;
use crate::full_screen::{KEYS_PAGE, Keymap};
use crate::plain_text::{LineEvent, LineReader};
use crate::terms::ExplainedTerm;
use crate::{Answer, Frontend, Preferences};
use base::{Problem, Value};
use protocol::{AcceptedInput, Prompt, StoryEntry, StoryEvent, View};
use session::TraceEntry;

/// The frontend of `play --json` over any input and output.
pub struct JsonLines<R, W> {
    line_reader: LineReader<R>,
    output: W,
    can_undo: bool,
    run_label: String,
    reload_signal: Option<ReloadSignal>,
    auto_travel: Option<AutoTravel>,
    /// Why the run uses older mods than those on disk.
    stale_reason: String,
    /// The keys of a person; none where a program answers.
    person_keys: Option<PersonKeys>,
}

impl<R: BufRead, W: Write> JsonLines<R, W> {
    /// Creates a frontend, and writes its first line.
    pub fn new(line_reader: LineReader<R>, output: W) -> io::Result<Self> {
        let mut frontend = Self {
            line_reader,
            output,
            can_undo: false,
            run_label: String::new(),
            reload_signal: None,
            auto_travel: None,
            stale_reason: String::new(),
            person_keys: None,
        };
        frontend.write(&OutputMessage::Hello {
            protocol: PROTOCOL_VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })?;
        Ok(frontend)
    }

    /// Tells the keys of choices and actions, the game's terms and the client's own words too: a
    /// person answers.
    pub fn for_person(self, keymap: Keymap, client_words: Vec<&'static str>) -> Self {
        Self { person_keys: Some(PersonKeys::new(keymap, client_words)), ..self }
    }

    fn write(&mut self, message: &OutputMessage) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, message)?;
        self.output.write_all(b"\n")?;
        self.output.flush()
    }

    /// Starts a travel: the first of several answers.
    fn start_travel(
        &mut self,
        (travel, input): (AutoTravel, AcceptedInput),
    ) -> Result<Answer, String> {
        self.auto_travel = Some(travel);
        Ok(Answer::Input(input))
    }

    /// Reads a line as an answer to a prompt, or returns why it is none.
    fn parse_line(&mut self, line: &str, prompt: &Prompt, view: &View) -> Result<Answer, String> {
        let message: InputMessage = serde_json::from_str(line).map_err(|_| {
            host_text!(
                "this is no message: {line}; expected: {examples}",
                line = text::strip_unprintable(line),
                examples = r#"{"choice": "ID"}, {"many": ["ID"]}, {"number": 3}, {"text": "TEXT"} or {"command": "leave"}"#
            )
        })?;
        match message {
            InputMessage::Answer(input) => prompt.accept(input).map(Answer::Input),
            InputMessage::Travel { travel } => AutoTravel::start(&travel, prompt, view)
                .and_then(|started| self.start_travel(started)),
            InputMessage::Command { command: ClientCommand::Explore } => {
                AutoTravel::start_exploring(prompt, view)
                    .and_then(|started| self.start_travel(started))
            }
            InputMessage::Command { command: ClientCommand::Leave } => Ok(Answer::Leave),
            InputMessage::Command { command: ClientCommand::Quit } => Ok(Answer::Quit),
            InputMessage::Command { command: ClientCommand::Undo } if self.can_undo => {
                Ok(Answer::Undo)
            }
            InputMessage::Command { command: ClientCommand::Undo } => {
                Err(host_text!("only answers of a practice run can be undone"))
            }
            InputMessage::Command { command: ClientCommand::Reload }
                if self.reload_signal.is_some() =>
            {
                Ok(Answer::Reload)
            }
            InputMessage::Console { console } if self.reload_signal.is_some() => {
                Ok(Answer::ConsoleLine(console))
            }
            InputMessage::Command { command: ClientCommand::Reload }
            | InputMessage::Console { .. } => {
                Err(host_text!("this needs {option}", option = "--dev"))
            }
        }
    }
}

impl<R: BufRead, W: Write> Frontend for JsonLines<R, W> {
    fn begin_story(&mut self, past: &[StoryEntry]) -> io::Result<()> {
        self.write(&OutputMessage::story(past))
    }

    fn show_events(&mut self, events: &[StoryEvent]) -> io::Result<()> {
        self.auto_travel.take_if(|_| AutoTravel::is_ended_by_events(events));
        if events.is_empty() {
            return Ok(());
        }
        self.write(&OutputMessage::Events { events: events.to_vec() })
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        if let Some((travel, input)) =
            self.auto_travel.take().and_then(|travel| travel.next_answer(prompt, view))
        {
            self.auto_travel = Some(travel);
            return Ok(Answer::Input(input));
        }
        let mut shown_view = view.clone();
        let is_dev = self.reload_signal.is_some();
        if let Some(person_keys) = &mut self.person_keys {
            shown_view = auto_travel::label_unnamed_places(prompt, view).into_owned();
            for message in person_keys.take_changes(is_dev) {
                self.write(&message)?;
            }
        }
        let keys = self.person_keys.as_mut().map(|keys| Box::new(keys.assign_keys(prompt, view)));
        self.write(&OutputMessage::Prompt {
            prompt: without_script_data(prompt),
            view: shown_view,
            can_undo: self.can_undo,
            run_label: self.run_label.clone(),
            stale_reason: self.stale_reason.clone(),
            keys,
        })?;
        loop {
            let line = match self.line_reader.next_event(self.reload_signal.as_ref())? {
                LineEvent::Line(line) if line.trim().is_empty() => continue,
                LineEvent::Line(line) => line,
                LineEvent::ModsChanged => return Ok(Answer::Reload),
                LineEvent::End => return Ok(Answer::Quit),
            };
            match self.parse_line(&line, prompt, view) {
                Ok(answer) => return Ok(answer),
                Err(message) => self.write(&OutputMessage::Refused { message })?,
            }
        }
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.write(&OutputMessage::Page { page: page.clone() })
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        self.write(&OutputMessage::problem(problem))
    }

    fn set_reload_signal(&mut self, reload_signal: Option<ReloadSignal>) {
        self.reload_signal = reload_signal;
    }

    fn shows_state(&self) -> bool {
        self.person_keys.is_some()
    }

    fn show_state(&mut self, state: Value, trace: Vec<TraceEntry>) -> io::Result<()> {
        self.write(&OutputMessage::State { state, trace })
    }

    fn set_stale_mods_reason(&mut self, why: Option<&str>) {
        self.stale_reason = why.unwrap_or_default().to_owned();
    }

    fn apply_preferences(&mut self, preferences: &Preferences) {
        if let Some(keys) = &mut self.person_keys {
            keys.apply_preferences(preferences);
        }
    }

    fn set_terms(&mut self, terms: Vec<ExplainedTerm>) {
        if let Some(keys) = &mut self.person_keys {
            keys.set_terms(terms);
        }
    }

    fn saved_keys(&self) -> Option<(&'static str, String)> {
        self.person_keys.as_ref().map(|keys| (KEYS_PAGE, keys.to_text()))
    }

    fn restore_keys(&mut self, run_id: &str, read_page: &mut dyn FnMut(&str) -> Option<String>) {
        if let Some(keys) = &mut self.person_keys {
            keys.restore(run_id, || read_page(KEYS_PAGE));
        }
    }

    fn set_run_label(&mut self, words: &str, can_undo: bool) -> io::Result<()> {
        (self.run_label, self.can_undo) = (words.to_owned(), can_undo);
        Ok(())
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        let lines = last_lines.iter().map(|line| text::strip_unprintable(line)).collect();
        self.write(&OutputMessage::End { lines })
    }
}

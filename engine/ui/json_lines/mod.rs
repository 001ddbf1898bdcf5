//! The frontend of `play --json`: messages for other programs, one JSON object a line.

mod messages;

use std::io::{self, BufRead, Write};

use base::host_text;
use base::text;
pub use messages::message_schemas;
use messages::{ClientCommand, InputMessage, OutputMessage, PROTOCOL_VERSION, without_script_data};

use crate::file_watch::ReloadSignal;
use crate::plain_text::{LineEvent, LineReader};
use crate::{Answer, Frontend, Preferences};
use base::Problem;
use protocol::{Prompt, StoryEntry, StoryEvent, View};

/// The frontend of `play --json` over any input and output.
pub struct JsonLines<R, W> {
    line_reader: LineReader<R>,
    output: W,
    can_undo: bool,
    run_label: String,
    reload_signal: Option<ReloadSignal>,
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
        };
        frontend.write(&OutputMessage::Hello {
            protocol: PROTOCOL_VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })?;
        Ok(frontend)
    }

    fn write(&mut self, message: &OutputMessage) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, message)?;
        self.output.write_all(b"\n")?;
        self.output.flush()
    }

    /// Reads a line as an answer to a prompt, or returns why it is none.
    fn parse_line(&self, line: &str, prompt: &Prompt) -> Result<Answer, String> {
        let message: InputMessage = serde_json::from_str(line).map_err(|_| {
            host_text!(
                "this is no message: {line}; expected: {examples}",
                line = text::strip_unprintable(line),
                examples = r#"{"choice": "ID"}, {"many": ["ID"]}, {"number": 3}, {"text": "TEXT"} or {"command": "leave"}"#
            )
        })?;
        match message {
            InputMessage::Answer(input) => prompt.accept(input).map(Answer::Input),
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
        if events.is_empty() {
            return Ok(());
        }
        self.write(&OutputMessage::Events { events: events.to_vec() })
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.write(&OutputMessage::Prompt {
            prompt: without_script_data(prompt),
            view: view.clone(),
            can_undo: self.can_undo,
            run_label: self.run_label.clone(),
        })?;
        loop {
            let line = match self.line_reader.next_event(self.reload_signal.as_ref())? {
                LineEvent::Line(line) if line.trim().is_empty() => continue,
                LineEvent::Line(line) => line,
                LineEvent::ModsChanged => return Ok(Answer::Reload),
                LineEvent::End => return Ok(Answer::Quit),
            };
            match self.parse_line(&line, prompt) {
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

    fn apply_preferences(&mut self, _: &Preferences) {}

    fn set_run_label(&mut self, words: &str, can_undo: bool) -> io::Result<()> {
        (self.run_label, self.can_undo) = (words.to_owned(), can_undo);
        Ok(())
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        let lines = last_lines.iter().map(|line| text::strip_unprintable(line)).collect();
        self.write(&OutputMessage::End { lines })
    }
}

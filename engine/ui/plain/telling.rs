//! Prints the story: event by event, or summarized between two repetitions of a prompt; and the
//! status.

use std::io::{self, BufRead, Write};

use super::super::{facts, wrap};
use super::{Plain, between, page, question};
use crate::kit::text;
use crate::play::{Event, Past, Prompt, View};

impl<R: BufRead, W: Write> Plain<R, W> {
    pub(super) fn say(&mut self, line: &str) -> io::Result<()> {
        self.say_behind("", line)
    }

    /// Prints a text with a prefix; further lines are indented.
    pub(super) fn say_behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        for line in wrap::hanging(lead, &text::clean(text), self.columns) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Prints lines, keeping their indentation.
    pub(super) fn say_all(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            let inner = line.trim_start_matches(' ');
            let lead = " ".repeat(line.len() - inner.len());
            self.say_behind(&lead, inner)?;
        }
        Ok(())
    }

    /// Prints the pending events in full.
    pub(super) fn tell_whole(&mut self) -> io::Result<()> {
        let events = std::mem::take(&mut self.between);
        if !matches!(events.first(), None | Some(Event::Heading { .. })) {
            writeln!(self.out)?;
        }
        events.iter().try_for_each(|event| self.tell_event(event))
    }

    /// Prints the pending events before a question; summarized if the prompt repeats in brief mode.
    pub(super) fn tell_between(&mut self, prompt: &Prompt, view: &View) -> io::Result<()> {
        let before = self.round.take();
        self.round = (self.brief && prompt.rounds).then(|| prompt.scene.clone());
        self.in_rounds = self.round.is_some() && before == self.round;
        if !self.in_rounds {
            return self.tell_whole();
        }
        let lines = question::lines(prompt, &self.numbers, self.brief).into_iter();
        let asked: Vec<String> = lines.map(|(lead, line)| format!("{lead}{line}")).collect();
        let asked = [asked.join(" "), text::unmarked(&prompt.text), self.new_status(view)];
        let room = between::MOST.saturating_sub(between::words(&asked.join(" ")));
        let events = std::mem::take(&mut self.between);
        if !events.is_empty() {
            writeln!(self.out)?;
        }
        for (lead, line) in between::in_few_words(&events, room) {
            self.say_behind(lead, &line)?;
        }
        Ok(())
    }

    pub(super) fn tell_event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            // A screen reader would read text art as a string of symbols.
            Event::Say { text } => match wrap::without_drawings(&text::unmarked(text)) {
                words if words.is_empty() && !text.is_empty() => Ok(()),
                words => self.say(&words),
            },
            Event::Heading { text } => {
                writeln!(self.out)?;
                self.say(&format!("-- {} --", facts::line(text)))
            }
            Event::Note { text } => self.say(&format!("({})", text::unmarked(text))),
            Event::Gain { text } => self.say_behind("+ ", &text::unmarked(text)),
            Event::Loss { text } => self.say_behind("- ", &text::unmarked(text)),
            Event::Roll(roll) => self.say_behind("* ", &facts::roll(roll)),
        }
    }

    pub(super) fn tell_past(&mut self, past: &Past) -> io::Result<()> {
        match past {
            Past::Told(event) => self.tell_event(event),
            Past::Answered(words) => {
                writeln!(self.out)?;
                self.say_behind("> ", words)
            }
        }
    }

    /// The status, if it has changed since it was printed; if the prompt repeats in brief mode,
    /// only the changed parts.
    pub(super) fn new_status(&self, view: &View) -> String {
        let now = page::status(view);
        if now == self.status {
            return String::new();
        }
        let said: Vec<&str> = self.status.split("; ").collect();
        let new: Vec<&str> = now.split("; ").filter(|part| !said.contains(part)).collect();
        if self.in_rounds { new.join("; ") } else { now }
    }

    /// Prints the status.
    pub(super) fn say_status(&mut self, view: &View) -> io::Result<()> {
        let new = self.new_status(view);
        self.status = page::status(view);
        if new.is_empty() { Ok(()) } else { self.say(&format!("[{new}]")) }
    }
}

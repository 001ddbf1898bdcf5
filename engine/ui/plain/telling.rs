//! What is told in lines: the story event by event, or between two rounds in few words, and where
//! things stand.

use std::io::{self, BufRead, Write};

use super::super::{facts, wrap};
use super::{Plain, between, page, question};
use crate::kit::text;
use crate::play::{Event, Past, Prompt, View};

impl<R: BufRead, W: Write> Plain<R, W> {
    pub(super) fn say(&mut self, line: &str) -> io::Result<()> {
        self.say_behind("", line)
    }

    /// Writes a text, its further lines standing under the first.
    pub(super) fn say_behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        for line in wrap::hanging(lead, &text::clean(text), self.columns) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Writes lines that may stand in by some spaces.
    pub(super) fn say_all(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            let inner = line.trim_start_matches(' ');
            let lead = " ".repeat(line.len() - inner.len());
            self.say_behind(&lead, inner)?;
        }
        Ok(())
    }

    /// Tells what is held back, whole.
    pub(super) fn tell_whole(&mut self) -> io::Result<()> {
        let events = std::mem::take(&mut self.between);
        if !matches!(events.first(), None | Some(Event::Heading { .. })) {
            writeln!(self.out)?;
        }
        events.iter().try_for_each(|event| self.tell_event(event))
    }

    /// Tells what is held back before a question: between two rounds of one, in few words.
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
            // A drawing read aloud is a string of brackets.
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

    /// Where things stand, if that has changed since it was last said; between two rounds in few words
    /// only what has.
    pub(super) fn new_status(&self, view: &View) -> String {
        let now = page::status(view);
        if now == self.status {
            return String::new();
        }
        let said: Vec<&str> = self.status.split("; ").collect();
        let new: Vec<&str> = now.split("; ").filter(|part| !said.contains(part)).collect();
        if self.in_rounds { new.join("; ") } else { now }
    }

    /// Says where things stand.
    pub(super) fn say_status(&mut self, view: &View) -> io::Result<()> {
        let new = self.new_status(view);
        self.status = page::status(view);
        if new.is_empty() { Ok(()) } else { self.say(&format!("[{new}]")) }
    }
}

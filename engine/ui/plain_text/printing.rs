//! Prints the story: event by event, or summarized between two repetitions of a prompt; and the
//! status.

use std::io::{self, BufRead, Write};

use super::super::{display_text, text_wrap};
use super::{PlainText, brief_events, command_output, question_lines};
use base::text;
use protocol::{Prompt, StoryEntry, StoryEvent, View};

impl<R: BufRead, W: Write> PlainText<R, W> {
    pub(super) fn print(&mut self, line: &str) -> io::Result<()> {
        self.print_with_prefix("", line)
    }

    /// Prints a text with a prefix; further lines are indented.
    pub(super) fn print_with_prefix(&mut self, prefix: &str, text: &str) -> io::Result<()> {
        for line in
            text_wrap::wrap_with_prefix(prefix, &text::strip_unprintable(text), self.columns)
        {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// Prints lines, keeping their indentation.
    pub(super) fn print_lines(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            let inner = line.trim_start_matches(' ');
            let lead = " ".repeat(line.len() - inner.len());
            self.print_with_prefix(&lead, inner)?;
        }
        Ok(())
    }

    /// Prints the pending events in full.
    pub(super) fn print_pending_events(&mut self) -> io::Result<()> {
        let events = std::mem::take(&mut self.pending_events);
        if !matches!(events.first(), None | Some(StoryEvent::Heading { .. })) {
            writeln!(self.output)?;
        }
        events.iter().try_for_each(|event| self.print_event(event))
    }

    /// Prints the pending events before a question; summarized if the prompt repeats in brief mode.
    pub(super) fn print_pending_before_prompt(
        &mut self,
        prompt: &Prompt,
        view: &View,
    ) -> io::Result<()> {
        let previous_scene = self.repeating_scene.take();
        self.repeating_scene = (self.is_brief && prompt.repeats).then(|| prompt.scene.clone());
        self.is_repeating =
            self.repeating_scene.is_some() && previous_scene == self.repeating_scene;
        if !self.is_repeating {
            return self.print_pending_events();
        }
        let question =
            question_lines::choice_lines(prompt, &self.choice_numbers, self.question_style());
        let lines = question.lines.into_iter();
        let choice_texts: Vec<String> = lines.map(|(lead, line)| format!("{lead}{line}")).collect();
        let question_parts =
            [choice_texts.join(" "), text::strip_markup(&prompt.text), self.changed_status(view)];
        let room = brief_events::MAX_REPETITION_WORDS
            .saturating_sub(brief_events::count_words(&question_parts.join(" ")));
        let events = std::mem::take(&mut self.pending_events);
        if !events.is_empty() {
            writeln!(self.output)?;
        }
        for (lead, line) in brief_events::summarize_events(&events, room) {
            self.print_with_prefix(lead, &line)?;
        }
        Ok(())
    }

    pub(super) fn print_event(&mut self, event: &StoryEvent) -> io::Result<()> {
        match event {
            // A screen reader would read text art as a string of symbols.
            StoryEvent::Say { text } => {
                match text_wrap::strip_text_art(&text::strip_markup(text)) {
                    words if words.is_empty() && !text.is_empty() => Ok(()),
                    words => self.print(&words),
                }
            }
            StoryEvent::Heading { text } => {
                writeln!(self.output)?;
                self.print(&format!("-- {} --", display_text::markup_on_one_line(text)))
            }
            StoryEvent::Note { text } => self.print(&format!("({})", text::strip_markup(text))),
            StoryEvent::Gain { text } => self.print_with_prefix("+ ", &text::strip_markup(text)),
            StoryEvent::Loss { text } => self.print_with_prefix("- ", &text::strip_markup(text)),
            StoryEvent::Roll(roll) => self.print_with_prefix("* ", &display_text::roll_text(roll)),
        }
    }

    pub(super) fn print_story_entry(&mut self, entry: &StoryEntry) -> io::Result<()> {
        match entry {
            StoryEntry::Event(event) => self.print_event(event),
            StoryEntry::Answer(words) => {
                writeln!(self.output)?;
                self.print_with_prefix("> ", words)
            }
        }
    }

    /// The status, if it has changed since it was printed; if the prompt repeats in brief mode,
    /// only the changed parts.
    pub(super) fn changed_status(&self, view: &View) -> String {
        let status = command_output::status_line(view);
        if status == self.printed_status {
            return String::new();
        }
        let printed_parts: Vec<&str> = self.printed_status.split("; ").collect();
        let changed_parts: Vec<&str> =
            status.split("; ").filter(|part| !printed_parts.contains(part)).collect();
        if self.is_repeating { changed_parts.join("; ") } else { status }
    }

    /// Prints the status.
    pub(super) fn print_status(&mut self, view: &View) -> io::Result<()> {
        let changed_status = self.changed_status(view);
        self.printed_status = command_output::status_line(view);
        if changed_status.is_empty() { Ok(()) } else { self.print(&format!("[{changed_status}]")) }
    }
}

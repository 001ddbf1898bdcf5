//! The plain-text frontend: append-only text, one thing per line, numbered choices. It moves no
//! cursor and sets no colour, so it suits screen readers, pipes and files.

mod answer_parser;
mod brief_events;
mod choice_numbers;
mod command_output;
mod commands;
mod input_lines;
mod printing;
mod question_lines;
mod widget_picture;

use answer_parser::parse_typed_line;
use base::host_text;
use std::io::{self, BufRead, Write};

pub use answer_parser::{ParsedLine, PlainTextCommand, parse_answer_line};
pub use choice_numbers::ChoiceNumbers;
pub(crate) use input_lines::LineEvent;
pub use input_lines::LineReader;
pub use widget_picture::widget_picture;

use super::auto_travel::{self, AutoTravel};
use super::file_watch::ReloadSignal;
use super::form::{self, Form, RowChange};
use super::frontend::{Answer, Frontend};
use super::preferences::Preferences;
use super::story_log::{LogReader, StoryLog};
use super::terms::ExplainedTerm;
use base::{Code, Problem, SourceLocation, text};
use protocol::{AcceptedInput, Prompt, StoryEntry, StoryEvent, View};

/// The plain-text frontend over any input and output.
pub struct PlainText<R, W> {
    line_reader: LineReader<R>,
    output: W,
    columns: usize,
    /// Earlier events and answers.
    log: StoryLog,
    printed_status: String,
    reload_signal: Option<ReloadSignal>,
    stale_reason: String,
    terms: Vec<ExplainedTerm>,
    can_undo: bool,
    /// The travel in progress.
    auto_travel: Option<AutoTravel>,
    /// The form of the prompt, and the row change in progress.
    form: Option<Form>,
    row_change: Option<RowChange>,
    /// Whether questions are asked in few words.
    is_brief: bool,
    /// The scene of the repeating prompt that was asked last, if any; whether it repeats now; and
    /// the events since then, which are printed with the next question.
    repeating_scene: Option<String>,
    is_repeating: bool,
    pending_events: Vec<StoryEvent>,
    choice_numbers: ChoiceNumbers,
}

/// The most entries of an earlier story that are printed again.
const MAX_REPRINTED_ENTRIES: usize = 40;

/// The columns of the terminal, but at most `max_columns`.
pub fn terminal_columns(max_columns: usize) -> usize {
    let (columns, _) = crossterm::terminal::size().unwrap_or_default();
    if columns == 0 { max_columns } else { usize::from(columns).min(max_columns) }
}

impl<R: BufRead, W: Write> PlainText<R, W> {
    /// Creates a frontend that wraps lines at `columns`.
    pub fn new(lines: LineReader<R>, out: W, columns: usize) -> Self {
        Self {
            line_reader: lines,
            output: out,
            columns,
            log: StoryLog::default(),
            printed_status: String::new(),
            reload_signal: None,
            stale_reason: String::new(),
            terms: Vec::new(),
            can_undo: false,
            auto_travel: None,
            form: None,
            row_change: None,
            is_brief: false,
            repeating_scene: None,
            is_repeating: false,
            pending_events: Vec::new(),
            choice_numbers: ChoiceNumbers::default(),
        }
    }

    /// How many lines have been read.
    pub fn lines_read(&self) -> u32 {
        self.line_reader.line_number()
    }

    /// The output.
    pub fn into_output(self) -> W {
        self.output
    }

    fn question_style(&self) -> question_lines::QuestionStyle {
        match (self.is_brief, self.is_repeating) {
            (false, _) => question_lines::QuestionStyle::Full,
            (true, false) => question_lines::QuestionStyle::Brief,
            (true, true) => question_lines::QuestionStyle::BriefRound,
        }
    }

    fn print_prompt(
        &mut self,
        prompt: &Prompt,
        view: &View,
        style: question_lines::QuestionStyle,
    ) -> io::Result<()> {
        writeln!(self.output)?;
        // Host prompts have no status; their view has only a title.
        if !(prompt.is_from_host() && view.widgets.is_empty()) {
            self.print_status(view)?;
        }
        if !self.stale_reason.is_empty() {
            let stale = format!("[{}]", host_text!("stale: {why}", why = self.stale_reason));
            self.print(&stale)?;
        }
        if !prompt.text.is_empty() {
            self.print(&text::strip_markup(&prompt.text))?;
        }
        let rows = self.form.iter().flat_map(Form::describe_rows).collect::<Vec<_>>();
        for row in rows {
            self.print_with_prefix("- ", &row)?;
        }
        let question_lines::QuestionLines { lines, named_choices } =
            question_lines::choice_lines(prompt, &self.choice_numbers, style);
        for (lead, line) in lines {
            self.print_with_prefix(&lead, &line)?;
        }
        self.choice_numbers.mark_choices_named(prompt, &named_choices);
        match command_output::input_hint(&prompt.answer_type) {
            Some(wanted) => self.print(&wanted),
            None => Ok(()),
        }
    }

    /// Parses a line that sets a form row or names one of its choices.
    fn parse_form_line(
        &mut self,
        line: &str,
        full_prompt: &Prompt,
    ) -> Option<Result<AcceptedInput, String>> {
        let form = self.form.as_ref()?;
        if let Some(set) = form.parse_row_line(line, &full_prompt.scene) {
            return Some(set.map(|(setting, input)| {
                self.row_change = setting;
                input
            }));
        }
        Some(full_prompt.choice(line.trim())?.accept())
    }

    /// Asks until there is an answer.
    fn ask_until_answered(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        if let Some((travel, input)) =
            self.auto_travel.take().and_then(|travel| travel.next_answer(prompt, view))
        {
            self.auto_travel = Some(travel);
            self.print_pending_events()?;
            return Ok(Answer::Input(input));
        }
        let view = &*auto_travel::label_unnamed_places(prompt, view);
        let (full_prompt, (rest, form)) = (prompt, form::split_off_form(prompt, view));
        let change_and_form = self.row_change.take().zip(form.as_ref());
        let shortfall =
            change_and_form.as_ref().and_then(|(set, form)| set.explain_shortfall(form));
        if let Some((setting, input)) =
            change_and_form.and_then(|(set, form)| set.next_row_answer(prompt, form))
        {
            self.row_change = Some(setting);
            return Ok(Answer::Input(input));
        }
        self.form = form;
        let prompt = &rest;
        self.choice_numbers.assign_numbers(prompt, &view.title);
        self.print_pending_before_prompt(prompt, view)?;
        self.print_prompt(prompt, view, self.question_style())?;
        if let Some(short) = shortfall {
            self.print(&format!("{short}."))?;
        }
        // The input that waits for confirmation.
        let mut unconfirmed_input: Option<AcceptedInput> = None;
        loop {
            write!(self.output, "> ")?;
            self.output.flush()?;
            let line = match self.line_reader.next_event(self.reload_signal.as_ref())? {
                LineEvent::Line(line) => line,
                came => {
                    writeln!(self.output)?;
                    return Ok(if matches!(came, LineEvent::ModsChanged) {
                        Answer::Reload
                    } else {
                        Answer::Quit
                    });
                }
            };
            if self.line_reader.is_echoed() {
                writeln!(self.output, "{}", text::strip_unprintable(&line))?;
            }
            if let Some(input) = unconfirmed_input.take().filter(|_| question_lines::is_yes(&line))
            {
                return Ok(Answer::Input(input));
            }
            let is_script = self.line_reader.script_name().is_some();
            let parse = if is_script { parse_answer_line } else { parse_typed_line };
            let answer = match parse(prompt, &self.choice_numbers, &line) {
                ParsedLine::Rejected(_) if self.is_console_line(&line) => {
                    let line = line.trim().trim_start_matches(':').trim();
                    Some(Answer::ConsoleLine(line.to_owned()))
                }
                ParsedLine::Input(input) => {
                    match question_lines::confirm_question(prompt, &input, &line) {
                        // An answer that can be undone needs no confirmation.
                        Some(dear) if !self.can_undo && !is_script => {
                            self.print(&host_text!(
                                "{question} Type \"{yes}\" to do it; anything else cancels.",
                                question = dear,
                                yes = question_lines::yes_word()
                            ))?;
                            unconfirmed_input = Some(input);
                            None
                        }
                        _ => Some(Answer::Input(input)),
                    }
                }
                ParsedLine::Command(command) => self.run_command(&command, prompt, view)?,
                ParsedLine::Rejected(why) => {
                    match self.parse_form_line(&line, full_prompt).unwrap_or(Err(why)) {
                        Ok(input) => Some(Answer::Input(input)),
                        Err(why) => self.reject_line(
                            &line,
                            &(why + answer_parser::encoding_note(&line)),
                            prompt,
                        )?,
                    }
                }
            };
            if let Some(answer) = answer {
                return Ok(answer);
            }
        }
    }

    /// Whether a line that is not a command is for the console.
    fn is_console_line(&self, line: &str) -> bool {
        self.reload_signal.is_some() && line.trim_start().starts_with(':')
    }

    /// Handles a line that is not an answer: a person is asked again, a script stops.
    fn reject_line(
        &mut self,
        line: &str,
        why: &str,
        prompt: &Prompt,
    ) -> io::Result<Option<Answer>> {
        let Some(script) = self.line_reader.script_name() else {
            self.print(&host_text!(
                "{why}. \"{help}\" lists what you can do.",
                why = why,
                help = "help"
            ))?;
            return Ok(None);
        };
        let place = SourceLocation::new("", script, self.line_reader.line_number())
            .with_excerpt(text::strip_unprintable(line));
        let mut expected = command_output::expected_answer(prompt);
        let examples = self.form.as_ref().map(Form::example_lines).unwrap_or_default();
        if !examples.is_empty() {
            expected.push_str(&format!("; or a row of the form, as in: {}", examples.join(", ")));
        }
        let problem = Problem::error(Code::BadAnswer, why).at(place).expected(expected);
        Ok(Some(Answer::BadScriptLine(problem)))
    }
}

/// The page beside a run that keeps the numbers of choices.
const NUMBERS_PAGE: &str = "numbers.json";

impl<R: BufRead, W: Write> Frontend for PlainText<R, W> {
    fn begin_story(&mut self, past: &[StoryEntry]) -> io::Result<()> {
        self.log.restart_with(past);
        self.choice_numbers.clear_named_choices();
        self.pending_events.clear();
        self.printed_status.clear();
        let heading = past.iter().rposition(StoryEntry::is_heading);
        let from = heading.unwrap_or(0).max(past.len().saturating_sub(MAX_REPRINTED_ENTRIES));
        if from > 0 {
            writeln!(self.output)?;
            self.print(&host_text!(
                "(The story so far is longer; \"{log}\" shows all of it.)",
                log = "log"
            ))?;
        }
        past[from..].iter().try_for_each(|past| self.print_story_entry(past))
    }

    fn show_events(&mut self, events: &[StoryEvent]) -> io::Result<()> {
        self.show_story(&StoryEntry::of_step(None, events.to_vec()))
    }

    fn show_story(&mut self, story: &[StoryEntry]) -> io::Result<()> {
        self.auto_travel.take_if(|_| {
            AutoTravel::is_ended_by_events(story.iter().filter_map(StoryEntry::event))
        });
        self.log.extend(story.iter().cloned());
        // The line of the answer stands above already.
        self.pending_events.extend(story.iter().filter_map(StoryEntry::event).cloned());
        match self.is_brief
            && self.repeating_scene.is_some()
            && self.auto_travel.is_none()
            && !story.iter().any(StoryEntry::is_heading)
        {
            true => Ok(()),
            false => self.print_pending_events(),
        }
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        let answer = self.ask_until_answered(prompt, view)?;
        match self.line_reader.drop_pasted_lines()? {
            0 => {}
            1 => self.print(&host_text!("(1 pasted line was ignored.)"))?,
            more => {
                self.print(&host_text!("({count} pasted lines were ignored.)", count = more))?
            }
        }
        Ok(answer)
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.print_pending_events()?;
        writeln!(self.output)?;
        self.print_lines(&command_output::view_lines(page))
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        self.print_pending_events()?;
        writeln!(self.output)?;
        // Not wrapped, because the caret must stay below its place in the excerpt.
        writeln!(self.output, "{}", text::strip_unprintable(&problem.to_string()))
    }

    fn set_reload_signal(&mut self, reload_signal: Option<ReloadSignal>) {
        self.reload_signal = reload_signal;
    }

    fn set_terms(&mut self, terms: Vec<ExplainedTerm>) {
        self.terms = terms;
    }

    fn set_log_reader(&mut self, reader: Option<LogReader>) {
        self.log.set_reader(reader);
    }

    fn saved_keys(&self) -> Option<(&'static str, String)> {
        Some((NUMBERS_PAGE, self.choice_numbers.to_text()))
    }

    fn restore_keys(&mut self, _: &str, read_page: &mut dyn FnMut(&str) -> Option<String>) {
        let restored_numbers = read_page(NUMBERS_PAGE).map(|text| ChoiceNumbers::from_text(&text));
        self.choice_numbers = restored_numbers.unwrap_or_default();
    }

    fn set_stale_mods_reason(&mut self, why: Option<&str>) {
        self.stale_reason = why.unwrap_or_default().to_owned();
    }

    fn apply_preferences(&mut self, preferences: &Preferences) {
        self.is_brief = preferences.uses_brief_text.unwrap_or(false);
    }

    fn set_run_label(&mut self, words: &str, can_undo: bool) -> io::Result<()> {
        self.can_undo = can_undo;
        self.print_pending_events()?;
        if words.is_empty() { Ok(()) } else { self.print(&format!("({words}.)")) }
    }

    fn output_stays_visible(&self) -> bool {
        !self.line_reader.is_echoed()
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.print_pending_events()?;
        // Not wrapped, because these lines are for copying.
        for line in last_lines {
            writeln!(self.output, "{}", text::strip_unprintable(line))?;
        }
        self.output.flush()
    }
}

//! The plain-text frontend: append-only text, one thing per line, numbered choices. It moves no
//! cursor and sets no colour, so it suits screen readers, pipes and files.

mod answer;
mod between;
mod lines;
mod numbers;
mod page;
mod question;
mod telling;

use std::io::{self, BufRead, Write};

pub use answer::{Command, Reading, read};
use lines::Came;
pub use lines::Lines;
pub use numbers::Numbers;

use super::errand::{self, Errand};
use super::form::{self, Form, Setting};
use super::front::{Answer, Front};
use super::log::{Log, LogReader};
use super::preferences::Preferences;
use super::watch::Bell;
use crate::kit::{Place, Problem, text};
use crate::play::{Event, Input, Past, Prompt, View};

/// The plain-text frontend over any input and output.
pub struct Plain<R, W> {
    lines: Lines<R>,
    out: W,
    columns: usize,
    /// Earlier events and answers.
    log: Log,
    status: String,
    bell: Option<Bell>,
    stale: String,
    practice: bool,
    /// The travel in progress.
    errand: Option<Errand>,
    /// The form of the prompt, and the row change in progress.
    form: Option<Form>,
    setting: Option<Setting>,
    /// Whether questions are asked in few words.
    brief: bool,
    /// The scene of the repeating prompt that was asked last, if any; whether it repeats now; and
    /// the events since then, which are printed with the next question.
    round: Option<String>,
    in_rounds: bool,
    between: Vec<Event>,
    numbers: Numbers,
}

/// The most entries of an earlier story that are printed again.
const RETOLD: usize = 40;

/// The columns of the terminal, but at most `most`.
pub fn terminal_columns(most: usize) -> usize {
    let (columns, _) = crossterm::terminal::size().unwrap_or_default();
    if columns == 0 { most } else { usize::from(columns).min(most) }
}

impl<R: BufRead, W: Write> Plain<R, W> {
    /// Creates a frontend that wraps lines at `columns`.
    pub fn new(lines: Lines<R>, out: W, columns: usize) -> Self {
        Self {
            lines,
            out,
            columns,
            log: Log::default(),
            status: String::new(),
            bell: None,
            stale: String::new(),
            practice: false,
            errand: None,
            form: None,
            setting: None,
            brief: false,
            round: None,
            in_rounds: false,
            between: Vec::new(),
            numbers: Numbers::default(),
        }
    }

    /// How many lines have been read.
    pub fn lines_read(&self) -> u32 {
        self.lines.number()
    }

    /// The output.
    pub fn into_output(self) -> W {
        self.out
    }

    fn say_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<()> {
        writeln!(self.out)?;
        // Host prompts have no status; their view has only a title.
        if !(prompt.scene.starts_with("host:") && view.widgets.is_empty()) {
            self.say_status(view)?;
        }
        if !self.stale.is_empty() {
            let stale = format!("[stale: {}]", self.stale);
            self.say(&stale)?;
        }
        if !prompt.text.is_empty() {
            self.say(&text::unmarked(&prompt.text))?;
        }
        let rows = self.form.iter().flat_map(Form::in_words).collect::<Vec<_>>();
        for row in rows {
            self.say_behind("- ", &row)?;
        }
        for (lead, line) in question::lines(prompt, &self.numbers, self.brief) {
            self.say_behind(&lead, &line)?;
        }
        self.numbers.is_told(prompt);
        match page::wanted(&prompt.ask) {
            Some(wanted) => self.say(&wanted),
            None => Ok(()),
        }
    }

    /// Runs a command; returns an answer if it ends the question.
    fn obey(
        &mut self,
        command: &Command,
        prompt: &Prompt,
        view: &View,
    ) -> io::Result<Option<Answer>> {
        match command {
            Command::Leave => return Ok(Some(Answer::Leave)),
            Command::Undo if self.practice => return Ok(Some(Answer::Undo)),
            Command::Undo => self.say("Only answers of a practice run can be undone.")?,
            Command::Why(what) => self.say_all(&page::why(what, prompt, &self.numbers))?,
            Command::Quit => return Ok(Some(Answer::Quit)),
            Command::Reload => return Ok(Some(Answer::Reload)),
            Command::Again => {
                self.numbers.forget_told();
                self.say_prompt(prompt, view)?;
            }
            Command::Brief(brief) => {
                self.brief = *brief;
                self.say_prompt(prompt, view)?;
            }
            Command::Help => self.say_all(&page::help(prompt, self.practice))?,
            Command::Sheet => self.say_all(&page::sheet(view))?,
            Command::Map => self.say_all(&page::map(view))?,
            Command::Explore => return self.set_out(Errand::explore(prompt, view)),
            Command::Go(name) => {
                let place = errand::named(name, view);
                return self.set_out(place.and_then(|place| Errand::to(&place, prompt, view)));
            }
            Command::Odds => self.say_all(&page::odds(prompt, &self.numbers))?,
            Command::Look(what) => self.say_all(&page::look(what, prompt, view, &self.numbers))?,
            Command::Log(most) => {
                let log = self.log.all();
                let from = most.map_or(0, |most| log.len().saturating_sub(most));
                log[from..].iter().try_for_each(|past| self.tell_past(past))?;
            }
        }
        Ok(None)
    }

    /// Starts a travel: the first of several answers, or why there is none.
    fn set_out(&mut self, way: Result<(Errand, Input), String>) -> io::Result<Option<Answer>> {
        match way {
            Ok((errand, input)) => {
                self.errand = Some(errand);
                Ok(Some(Answer::Input(input)))
            }
            Err(why) => self.say(&format!("{why}.")).map(|()| None),
        }
    }

    /// Parses a line that sets a form row or names one of its choices.
    fn set(&mut self, line: &str, whole: &Prompt) -> Option<Result<Input, String>> {
        let form = self.form.as_ref()?;
        if let Some(set) = form.read(line, &whole.scene) {
            return Some(set.map(|(setting, input)| {
                self.setting = setting;
                input
            }));
        }
        let input = Input::Choice(whole.choice(line.trim())?.id.clone());
        Some(whole.accepts(&input).map(|()| input))
    }

    /// Asks until there is an answer.
    fn put(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        if let Some((errand, input)) =
            self.errand.take().and_then(|errand| errand.go_on(prompt, view))
        {
            self.errand = Some(errand);
            self.tell_whole()?;
            return Ok(Answer::Input(input));
        }
        let view = &*errand::with_doors_named(prompt, view);
        let (whole, (rest, form)) = (prompt, form::split(prompt, view));
        let setting = self.setting.take().zip(form.as_ref());
        let short = setting.as_ref().and_then(|(set, form)| set.fell_short(form));
        if let Some((setting, input)) = setting.and_then(|(set, form)| set.go_on(prompt, form)) {
            self.setting = Some(setting);
            return Ok(Answer::Input(input));
        }
        self.form = form;
        let prompt = &rest;
        self.numbers.give(prompt, &view.title);
        self.tell_between(prompt, view)?;
        self.say_prompt(prompt, view)?;
        if let Some(short) = short {
            self.say(&format!("{short}."))?;
        }
        // The input that waits for confirmation.
        let mut sure: Option<Input> = None;
        loop {
            write!(self.out, "> ")?;
            self.out.flush()?;
            let line = match self.lines.next_or_bell(self.bell.as_ref())? {
                Came::Line(line) => line,
                came => {
                    writeln!(self.out)?;
                    return Ok(if matches!(came, Came::Bell) {
                        Answer::Reload
                    } else {
                        Answer::Quit
                    });
                }
            };
            if self.lines.echoes() {
                writeln!(self.out, "{}", text::clean(&line))?;
            }
            if let Some(input) = sure.take().filter(|_| question::is_yes(&line)) {
                return Ok(Answer::Input(input));
            }
            let done = match read(prompt, &self.numbers, &line) {
                Reading::Wrong(_) if self.for_console(&line) => {
                    let line = line.trim().trim_start_matches(':').trim();
                    Some(Answer::Console(line.to_owned()))
                }
                Reading::Input(input) => match question::dear(prompt, &input, &line) {
                    Some(dear) if self.lines.script().is_none() => {
                        self.say(&format!("{dear} Type \"yes\" to do it; anything else cancels."))?;
                        sure = Some(input);
                        None
                    }
                    _ => Some(Answer::Input(input)),
                },
                Reading::Command(command) => self.obey(&command, prompt, view)?,
                Reading::Wrong(why) => match self.set(&line, whole).unwrap_or(Err(why)) {
                    Ok(input) => Some(Answer::Input(input)),
                    Err(why) => self.wrong(&line, &why, prompt)?,
                },
            };
            if let Some(answer) = done {
                return Ok(answer);
            }
        }
    }

    /// Whether a line that is not a command is for the console.
    fn for_console(&self, line: &str) -> bool {
        self.bell.is_some() && line.trim_start().starts_with(':')
    }

    /// Handles a line that is not an answer: a person is asked again, a script stops.
    fn wrong(&mut self, line: &str, why: &str, prompt: &Prompt) -> io::Result<Option<Answer>> {
        let Some(script) = self.lines.script() else {
            self.say(&format!("{why}. \"help\" lists what you can do."))?;
            return Ok(None);
        };
        let place = Place::new("", script, self.lines.number()).with_excerpt(text::clean(line));
        let mut expected = page::expected(prompt);
        let ways = self.form.as_ref().map(Form::ways).unwrap_or_default();
        if !ways.is_empty() {
            expected.push_str(&format!("; or a row of the form, as in: {}", ways.join(", ")));
        }
        let problem = Problem::error("bad-answer", why).at(place).expected(expected);
        Ok(Some(Answer::Stop(problem)))
    }
}

impl<R: BufRead, W: Write> Front for Plain<R, W> {
    fn begin(&mut self, past: &[Past]) -> io::Result<()> {
        self.log.begin(past);
        self.numbers.forget_told();
        self.between.clear();
        self.status.clear();
        let heading = past.iter().rposition(Past::is_heading);
        let from = heading.unwrap_or(0).max(past.len().saturating_sub(RETOLD));
        if from > 0 {
            writeln!(self.out)?;
            self.say("(The story so far is longer; \"log\" shows all of it.)")?;
        }
        past[from..].iter().try_for_each(|past| self.tell_past(past))
    }

    fn tell(&mut self, events: &[Event]) -> io::Result<()> {
        self.errand.take_if(|_| Errand::ends_with(events));
        events.iter().cloned().for_each(|event| self.log.push(Past::Told(event)));
        self.between.extend_from_slice(events);
        let heading = events.iter().any(|event| matches!(event, Event::Heading { .. }));
        match self.brief && self.round.is_some() && self.errand.is_none() && !heading {
            true => Ok(()),
            false => self.tell_whole(),
        }
    }

    fn ask(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        let answer = self.put(prompt, view)?;
        match self.lines.drop_pasted()? {
            0 => {}
            1 => self.say("(1 pasted line was ignored.)")?,
            more => self.say(&format!("({more} pasted lines were ignored.)"))?,
        }
        match &answer {
            Answer::Input(Input::Choice(id)) if view.sets(id) => {}
            Answer::Input(input) => self.log.push(Past::Answered(prompt.in_words(input))),
            _ => {}
        }
        Ok(answer)
    }

    fn show(&mut self, page: &View) -> io::Result<()> {
        self.tell_whole()?;
        writeln!(self.out)?;
        self.say_all(&page::whole(page))
    }

    fn trouble(&mut self, problem: &Problem) -> io::Result<()> {
        self.tell_whole()?;
        writeln!(self.out)?;
        // Not wrapped, because the caret must stay below its place in the excerpt.
        writeln!(self.out, "{}", text::clean(&problem.to_string()))
    }

    fn workbench(&mut self, bell: Option<Bell>) {
        self.bell = bell;
    }

    fn read_log_from(&mut self, reader: Option<LogReader>) {
        self.log.read_from(reader);
    }

    fn recall(&mut self, _: &str, met: &mut dyn FnMut() -> Option<(Prompt, View)>) {
        // Restores the number of each choice.
        self.numbers = Numbers::default();
        while let Some((prompt, view)) = met() {
            self.numbers.give(&form::split(&prompt, &view).0, &view.title);
        }
    }

    fn stale(&mut self, why: Option<&str>) {
        self.stale = why.unwrap_or_default().to_owned();
    }

    fn prefer(&mut self, preferences: &Preferences) {
        self.brief = preferences.brief.unwrap_or(false);
    }

    fn mark(&mut self, words: &str, may_undo: bool) -> io::Result<()> {
        self.practice = may_undo;
        self.tell_whole()?;
        if words.is_empty() { Ok(()) } else { self.say(&format!("({words}.)")) }
    }

    fn stays_in_sight(&self) -> bool {
        !self.lines.echoes()
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.tell_whole()?;
        // Not wrapped, because these lines are for copying.
        for line in last_lines {
            writeln!(self.out, "{}", text::clean(line))?;
        }
        self.out.flush()
    }
}

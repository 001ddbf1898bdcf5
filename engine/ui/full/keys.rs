//! Handles keys on the screen.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::atlas::Turned;
use super::cards;
use super::keymap::Action;
use super::overlay::Overlay;
use super::screen::{Asked, Screen};
use super::sight::Open;
use crate::kit::text;
use crate::play::{Ask, Input};
use crate::ui::errand::Errand;
use crate::ui::facts;
use crate::ui::front::Answer;

/// The prefix of the scenes of host prompts.
pub(super) const HOST: &str = "host:";
/// The ids of their choices that go back.
pub(super) const BACK: [&str; 3] = ["host:back", "back", "title"];
/// The notice if no choice leads to a place.
const NO_WAY: &str = "No choice here leads to a place.";
/// The notice if answers cannot be undone.
const NO_PRACTICE: &str = "Only answers of a practice run can be undone.";
/// Notices that ask for a second press: before dice are rolled for a choice that was not focused on
/// purpose, and before a choice is taken in a prompt that could be left.
const ONCE_MORE: [&str; 2] = ["again to roll the dice for:", "again to take:"];

impl Screen {
    /// Handles a key; returns an answer if it gave one. Only key presses count.
    pub fn press(&mut self, key: KeyEvent) -> Option<Answer> {
        if key.kind != KeyEventKind::Press {
            return None;
        }
        self.asked.notice.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'C')) {
            return Some(Answer::Quit);
        }
        if control || key.modifiers.contains(KeyModifiers::ALT) {
            return None;
        }
        if let Some(overlay) = &mut self.overlay {
            match overlay.on_map(key.code, &self.keymap) {
                Some(Turned::Stays) => {}
                Some(Turned::Closes) => self.overlay = None,
                Some(Turned::Goes(place)) => return self.set_out(Some(&place)),
                None if overlay.press(key.code, &self.keymap) => self.overlay = None,
                None => {}
            }
            return None;
        }
        if let Some(line) = &mut self.line {
            match key.code {
                KeyCode::Esc => self.line = None,
                KeyCode::Backspace if line.pop().is_none() => self.line = None,
                KeyCode::Char(c) if text::is_plain(c) && c != '\n' => line.push(c),
                KeyCode::Enter => {
                    let line = self.line.take().unwrap_or_default();
                    return Some(self.broken_off(Answer::Console(line)));
                }
                _ => {}
            }
            return None;
        }
        let action = self.keymap.action(key.code);
        if let Some(pressed) = self.press_form(key.code, action) {
            return pressed;
        }
        if self.asked.writes() {
            match (key.code, action) {
                (KeyCode::F(1), _) => self.overlay = Some(Overlay::help(&self.hints())),
                (KeyCode::PageUp, _) => self.story.scroll(-1),
                (KeyCode::PageDown, _) => self.story.scroll(1),
                (code, _) => return self.write(code),
            }
            return None;
        }
        match action {
            Some(Action::PageUp) => self.story.scroll(-1),
            Some(Action::PageDown) => self.story.scroll(1),
            Some(Action::Help) => self.overlay = Some(Overlay::help(&self.hints())),
            Some(Action::Leave) => return Some(Answer::Leave),
            Some(Action::Undo) if self.practice => return Some(Answer::Undo),
            Some(Action::Undo) => self.asked.notice = NO_PRACTICE.to_owned(),
            Some(Action::Reload) => return Some(self.broken_off(Answer::Reload)),
            Some(Action::Console) if self.console => self.line = Some(String::new()),
            Some(Action::Log) => self.overlay = Some(self.log()),
            Some(Action::Search) => self.overlay = Some(self.log().search()),
            Some(Action::Sheet) => self.overlay = Some(Overlay::page(&self.asked.view)),
            Some(Action::Map) => self.open_map(),
            Some(Action::Explore) if self.asked.leads_on() => return self.set_out(None),
            Some(Action::Explore) => self.asked.notice = NO_WAY.to_owned(),
            Some(Action::Examine) => self.examine(),
            Some(Action::Mark) if !self.takes_several() => self.story.scroll(1),
            // New text is read before a choice is taken.
            Some(Action::Take) if self.reads_on() => {
                self.asked.read_on = true;
                self.story.scroll(1);
            }
            // A stray press while reading must not take a choice with consequences.
            Some(Action::Take) if self.asked.is_unmeant() => {
                self.asked.aimed = true;
                let focused = self.asked.focused();
                let label = focused.map(facts::choice_label).unwrap_or_default();
                let dice = focused.is_some_and(|choice| choice.odds.is_some());
                let key = self.keymap.shown(Action::Take);
                self.asked.notice =
                    format!("Press {key} {} {label}.", ONCE_MORE[usize::from(!dice)]);
            }
            action => return self.answer(key.code, action),
        }
        None
    }

    /// Opens the card of the focused choice, or else the first card.
    fn examine(&mut self) {
        let all = cards::all(&self.asked.prompt, &self.asked.view, self.asked.focused_at());
        if all.is_empty() {
            self.asked.notice = "There is nothing to examine here.".to_owned();
            return;
        }
        let focused = all
            .iter()
            .position(|(choice, ..)| *choice == self.asked.focused_at() && choice.is_some());
        let of_view = all.iter().position(|(choice, ..)| choice.is_none());
        let at = focused.or(of_view).unwrap_or(0);
        let cards = all.into_iter().map(|(_, name, card)| (name, card)).collect();
        self.overlay = Some(Overlay::cards(cards, at));
    }

    /// Starts a travel to a place, or to the nearest unvisited one: the first of several answers.
    fn set_out(&mut self, place: Option<&str>) -> Option<Answer> {
        self.overlay = None;
        let Asked { prompt, view, .. } = &self.asked;
        let set_out = match place {
            Some(place) => Errand::to(place, prompt, view),
            None => Errand::explore(prompt, view),
        };
        match set_out {
            Ok((errand, input)) => {
                self.errand = Some(errand);
                self.offer(input)
            }
            Err(why) => {
                self.asked.notice = format!("{why}.");
                None
            }
        }
    }

    /// The next answer of a travel; `None` if it has arrived or something else is asked.
    pub fn go_on(&mut self) -> Option<Answer> {
        let (errand, input) = self.errand.take()?.go_on(&self.asked.prompt, &self.asked.view)?;
        self.errand = Some(errand);
        self.offer(input)
    }

    /// Opens the map, if there is one.
    fn open_map(&mut self) {
        match Overlay::map(&self.asked.prompt, &self.asked.view) {
            Some(overlay) => self.overlay = Some(overlay),
            None => self.asked.notice = "There is no map here.".to_owned(),
        }
    }

    /// Whether there is new text to read before a choice is taken.
    pub(super) fn reads_on(&self) -> bool {
        let begun = !self.asked.typed.is_empty();
        self.story.is_unread() && !begun && self.asked.prompt.ask == Ask::One
    }

    pub(super) fn takes_several(&self) -> bool {
        matches!(self.asked.prompt.ask, Ask::Many { .. })
    }

    fn answer(&mut self, code: KeyCode, action: Option<Action>) -> Option<Answer> {
        if let Ask::Number { min, max, .. } = self.asked.prompt.ask {
            return self.count(code, action, min, max);
        }
        let rows = self.asked.rows as isize;
        self.asked.aimed |= action.is_some_and(Action::moves);
        match action {
            Some(Action::Down) => self.asked.step(1),
            Some(Action::Up) => self.asked.step(-1),
            Some(Action::Right) => self.asked.step(rows),
            Some(Action::Left) => self.asked.step(-rows),
            Some(Action::First) => self.asked.focus = 0,
            Some(Action::Last) => {
                self.asked.focus = self.asked.sight.entries().saturating_sub(1);
            }
            Some(Action::Mark) => self.asked.toggle(),
            Some(Action::Close) if self.asked.sight.open != Open::Whole => {
                self.asked.show(Open::Whole)
            }
            Some(Action::Close) => {
                let back = self.asked.way_back()?.to_owned();
                return self.offer(Input::Choice(back));
            }
            Some(Action::Take) if self.takes_several() => return self.offer_many(),
            Some(Action::Take) => {
                self.by_key = false;
                return self.take(None);
            }
            _ => {
                self.by_key = true;
                return self.choose(code);
            }
        }
        None
    }

    /// Takes the choice with this key at once.
    fn choose(&mut self, code: KeyCode) -> Option<Answer> {
        let key = match code {
            KeyCode::Char(key) => key,
            KeyCode::Backspace if self.asked.sight.open != Open::Whole => {
                self.asked.show(Open::Whole);
                return None;
            }
            _ => return None,
        };
        if let Some((page, each)) = self.asked.sight.on_page(key) {
            self.asked.show(Open::Page(page));
            self.asked.focus = each;
            let answer = self.take(Some(key));
            // A disabled choice shows its reason in the list where it was.
            if answer.is_none() && self.asked.sight.open == Open::Page(page) {
                self.asked.show(Open::Whole);
            }
            return answer;
        }
        if self.asked.sight.opened_by(key) {
            self.asked.show(Open::Whole);
            return None;
        }
        let Some(at) = self.asked.sight.with_key(key) else {
            if !std::mem::replace(&mut self.asked.told_of_keys, true) {
                let help = self.keymap.shown(Action::Help);
                self.asked.notice = format!("{key} does nothing here; {help} lists the keys.");
            }
            return None;
        };
        self.asked.focus = at;
        self.take(Some(key))
    }

    /// Takes what is focused: answers, marks, opens a submenu, or asks for confirmation.
    pub(super) fn take(&mut self, pressed: Option<char>) -> Option<Answer> {
        if self.takes_several() {
            self.asked.toggle();
            return None;
        }
        if let Open::Sure(at) = self.asked.sight.open {
            // The first of the two choices is "no".
            let yes = self.asked.focus == 1;
            let id = self.asked.prompt.choices.get(at)?.id.clone();
            self.asked.show(Open::Whole);
            return if yes { self.offer(Input::Choice(id)) } else { None };
        }
        if let Some(page) = self.asked.sight.page_of(self.asked.focus)
            && self.asked.focused_at().is_none()
        {
            self.asked.show(Open::Page(page));
            return None;
        }
        let (at, choice) = (self.asked.focused_at()?, self.asked.focused()?);
        if let Some(why) = &choice.closed {
            let (label, why) = (text::unmarked(&choice.label), text::unmarked(why));
            self.asked.notice = text::clean(&format!("{label} is closed: {why}."));
            return None;
        }
        if !choice.dear.is_empty() {
            let keymap = &self.keymap;
            let is_free = |key| keymap.taken_by(key).is_none();
            self.asked.sight.ask_sure(&self.asked.prompt, at, pressed, &is_free);
            (self.asked.focus, self.asked.first) = (0, 0);
            return None;
        }
        let id = choice.id.clone();
        self.offer(Input::Choice(id))
    }

    /// Submits the marked choices. With none marked it needs a second press.
    fn offer_many(&mut self) -> Option<Answer> {
        let none = self.asked.marks.is_empty() && !self.asked.prompt.choices.is_empty();
        if none && !std::mem::replace(&mut self.asked.sure_of_none, true) {
            self.asked.notice = match self.asked.prompt.ask {
                Ask::Many { min: 0, .. } => {
                    "Nothing is marked. Press again to choose none.".to_owned()
                }
                _ => return self.offer(Input::Many(Vec::new())),
            };
            return None;
        }
        let chosen = self.asked.marks.iter().filter_map(|at| self.asked.prompt.choices.get(*at));
        let ids = chosen.map(|choice| choice.id.clone()).collect();
        self.offer(Input::Many(ids))
    }

    pub(super) fn offer(&mut self, input: Input) -> Option<Answer> {
        match self.asked.prompt.accepts(&input) {
            Ok(()) => Some(Answer::Input(self.answered(input))),
            Err(why) => {
                self.asked.notice = format!("{}.", text::clean(&why));
                None
            }
        }
    }
}

impl Asked {
    fn step(&mut self, by: isize) {
        let all = self.sight.entries();
        if all > 0 {
            let from = self.focus.min(all - 1) as isize;
            self.focus = (from + by).rem_euclid(all as isize) as usize;
        }
    }

    fn toggle(&mut self) {
        let Some(choice) = self.focused() else { return };
        if let Some(why) = &choice.closed {
            self.notice = format!("Closed: {}", text::unmarked(why));
        } else if !self.marks.remove(&self.focus) {
            self.marks.insert(self.focus);
        }
    }
}

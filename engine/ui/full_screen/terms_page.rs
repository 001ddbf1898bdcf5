//! Help: the keys that work now, and behind them the terms that the game explains.

use base::host_text;

use super::keymap::KeyAction;
use super::overlay::Overlay;
use super::screen::Screen;
use super::widget_lines::{self, Density};
use crate::terms::{ExplainedTerm, split_by_text};
use base::text;
use protocol::Choice;
use ratatui::text::Line;

/// The columns in which the screen is searched for terms: a term is not broken at their end.
const SEARCH_COLUMNS: usize = 1000;
/// The newest lines of the story that are searched.
const SEARCHED_STORY_LINES: usize = 12;

impl Screen {
    /// Sets the terms that the game explains.
    pub fn set_terms(&mut self, terms: Vec<ExplainedTerm>) {
        self.terms = terms;
    }

    /// The keys that work now; the help key leads on to the terms.
    pub(super) fn help_page(&self) -> Overlay {
        let mut hints = self.key_hints();
        if self.terms.is_empty() {
            return Overlay::from_key_hints(&hints);
        }
        let key = self.keymap.key_text(KeyAction::Help);
        let label = host_text!("again: what the terms mean, those of this screen first");
        hints.insert(
            0,
            super::key_hint::KeyHint { all_keys: key.clone(), key, label, drop_order: 0 },
        );
        Overlay::from_key_hints(&hints).with_terms_behind()
    }

    /// The terms: those of the focused choice first, then those of this screen.
    pub(super) fn terms_page(&self) -> Overlay {
        let focused = self.active_prompt.focused_choice().map(choice_text).unwrap_or_default();
        let (of_choice, rest) = split_by_text(&self.terms, &focused);
        let (here, others) = split_by_text(&rest, &self.searched_text());
        let has_groups = !of_choice.is_empty() || !here.is_empty();
        let groups = [
            (host_text!("In the focused choice"), of_choice),
            (host_text!("On this screen"), here),
            (host_text!("Others"), others),
        ];
        let groups = groups.into_iter().filter(|(_, terms)| !terms.is_empty());
        let head = |words: String| ExplainedTerm { names: words, meaning: String::new() };
        let terms = groups
            .flat_map(|(name, terms)| has_groups.then(|| head(name)).into_iter().chain(terms));
        let rows = terms.map(|term| (term.names, term.meaning));
        Overlay::from_rows(&host_text!("Terms"), rows.collect())
    }

    fn searched_text(&self) -> String {
        let line_text = |line: &Line<'_>| -> String {
            line.spans.iter().map(|span| span.content.as_ref()).collect()
        };
        let prompt = &self.active_prompt.prompt;
        let choices = prompt.choices.iter().map(choice_text);
        let story = self.story.all_lines(SEARCH_COLUMNS, self.theme);
        let story = &story[story.len().saturating_sub(SEARCHED_STORY_LINES)..];
        let widgets = widget_lines::widgets_to_lines(
            self.active_prompt.view.widgets.iter(),
            SEARCH_COLUMNS,
            Density::Spaced,
            self.theme,
        );
        let shown = story.iter().chain(&widgets).map(line_text);
        let parts = choices.chain([text::strip_markup(&prompt.text)]);
        parts.chain(shown).collect::<Vec<_>>().join("\n")
    }
}

/// What a choice shows of itself, without markup.
fn choice_text(choice: &Choice) -> String {
    [&choice.label, &choice.note, &choice.cost, &choice.gains]
        .map(|marked| text::strip_markup(marked))
        .join("\n")
}

//! Pages that the title offers: those of the game, and the profile.

use super::run_labels::RunLabels;
use super::title::MENU_LABELS;
use super::{ExitReason, HostPrompts, Menu, content_loading};
use crate::base::Value;
use crate::base::text::{display_value, escape};
use crate::content::{Datum, Registry};
use crate::protocol::View;
use crate::protocol::view::{ListItem, PlacedWidget, Widget, WidgetSlot};

/// A page in the title menu.
pub(super) struct MenuPage {
    /// Its id; without the mod's name for pages of the game itself.
    pub(super) id: String,
    /// The title.
    pub(super) title: String,
}

/// The pages in the title menu, in their declared order.
pub(super) fn menu_pages(registry: &Registry, game: &str) -> Vec<MenuPage> {
    let mut found = Vec::new();
    for page in registry.active_definitions("page") {
        let Some(place) = page.fields.get("menu").and_then(Datum::as_int) else { continue };
        let title = page.fields.get("title").and_then(Datum::as_text).unwrap_or("");
        let name = page.id.name();
        let taken = name == "games" || MENU_LABELS.iter().any(|(word, _)| *word == name);
        let short = page.id.owner() == game && !taken;
        let id = if short { name } else { page.id.as_str() };
        found.push((place, MenuPage { id: id.to_owned(), title: title.to_owned() }));
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, page)| page).collect()
}

impl Menu {
    /// Shows a page of the game.
    pub(super) fn show_page(
        &mut self,
        door: &mut HostPrompts<'_>,
        id: &str,
    ) -> Result<(), ExitReason> {
        let id = if id.contains(':') { id.to_owned() } else { format!("{}:{id}", self.game) };
        let kept = self.profile_data();
        let page = content_loading::ready_vm(&mut self.vm, &self.content).page(&id, &kept);
        match page {
            Ok(page) => Ok(door.frontend.show_page(&page)?),
            Err(problem) => self.show_and_wait(door, &problem),
        }
    }

    /// Shows the profile: with the game's own page, or a generic one.
    pub(super) fn show_profile(&mut self, door: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        let own = format!("{}:profile", self.game);
        if self.registry.get("page", &own).is_some() {
            return self.show_page(door, &own);
        }
        let page = self.profile_page();
        Ok(door.frontend.show_page(&page)?)
    }

    fn profile_page(&self) -> View {
        let profile = self.profile_lock.profile();
        let game = profile.game(&self.game);
        let stat = |label: &str, value: usize| Widget::Stat {
            label: label.to_owned(),
            value: i64::try_from(value).unwrap_or(i64::MAX),
            note: String::new(),
        };
        let facts = game.data.as_map().into_iter().flatten();
        let facts = facts.map(|(key, value)| ListItem {
            label: escape(key),
            note: escape(&short_value(value)),
            card: None,
        });
        let told = RunLabels::of(&self.registry, &self.game);
        let runs = game.history.iter().rev().map(|run| told.run_choice(run));
        let runs = runs.map(|run| ListItem { label: run.label, note: run.note, card: None });
        let list = |label: &str, items, empty: &str| Widget::List {
            label: label.to_owned(),
            items,
            empty: empty.to_owned(),
        };
        let widgets = vec![
            stat("Runs started", usize::try_from(game.runs_started).unwrap_or(usize::MAX)),
            stat("Runs finished", game.history.len()),
            list("Saved data", facts.collect(), "nothing yet"),
            list("Runs, newest first", runs.collect(), "none yet"),
        ];
        let placed =
            widgets.into_iter().map(|widget| PlacedWidget { slot: WidgetSlot::Sheet, widget });
        View { title: escape(&profile.name), widgets: placed.collect() }
    }
}

/// A value in a few words.
fn short_value(value: &Value) -> String {
    match value {
        Value::List(list) => format!("{}", list.len()),
        Value::Map(map) => format!("{}", map.len()),
        plain => display_value(plain),
    }
}

//! Pages that the title offers: those of the game, and the profile.

use super::run_labels::RunLabels;
use super::title::DEFAULT_MENU_LABELS;
use super::{ExitReason, HostPrompts, Menu, content_loading};
use crate::report_names::readable_key;
use crate::terms::{ExplainedTerm, terms_of_page};
use base::Value;
use base::host_text;
use base::text::{display_value, escape_markup};
use content::{Datum, Definition, Registry};
use protocol::view::{ListItem, PlacedWidget, Widget, WidgetSlot};
use protocol::{View, mod_of_table_name};
use session::Session;

/// A page in the title menu.
pub(super) struct MenuPage {
    /// Its id; without the mod's name for pages of the game itself.
    pub(super) id: String,
    /// The title.
    pub(super) title: String,
}

/// The pages in the title menu, in their declared order.
pub(super) fn menu_pages(registry: &Registry, game: &str) -> Vec<MenuPage> {
    let mut ordered_pages = Vec::new();
    for page in registry.active_definitions("page") {
        let Some(order) = page.fields.get("menu").and_then(Datum::as_int) else { continue };
        let title = page.fields.get("title").and_then(Datum::as_text).unwrap_or("");
        let name = page.id.name();
        let is_name_taken =
            name == "games" || DEFAULT_MENU_LABELS.iter().any(|(word, _)| *word == name);
        let uses_short_id = page.id.mod_id() == game && !is_name_taken;
        let id = if uses_short_id { name } else { page.id.as_str() };
        ordered_pages.push((
            order,
            MenuPage { id: id.to_owned(), title: registry.display_text(title).to_owned() },
        ));
    }
    ordered_pages.sort_by_key(|(place, _)| *place);
    ordered_pages.into_iter().map(|(_, page)| page).collect()
}

impl Menu {
    /// Shows a page of the game.
    pub(super) fn show_page(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        id: &str,
    ) -> Result<(), ExitReason> {
        let id = if id.contains(':') { id.to_owned() } else { format!("{}:{id}", self.game_id) };
        let profile_data = self.profile_data();
        let page = content_loading::ensure_vm(&mut self.vm, &self.content)
            .compute_page(&id, &profile_data);
        match page {
            Ok(page) => Ok(host_prompts.frontend.show_page(&page)?),
            Err(problem) => self.show_problem_and_wait(host_prompts, &problem),
        }
    }

    /// The terms that pages of the game explain. A Problem of such a page is shown when it is
    /// opened.
    pub(super) fn explained_terms(&self, session: &mut Session) -> Vec<ExplainedTerm> {
        let profile_data = self.profile_data();
        let registry = session.vm().shared_registry();
        let is_marked = |page: &&Definition| page.get("explains_terms") == Some(&Datum::Bool(true));
        let pages = registry.active_definitions("page").filter(is_marked);
        let views =
            pages.filter_map(|page| session.compute_page(page.id.as_str(), &profile_data).ok());
        views.flat_map(|view| terms_of_page(&view)).collect()
    }

    /// Shows the profile: with the game's own page, or a generic one.
    pub(super) fn show_profile(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<(), ExitReason> {
        let page_id = format!("{}:profile", self.game_id);
        if self.registry.get("page", &page_id).is_some() {
            return self.show_page(host_prompts, &page_id);
        }
        let page = self.profile_page();
        Ok(host_prompts.frontend.show_page(&page)?)
    }

    fn profile_page(&self) -> View {
        let profile = self.profile_lock.profile();
        let game = profile.game_profile(&self.game_id);
        let stat = |label: &str, value: usize| Widget::Stat {
            label: label.to_owned(),
            value: i64::try_from(value).unwrap_or(i64::MAX),
            note: String::new(),
        };
        let facts = game.award_data.as_map().into_iter().flatten();
        let facts = facts.map(|(key, value)| ListItem {
            label: escape_markup(&readable_key(mod_of_table_name(key).unwrap_or(key))),
            note: escape_markup(&summarize_value(value)),
            card: None,
        });
        let labels = RunLabels::from_registry(&self.registry, &self.game_id);
        let runs = game.finished_runs.iter().rev().map(|run| labels.run_choice(run));
        let runs = runs.map(|run| ListItem { label: run.label, note: run.note, card: None });
        let list = |label: &str, items, empty: &str| Widget::List {
            label: label.to_owned(),
            items,
            empty_text: empty.to_owned(),
        };
        let widgets = vec![
            stat(
                &host_text!("Runs started"),
                usize::try_from(game.runs_started).unwrap_or(usize::MAX),
            ),
            stat(
                &host_text!("Runs finished"),
                game.finished_runs.iter().filter(|run| run.was_paid).count(),
            ),
            list(&host_text!("Saved data"), facts.collect(), &host_text!("nothing yet")),
            list(&host_text!("Runs, newest first"), runs.collect(), &host_text!("none yet")),
        ];
        let placed =
            widgets.into_iter().map(|widget| PlacedWidget { slot: WidgetSlot::Sheet, widget });
        View { title: self.menu_label("profile"), widgets: placed.collect() }
    }
}

/// A value in a few words.
fn summarize_value(value: &Value) -> String {
    match value {
        Value::List(list) => format!("{}", list.len()),
        Value::Map(map) => format!("{}", map.len()),
        plain => display_value(plain),
    }
}

//! The text overrides with which a run is shown: those of its current mods.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attribution::load_vm_without_disabled;
use super::restore::load_run_content;
use super::step::Session;
use base::TextOverrides;
use mods::ModSource;
use protocol::{RecordedEvent, StoryEvent, fill_recorded_events};
use save::{DataDir, LoadedJournal, RunState};
use script::LoadOptions;

impl Session {
    /// The text overrides of the current content, in the language of the player.
    pub fn text_overrides(&self) -> &Arc<TextOverrides> {
        self.vm.registry().displayed_texts()
    }

    /// Fills recorded events with the text overrides of the current content, to show them.
    pub(super) fn fill_events(&self, events: Vec<RecordedEvent>) -> Vec<StoryEvent> {
        fill_recorded_events(events, self.text_overrides())
    }
}

/// The text overrides that the mods of a run declare at its end; none if they cannot be loaded.
/// Scripts run only if one mentions `override_text`.
pub(super) fn load_text_overrides(
    data_dir: &DataDir,
    opened: &LoadedJournal,
) -> Arc<TextOverrides> {
    let RunState { mods, disabled_entries, .. } = &opened.run_state;
    let load_overrides = || {
        let content = load_run_content(data_dir, &opened.header, mods).ok()?;
        let mut scripts = content.mods.mods.iter().flat_map(ModSource::scripts_in_load_order);
        if !scripts.any(|(_, text)| text.contains("override_text")) {
            let translation = content.mods.translation.as_ref()?;
            return Some(Arc::new(TextOverrides::with_translation(BTreeMap::new(), translation)));
        }
        let options = LoadOptions::default();
        let vm = load_vm_without_disabled(&content, disabled_entries, options).ok()?;
        Some(vm.registry().displayed_texts().clone())
    };
    load_overrides().unwrap_or_default()
}

//! Reload: a run continues with other content. The state stays in the host. A new VM is built and
//! checked beside the old one, and asked for a prompt at the current state. If it has one, the VMs
//! are swapped and the journal records it. If not, nothing changes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::attribution::{active_mods, load_vm_without_disabled};
use super::content_diff::{DiffSide, diff_content};
use super::invalid_settings::newly_invalid_setting_warnings;
use super::migrate_content::migrate_world;
use super::run_content::RunContent;
use super::step::Session;
use super::view_policy::compute_prompt_and_view;
use base::text::escape_markup;
use base::{Code, Problem};
use mods::{read_changed_scripts, reread_mod, sort_into_load_order};
use protocol::world::WorldSavepoint;
use protocol::{Prompt, RecordedEvent, StoryEvent, View, WorldChanges};
use save::{DataDir, DisabledEntry};
use script::{LoadOptions, Vm};

/// The outcome of a reload.
#[derive(Clone, Debug, Default)]
pub struct ReloadOutcome {
    /// Its events: which definitions changed.
    pub events: Vec<StoryEvent>,
}

impl Session {
    /// Switches to other content, if that can be loaded and has a prompt at the current state; else
    /// nothing changes. For a run on disk, the content must be in the content store already.
    pub fn reload(&mut self, content: RunContent) -> Result<ReloadOutcome, Vec<Problem>> {
        self.reload_with_store(content, &|_| Ok(()))
    }

    /// The same, but `store_content` stores the content once it is known to be usable.
    pub(super) fn reload_with_store(
        &mut self,
        content: RunContent,
        store_content: &dyn Fn(&RunContent) -> Result<(), Problem>,
    ) -> Result<ReloadOutcome, Vec<Problem>> {
        // The settings of a run are fixed in its header.
        let content = RunContent { settings: self.content.settings.clone(), ..content };
        let disabled_entries =
            filter_still_disabled(&self.disabled_entries, &self.content, &content);
        let vm = self.load_vm_for_content(&content, &disabled_entries)?;
        let mark = self.world.open_savepoint();
        let migration_result = self.migrate_world_to(&vm, &content, &disabled_entries);
        let next_prompt =
            migration_result.and_then(|()| match vm.find_undeclared_state(&self.vm, &self.world) {
                Some(problem) if vm.is_strict() => Err(problem),
                _ => self.compute_prompt_with_content(&vm),
            });
        match next_prompt.and_then(|asked| store_content(&content).map(|()| asked)) {
            Ok(asked) => self.commit_reload(vm, content, disabled_entries, mark, asked),
            Err(problem) => {
                let problem = self.explain_missing_scene(problem);
                self.world.rollback_to(mark);
                Err(vec![problem])
            }
        }
    }

    /// Continues with the same content without a hook or a mod; the caller asks for the prompt.
    pub(super) fn disable_hook_or_mod(
        &mut self,
        entry: DisabledEntry,
    ) -> Result<ReloadOutcome, Vec<Problem>> {
        let (content, mut disabled_entries) = (self.content.clone(), self.disabled_entries.clone());
        disabled_entries.push(entry);
        let vm = self.load_vm_for_content(&content, &disabled_entries)?;
        let mark = self.world.open_savepoint();
        if let Err(problem) = self.migrate_world_to(&vm, &content, &disabled_entries) {
            self.world.rollback_to(mark);
            return Err(vec![problem]);
        }
        self.commit_reload(vm, content, disabled_entries, mark, None)
    }

    /// Records the migration to other content and switches to it, or undoes the migration.
    fn commit_reload(
        &mut self,
        vm: Vm,
        content: RunContent,
        disabled_entries: Vec<DisabledEntry>,
        mark: WorldSavepoint,
        next_prompt: Option<(Prompt, Option<View>)>,
    ) -> Result<ReloadOutcome, Vec<Problem>> {
        let before = DiffSide { mods: &self.content.mods, registry: self.vm.registry() };
        let diff_lines =
            diff_content(before, DiffSide { mods: &content.mods, registry: vm.registry() });
        let note = |text: &str| StoryEvent::Note { text: escape_markup(text) }.into();
        let mut events: Vec<RecordedEvent> = diff_lines.iter().map(|line| note(line)).collect();
        let invalid_setting_warnings =
            newly_invalid_setting_warnings(&self.content.mods, &content.mods, &content.settings);
        events.extend(invalid_setting_warnings.iter().map(|one| note(&one.message)));
        events.extend(self.world.recorded_events());
        let changes = self.world.changes_since(&mark);
        let disabled = disabled_entries.get(self.disabled_entries.len());
        let recorded = self.recorder.record_reload(disabled, &content, &events, changes);
        if let Err(problem) = recorded {
            self.world.rollback_to(mark);
            return Err(vec![problem]);
        }
        self.world.take_story_events();
        self.world.commit_savepoint(mark);
        (self.vm, self.content, self.disabled_entries) = (vm, content, disabled_entries);
        if let Some((prompt, view)) = next_prompt {
            (self.prompt, self.view) = (prompt, view);
        }
        Ok(ReloadOutcome { events: self.fill_events(events) })
    }

    /// Records that the content of the run was replaced without a migration, because it cannot be
    /// loaded.
    pub(super) fn record_content_replacement(&mut self, data_dir: &DataDir) -> Result<(), Problem> {
        self.content.mods.mods.iter().try_for_each(|source| data_dir.store_content(source))?;
        self.recorder.record_reload(None, &self.content, &[], WorldChanges::default())
    }

    /// Migrates the world to new content.
    pub(super) fn migrate_world_to(
        &mut self,
        vm: &Vm,
        content: &RunContent,
        disabled_entries: &[DisabledEntry],
    ) -> Result<(), Problem> {
        let mods = active_mods(&self.content.mods, &self.disabled_entries);
        let before = DiffSide { mods: &mods, registry: self.vm.registry() };
        let now = active_mods(&content.mods, disabled_entries);
        migrate_world(before, vm, &now, &mut self.world, &self.profile)
    }

    /// Asks new content for a prompt, if the run is not over.
    fn compute_prompt_with_content(
        &mut self,
        vm: &Vm,
    ) -> Result<Option<(Prompt, Option<View>)>, Problem> {
        if self.world.run_outcome().is_some() || self.is_without_game_prompt() {
            return Ok(None);
        }
        compute_prompt_and_view(vm, &mut self.world, &self.profile, self.view_policy).map(Some)
    }

    /// Adds a location to the Problem of content without the current scene: where the scene was
    /// declared before.
    fn explain_missing_scene(&self, problem: Problem) -> Problem {
        if problem.place.is_some() {
            return problem;
        }
        let scene = self.world.scene();
        let scene = scene.and_then(|id| self.vm.registry().get("scene", &id));
        Problem { place: scene.map(|scene| scene.place.clone()), ..problem }
    }

    /// Switches to other content without checks, because a journal says so, and disables what it
    /// says.
    pub(super) fn switch_content_unchecked(
        &mut self,
        content: RunContent,
        disabled_since: Vec<DisabledEntry>,
    ) -> Result<(), Vec<Problem>> {
        let mut disabled_entries =
            filter_still_disabled(&self.disabled_entries, &self.content, &content);
        disabled_entries.extend(disabled_since);
        let vm = self.load_vm_for_content(&content, &disabled_entries)?;
        self.migrate_world_to(&vm, &content, &disabled_entries).map_err(|problem| vec![problem])?;
        self.world.take_story_events();
        (self.vm, self.content, self.disabled_entries) = (vm, content, disabled_entries);
        self.refresh_prompt();
        Ok(())
    }
}

impl Session {
    /// Shows the run in another language. Nothing of the run changes.
    fn reload_translation(&mut self, content: RunContent) -> Result<(), Vec<Problem>> {
        let vm =
            load_vm_without_disabled(&content, &self.disabled_entries, LoadOptions::default())?;
        (self.vm, self.content) = (vm, content);
        self.refresh_prompt();
        Ok(())
    }
}

/// The hooks and mods that stay disabled when the content changes: those of unchanged mods. A
/// changed mod may be fixed.
fn filter_still_disabled(
    disabled_entries: &[DisabledEntry],
    before: &RunContent,
    after: &RunContent,
) -> Vec<DisabledEntry> {
    let digest = |content: &RunContent, id: &str| content.mods.get(id).map(|source| source.digest);
    let is_unchanged =
        |one: &&DisabledEntry| digest(before, &one.owner) == digest(after, &one.owner);
    disabled_entries.iter().filter(is_unchanged).cloned().collect()
}

/// Reads the mods of a run again from their folders. The set of mods stays: a reload changes
/// definitions, never which mods are active. If the changed files are known, only those are read.
pub fn reread_mods(
    content: &RunContent,
    changed: Option<&BTreeSet<PathBuf>>,
) -> Result<RunContent, Vec<Problem>> {
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for source in &content.mods.mods {
        if let Some(reread) = changed.and_then(|changed| read_changed_scripts(source, changed)) {
            sources.push(reread);
            continue;
        }
        match reread_mod(source) {
            Ok(read) if read.id() == source.id() => sources.push(read),
            Ok(read) => {
                let found = format!("the mod {} has the id {} now", source.id(), read.id());
                let place = read.manifest_location("id", read.id());
                problems.push(
                    Problem::error(Code::ModIdChanged, found)
                        .at(place)
                        .expected(format!("id = \"{}\": the run refers to this id", source.id()))
                        .hint("end the run before you change the id of a mod"),
                );
            }
            Err(read_problems) => problems.extend(read_problems),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut mods = sort_into_load_order(sources)?;
    mods.translation = content.mods.translation.clone();
    Ok(RunContent { mods, settings: content.settings.clone() })
}

/// Reloads content that was read again; `None` if it does not differ. The content is stored before
/// the journal refers to it.
pub fn reload_if_content_differs(
    data_dir: &DataDir,
    session: &mut Session,
    content: RunContent,
) -> Result<Option<ReloadOutcome>, Vec<Problem>> {
    if content.mods.digest() == session.content().mods.digest() {
        if content.mods.translation != session.content().mods.translation {
            session.reload_translation(content)?;
        }
        return Ok(None);
    }
    // The run's content is in the store already; only the differences are written.
    let current_mods = session.content().mods.clone();
    let store_content = |content: &RunContent| {
        content.mods.mods.iter().try_for_each(|source| match current_mods.get(source.id()) {
            Some(played) if played.digest == source.digest => Ok(()),
            Some(played) => data_dir.store_content_diff(source, played),
            None => data_dir.store_content(source),
        })
    };
    session.reload_with_store(content, &store_content).map(Some)
}

/// Sets the folders as origin of stored content that is equal to theirs, so that it can be reloaded
/// from there. Other content is not changed.
pub fn adopt_folder_origins(session: &mut Session, folder_content: &RunContent) {
    for source in &mut session.content.mods.mods {
        let found =
            folder_content.mods.get(source.id()).filter(|found| found.digest == source.digest);
        if let Some(found) = found {
            source.origin = found.origin.clone();
        }
    }
}

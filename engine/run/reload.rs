//! Reloading: a run goes on with other content. The state never left the host; a new VM is built
//! beside the old one from scratch, checked whole, and asked for a prompt where the run stands. If
//! it has one, the two are swapped and the journal says so. If not, nothing has happened.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::blame::in_force;
use super::carry::carry_over;
use super::changes::{Side, changes};
use super::content::Content;
use super::session::Session;
use super::unfit::newly_unfit;
use super::views::ask;
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::mods::{load_order, read_again, read_changed};
use crate::play::world::WorldMark;
use crate::play::{Event, Prompt, View};
use crate::save::{DataDir, SetAside};
use crate::script::Vm;

/// What a reload came to.
#[derive(Clone, Debug, Default)]
pub struct Reloaded {
    /// What there is to tell of it: which definitions changed.
    pub events: Vec<Event>,
}

impl Session {
    /// Goes on with other content, if that content can be loaded and has a prompt for where the
    /// run stands; else everything stays as it is. The content must be in the store already, if
    /// the run lies on disk.
    pub fn reload(&mut self, content: Content) -> Result<Reloaded, Vec<Problem>> {
        self.reload_keeping(content, &|_| Ok(()))
    }

    /// The same, where the content is kept by `keep` once it is known that the run goes on with it.
    pub(super) fn reload_keeping(
        &mut self,
        content: Content,
        keep: &dyn Fn(&Content) -> Result<(), Problem>,
    ) -> Result<Reloaded, Vec<Problem>> {
        // What is set for the mods is as the run's header has it, to the end of the run.
        let content = Content { settings: self.content.settings.clone(), ..content };
        let aside = still_aside(&self.aside, &self.content, &content);
        let vm = self.vm_of(&content, &aside)?;
        let mark = self.world.mark();
        let carried = self.carry(&vm, &content, &aside);
        let asked = carried.and_then(|()| match vm.no_more_declared(&self.vm, &self.world) {
            Some(problem) if vm.holds() => Err(problem),
            _ => self.ask_of(&vm),
        });
        match asked.and_then(|asked| keep(&content).map(|()| asked)) {
            Ok(asked) => self.go_on_with(vm, content, aside, mark, asked),
            Err(problem) => {
                let problem = self.where_it_was(problem);
                self.world.rollback(mark);
                Err(vec![problem])
            }
        }
    }

    /// Goes on with the same content without a hook or a mod; the prompt is still to be asked for.
    pub(super) fn disable(&mut self, entry: SetAside) -> Result<Reloaded, Vec<Problem>> {
        let (content, mut aside) = (self.content.clone(), self.aside.clone());
        aside.push(entry);
        let vm = self.vm_of(&content, &aside)?;
        let mark = self.world.mark();
        if let Err(problem) = self.carry(&vm, &content, &aside) {
            self.world.rollback(mark);
            return Err(vec![problem]);
        }
        self.go_on_with(vm, content, aside, mark, None)
    }

    /// Notes that the world was carried over to other content, or takes that back.
    fn go_on_with(
        &mut self,
        vm: Vm,
        content: Content,
        aside: Vec<SetAside>,
        mark: WorldMark,
        asked: Option<(Prompt, Option<View>)>,
    ) -> Result<Reloaded, Vec<Problem>> {
        let before = Side { mods: &self.content.mods, registry: self.vm.registry() };
        let changed = changes(before, Side { mods: &content.mods, registry: vm.registry() });
        let mut events: Vec<Event> =
            changed.iter().map(|line| Event::Note { text: escape(line) }).collect();
        let unfit = newly_unfit(&self.content.mods, &content.mods, &content.settings);
        events.extend(unfit.iter().map(|one| Event::Note { text: escape(&one.message) }));
        events.append(&mut self.world.events.clone());
        let digest = self.world.digest();
        let disabled = aside.get(self.aside.len());
        if let Err(problem) = self.recorder.reload(disabled, &content, digest, &events) {
            self.world.rollback(mark);
            return Err(vec![problem]);
        }
        self.world.take_events();
        self.world.commit(mark);
        (self.vm, self.content, self.aside) = (vm, content, aside);
        if let Some((prompt, view)) = asked {
            (self.prompt, self.view) = (prompt, view);
        }
        Ok(Reloaded { events })
    }

    /// Carries the world over to content that is about to be played.
    pub(super) fn carry(
        &mut self,
        vm: &Vm,
        content: &Content,
        aside: &[SetAside],
    ) -> Result<(), Problem> {
        let edition = self.vm.edition();
        let mods = in_force(&self.content.mods, &self.aside, edition);
        let before = Side { mods: &mods, registry: self.vm.registry() };
        let now = in_force(&content.mods, aside, edition);
        carry_over(before, vm, &now, &mut self.world, &self.profile)
    }

    /// Asks content that is about to be played for a prompt, where there is one to give.
    fn ask_of(&mut self, vm: &Vm) -> Result<Option<(Prompt, Option<View>)>, Problem> {
        if self.world.finished().is_some() || self.is_stuck() {
            return Ok(None);
        }
        ask(vm, &mut self.world, &self.profile, self.views).map(Some)
    }

    /// A Problem of content that has no place for where the run stands: the scene was there before.
    fn where_it_was(&self, problem: Problem) -> Problem {
        if problem.place.is_some() {
            return problem;
        }
        let scene = self.world.scene();
        let scene = scene.and_then(|id| self.vm.registry().get("scene", &id));
        Problem { place: scene.map(|scene| scene.place.clone()), ..problem }
    }

    /// Goes on with other content without asking anything of it: a journal says that it was so.
    pub(super) fn swap(&mut self, content: Content) -> Result<(), Vec<Problem>> {
        let aside = still_aside(&self.aside, &self.content, &content);
        self.swap_to(content, aside)
    }

    pub(super) fn swap_to(
        &mut self,
        content: Content,
        aside: Vec<SetAside>,
    ) -> Result<(), Vec<Problem>> {
        let vm = self.vm_of(&content, &aside)?;
        self.carry(&vm, &content, &aside).map_err(|problem| vec![problem])?;
        self.world.take_events();
        (self.vm, self.content, self.aside) = (vm, content, aside);
        self.ask_again();
        Ok(())
    }
}

/// What stays set aside when the content changes: what is of a mod that did not. One that did may
/// have been mended.
fn still_aside(aside: &[SetAside], before: &Content, after: &Content) -> Vec<SetAside> {
    let digest = |content: &Content, id: &str| content.mods.get(id).map(|source| source.digest);
    let same = |one: &&SetAside| digest(before, &one.owner) == digest(after, &one.owner);
    aside.iter().filter(same).cloned().collect()
}

/// Reads the mods of a run again where they lie in folders. The set of mods stays: a reload
/// changes definitions, never who takes part. Where it is known which files changed, the others are not
/// read again.
pub fn reread(
    content: &Content,
    changed: Option<&BTreeSet<PathBuf>>,
) -> Result<Content, Vec<Problem>> {
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for source in &content.mods.mods {
        if let Some(read) = changed.and_then(|changed| read_changed(source, changed)) {
            sources.push(read);
            continue;
        }
        match read_again(source) {
            Ok(read) if read.id() == source.id() => sources.push(read),
            Ok(read) => {
                let found = format!("the mod {} calls itself {} now", source.id(), read.id());
                let place = read.manifest_place("id", read.id());
                problems.push(
                    Problem::error("other-id", found)
                        .at(place)
                        .expected(format!(
                            "id = \"{}\": the run has things of that name",
                            source.id()
                        ))
                        .hint("end the run before you give a mod another id"),
                );
            }
            Err(wrong) => problems.extend(wrong),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Content { mods: load_order(sources)?, settings: content.settings.clone() })
}

/// Goes on with content that was read again, if it differs at all: `None` if it does not. It is
/// kept in the store before the journal names it.
pub fn reload(
    data_dir: &DataDir,
    session: &mut Session,
    content: Content,
) -> Result<Option<Reloaded>, Vec<Problem>> {
    if content.mods.digest() == session.content().mods.digest() {
        return Ok(None);
    }
    // What the run is played on lies in the store already; only what changed goes there.
    let played = session.content().mods.clone();
    let keep = |content: &Content| {
        content.mods.mods.iter().try_for_each(|source| match played.get(source.id()) {
            Some(played) if played.digest == source.digest => Ok(()),
            Some(played) => data_dir.store_change(source, played),
            None => data_dir.store_content(source),
        })
    };
    session.reload_keeping(content, &keep).map(Some)
}

/// Says of content that came out of the store where the same content lies in folders, so that
/// it can be read again from there. Content that differs is left alone.
pub fn adopt(session: &mut Session, now: &Content) {
    for source in &mut session.content.mods.mods {
        let found = now.mods.get(source.id()).filter(|found| found.digest == source.digest);
        if let Some(found) = found {
            source.origin = found.origin.clone();
        }
    }
}

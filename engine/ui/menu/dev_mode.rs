//! Dev mode: reloads a run's mods when their files change, shows a mark while the files on disk
//! have errors, and enables the console.

use std::rc::Rc;

use super::super::file_watch::{FileWatch, absolute_path};
use super::{ExitReason, HostPrompts, Menu};
use crate::base::text::escape;
use crate::base::{Problem, Severity};
use crate::mods::{ModOrigin, ModSource, SearchPaths, discover_manifests};
use crate::protocol::{Input, StoryEvent};
use crate::session::{self, Content, Session};

/// The state between two reloads.
#[derive(Default)]
pub(super) struct DevMode {
    /// Whether the files on disk have errors, so that the run uses older content.
    is_stale: bool,
    /// Reports file changes.
    watch: Option<Rc<FileWatch>>,
}

impl Menu {
    /// Watches the folders of the run's mods, in dev mode.
    pub(super) fn start_dev_mode(
        &self,
        door: &mut HostPrompts<'_>,
        session: &Session,
    ) -> Result<DevMode, ExitReason> {
        if self.setup.dev {
            let sources = session.content().mods.mods.iter();
            let folders = sources.filter_map(|source| match &source.origin {
                ModOrigin::Disk(folder) => Some(absolute_path(folder)),
                _ => None,
            });
            match FileWatch::open(folders.collect()) {
                Ok(watch) => {
                    let watch = Rc::new(watch);
                    door.frontend.set_reload_signal(Some(watch.reload_signal()));
                    return Ok(DevMode { is_stale: false, watch: Some(watch) });
                }
                Err(problem) => {
                    door.frontend.show_problem(&problem)?;
                    door.frontend.set_reload_signal(Some(Rc::new(|| false)));
                }
            }
        }
        Ok(DevMode::default())
    }

    /// Reloads the run's mods, or keeps the current ones and says so.
    pub(super) fn reload_mods(
        &mut self,
        door: &mut HostPrompts<'_>,
        session: &mut Session,
        context: &mut DevMode,
    ) -> Result<(), ExitReason> {
        // If the changed files are unknown, everything is read again.
        let changed = context.watch.as_ref().map(|watch| watch.take_changes()).unwrap_or_default();
        let read = session::read_changed_mods(session.content(), changed.files());
        match read
            .and_then(|content| session::reload_changed(&self.setup.data_dir, session, content))
        {
            Ok(Some(reloaded)) => {
                door.frontend.show_events(&reloaded.events)?;
                if self.setup.dev
                    && let Err(problem) =
                        (self.setup.on_reload)(session.vm(), &session.content().mods)
                {
                    door.frontend.show_problem(&problem)?;
                }
                let stuck = ["host:stuck", "host:refused"];
                if stuck.contains(&session.prompt().scene.as_str()) {
                    super::run_loop::take_step(
                        door,
                        session,
                        &Input::Choice(session::AGAIN.to_owned()),
                    )?;
                }
            }
            Ok(None) if context.is_stale => {
                door.frontend.show_events(&[note_event("The mods on disk match the run again.")])?
            }
            Ok(None) => {}
            Err(problems) => {
                context.is_stale = true;
                if let Some(watch) = &context.watch {
                    watch.return_changes(changed);
                }
                problems.iter().try_for_each(|problem| door.frontend.show_problem(problem))?;
                door.frontend.set_stale(Some(&first_error_place(&problems)));
                return Ok(());
            }
        }
        context.is_stale = false;
        door.frontend.set_stale(None);
        Ok(())
    }
}

/// Shows which installed mods are disabled, since this is easily missed while writing one.
pub(super) fn report_disabled_mods(
    door: &mut HostPrompts<'_>,
    places: &SearchPaths,
    content: &Content,
) -> Result<(), ExitReason> {
    let found = discover_manifests(places).0;
    let off =
        |source: &&ModSource| !source.manifest.game && content.mods.get(source.id()).is_none();
    let off: Vec<&str> = found.iter().filter(off).map(ModSource::id).collect();
    if off.is_empty() {
        return Ok(());
    }
    let text =
        format!("Installed, but off: {}. `--with ID` enables one for this start.", off.join(", "));
    Ok(door.frontend.show_events(&[note_event(&text)])?)
}

/// The location of the first error, and how many more there are.
fn first_error_place(problems: &[Problem]) -> String {
    let mut wrong = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = wrong.next().and_then(|problem| problem.place.as_ref());
    let first = first.map_or_else(|| "a mod".to_owned(), ToString::to_string);
    match wrong.count() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn note_event(text: &str) -> StoryEvent {
    StoryEvent::Note { text: escape(text) }
}

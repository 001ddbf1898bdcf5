//! Dev mode: reloads a run's mods when their files change, shows a mark while the files on disk
//! have errors, and enables the console.

use std::rc::Rc;

use super::super::watch::{Watch, whole};
use super::{Door, Lobby, Stop};
use crate::kit::text::escape;
use crate::kit::{Problem, Severity};
use crate::mods::{ModSource, Origin, Places, discover_manifests};
use crate::play::{Event, Input};
use crate::run::{self, Content, Session};

/// The state between two reloads.
#[derive(Default)]
pub(super) struct Workbench {
    /// Whether the files on disk have errors, so that the run uses older content.
    stale: bool,
    /// Reports file changes.
    watch: Option<Rc<Watch>>,
}

impl Lobby {
    /// Watches the folders of the run's mods, in dev mode.
    pub(super) fn open_workbench(
        &self,
        door: &mut Door<'_>,
        session: &Session,
    ) -> Result<Workbench, Stop> {
        if self.setup.dev {
            let sources = session.content().mods.mods.iter();
            let folders = sources.filter_map(|source| match &source.origin {
                Origin::Disk(folder) => Some(whole(folder)),
                _ => None,
            });
            match Watch::over(folders.collect()) {
                Ok(watch) => {
                    let watch = Rc::new(watch);
                    door.front.workbench(Some(watch.bell()));
                    return Ok(Workbench { stale: false, watch: Some(watch) });
                }
                Err(problem) => {
                    door.front.trouble(&problem)?;
                    door.front.workbench(Some(Rc::new(|| false)));
                }
            }
        }
        Ok(Workbench::default())
    }

    /// Reloads the run's mods, or keeps the current ones and says so.
    pub(super) fn reload(
        &mut self,
        door: &mut Door<'_>,
        session: &mut Session,
        bench: &mut Workbench,
    ) -> Result<(), Stop> {
        // If the changed files are unknown, everything is read again.
        let changed = bench.watch.as_ref().map(|watch| watch.take()).unwrap_or_default();
        let read = run::reread(session.content(), changed.files());
        match read.and_then(|content| run::reload(&self.setup.data_dir, session, content)) {
            Ok(Some(reloaded)) => {
                door.front.tell(&reloaded.events)?;
                if self.setup.dev
                    && let Err(problem) = (self.setup.anew)(session.vm(), &session.content().mods)
                {
                    door.front.trouble(&problem)?;
                }
                let stuck = ["host:stuck", "host:refused"];
                if stuck.contains(&session.prompt().scene.as_str()) {
                    super::table::step(door, session, &Input::Choice(run::AGAIN.to_owned()))?;
                }
            }
            Ok(None) if bench.stale => {
                door.front.tell(&[note("The mods on disk match the run again.")])?
            }
            Ok(None) => {}
            Err(problems) => {
                bench.stale = true;
                if let Some(watch) = &bench.watch {
                    watch.give_back(changed);
                }
                problems.iter().try_for_each(|problem| door.front.trouble(problem))?;
                door.front.stale(Some(&where_it_is(&problems)));
                return Ok(());
            }
        }
        bench.stale = false;
        door.front.stale(None);
        Ok(())
    }
}

/// Shows which installed mods are disabled, since this is easily missed while writing one.
pub(super) fn tell_what_is_off(
    door: &mut Door<'_>,
    places: &Places,
    content: &Content,
) -> Result<(), Stop> {
    let found = discover_manifests(places).0;
    let off =
        |source: &&ModSource| !source.manifest.game && content.mods.get(source.id()).is_none();
    let off: Vec<&str> = found.iter().filter(off).map(ModSource::id).collect();
    if off.is_empty() {
        return Ok(());
    }
    let text =
        format!("Installed, but off: {}. `--with ID` enables one for this start.", off.join(", "));
    Ok(door.front.tell(&[note(&text)])?)
}

/// The location of the first error, and how many more there are.
fn where_it_is(problems: &[Problem]) -> String {
    let mut wrong = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = wrong.next().and_then(|problem| problem.place.as_ref());
    let first = first.map_or_else(|| "a mod".to_owned(), ToString::to_string);
    match wrong.count() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn note(text: &str) -> Event {
    Event::Note { text: escape(text) }
}

//! Dev mode: reloads a run's mods when their files change, shows a mark while the files on disk
//! have errors, and enables the console.

use base::host_text;
use std::rc::Rc;

use super::super::file_watch::{FileWatch, absolute_path};
use super::run_loop::show_step;
use super::{ExitReason, HostPrompts, Menu, content_loading};
use base::text::escape_markup;
use base::{Problem, Severity};
use mods::{ModOrigin, ModSource, discover_manifests};
use protocol::{Input, StoryEvent};
use session::Session;

/// The state between two reloads.
#[derive(Default)]
pub(super) struct DevMode {
    /// Whether the files on disk have errors, so that the run uses older content.
    is_stale: bool,
    /// Reports file changes.
    file_watch: Option<Rc<FileWatch>>,
}

impl Menu {
    /// Watches the folders of the run's mods, in dev mode.
    pub(super) fn start_dev_mode(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        session: &Session,
    ) -> Result<DevMode, ExitReason> {
        if self.setup.is_dev_mode {
            let sources = session.content().mods.mods.iter();
            let own_folders = sources.filter_map(|source| match &source.origin {
                ModOrigin::Folder(folder) => Some(folder.clone()),
                _ => None,
            });
            let game = session.content().mods.game().id();
            let translations = self.chosen_language().into_iter().flat_map(|language| {
                session::translation_folders(&self.setup.search_paths, game, &language)
            });
            let folders = own_folders.chain(translations).map(|folder| absolute_path(&folder));
            match FileWatch::start(folders.collect()) {
                Ok(watch) => {
                    let watch = Rc::new(watch);
                    host_prompts.frontend.set_reload_signal(Some(watch.reload_signal()));
                    return Ok(DevMode { is_stale: false, file_watch: Some(watch) });
                }
                Err(problem) => {
                    host_prompts.frontend.show_problem(&problem)?;
                    host_prompts.frontend.set_reload_signal(Some(Rc::new(|| false)));
                }
            }
        }
        Ok(DevMode::default())
    }

    fn chosen_language(&self) -> Option<String> {
        content_loading::chosen_language(&self.setup, self.profile_lock.profile())
    }

    /// Reloads the run's mods, or keeps the current ones and says so.
    pub(super) fn reload_mods(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        session: &mut Session,
        dev_mode: &mut DevMode,
    ) -> Result<(), ExitReason> {
        // If the changed files are unknown, everything is read again.
        let changed =
            dev_mode.file_watch.as_ref().map(|watch| watch.take_changes()).unwrap_or_default();
        let mut changed_content = session::reread_mods(session.content(), changed.files());
        if let (Ok(content), Some(language)) = (&mut changed_content, self.chosen_language()) {
            let problems =
                session::reread_translation(content, &self.setup.search_paths, &language);
            host_prompts.frontend.show_problems(&problems)?;
        }
        let had_translation = session.content().mods.translation.clone();
        match changed_content.and_then(|content| {
            session::reload_if_content_differs(&self.setup.data_dir, session, content)
        }) {
            Ok(Some(reloaded)) => {
                host_prompts.frontend.show_events(&reloaded.events)?;
                if self.setup.is_dev_mode
                    && let Err(problem) = (self.setup.on_dev_load)(
                        session.vm(),
                        &session.content().mods,
                        &self.setup.search_paths,
                    )
                {
                    host_prompts.frontend.show_problem(&problem)?;
                }
                let retry_scenes = ["host:stuck", "host:refused"];
                if retry_scenes.contains(&session.prompt().scene.as_str()) {
                    let retry = Input::Choice(session::RETRY_CHOICE_ID.to_owned());
                    show_step(host_prompts, None, session.answer_prompt(&retry))?;
                }
            }
            Ok(None) if dev_mode.is_stale => host_prompts
                .frontend
                .show_events(&[note_event(&host_text!("The mods on disk match the run again."))])?,
            Ok(None) if had_translation != session.content().mods.translation => host_prompts
                .frontend
                .show_events(&[note_event(&host_text!("The translation was read again."))])?,
            Ok(None) => {}
            Err(problems) => {
                dev_mode.is_stale = true;
                if let Some(watch) = &dev_mode.file_watch {
                    watch.return_changes(changed);
                }
                host_prompts.frontend.show_problems(&problems)?;
                host_prompts.frontend.set_stale_mods_reason(Some(&first_error_location(&problems)));
                return Ok(());
            }
        }
        dev_mode.is_stale = false;
        host_prompts.frontend.set_stale_mods_reason(None);
        Ok(())
    }
}

/// Shows in developer mode which installed mods are disabled, since this is easily missed while
/// writing one.
pub(super) fn report_disabled_mods(
    host_prompts: &mut HostPrompts<'_>,
    menu: &Menu,
) -> Result<(), ExitReason> {
    if !menu.setup.is_dev_mode {
        return Ok(());
    }
    let sources = discover_manifests(&menu.setup.search_paths).0;
    let is_disabled = |source: &&ModSource| {
        let manifest = &source.manifest;
        let can_be_on = !manifest.is_game && !manifest.is_translation();
        can_be_on && menu.content.mods.get(source.id()).is_none()
    };
    let disabled_mods: Vec<&str> = sources.iter().filter(is_disabled).map(ModSource::id).collect();
    if disabled_mods.is_empty() {
        return Ok(());
    }
    let text = host_text!(
        "Installed, but off: {mods}. `--with ID` enables one for this start.",
        mods = disabled_mods.join(", ")
    );
    Ok(host_prompts.frontend.show_events(&[note_event(&text)])?)
}

/// The location of the first error, and how many more there are.
fn first_error_location(problems: &[Problem]) -> String {
    let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = errors.next().and_then(|problem| problem.place.as_ref());
    let first = first.map_or_else(|| host_text!("a mod"), ToString::to_string);
    match errors.count() {
        0 => first,
        more => host_text!("{first} and {count} more", first = first, count = more),
    }
}

fn note_event(text: &str) -> StoryEvent {
    StoryEvent::Note { text: escape_markup(text) }
}

/// The project folder that contains a path, if any: its mods are used.
pub fn find_project_folder(start: std::path::PathBuf) -> Option<std::path::PathBuf> {
    let is_project = |folder: &&std::path::Path| {
        folder.join("Cargo.toml").is_file() && folder.join("base_game/mod.toml").is_file()
    };
    start.ancestors().find(is_project).map(std::path::Path::to_path_buf)
}

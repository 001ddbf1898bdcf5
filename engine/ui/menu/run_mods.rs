//! The mods of a run that is resumed or played: those that it was saved with, or the current ones.

use base::host_text;

use super::{ExitReason, HostPrompts, Menu, host_choice, host_prompt};
use base::text::escape_markup;
use mods::{ModSet, sort_stored_mods};
use protocol::View;
use session::{self, RunContent, Session};

impl Menu {
    /// Asks which mods to use if they changed since the run was saved: the current ones (true) or
    /// those of the run. `None` leaves the run unchanged.
    pub(super) fn ask_which_mods(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
    ) -> Result<Option<bool>, ExitReason> {
        let lines = match session::describe_changes_since_run(
            &self.setup.data_dir,
            run_id,
            &self.content,
        ) {
            Ok(lines) if lines.is_empty() => return Ok(Some(true)),
            Ok(lines) => lines,
            // Errors of the file are reported when it is opened.
            Err(_) => return Ok(Some(true)),
        };
        let text =
            host_text!("The mods changed since this run was saved:") + "\n" + &lines.join("\n");
        let choices = vec![
            host_choice("today", &host_text!("Continue with the current mods")),
            host_choice("kept", &host_text!("Continue with the mods of the run")),
            host_choice(session::LEAVE_RUN_CHOICE_ID, &host_text!("Leave the run unchanged")),
        ];
        let view = View { title: self.game_name(), widgets: Vec::new() };
        let chosen = host_prompts
            .ask_choice(&host_prompt("host:mods", &escape_markup(&text), choices), &view)?;
        Ok(match chosen.as_deref() {
            Some("today") => Some(true),
            Some("kept") => Some(false),
            _ => None,
        })
    }

    /// Reloads the run's mods from disk, if they changed and can be loaded. The set of mods stays
    /// the same.
    pub(super) fn reload_run_mods(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        session: &mut Session,
    ) -> Result<(), ExitReason> {
        self.rescan_mods(host_prompts)?;
        self.vm = None;
        let sources = session.content().mods.mods.iter();
        let sources =
            sources.map(|source| self.content.mods.get(source.id()).unwrap_or(source).clone());
        let settings = session.content().settings.clone();
        let translation = self.content.mods.translation.clone();
        let reloaded = sort_stored_mods(sources.collect())
            .map(|mods| RunContent { mods: ModSet { translation, ..mods }, settings })
            .and_then(|content| {
                session::reload_if_content_differs(&self.setup.data_dir, session, content)
            });
        match reloaded {
            Ok(reloaded) => {
                Ok(host_prompts.frontend.show_events(&reloaded.unwrap_or_default().events)?)
            }
            Err(problems) => {
                host_prompts.frontend.show_problems(&problems)?;
                Ok(())
            }
        }
    }
}

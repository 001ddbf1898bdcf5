//! Commands that the program tells a person to type. They repeat the flags of this start: without them
//! they would concern another data folder, player or game.

use super::MenuSetup;
use super::players::DEFAULT_PLAYER_NAME;
use base::text::quote_shell_flag;

impl MenuSetup {
    /// The flags of this start for a command about its mods, each with a space before it.
    pub(super) fn mods_command_flags(&self, player_name: &str) -> String {
        let player_name = Some(player_name).filter(|name| *name != DEFAULT_PLAYER_NAME);
        let flags = [("--game", self.game.as_deref()), ("--profile", player_name)];
        let flags = flags.into_iter().filter_map(|(name, value)| Some((name, value?)));
        flags.fold(self.folder_flags.clone(), |flags, (name, value)| {
            format!("{flags} {}", quote_shell_flag(name, value))
        })
    }

    /// The command that continues as this player, with the mods that this start enables.
    pub(super) fn resume_command(&self, player_name: &str) -> String {
        let mut command = format!("sub-rosa{}", self.mods_command_flags(player_name));
        for id in &self.enabled_mods {
            command.push_str(&format!(" {}", quote_shell_flag("--with", id)));
        }
        if let Some(language) = &self.preferences.language {
            command.push_str(&format!(" {}", quote_shell_flag("--language", language)));
        }
        command.push_str(if self.is_plain { " --plain" } else { "" });
        command.push_str(if self.is_dev_mode { " --dev" } else { "" });
        command
    }
}

//! Command line arguments of the author commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use author::common_arguments::{CommonArguments, PlayerArguments};
use author::packaging::confirm_on_terminal;
use author::test_runner::{self, TestArguments};
use author::{
    ApiRequest, CheckRequest, CommandContext, CommandOutput, CommandResult, InstallRequest,
    NewRequest, PackRequest, RemoveRequest, SetRequest, TextsRequest, WhyRequest,
};
use author::{
    api, change_setting, check, create_mod, explain_origin, extract_texts, install_mod, list_mods,
    new_mod, pack_mod, refresh_editor_files, remove_mod, switch_mods_off, switch_mods_on, texts,
    write_api,
};
#[cfg(feature = "lab")]
use lab::LabCommand;
use ui::menu::DEFAULT_PLAYER_NAME;

/// The author commands, as subcommands of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthorCommand {
    /// Check mods for errors and warnings without playing them
    #[command(after_help = check::HELP)]
    Check(CheckArguments),
    /// Show where a definition, an event or a text comes from
    #[command(after_help = WHY_HELP)]
    Why(WhyArguments),
    /// List, turn on, configure, pack and install mods
    #[command(after_help = MODS_HELP)]
    Mods(ModsArguments),
    /// Write the API reference and type declarations for an editor
    #[command(after_help = api::HELP)]
    Api(ApiArguments),
    /// Create a mod from a template
    #[command(after_help = new_mod::HELP)]
    New(NewArguments),
    /// Write the texts of a mod for translators, in gettext's PO format
    #[command(after_help = texts::HELP)]
    Texts(TextsArguments),
    /// Run the tests of mods
    #[command(after_help = test_runner::HELP)]
    Test(TestArguments),
    /// The commands that play many runs
    #[cfg(feature = "lab")]
    #[command(flatten)]
    Lab(Box<LabCommand>),
}

const WHY_HELP: &str = "\
Prints a definition after all patches. For each field it shows which mod set it,
at which line, and the value before. Only mods that are turned on are loaded;
add others with --with.

Examples:
  sub-rosa why ember_words:spark     a definition
  sub-rosa why scene gate            a definition of one kind
  sub-rosa why arrival               an event: its hooks in call order
  sub-rosa why spark --with ember_words --json

Exit status: 0 found, 1 the mods do not load, 2 nothing has that name.";

const MODS_HELP: &str = "\
Without a subcommand, lists the mods that are found, which are on, and their
settings. A new mod is off until it is turned on for a player and a game.

Examples:
  sub-rosa mods
  sub-rosa mods on ember_words
  sub-rosa mods off ember_words
  sub-rosa mods set ember_words heat 2
  sub-rosa mods pack ember_words
  sub-rosa mods install FILE|FOLDER
  sub-rosa mods remove ember_words
  sub-rosa --with ember_words        turn a mod on for one start only

Exit status: 0 ok, 1 problems found, 2 no such mod.";

const MODS_ON_HELP: &str = "\
Example:
  sub-rosa mods on ember_words salt_archive";

const MODS_OFF_HELP: &str = "\
Example:
  sub-rosa mods off ember_words";

const MODS_SET_HELP: &str = "\
Runs that have already started keep their settings.

Examples:
  sub-rosa mods set ember_words          list the settings of a mod
  sub-rosa mods set ember_words heat 2   change a setting";

const MODS_PACK_HELP: &str = "\
The same mod always gives the same bytes. Files whose names begin with a dot are
not packed. Without --out the file is written to the current folder.

Examples:
  sub-rosa mods pack ember_words         write ember_words-0.1.0.zip
  sub-rosa mods pack ./my_mod --out ~/my_mod.zip";

const MODS_INSTALL_HELP: &str = "\
Installs into mods/ in the data folder. The mod is off until it is turned on. If
the mod is installed already, asks before it is replaced; the old one is removed
only after the new one has loaded. A zip file in a mods folder needs no install.

Examples:
  sub-rosa mods install ember_words-0.1.0.zip
  sub-rosa mods install ./my_mod --replace";

const MODS_REMOVE_HELP: &str = "\
Removes only mods in mods/ of the data folder. Runs keep a copy of their mods.

Example:
  sub-rosa mods remove ember_words";

const MODS_UNSET_HELP: &str = "\
Example:
  sub-rosa mods unset ember_words heat";

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// Mods to check: ids, or folders (with a / or . in the name)
    #[arg(value_name = "MOD")]
    checked_mods: Vec<String>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Arguments of `why`.
#[derive(Args, Debug)]
pub(crate) struct WhyArguments {
    /// An id, a kind, an event or words of a text; or a kind and an id
    #[arg(value_name = "WHAT", required = true, num_args = 1..=2)]
    kind_and_name: Vec<String>,
    /// Turn on this mod too, and the mods it needs; can be repeated
    #[arg(long, value_name = "ID")]
    with: Vec<String>,
    #[command(flatten)]
    player: PlayerArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// Arguments of `api`.
#[derive(Args, Debug)]
pub(crate) struct ApiArguments {
    /// Write the files to this folder; without it, print the reference
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Turn on this mod too, and the mods it needs; can be repeated
    #[arg(long, value_name = "ID")]
    with: Vec<String>,
    #[command(flatten)]
    player: PlayerArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// Arguments of `new`.
#[derive(Args, Debug)]
pub(crate) struct NewArguments {
    /// Id of the new mod, also the name of its folder; without it, list the templates
    #[arg(value_name = "NAME", requires = "template")]
    name: Option<String>,
    /// Template to use
    #[arg(long, value_name = "T", requires = "name")]
    template: Option<String>,
    /// Create the mod in this folder, instead of one that is searched for mods
    #[arg(long, value_name = "DIR", requires = "name")]
    into: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Arguments of `texts`.
#[derive(Args, Debug)]
pub(crate) struct TextsArguments {
    /// Id of a game or a mod, or of a translation: then the texts of what it needs
    #[arg(value_name = "MOD")]
    id: String,
    /// File to write, or to bring up to date; without it, print the texts
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Translate what is missing into a pseudo-language, which shows texts that escaped
    #[arg(long)]
    pseudo: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Arguments of `mods`.
#[derive(Args, Debug)]
pub(crate) struct ModsArguments {
    #[command(subcommand)]
    subcommand: Option<ModsCommand>,
    #[command(flatten)]
    player: PlayerArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// Subcommands of `mods`.
#[derive(Debug, Subcommand)]
enum ModsCommand {
    /// Turn on mods and the mods they need
    #[command(after_help = MODS_ON_HELP)]
    On {
        /// Ids of mods
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Turn off mods
    #[command(after_help = MODS_OFF_HELP)]
    Off {
        /// Ids of mods
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Show or change the settings of a mod
    #[command(after_help = MODS_SET_HELP)]
    Set {
        /// Id of the mod
        id: String,
        /// The setting; without it, list all settings
        name: Option<String>,
        /// New value; without it, show the setting
        #[arg(allow_hyphen_values = true)]
        value: Option<String>,
    },
    /// Pack a mod into one zip file
    #[command(after_help = MODS_PACK_HELP)]
    Pack {
        /// Id of a mod, or its folder (with a / or . in the name)
        #[arg(value_name = "MOD")]
        mod_or_folder: String,
        /// File to write, or the folder for it
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Install a mod from a zip file or a folder
    #[command(after_help = MODS_INSTALL_HELP)]
    Install {
        /// Zip file or folder of one mod
        #[arg(value_name = "FILE|FOLDER")]
        from: PathBuf,
        /// Replace an installed mod without asking
        #[arg(long)]
        replace: bool,
    },
    /// Remove an installed mod
    #[command(after_help = MODS_REMOVE_HELP)]
    Remove {
        /// Id of the mod
        #[arg(value_name = "MOD")]
        id: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Reset a setting of a mod to its default
    #[command(after_help = MODS_UNSET_HELP)]
    Unset {
        /// Id of the mod
        id: String,
        /// The setting
        name: String,
    },
}

impl AuthorCommand {
    /// The arguments that every command has.
    pub(crate) fn common_arguments(&self) -> &CommonArguments {
        match self {
            Self::Check(asked) => &asked.common,
            Self::Why(asked) => &asked.common,
            Self::Mods(asked) => &asked.common,
            Self::Api(asked) => &asked.common,
            Self::New(asked) => &asked.common,
            Self::Test(asked) => &asked.common,
            Self::Texts(asked) => &asked.common,
            #[cfg(feature = "lab")]
            Self::Lab(command) => command.common_arguments(),
        }
    }

    /// The name of the player.
    pub(crate) fn profile_name(&self) -> &str {
        match self {
            Self::Api(asked) => &asked.player.profile,
            Self::Why(asked) => &asked.player.profile,
            Self::Mods(asked) => &asked.player.profile,
            #[cfg(feature = "lab")]
            Self::Lab(command) => command.profile_name(),
            Self::Check(_) | Self::New(_) | Self::Test(_) | Self::Texts(_) => DEFAULT_PLAYER_NAME,
        }
    }

    /// Mods that are turned on for this command only.
    pub(crate) fn extra_mods(&self) -> &[String] {
        match self {
            Self::Api(asked) => &asked.with,
            Self::Why(asked) => &asked.with,
            #[cfg(feature = "lab")]
            Self::Lab(command) => command.extra_mods(),
            Self::Check(_) | Self::Mods(_) | Self::New(_) | Self::Test(_) | Self::Texts(_) => &[],
        }
    }

    /// Runs the command.
    pub(crate) fn run(
        self,
        context: &CommandContext,
        out: &mut dyn CommandOutput,
    ) -> CommandResult {
        let json = self.common_arguments().json;
        match self {
            Self::Check(asked) => {
                let request =
                    CheckRequest { mods: asked.checked_mods, json, refreshes_editor_files: true };
                check(context, &request, out)
            }
            Self::Why(WhyArguments { kind_and_name: mut what, .. }) => {
                let name = what.pop().unwrap_or_default();
                explain_origin(context, &WhyRequest { kind: what.pop(), name, json }, out)
            }
            Self::Api(ApiArguments { write, .. }) => {
                write_api(context, &ApiRequest { output_folder: write, json }, out)
            }
            Self::New(NewArguments { name, template, into, .. }) => match name.zip(template) {
                Some((name, template)) => create_mod(
                    context,
                    &NewRequest { name, template, parent_folder: into, json },
                    out,
                ),
                None => new_mod::list_templates(context, json, out),
            },
            Self::Test(asked) => {
                let outcome = test_runner::run_tests(context, &asked, out)?;
                refresh_editor_files(context, asked.tested_mods(), out)?;
                Ok(outcome)
            }
            Self::Texts(TextsArguments { id, to, pseudo, .. }) => {
                let request = TextsRequest { id, file: to, fills_with_pseudo: pseudo, json };
                extract_texts(context, &request, out)
            }
            #[cfg(feature = "lab")]
            Self::Lab(command) => command.run(context, out),
            Self::Mods(asked) => match asked.subcommand {
                None => list_mods(context, json, out),
                Some(ModsCommand::On { ids }) => switch_mods_on(context, &ids, json, out),
                Some(ModsCommand::Off { ids }) => switch_mods_off(context, &ids, json, out),
                Some(ModsCommand::Set { id, name, value }) => change_setting(
                    context,
                    &SetRequest { id, name, value, resets_to_default: false, json },
                    out,
                ),
                Some(ModsCommand::Pack { mod_or_folder: wanted, out: file }) => pack_mod(
                    context,
                    &PackRequest { mod_or_folder: wanted, output_path: file, json },
                    out,
                ),
                Some(ModsCommand::Install { from, replace }) => {
                    let request = InstallRequest {
                        package_path: from,
                        replace,
                        data: asked.common.data,
                        json,
                    };
                    install_mod(context, &request, &mut confirm_on_terminal, out)
                }
                Some(ModsCommand::Remove { id, yes }) => remove_mod(
                    context,
                    &RemoveRequest { id, skips_confirmation: yes, json },
                    &mut confirm_on_terminal,
                    out,
                ),
                Some(ModsCommand::Unset { id, name }) => change_setting(
                    context,
                    &SetRequest {
                        id,
                        name: Some(name),
                        value: None,
                        resets_to_default: true,
                        json,
                    },
                    out,
                ),
            },
        }
    }
}

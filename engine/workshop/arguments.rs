//! The workshop's commands as they are typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common_arguments::{Around, Player};
use super::explore::{self, ExploreArguments};
use super::mutate::{self, MutateArguments};
use super::sharing::ask_person;
use super::simulate::{self, SimulateArguments};
use super::trial::{self, TestArguments};
use super::{Api, Bench, Check, Done, Install, New, Pack, Remove, Set, Why};
use super::{api, check, install, list, new, pack, remove, set, switch_off, switch_on, why};
use crate::workshop::Out;

/// What may be typed after the program's name.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is wrong with mods, without playing them
    #[command(after_help = CHECK)]
    Check(CheckArguments),
    /// Say how a definition came to be what it is, and which hooks a moment has
    #[command(after_help = WHY)]
    Why(WhyArguments),
    /// List mods, switch them on and off, set what they ask for, pack and install them
    #[command(after_help = MODS)]
    Mods(ModsArguments),
    /// Write a reference and type declarations for those who write mods
    #[command(after_help = api::HELP)]
    Api(ApiArguments),
    /// Make a new mod from a template
    #[command(after_help = new::HELP)]
    New(NewArguments),
    /// Let a bot play many runs, and say what they come to
    #[command(after_help = simulate::HELP)]
    Simulate(SimulateArguments),
    /// Hunt what goes wrong by playing, and say what was never reached
    #[command(after_help = explore::HELP)]
    Explore(ExploreArguments),
    /// Ask the cases of mods, and say which are not as they should be
    #[command(after_help = trial::HELP)]
    Test(TestArguments),
    /// Change the rules of a mod one small thing at a time, and say which changes no case notices
    #[command(after_help = mutate::HELP)]
    Mutate(MutateArguments),
}

const CHECK: &str = "\
Looks at manifests, fields and references, texts that do not fit on their line, scripts that keep
what they must not, loops without an order, definitions that nothing refers to, and runs the game's
own checks. Without a MOD each mod that is found is looked at by itself; several that are named are
looked at together. A warning is silenced where it stands, with its reason:
  -- allow(unused-definition): kept for old saves
or, where no line can carry that, in mod.toml: [allow.'words.luau'] and long-line = 'a quotation'.

Examples:
  sub-rosa check                        every mod that is found
  sub-rosa check ember_words            one of them, with what it needs
  sub-rosa check ./my_mod --json        a folder, for a program to read

Exit status: 0 when there is nothing to mend, 1 when there is, 2 when there is no such mod.";

const WHY: &str = "\
Shows the definition as it is after all patches, and for each field who set it, where, and what it
was before. The mods that are on take part; others are named with --with.

Examples:
  sub-rosa why ember_words:spark        a definition
  sub-rosa why scene gate               one of that kind
  sub-rosa why arrival                  a moment: its hooks, in the order they are called in
  sub-rosa why spark --with ember_words --json

Exit status: 0 when it is told, 1 when the mods cannot be loaded, 2 when there is no such thing.";

const MODS: &str = "\
A mod that is found is off until it is switched on, for each player and game. Games are always
offered.

Examples:
  sub-rosa mods                         the mods there are, what is on, what is set
  sub-rosa mods on ember_words
  sub-rosa mods off ember_words
  sub-rosa mods set ember_words heat 2
  sub-rosa mods pack ember_words        one file, to give away
  sub-rosa mods install FILE|FOLDER
  sub-rosa mods remove ember_words
  sub-rosa --with ember_words           on for one start only

Exit status: 0 when all is well, 1 when there are Problems, 2 when there is no such mod.";

const ON: &str = "\
Example:
  sub-rosa mods on ember_words salt_archive";

const OFF: &str = "\
Example:
  sub-rosa mods off ember_words";

const SET: &str = "\
Examples:
  sub-rosa mods set ember_words         what may be set
  sub-rosa mods set ember_words heat 2

A run that is under way keeps what was set when it was begun.";

const PACK: &str = "\
Example:
  sub-rosa mods pack ember_words        ember_words-0.1.0.zip, where you stand
  sub-rosa mods pack ./my_mod --out ~/my_mod.zip

The same mod gives the same bytes. Names that begin with a dot stay at home.";

const INSTALL: &str = "\
Examples:
  sub-rosa mods install ember_words-0.1.0.zip
  sub-rosa mods install ./my_mod --replace

It is put into the data folder's mods/, off until it is switched on. Where one of its id is there you are
asked, and it stays until the new one has loaded. A zip that lies among the mods needs no installing.";

const REMOVE: &str = "\
Example:
  sub-rosa mods remove ember_words

Only what lies in the data folder's mods/ is removed. Runs that were made with it keep a copy.";

const UNSET: &str = "\
Example:
  sub-rosa mods unset ember_words heat";

/// `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// Ids of mods, or folders (with a / or a . in them)
    #[arg(value_name = "MOD")]
    wanted: Vec<String>,
    #[command(flatten)]
    around: Around,
}

/// `why`.
#[derive(Args, Debug)]
pub struct WhyArguments {
    /// An id, the name of a definition, a kind or a moment; or a kind and an id
    #[arg(value_name = "WHAT", required = true, num_args = 1..=2)]
    what: Vec<String>,
    /// The id of a mod to switch on for this look; may be given several times
    #[arg(long, value_name = "ID")]
    with: Vec<String>,
    #[command(flatten)]
    player: Player,
    #[command(flatten)]
    around: Around,
}

/// `api`.
#[derive(Args, Debug)]
pub struct ApiArguments {
    /// The folder to write both files to; without one the reference is shown
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// The id of a mod to switch on for this look; may be given several times
    #[arg(long, value_name = "ID")]
    with: Vec<String>,
    #[command(flatten)]
    player: Player,
    #[command(flatten)]
    around: Around,
}

/// `new`.
#[derive(Args, Debug)]
pub struct NewArguments {
    /// The id of the new mod, which is its folder's name too; without one templates are listed
    #[arg(value_name = "NAME", requires = "template")]
    name: Option<String>,
    /// What it is made from
    #[arg(long, value_name = "T", requires = "name")]
    template: Option<String>,
    /// The folder to put it in, instead of one where mods are found
    #[arg(long, value_name = "DIR", requires = "name")]
    into: Option<PathBuf>,
    #[command(flatten)]
    around: Around,
}

/// `mods`.
#[derive(Args, Debug)]
pub struct ModsArguments {
    #[command(subcommand)]
    does: Option<ModsCommand>,
    #[command(flatten)]
    player: Player,
    #[command(flatten)]
    around: Around,
}

/// What is done with mods.
#[derive(Debug, Subcommand)]
enum ModsCommand {
    /// Switch mods on, and those that they need
    #[command(after_help = ON)]
    On {
        /// Ids of mods
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Switch mods off
    #[command(after_help = OFF)]
    Off {
        /// Ids of mods
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Show or change what is set for a mod
    #[command(after_help = SET)]
    Set {
        /// The id of the mod
        id: String,
        /// The setting; without one all are shown
        name: Option<String>,
        /// Its new value; without one it is shown
        #[arg(allow_hyphen_values = true)]
        value: Option<String>,
    },
    /// Make one file of a mod, to give away
    #[command(after_help = PACK)]
    Pack {
        /// The id of a mod, or its folder (with a / or a . in it)
        #[arg(value_name = "MOD")]
        wanted: String,
        /// The file to write, or the folder to put it in
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Take a mod in, from a file or a folder
    #[command(after_help = INSTALL)]
    Install {
        /// A zip with one mod in it, or the folder of a mod
        #[arg(value_name = "FILE|FOLDER")]
        from: PathBuf,
        /// Replace what is there without asking
        #[arg(long)]
        replace: bool,
    },
    /// Take a mod away that was installed
    #[command(after_help = REMOVE)]
    Remove {
        /// The id of the mod
        #[arg(value_name = "MOD")]
        id: String,
        /// Without asking
        #[arg(long)]
        yes: bool,
    },
    /// Take back what was set for a mod
    #[command(after_help = UNSET)]
    Unset {
        /// The id of the mod
        id: String,
        /// The setting
        name: String,
    },
}

impl Command {
    /// Where to look.
    pub fn around(&self) -> &Around {
        match self {
            Self::Check(asked) => &asked.around,
            Self::Why(asked) => &asked.around,
            Self::Mods(asked) => &asked.around,
            Self::Api(asked) => &asked.around,
            Self::New(asked) => &asked.around,
            Self::Simulate(asked) => &asked.around,
            Self::Explore(asked) => &asked.around,
            Self::Test(asked) => &asked.around,
            Self::Mutate(asked) => &asked.around,
        }
    }

    /// The player's name.
    pub fn profile(&self) -> &str {
        match self {
            Self::Check(_) | Self::New(_) | Self::Test(_) | Self::Mutate(_) => "Player",
            Self::Api(asked) => &asked.player.profile,
            Self::Why(asked) => &asked.player.profile,
            Self::Mods(asked) => &asked.player.profile,
            Self::Simulate(asked) => &asked.player.profile,
            Self::Explore(asked) => &asked.player.profile,
        }
    }

    /// Mods switched on for this look.
    pub fn with(&self) -> &[String] {
        match self {
            Self::Api(asked) => &asked.with,
            Self::Why(asked) => &asked.with,
            Self::Simulate(asked) => &asked.with,
            Self::Explore(asked) => &asked.mods_on,
            Self::Check(_) | Self::Mods(_) | Self::New(_) | Self::Test(_) | Self::Mutate(_) => &[],
        }
    }

    /// Does what was asked.
    pub fn run(self, bench: &Bench, out: &mut dyn Out) -> Done {
        let json = self.around().json;
        match self {
            Self::Check(asked) => check(bench, &Check { mods: asked.wanted, json }, out),
            Self::Why(WhyArguments { mut what, .. }) => {
                let name = what.pop().unwrap_or_default();
                why(bench, &Why { kind: what.pop(), name, json }, out)
            }
            Self::Api(ApiArguments { write, .. }) => api(bench, &Api { write, json }, out),
            Self::New(NewArguments { name, template, into, .. }) => match name.zip(template) {
                Some((name, template)) => new(bench, &New { name, template, into, json }, out),
                None => new::list(bench, json, out),
            },
            Self::Simulate(asked) => simulate::simulate(bench, &asked, out),
            Self::Explore(asked) => explore::explore(bench, &asked, out),
            Self::Test(asked) => trial::test(bench, &asked, out),
            Self::Mutate(asked) => mutate::mutate(bench, &asked, out),
            Self::Mods(asked) => match asked.does {
                None => list(bench, json, out),
                Some(ModsCommand::On { ids }) => switch_on(bench, &ids, json, out),
                Some(ModsCommand::Off { ids }) => switch_off(bench, &ids, json, out),
                Some(ModsCommand::Set { id, name, value }) => {
                    set(bench, &Set { id, name, value, back: false, json }, out)
                }
                Some(ModsCommand::Pack { wanted, out: file }) => {
                    pack(bench, &Pack { wanted, out: file, json }, out)
                }
                Some(ModsCommand::Install { from, replace }) => {
                    let asked = Install { from, replace, data: asked.around.data, json };
                    install(bench, &asked, &mut ask_person, out)
                }
                Some(ModsCommand::Remove { id, yes }) => {
                    remove(bench, &Remove { id, yes, json }, &mut ask_person, out)
                }
                Some(ModsCommand::Unset { id, name }) => {
                    set(bench, &Set { id, name: Some(name), value: None, back: true, json }, out)
                }
            },
        }
    }
}

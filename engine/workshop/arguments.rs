//! The workshop's commands as they are typed.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Bench, Check, Done, check};

/// What may be typed after the program's name.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is wrong with mods, without playing them
    #[command(after_help = CHECK)]
    Check(CheckArguments),
}

const CHECK: &str = "\
Looks at manifests, fields and references, texts that do not fit on their line, scripts that keep
what they must not, loops without an order, definitions that nothing refers to, and runs the game's
own checks. Without a MOD each mod that is found is looked at by itself; several that are named are
looked at together. A warning is silenced where it stands, with its reason:
  -- allow(unused-definition): kept for old saves

Examples:
  sub-rosa check                        every mod that is found
  sub-rosa check ember_words            one of them, with what it needs
  sub-rosa check ./my_mod --json        a folder, for a program to read

Exit status: 0 when there is nothing to mend, 1 when there is, 2 when there is no such mod.";

/// Where to look; the same for every command.
#[derive(Args, Clone, Debug, Default)]
pub struct Around {
    /// A mod, or a folder of mods, to look at first; may be given several times
    #[arg(long, value_name = "DIR")]
    pub mods: Vec<PathBuf>,
    /// The id of the game
    #[arg(long, value_name = "ID")]
    pub game: Option<String>,
    /// Where runs and profiles lie
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Write JSON, for a program to read
    #[arg(long)]
    pub json: bool,
}

/// Whose mods and settings.
#[derive(Args, Clone, Debug)]
pub struct Player {
    /// The player's name
    #[arg(long, value_name = "NAME", default_value = "Player")]
    pub profile: String,
}

/// `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// Ids of mods, or folders (with a / or a . in them)
    #[arg(value_name = "MOD")]
    pub wanted: Vec<String>,
    #[command(flatten)]
    around: Around,
}

impl Command {
    /// Where to look.
    pub fn around(&self) -> &Around {
        match self {
            Self::Check(asked) => &asked.around,
        }
    }

    /// The player's name.
    pub fn profile(&self) -> &str {
        match self {
            Self::Check(_) => "Player",
        }
    }

    /// Mods switched on for this start.
    pub fn with(&self) -> &[String] {
        match self {
            Self::Check(_) => &[],
        }
    }

    /// Does what was asked.
    pub fn run(self, bench: &Bench, out: &mut dyn Write) -> Done {
        match self {
            Self::Check(asked) => {
                check(bench, &Check { mods: asked.wanted, json: asked.around.json }, out)
            }
        }
    }
}

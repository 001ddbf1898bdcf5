//! Commands about the program itself: completions for a shell, manual pages, its folders, a check of
//! its surroundings, licences.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base::{Code, Problem};
use clap::{Args, Command, CommandFactory, Subcommand};
use clap_complete::Shell;
use ui::menu::ExitReason;

use super::Arguments;
use super::doctor::{DOCTOR_HELP, run_doctor};
use super::licences::{LICENCES_HELP, print_licences};
use super::paths::{FolderArguments, PATHS_HELP, print_paths};

/// The commands about the program itself.
#[derive(Subcommand)]
pub(super) enum SystemCommand {
    /// Print completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page, or write those of all commands
    #[command(after_help = MAN_HELP)]
    Man(ManArguments),
    /// Show which folders and files the program reads and writes
    #[command(after_help = PATHS_HELP)]
    Paths(FolderArguments),
    /// Check the terminal, folders, mods and saves, with advice
    #[command(after_help = DOCTOR_HELP)]
    Doctor(FolderArguments),
    /// Print the licences of the program and of all that is linked into it
    #[command(after_help = LICENCES_HELP)]
    Licences,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  bash: sub-rosa completions bash \\
          > ~/.local/share/bash-completion/completions/sub-rosa
  zsh:  sub-rosa completions zsh > ~/.zfunc/_sub-rosa
  fish: sub-rosa completions fish > ~/.config/fish/completions/sub-rosa.fish
  PowerShell: sub-rosa completions powershell >> $PROFILE

zsh needs this before compinit in ~/.zshrc: fpath+=~/.zfunc

Exit status: 0 ok, 1 an error occurred, 2 wrong arguments.";

const MAN_HELP: &str = "\
Examples:
  sub-rosa man | man -l -
  sub-rosa man --to ~/.local/share/man/man1

Exit status: 0 ok, 1 an error occurred, 2 wrong arguments.";

/// Arguments of `man`.
#[derive(Args)]
pub(super) struct ManArguments {
    /// Write one page for each command to this folder
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

impl SystemCommand {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode, ExitReason> {
        let mut out = Vec::new();
        let mut status = ExitCode::SUCCESS;
        match self {
            Self::Paths(asked) => print_paths(&asked, &mut out)?,
            Self::Doctor(asked) => {
                status = ExitCode::from(u8::from(!run_doctor(&asked, &mut out)?));
            }
            Self::Licences => print_licences(&mut out)?,
            Self::Completions { shell } => out = shell_completions(shell),
            Self::Man(ManArguments { to: None }) => {
                let program = Arguments::command().disable_help_subcommand(true);
                out = manual_page(program)?.1;
            }
            Self::Man(ManArguments { to: Some(folder) }) => write_manual(&folder)?,
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(&out).and_then(|()| stdout.flush())?;
        Ok(status)
    }
}

/// Generated in memory: the generator panics if a write fails, as into a closed pipe.
fn shell_completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "sub-rosa", &mut script);
    // For a program with a hyphen, the generator's function for bash looks for other names than it
    // sets. Its condition for fish takes an option without its value for a mistake.
    let (wrong, right) = match shell {
        Shell::Bash => ("sub__subcmd__rosa", "sub__rosa"),
        Shell::Fish => ("    or return\n", "    or return 0\n"),
        _ => return script,
    };
    String::from_utf8_lossy(&script).replace(wrong, right).into_bytes()
}

/// The commands that have a manual page, the program first; the names are as in `sub-rosa-mods-on`.
fn commands_with_pages() -> Vec<Command> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let mut commands = vec![program];
    let mut at = 0;
    while let Some(command) = commands.get(at) {
        let below: Vec<Command> = command.get_subcommands().cloned().collect();
        commands.extend(below);
        at += 1;
    }
    commands
}

/// The file name and the text of a command's manual page.
fn manual_page(command: Command) -> io::Result<(String, Vec<u8>)> {
    let version = concat!("Sub Rosa ", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command).source(version).manual("Sub Rosa");
    let mut text = Vec::new();
    page.render(&mut text)?;
    // The examples keep their lines.
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if let Some((before, after)) = text.split_once("\n.SH EXTRA\n") {
        let (examples, rest) = after.split_once("\n.SH ").unwrap_or((after.trim_end(), ""));
        let rest = if rest.is_empty() { String::new() } else { format!(".SH {rest}") };
        text = format!("{before}\n.SH EXAMPLES\n.nf\n{examples}\n.fi\n{rest}");
    }
    Ok((page.get_filename(), text.into_bytes()))
}

fn write_manual(folder: &Path) -> Result<(), ExitReason> {
    let written = fs::create_dir_all(folder).and_then(|()| {
        commands_with_pages().into_iter().try_for_each(|command| {
            let (name, page) = manual_page(command)?;
            fs::write(folder.join(name), page)
        })
    });
    written.map_err(|error| {
        let words = format!("{} cannot be written: {error}", folder.display());
        let problem = Problem::error(Code::NotWritten, words).hint("choose another folder");
        ExitReason::Failed(vec![problem])
    })
}

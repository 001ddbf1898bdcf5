//! `sub-rosa paths`: each folder and file that the program reads or writes, and why that one.

use std::io::Write;
use std::path::{Path, PathBuf};

use base::text;
use clap::Args;

use super::environment::{data_folder_reason, search_paths, user_data_folder};

/// The data folder and the mods of `paths` and `doctor`.
#[derive(Args)]
pub(super) struct FolderArguments {
    /// Mod or folder of mods to search first; can be repeated
    #[arg(long, value_name = "DIR")]
    pub(super) mods: Vec<PathBuf>,
    /// Data folder with runs and profiles
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
}

impl FolderArguments {
    /// The data folder; none if this system has none for the user.
    pub(super) fn data_folder(&self) -> Option<PathBuf> {
        self.data.clone().or_else(user_data_folder)
    }
}

pub(super) const PATHS_HELP: &str = "\
Nothing is created. Files that a command names, as with --to, --out, --write or
--picture, are written there and are not listed.

Examples:
  sub-rosa paths
  sub-rosa paths --data DIR

Exit status: 0 ok, 1 an error occurred, 2 wrong arguments.";

/// What the data folder contains.
const DATA_ENTRIES: [(&str, &str); 5] = [
    ("profiles", "players: progress, settings, history"),
    ("runs", "a folder for each run: its journal, checkpoint and reports"),
    ("content", "the mods that runs began with"),
    ("mods", "mods that were installed"),
    ("keys.toml", "key bindings; only read"),
];

/// Files beside the mods that an author works on.
const EDITOR_ENTRIES: [&str; 3] = [".editor", ".luaurc", ".vscode/settings.json"];

/// Prints the folders and files.
pub(super) fn print_paths(arguments: &FolderArguments, out: &mut dyn Write) -> std::io::Result<()> {
    let mut print = |indent: usize, path: &dyn std::fmt::Display, what: &str| {
        let line = format!("{:indent$}{path}  {what}", "");
        writeln!(out, "{}", text::strip_unprintable(line.trim_end()))
    };
    let data = arguments.data_folder();
    let reason = data_folder_reason(arguments.data.as_deref());
    print(0, &format!("Data folder ({reason}):"), "")?;
    match &data {
        None => print(2, &"none: nothing can be saved; name one with --data DIR", "")?,
        Some(folder) => {
            print(2, &folder.display(), absence_note(folder))?;
            for (name, what) in DATA_ENTRIES {
                let note = absence_note(&folder.join(name));
                print(4, &format!("{name:<11}{what}"), note)?;
            }
        }
    }
    print(0, &"Mods, the first of an id is used:", "")?;
    let paths = search_paths(&arguments.mods, data);
    for folder in &paths.named_folders {
        print(2, &folder.display(), &format!("named with --mods {}", absence_note(folder)))?;
    }
    if let Some(project) = &paths.project_folder {
        for name in ["mods", "base_game"] {
            print(2, &project.join(name).display(), "the project around this folder")?;
        }
    }
    if let Some(user) = &paths.user_folder {
        let folder = user.join("mods");
        print(2, &folder.display(), &format!("installed {}", absence_note(&folder)))?;
    }
    print(2, &"the program itself", "the games that come with it")?;
    print(0, &"Beside mods of your own, for an editor (new, check, test, play --dev):", "")?;
    EDITOR_ENTRIES.iter().try_for_each(|name| print(2, &format!("MOD/{name}"), ""))
}

fn absence_note(path: &Path) -> &'static str {
    if path.exists() { "" } else { "(not there)" }
}

//! What the surroundings of the program decide: colours, characters, and the folders that it reads
//! and writes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::text;
use mods::SearchPaths;
use save::{DataDir, MemoryDisk};
use ui::full_screen::Palette;
use ui::menu::find_project_folder;

/// A variable of the environment, if it is set and not empty.
pub(super) fn find_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether the environment asks for no colours: <https://no-color.org>.
pub(super) fn is_colour_refused() -> bool {
    find_variable("NO_COLOR").is_some()
}

/// Whether the terminal can only print lines.
pub(super) fn is_dumb_terminal() -> bool {
    find_variable("TERM").is_some_and(|name| name == "dumb")
}

/// The default palette: 256 colours if the terminal claims to have them.
pub(super) fn default_palette() -> Palette {
    let variable_contains = |name: &str, word: &str| {
        std::env::var_os(name).is_some_and(|value| value.to_string_lossy().contains(word))
    };
    match variable_contains("TERM", "256color") || variable_contains("COLORTERM", "") {
        true => Palette::Dark,
        false => Palette::SixteenColours,
    }
}

/// The variable that names the locale, and its value: the first one that is set decides.
pub(super) fn find_locale() -> Option<(&'static str, String)> {
    ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| {
        find_variable(name).map(|value| (name, value.to_string_lossy().into_owned()))
    })
}

/// Whether to draw only ASCII by default: true if the locale is not UTF-8.
pub(super) fn is_ascii_default() -> bool {
    let locale = find_locale().map(|(_, value)| value.to_lowercase().replace('-', ""));
    cfg!(unix) && !locale.unwrap_or_default().contains("utf8")
}

/// The folder of runs and profiles; without a folder, data lives in memory only.
pub(super) fn data_dir_or_memory(folder: Option<&Path>) -> DataDir {
    match folder {
        Some(folder) => DataDir::new(folder),
        None => DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory"),
    }
}

/// The paths where mods are searched.
pub(super) fn search_paths(extra: &[PathBuf], user: Option<PathBuf>) -> SearchPaths {
    let project = std::env::current_dir().ok().and_then(find_project_folder);
    SearchPaths { named_folders: extra.to_vec(), project_folder: project, user_folder: user }
}

/// The folder where this system stores a program's data.
pub(super) fn user_data_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "sub-rosa")?;
    Some(folders.data_dir().to_path_buf())
}

/// Why the data folder is where it is.
pub(super) fn data_folder_reason(named: Option<&Path>) -> &'static str {
    let is_set = |name| find_variable(name).is_some_and(|value| Path::new(&value).is_absolute());
    match named {
        Some(_) => "named with --data",
        None if cfg!(target_os = "linux") && is_set("XDG_DATA_HOME") => "XDG_DATA_HOME names it",
        None => "where this system keeps the data of programs",
    }
}

/// The flags of the search path and the data folder, each with a space before it, for commands that
/// are told to a person.
pub(super) fn folder_flags(mods: &[PathBuf], data: Option<&Path>) -> String {
    let mods = mods.iter().map(|folder| text::quote_shell_flag("--mods", folder));
    let data = data.iter().map(|folder| text::quote_shell_flag("--data", folder));
    mods.chain(data).map(|flag| format!(" {flag}")).collect()
}

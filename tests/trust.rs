//! Long tests of the promises in `docs/PROMISES.md`: files of this format, repaired damage,
//! killed programs, replayed bot runs, hostile mods. Each test takes few cases by default and all
//! of them in `.ci/full`.

mod corpus;
mod crafted_lines;
mod crafted_run_builder;
mod crafted_runs;
mod damage;
mod extreme_numbers;
mod faults;
mod fixtures;
mod folders;
mod full_disk;
mod fuzz;
mod grammar;
mod history;
mod hostile_mod;
mod hostile_mods;
mod hostile_values;
mod inn;
pub mod memory_growth;
mod meter;
mod planted_faults;
mod process_kill;
mod program_generator;
mod promises;
mod readers;
mod rebuilt_vm;
mod repair;
mod repeated_calls;
mod resume_strategies;
mod saved_state;
mod sinks;
mod special_files;
mod supply_chain;

use std::fs;
use std::path::Path;

use crate::support::copy_folder;

/// The files of this format; `fixtures` writes them.
pub const FIXTURE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/format_1");

/// A copy of the fixture: a data folder with a run that is over and one that is not.
pub fn fixture_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(Path::new(FIXTURE_PATH), folder.path());
    folder
}

/// Stores a figure of a full run if requested: `.ci/full` collects them.
#[allow(clippy::disallowed_methods)] // the folder is named from outside
pub fn record_figure(name: &str, value: &str) {
    if let Some(folder) = std::env::var_os("SUB_ROSA_FIGURES") {
        fs::create_dir_all(&folder).unwrap();
        fs::write(Path::new(&folder).join(name), value).unwrap();
    }
}

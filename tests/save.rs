//! Saves, where a session or the program writes them. More tests: `engine/save/tests`.

mod payments;
mod watched_journals;

use std::sync::Arc;

use crate::support::disk::FaultyDisk;
use save::DataDir;

fn data_dir_on(disk: &FaultyDisk) -> DataDir {
    DataDir::with_disk(Arc::new(disk.clone()), "data")
}

//! Reads and writes runs and profiles on disk: journal, checkpoint, content store, profile, locks.
//! No other module does. It knows the order of journal entries and nothing of what a step does.
//!
//! Invariants: a line is on disk before anyone acts on it; replacing a file is atomic; unreadable
//! data is reported and kept, never deleted.

mod body_parser;
mod checkpoint;
mod content_fallback;
mod content_store;
mod data_dir;
mod disk;
mod entry;
mod file_lock;
mod garbage_collect;
mod hash_chain;
mod ids_and_names;
mod io_error;
mod journal;
mod journal_damage;
mod journal_entries;
mod journal_file;
mod journal_header;
mod journal_reader;
mod journal_replacement;
mod journal_stream;
mod line_format;
mod line_reader;
mod locked_profile;
mod memory_disk;
mod misnamed_runs;
mod peek;
mod peek_cache;
mod profile;
mod profile_file;
mod profile_quota;
mod recent_story;
mod run_size_checks;
mod run_state;
mod salvage;
mod saved_runs;
mod sealed;
mod size_limits;
mod start_run;
mod step_index;
mod writable_run;

pub use checkpoint::Checkpoint;
pub use data_dir::DataDir;
pub use disk::{BackgroundTask, Disk, LockHandle, RealDisk, replace_file};
pub use entry::{
    ConsoleCommand, DisabledEntry, JOURNAL_FORMAT, JournalEntry, ModVersion, ParentRun,
    RestoredCheckpoint, RunEnding, RunHeader,
};
pub use file_lock::FileLock;
pub use ids_and_names::{file_slug, format_run_id, parse_display_name};
pub use journal::JournalWriter;
pub use journal_damage::JournalDamage;
pub use journal_entries::{EffectiveEntries, JournalEntries};
pub use journal_reader::LoadedJournal;
pub use journal_stream::JournalStream;
pub use locked_profile::LockedProfile;
pub use memory_disk::MemoryDisk;
pub use peek_cache::RunPeek;
pub use profile::{FinishedRun, GameProfile, PaymentOutcome, Profile};
pub use run_state::{PendingStep, ReadExtent, RunState};
pub use saved_runs::{RunStatus, SavedProfile, SavedRun};
pub use start_run::{NewRunParameters, StartRunOutcome};
pub use writable_run::{WritableRun, open_run_for_writing};

//! Reads and writes runs and profiles on disk: journal, checkpoint, content store, profile, locks.
//! No other module does. It knows the order of journal entries and nothing of what a step does.
//!
//! Invariants: a line is on disk before anyone acts on it; replacing a file is atomic; unreadable
//! data is reported and kept, never deleted.

mod at_hand;
mod begin;
mod chain;
mod checkpoint;
mod damage;
mod data_dir;
mod disk;
mod entry;
mod glance;
mod glances;
mod head;
mod journal;
mod lines;
mod lock;
mod locked_profile;
mod memory;
mod names;
mod profile;
mod profile_file;
mod reading;
mod repair;
mod run_state;
mod salvage;
mod saved_runs;
mod sealed;
mod share;
mod sizes;
mod store;
mod story;
mod strays;
mod sweep;
mod trouble;
mod verified_prefix;
mod walked;
mod whole;

pub use begin::{Begun, NewRun};
pub use checkpoint::Checkpoint;
pub use damage::Damage;
pub use data_dir::DataDir;
pub use disk::{Background, Disk, Held, RealDisk, replace};
pub use entry::{Ending, Entry, FORMAT, Header, ModMark, Order, Parent, Restored, SetAside};
pub use glances::Glance;
pub use journal::JournalWriter;
pub use lock::Lock;
pub use locked_profile::LockedProfile;
pub use memory::MemoryDisk;
pub use names::{display_name, run_id, slug};
pub use profile::{GameProfile, PastRun, Payment, Profile};
pub use reading::{Opened, Reach};
pub use repair::{Resumed, resume};
pub use run_state::{Pending, RunState};
pub use saved_runs::{ProfileLine, RunLine, RunStatus};
pub use whole::{Entries, Whole};

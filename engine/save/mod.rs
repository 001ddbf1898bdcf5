//! The only room that writes runs and profiles to disk: journal, checkpoint, content store,
//! profile, locks. It knows what an entry means for the order of a run, and nothing of what a
//! step does.
//!
//! What holds here: a line is on disk before anyone acts on it; a file that is replaced is whole
//! at every moment, old or new; what cannot be read is named and kept, never deleted.

mod begin;
mod beyond;
mod chain;
mod checkpoint;
mod disk;
mod entry;
mod held;
mod home;
mod journal;
mod known;
mod lines;
mod lock;
mod memory;
mod names;
mod profile;
mod profile_file;
mod reading;
mod repair;
mod sealed;
mod shelf;
mod standing;
mod store;
mod trouble;
mod whole;

pub use begin::{Begun, NewRun};
pub use checkpoint::Checkpoint;
pub use disk::{Disk, Held, RealDisk, replace};
pub use entry::{Ending, Entry, FORMAT, Header, ModMark, Order, Parent, Restored, SetAside};
pub use held::HeldProfile;
pub use home::Home;
pub use journal::JournalWriter;
pub use lock::Lock;
pub use memory::{Crash, MemoryDisk};
pub use names::{run_id, slug};
pub use profile::{GameProfile, PastRun, Profile, pay};
pub use reading::{Damage, Opened, Reach};
pub use repair::{Resumed, resume};
pub use shelf::{ProfileLine, RunLine, RunStatus};
pub use standing::{Pending, Standing};
pub use whole::{Entries, Whole};

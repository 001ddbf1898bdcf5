//! Saves, where a session or the program writes them. More tests: `engine/save/tests`.

mod long_journals;
mod payments;

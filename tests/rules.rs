//! The rules of Sub Rosa, row by row (`docs/games/sub_rosa.md`): numbers against figures worked out
//! here by other means, over whole ranges; and whole descents, played through the VM.

mod counts;
mod descents;
mod effects;
mod kept;
mod leak;
mod ledger;
mod maps;
mod nights;
mod oracle;
mod scenarios;
mod scene;
mod secret;

mod standing;
mod steady;
pub mod table;
mod things;
mod words;

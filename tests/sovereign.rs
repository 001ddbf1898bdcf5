//! The rules of Sovereign, row by row (`docs/games/sovereign.md`): its tables cell by cell against
//! figures typed here, and their use in play.

mod addon_mods;
mod bots;
mod characters;
mod combat;
mod diceless;
mod encounters;
mod expedition;
mod harness;
mod hazards;
mod home;
mod ledger;

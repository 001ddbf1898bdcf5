//! Sovereign, row by row (`docs/games/sovereign.md`): its tables cell by cell against figures typed here,
//! and what is done with them at the table.

mod bodies;
mod bots;
mod hill;
mod home;
mod ledger;
mod meetings;
mod neighbours;
mod no_die;
mod perils;
mod rounds;
mod table;

//! Dice: stream output, notation and its errors, roll results, exact odds.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod notation;
mod odds;
mod streams;

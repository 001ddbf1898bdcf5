//! Dice: stream output, notation and its errors, roll results, exact odds.

mod notation;
mod odds;
mod streams;

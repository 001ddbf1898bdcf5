//! Chance: named streams of dice, the notation in which rolls are written, rolling them, and their
//! exact odds. Nothing here knows what a roll is for.

pub mod stream;

pub use stream::{Streams, StreamsMark};

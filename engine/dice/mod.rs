//! Chance: named random streams, dice notation, rolling, and exact odds. Knows nothing of what a
//! roll is for.

pub mod notation;
pub mod odds;
mod parser;
pub mod roll;
pub mod stream;
mod throws;

pub use notation::{Expr, NotationError, step};
pub(crate) use odds::outcomes_with_cost;
pub use odds::{WeightedOutcome, outcomes};
pub use parser::parse;
pub use roll::{RollResult, RolledDie, roll, shuffled_indices};
pub use stream::{Streams, StreamsMark};
pub use throws::{Throw, in_order, throws};

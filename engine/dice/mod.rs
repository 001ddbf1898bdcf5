//! Chance: named random streams, dice notation, rolling, and exact odds. Knows nothing of what a
//! roll is for.

pub mod notation;
pub mod odds;
mod parser;
pub mod roll;
pub mod stream;
mod throws;

pub use notation::{Expr, NotationError, step};
pub(crate) use odds::counted;
pub use odds::{Outcome, outcomes};
pub use parser::parse;
pub use roll::{Die, Rolled, roll, shuffled};
pub use stream::{Streams, StreamsMark};
pub use throws::{Throw, in_order, throws};

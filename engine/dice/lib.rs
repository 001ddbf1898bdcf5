//! Chance: named random streams, dice notation, rolling, and exact odds. Knows nothing of what a
//! roll is for.

mod face_combinations;
pub mod notation;
pub mod odds;
mod parser;
pub mod roll;
pub mod stream;

pub use face_combinations::{
    FaceCombination, enumerate_face_combinations, faces_in_notation_order,
};
pub use notation::{Expr, NotationError, shift_die_size};
pub use odds::count_roll_outcomes_with_cost;
pub use odds::{WeightedOutcome, count_roll_outcomes};
pub use parser::parse_roll;
pub use roll::{RollResult, RolledDie, roll, shuffled_indices};
pub use stream::{RandomStreams, StreamsSavepoint};

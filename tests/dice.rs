//! Dice: what streams give, how notation is read and refused, what rolls come to, exact odds.

mod notation;
mod odds;
mod streams;

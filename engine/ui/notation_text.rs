//! Dice notation as players read it: `best of 2d20` for `d20adv`.

use base::host_text;
use dice::Expr;
use dice::notation::{Dice, KeepRule};

/// A notation in words. Sums and products stay a notation; what is none stays as it is.
pub(crate) fn readable_notation(notation: &str) -> String {
    match dice::parse_roll(notation) {
        Ok(Expr::Dice(dice)) => readable_dice(&dice),
        Ok(expression) => expression.to_string(),
        Err(_) => notation.to_owned(),
    }
}

fn readable_dice(thrown: &Dice) -> String {
    let Some(KeepRule { keeps_highest, kept_count }) = thrown.keep_rule else {
        return thrown.to_string();
    };
    let dice = Dice { keep_rule: None, ..thrown.clone() };
    match (keeps_highest, kept_count) {
        (true, 1) => host_text!("best of {dice}", dice = dice),
        (false, 1) => host_text!("worst of {dice}", dice = dice),
        (true, count) => host_text!("best {count} of {dice}", count = count, dice = dice),
        (false, count) => host_text!("worst {count} of {dice}", count = count, dice = dice),
    }
}

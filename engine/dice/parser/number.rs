//! Numbers in dice notation.

use super::{MAX_NUMBER, ParseResult, Parser};

impl Parser {
    /// The number here, or `default_number` if there are no digits.
    pub(super) fn parse_number_or(&mut self, default_number: u64) -> ParseResult<u64> {
        match self.text.get(self.char_index) {
            Some('0'..='9') => self.parse_number(),
            _ => Ok(default_number),
        }
    }

    pub(super) fn parse_number(&mut self) -> ParseResult<u64> {
        let start = self.char_index;
        let mut number = 0_u64;
        while let Some(digit) = self.text.get(self.char_index).and_then(|c| c.to_digit(10)) {
            number = number * 10 + u64::from(digit);
            if number > MAX_NUMBER {
                return self.notation_error(
                    start,
                    "the number is too large",
                    format!("at most {MAX_NUMBER}"),
                );
            }
            self.char_index += 1;
        }
        Ok(number)
    }
}

//! Parser for dice notation (`notation` has its table). Every mistake carries the position of its
//! character.

mod number;

use super::notation::{
    DEFAULT_MAX_EXPLOSIONS, DIE_SIZES, Dice, Expr, Faces, KeepRule, NotationError, shift_die_size,
};
use base::limits;
use base::problem::nearest_name;

/// Largest number in a notation.
const MAX_NUMBER: u64 = 1_000_000_000;
/// Deepest nesting of brackets.
const MAX_BRACKET_DEPTH: usize = 8;
/// Most faces of a die that lists them one by one.
const MAX_LISTED_FACES: usize = 100;
/// Words that may follow a die.
const DICE_SUFFIXES: [&str; 8] = ["kh", "kl", "dh", "dl", "adv", "dis", "up", "down"];
/// Characters shown of a notation that is too long.
const SHOWN_NOTATION_CHARS: usize = 40;

/// Parses a roll.
pub fn parse_roll(text: &str) -> Result<Expr, NotationError> {
    let mut parser =
        Parser { text: Vec::new(), char_index: 0, requested_dice: 0, bracket_depth: 0 };
    if text.len() > limits::MAX_NOTATION_BYTES {
        parser.text = text.chars().take(SHOWN_NOTATION_CHARS).collect();
        let message = format!("the notation is {} bytes long", text.len());
        let expected = format!("at most {} bytes", limits::MAX_NOTATION_BYTES);
        return parser.notation_error(parser.text.len(), message, expected);
    }
    parser.text = text.chars().collect();
    let expr = parser.parse_sum()?;
    match parser.skip_spaces_and_peek() {
        None => {}
        Some(')') => {
            return parser.notation_error(
                parser.char_index,
                "this bracket was never opened",
                "nothing more".into(),
            );
        }
        Some(unexpected_char) => {
            let message = format!("{unexpected_char:?} does not belong here");
            return parser.notation_error(parser.char_index, message, parser.expected_after_term());
        }
    }
    if expr.total_range().is_none() {
        return parser.notation_error(0, "the roll can exceed 2^53", "smaller numbers".into());
    }
    Ok(expr)
}

struct Parser {
    text: Vec<char>,
    char_index: usize,
    /// Dice requested so far, with the most that explosions can add.
    requested_dice: u64,
    /// Number of open brackets.
    bracket_depth: usize,
}

type ParseResult<T> = Result<T, NotationError>;

impl Parser {
    fn parse_sum(&mut self) -> ParseResult<Expr> {
        let mut parts = vec![(self.consume_char_if('-'), self.parse_product()?)];
        loop {
            match self.skip_spaces_and_peek() {
                Some('+') => self.char_index += 1,
                Some('-') => {}
                _ => break,
            }
            parts.push((self.consume_char_if('-'), self.parse_product()?));
        }
        Ok(match parts.as_slice() {
            [(false, _)] => parts.remove(0).1,
            [(true, Expr::Number(number))] => Expr::Number(-number),
            _ => Expr::Sum(parts),
        })
    }

    fn parse_product(&mut self) -> ParseResult<Expr> {
        let mut parts = vec![self.parse_term()?];
        while self.consume_char_if('*') {
            parts.push(self.parse_term()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Product(parts) })
    }

    fn parse_term(&mut self) -> ParseResult<Expr> {
        match self.skip_spaces_and_peek() {
            Some('(') => self.parse_brackets(),
            Some('d' | 'D') => {
                let start = self.char_index;
                self.parse_dice(start, 1)
            }
            Some('0'..='9') => {
                let start = self.char_index;
                let number = self.parse_number()?;
                if matches!(self.text.get(self.char_index), Some('d' | 'D')) {
                    return self.parse_dice(start, number);
                }
                Ok(Expr::Number(number as i64))
            }
            found => {
                let message = match found {
                    None if self.text.iter().all(|c| c.is_whitespace()) => {
                        "there is nothing to roll".to_owned()
                    }
                    None => "something is missing at the end".to_owned(),
                    Some(unexpected_char) => format!("{unexpected_char:?} does not belong here"),
                };
                self.notation_error(
                    self.char_index,
                    message,
                    "dice such as 2d6, a number or a bracket".into(),
                )
            }
        }
    }

    fn parse_brackets(&mut self) -> ParseResult<Expr> {
        let open_position = self.char_index;
        if self.bracket_depth == MAX_BRACKET_DEPTH {
            let most = format!("at most {MAX_BRACKET_DEPTH} brackets inside each other");
            return self.notation_error(open_position, "the brackets are nested too deeply", most);
        }
        self.char_index += 1;
        self.bracket_depth += 1;
        let inner = self.parse_sum()?;
        if self.consume_char_if(')') {
            self.bracket_depth -= 1;
            return Ok(inner);
        }
        match self.skip_spaces_and_peek() {
            None => self.notation_error(
                open_position,
                "this bracket is never closed",
                "a ) after it".into(),
            ),
            Some(unexpected_char) => self.notation_error(
                self.char_index,
                format!("{unexpected_char:?} does not belong here"),
                self.expected_after_term(),
            ),
        }
    }

    /// Parses dice from their `d` on; `start` is where their count began.
    fn parse_dice(&mut self, start: usize, count: u64) -> ParseResult<Expr> {
        self.char_index += 1;
        let faces = self.parse_faces()?;
        let mut dice = Dice { dice_count: count as u32, faces, keep_rule: None, max_explosions: 0 };
        let most = u64::from(limits::MAX_DICE_PER_ROLL);
        if count == 0 || count > most {
            let message = if count == 0 { "no dice at all" } else { "too many dice" };
            return self.notation_error(start, message, format!("1 to {most} dice"));
        }
        while self.parse_suffix(&mut dice)? {}
        self.requested_dice += u64::from(dice.dice_count) * u64::from(dice.max_explosions + 1);
        if self.requested_dice > most {
            let message = format!("the roll may throw {} dice", self.requested_dice);
            return self.notation_error(start, message, format!("at most {most} in one roll"));
        }
        Ok(Expr::Dice(dice))
    }

    fn parse_faces(&mut self) -> ParseResult<Faces> {
        let start = self.char_index;
        match self.text.get(start) {
            Some('%') => {
                self.char_index += 1;
                Ok(Faces::Sides(100))
            }
            Some('{') => self.parse_listed_faces(),
            Some('0'..='9') => {
                let sides = self.parse_number()?;
                if sides == 0 || sides > u64::from(limits::MAX_DIE_SIDES) {
                    let message = format!("a die cannot have {sides} sides");
                    return self.notation_error(
                        start,
                        message,
                        format!("1 to {} sides", limits::MAX_DIE_SIDES),
                    );
                }
                Ok(Faces::Sides(sides as u32))
            }
            _ => self.notation_error(
                start,
                "the die has no sides",
                "a number after the d, or % for 100, or faces such as {1, 2, 4}".into(),
            ),
        }
    }

    fn parse_listed_faces(&mut self) -> ParseResult<Faces> {
        let open_position = self.char_index;
        self.char_index += 1;
        let mut faces = Vec::new();
        loop {
            match self.skip_spaces_and_peek() {
                Some('0'..='9') => {
                    let start = self.char_index;
                    let face = self.parse_number()?;
                    if face > u64::from(limits::MAX_DIE_SIDES) {
                        let most = format!("a face of at most {}", limits::MAX_DIE_SIDES);
                        return self.notation_error(start, "the face is too large", most);
                    }
                    faces.push(face as u32);
                }
                None => {
                    return self.notation_error(
                        open_position,
                        "these faces are never closed",
                        "a } at their end".into(),
                    );
                }
                Some(unexpected_char) => {
                    let message = format!("{unexpected_char:?} is not a face");
                    return self.notation_error(
                        self.char_index,
                        message,
                        "whole numbers separated by commas".into(),
                    );
                }
            }
            if faces.len() > MAX_LISTED_FACES {
                return self.notation_error(
                    open_position,
                    "too many faces",
                    format!("at most {MAX_LISTED_FACES}"),
                );
            }
            if self.consume_char_if('}') {
                return Ok(Faces::Listed(faces));
            }
            if !self.consume_char_if(',') && self.skip_spaces_and_peek().is_some() {
                let message = format!("{:?} does not belong here", self.text[self.char_index]);
                return self.notation_error(self.char_index, message, "a comma or }".into());
            }
        }
    }

    /// Parses one suffix after the faces of a die; `false` if there is none.
    fn parse_suffix(&mut self, dice: &mut Dice) -> ParseResult<bool> {
        let start = self.char_index;
        let word: String = self.text[start..]
            .iter()
            .take_while(|c| c.is_ascii_alphabetic())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if word.is_empty() {
            if self.text.get(start) != Some(&'!') {
                return Ok(false);
            }
            self.char_index += 1;
            self.parse_explosion(start, dice)?;
            return Ok(true);
        }
        self.char_index += word.len();
        match word.as_str() {
            "kh" | "k" | "kl" | "dh" | "dl" | "adv" | "dis" => {
                self.parse_keep(start, &word, dice)?
            }
            "up" | "down" => self.parse_die_size_shift(start, word == "up", dice)?,
            _ => {
                let expected = match nearest_name(&word, DICE_SUFFIXES) {
                    Some(suffix) => format!("the word {suffix}"),
                    None => format!("{}, ! or an operator", DICE_SUFFIXES.join(", ")),
                };
                return self.notation_error(
                    start,
                    format!("\"{word}\" is not a dice suffix"),
                    expected,
                );
            }
        }
        Ok(true)
    }

    fn parse_keep(&mut self, start: usize, word: &str, dice: &mut Dice) -> ParseResult<()> {
        let number_at = self.char_index;
        let number = self.parse_number_or(1)?;
        if dice.keep_rule.is_some() {
            let expected = "one of kh, kl, dh, dl, adv, dis".into();
            return self.notation_error(start, "which dice count was already stated", expected);
        }
        let count = u64::from(dice.dice_count);
        let highest = matches!(word, "kh" | "k" | "dl" | "adv");
        if matches!(word, "adv" | "dis") {
            let most = u64::from(limits::MAX_DICE_PER_ROLL) - count;
            if number == 0 || number > most {
                let message = format!("{number} extra dice cannot be thrown");
                return self.notation_error(number_at, message, format!("1 to {most}"));
            }
            dice.keep_rule = Some(KeepRule { keeps_highest: highest, kept_count: dice.dice_count });
            dice.dice_count += number as u32;
            return Ok(());
        }
        let drops = word.starts_with('d');
        let (least, most) = if drops { (0, count - 1) } else { (1, count) };
        if number < least || number > most {
            let verb = if drops { "dropped" } else { "kept" };
            let message = format!("{number} of {count} dice cannot be {verb}");
            return self.notation_error(number_at, message, format!("{least} to {most}"));
        }
        let kept = if drops { count - number } else { number };
        dice.keep_rule = Some(KeepRule { keeps_highest: highest, kept_count: kept as u32 });
        Ok(())
    }

    fn parse_die_size_shift(&mut self, start: usize, up: bool, dice: &mut Dice) -> ParseResult<()> {
        let steps = self.parse_number_or(1)? as i64;
        let stepped_sides = match dice.faces {
            Faces::Sides(sides) => shift_die_size(sides, if up { steps } else { -steps }),
            Faces::Listed(_) => None,
        };
        if dice.max_explosions > 0 || dice.keep_rule.is_some() {
            let expected = "steps right after the sides, as in d6up1!".into();
            return self.notation_error(start, "the steps come too late", expected);
        }
        let Some(stepped_sides) = stepped_sides else {
            let steps: Vec<String> = DIE_SIZES.iter().map(|sides| format!("d{sides}")).collect();
            let expected = format!("one of {} before it", steps.join(" "));
            return self.notation_error(start, "this die is not on the step ladder", expected);
        };
        dice.faces = Faces::Sides(stepped_sides);
        Ok(())
    }

    fn parse_explosion(&mut self, start: usize, dice: &mut Dice) -> ParseResult<()> {
        let number_at = self.char_index;
        let max_explosions = self.parse_number_or(u64::from(DEFAULT_MAX_EXPLOSIONS))?;
        if dice.max_explosions > 0 {
            return self.notation_error(start, "the explosion was already stated", "one !".into());
        }
        if dice.faces.lowest_face() == dice.faces.highest_face() {
            let expected = "a die with two different faces".into();
            return self.notation_error(
                start,
                "a die with one face would always explode",
                expected,
            );
        }
        let most = u64::from(limits::MAX_DICE_PER_ROLL);
        if max_explosions == 0 || max_explosions >= most {
            let message = format!("a die cannot explode {max_explosions} times");
            return self.notation_error(number_at, message, format!("1 to {}", most - 1));
        }
        dice.max_explosions = max_explosions as u32;
        Ok(())
    }

    /// The next character that is not a space; it becomes the current one.
    fn skip_spaces_and_peek(&mut self) -> Option<char> {
        while self.text.get(self.char_index).is_some_and(|c| *c == ' ') {
            self.char_index += 1;
        }
        self.text.get(self.char_index).copied()
    }

    fn consume_char_if(&mut self, expected_char: char) -> bool {
        let found = self.skip_spaces_and_peek() == Some(expected_char);
        self.char_index += usize::from(found);
        found
    }

    fn expected_after_term(&self) -> String {
        if self.bracket_depth > 0 {
            "+, -, * or )".to_owned()
        } else {
            "+, -, * or the end".to_owned()
        }
    }

    fn notation_error<T>(
        &self,
        at: usize,
        message: impl Into<String>,
        expected: String,
    ) -> ParseResult<T> {
        let text = self.text.iter().collect();
        Err(NotationError { text, char_index: at, message: message.into(), expected })
    }
}

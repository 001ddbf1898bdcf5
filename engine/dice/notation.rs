//! The expression tree of a roll, its notation, and how a mistake in it is displayed.
//!
//! | notation | meaning |
//! |---|---|
//! | `3d6+2`, `d20-1`, `2d6*10`, `(d6+1)*2` | dice and numbers, added, subtracted, multiplied |
//! | `d%` | the same as `d100` |
//! | `d{1, 2, 2, 4}` | a die with these faces |
//! | `d6up2`, `d8down` | a die moved by that many steps along d4 d6 d8 d10 d12; it stops at either end |
//! | `4d6kh3`, `4d6kl1`, `4d6dh1`, `4d6dl1` | keeps or drops that many of the highest or lowest dice |
//! | `d20adv`, `d20dis2`, `2d6adv1` | throws that many extra dice and keeps the best, or the worst |
//! | `d6!`, `d6!5` | a die that shows its highest face is thrown again and added, at most 3 times or as stated |
//!
//! A number left out after a letter is 1. Case does not matter; spaces may stand between parts.

use std::fmt;

use base::text;

/// How often a die explodes at most where the notation does not state it.
pub const DEFAULT_MAX_EXPLOSIONS: u32 = 3;

/// The dice that `up` and `down` move along.
pub const DIE_SIZES: [u32; 5] = [4, 6, 8, 10, 12];

/// A parsed roll that is within all limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(i64),
    /// Dice of one kind.
    Dice(Dice),
    /// Terms added up; those with `true` are subtracted.
    Sum(Vec<(bool, Expr)>),
    /// Factors multiplied.
    Product(Vec<Expr>),
}

/// Dice of one kind, thrown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dice {
    /// How many are thrown.
    pub dice_count: u32,
    /// The faces of each.
    pub faces: Faces,
    /// Which dice count; `None` means all.
    pub keep_rule: Option<KeepRule>,
    /// How often each may explode.
    pub max_explosions: u32,
}

/// The faces of a die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Faces {
    /// 1 to this number.
    Sides(u32),
    /// These faces, each equally likely, in the order written.
    Listed(Vec<u32>),
}

/// Which dice of a throw count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepRule {
    /// Whether the highest count; otherwise the lowest.
    pub keeps_highest: bool,
    /// How many.
    pub kept_count: u32,
}

/// A mistake in a notation, with the position of the character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The notation as given.
    pub text: String,
    /// The character index, from 0; the length of the text where something is missing at its end.
    pub char_index: usize,
    /// What was found.
    pub message: String,
    /// What was expected.
    pub expected: String,
}

/// Moves a die by `steps` along d4 d6 d8 d10 d12, and stops at either end; `None` if `sides` is not
/// one of them.
pub fn shift_die_size(sides: u32, steps: i64) -> Option<u32> {
    let place = DIE_SIZES.iter().position(|step| *step == sides)? as i64;
    let place = place.saturating_add(steps).clamp(0, DIE_SIZES.len() as i64 - 1);
    Some(DIE_SIZES[place as usize])
}

impl Faces {
    /// How many faces there are.
    pub fn face_count(&self) -> u32 {
        match self {
            Self::Sides(sides) => *sides,
            Self::Listed(faces) => faces.len() as u32,
        }
    }

    /// The face for a drawn number from 1 to [`Faces::count`].
    pub fn face_for_draw(&self, drawn: u32) -> u32 {
        match self {
            Self::Sides(_) => drawn,
            Self::Listed(faces) => faces[drawn as usize - 1],
        }
    }

    /// The highest face.
    pub fn highest_face(&self) -> u32 {
        match self {
            Self::Sides(sides) => *sides,
            Self::Listed(faces) => faces.iter().copied().max().unwrap_or(0),
        }
    }

    /// The lowest face.
    pub fn lowest_face(&self) -> u32 {
        match self {
            Self::Sides(_) => 1,
            Self::Listed(faces) => faces.iter().copied().min().unwrap_or(0),
        }
    }
}

impl Dice {
    /// How many dice count.
    pub fn dice_count_after_keep(&self) -> u32 {
        self.keep_rule.map_or(self.dice_count, |keep| keep.kept_count)
    }
}

impl Expr {
    /// The smallest and the largest total. `None` beyond 2^53, where Lua's numbers are not exact.
    pub fn total_range(&self) -> Option<(i64, i64)> {
        let range = match self {
            Self::Number(number) => (*number, *number),
            Self::Dice(dice) => {
                let counted = i64::from(dice.dice_count_after_keep());
                let most =
                    i64::from(dice.faces.highest_face()) * i64::from(dice.max_explosions + 1);
                (i64::from(dice.faces.lowest_face()) * counted, most * counted)
            }
            Self::Sum(parts) => {
                let mut sum = (0, 0);
                for (minus, part) in parts {
                    let (least, most) = part.total_range()?;
                    sum = if *minus {
                        (sum.0 - most, sum.1 - least)
                    } else {
                        (sum.0 + least, sum.1 + most)
                    };
                    range_if_exact_in_lua(sum)?;
                }
                sum
            }
            Self::Product(parts) => {
                let mut product = (1_i64, 1_i64);
                for part in parts {
                    let part = part.total_range()?;
                    let corners = [
                        product.0.checked_mul(part.0)?,
                        product.0.checked_mul(part.1)?,
                        product.1.checked_mul(part.0)?,
                        product.1.checked_mul(part.1)?,
                    ];
                    product = (corners.into_iter().min()?, corners.into_iter().max()?);
                    range_if_exact_in_lua(product)?;
                }
                product
            }
        };
        range_if_exact_in_lua(range)
    }
}

fn range_if_exact_in_lua(range: (i64, i64)) -> Option<(i64, i64)> {
    let most = 1 << 53;
    (-most <= range.0 && range.1 <= most).then_some(range)
}

/// Writes the roll so that parsing it gives the same roll: advantage as what it keeps, steps as the
/// resulting die.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Dice(dice) => write!(f, "{dice}"),
            Self::Sum(parts) => {
                for (index, (minus, part)) in parts.iter().enumerate() {
                    match (index, minus) {
                        (_, true) => f.write_str("-")?,
                        (0, false) => {}
                        (_, false) => f.write_str("+")?,
                    }
                    write_operand(f, part, matches!(part, Self::Sum(_) | Self::Number(..0)))?;
                }
                Ok(())
            }
            Self::Product(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        f.write_str("*")?;
                    }
                    let brackets =
                        matches!(part, Self::Sum(_) | Self::Product(_) | Self::Number(..0));
                    write_operand(f, part, brackets)?;
                }
                Ok(())
            }
        }
    }
}

fn write_operand(f: &mut fmt::Formatter<'_>, part: &Expr, brackets: bool) -> fmt::Result {
    if brackets { write!(f, "({part})") } else { write!(f, "{part}") }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dice_count != 1 {
            write!(f, "{}", self.dice_count)?;
        }
        match &self.faces {
            Faces::Sides(sides) => write!(f, "d{sides}")?,
            Faces::Listed(faces) => {
                let faces: Vec<String> = faces.iter().map(u32::to_string).collect();
                write!(f, "d{{{}}}", faces.join(","))?;
            }
        }
        if self.max_explosions > 0 {
            write!(f, "!{}", self.max_explosions)?;
        }
        match self.keep_rule {
            Some(KeepRule { keeps_highest: true, kept_count: dice }) => write!(f, "kh{dice}"),
            Some(KeepRule { keeps_highest: false, kept_count: dice }) => write!(f, "kl{dice}"),
            None => Ok(()),
        }
    }
}

/// Shows the message, the notation with a caret under the character, and what was expected.
impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line break or an invisible character is shown as a dot, so that the caret is aligned.
        let shown = |c: char| if c == '\n' || !text::is_printable(c) { '·' } else { c };
        let line: String = self.text.chars().map(shown).collect();
        let before: String = line.chars().take(self.char_index).collect();
        writeln!(f, "{}", self.message)?;
        writeln!(f, "  {line}")?;
        writeln!(f, "  {}^", " ".repeat(text::display_width(&before)))?;
        write!(f, "  expected: {}", self.expected)
    }
}

impl std::error::Error for NotationError {}

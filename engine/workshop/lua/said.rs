//! What an expression plainly is, as it is written out; and of what it is a part: of the state, or of the
//! event that a hook is given.

use full_moon::ast::{
    BinOp, Call, Expression, Field, FunctionArgs, FunctionCall, Index, Suffix, TableConstructor,
    UnOp, Var,
};

use super::locals::LocalId;
use super::names::{front, line, name, text};
use crate::content::Way;

/// What an expression plainly is.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workshop) enum Said {
    /// A text; which one, if that is written out.
    Text(Option<String>),
    /// A number.
    Number(Option<f64>),
    /// True or false; which, if that is written out.
    Truth(Option<bool>),
    /// Nothing.
    Nil,
    /// A function.
    Function,
    /// A table.
    Table(Table),
    /// Only running tells.
    Untold,
}

/// A table that is written out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::workshop) struct Table {
    /// What stands under a name, with its line.
    pub(in crate::workshop) named: Vec<(String, u32, Said)>,
    /// What stands there without one.
    pub(in crate::workshop) items: Vec<(u32, Said)>,
    /// Whether there may be more than that.
    pub(in crate::workshop) open: bool,
}

impl Table {
    /// What stands under a name.
    pub(in crate::workshop) fn said(&self, name: &str) -> Option<&Said> {
        self.named.iter().find(|(own, ..)| own == name).map(|(_, _, said)| said)
    }
}

/// What something is a part of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::workshop) enum Whole {
    /// The state.
    State,
    /// The event of a moment.
    Event(String),
    /// What the handler of a choice is given; which, if scene and handler are written out.
    Input(Option<(String, String)>),
    /// What `start` is given.
    Options,
    /// What a bot is shown; which, if that is written out.
    Seen(Option<String>),
    /// What a function is given that stands in a definition: the kind, and the way to the function.
    Content(String, Vec<Way>),
    /// What is said to be of a type: the file, and the type's name there.
    Typed(String, String),
    /// What a function gives: the file that calls it, how, and which of what it gives.
    Gives(String, Called, usize),
    /// What `roll` gives besides its total, where what it may come to is written out.
    Roll(Vec<String>),
    /// What a function is given first, which may turn out to be an event.
    Given(LocalId),
}

/// A function as it is called: its name, and the path of the file that gives it, if it was required.
pub(in crate::workshop) type Called = (String, Option<String>);

/// A part of the state or of an event.
#[derive(Clone, Debug)]
pub(in crate::workshop) struct Part {
    pub(in crate::workshop) of: Whole,
    pub(in crate::workshop) path: Vec<Way>,
    /// The locals that it was come to by: if one of them comes to hold something else, nothing is known.
    pub(super) by: Vec<LocalId>,
}

impl Part {
    /// All of it.
    pub(super) fn all(of: Whole) -> Self {
        Self { of, path: Vec::new(), by: Vec::new() }
    }

    /// What lies further in.
    pub(super) fn then(&self, more: impl IntoIterator<Item = Way>) -> Self {
        let mut part = self.clone();
        part.path.extend(more);
        part
    }
}

/// What an expression plainly is.
pub(super) fn said(expression: &Expression) -> Said {
    match expression {
        Expression::String(token) => Said::Text(text(token.token())),
        Expression::InterpolatedString(_) => Said::Text(None),
        Expression::Number(token) => {
            let digits = name(token).replace('_', "");
            Said::Number(digits.parse().ok())
        }
        Expression::Symbol(token) => match name(token).as_str() {
            word @ ("true" | "false") => Said::Truth(Some(word == "true")),
            "nil" => Said::Nil,
            _ => Said::Untold,
        },
        Expression::Function(_) => Said::Function,
        Expression::Parentheses { expression, .. }
        | Expression::TypeAssertion { expression, .. } => said(expression),
        Expression::TableConstructor(made) => Said::Table(table(made)),
        Expression::UnaryOperator { unop, expression } => match (unop, said(expression)) {
            (UnOp::Minus(_), Said::Number(number)) => Said::Number(number.map(|number| -number)),
            (UnOp::Minus(_) | UnOp::Hash(_), _) => Said::Number(None),
            (UnOp::Not(_), _) => Said::Truth(None),
            _ => Said::Untold,
        },
        Expression::BinaryOperator { binop, rhs, .. } => match binop {
            // It may be what stands there last.
            BinOp::Or(_) | BinOp::And(_) => said(rhs),
            BinOp::Plus(_)
            | BinOp::Minus(_)
            | BinOp::Star(_)
            | BinOp::Slash(_)
            | BinOp::DoubleSlash(_)
            | BinOp::Percent(_)
            | BinOp::Caret(_) => Said::Number(None),
            BinOp::TwoDots(_) => Said::Text(None),
            BinOp::TwoEqual(_)
            | BinOp::TildeEqual(_)
            | BinOp::LessThan(_)
            | BinOp::LessThanEqual(_)
            | BinOp::GreaterThan(_)
            | BinOp::GreaterThanEqual(_) => Said::Truth(None),
            _ => Said::Untold,
        },
        _ => Said::Untold,
    }
}

/// A table, as it is written out.
pub(super) fn table(made: &TableConstructor) -> Table {
    let mut table = Table::default();
    for field in made.fields() {
        match field {
            Field::NameKey { key, value, .. } => {
                table.named.push((name(key), line(key), said(value)));
            }
            Field::ExpressionKey { key, value, .. } => match &**key {
                Expression::String(token) => {
                    let written = text(token).unwrap_or_default();
                    table.named.push((written, line(token), said(value)));
                }
                _ => table.open = true,
            },
            Field::NoKey(value) => {
                table.open |= may_be_several(value);
                table.items.push((line_of(value), said(value)));
            }
            _ => table.open = true,
        }
    }
    table
}

/// Whether an expression at the end of a list may stand for more or fewer values than one.
pub(super) fn may_be_several(expression: &Expression) -> bool {
    match expression {
        Expression::FunctionCall(_) => true,
        Expression::Symbol(symbol) => symbol.token().to_string() == "...",
        _ => false,
    }
}

/// The line on which an expression begins.
pub(super) fn line_of(expression: &Expression) -> u32 {
    use full_moon::node::Node;
    let at = expression.start_position().map_or(0, |position| position.line());
    u32::try_from(at).unwrap_or(0)
}

/// The steps of a chain, as far as it only looks further in.
pub(super) fn steps<'a>(suffixes: impl Iterator<Item = &'a Suffix>) -> (Vec<Way>, bool) {
    let mut steps = Vec::new();
    for suffix in suffixes {
        match suffix {
            Suffix::Index(Index::Dot { name: field, .. }) => steps.push(Way::Name(name(field))),
            Suffix::Index(Index::Brackets { expression, .. }) => steps.push(match &**expression {
                Expression::String(token) => text(token).map_or(Way::Each, Way::Name),
                _ => Way::Each,
            }),
            _ => return (steps, false),
        }
    }
    (steps, true)
}

/// The part that an expression is, where `held` knows what a name holds.
pub(super) fn part(expression: &Expression, held: &impl Fn(&str) -> Option<Part>) -> Option<Part> {
    match expression {
        Expression::Var(Var::Name(token)) => held(&name(token)),
        Expression::Var(Var::Expression(chain)) => {
            let whole = held(&name(front(chain.prefix())?))?;
            let (steps, to_its_end) = steps(chain.suffixes());
            to_its_end.then(|| whole.then(steps))
        }
        Expression::Parentheses { expression, .. } => part(expression, held),
        Expression::TypeAssertion { expression, .. } => part(expression, held),
        _ => None,
    }
}

/// What a loop walks, where it walks one thing: the second name holds each of what lies there.
pub(super) fn walked<'e>(expressions: &[&'e Expression]) -> Option<&'e Expression> {
    let [walked] = expressions else { return None };
    let Expression::FunctionCall(call) = walked else { return Some(walked) };
    let called = walker(call)?;
    let FunctionArgs::Parentheses { arguments, .. } = called else { return None };
    arguments.iter().next()
}

fn walker(call: &FunctionCall) -> Option<&FunctionArgs> {
    let walks = ["pairs", "ipairs"].contains(&name(front(call.prefix())?).as_str());
    let mut suffixes = call.suffixes();
    match (suffixes.next(), suffixes.next()) {
        (Some(Suffix::Call(Call::AnonymousCall(arguments))), None) if walks => Some(arguments),
        _ => None,
    }
}

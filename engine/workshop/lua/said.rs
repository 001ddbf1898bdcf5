//! Literals, and access paths: what an expression is as written, or the path into the state, an
//! event or another value that it reads.

use full_moon::ast::{
    BinOp, Call, Expression, Field, FunctionArgs, FunctionCall, Index, Suffix, TableConstructor,
    UnOp, Var,
};

use super::locals::LocalId;
use super::names::{front, line, name, text};
use crate::content::Way;

/// What an expression is as written.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workshop) enum Said {
    /// A text, and its value if it is written out.
    Text(Option<String>),
    /// A number.
    Number(Option<f64>),
    /// A boolean, and its value if it is written out.
    Truth(Option<bool>),
    /// `nil`.
    Nil,
    /// A function.
    Function,
    /// A table.
    Table(Table),
    /// Known only at run time.
    Untold,
}

/// A table literal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::workshop) struct Table {
    /// Named fields, with their lines.
    pub(in crate::workshop) named: Vec<(String, u32, Said)>,
    /// Fields without a name.
    pub(in crate::workshop) items: Vec<(u32, Said)>,
    /// Whether there may be more fields.
    pub(in crate::workshop) open: bool,
}

impl Table {
    /// The value of a named field.
    pub(in crate::workshop) fn said(&self, name: &str) -> Option<&Said> {
        self.named.iter().find(|(own, ..)| own == name).map(|(_, _, said)| said)
    }
}

/// Where an access path starts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::workshop) enum Whole {
    /// The state.
    State,
    /// The argument of a hook on this event.
    Event(String),
    /// The input of a choice's handler; with scene and handler, if they are written out.
    Input(Option<(String, String)>),
    /// The argument of `start`.
    Options,
    /// The argument of a bot; with the bot's name, if it is written out.
    Seen(Option<String>),
    /// The argument of a function in a definition: the kind, and the path to the function.
    Content(String, Vec<Way>),
    /// An annotated value: the file, and the name of the type in it.
    Typed(String, String),
    /// The result of a call: the calling file, the function, and the index of the result.
    Gives(String, Called, usize),
    /// The second result of `roll`, if its outcomes are written out.
    Roll(Vec<String>),
    /// The first parameter of a function, which may turn out to be an event.
    Given(LocalId),
}

/// A called function: its name, and the path of the file if it is required.
pub(in crate::workshop) type Called = (String, Option<String>);

/// A path into the state, an event or another value.
#[derive(Clone, Debug)]
pub(in crate::workshop) struct Part {
    pub(in crate::workshop) of: Whole,
    pub(in crate::workshop) path: Vec<Way>,
    /// The locals on the way to it. If one of them gets another value, the path is unknown.
    pub(super) by: Vec<LocalId>,
}

impl Part {
    /// The whole of a source.
    pub(super) fn all(of: Whole) -> Self {
        Self { of, path: Vec::new(), by: Vec::new() }
    }

    /// A path further inside.
    pub(super) fn then(&self, more: impl IntoIterator<Item = Way>) -> Self {
        let mut part = self.clone();
        part.path.extend(more);
        part
    }
}

/// The literal that an expression is.
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
            // The last item may have several values.
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

/// The table literal, field by field.
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

/// Whether the last expression of a list may have several values.
pub(super) fn may_be_several(expression: &Expression) -> bool {
    match expression {
        Expression::FunctionCall(_) => true,
        Expression::Symbol(symbol) => symbol.token().to_string() == "...",
        _ => false,
    }
}

/// The line where an expression begins.
pub(super) fn line_of(expression: &Expression) -> u32 {
    use full_moon::node::Node;
    let at = expression.start_position().map_or(0, |position| position.line());
    u32::try_from(at).unwrap_or(0)
}

/// The steps of a chain, as far as it only reads fields.
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

/// The path that an expression reads; `held` knows the paths in names.
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

/// The value that a loop goes over, so that the second name is each of its items.
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

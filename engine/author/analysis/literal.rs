//! Literals, and access paths: what an expression is as written, or the path into the state, an
//! event or another value that it reads.

use full_moon::ast::{
    BinOp, Call, Expression, Field, FunctionArgs, FunctionCall, Index, Suffix, TableConstructor,
    UnOp, Var,
};

use super::locals::{FunctionIndex, LocalId};
use super::syntax::{first_chain_name, is_symbol, string_value, token_line, token_name};
use content::StatePathStep;

/// What an expression is as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// A text, and its value if it is written out.
    Text(Option<String>),
    /// A number.
    Number(Option<f64>),
    /// A number that may be no whole number, such as a quotient.
    Fraction,
    /// A boolean, and its value if it is written out.
    Bool(Option<bool>),
    /// `nil`.
    Nil,
    /// A function.
    Function,
    /// A table.
    Table(TableLiteral),
    /// Known only at run time.
    Unknown,
}

/// A table literal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableLiteral {
    /// Named fields, with their lines.
    pub(crate) named_fields: Vec<(String, u32, Literal)>,
    /// The values of fields whose names are known only at run time.
    pub(crate) keyed_values: Vec<Literal>,
    /// Fields without a name.
    pub(crate) items: Vec<(u32, Literal)>,
    /// Whether there may be more fields.
    pub(crate) may_have_more_fields: bool,
}

impl TableLiteral {
    /// The value of a named field.
    pub(crate) fn get(&self, name: &str) -> Option<&Literal> {
        self.named_fields.iter().find(|(own, ..)| own == name).map(|(_, _, said)| said)
    }
}

/// Where an access path starts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathRoot {
    /// The state.
    State,
    /// Another global value, such as `profile` or a kind.
    Global(String),
    /// The argument of a hook on this event.
    Event(String),
    /// The input of a choice's handler; with scene and handler, if they are written out.
    HandlerInput(Option<(String, String)>),
    /// The argument of `start`.
    StartOptions,
    /// The argument of a bot; with the bot's name, if it is written out.
    BotArgument(Option<String>),
    /// The argument of a function in a definition: the kind, and the path to the function.
    DefinitionCallback(String, Vec<StatePathStep>),
    /// An annotated value: the file, and the name of the type in it.
    AnnotatedType(String, String),
    /// The result of a call: the calling file, the function, and the index of the result.
    CallResult(String, CalledFunction, usize),
    /// The result of a function of a file: the file, and the index of the function in it.
    FunctionResult(String, FunctionIndex),
    /// An argument of a function whose purpose the syntax does not show: the file, the line where
    /// the function begins, and the index of the argument.
    FunctionArgument(String, u32, usize),
    /// The second result of `roll`, if its outcomes are written out.
    RollParts(Vec<String>),
    /// The first parameter of a function, which may turn out to be an event.
    Parameter(LocalId),
}

/// A called function: its name, and the path of the file if it is required.
pub(crate) type CalledFunction = (String, Option<String>);

/// A path into the state, an event or another value.
#[derive(Clone, Debug)]
pub(crate) struct AccessPath {
    pub(crate) root: PathRoot,
    pub(crate) path: Vec<StatePathStep>,
    /// The locals that the path goes through. If one of them is assigned, the path is unknown.
    pub(super) via_locals: Vec<LocalId>,
}

impl AccessPath {
    /// The path of the source itself.
    pub(super) fn from_root(source: PathRoot) -> Self {
        Self { root: source, path: Vec::new(), via_locals: Vec::new() }
    }

    /// A path with the same root.
    pub(crate) fn with_steps(&self, path: Vec<StatePathStep>) -> Self {
        Self { path, ..self.clone() }
    }

    /// A path further inside.
    pub(super) fn append_steps(&self, more: impl IntoIterator<Item = StatePathStep>) -> Self {
        let mut part = self.clone();
        part.path.extend(more);
        part
    }
}

/// The literal that an expression is.
pub(super) fn literal_of(expression: &Expression) -> Literal {
    match expression {
        Expression::String(token) => Literal::Text(string_value(token.token())),
        Expression::InterpolatedString(_) => Literal::Text(None),
        Expression::Number(token) => {
            let digits = token_name(token).replace('_', "");
            Literal::Number(digits.parse().ok())
        }
        Expression::Symbol(token) => match token_name(token).as_str() {
            word @ ("true" | "false") => Literal::Bool(Some(word == "true")),
            "nil" => Literal::Nil,
            _ => Literal::Unknown,
        },
        Expression::Function(_) => Literal::Function,
        Expression::Parentheses { expression, .. }
        | Expression::TypeAssertion { expression, .. } => literal_of(expression),
        Expression::TableConstructor(made) => Literal::Table(table_literal(made)),
        Expression::UnaryOperator { unop, expression } => match (unop, literal_of(expression)) {
            (UnOp::Minus(_), Literal::Number(number)) => {
                Literal::Number(number.map(|number| -number))
            }
            (UnOp::Minus(_), Literal::Fraction) => Literal::Fraction,
            (UnOp::Minus(_) | UnOp::Hash(_), _) => Literal::Number(None),
            (UnOp::Not(_), _) => Literal::Bool(None),
            _ => Literal::Unknown,
        },
        Expression::BinaryOperator { lhs, binop, rhs } => match binop {
            // The last item may have several values.
            BinOp::Or(_) | BinOp::And(_) => literal_of(rhs),
            BinOp::Plus(_) | BinOp::Minus(_) | BinOp::Star(_) => {
                let may_be_fraction = [lhs, rhs].iter().any(|one| may_be_fraction(one));
                if may_be_fraction { Literal::Fraction } else { Literal::Number(None) }
            }
            BinOp::Slash(_) => quotient_of(lhs, rhs),
            BinOp::DoubleSlash(_) | BinOp::Percent(_) | BinOp::Caret(_) => Literal::Number(None),
            BinOp::TwoDots(_) => Literal::Text(None),
            BinOp::TwoEqual(_)
            | BinOp::TildeEqual(_)
            | BinOp::LessThan(_)
            | BinOp::LessThanEqual(_)
            | BinOp::GreaterThan(_)
            | BinOp::GreaterThanEqual(_) => Literal::Bool(None),
            _ => Literal::Unknown,
        },
        _ => Literal::Unknown,
    }
}

/// The literal that a division is.
fn quotient_of(dividend: &Expression, divisor: &Expression) -> Literal {
    match (literal_of(dividend), literal_of(divisor)) {
        (Literal::Number(Some(dividend)), Literal::Number(Some(divisor))) => {
            Literal::Number(Some(dividend / divisor))
        }
        _ => Literal::Fraction,
    }
}

/// Whether an expression is a number that may be no whole number.
pub(super) fn may_be_fraction(expression: &Expression) -> bool {
    match literal_of(expression) {
        Literal::Fraction => true,
        Literal::Number(Some(number)) => number.fract() != 0.0,
        _ => false,
    }
}

/// The table literal, field by field.
pub(super) fn table_literal(constructor: &TableConstructor) -> TableLiteral {
    let mut table = TableLiteral::default();
    for field in constructor.fields() {
        match field {
            Field::NameKey { key, value, .. } => {
                table.named_fields.push((token_name(key), token_line(key), literal_of(value)));
            }
            Field::ExpressionKey { key, value, .. } => match &**key {
                Expression::String(token) => {
                    let written = string_value(token).unwrap_or_default();
                    table.named_fields.push((written, token_line(token), literal_of(value)));
                }
                _ => {
                    table.keyed_values.push(literal_of(value));
                    table.may_have_more_fields = true;
                }
            },
            Field::NoKey(value) => {
                table.may_have_more_fields |= may_give_several_values(value);
                // `x or nil` is nil in some cases only.
                let item = Some(literal_of(value))
                    .filter(|one| *one != Literal::Nil || is_symbol(value, "nil"));
                table.items.push((line_of(value), item.unwrap_or(Literal::Unknown)));
            }
            _ => table.may_have_more_fields = true,
        }
    }
    table
}

/// Whether the last expression of a list may have several values.
pub(super) fn may_give_several_values(expression: &Expression) -> bool {
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
pub(super) fn path_steps<'a>(
    suffixes: impl Iterator<Item = &'a Suffix>,
) -> (Vec<StatePathStep>, bool) {
    let mut steps = Vec::new();
    for suffix in suffixes {
        match suffix {
            Suffix::Index(Index::Dot { name: field, .. }) => {
                steps.push(StatePathStep::Name(token_name(field)))
            }
            Suffix::Index(Index::Brackets { expression, .. }) => steps.push(match &**expression {
                Expression::String(token) => {
                    string_value(token).map_or(StatePathStep::AnyEntry, StatePathStep::Name)
                }
                _ => StatePathStep::AnyEntry,
            }),
            _ => return (steps, false),
        }
    }
    (steps, true)
}

/// The path that an expression reads; `path_of_name` knows the paths in names.
pub(super) fn access_path(
    expression: &Expression,
    path_of_name: &impl Fn(&str) -> Option<AccessPath>,
) -> Option<AccessPath> {
    match expression {
        Expression::Var(Var::Name(token)) => path_of_name(&token_name(token)),
        Expression::Var(Var::Expression(chain)) => {
            let base_path = path_of_name(&token_name(first_chain_name(chain.prefix())?))?;
            let (steps, to_its_end) = path_steps(chain.suffixes());
            to_its_end.then(|| base_path.append_steps(steps))
        }
        Expression::Parentheses { expression, .. } => access_path(expression, path_of_name),
        Expression::TypeAssertion { expression, .. } => access_path(expression, path_of_name),
        _ => None,
    }
}

/// The value that a loop goes over, so that the second name is each of its items.
pub(super) fn iterated_value<'e>(expressions: &[&'e Expression]) -> Option<&'e Expression> {
    let [iterated] = expressions else { return None };
    let Expression::FunctionCall(call) = iterated else { return Some(iterated) };
    let called = iterator_arguments(call)?;
    let FunctionArgs::Parentheses { arguments, .. } = called else { return None };
    arguments.iter().next()
}

fn iterator_arguments(call: &FunctionCall) -> Option<&FunctionArgs> {
    let walks =
        ["pairs", "ipairs"].contains(&token_name(first_chain_name(call.prefix())?).as_str());
    let mut suffixes = call.suffixes();
    match (suffixes.next(), suffixes.next()) {
        (Some(Suffix::Call(Call::AnonymousCall(arguments))), None) if walks => Some(arguments),
        _ => None,
    }
}

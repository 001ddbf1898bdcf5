//! Helpers for syntax trees: the name of a call, the text of a token, the form of an expression.

use full_moon::ast::{
    Call, Expression, FunctionArgs, FunctionCall, Index, Prefix, Suffix, Var, VarExpression,
};
use full_moon::tokenizer::{Token, TokenReference, TokenType};

/// The name in a token.
pub(crate) fn token_name(token: &TokenReference) -> String {
    token.token().to_string()
}

/// Whether an expression is a keyword: `true`, `false` or `nil`.
pub(crate) fn is_symbol(expression: &Expression, name: &str) -> bool {
    matches!(expression, Expression::Symbol(token) if token_name(token) == name)
}

/// The line of a token.
pub(crate) fn token_line(token: &Token) -> u32 {
    u32::try_from(token.start_position().line()).unwrap_or(0)
}

/// The value of a string token, with escapes resolved.
pub(crate) fn string_value(token: &Token) -> Option<String> {
    let TokenType::StringLiteral { literal, multi_line_depth, quote_type } = token.token_type()
    else {
        return None;
    };
    let long = matches!(quote_type, full_moon::tokenizer::StringLiteralQuoteType::Brackets);
    if long || *multi_line_depth > 0 {
        return Some(literal.strip_prefix('\n').unwrap_or(literal).to_owned());
    }
    let mut out = String::new();
    let mut rest = literal.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('z') => {
                    let after = rest.as_str().trim_start();
                    rest = after.chars();
                }
                Some('u') => {
                    let (code, after) = rest.as_str().split_once('}').unwrap_or_default();
                    let code = u32::from_str_radix(code.trim_start_matches('{'), 16);
                    out.extend(code.ok().and_then(char::from_u32));
                    rest = after.chars();
                }
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(c),
        }
    }
    Some(out)
}

/// A value with indexes and calls after it: `roll("d6")`, `roll("d6").total`, `boat.hull`. The
/// parser has one node where a call is last, and another where an index is last.
pub(crate) trait AccessChain {
    fn prefix(&self) -> &Prefix;
    fn suffixes(&self) -> impl Iterator<Item = &Suffix>;

    /// The number of calls in it.
    fn call_count(&self) -> usize {
        self.suffixes().filter(|suffix| matches!(suffix, Suffix::Call(_))).count()
    }
}

impl AccessChain for FunctionCall {
    fn prefix(&self) -> &Prefix {
        FunctionCall::prefix(self)
    }

    fn suffixes(&self) -> impl Iterator<Item = &Suffix> {
        FunctionCall::suffixes(self)
    }
}

impl AccessChain for VarExpression {
    fn prefix(&self) -> &Prefix {
        VarExpression::prefix(self)
    }

    fn suffixes(&self) -> impl Iterator<Item = &Suffix> {
        VarExpression::suffixes(self)
    }
}

/// The name at the start of a chain, if it starts with a name: `emit` of `emit("x")` and of
/// `(emit)("x")`.
pub(crate) fn first_chain_name(prefix: &Prefix) -> Option<&TokenReference> {
    match prefix {
        Prefix::Name(token) => Some(token),
        Prefix::Expression(expression) => name_of_plain_variable(expression),
        _ => None,
    }
}

/// The name that an expression consists of.
pub(crate) fn name_of_plain_variable(expression: &Expression) -> Option<&TokenReference> {
    match expression {
        Expression::Var(Var::Name(token)) => Some(token),
        Expression::Parentheses { expression, .. } => name_of_plain_variable(expression),
        _ => None,
    }
}

/// The name of a call up to its first arguments: `go`, `patch.spell`, `table.insert`; `None` if it
/// does not start with a name.
pub(crate) fn callee_and_arguments(
    call: &impl AccessChain,
) -> Option<(String, Option<&FunctionArgs>)> {
    let mut written = token_name(first_chain_name(call.prefix())?);
    for suffix in call.suffixes() {
        match suffix {
            Suffix::Index(Index::Dot { name: field, .. }) => {
                written = format!("{written}.{}", token_name(field));
            }
            // `rules["mod:token_name"](…)`
            Suffix::Index(Index::Brackets { expression, .. }) => match &**expression {
                Expression::String(token) if written == "rules" => {
                    written = format!("{written}.{}", string_value(token.token())?);
                }
                _ => break,
            },
            Suffix::Call(Call::AnonymousCall(arguments)) => {
                return Some((written, Some(arguments)));
            }
            _ => break,
        }
    }
    Some((written, None))
}

/// The first argument.
pub(crate) fn first_argument(arguments: &FunctionArgs) -> Option<&Expression> {
    match arguments {
        FunctionArgs::Parentheses { arguments, .. } => arguments.iter().next(),
        _ => None,
    }
}

/// The token of a string that is the first argument.
pub(crate) fn first_string_token(arguments: &FunctionArgs) -> Option<&TokenReference> {
    match arguments {
        FunctionArgs::String(token) => Some(token),
        FunctionArgs::Parentheses { .. } => string_token(first_argument(arguments)?),
        _ => None,
    }
}

/// The token of a string literal.
pub(crate) fn string_token(expression: &Expression) -> Option<&TokenReference> {
    match expression {
        Expression::String(token) => Some(token),
        Expression::Parentheses { expression, .. }
        | Expression::TypeAssertion { expression, .. } => string_token(expression),
        _ => None,
    }
}

/// Whether an expression concatenates strings, so that its value is unknown.
pub(crate) fn is_concatenation(expression: &Expression) -> bool {
    match expression {
        Expression::InterpolatedString(_) => true,
        Expression::BinaryOperator { lhs, binop, rhs } => {
            matches!(binop, full_moon::ast::BinOp::TwoDots(_))
                || is_concatenation(lhs)
                || is_concatenation(rhs)
        }
        Expression::Parentheses { expression, .. } => is_concatenation(expression),
        Expression::FunctionCall(_) | Expression::IfExpression(_) => true,
        _ => false,
    }
}

/// Whether a part of an expression may not be evaluated: `and`, `or`, `if`.
pub(super) fn is_branch(expression: &Expression) -> bool {
    match expression {
        Expression::BinaryOperator { binop, .. } => {
            matches!(binop, full_moon::ast::BinOp::And(_) | full_moon::ast::BinOp::Or(_))
        }
        Expression::IfExpression(_) => true,
        _ => false,
    }
}

/// Whether an expression is a table or a function literal.
pub(crate) fn is_table_or_function(expression: &Expression) -> bool {
    match expression {
        Expression::TableConstructor(_) | Expression::Function(_) => true,
        Expression::Parentheses { expression, .. } => is_table_or_function(expression),
        Expression::TypeAssertion { expression, .. } => is_table_or_function(expression),
        _ => false,
    }
}

/// The table literal of an expression.
pub(crate) fn table_constructor(
    expression: &Expression,
) -> Option<&full_moon::ast::TableConstructor> {
    match expression {
        Expression::TableConstructor(table) => Some(table),
        Expression::TypeAssertion { expression, .. } => table_constructor(expression),
        _ => None,
    }
}

//! Constant functions: named functions without parameters that read nothing that varies. A case
//! that compares the result of one only repeats its text. So while a mutant is tried, a case that
//! reads a constant gets the original value. Rules, hooks and scenes get the changed value, and
//! there a case may fail.

use std::collections::BTreeSet;

use full_moon::ast::{Ast, Call, Expression, FunctionArgs, FunctionBody, FunctionCall, Stmt};
use full_moon::ast::{Prefix, Suffix};
use full_moon::node::Node;

use super::mutant::Mutant;
use author::analysis;
use script::LUAU_LIBRARY;

/// Calls that give a function a name.
const NAMING_CALLS: [&str; 2] = ["rule", "export"];
/// Other rules may be called: each is judged by itself.
const RULES_TABLE_NAME: &str = "rules";
/// Returns whether a case is the caller; defined beside `equals`.
const CALLED_BY_CASE_FUNCTION: &str = "asked_by_case";

/// A byte range in a file.
type ByteRange = (usize, usize);

/// The constant functions of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct ConstantFunctions {
    /// The byte ranges of their bodies.
    bodies: Vec<ByteRange>,
    /// The locals of the file that they may use.
    locals: Vec<ByteRange>,
}

impl ConstantFunctions {
    /// Finds the constant functions of a parsed file.
    pub(super) fn find_in_file(owner: &str, file: &str, text: &str, tree: &Ast) -> Self {
        let mut found = Self::default();
        let varying = varying_name_positions(owner, file, text);
        for stmt in tree.nodes().stmts() {
            match stmt {
                Stmt::LocalAssignment(_) | Stmt::LocalFunction(_) => {
                    found.locals.extend(byte_range(stmt))
                }
                Stmt::FunctionCall(call) => {
                    let body = named_function_without_parameters(call)
                        .and_then(|function| byte_range(function.block()));
                    found.bodies.extend(
                        body.filter(|(from, to)| varying.range(*from..*to).next().is_none()),
                    );
                }
                _ => {}
            }
        }
        found
    }

    /// The mutated text in which cases get the original values; none if the mutant changes no
    /// constant.
    pub(super) fn mutate_with_original_values(
        &self,
        text: &str,
        mutant: &Mutant,
    ) -> Option<String> {
        let contains_mutant =
            |(from, to): &&ByteRange| *from <= mutant.start_byte && mutant.end_byte <= *to;
        let (about, before): (Vec<ByteRange>, String) =
            match self.locals.iter().any(|local| contains_mutant(&local)) {
                true => {
                    let locals = self.locals.iter().map(|(from, to)| &text[*from..*to]);
                    (self.bodies.clone(), locals.collect::<Vec<_>>().join("\n"))
                }
                false => {
                    (self.bodies.iter().filter(contains_mutant).copied().collect(), String::new())
                }
            };
        let mut edits: Vec<(ByteRange, String)> = about
            .into_iter()
            .map(|(from, to)| {
                let was = &text[from..to];
                let answer = format!(
                    " if {CALLED_BY_CASE_FUNCTION}() then return (function() {before}\n\
                     return (function() {was}\nend)() end)() end "
                );
                ((from, from), answer)
            })
            .collect();
        if edits.is_empty() {
            return None;
        }
        // Insertions before the change come first.
        edits.push(((mutant.start_byte, mutant.end_byte), mutant.replacement.clone()));
        edits.sort_by_key(|((from, _), _)| *from);
        let (mut mutated_text, mut at) = (String::new(), 0);
        for ((from, to), with) in edits {
            mutated_text.push_str(&text[at..from]);
            mutated_text.push_str(&with);
            at = to;
        }
        Some(mutated_text + &text[at..])
    }
}

/// Where a file uses a name that is not its own, not of the library, and not another rule.
fn varying_name_positions(owner: &str, file: &str, text: &str) -> BTreeSet<usize> {
    let Ok(summary) = analysis::analyze_file(owner, file, &text.into()) else {
        return BTreeSet::new();
    };
    let known = |name: &str| {
        let library = |(table, names): &(&str, &str)| {
            *table == name || table.is_empty() && names.split(' ').any(|one| one == name)
        };
        name == RULES_TABLE_NAME || LUAU_LIBRARY.iter().any(library)
    };
    let globals = summary.uses.globals.into_iter();
    globals.filter(|(_, global)| !known(&global.name)).map(|(at, _)| at).collect()
}

/// The named function in a statement, if it has no parameters.
fn named_function_without_parameters(call: &FunctionCall) -> Option<&FunctionBody> {
    let Prefix::Name(verb) = call.prefix() else { return None };
    if !NAMING_CALLS.contains(&&*verb.token().to_string()) {
        return None;
    }
    let arguments = call.suffixes().filter_map(|suffix| match suffix {
        Suffix::Call(Call::AnonymousCall(given)) => match &**given {
            FunctionArgs::Parentheses { arguments, .. } => Some(arguments),
            _ => None,
        },
        _ => None,
    });
    let function = arguments.flat_map(|arguments| arguments.iter()).find_map(|argument| {
        let Expression::Function(function) = argument else { return None };
        Some(function.body())
    })?;
    (function.parameters().iter().next().is_none()).then_some(function)
}

fn byte_range(node: &impl Node) -> Option<ByteRange> {
    node.range().map(|(from, to)| (from.bytes(), to.bytes()))
}

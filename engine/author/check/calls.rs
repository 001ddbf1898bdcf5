//! Checks calls in functions: whether each call passes what the function is declared to take. This
//! covers host functions, rules and exports of mods. A value that is known only at run time is not
//! reported.

use std::sync::Arc;

use super::access_paths::call_text;
use super::declaration_lookup::DeclarationLookup;
use super::type_check::{LiteralTypeChecker, describe_literal};
use crate::analysis::{CallSite, FileSummary, Literal, ValueSource};
use base::problem::nearest_name;
use base::text;
use base::{Code, Problem};
use content::{Field, FieldType, Parameter, Signature};
use script::unfilled_placeholder_problem;

/// Checks the calls in all files.
pub(super) fn check_calls(
    context: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let calls =
        summaries.iter().flat_map(|file| file.uses.calls.iter().map(move |call| (file, call)));
    calls.filter_map(|(file, call)| context.check_call(file, call)).collect()
}

/// Functions that fill the marks of a text.
const PLACEHOLDER_FILLING_FUNCTIONS: [&str; 6] = ["say", "heading", "note", "gain", "loss", "fill"];

impl DeclarationLookup<'_> {
    fn check_call(&self, summary: &FileSummary, call: &CallSite) -> Option<Problem> {
        let Some(declared_function) =
            self.find_declared_function(summary, &call.name, call.required_file.as_ref())
        else {
            return self.field_of_function_problem(summary, call);
        };
        let (signature, place) = &*declared_function;
        let problem = check_argument_count(signature, call)
            .or_else(|| self.check_argument_types(summary, signature, call))
            .or_else(|| self.unfilled_placeholder_problem(call))
            .or_else(|| missing_outcome_problem(call))?;
        let problem = match problem.place {
            Some(_) => problem,
            None => problem.at(summary.place(call.line)),
        };
        let name = &call_text(&call.name);
        let expected = match signature.result_annotation.starts_with(':') {
            true => name.clone(),
            false => format!("{name}{signature}"),
        };
        let problem = if problem.expected.is_some() { problem } else { problem.expected(expected) };
        Some(if place.line > 0 { problem.add_related_location(place.clone()) } else { problem })
    }

    /// For `fight.harm.hard(…)`, where `fight.harm` is a function.
    fn field_of_function_problem(&self, summary: &FileSummary, call: &CallSite) -> Option<Problem> {
        let (function, name) =
            call.name.rsplit_once('.').filter(|(front, _)| front.contains('.'))?;
        let declared_function =
            self.find_declared_function(summary, function, call.required_file.as_ref())?;
        let found = format!("`{function}` is a function and has no field `{name}`");
        let problem = Problem::error(Code::UnknownName, found)
            .at(summary.place(call.line))
            .expected(format!("`{function}(…)`"))
            .hint("a module contains functions, not further modules");
        Some(if declared_function.1.line > 0 {
            problem.add_related_location(declared_function.1.clone())
        } else {
            problem
        })
    }

    /// Checks the types of the arguments.
    fn check_argument_types(
        &self,
        summary: &FileSummary,
        signature: &Signature,
        call: &CallSite,
    ) -> Option<Problem> {
        let type_check =
            LiteralTypeChecker { registry: self.vm.registry(), reports_missing_fields: false };
        let nothing = |_: &Parameter| None;
        signature.parameters.iter().enumerate().find_map(|(at, one)| {
            let Some(literal) = call.argument_literals.get(at) else { return nothing(one) };
            let source = call.argument_sources.get(at).and_then(Option::as_ref);
            let name = call_text(&call.name);
            let describe_argument =
                |what: &str| format!("`{name}` is given {what} as `{}`", one.name);
            if let (Literal::Unknown, Some(from)) = (literal, source) {
                let (what, ty) = self.value_type(summary, from)?;
                let differs = are_disjoint_types(&one.ty, &ty);
                return differs.then(|| {
                    Problem::error(Code::WrongType, describe_argument(&format!("{what}, {ty},")))
                });
            }
            if *literal == Literal::Nil {
                let is_simple_type =
                    matches!(one.ty, FieldType::Text | FieldType::Number | FieldType::Bool);
                let lacks = is_simple_type && !one.is_optional;
                return lacks
                    .then(|| Problem::error(Code::WrongType, describe_argument("nothing")));
            }
            let Some(wrong) = type_check.mismatches(&one.ty, literal, call.line).into_iter().next()
            else {
                let field = find_missing_field(&one.ty, literal)?;
                let found = format!("`{name}` is given no `{}.{}`", one.name, field.name);
                return Some(Problem::error(Code::WrongType, found).expected(field.ty.to_string()));
            };
            let what = wrong.found_text();
            let problem = match wrong.path.is_empty() {
                true => {
                    Problem::error(Code::WrongType, describe_argument(&describe_literal(literal)))
                }
                false => Problem::error(
                    Code::WrongType,
                    format!("the argument `{}{}` of `{name}` is {what}", one.name, wrong.path),
                )
                .expected(wrong.expected),
            };
            let problem = problem.at(summary.place(wrong.line));
            Some(problem.with_optional_hint(wrong.hint))
        })
    }

    /// A mark of a text that no value fills, if both are written out.
    fn unfilled_placeholder_problem(&self, call: &CallSite) -> Option<Problem> {
        if call.required_file.is_some()
            || !PLACEHOLDER_FILLING_FUNCTIONS.contains(&call.name.as_str())
        {
            return None;
        }
        let Some(Literal::Text(Some(written))) = call.argument_literals.first() else {
            return None;
        };
        let names: Vec<Arc<str>> = match (
            call.argument_literals.get(1),
            call.argument_sources.get(1).and_then(Option::as_ref),
        ) {
            (None | Some(Literal::Nil), _) if !call.may_have_more_arguments => Vec::new(),
            (Some(Literal::Table(values)), _) if !values.may_have_more_fields => {
                values.named_fields.iter().map(|(name, _, _)| Arc::from(&**name)).collect()
            }
            (Some(Literal::Unknown), Some(ValueSource::Path(part))) => {
                self.fields_at_path(part)?.iter().map(|field| field.name.clone()).collect()
            }
            _ => return None,
        };
        let mark = text::first_unfilled_placeholder(written, &names)?;
        let (count, text_name) = (names.len(), format!("the text of {}", call.name));
        Some(unfilled_placeholder_problem(&text_name, mark, names, count).explain(&()))
    }
}

/// `finish` without an outcome.
fn missing_outcome_problem(call: &CallSite) -> Option<Problem> {
    let (None, Some(Literal::Table(given)), "finish") =
        (&call.required_file, call.argument_literals.first(), &*call.name)
    else {
        return None;
    };
    if given.may_have_more_fields || given.get("outcome").is_some() {
        return None;
    }
    let names =
        given.named_fields.iter().map(|(name, ..)| (name, nearest_name("outcome", [&**name])));
    let near = names.filter_map(|(name, near)| near.map(|_| name)).next();
    let problem = Problem::error(Code::MissingField, "`finish` gets no `outcome`")
        .expected("outcome: a text that says how the run ended");
    let near = near.map(|near| format!("`{near}` is not read: write `outcome`"));
    Some(problem.with_optional_hint(near))
}

/// A required field that is missing in a complete table literal.
fn find_missing_field<'f>(ty: &'f FieldType, literal: &Literal) -> Option<&'f Field> {
    let (FieldType::Record(fields), Literal::Table(table)) = (ty, literal) else { return None };
    let lacks = |field: &&Field| !table.named_fields.iter().any(|(name, ..)| **name == *field.name);
    fields.iter().filter(|field| !field.is_optional && !table.may_have_more_fields).find(lacks)
}

/// Checks the number of arguments.
fn check_argument_count(signature: &Signature, call: &CallSite) -> Option<Problem> {
    let required_count = signature.required_arguments();
    let arguments = |count: usize| match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        more => format!("{more} arguments"),
    };
    let argument_count = call.min_argument_count;
    let found = format!("`{}` is called with {}", call_text(&call.name), arguments(argument_count));
    if argument_count < required_count && !call.may_have_more_arguments {
        let missing = signature.parameters[argument_count..required_count]
            .iter()
            .filter(|one| !one.is_optional);
        let missing: Vec<String> = missing.map(|one| format!("`{}`", one.name)).collect();
        let missing = format!("missing: {}", missing.join(", "));
        return Some(Problem::error(Code::TooFewArguments, found).hint(missing));
    }
    (argument_count > signature.parameters.len() && !signature.is_variadic).then(|| {
        Problem::warning(Code::TooManyArguments, found)
            .hint("the extra arguments are ignored; remove them")
    })
}

/// Whether no value has both types.
fn are_disjoint_types(one: &FieldType, other: &FieldType) -> bool {
    match (value_categories(one), value_categories(other)) {
        (Some(these), Some(those)) => !these.iter().any(|sort| those.contains(sort)),
        _ => false,
    }
}

/// The categories of values of a type; `None` if it may be any.
pub(super) fn value_categories(ty: &FieldType) -> Option<Vec<&'static str>> {
    Some(match ty {
        FieldType::Any => return None,
        FieldType::Text
        | FieldType::SingleLineText(_)
        | FieldType::OneOf(_)
        | FieldType::Ref(_) => {
            vec!["text"]
        }
        FieldType::Int { .. } | FieldType::Number => vec!["number"],
        FieldType::Bool => vec!["truth"],
        FieldType::Fn => vec!["function"],
        FieldType::List(_) | FieldType::Map(_) | FieldType::Record(_) => vec!["table"],
        FieldType::Either(types) => {
            let all: Option<Vec<_>> = types.iter().map(value_categories).collect();
            all?.concat()
        }
    })
}

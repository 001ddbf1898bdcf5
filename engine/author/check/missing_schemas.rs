//! Parts of the state that nobody declares: each is reported once, with the number of its uses and
//! the fields that a schema for it would have.

use std::collections::BTreeMap;

use crate::analysis::{FileSummary, Literal, PathAccess};
use base::{Problem, UndeclaredName};
use content::StatePathStep;

/// The maximum number of further places that are shown.
const MAX_SHOWN_PLACES: usize = 3;

/// The missing schemas by mod and name.
#[derive(Default)]
pub(super) struct MissingSchemas(BTreeMap<(String, String), MissingSchema>);

struct MissingSchema {
    /// The Problem of the first use.
    problem: Problem,
    use_count: usize,
    /// The fields that are used, with an example of a type; `None` if only read.
    fields: BTreeMap<String, Option<&'static str>>,
}

impl MissingSchemas {
    /// Adds a use of a part that is not declared; gives back a Problem that is no such use.
    pub(super) fn add_use(
        &mut self,
        summary: &FileSummary,
        access: &PathAccess,
        path: &[StatePathStep],
        problem: Problem,
    ) -> Option<Problem> {
        let (Some(UndeclaredName::StatePart(name)), [_, rest @ ..]) =
            (problem.undeclared_name(), path)
        else {
            return Some(problem);
        };
        let place = problem.place.clone();
        let schema = self.0.entry((summary.owner.clone(), name.clone())).or_insert(MissingSchema {
            problem,
            use_count: 0,
            fields: BTreeMap::new(),
        });
        let is_elsewhere = place != schema.problem.place;
        if is_elsewhere && schema.problem.related_locations.len() < MAX_SHOWN_PLACES {
            schema.problem.related_locations.extend(place);
        }
        schema.use_count += 1;
        if let [StatePathStep::Name(field), further @ ..] = rest {
            let written = access.written_value.as_ref().filter(|_| further.is_empty());
            let ty = schema.fields.entry(field.clone()).or_default();
            *ty = ty.or(written.map(example_field_type));
        }
        None
    }

    /// A Problem for each.
    pub(super) fn into_problems(self) -> impl Iterator<Item = Problem> {
        self.0.into_iter().map(|((_, name), schema)| {
            let MissingSchema { mut problem, use_count, fields } = schema;
            if use_count > 1 {
                problem.message = format!("{} ({use_count} uses)", problem.message);
            }
            let fields =
                fields.iter().map(|(field, ty)| format!("{field} = {}", ty.unwrap_or("field.any")));
            let fields: Vec<String> = fields.collect();
            if !fields.is_empty() {
                let fields = fields.join(", ");
                problem = problem.hint(format!("declare it: `schema \"{name}\" {{ {fields} }}`"));
            }
            problem
        })
    }
}

/// An example of a field type that fits a literal.
pub(super) fn example_field_type(literal: &Literal) -> &'static str {
    match literal {
        Literal::Text(_) => "field.text",
        Literal::Number(_) => "field.int",
        Literal::Fraction => "field.number",
        Literal::Bool(_) => "field.bool",
        _ => "field.any",
    }
}

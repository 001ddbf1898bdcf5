//! Checks calls in functions: whether each call passes what the function is declared to take. This
//! covers host functions, rules and exports of mods. A value that is known only at run time is not
//! reported.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::access_paths::{event_name_of_root, format_access_path};
use super::required_files::ScriptIndex;
use super::type_check::{LiteralTypeChecker, describe_literal};
use crate::analysis::{
    AccessPath, CallSite, FileSummary, Literal, PathRoot, RequiredFile, ValueSource,
};
use base::problem::nearest_name;
use base::text;
use base::{Code, Problem, SourceLocation};
use content::{
    Field, FieldType, Kind, Parameter, PathLookupResult, Signature, StatePathStep, StateSchemas,
    lookup_in_type, lookup_path,
};
use script::{Vm, host_functions, unfilled_placeholder_problem};

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

/// The signature of a function, and where a mod declares it.
type DeclaredFunction = Rc<(Signature, SourceLocation)>;

/// What the checks of literals need: the declarations of all mods, and the types of values.
pub(super) struct DeclarationLookup<'t> {
    pub(super) vm: &'t Vm,
    events: &'t [Kind],
    schemas: &'t StateSchemas,
    /// The types of values that come from elsewhere.
    pub(super) types_by_root: OnceCell<BTreeMap<PathRoot, FieldType>>,
    /// Host functions by name.
    host_functions: BTreeMap<&'static str, DeclaredFunction>,
    /// The files of all mods.
    pub(super) script_index: ScriptIndex<'t>,
    /// Functions of mods that were looked up already, by whole id.
    functions_by_id: RefCell<BTreeMap<String, Option<DeclaredFunction>>>,
    /// Functions that were looked up already, by mod and name.
    functions_by_name: RefCell<BTreeMap<String, BTreeMap<String, Option<DeclaredFunction>>>>,
}

impl<'t> DeclarationLookup<'t> {
    /// A context for these mods.
    pub(super) fn new(
        vm: &'t Vm,
        (events, schemas): (&'t [Kind], &'t StateSchemas),
        summaries: &'t [Arc<FileSummary>],
    ) -> Self {
        let names = |name: &str| vm.resolve_type("", "", name);
        let host = host_functions().into_iter().filter_map(|row| {
            let signature = Signature::from_annotations(row.params?, row.returns, &names);
            Some((row.name, Rc::new((signature, SourceLocation::default()))))
        });
        let (functions_by_id, functions_by_name) = Default::default();
        let files = ScriptIndex::new(summaries);
        let types = OnceCell::new();
        let context = Self {
            vm,
            events,
            schemas,
            types_by_root: types,
            host_functions: host.collect(),
            script_index: files,
            functions_by_id,
            functions_by_name,
        };
        let types = super::declared_values::collect_root_types(&context, summaries);
        assert!(context.types_by_root.set(types).is_ok(), "they are looked for once");
        context
    }

    /// Follows a path into the state, an event or another typed value.
    pub(super) fn follow_path(
        &self,
        source: &PathRoot,
        path: &[StatePathStep],
    ) -> Option<PathLookupResult<'_>> {
        match source {
            PathRoot::State => Some(self.schemas.lookup_in_state(path)),
            PathRoot::Parameter(_)
            | PathRoot::HandlerInput(_)
            | PathRoot::StartOptions
            | PathRoot::BotArgument(_) => None,
            _ => match event_name_of_root(self.vm.registry(), source) {
                Some(name) => {
                    let event_kind = self.events.iter().find(|one| *one.name == *name)?;
                    Some(lookup_path(&event_kind.fields, path))
                }
                None => Some(lookup_in_type(self.types_by_root.get()?.get(source)?, path)),
            },
        }
    }

    /// The function that a name means in a file; with `of`, a function of a required file.
    pub(super) fn find_declared_function(
        &self,
        summary: &FileSummary,
        name: &str,
        required_file: Option<&RequiredFile>,
    ) -> Option<DeclaredFunction> {
        if let Some(of) = required_file {
            let place =
                self.script_index.function_location(summary, of, name.split_once('.')?.1)?;
            return self.vm.signature_at(&place).map(|signature| Rc::new((signature, place)));
        }
        let owner = &*summary.owner;
        if let Some(told) = self.host_functions.get(name) {
            return Some(told.clone());
        }
        if let Some(told) =
            self.functions_by_name.borrow().get(owner).and_then(|names| names.get(name))
        {
            return told.clone();
        }
        let function = self.find_mod_function(owner, name);
        let mut functions_by_name = self.functions_by_name.borrow_mut();
        functions_by_name
            .entry(owner.to_owned())
            .or_default()
            .insert(name.to_owned(), function.clone());
        function
    }

    /// Looks up a function of a mod.
    fn find_mod_function(&self, owner: &str, name: &str) -> Option<DeclaredFunction> {
        let definition = self.vm.find_function(owner, name)?;
        let key = format!("{} {}", definition.kind, definition.id);
        if let Some(told) = self.functions_by_id.borrow().get(&key) {
            return told.clone();
        }
        // An override may take more or fewer arguments.
        let signature = definition
            .changes
            .is_empty()
            .then(|| self.vm.function_doc(definition).signature)
            .flatten();
        let function = signature.map(|signature| Rc::new((signature, definition.place.clone())));
        self.functions_by_id.borrow_mut().insert(key, function.clone());
        function
    }

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
            let what = wrong.found.clone().unwrap_or_else(|| "an undeclared field".to_owned());
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

    /// The fields of a path that leads to a table.
    fn fields_at_path(&self, part: &AccessPath) -> Option<&[Field]> {
        if let (Some(name), []) = (event_name_of_root(self.vm.registry(), &part.root), &*part.path)
        {
            let event_kind = self.events.iter().find(|one| *one.name == *name)?;
            return Some(&event_kind.fields);
        }
        match self.follow_path(&part.root, &part.path)? {
            PathLookupResult::Found(FieldType::Record(fields)) => Some(fields),
            _ => None,
        }
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

    /// The declared type of a value that comes from elsewhere.
    pub(super) fn value_type(
        &self,
        summary: &FileSummary,
        source: &ValueSource,
    ) -> Option<(String, FieldType)> {
        match source {
            ValueSource::Path(part) => {
                let come = self.follow_path(&part.root, &part.path)?;
                let PathLookupResult::Found(ty) = come else { return None };
                Some((format_access_path(part), ty.clone()))
            }
            ValueSource::Call(name, of) => {
                let declared_function = self.find_declared_function(summary, name, of.as_ref())?;
                let (ty, _) = declared_function.0.result.clone()?;
                Some((format!("the result of `{}`", call_text(name)), ty))
            }
        }
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

/// A call as it is written; a rule of another mod is called by its whole id.
fn call_text(name: &str) -> String {
    match name.split_once('.') {
        Some((front, id)) if id.contains(':') => format!("{front}[{id:?}]"),
        _ => name.to_owned(),
    }
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

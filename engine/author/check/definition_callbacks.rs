//! The functions in fields of definitions: which field holds the function that begins at a line. The
//! registry knows it, so it does not matter how the function came there: written in the
//! definition, given to a builder, added by a patch, or through a local.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::{FileSummary, FunctionIndex, PathRoot};
use content::{
    Datum, Definition, EXPORT_KIND, Field, FirstParameter, FunctionRef, Registry, StatePathStep,
    find_function_field,
};

/// A function in a field of a definition.
#[derive(Clone)]
pub(super) struct DefinitionCallback<'t> {
    pub(super) definition: &'t Definition,
    pub(super) path: Vec<StatePathStep>,
    /// The function that it wraps, which it gets as its first argument.
    pub(super) wrapped: Option<&'t FunctionRef>,
}

/// The functions of all files that are in fields of definitions.
pub(super) struct DefinitionCallbacks<'t> {
    registry: &'t Registry,
    /// By mod and file, then by the line where the function begins.
    by_file: BTreeMap<(&'t str, &'t str), BTreeMap<u32, DefinitionCallback<'t>>>,
}

impl<'t> DefinitionCallbacks<'t> {
    pub(super) fn new(registry: &'t Registry, summaries: &'t [Arc<FileSummary>]) -> Self {
        let mut places = CallbacksByPlace::default();
        let kinds = registry.kinds().map(|kind| &*kind.name).chain([EXPORT_KIND]);
        for definition in kinds.flat_map(|kind| registry.all_definitions(kind)) {
            for (name, value) in &definition.fields {
                let mut path = vec![StatePathStep::Name(name.to_string())];
                places.add_value(definition, value, &mut path);
            }
        }
        let mut by_file: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for summary in summaries {
            let file = (&*summary.owner, &*summary.file);
            let Some(by_line) = places.0.remove(&file) else { continue };
            let functions = &summary.uses.functions;
            let is_alone = |line| functions.iter().filter(|one| one.line == line).count() == 1;
            let known = by_line.into_iter().filter_map(|(line, mut callbacks)| {
                let last = callbacks.pop().filter(|_| is_alone(line))?;
                let is_same = |other: &DefinitionCallback<'_>| {
                    other.definition.kind == last.definition.kind && other.path == last.path
                };
                callbacks.iter().all(is_same).then_some((line, last))
            });
            by_file.insert(file, known.collect());
        }
        Self { registry, by_file }
    }

    /// The field that holds a function of a file.
    pub(super) fn of_function(
        &self,
        summary: &'t FileSummary,
        function: FunctionIndex,
    ) -> Option<&DefinitionCallback<'t>> {
        let line = summary.uses.functions.get(function)?.line;
        self.by_file.get(&(&*summary.owner, &*summary.file))?.get(&line)
    }

    /// The kind and the field of the function whose argument a value is, if the field declares it.
    pub(super) fn declaring_field<'r>(
        &'r self,
        root: &'r PathRoot,
    ) -> Option<(&'r str, &'r [StatePathStep], &'r Field)> {
        let (kind, path) = match root {
            PathRoot::DefinitionCallback(kind, path) => (&**kind, &**path),
            PathRoot::FunctionArgument(file, line, argument) => {
                let callback = self.by_file.get(&file.split_once('/')?)?.get(line)?;
                if *argument != usize::from(callback.wrapped.is_some()) {
                    return None;
                }
                (&*callback.definition.kind, &*callback.path)
            }
            _ => return None,
        };
        let field = find_function_field(&self.registry.kind(kind)?.fields, path)?;
        Some((kind, path, field))
    }

    /// The event that a value is, if it is one.
    pub(super) fn event_of_root<'r>(&'r self, root: &'r PathRoot) -> Option<&'r str> {
        if let PathRoot::Event(name) = root {
            return Some(name);
        }
        match self.declaring_field(root)?.2.first_parameter()? {
            FirstParameter::Event(name) => Some(name),
            FirstParameter::Fields(_) => None,
        }
    }
}

impl DefinitionCallback<'_> {
    /// The description of the function in a Problem, if it may not change anything.
    pub(super) fn read_only_description(&self) -> Option<&'static str> {
        Some(match (&*self.definition.kind, self.name_at(0)) {
            ("scene", "prompt") => "a prompt",
            // The handler of a choice makes changes; its other functions are part of the prompt.
            ("scene", "choices") if self.name_at(2) != "on" => "a prompt",
            ("view", _) => "a view",
            ("rule", _) => "a rule",
            ("fact", _) => "a fact",
            ("page", _) => "a page",
            ("option", _) => "an option",
            ("achievement", _) => "an achievement",
            _ => return None,
        })
    }

    /// The name at a position of the path to the field; empty for an item of a list.
    pub(super) fn name_at(&self, position: usize) -> &str {
        match self.path.get(position) {
            Some(StatePathStep::Name(name)) => name,
            _ => "",
        }
    }

    /// Whether the host or other scripts call it in play only. An export may run while files load.
    pub(super) fn runs_in_play(&self) -> bool {
        *self.definition.kind != *EXPORT_KIND
    }
}

/// Functions by mod and file, then by line.
#[derive(Default)]
struct CallbacksByPlace<'t>(
    BTreeMap<(&'t str, &'t str), BTreeMap<u32, Vec<DefinitionCallback<'t>>>>,
);

impl<'t> CallbacksByPlace<'t> {
    fn add_value(
        &mut self,
        definition: &'t Definition,
        value: &'t Datum,
        path: &mut Vec<StatePathStep>,
    ) {
        match value {
            Datum::List(items) => {
                path.push(StatePathStep::AnyEntry);
                items.iter().for_each(|item| self.add_value(definition, item, path));
                path.pop();
            }
            Datum::Map(entries) => {
                for (name, value) in entries {
                    path.push(StatePathStep::Name(name.to_string()));
                    self.add_value(definition, value, path);
                    path.pop();
                }
            }
            Datum::Fn(function) => {
                self.add_function(definition, function, path, None);
                for wrapper in &function.wrappers {
                    self.add_function(definition, wrapper, path, Some(function));
                }
            }
            _ => {}
        }
    }

    fn add_function(
        &mut self,
        definition: &'t Definition,
        function: &'t FunctionRef,
        path: &[StatePathStep],
        wrapped: Option<&'t FunctionRef>,
    ) {
        let place = &function.place;
        let callback = DefinitionCallback { definition, path: path.to_vec(), wrapped };
        let of_file = self.0.entry((&place.owner, &place.file)).or_default();
        of_file.entry(place.line).or_default().push(callback);
    }
}

//! What the checks of literals need: the declarations of all mods, and the types of values.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::access_paths::{call_text, format_access_path};
use super::definition_callbacks::DefinitionCallbacks;
use super::required_files::ScriptIndex;
use crate::analysis::{AccessPath, FileSummary, PathRoot, RequiredFile, ValueSource};
use base::SourceLocation;
use content::{
    Field, FieldType, Kind, PathLookupResult, Signature, StatePathStep, StateSchemas,
    lookup_in_type, lookup_path,
};
use script::{Availability, HostFn, Vm, host_functions};

/// The signature of a function, and where a mod declares it.
type DeclaredFunction = Rc<(Signature, SourceLocation)>;

/// What the checks of literals need: the declarations of all mods, and the types of values.
pub(super) struct DeclarationLookup<'t> {
    pub(super) vm: &'t Vm,
    pub(super) callbacks: DefinitionCallbacks<'t>,
    events: &'t [Kind],
    schemas: &'t StateSchemas,
    /// The types of values that come from elsewhere.
    pub(super) types_by_root: OnceCell<BTreeMap<PathRoot, FieldType>>,
    host_functions: BTreeMap<&'static str, &'static HostFn>,
    /// Host functions that were looked up already; `None` for a value that is no function.
    signatures_of_host: RefCell<BTreeMap<&'static str, Option<DeclaredFunction>>>,
    /// The files of all mods.
    pub(super) script_index: ScriptIndex<'t>,
    /// Functions of mods that were looked up already, by whole id.
    functions_by_id: RefCell<BTreeMap<String, Option<DeclaredFunction>>>,
    /// Functions that were looked up already, by mod and name.
    functions_by_name: RefCell<BTreeMap<String, BTreeMap<String, Option<DeclaredFunction>>>>,
}

impl<'t> DeclarationLookup<'t> {
    /// A context for these mods, to check some of their files.
    pub(super) fn new(
        vm: &'t Vm,
        (events, schemas): (&'t [Kind], &'t StateSchemas),
        summaries: &'t [Arc<FileSummary>],
        checked: &[Arc<FileSummary>],
    ) -> Self {
        let (signatures_of_host, functions_by_id, functions_by_name) = Default::default();
        let files = ScriptIndex::new(summaries);
        let types = OnceCell::new();
        let context = Self {
            vm,
            callbacks: DefinitionCallbacks::new(vm.registry(), summaries),
            events,
            schemas,
            types_by_root: types,
            host_functions: host_functions().iter().map(|row| (row.name, row)).collect(),
            signatures_of_host,
            script_index: files,
            functions_by_id,
            functions_by_name,
        };
        let types = super::declared_values::collect_root_types(&context, checked);
        assert!(context.types_by_root.set(types).is_ok(), "they are looked for once");
        context
    }

    /// When a host function may be used; `None` if there is no such function.
    pub(super) fn availability(&self, name: &str) -> Option<Availability> {
        self.host_functions.get(name).map(|row| row.availability)
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
            _ => match self.callbacks.event_of_root(source) {
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
        if let Some(told) =
            self.host_functions.get(name).and_then(|row| self.signature_of_host(row))
        {
            return Some(told);
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

    /// The signature of a host function; `None` for another value of the host.
    fn signature_of_host(&self, row: &'static HostFn) -> Option<DeclaredFunction> {
        let mut signatures = self.signatures_of_host.borrow_mut();
        let signature = signatures.entry(row.name).or_insert_with(|| {
            let names = |name: &str| self.vm.resolve_type("", "", name);
            let signature = Signature::from_annotations(row.params?, row.returns, &names);
            Some(Rc::new((signature, SourceLocation::default())))
        });
        signature.clone()
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

    /// The fields of a path that leads to a table.
    pub(super) fn fields_at_path(&self, part: &AccessPath) -> Option<&[Field]> {
        if let (Some(name), []) = (self.callbacks.event_of_root(&part.root), &*part.path) {
            let event_kind = self.events.iter().find(|one| *one.name == *name)?;
            return Some(&event_kind.fields);
        }
        match self.follow_path(&part.root, &part.path)? {
            PathLookupResult::Found(FieldType::Record(fields)) => Some(fields),
            _ => None,
        }
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
                Some((format_access_path(&self.callbacks, part), ty.clone()))
            }
            ValueSource::Call(name, of) => {
                let declared_function = self.find_declared_function(summary, name, of.as_ref())?;
                let (ty, _) = declared_function.0.result.clone()?;
                Some((format!("the result of `{}`", call_text(name)), ty))
            }
        }
    }
}

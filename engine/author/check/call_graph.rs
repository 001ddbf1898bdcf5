//! The call graph of all files: which function calls which, through locals, required files and
//! exports, and what each changes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::access_paths::state_path_text;
use super::declaration_lookup::DeclarationLookup;
use super::definition_callbacks::DefinitionCallback;
use crate::analysis::{
    AccessPath, CallSite, FileSummary, FunctionIndex, FunctionSummary, MUTATING_FUNCTIONS,
    PathAccess, PathRoot, RequiredFile, ValueSource,
};
use base::SourceLocation;
use content::{Definition, EXPORT_KIND, StatePathStep};
use script::Availability;

/// How many functions are followed to find what the last of them returns.
const MAX_RESULT_DEPTH: usize = 8;

/// A function: the index of its file, and its index in the file.
pub(super) type FunctionNode = (usize, FunctionIndex);

/// A change that a function makes.
#[derive(Clone)]
pub(super) struct Effect {
    pub(super) line: u32,
    pub(super) change: Change,
    /// Whether it may be left out when the function runs.
    is_conditional: bool,
}

/// What is changed.
#[derive(Clone)]
pub(super) enum Change {
    /// A part of the state, as a script writes it.
    State(String),
    /// By a function of the host.
    Call(String),
}

/// A call of a function of a mod.
pub(super) struct CallEdge {
    /// As it is written; empty for a function that is an argument.
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) callee: FunctionNode,
    /// Whether it may be left out when the function runs.
    is_conditional: bool,
}

/// The functions of all files, with their changes and calls.
pub(super) struct CallGraph<'t> {
    pub(super) summaries: &'t [Arc<FileSummary>],
    lookup: &'t DeclarationLookup<'t>,
    /// Functions that are alone on the line where they begin.
    node_by_place: BTreeMap<(&'t str, &'t str, u32), FunctionNode>,
    exports_by_name: BTreeMap<&'t str, Vec<&'t Definition>>,
    nodes: Vec<Vec<NodeFacts>>,
    /// What each function changes, itself or through others.
    changes: RefCell<BTreeMap<FunctionNode, Option<(Change, SourceLocation)>>>,
}

/// What is known of a function.
#[derive(Default)]
struct NodeFacts {
    effects: Vec<Effect>,
    calls: Vec<CallEdge>,
}

impl<'t> CallGraph<'t> {
    pub(super) fn new(
        lookup: &'t DeclarationLookup<'t>,
        summaries: &'t [Arc<FileSummary>],
    ) -> Self {
        let mut node_by_place = BTreeMap::new();
        for (file, summary) in summaries.iter().enumerate() {
            let mut lines = BTreeSet::new();
            for (function, one) in summary.uses.functions.iter().enumerate() {
                let place = (&*summary.owner, &*summary.file, one.line);
                match lines.insert(one.line) {
                    true => drop(node_by_place.insert(place, (file, function))),
                    false => drop(node_by_place.remove(&place)),
                }
            }
        }
        let mut exports_by_name: BTreeMap<&str, Vec<&Definition>> = BTreeMap::new();
        for export in lookup.vm.registry().all_definitions(EXPORT_KIND) {
            exports_by_name.entry(export.id.name()).or_default().push(export);
        }
        let (nodes, changes) = Default::default();
        let mut graph = Self { summaries, lookup, node_by_place, exports_by_name, nodes, changes };
        let nodes = (0..summaries.len()).map(|file| graph.facts_of_file(file)).collect();
        graph.nodes = nodes;
        graph
    }

    /// The file of a function, and what the analysis knows of it.
    pub(super) fn function(&self, node: FunctionNode) -> (&'t FileSummary, &'t FunctionSummary) {
        let summary = &*self.summaries[node.0];
        (summary, &summary.uses.functions[node.1])
    }

    /// All functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionNode> + '_ {
        let files = self.nodes.iter().enumerate();
        files.flat_map(|(file, nodes)| (0..nodes.len()).map(move |function| (file, function)))
    }

    /// What a function changes itself.
    pub(super) fn effects(&self, (file, function): FunctionNode) -> &[Effect] {
        &self.nodes[file][function].effects
    }

    /// The functions of mods that a function calls.
    pub(super) fn calls(&self, (file, function): FunctionNode) -> &[CallEdge] {
        &self.nodes[file][function].calls
    }

    /// These functions, and all that they call, directly or through others.
    pub(super) fn reachable_from(
        &self,
        start: impl Iterator<Item = FunctionNode>,
    ) -> BTreeSet<FunctionNode> {
        let mut to_visit: Vec<FunctionNode> = start.collect();
        let mut reachable: BTreeSet<FunctionNode> = to_visit.iter().copied().collect();
        while let Some(node) = to_visit.pop() {
            let callees = self.calls(node).iter().map(|call| call.callee);
            to_visit.extend(callees.filter(|callee| reachable.insert(*callee)));
        }
        reachable
    }

    /// The description of a function in a Problem, if it may not change anything.
    pub(super) fn read_only_description(&self, node: FunctionNode) -> Option<&'static str> {
        let by_syntax = self.function(node).1.read_only_description;
        by_syntax.or_else(|| self.definition_callback(node)?.read_only_description())
    }

    /// The field of a definition that holds a function.
    pub(super) fn definition_callback(
        &self,
        node: FunctionNode,
    ) -> Option<&DefinitionCallback<'t>> {
        self.lookup.callbacks.of_function(self.function(node).0, node.1)
    }

    /// What a function changes whenever it runs, itself or through the functions that it calls, and
    /// where. A change under a condition may be one that the caller knows not to happen, as in a
    /// function that creates an entry that is not there yet.
    pub(super) fn change_of(&self, node: FunctionNode) -> Option<(Change, SourceLocation)> {
        if let Some(known) = self.changes.borrow().get(&node) {
            return known.clone();
        }
        // A function that calls itself adds nothing.
        self.changes.borrow_mut().insert(node, None);
        let (summary, _) = self.function(node);
        let own = self.effects(node).iter().find(|effect| !effect.is_conditional);
        let own = own.map(|effect| (effect.change.clone(), summary.place(effect.line)));
        let change = own.or_else(|| {
            let mut calls = self.calls(node).iter().filter(|call| !call.is_conditional);
            // One that may not change anything is reported itself.
            calls.find_map(|call| match self.read_only_description(call.callee) {
                Some(_) => None,
                None => self.change_of(call.callee),
            })
        });
        self.changes.borrow_mut().insert(node, change.clone());
        change
    }

    /// The path into the state that a path leads to, if it leads there.
    pub(super) fn state_path(&self, file: usize, path: &AccessPath) -> Option<Vec<StatePathStep>> {
        self.state_path_at_depth(file, path, MAX_RESULT_DEPTH)
    }

    fn state_path_at_depth(
        &self,
        file: usize,
        path: &AccessPath,
        depth: usize,
    ) -> Option<Vec<StatePathStep>> {
        let depth = depth.checked_sub(1)?;
        let callee = match &path.root {
            PathRoot::State => return Some(path.path.clone()),
            PathRoot::FunctionResult(_, function) => (file, *function),
            PathRoot::CallResult(_, (name, required), 0) => {
                let required = required.as_deref().map(RequiredFile::from_path);
                self.callee(file, name, required.as_ref())?
            }
            _ => return None,
        };
        let mut result = self.returned_state_path(callee, depth)?;
        result.extend(path.path.iter().cloned());
        Some(result)
    }

    /// The path into the state that a function returns, if it returns nothing else but nil.
    fn returned_state_path(&self, node: FunctionNode, depth: usize) -> Option<Vec<StatePathStep>> {
        let (_, function) = self.function(node);
        let paths = function.returned_sources.iter().map(|source| match source.as_ref()? {
            ValueSource::Path(path) => self.state_path_at_depth(node.0, path, depth),
            ValueSource::Call(name, required) => {
                let callee = self.callee(node.0, name, required.as_ref())?;
                self.returned_state_path(callee, depth.checked_sub(1)?)
            }
        });
        let paths: Option<Vec<Vec<StatePathStep>>> = paths.collect();
        paths?.into_iter().next()
    }

    /// The function of a mod that a name means in a file, unless another mod changes it.
    fn callee(
        &self,
        file: usize,
        name: &str,
        required: Option<&RequiredFile>,
    ) -> Option<FunctionNode> {
        let summary = &*self.summaries[file];
        if let Some(required) = required {
            let name = name.split_once('.')?.1;
            let place = self.lookup.script_index.function_location(summary, required, name)?;
            return self.node_at(&place);
        }
        let mut exports = self.exports_by_name.get(name)?.iter();
        let export = exports.find(|one| self.lookup.vm.can_see(&summary.owner, one.id.mod_id()))?;
        let function = export.get("run")?.as_fn().filter(|one| one.wrappers.is_empty())?;
        self.node_at(&function.place)
    }

    /// The function that begins at a place, if no other begins on that line.
    pub(super) fn node_at(&self, place: &SourceLocation) -> Option<FunctionNode> {
        self.node_by_place.get(&(&*place.owner, &*place.file, place.line)).copied()
    }

    fn facts_of_file(&self, file: usize) -> Vec<NodeFacts> {
        let uses = &self.summaries[file].uses;
        let mut nodes: Vec<NodeFacts> = Vec::new();
        nodes.resize_with(uses.functions.len(), NodeFacts::default);
        for access in &uses.accesses {
            let change = self.written_state(file, access);
            if let (Some(change), Some(function)) = (change, access.function) {
                let PathAccess { line, is_conditional, .. } = *access;
                nodes[function].effects.push(Effect { line, change, is_conditional });
            }
        }
        for call in &uses.calls {
            let Some(function) = call.function else { continue };
            match self.change_by_call(file, call) {
                Some(change) => {
                    let CallSite { line, is_conditional, .. } = *call;
                    nodes[function].effects.push(Effect { line, change, is_conditional });
                }
                None => {
                    let callee = self.callee(file, &call.name, call.required_file.as_ref());
                    nodes[function].calls.extend(callee.map(|callee| CallEdge {
                        name: call.name.clone(),
                        line: call.line,
                        callee,
                        is_conditional: call.is_conditional,
                    }));
                }
            }
        }
        for (index, function) in uses.functions.iter().enumerate() {
            nodes[index].calls.extend(function.local_calls.iter().map(|call| CallEdge {
                name: call.name.clone(),
                line: call.line,
                callee: (file, call.function),
                is_conditional: call.is_conditional,
            }));
            if let Some(enclosing) = function.enclosing.filter(|_| function.is_argument) {
                // It may not be called.
                nodes[enclosing].calls.push(CallEdge {
                    name: String::new(),
                    line: function.line,
                    callee: (file, index),
                    is_conditional: true,
                });
            }
        }
        for node in &mut nodes {
            node.effects.sort_by_key(|effect| effect.line);
            node.calls.sort_by_key(|call| call.line);
        }
        nodes
    }

    /// The part of the state that an access writes.
    fn written_state(&self, file: usize, access: &PathAccess) -> Option<Change> {
        access.written_value.as_ref()?;
        let path = self.state_path(file, &access.path)?;
        Some(Change::State(state_path_text(&path)))
    }

    /// What a call of a host function or of the library changes.
    fn change_by_call(&self, file: usize, call: &CallSite) -> Option<Change> {
        if call.required_file.is_some() {
            return None;
        }
        if MUTATING_FUNCTIONS.contains(&&*call.name) {
            let Some(Some(ValueSource::Path(path))) = call.argument_sources.first() else {
                return None;
            };
            let path = self.state_path(file, path)?;
            return Some(Change::State(state_path_text(&path)));
        }
        let is_acting = self.lookup.availability(&call.name) == Some(Availability::Writing);
        is_acting.then(|| Change::Call(call.name.clone()))
    }
}

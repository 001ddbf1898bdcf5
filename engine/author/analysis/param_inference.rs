//! Infers parameter types of named local functions: from the event that a function is registered
//! on, or from all its call sites. If two calls disagree, or the function is used in another way,
//! nothing is inferred.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::FunctionBody;

use super::literal::{AccessPath, PathRoot};
use super::locals::LocalId;

/// The maximum number of rounds through functions that call others.
const MAX_INFERENCE_ROUNDS: usize = 4;

/// Functions in locals, and how they are used.
#[derive(Default)]
pub(super) struct ParamInference {
    /// The function body in a local, and the parameters of a body.
    function_bodies: BTreeMap<LocalId, *const FunctionBody>,
    body_params: BTreeMap<*const FunctionBody, Vec<LocalId>>,
    /// Functions that are registered on an event.
    hook_functions: Vec<(LocalId, String)>,
    /// The arguments of each call, in order.
    local_calls: Vec<(LocalId, Vec<Option<AccessPath>>)>,
    /// Functions that are passed on, stored or returned.
    escaped_locals: BTreeSet<LocalId>,
}

impl ParamInference {
    /// Records that a local holds a function.
    pub(super) fn add_function(&mut self, local: LocalId, body: &FunctionBody) {
        self.function_bodies.insert(local, std::ptr::from_ref(body));
    }

    /// Records that a local gets another value.
    pub(super) fn remove_function(&mut self, local: LocalId) {
        self.function_bodies.remove(&local);
    }

    /// Records the parameters of a function.
    pub(super) fn add_params(&mut self, body: &FunctionBody, locals: Vec<LocalId>) {
        self.body_params.insert(std::ptr::from_ref(body), locals);
    }

    /// Records that a named function is registered on an event.
    pub(super) fn add_hook(&mut self, local: LocalId, event_name: String) {
        self.hook_functions.push((local, event_name));
    }

    /// Records a call of a local.
    pub(super) fn add_call(&mut self, local: LocalId, argument_paths: Vec<Option<AccessPath>>) {
        self.local_calls.push((local, argument_paths));
    }

    /// Records that a local is used without a call.
    pub(super) fn add_use_as_value(&mut self, local: LocalId) {
        self.escaped_locals.insert(local);
    }

    /// Whether a local is used without a call.
    pub(super) fn is_used_as_value(&self, local: LocalId) -> bool {
        self.escaped_locals.contains(&local)
    }

    /// The function in a local.
    pub(super) fn function_body(&self, local: LocalId) -> Option<*const FunctionBody> {
        self.function_bodies.get(&local).copied()
    }

    /// The access path of each parameter, beside annotations.
    pub(super) fn infer_param_paths(
        &self,
        annotated_params: &BTreeMap<LocalId, AccessPath>,
    ) -> BTreeMap<LocalId, AccessPath> {
        let mut events: BTreeMap<LocalId, Option<&String>> = BTreeMap::new();
        for (local, event_name) in &self.hook_functions {
            let Some(first) = self.params_of(*local).first() else { continue };
            let known = events.entry(*first).or_insert(Some(event_name));
            *known = known.filter(|known| *known == event_name);
        }
        let event = |(local, event_name): (LocalId, Option<&String>)| {
            Some((local, AccessPath::from_root(PathRoot::Event(event_name?.clone()))))
        };
        let mut known: BTreeMap<LocalId, AccessPath> =
            events.into_iter().filter_map(event).collect();
        for (local, part) in annotated_params {
            known.entry(*local).or_insert_with(|| part.clone());
        }
        for _ in 0..MAX_INFERENCE_ROUNDS {
            let before = known.len();
            for (function, body) in &self.function_bodies {
                let params =
                    self.body_params.get(body).filter(|_| !self.escaped_locals.contains(function));
                for (at, local) in params.into_iter().flatten().enumerate() {
                    if !known.contains_key(local)
                        && let Some(part) = self.agreed_argument(*function, at, &known)
                    {
                        known.insert(*local, part);
                    }
                }
            }
            if known.len() == before {
                break;
            }
        }
        known
    }

    fn params_of(&self, function: LocalId) -> &[LocalId] {
        let params =
            self.function_bodies.get(&function).and_then(|body| self.body_params.get(body));
        params.map_or(&[], Vec::as_slice)
    }

    /// The argument that all calls of a function agree on.
    fn agreed_argument(
        &self,
        function: LocalId,
        at: usize,
        known: &BTreeMap<LocalId, AccessPath>,
    ) -> Option<AccessPath> {
        let mut agreed: Option<AccessPath> = None;
        for (_, given) in self.local_calls.iter().filter(|(called, _)| *called == function) {
            let part = resolve_param_path(given.get(at)?.as_ref()?, known)?;
            let same = |other: &AccessPath| other.root == part.root && other.path == part.path;
            match &mut agreed {
                Some(other) if !same(other) => return None,
                Some(other) => other.via_locals.extend(part.via_locals),
                None => agreed = Some(part),
            }
        }
        agreed
    }
}

/// Resolves a path whose source is a parameter.
pub(super) fn resolve_param_path(
    part: &AccessPath,
    known: &BTreeMap<LocalId, AccessPath>,
) -> Option<AccessPath> {
    let PathRoot::Parameter(local) = part.root else { return Some(part.clone()) };
    let mut resolved = known.get(&local)?.append_steps(part.path.iter().cloned());
    resolved.via_locals.extend(&part.via_locals);
    Some(resolved)
}

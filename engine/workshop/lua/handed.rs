//! Infers parameter types of named local functions: from the event that a function is registered
//! on, or from all its call sites. If two calls disagree, or the function is used in another way,
//! nothing is inferred.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::FunctionBody;

use super::locals::LocalId;
use super::said::{Part, Whole};

/// The maximum number of rounds through functions that call others.
const ROUNDS: usize = 4;

/// Functions in locals, and how they are used.
#[derive(Default)]
pub(super) struct Handed {
    /// The function body in a local, and the parameters of a body.
    bodies: BTreeMap<LocalId, *const FunctionBody>,
    takes: BTreeMap<*const FunctionBody, Vec<LocalId>>,
    /// Functions that are registered on an event.
    hooks: Vec<(LocalId, String)>,
    /// The arguments of each call, in order.
    calls: Vec<(LocalId, Vec<Option<Part>>)>,
    /// Functions that are passed on, stored or returned.
    kept: BTreeSet<LocalId>,
}

impl Handed {
    /// Records that a local holds a function.
    pub(super) fn holds(&mut self, local: LocalId, body: &FunctionBody) {
        self.bodies.insert(local, std::ptr::from_ref(body));
    }

    /// Records that a local gets another value.
    pub(super) fn lost(&mut self, local: LocalId) {
        self.bodies.remove(&local);
    }

    /// Records the parameters of a function.
    pub(super) fn takes(&mut self, body: &FunctionBody, locals: Vec<LocalId>) {
        self.takes.insert(std::ptr::from_ref(body), locals);
    }

    /// Records that a named function is registered on an event.
    pub(super) fn hangs(&mut self, local: LocalId, moment: String) {
        self.hooks.push((local, moment));
    }

    /// Records a call of a local.
    pub(super) fn called(&mut self, local: LocalId, given: Vec<Option<Part>>) {
        self.calls.push((local, given));
    }

    /// Records that a local is used without a call.
    pub(super) fn kept(&mut self, local: LocalId) {
        self.kept.insert(local);
    }

    /// Whether a local is used without a call.
    pub(super) fn is_kept(&self, local: LocalId) -> bool {
        self.kept.contains(&local)
    }

    /// The function in a local.
    pub(super) fn body(&self, local: LocalId) -> Option<*const FunctionBody> {
        self.bodies.get(&local).copied()
    }

    /// The access path of each parameter, beside annotations.
    pub(super) fn known(&self, typed: &BTreeMap<LocalId, Part>) -> BTreeMap<LocalId, Part> {
        let mut events: BTreeMap<LocalId, Option<&String>> = BTreeMap::new();
        for (local, moment) in &self.hooks {
            let Some(first) = self.params(*local).first() else { continue };
            let known = events.entry(*first).or_insert(Some(moment));
            *known = known.filter(|known| *known == moment);
        }
        let event = |(local, moment): (LocalId, Option<&String>)| {
            Some((local, Part::all(Whole::Event(moment?.clone()))))
        };
        let mut known: BTreeMap<LocalId, Part> = events.into_iter().filter_map(event).collect();
        for (local, part) in typed {
            known.entry(*local).or_insert_with(|| part.clone());
        }
        for _ in 0..ROUNDS {
            let before = known.len();
            for (function, body) in &self.bodies {
                let takes = self.takes.get(body).filter(|_| !self.kept.contains(function));
                for (at, local) in takes.into_iter().flatten().enumerate() {
                    if !known.contains_key(local)
                        && let Some(part) = self.agreed(*function, at, &known)
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

    fn params(&self, function: LocalId) -> &[LocalId] {
        let takes = self.bodies.get(&function).and_then(|body| self.takes.get(body));
        takes.map_or(&[], Vec::as_slice)
    }

    /// The argument that all calls of a function agree on.
    fn agreed(
        &self,
        function: LocalId,
        at: usize,
        known: &BTreeMap<LocalId, Part>,
    ) -> Option<Part> {
        let mut agreed: Option<Part> = None;
        for (_, given) in self.calls.iter().filter(|(called, _)| *called == function) {
            let part = resolved(given.get(at)?.as_ref()?, known)?;
            let same = |other: &Part| other.of == part.of && other.path == part.path;
            match &mut agreed {
                Some(other) if !same(other) => return None,
                Some(other) => other.by.extend(part.by),
                None => agreed = Some(part),
            }
        }
        agreed
    }
}

/// Resolves a path whose source is a parameter.
pub(super) fn resolved(part: &Part, known: &BTreeMap<LocalId, Part>) -> Option<Part> {
    let Whole::Given(local) = part.of else { return Some(part.clone()) };
    let mut whole = known.get(&local)?.then(part.path.iter().cloned());
    whole.by.extend(&part.by);
    Some(whole)
}

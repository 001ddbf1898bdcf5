//! What functions with a name are given: the events of the moment that they hang on, or the part of the state or
//! of an event that every call of them hands over. Where two calls disagree, or the function is more than called,
//! nothing is known.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::FunctionBody;

use super::locals::LocalId;
use super::said::{Part, Whole};

/// So often calls are followed into functions that call others.
const ROUNDS: usize = 4;

/// Functions that locals hold, and what is done with them.
#[derive(Default)]
pub(super) struct Handed {
    /// Where the body lies that a local holds, and what locals a body is given.
    bodies: BTreeMap<LocalId, *const FunctionBody>,
    takes: BTreeMap<*const FunctionBody, Vec<LocalId>>,
    /// Those that hang on a moment.
    hooks: Vec<(LocalId, String)>,
    /// What each call gives, in turn.
    calls: Vec<(LocalId, Vec<Option<Part>>)>,
    /// Those that are handed on, kept or returned.
    kept: BTreeSet<LocalId>,
}

impl Handed {
    /// A local holds a function.
    pub(super) fn holds(&mut self, local: LocalId, body: &FunctionBody) {
        self.bodies.insert(local, std::ptr::from_ref(body));
    }

    /// A local comes to hold something else.
    pub(super) fn lost(&mut self, local: LocalId) {
        self.bodies.remove(&local);
    }

    /// A function is given these.
    pub(super) fn takes(&mut self, body: &FunctionBody, locals: Vec<LocalId>) {
        self.takes.insert(std::ptr::from_ref(body), locals);
    }

    /// A function with a name hangs on a moment.
    pub(super) fn hangs(&mut self, local: LocalId, moment: String) {
        self.hooks.push((local, moment));
    }

    /// What a local holds is called with these.
    pub(super) fn called(&mut self, local: LocalId, given: Vec<Option<Part>>) {
        self.calls.push((local, given));
    }

    /// What a local holds is used, and not called.
    pub(super) fn kept(&mut self, local: LocalId) {
        self.kept.insert(local);
    }

    /// Whether it is.
    pub(super) fn is_kept(&self, local: LocalId) -> bool {
        self.kept.contains(&local)
    }

    /// The function that a local holds.
    pub(super) fn body(&self, local: LocalId) -> Option<*const FunctionBody> {
        self.bodies.get(&local).copied()
    }

    /// What each parameter is known to be, beside what it is said to be.
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

    /// What all calls of a function give it at a place.
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

/// A part with what is known of what a function is given.
pub(super) fn resolved(part: &Part, known: &BTreeMap<LocalId, Part>) -> Option<Part> {
    let Whole::Given(local) = part.of else { return Some(part.clone()) };
    let mut whole = known.get(&local)?.then(part.path.iter().cloned());
    whole.by.extend(&part.by);
    Some(whole)
}

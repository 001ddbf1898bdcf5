//! Data of one call into the VM: proxies that were handed out, and counters with limits.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value as LuaValue};

use super::filled_texts::FilledTexts;
use base::{SourceLocation, limits};
use dice::{Expr, NotationError, WeightedOutcome};

/// Data of one call into the VM.
#[derive(Default)]
pub(crate) struct CallScope {
    /// The number of this call. A proxy with another number is stale.
    call_number: Cell<u64>,
    /// The last number that was used.
    last_call_number: Cell<u64>,
    /// One proxy for each table, by the number of its cell, so that `==` compares tables correctly.
    /// Proxies of earlier calls are replaced when needed.
    proxies: OnceCell<Table>,
    /// Proxies created since the table of proxies was last cleared.
    proxy_count: Cell<usize>,
    /// The profile as frozen Lua tables, by the number of their handle; created on first use.
    pub(crate) profiles: RefCell<BTreeMap<usize, LuaValue>>,
    /// Depth of nested `emit` calls.
    pub(crate) emit_depth: Cell<usize>,
    /// Streams that their mods lend to others in this call, by full name.
    pub(crate) lent_streams: RefCell<BTreeSet<String>>,
    /// Outcome names of each `odds` call in this call, best first. A prompt shows such odds in that
    /// order.
    pub(crate) odds_rankings: RefCell<Vec<Vec<String>>>,
    /// Whether the judge that is being called needs dice that were not passed.
    pub(crate) judge_needs_dice: Cell<bool>,
    /// Depth of nested `after` hooks.
    pub(crate) after_hook_depth: Cell<usize>,
    /// The last text that a script raised itself in this call, with `error` or `assert`.
    pub(crate) last_raised_text: RefCell<String>,
    /// Scenes that `after` hooks opened in this call and that are still open.
    pub(crate) scenes_opened_by_hooks: RefCell<Vec<SceneOpenedByHook>>,
    /// Parsed notations. They outlive the call, because a text always has the same meaning.
    cached_notations: RefCell<BTreeMap<Box<str>, Rc<ParsedNotation>>>,
    /// The texts that `fill` has made in this call, with what they were made from.
    pub(crate) filled_texts: FilledTexts,
}

/// A scene that an `after` hook opened.
pub(crate) struct SceneOpenedByHook {
    /// The number of open scenes, including this one.
    pub(crate) scene_depth: usize,
    /// The function that opened it, `go` or `push`.
    pub(crate) opening_function: &'static str,
    /// Its full id.
    pub(crate) scene: String,
    /// The place of the call that opened it.
    pub(crate) place: SourceLocation,
    /// The hook and its event; known once the hook has ended.
    pub(crate) hook: Option<(SourceLocation, Arc<str>)>,
}

/// Initial capacity for proxies; those are found without a search.
const PROXY_CAPACITY: usize = 128;
/// Maximum number of cached notations.
const MAX_CACHED_NOTATIONS: usize = 1_000;

/// A parsed notation, with its odds once they were asked for.
pub(crate) struct ParsedNotation {
    /// The parsed expression.
    pub(crate) expr: Expr,
    outcomes: OnceCell<(Result<Vec<WeightedOutcome>, String>, u64)>,
}

impl ParsedNotation {
    /// All outcomes, or why they cannot be counted; and the number of additions that this takes,
    /// whether cached or not.
    pub(crate) fn weighted_outcomes(&self) -> (Result<&[WeightedOutcome], String>, u64) {
        let (count_result, addition_count) =
            self.outcomes.get_or_init(|| dice::count_roll_outcomes_with_cost(&self.expr));
        (count_result.as_deref().map_err(Clone::clone), *addition_count)
    }
}

impl CallScope {
    /// Begins a new call. With the number of an earlier call, its proxies stay valid.
    pub(crate) fn begin_call(&self, reused_call_number: Option<u64>) {
        self.call_number.set(reused_call_number.unwrap_or_else(|| self.next_call_number()));
        luau::clear_recorded_calls();
        self.emit_depth.set(0);
        self.after_hook_depth.set(0);
        self.last_raised_text.borrow_mut().clear();
        self.scenes_opened_by_hooks.borrow_mut().clear();
        self.odds_rankings.borrow_mut().clear();
        self.lent_streams.borrow_mut().clear();
        self.filled_texts.clear();
    }

    /// Attributes the scenes that were opened meanwhile to a hook that has ended.
    pub(crate) fn attribute_scenes_to_hook(
        &self,
        hook_place: &SourceLocation,
        event_name: &Arc<str>,
    ) {
        for hook_scene in
            self.scenes_opened_by_hooks.borrow_mut().iter_mut().filter(|one| one.hook.is_none())
        {
            hook_scene.hook = Some((hook_place.clone(), event_name.clone()));
        }
    }

    /// Ends the call: no Lua value is kept.
    pub(crate) fn end_call(&self) {
        self.call_number.set(self.next_call_number());
        self.profiles.borrow_mut().clear();
    }

    /// Whether there are so many proxies that they should be dropped.
    pub(crate) fn has_too_many_proxies(&self) -> bool {
        self.proxy_count.get() > limits::MAX_STATE_PROXIES
    }

    /// Drops all proxies.
    pub(crate) fn clear_proxies(&self) {
        self.proxy_count.set(0);
        if let Some(proxies) = self.proxies.get() {
            let clear_result = proxies.clear();
            debug_assert!(clear_result.is_ok(), "a writable table can be cleared");
        }
    }

    /// A number that no call has used.
    pub(crate) fn next_call_number(&self) -> u64 {
        self.last_call_number.set(self.last_call_number.get() + 1);
        self.last_call_number.get()
    }

    /// The number of this call.
    pub(crate) fn call_number(&self) -> u64 {
        self.call_number.get()
    }

    /// The table of proxies. Most states have fewer tables than its initial capacity.
    pub(crate) fn proxies(&self, lua: &Lua) -> mlua::Result<&Table> {
        if self.proxies.get().is_none() {
            let new_table = lua.create_table_with_capacity(PROXY_CAPACITY, 0)?;
            assert!(self.proxies.set(new_table).is_ok(), "no other code creates it");
        }
        Ok(self.proxies.get().expect("created above"))
    }

    /// Counts a new proxy.
    pub(crate) fn count_proxy(&self) {
        self.proxy_count.set(self.proxy_count.get() + 1);
    }

    /// Parses a notation, or returns it from the cache.
    pub(crate) fn parse_cached_notation(
        &self,
        text: &str,
    ) -> Result<Rc<ParsedNotation>, NotationError> {
        if let Some(cached_notation) = self.cached_notations.borrow().get(text) {
            return Ok(cached_notation.clone());
        }
        let expr = dice::parse_roll(text)?;
        let parsed_notation = Rc::new(ParsedNotation { expr, outcomes: OnceCell::new() });
        let mut notations = self.cached_notations.borrow_mut();
        if notations.len() < MAX_CACHED_NOTATIONS {
            notations.insert(Box::from(text), parsed_notation.clone());
        }
        Ok(parsed_notation)
    }
}

//! What functions for playing keep for one call into the VM and no longer: the proxies that were
//! handed out, and the counts that are held to a limit.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value as LuaValue};

use crate::dice::{self, Expr, NotationError, Outcome};
use crate::kit::{Place, Value};
use crate::luau::once;

/// What functions for playing keep for one call into the VM.
#[derive(Default)]
pub(crate) struct CallScope {
    /// The number of this call. A proxy of another number is stale.
    number: Cell<u64>,
    /// The last number that was given.
    numbers: Cell<u64>,
    /// One proxy for each table, by the number of its cell, so that the same table is the same to
    /// `==`. Those of earlier calls are replaced as their places are needed.
    proxies: OnceCell<Table>,
    /// How many proxies were made since the table of them was last cleared.
    made: Cell<usize>,
    /// The profile as frozen Lua, once it was asked for.
    profile: RefCell<Option<LuaValue>>,
    /// How many moments are being announced inside each other.
    pub(crate) depth: Cell<usize>,
    /// Streams that their mods lend to others in this call, by their whole names.
    pub(crate) lent_streams: RefCell<BTreeSet<String>>,
    /// What rolls may come to whose odds were asked for in this call, each the best first: a prompt
    /// shows what `odds` gave in that order.
    pub(crate) rankings: RefCell<Vec<Vec<String>>>,
    /// Whether the judge that is asked wants dice that it is not shown.
    pub(crate) wants_dice: Cell<bool>,
    /// How many moments' `after` hooks are being called inside each other.
    pub(crate) in_after: Cell<usize>,
    /// Scenes that such hooks have opened in this call and that are not left yet.
    pub(crate) hooked: RefCell<Vec<Hooked>>,
    /// Notations read so far. They outlive the call, since a text always reads the same.
    notations: RefCell<BTreeMap<Box<str>, Rc<Notation>>>,
}

/// A scene that an `after` hook has opened.
pub(crate) struct Hooked {
    /// How many scenes are open with it.
    pub(crate) depth: usize,
    /// What opened it, `go` or `push`.
    pub(crate) verb: &'static str,
    /// Its whole id.
    pub(crate) scene: String,
    /// Where that was written.
    pub(crate) place: Place,
    /// The hook, and its moment; known once it has ended.
    pub(crate) hook: Option<(Place, Arc<str>)>,
}

/// Proxies that may lie about before they are let go.
const PROXIES: usize = 16_384;
/// Proxies that there is room for at once: theirs are found without a search.
const ROOM: usize = 128;
/// Most notations that are kept.
const NOTATIONS: usize = 1_000;

/// A notation that was read, with its odds once they were asked for.
pub(crate) struct Notation {
    /// What it says.
    pub(crate) expr: Expr,
    outcomes: OnceCell<(Result<Vec<Outcome>, String>, u64)>,
}

impl Notation {
    /// Everything that it may come to, or why that cannot be counted; and in how many additions, whether they
    /// are made now or were before.
    pub(crate) fn outcomes(&self) -> (Result<&[Outcome], String>, u64) {
        let (counted, work) = self.outcomes.get_or_init(|| dice::counted(&self.expr));
        (counted.as_deref().map_err(Clone::clone), *work)
    }
}

impl CallScope {
    /// A new call begins: with a number that earlier calls had, where their proxies go on.
    pub(crate) fn begin(&self, number: Option<u64>) {
        self.number.set(number.unwrap_or_else(|| self.another_number()));
        self.depth.set(0);
        self.in_after.set(0);
        self.hooked.borrow_mut().clear();
        self.rankings.borrow_mut().clear();
        self.lent_streams.borrow_mut().clear();
    }

    /// A hook has ended: what it opened is its.
    pub(crate) fn note_hook(&self, hook: &Place, moment: &Arc<str>) {
        for one in self.hooked.borrow_mut().iter_mut().filter(|one| one.hook.is_none()) {
            one.hook = Some((hook.clone(), moment.clone()));
        }
    }

    /// The call is over: nothing of Lua is kept.
    pub(crate) fn end(&self) {
        self.number.set(self.another_number());
        self.profile.borrow_mut().take();
    }

    /// Whether so many proxies lie about that they are to be let go.
    pub(crate) fn is_full(&self) -> bool {
        self.made.get() > PROXIES
    }

    /// Lets go of all proxies.
    pub(crate) fn clear(&self) {
        self.made.set(0);
        if let Some(proxies) = self.proxies.get() {
            let cleared = proxies.clear();
            debug_assert!(cleared.is_ok(), "a table that is not frozen can be cleared");
        }
    }

    /// A number that no call has had.
    pub(crate) fn another_number(&self) -> u64 {
        self.numbers.set(self.numbers.get() + 1);
        self.numbers.get()
    }

    /// The number of this call.
    pub(crate) fn number(&self) -> u64 {
        self.number.get()
    }

    /// Where proxies are kept. Most states have fewer tables than there is room for at once.
    pub(crate) fn proxies(&self, lua: &Lua) -> mlua::Result<&Table> {
        if self.proxies.get().is_none() {
            let made = lua.create_table_with_capacity(ROOM, 0)?;
            assert!(self.proxies.set(made).is_ok(), "nobody made one meanwhile");
        }
        Ok(self.proxies.get().expect("it was made above"))
    }

    /// Notes that a proxy was made.
    pub(crate) fn note_proxy(&self) {
        self.made.set(self.made.get() + 1);
    }

    /// The profile as frozen Lua, made if there is none yet.
    pub(crate) fn profile(&self, lua: &Lua, profile: &Value) -> mlua::Result<LuaValue> {
        if let Some(made) = &*self.profile.borrow() {
            return Ok(made.clone());
        }
        let made: LuaValue = once(lua, (), |stack| stack.push_plain(profile, true))?;
        *self.profile.borrow_mut() = Some(made.clone());
        Ok(made)
    }

    /// A notation, read.
    pub(crate) fn notation(&self, text: &str) -> Result<Rc<Notation>, NotationError> {
        if let Some(known) = self.notations.borrow().get(text) {
            return Ok(known.clone());
        }
        let expr = dice::parse(text)?;
        let read = Rc::new(Notation { expr, outcomes: OnceCell::new() });
        let mut notations = self.notations.borrow_mut();
        if notations.len() < NOTATIONS {
            notations.insert(Box::from(text), read.clone());
        }
        Ok(read)
    }
}

//! The state read without a call: beside a table of the state that scripts read lies a plain table of Luau's
//! own with the same in it, its *mirror*, and Luau finds there what is read of the proxy (`__index` is a table
//! and no function). No script ever holds a mirror. The tree is the truth: whatever writes to it ends here
//! (`bring_in_line`), where one entry is written to the mirror too, or the mirror is taken away; so it is with
//! whatever was written between calls, rolled back or taken out (`begin`).
//!
//! Mirrors last from call to call as long as the same tree is played with, and proxies with them, so that
//! they are made once. That no script keeps a proxy past its call is held elsewhere: what was made while
//! loading is not assigned to in play. Where it may be (runs of the first edition, and once a case has done
//! it) there are no mirrors. What mirrors take is nobody's memory, as it is with definitions: whether a VM
//! has one hangs on what it was used for.

use mlua::Lua;

use super::blocks;
use super::fuel;
use super::host::Host;
use super::host_fn::PROXIES;
use super::mirrored::{Known, place_of};
use crate::base::fault::planted;
use crate::base::meter;
use crate::luau::{Stack, StackIndex, call_with_stack};
use crate::protocol::World;
use crate::state::{NodeId, Slot};

/// Larger tables are read where they lie.
pub(super) const ENTRIES: usize = 256;
/// Most tables that have mirrors.
const TABLES: usize = 1_024;
/// Where the rules of a proxy keep the function that reads the tree itself. No script sees them.
pub(super) const READ: &str = "%read";
const INDEX: &str = "__index";
/// Where they keep the mirror, to be found without its name.
pub(super) const MIRROR: StackIndex = 1;

impl Host {
    /// A call begins with a world. The number of its proxies, where those of earlier calls go on.
    pub(super) fn begin_mirrors(&self, lua: &Lua, world: &mut World) -> mlua::Result<Option<u64>> {
        let mirrors = &self.mirrors;
        let plays = mirrors.plays.replace(false);
        mirrors.on.set(false);
        for place in mirrors.passed.take() {
            mirrors.note(place, Known::Bare);
        }
        if mirrors.never.get() || !self.edition.freezes_locals() {
            self.drop_mirrors(lua)?;
            return Ok(None);
        }
        if !world.state.is_tracking_for(mirrors.watcher.get()) {
            if !plays {
                self.cover_root(lua)?;
                return Ok(None);
            }
            self.drop_mirrors(lua)?;
            mirrors.watcher.set(world.state.start_tracking_writes());
            mirrors.era.set(self.scope.next_number());
        } else if world.state.has_recorded_writes() {
            let mut touched = mirrors.touched.take();
            world.state.take_written_cells(&mut touched);
            let places = touched.iter().map(|cell| place_of(world, *cell));
            let gone: Vec<usize> = places.filter(|at| mirrors.is(*at, Known::Mirrored)).collect();
            mirrors.touched.replace(touched);
            self.take_away(lua, &gone)?;
        }
        mirrors.on.set(true);
        Ok(Some(mirrors.era.get()))
    }

    /// Takes all mirrors away: the next proxies are others.
    pub(super) fn drop_mirrors(&self, lua: &Lua) -> mlua::Result<()> {
        if self.mirrors.watcher.get() == 0 {
            return Ok(());
        }
        let gone = self.mirrors.forget();
        let grown = &self.lazy.grown_bytes;
        grown.set(grown.get().saturating_sub(self.mirrors.bytes.take()));
        self.take_away(lua, &gone)
    }

    /// Lets the whole state be read by a call: where a file is compiled, or another tree is lent.
    pub(super) fn cover_root(&self, lua: &Lua) -> mlua::Result<()> {
        if self.mirrors.is(0, Known::Mirrored) { self.take_away(lua, &[0]) } else { Ok(()) }
    }

    fn take_away(&self, lua: &Lua, places: &[usize]) -> mlua::Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let proxies = self.scope.proxies(lua)?.clone();
        call_with_stack::<()>(lua, proxies, |stack| {
            for place in places {
                self.cut(stack, 1, *place);
                self.mirrors.note(*place, Known::Bare);
            }
            stack.set_top(0);
        })
    }

    /// Lets a table be read where it lies.
    fn cut(&self, stack: Stack<'_>, proxies: StackIndex, place: usize) {
        stack.reserve(8);
        let top = stack.top();
        if self.push_rules(stack, proxies, place) {
            let rules = stack.top();
            stack.push_text(READ);
            stack.raw_get(rules);
            stack.set_field(rules, INDEX);
            stack.push_bool(false);
            stack.raw_set_at(rules, MIRROR);
        }
        stack.set_top(top);
        self.mirrors.count.set(self.mirrors.count.get().saturating_sub(1));
    }

    /// Pushes the rules of the proxy at a place, above the proxy.
    fn push_rules(&self, stack: Stack<'_>, proxies: StackIndex, place: usize) -> bool {
        match place {
            0 => {
                let root = self.mirrors.root.get().map(|root| stack.push(&self.lua(), root));
                if !matches!(root, Some(Ok(()))) {
                    return false;
                }
            }
            _ => drop(stack.raw_get_at(proxies, place as StackIndex)),
        }
        stack.push_metatable(stack.top())
    }

    /// Gives a table its mirror, if it is to have one: its proxy lies first on the stack of a function that
    /// may push proxies.
    pub(super) fn mirror(&self, stack: Stack<'_>, node: NodeId) {
        const PROXY: StackIndex = 1;
        let mirrors = &self.mirrors;
        if !mirrors.on.get() {
            return;
        }
        let world = self.context.world.borrow();
        let place = place_of(&world, node.cell());
        if !mirrors.is(place, Known::Bare) || mirrors.count.get() >= TABLES {
            return;
        }
        let state = &world.state;
        // A long text makes a step dearer once it is there: it is read by whoever asks for it.
        let short =
            |slot: &Slot| !matches!(slot, Slot::Text(text) if text.len() >= blocks::LOOKED_AT);
        let fits = state.count(node).is_ok_and(|count| count <= ENTRIES)
            && state.list_slots(node).all(short)
            && state
                .map_slots(node)
                .all(|(key, slot)| key.len() < blocks::LOOKED_AT && short(slot));
        if !fits {
            return mirrors.note(place, Known::Passed);
        }
        let lua = self.lua();
        let used = lua.used_memory();
        let top = stack.top();
        stack.reserve(10);
        if !stack.push_metatable(PROXY) {
            return;
        }
        let quick = blocks::aside_of_tables(|| {
            stack.push_clone(top + 1);
            stack.push_table(state.list_slots(node).count(), state.map_slots(node).count());
            let mirror = stack.top();
            for (at, slot) in (1..).zip(state.list_slots(node)) {
                self.push_slot(stack, slot);
                stack.raw_set_at(mirror, at);
            }
            for (key, slot) in state.map_slots(node) {
                stack.push_text(key);
                self.push_slot(stack, slot);
                stack.raw_set(mirror);
            }
        });
        if quick {
            stack.push_copy(top + 3);
            stack.raw_set_at(top + 2, MIRROR);
            stack.set_field(top + 2, INDEX);
            stack.set_metatable(PROXY);
            mirrors.count.set(mirrors.count.get() + 1);
        }
        stack.set_top(top);
        mirrors.note(place, if quick { Known::Mirrored } else { Known::Passed });
        let grown = lua.used_memory().saturating_sub(used);
        mirrors.bytes.set(mirrors.bytes.get() + grown);
        self.lazy.grown_bytes.set(self.lazy.grown_bytes.get() + grown);
        let all = mirrors.rest.get() + grown;
        mirrors.rest.set(all % 1024);
        fuel::raise_memory_limit(all / 1024);
    }

    /// After whatever wrote to the state: brings the mirrors in line. The key at a place of the stack is the
    /// one entry of the table that was written, if it was one. The function that runs may push proxies.
    pub(crate) fn bring_in_line(&self, stack: Stack<'_>, node: NodeId, key: Option<StackIndex>) {
        let mirrors = &self.mirrors;
        if !mirrors.on.get() || planted("mirrors_not_written") {
            return;
        }
        let mut touched = mirrors.touched.take();
        // What is mirrored depends on what was read before: it costs nothing.
        let left = meter::remaining_parts();
        let whole = {
            let state = &mut self.context.world.borrow_mut().state;
            state.take_written_cells(&mut touched);
            state.is_tracking_for(mirrors.watcher.get())
        };
        let world = self.context.world.borrow();
        let own = place_of(&world, node.cell());
        let settle = |place: usize| {
            if !mirrors.is(place, Known::Mirrored) {
                return;
            }
            let written = key.filter(|_| place == own && whole);
            let kept = written.is_some_and(|key| {
                blocks::aside_of_tables(|| self.write_through(stack, &world, node, key))
            });
            if !kept {
                self.cut(stack, PROXIES, place);
                mirrors.note(place, Known::Passed);
            }
        };
        let all = mirrors.known.borrow().len();
        match whole {
            true => touched.iter().for_each(|cell| settle(place_of(&world, *cell))),
            // More was written than is noted.
            false => (0..all).for_each(settle),
        }
        mirrors.touched.replace(touched);
        meter::set_remaining_parts(left);
    }

    /// Writes one entry of a table to its mirror.
    fn write_through(&self, stack: Stack<'_>, world: &World, node: NodeId, key: StackIndex) {
        stack.reserve(10);
        let top = stack.top();
        if self.push_rules(stack, PROXIES, place_of(world, node.cell())) {
            let rules = stack.top();
            stack.raw_get_at(rules, MIRROR);
            stack.push_copy(key);
            let slot = match stack.text(key) {
                Some(name) => world.state.get_text_ref(node, name),
                None => world.state.get_index_ref(node, stack.number(key) as u32),
            };
            self.push_slot(stack, slot.unwrap_or(&Slot::Nil));
            stack.raw_set(rules + 1);
        }
        stack.set_top(top);
    }
}

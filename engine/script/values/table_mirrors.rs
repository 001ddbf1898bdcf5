//! Lets Luau read the state without a call into Rust. A table of the state that scripts read often
//! has a *mirror*: a plain Lua table with the same entries. `__index` of its proxy is the mirror
//! instead of a function. Scripts never hold a mirror.
//!
//! The state tree is authoritative. After each write `update_mirrors` writes one entry to the
//! mirror, or removes the mirror. `begin_mirrors` does the same for writes between calls and for
//! rollbacks.
//!
//! Mirrors and proxies persist across calls while the same tree is played. Scripts cannot store a
//! proxy beyond its call, because play cannot assign to values that were created while loading. A
//! case can do so; then mirrors are disabled. The memory of mirrors is charged to no mod, because
//! the existence of a mirror depends on what the VM did before.

use mlua::Lua;

use crate::host::Host;
use crate::host::mirror_states::{MirrorState, mirror_index};
use crate::host::upvalues::PROXIES_UPVALUE;
use crate::limits::allocation_checks;
use crate::limits::fuel;
use base::{limits, meter};
use luau::{Stack, StackIndex, call_with_stack};
use protocol::WorldState;
use state::{StoredValue, TableHandle};

/// Maximum number of entries of a mirrored table. Larger tables are read through a call.
pub(crate) const MAX_MIRROR_ENTRIES: usize = 256;
/// Maximum number of mirrors.
const MAX_MIRRORS: usize = 1_024;
/// The field of a proxy's metatable with the function that reads the tree. Scripts do not see it.
pub(crate) const READER_FIELD_NAME: &str = "%read";
const INDEX_METAMETHOD: &str = "__index";
/// The index of the mirror in the metatable; an index is found faster than a name.
pub(crate) const MIRROR_FIELD_INDEX: StackIndex = 1;

impl Host {
    /// Begins a call with a world. Returns the call number of the proxies if those of earlier calls
    /// stay valid.
    pub(crate) fn begin_mirrors(
        &self,
        lua: &Lua,
        world: &mut WorldState,
    ) -> mlua::Result<Option<u64>> {
        let mirrors = &self.mirrors;
        let plays = mirrors.is_next_call_play.replace(false);
        mirrors.is_active.set(false);
        for place in mirrors.skipped_tables.take() {
            mirrors.set_mirror_state(place, MirrorState::NotMirrored);
        }
        if mirrors.is_switched_off.get() {
            self.drop_mirrors(lua)?;
            return Ok(None);
        }
        if !world.state.is_tracking_for(mirrors.observer_id.get()) {
            if !plays {
                self.remove_root_mirror(lua)?;
                return Ok(None);
            }
            self.drop_mirrors(lua)?;
            mirrors.observer_id.set(world.state.start_tracking_writes());
            mirrors.proxy_call_number.set(self.call_scope.next_call_number());
        } else if world.state.has_recorded_writes() {
            let mut written_cells = mirrors.written_cells.take();
            world.state.take_written_cells(&mut written_cells);
            let places = written_cells.iter().map(|cell| mirror_index(world, *cell));
            let gone: Vec<usize> =
                places.filter(|at| mirrors.has_mirror_state(*at, MirrorState::Mirrored)).collect();
            mirrors.written_cells.replace(written_cells);
            self.remove_mirrors(lua, &gone)?;
        }
        mirrors.is_active.set(true);
        Ok(Some(mirrors.proxy_call_number.get()))
    }

    /// Removes all mirrors; the next proxies are new.
    pub(crate) fn drop_mirrors(&self, lua: &Lua) -> mlua::Result<()> {
        if self.mirrors.observer_id.get() == 0 {
            return Ok(());
        }
        let gone = self.mirrors.clear_all_mirrors();
        let grown = &self.lazy_tables.memory_bytes;
        grown.set(grown.get().saturating_sub(self.mirrors.mirror_bytes.take()));
        self.remove_mirrors(lua, &gone)
    }

    /// Removes the mirror of the whole state, when a file is compiled or another tree is lent.
    pub(crate) fn remove_root_mirror(&self, lua: &Lua) -> mlua::Result<()> {
        if self.mirrors.has_mirror_state(0, MirrorState::Mirrored) {
            self.remove_mirrors(lua, &[0])
        } else {
            Ok(())
        }
    }

    fn remove_mirrors(&self, lua: &Lua, places: &[usize]) -> mlua::Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let proxies = self.call_scope.proxies(lua)?.clone();
        call_with_stack::<()>(lua, proxies, |stack| {
            for place in places {
                self.remove_mirror(stack, 1, *place);
                self.mirrors.set_mirror_state(*place, MirrorState::NotMirrored);
            }
            stack.set_top(0);
        })
    }

    /// Restores the function that reads the tree.
    fn remove_mirror(&self, stack: Stack<'_>, proxies: StackIndex, place: usize) {
        let top = stack.top();
        if self.push_proxy_metatable(stack, proxies, place) {
            let rules = stack.top();
            stack.push_text(READER_FIELD_NAME);
            stack.raw_get(rules);
            stack.set_field(rules, INDEX_METAMETHOD);
            stack.push_bool(false);
            stack.raw_set_at(rules, MIRROR_FIELD_INDEX);
        }
        stack.set_top(top);
        self.mirrors.mirror_count.set(self.mirrors.mirror_count.get().saturating_sub(1));
    }

    /// Pushes the proxy of a table and its metatable above it. Returns false if there is none.
    fn push_proxy_metatable(&self, stack: Stack<'_>, proxies: StackIndex, place: usize) -> bool {
        match place {
            0 => {
                let root =
                    self.mirrors.root_proxy.get().map(|root| stack.push_value(&self.lua(), root));
                if !matches!(root, Some(Ok(()))) {
                    return false;
                }
            }
            _ => drop(stack.raw_get_at(proxies, place as StackIndex)),
        }
        stack.push_metatable(stack.top())
    }

    /// Creates the mirror of a table if it may have one. Its proxy must be first on the stack, and
    /// the running function must be allowed to push proxies.
    pub(crate) fn create_mirror(&self, stack: Stack<'_>, node: TableHandle) {
        const PROXY_INDEX: StackIndex = 1;
        let mirrors = &self.mirrors;
        if !mirrors.is_active.get() {
            return;
        }
        let world = self.call_context.world.borrow();
        let place = mirror_index(&world, node.cell_index());
        if !mirrors.has_mirror_state(place, MirrorState::NotMirrored)
            || mirrors.mirror_count.get() >= MAX_MIRRORS
        {
            return;
        }
        let state = &world.state;
        // A long text raises the fuel cost of a step once Luau has it. So only scripts that read
        // the text pay for it.
        let short = |slot: &StoredValue| !matches!(slot, StoredValue::Text(text) if text.len() >= limits::MIN_CHECKED_TEXT_BYTES);
        let fits = state.entry_count(node).is_ok_and(|count| count <= MAX_MIRROR_ENTRIES)
            && state.list_items(node).all(short)
            && state
                .map_entries(node)
                .all(|(key, slot)| key.len() < limits::MIN_CHECKED_TEXT_BYTES && short(slot));
        if !fits {
            return mirrors.set_mirror_state(place, MirrorState::SkippedThisCall);
        }
        let lua = self.lua();
        let used = lua.used_memory();
        let top = stack.top();
        if !stack.push_metatable(PROXY_INDEX) {
            return;
        }
        let quick = allocation_checks::run_without_recording_tables(|| {
            stack.push_shallow_table_copy(top + 1);
            stack.push_table(state.list_items(node).count(), state.map_entries(node).count());
            let mirror = stack.top();
            for (at, slot) in (1..).zip(state.list_items(node)) {
                self.push_stored_value(stack, slot);
                stack.raw_set_at(mirror, at);
            }
            for (key, slot) in state.map_entries(node) {
                stack.push_text(key);
                self.push_stored_value(stack, slot);
                stack.raw_set(mirror);
            }
        });
        if quick {
            stack.push_copy(top + 3);
            stack.raw_set_at(top + 2, MIRROR_FIELD_INDEX);
            stack.set_field(top + 2, INDEX_METAMETHOD);
            stack.set_metatable(PROXY_INDEX);
            mirrors.mirror_count.set(mirrors.mirror_count.get() + 1);
        }
        stack.set_top(top);
        mirrors.set_mirror_state(
            place,
            if quick { MirrorState::Mirrored } else { MirrorState::SkippedThisCall },
        );
        let grown = lua.used_memory().saturating_sub(used);
        mirrors.mirror_bytes.set(mirrors.mirror_bytes.get() + grown);
        self.lazy_tables.memory_bytes.set(self.lazy_tables.memory_bytes.get() + grown);
        let all = mirrors.bytes_below_one_kib.get() + grown;
        mirrors.bytes_below_one_kib.set(all % 1024);
        fuel::raise_memory_limit(all / 1024);
    }

    /// Updates the mirrors after a write to the state. `key` is the stack index of the key if
    /// exactly one entry of the table was written. The running function must be allowed to push
    /// proxies.
    pub(crate) fn update_mirrors(
        &self,
        stack: Stack<'_>,
        node: TableHandle,
        key: Option<StackIndex>,
    ) {
        let mirrors = &self.mirrors;
        if !mirrors.is_active.get() {
            return;
        }
        let mut written_cells = mirrors.written_cells.take();
        // Which tables are mirrored depends on earlier reads, so the update costs no fuel.
        let left = meter::remaining_fuel_parts();
        let whole = {
            let state = &mut self.call_context.world.borrow_mut().state;
            state.take_written_cells(&mut written_cells);
            state.is_tracking_for(mirrors.observer_id.get())
        };
        let world = self.call_context.world.borrow();
        let own = mirror_index(&world, node.cell_index());
        let settle = |place: usize| {
            if !mirrors.has_mirror_state(place, MirrorState::Mirrored) {
                return;
            }
            let written = key.filter(|_| place == own && whole);
            let kept = written.is_some_and(|key| {
                allocation_checks::run_without_recording_tables(|| {
                    self.write_entry_to_mirror(stack, &world, node, key)
                })
            });
            if !kept {
                self.remove_mirror(stack, PROXIES_UPVALUE, place);
                mirrors.set_mirror_state(place, MirrorState::SkippedThisCall);
            }
        };
        let all = mirrors.mirror_states.borrow().len();
        match whole {
            true => written_cells.iter().for_each(|cell| settle(mirror_index(&world, *cell))),
            // The tree no longer records writes for these mirrors.
            false => (0..all).for_each(settle),
        }
        mirrors.written_cells.replace(written_cells);
        meter::set_remaining_fuel_parts(left);
    }

    /// Writes one entry of a table to its mirror.
    fn write_entry_to_mirror(
        &self,
        stack: Stack<'_>,
        world: &WorldState,
        node: TableHandle,
        key: StackIndex,
    ) {
        let top = stack.top();
        if self.push_proxy_metatable(stack, PROXIES_UPVALUE, mirror_index(world, node.cell_index()))
        {
            let rules = stack.top();
            stack.raw_get_at(rules, MIRROR_FIELD_INDEX);
            stack.push_copy(key);
            let slot = match stack.text(key) {
                Some(name) => world.state.get_ref_by_text_key(node, name),
                None => world.state.get_ref_by_index(node, stack.number(key) as u32),
            };
            self.push_stored_value(stack, slot.unwrap_or(&StoredValue::Nil));
            stack.raw_set(rules + 1);
        }
        stack.set_top(top);
    }
}

//! Records which tables of the state have a mirror (`table_mirrors`), and data about all mirrors of
//! a VM.

use std::cell::{Cell, OnceCell, RefCell};

use mlua::AnyUserData;

use luau::StackIndex;
use protocol::WorldState;
use state::TableHandle;

/// Whether a table has a mirror.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MirrorState {
    /// It has no mirror yet and may get one.
    NotMirrored,
    /// It has a mirror.
    Mirrored,
    /// It gets no mirror in this call.
    SkippedThisCall,
}

/// The mirrors of a VM.
#[derive(Default)]
pub(crate) struct Mirrors {
    /// The observer id in the mirrored tree (`state::StateTree::start_tracking_writes`); 0 if no
    /// tree is mirrored.
    pub(crate) observer_id: Cell<u64>,
    /// The call number of the proxies of the mirrored tree, the same in every call.
    pub(crate) proxy_call_number: Cell<u64>,
    /// Whether the current call uses the mirrored tree.
    pub(crate) is_active: Cell<bool>,
    /// Whether the next call plays a run.
    pub(crate) is_next_call_play: Cell<bool>,
    /// Whether a script may have stored a proxy beyond its call.
    pub(crate) is_switched_off: Cell<bool>,
    /// By `mirror_index`.
    pub(crate) mirror_states: RefCell<Vec<MirrorState>>,
    /// The tables that get no mirror in this call.
    pub(crate) skipped_tables: RefCell<Vec<usize>>,
    pub(crate) written_cells: RefCell<Vec<u32>>,
    pub(crate) mirror_count: Cell<usize>,
    pub(crate) mirror_bytes: Cell<usize>,
    /// Bytes of mirrors that do not fill a KiB yet; the memory limit grows in KiB.
    pub(crate) bytes_below_one_kib: Cell<usize>,
    /// The proxy of the whole state.
    pub(crate) root_proxy: OnceCell<AnyUserData>,
}

/// The index of a table in `mirror_states` and in the table of proxies. Index 0 is the whole state.
pub(crate) fn mirror_index(world: &WorldState, cell: u32) -> usize {
    if cell == world.game_table().cell_index() { 0 } else { cell as usize + 1 }
}

impl Mirrors {
    /// Tells that the next call plays a run, so mirrors of its state pay off.
    pub(crate) fn expect_play_call(&self) {
        self.is_next_call_play.set(true);
    }

    /// Disables mirrors, because a script may store a proxy. All proxies are stale after this call.
    pub(crate) fn switch_off(&self) {
        self.is_switched_off.set(true);
    }

    /// The index of a table in the table of proxies. Tables of other trees have negative indices.
    #[inline]
    pub(crate) fn proxy_index(&self, node: TableHandle) -> StackIndex {
        // Cells are numbered from 0, Lua lists from 1.
        let at =
            StackIndex::try_from(node.cell_index()).expect("memory runs out before cells do") + 1;
        if self.is_active.get() { at } else { -at }
    }

    /// The proxy of the whole state, created on first use.
    pub(crate) fn root_proxy(
        &self,
        make: impl FnOnce() -> mlua::Result<AnyUserData>,
    ) -> mlua::Result<AnyUserData> {
        if self.root_proxy.get().is_none() {
            assert!(self.root_proxy.set(make()?).is_ok(), "nobody made one meanwhile");
        }
        Ok(self.root_proxy.get().expect("it was made above").clone())
    }

    pub(crate) fn has_mirror_state(&self, place: usize, what: MirrorState) -> bool {
        self.mirror_states.borrow().get(place).copied().unwrap_or(MirrorState::NotMirrored) == what
    }

    pub(crate) fn set_mirror_state(&self, place: usize, what: MirrorState) {
        let mut known = self.mirror_states.borrow_mut();
        if known.len() <= place {
            known.resize(place + 1, MirrorState::NotMirrored);
        }
        known[place] = what;
        if what == MirrorState::SkippedThisCall {
            self.skipped_tables.borrow_mut().push(place);
        }
    }

    /// Forgets all mirrors and returns their indices.
    pub(crate) fn clear_all_mirrors(&self) -> Vec<usize> {
        self.observer_id.set(0);
        self.mirror_count.set(0);
        self.skipped_tables.borrow_mut().clear();
        let known = self.mirror_states.take();
        (0..)
            .zip(known)
            .filter(|(_, one)| *one == MirrorState::Mirrored)
            .map(|(at, _)| at)
            .collect()
    }
}

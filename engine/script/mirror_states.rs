//! Which tables of the state have a mirror (`mirror`), and what is kept of all of them.

use std::cell::{Cell, OnceCell, RefCell};

use mlua::AnyUserData;

use luau::StackIndex;
use protocol::WorldState;
use state::TableHandle;

/// What is known of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MirrorState {
    /// It has no mirror, and may get one.
    NotMirrored,
    /// It has one.
    Mirrored,
    /// It gets none in this call.
    SkippedThisCall,
}

/// All mirrors of a VM.
#[derive(Default)]
pub(crate) struct Mirrors {
    /// As whom the tree is watched that is mirrored; 0 for nobody.
    pub(super) observer_id: Cell<u64>,
    /// The number that its proxies carry, in whichever call.
    pub(super) proxy_call_number: Cell<u64>,
    /// Whether the call that goes on is about that tree.
    pub(super) is_active: Cell<bool>,
    /// Whether the call that comes next is one in which a run is played.
    pub(super) is_next_call_play: Cell<bool>,
    /// Whether a proxy may have been kept past its call.
    pub(super) is_switched_off: Cell<bool>,
    /// By places (`mirror_index`).
    pub(super) mirror_states: RefCell<Vec<MirrorState>>,
    /// Those that were passed over in this call.
    pub(super) skipped_tables: RefCell<Vec<usize>>,
    pub(super) written_cells: RefCell<Vec<u32>>,
    pub(super) mirror_count: Cell<usize>,
    pub(super) mirror_bytes: Cell<usize>,
    /// Bytes that have not become a KiB.
    pub(super) bytes_below_one_kib: Cell<usize>,
    /// The proxy of the whole state.
    pub(super) root_proxy: OnceCell<AnyUserData>,
}

/// Where a table's mirror is known, and its proxy kept; the whole state comes first.
pub(super) fn mirror_index(world: &WorldState, cell: u32) -> usize {
    if cell == world.game_table().cell_index() { 0 } else { cell as usize + 1 }
}

impl Mirrors {
    /// The next call is about a run that is played: its state is worth a mirror.
    pub(crate) fn expect_play_call(&self) {
        self.is_next_call_play.set(true);
    }

    /// A proxy may be kept from here on: all are stale after this call.
    pub(crate) fn switch_off(&self) {
        self.is_switched_off.set(true);
    }

    /// Where the proxy of a table is kept: apart for trees that come and go.
    #[inline]
    pub(super) fn proxy_index(&self, node: TableHandle) -> StackIndex {
        // Cells are counted from 0, lists of Lua from 1.
        let at =
            StackIndex::try_from(node.cell_index()).expect("memory runs out before cells do") + 1;
        if self.is_active.get() { at } else { -at }
    }

    /// The proxy of the whole state, made if there is none yet.
    pub(super) fn root_proxy(
        &self,
        make: impl FnOnce() -> mlua::Result<AnyUserData>,
    ) -> mlua::Result<AnyUserData> {
        if self.root_proxy.get().is_none() {
            assert!(self.root_proxy.set(make()?).is_ok(), "nobody made one meanwhile");
        }
        Ok(self.root_proxy.get().expect("it was made above").clone())
    }

    pub(super) fn has_mirror_state(&self, place: usize, what: MirrorState) -> bool {
        self.mirror_states.borrow().get(place).copied().unwrap_or(MirrorState::NotMirrored) == what
    }

    pub(super) fn set_mirror_state(&self, place: usize, what: MirrorState) {
        let mut known = self.mirror_states.borrow_mut();
        if known.len() <= place {
            known.resize(place + 1, MirrorState::NotMirrored);
        }
        known[place] = what;
        if what == MirrorState::SkippedThisCall {
            self.skipped_tables.borrow_mut().push(place);
        }
    }

    /// Forgets all; says which there were.
    pub(super) fn clear_all_mirrors(&self) -> Vec<usize> {
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

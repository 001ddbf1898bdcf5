//! Which tables of the state have a mirror (`mirror`), and what is kept of all of them.

use std::cell::{Cell, OnceCell, RefCell};

use mlua::AnyUserData;

use crate::luau::StackIndex;
use crate::protocol::World;
use crate::state::NodeId;

/// What is known of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// It has no mirror, and may get one.
    Bare,
    /// It has one.
    Mirrored,
    /// It gets none in this call.
    Passed,
}

/// All mirrors of a VM.
#[derive(Default)]
pub(crate) struct Mirrors {
    /// As whom the tree is watched that is mirrored; 0 for nobody.
    pub(super) watcher: Cell<u64>,
    /// The number that its proxies carry, in whichever call.
    pub(super) era: Cell<u64>,
    /// Whether the call that goes on is about that tree.
    pub(super) on: Cell<bool>,
    /// Whether the call that comes next is one in which a run is played.
    pub(super) plays: Cell<bool>,
    /// Whether a proxy may have been kept past its call.
    pub(super) never: Cell<bool>,
    /// By places (`place_of`).
    pub(super) known: RefCell<Vec<Known>>,
    /// Those that were passed over in this call.
    pub(super) passed: RefCell<Vec<usize>>,
    pub(super) touched: RefCell<Vec<u32>>,
    pub(super) count: Cell<usize>,
    pub(super) bytes: Cell<usize>,
    /// Bytes that have not become a KiB.
    pub(super) rest: Cell<usize>,
    /// The proxy of the whole state.
    pub(super) root: OnceCell<AnyUserData>,
}

/// Where a table's mirror is known, and its proxy kept; the whole state comes first.
pub(super) fn place_of(world: &World, cell: u32) -> usize {
    if cell == world.game_table().cell() { 0 } else { cell as usize + 1 }
}

impl Mirrors {
    /// The next call is about a run that is played: its state is worth a mirror.
    pub(crate) fn plays(&self) {
        self.plays.set(true);
    }

    /// A proxy may be kept from here on: all are stale after this call.
    pub(crate) fn are_over(&self) {
        self.never.set(true);
    }

    /// Where the proxy of a table is kept: apart for trees that come and go.
    #[inline]
    pub(super) fn kept_at(&self, node: NodeId) -> StackIndex {
        // Cells are counted from 0, lists of Lua from 1.
        let at = StackIndex::try_from(node.cell()).expect("memory runs out before cells do") + 1;
        if self.on.get() { at } else { -at }
    }

    /// The proxy of the whole state, made if there is none yet.
    pub(super) fn root(
        &self,
        make: impl FnOnce() -> mlua::Result<AnyUserData>,
    ) -> mlua::Result<AnyUserData> {
        if self.root.get().is_none() {
            assert!(self.root.set(make()?).is_ok(), "nobody made one meanwhile");
        }
        Ok(self.root.get().expect("it was made above").clone())
    }

    pub(super) fn is(&self, place: usize, what: Known) -> bool {
        self.known.borrow().get(place).copied().unwrap_or(Known::Bare) == what
    }

    pub(super) fn note(&self, place: usize, what: Known) {
        let mut known = self.known.borrow_mut();
        if known.len() <= place {
            known.resize(place + 1, Known::Bare);
        }
        known[place] = what;
        if what == Known::Passed {
            self.passed.borrow_mut().push(place);
        }
    }

    /// Forgets all; says which there were.
    pub(super) fn forget(&self) -> Vec<usize> {
        self.watcher.set(0);
        self.count.set(0);
        self.passed.borrow_mut().clear();
        let known = self.known.take();
        (0..).zip(known).filter(|(_, one)| *one == Known::Mirrored).map(|(at, _)| at).collect()
    }
}

//! The short way to a leaf of the state: read or written where nothing is in the way. Whatever is
//! unusual is left to `proxy`, which does the same in full and tells what is wrong. Knows no Lua.

use super::host::{Host, Permit, Phase};
use super::proxy::Proxy;
use crate::kit::{Value, limits};
use crate::state::{NodeId, Slot};

/// A key as a script gives it.
#[derive(Clone, Copy)]
pub(super) enum Field<'k> {
    /// A text.
    Name(&'k str),
    /// A number.
    Place(f64),
}

/// What was read.
pub(super) enum Seen {
    /// Nothing stands there.
    Nothing,
    /// True or false.
    Truth(bool),
    /// A number.
    Number(f64),
    /// A text: where its bytes lie, and how many. They lie there until the world is written to.
    Text(*const u8, usize),
    /// A table.
    Table(NodeId),
}

/// What is written.
pub(super) enum Leaf<'v> {
    /// Nothing: what stands there is taken away.
    Nothing,
    /// True or false.
    Truth(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(&'v str),
}

/// What stands under a key; `None` if that cannot be said without a closer look.
#[inline]
pub(super) fn read(host: &Host, proxy: Proxy, key: Field<'_>) -> Option<Seen> {
    let world = host.world.try_borrow().ok()?;
    let node = node(host, proxy, || world.game())?;
    let slot = match key {
        Field::Name(name) => world.state.look_text(node, name).ok()?,
        Field::Place(at) => world.state.look_index(node, place(at)?).ok()?,
    };
    Some(match slot {
        Slot::Nil => Seen::Nothing,
        Slot::Bool(truth) => Seen::Truth(*truth),
        Slot::Int(int) => Seen::Number(*int as f64),
        Slot::Num(number) => Seen::Number(*number),
        Slot::Text(text) => Seen::Text(text.as_ptr(), text.len()),
        Slot::Node(node) => Seen::Table(*node),
    })
}

/// Writes a leaf. False if that needs a closer look; then nothing was written.
#[inline]
pub(super) fn write(host: &Host, proxy: Proxy, key: Field<'_>, leaf: Leaf<'_>) -> bool {
    write_or_leave(host, proxy, key, leaf).is_some()
}

fn write_or_leave(host: &Host, proxy: Proxy, key: Field<'_>, leaf: Leaf<'_>) -> Option<()> {
    if host.permit.get() != Permit::Act {
        return None;
    }
    let value = match leaf {
        Leaf::Nothing => None,
        Leaf::Truth(truth) => Some(Value::Bool(truth)),
        Leaf::Number(number) => Some(Value::number(number)?),
        Leaf::Text(text) if text.len() > limits::TEXT_BYTES => return None,
        Leaf::Text(text) => Some(Value::text(text)),
    };
    let mut world = host.world.try_borrow_mut().ok()?;
    let game = world.game();
    let node = node(host, proxy, || game)?;
    let state = &mut world.state;
    match key {
        Field::Name(name) => state.set_text(node, name, value).ok(),
        Field::Place(at) => state.set_index(node, place(at)?, value).ok(),
    }
}

fn node(host: &Host, proxy: Proxy, game: impl FnOnce() -> NodeId) -> Option<NodeId> {
    match proxy.node {
        None => (host.phase.get() == Phase::Playing).then(game),
        Some(node) => (proxy.turn == host.turn.number()).then_some(node),
    }
}

/// The place in a list that a number names.
fn place(at: f64) -> Option<u32> {
    let whole = at as u32;
    (f64::from(whole) == at && whole > 0).then_some(whole)
}

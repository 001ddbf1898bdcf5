//! Functions that scripts call, one file per topic. Each topic has one function, `register`, which
//! registers its names with everything about them (`script::host_fn`).

mod agenda;
mod chance;
mod datum;
mod definition;
mod dice;
mod edit;
mod events;
mod export;
mod field;
mod held;
mod hook;
mod judge;
mod kind;
pub(super) mod list;
mod moment;
mod moments;
mod odds;
mod require;
pub(super) mod rules;
pub(super) mod scenes;
mod shape;
pub(super) mod state;
mod tell;

pub(super) use held::held_work;
pub use judge::BELOW;
pub use require::required_file;

use mlua::Table;

use super::phase::When;
use super::row::{Api, Pushed, Row, Text, row};
use crate::kit::fault::planted;
use crate::luau::Fault;

/// Registers everything that scripts can call.
pub(crate) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    // While loading.
    kind::declare(api)?;
    field::declare(api)?;
    edit::declare(api)?;
    moment::declare(api)?;
    shape::declare(api)?;
    hook::declare(api)?;
    export::declare(api)?;
    require::declare(api)?;
    // A table for each mod, created when the mod begins to load.
    api.tell(Row {
        name: "settings",
        when: When::Always,
        takes: None,
        gives: "{ [string]: any }",
        doc: "The player's settings for this mod; `mod.toml` declares them.",
    });
    // In play.
    state::declare(api)?;
    definition::declare(api)?;
    rules::declare(api)?;
    dice::declare(api)?;
    chance::declare(api)?;
    moments::declare(api)?;
    tell::declare(api)?;
    scenes::declare(api)?;
    if planted("a_function_asks_for_nothing") {
        unpaid(api)?;
    }
    agenda::declare(api)
}

/// A function that charges nothing itself, for the test that its cost is charged anyway.
fn unpaid(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Looking "unpaid"(text: Text, list: Table) -> "string", "Only for tests.",
        |call| {
            drop(list);
            let mut next = call.stack.next(2, 0);
            while next >= 0 {
                call.stack.set_top(2);
                next = call.stack.next(2, next);
            }
            call.stack.set_top(2);
            call.stack.push_text(text);
            Ok::<_, Fault>(Pushed(1))
        }
    )
}

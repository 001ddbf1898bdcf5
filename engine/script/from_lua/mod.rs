//! What scripts call, one file per topic. A topic has one function, `declare`, which puts its rows:
//! each name that scripts see, with all that is said and done about it (`script::row`).

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

use super::phase::When;
use super::row::{Api, Row};

/// Puts everything that scripts can call into the base table.
pub(crate) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    // while loading
    kind::declare(api)?;
    field::declare(api)?;
    edit::declare(api)?;
    moment::declare(api)?;
    shape::declare(api)?;
    hook::declare(api)?;
    export::declare(api)?;
    require::declare(api)?;
    // A table of each mod's own, which is made when the mod begins to load.
    api.tell(Row {
        name: "settings",
        when: When::Always,
        takes: None,
        gives: "{ [string]: any }",
        doc: "What the player has set for this mod; `mod.toml` says what there is to set.",
    });
    // while playing
    state::declare(api)?;
    definition::declare(api)?;
    rules::declare(api)?;
    dice::declare(api)?;
    chance::declare(api)?;
    moments::declare(api)?;
    tell::declare(api)?;
    scenes::declare(api)?;
    agenda::declare(api)
}

//! Functions that scripts call, one file per topic. Each topic has one function, `register`, which
//! registers its names with everything about them (`script::from_lua::host_fn`).

mod agenda;
mod amend_roll_options;
mod award;
mod count_odds;
mod datum;
mod definition;
pub(crate) mod dice;
mod edit;
mod emit;
mod event_declaration;
mod event_snapshot;
mod event_trace;
mod export;
mod field;
mod hook;
pub(crate) mod host_fn;
mod judge;
mod kind;
pub(crate) mod profile;
mod random_draws;
mod require;
pub(super) mod rules;
pub(super) mod run_options;
pub(super) mod scenes;
mod schema_declaration;
pub(super) mod state;
pub(super) mod state_list;
mod story_output;
mod strict_type_checks;

pub use judge::FAILURE_OUTCOME;
pub(super) use strict_type_checks::wrap_with_schema_check;

use crate::from_lua::host_fn::{HostFn, HostFnRegistry};
use crate::host::phase::Availability;

/// Registers everything that scripts can call.
pub(crate) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    // While loading.
    kind::register(api)?;
    field::register(api)?;
    edit::register(api)?;
    event_declaration::register(api)?;
    schema_declaration::register(api)?;
    hook::register(api)?;
    export::register(api)?;
    require::register(api)?;
    // A table for each mod, created when the mod begins to load.
    api.add_documentation(HostFn {
        name: "settings",
        availability: Availability::Always,
        params: None,
        returns: "{ [string]: any }",
        doc: "The player's settings for this mod; `mod.toml` declares them.",
    });
    // In play.
    state::register(api)?;
    profile::register(api)?;
    run_options::register(api)?;
    definition::register(api)?;
    rules::register(api)?;
    dice::register(api)?;
    random_draws::register(api)?;
    emit::register(api)?;
    story_output::register(api)?;
    scenes::register(api)?;
    award::register(api)?;
    agenda::register(api)
}

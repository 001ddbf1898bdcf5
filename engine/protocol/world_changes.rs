//! What a step changed in the world, as data: read from a transaction, and applied to the world
//! before it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::stream_positions::deserialize_stream_positions;
use super::world::{WorldSavepoint, WorldState};
use base::{Code, Problem};
use dice::RandomStreams;
use state::TableChange;

/// What a step changed in the world, as its journal entry stores it. Events are not part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorldChanges {
    /// What changed in the state tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "state")]
    pub table_changes: Vec<TableChange>,
    /// The new seed, if it was replaced. All streams are then at their beginning before `dice`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "seed")]
    pub new_seed: Option<u64>,
    /// The positions of the streams that were drawn from.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "deserialize_stream_positions"
    )]
    #[serde(rename = "dice")]
    pub stream_positions: BTreeMap<String, u64>,
}

impl WorldChanges {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.table_changes.is_empty() && self.new_seed.is_none() && self.stream_positions.is_empty()
    }
}

impl WorldState {
    /// What changed since a savepoint.
    pub fn changes_since(&self, mark: &WorldSavepoint) -> WorldChanges {
        WorldChanges {
            table_changes: self.state.changes_since(&mark.state),
            new_seed: self.dice.replaced_seed_since(&mark.dice),
            stream_positions: self.dice.streams_drawn_since(&mark.dice).into_iter().collect(),
        }
    }

    /// Applies what a step changed to the world before it. After a Problem the world is in between
    /// and must be dropped.
    pub fn apply_changes(&mut self, changes: &WorldChanges) -> Result<(), Problem> {
        let misfit = |why: String| {
            let found = format!("what a step changed does not fit the state before it: {why}");
            Problem::error(Code::BadSnapshot, found)
                .expected("the changes that the program wrote after this step")
                .hint("go back to an earlier step of the journal")
        };
        self.state
            .apply_changes(&changes.table_changes)
            .map_err(|error| misfit(error.to_string()))?;
        if let Some(seed) = changes.new_seed {
            self.dice = RandomStreams::new(seed);
        }
        self.dice.set_positions(&changes.stream_positions).map_err(misfit)?;
        let is_whole = self.state.is_live_handle(self.game_table)
            && self.state.is_list(self.host_table) == Ok(false);
        if is_whole { Ok(()) } else { Err(misfit("one of its tables is missing".to_owned())) }
    }
}

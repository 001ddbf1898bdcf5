//! What a line of a journal can say. The names here are the names in the file.

use serde::{Deserialize, Serialize};

use super::run_state::RunState;
use crate::kit::{Digest, Problem, Value};
use crate::mods::{ModSet, ModSource};
use crate::play::world::{Snapshot, Written};
use crate::play::{Event, Input};

/// The format that this program writes, and the newest it reads. 2 is provisional until everything that
/// belongs to its raise has landed (`play::compat` lists it).
pub const FORMAT: u32 = 2;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// What the run was started with: always the first line, and the intent of step 0.
    Header(Box<Header>),
    /// An input that is about to be taken. On disk before anything comes of it.
    Intent {
        /// The step it begins, from 1.
        step: u64,
        /// The input.
        input: Input,
        /// The same in the words of what was asked, for the log; nothing where it only set a row.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
    },
    /// An order of the console that is about to be carried out, as an intent is.
    Console {
        /// The step it begins, from 1.
        step: u64,
        /// The order.
        order: Order,
    },
    /// The program died inside this step before and is about to try it again.
    Again {
        /// The step.
        step: u64,
    },
    /// What came of a step.
    Result {
        /// The step; 0 is the start.
        step: u64,
        /// Digest of the world after it.
        digest: Digest,
        /// What was told in it.
        events: Vec<Event>,
        /// What was written in it, by path, each with a few digits of its digest: where a replay
        /// comes to something else, they say where.
        #[serde(default, skip_serializing_if = "Written::is_empty")]
        written: Written,
    },
    /// A step that was rolled back. Replay obeys it and never runs it again.
    Refusal {
        /// The step.
        step: u64,
        /// Why.
        problem: Problem,
    },
    /// Something that sets the run apart: `practice`, `console`, `fork`. Such a run earns nothing.
    Mark {
        /// The word.
        mark: String,
    },
    /// The content was read anew.
    Reload {
        /// The mods with their new digests.
        mods: Vec<ModMark>,
        /// Digest of the world once it was carried over.
        digest: Digest,
        /// What was told of it.
        events: Vec<Event>,
    },
    /// A hook or a mod that takes no further part.
    SetAside(SetAside),
    /// The run was taken back: the next step is the one after this one.
    Back {
        /// The last step that still counts.
        to: u64,
        /// The mods in force there; none means those in force now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mods: Vec<ModMark>,
        /// What took no part there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        set_aside: Vec<SetAside>,
    },
    /// The lines that stood here were damaged. The run goes on from the checkpoint behind them.
    Restored(Box<Restored>),
    /// The run is over. What it earned is in here, so that it can be paid out at any later time.
    Ended(Ending),
    /// The profile has been paid. The profile's own list is what decides; this is a note.
    Settled {},
}

impl Entry {
    /// The step that it brings to an end.
    pub fn ends(&self) -> Option<u64> {
        match self {
            Self::Result { step, .. } => Some(*step),
            Self::Refusal { step, .. } if *step > 0 => Some(*step),
            Self::Restored(found) => Some(found.step),
            _ => None,
        }
    }

    /// The mods that it goes on with, where it says so.
    pub fn marks(&self) -> &[ModMark] {
        match self {
            Self::Reload { mods, .. } | Self::Back { mods, .. } => mods,
            Self::Restored(found) => &found.run_state.mods,
            _ => &[],
        }
    }
}

/// Where a run goes on behind damaged lines: what its checkpoint held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restored {
    /// The step after which the checkpoint was taken.
    pub step: u64,
    /// Where the run stood.
    #[serde(rename = "standing")]
    pub run_state: RunState,
    /// Digest of the world.
    pub digest: Digest,
    /// The world.
    pub snapshot: Snapshot,
}

/// What a person who writes mods orders from the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Run a line of Lua.
    Lua(String),
    /// Go to a scene.
    Goto(String),
    /// Throw other dice from here on.
    Seed(u64),
}

/// What a run was started with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The format of the file.
    pub format: u32,
    /// The version of the program.
    pub engine: String,
    /// The run's id, also the name of its folder.
    pub run_id: String,
    /// The id of the profile whose run it is.
    pub profile_id: String,
    /// The profile's name as its owner wrote it.
    pub profile_name: String,
    /// The seed of all dice.
    pub seed: u64,
    /// Whether the seed was the one that lay in the profile, not one named by the player.
    pub seed_from_profile: bool,
    /// The id of the mod that brings the ruleset.
    pub game: String,
    /// The options, complete.
    pub options: Value,
    /// The mods in load order.
    pub mods: Vec<ModMark>,
    /// The settings of the mods.
    pub settings: Value,
    /// The frozen part of the profile: what scripts read of it during this run.
    pub profile: Value,
    /// The run that this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Whether it is played for practice and earns nothing.
    #[serde(default)]
    pub practice: bool,
    /// The day whose seed it has, `2026-11-21`, if it counts as that day's run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
}

/// A mod that a run was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModMark {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Its content, kept in the store under this digest.
    pub digest: Digest,
}

impl ModMark {
    /// How a journal names these mods.
    pub fn all(mods: &ModSet) -> Vec<Self> {
        let mark = |source: &ModSource| {
            let (id, version) = (source.id().to_owned(), source.manifest.version.to_string());
            Self { id, version, digest: source.digest }
        };
        mods.mods.iter().map(mark).collect()
    }
}

/// The run that another was forked from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// Its id.
    pub run_id: String,
    /// The last step that both share.
    pub step: u64,
}

/// A hook or a mod that takes no further part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The mod.
    pub owner: String,
    /// Which of its hooks (`file:line`); the whole mod if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hook: String,
    /// Why.
    pub why: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// What the game says of it: what history and the run's page tell.
    pub outcome: Value,
    /// What it earned.
    pub award: Value,
    /// Whether the player gave it up.
    pub abandoned: bool,
    /// The whole ids of the achievements that it earned. Older journals have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub achieved: Vec<String>,
    /// The day on which it ended, `2026-11-21`; empty where that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub day: String,
}

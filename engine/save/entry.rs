//! The entries of a journal. The names here are the names in the file.

use serde::{Deserialize, Serialize};

use super::profile_quota::select_history_facts;
use super::run_state::RunState;
use base::{Digest, Problem, Value};
use mods::{ModSet, ModSource};
use protocol::world::WorldSnapshot;
use protocol::{Input, Odds, RecordedEvent, WorldChanges};

/// The format that this program writes and reads. From 1.0 on, each is read for ever.
pub const JOURNAL_FORMAT: u32 = 1;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalEntry {
    /// The parameters of the run: always the first line, and the intent of step 0.
    Header(Box<RunHeader>),
    /// An input that is about to run as a step. It is on disk before the step runs.
    Intent {
        /// The number of the step, from 1.
        step: u64,
        /// The input.
        input: Input,
        /// The input in the words of the prompt, for the log; empty if it only set a form row.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        answer_text: String,
        /// The odds that were shown with the choice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        odds: Option<Box<Odds>>,
    },
    /// A console command that is about to run as a step.
    Console {
        /// The number of the step, from 1.
        step: u64,
        /// The command.
        command: ConsoleCommand,
    },
    /// The program died in this step before and is about to retry it.
    #[serde(rename = "again")]
    Retry {
        /// The step.
        step: u64,
    },
    /// The result of a step.
    Result {
        /// The step; 0 is the start.
        step: u64,
        /// The events of the step.
        events: Vec<RecordedEvent>,
        /// What the step changed: a run is resumed by applying it.
        #[serde(default, skip_serializing_if = "WorldChanges::is_empty")]
        changes: WorldChanges,
    },
    /// A step that was rolled back. A replay skips it and never runs it again.
    Refusal {
        /// The step.
        step: u64,
        /// Why.
        problem: Problem,
    },
    /// Why the run earns no award: `practice`, `console`, `fork`.
    #[serde(rename = "mark")]
    NoAwardReason {
        /// The reason.
        reason: String,
    },
    /// The content was reloaded.
    Reload {
        /// The mods with their new digests.
        mods: Vec<ModVersion>,
        /// The events of the reload.
        events: Vec<RecordedEvent>,
        /// What the migration changed.
        #[serde(default, skip_serializing_if = "WorldChanges::is_empty")]
        changes: WorldChanges,
    },
    /// A disabled hook or mod.
    #[serde(rename = "set_aside")]
    Disabled(DisabledEntry),
    /// Steps were undone: the next step is the one after this one.
    #[serde(rename = "back")]
    Undo {
        /// The last step that still counts.
        #[serde(rename = "to")]
        to_step: u64,
        /// The active mods there; empty means the current ones.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mods: Vec<ModVersion>,
        /// The disabled hooks and mods there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        disabled: Vec<DisabledEntry>,
    },
    /// Damaged lines were here. The run continues from the checkpoint after them.
    #[serde(rename = "restored")]
    RestoredFromCheckpoint(Box<RestoredCheckpoint>),
    /// The run is over. The entry has its award, so that it can be paid at any later time.
    Ended(RunEnding),
    /// The profile was paid. This is only a note: the profile's own list decides.
    #[serde(rename = "settled")]
    Paid {},
}

impl JournalEntry {
    /// The step that this entry completes.
    pub fn completed_step(&self) -> Option<u64> {
        match self {
            Self::Result { step, .. } => Some(*step),
            Self::Refusal { step, .. } if *step > 0 => Some(*step),
            Self::RestoredFromCheckpoint(found) => Some(found.step),
            _ => None,
        }
    }

    /// The active mods after this entry, if it changes them.
    pub fn mod_versions(&self) -> &[ModVersion] {
        match self {
            Self::Reload { mods, .. } | Self::Undo { mods, .. } => mods,
            Self::RestoredFromCheckpoint(found) => &found.run_state.mods,
            _ => &[],
        }
    }
}

/// Where a run continues after damaged lines: the content of its checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestoredCheckpoint {
    /// The step after which the checkpoint was taken.
    pub step: u64,
    /// The run state.
    #[serde(rename = "standing")]
    pub run_state: RunState,
    /// The digest of the world.
    pub digest: Digest,
    /// The world.
    pub snapshot: WorldSnapshot,
}

/// A command that a mod author enters in the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleCommand {
    /// Run a line of Lua.
    Lua(String),
    /// Run a line of Lua in the scope of a mod: with the names that this mod sees.
    LuaInMod {
        /// The id of the mod.
        mod_id: String,
        /// The line.
        line: String,
    },
    /// Go to a scene.
    Goto(String),
    /// Replace the seed of the dice.
    Seed(u64),
}

/// The parameters of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The format of the file.
    pub format: u32,
    /// The engine version.
    #[serde(rename = "engine")]
    pub engine_version: String,
    /// The run's id, also the name of its folder.
    pub run_id: String,
    /// The id of the profile that the run belongs to.
    pub profile_id: String,
    /// The name of the profile as its owner wrote it.
    pub profile_name: String,
    /// The seed of all dice.
    pub seed: u64,
    /// Whether the seed came from the profile. False if the player named it.
    #[serde(rename = "seed_from_profile")]
    pub is_seed_from_profile: bool,
    /// The id of the game.
    pub game: String,
    /// The complete options.
    pub options: Value,
    /// The mods in load order.
    pub mods: Vec<ModVersion>,
    /// The settings of the mods.
    pub settings: Value,
    /// The frozen part of the profile, which scripts read during this run.
    pub profile: Value,
    /// The run that this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "parent")]
    pub forked_from: Option<ParentRun>,
    /// Whether the run is practice and earns nothing.
    #[serde(default)]
    #[serde(rename = "practice")]
    pub is_practice: bool,
    /// The day of the daily seed, `2026-11-21`, if the run counts as the run of that day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "day")]
    pub daily_seed_date: Option<String>,
}

impl RunHeader {
    /// Whether the run is neither practice nor a fork.
    pub fn is_counted(&self) -> bool {
        !self.is_practice && self.forked_from.is_none()
    }

    /// The same for lists of runs, which hold many: without the profile, which only scripts read.
    pub(super) fn for_list(self) -> Self {
        let options = select_history_facts(&self.options);
        Self { options, profile: Value::map(), ..self }
    }
}

/// A mod of a run with its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModVersion {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The digest of its content in the content store.
    pub digest: Digest,
}

impl ModVersion {
    /// The mod versions for a journal.
    pub fn from_mod_set(mods: &ModSet) -> Vec<Self> {
        let mod_version = |source: &ModSource| {
            let (id, version) = (source.id().to_owned(), source.manifest.version.to_string());
            Self { id, version, digest: source.digest }
        };
        mods.mods.iter().map(mod_version).collect()
    }
}

/// The run that another was forked from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentRun {
    /// Its id.
    pub run_id: String,
    /// The last common step.
    pub step: u64,
}

/// A disabled hook or mod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisabledEntry {
    /// The mod.
    pub owner: String,
    /// The hook (`file:line`); empty for the whole mod.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hook: String,
    /// The reason.
    #[serde(rename = "why")]
    pub reason: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEnding {
    /// The outcome that the game returned, for history and the run's page.
    pub outcome: Value,
    /// The award.
    pub award: Value,
    /// Whether the player abandoned the run.
    #[serde(rename = "abandoned")]
    pub was_abandoned: bool,
    /// The full ids of the achievements of the run. Older journals have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "achieved")]
    pub achievement_ids: Vec<String>,
    /// The day on which the run ended, `2026-11-21`; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[serde(rename = "day")]
    pub end_date: String,
}

//! The world: state, dice and story events, changed by a step in one transaction.
//!
//! The root of the state has two tables. `game` is what scripts see as `state`. `host` belongs to
//! the engine: open scenes, pending items, awards, and the outcome of the run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agenda::PendingItemKind;
use super::award::{AwardError, check_profile_size};
use super::award_modes::AwardTarget;
use super::profile_parts::is_reserved_name;
use super::recorded_event::{EmittedEvent, RecordedEvent};
use super::stream_positions::deserialize_stream_positions;
use base::digest::Hasher;
use base::value::ValueMap;
use base::{Code, Digest, Problem, Value, limits, meter};
use dice::{RandomStreams, StreamsSavepoint};
use state::{Key, StateError, StateSavepoint, StateTree, StoredValue, TableHandle};

/// Everything that a step may change.
#[derive(Clone)]
pub struct WorldState {
    /// The state tree; the module documentation describes its two tables.
    pub state: StateTree,
    /// The dice.
    pub dice: RandomStreams,
    /// Story events since the last [`WorldState::take_story_events`].
    pub story_events: Vec<EmittedEvent>,
    /// The options of the run. They never change, and the header of the run stores them.
    run_options: Arc<Value>,
    event_bytes: usize,
    /// The number of pending items when the current item began; see `agenda`.
    pub(super) agenda_length_at_item_start: usize,
    pub(super) game_table: TableHandle,
    pub(super) host_table: TableHandle,
}

/// A point to roll back to.
#[must_use = "roll back to it or commit it"]
pub struct WorldSavepoint {
    pub(super) state: StateSavepoint,
    pub(super) dice: StreamsSavepoint,
    story_event_count: usize,
    event_bytes: usize,
}

/// A serializable world, as a checkpoint stores it, without events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorldSnapshot {
    /// The whole state tree.
    pub state: Value,
    /// The run's seed.
    pub seed: u64,
    /// The number of words taken from each random stream.
    #[serde(deserialize_with = "deserialize_stream_positions")]
    pub positions: BTreeMap<String, u64>,
}

impl WorldState {
    /// Creates an empty world.
    pub fn new(seed: u64) -> Self {
        let pairs = [("game", Value::map()), ("host", Value::map())];
        let state =
            StateTree::from_value(Value::map_of(pairs)).expect("two empty tables are plain data");
        Self::from_parts(state, RandomStreams::new(seed)).expect("both tables were just made")
    }

    /// Restores a world from a snapshot.
    pub fn restore(snapshot: WorldSnapshot) -> Result<Self, Problem> {
        let snapshot_problem = |why: String| {
            Problem::error(Code::BadSnapshot, format!("the state of the run cannot be read: {why}"))
                .expected(
                    "the tables \"game\" and \"host\", and positions of dice that a run can reach",
                )
                .hint("go back to an earlier step of the journal")
        };
        let state = StateTree::from_value(snapshot.state)
            .map_err(|error| snapshot_problem(error.to_string()))?;
        let dice =
            RandomStreams::restore(snapshot.seed, snapshot.positions).map_err(snapshot_problem)?;
        Self::from_parts(state, dice)
            .ok_or_else(|| snapshot_problem("one of its tables is missing".to_owned()))
    }

    /// The same world, in a run with these options.
    pub fn with_run_options(self, options: &Value) -> Self {
        Self { run_options: Arc::new(options.clone()), ..self }
    }

    /// The options of the run.
    pub fn run_options(&self) -> &Value {
        &self.run_options
    }

    fn from_parts(state: StateTree, dice: RandomStreams) -> Option<Self> {
        let root_table = |name| match state.get_by_text_key(state.root(), name) {
            Ok(StoredValue::Table(node)) => Some(node),
            _ => None,
        };
        let (game, host) = (root_table("game")?, root_table("host")?);
        if state.is_list(host) != Ok(false) {
            return None;
        }
        Some(Self {
            state,
            dice,
            story_events: Vec::new(),
            run_options: Arc::new(Value::map()),
            event_bytes: 0,
            agenda_length_at_item_start: 0,
            game_table: game,
            host_table: host,
        })
    }

    /// Creates a snapshot.
    pub fn snapshot(&self) -> WorldSnapshot {
        WorldSnapshot {
            state: self
                .state
                .table_to_value(self.state.root())
                .expect("the root is never taken away"),
            seed: self.dice.seed(),
            positions: self.dice.stream_positions(),
        }
    }

    /// Opens a transaction.
    pub fn open_savepoint(&mut self) -> WorldSavepoint {
        self.agenda_length_at_item_start =
            if self.has_pending_items() { self.agenda_items().len() } else { 0 };
        WorldSavepoint {
            state: self.state.open_savepoint(),
            dice: self.dice.savepoint(),
            story_event_count: self.story_events.len(),
            event_bytes: self.event_bytes,
        }
    }

    /// Rolls back to a savepoint: state, dice and story events.
    pub fn rollback_to(&mut self, mark: WorldSavepoint) {
        self.state.rollback_to(mark.state);
        self.dice.rollback_to(&mark.dice);
        self.story_events.truncate(mark.story_event_count);
        self.event_bytes = mark.event_bytes;
    }

    /// Keeps everything since a savepoint.
    pub fn commit_savepoint(&mut self, mark: WorldSavepoint) {
        self.state.commit_savepoint(mark.state);
    }

    /// Digest of the state and of the stream positions.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("world");
        hasher.feed_bytes(&self.state.digest().0).feed_bytes(&self.dice.digest().0);
        hasher.finish()
    }

    /// The top-level fields of the scripts' `state` that were written since a savepoint.
    pub fn written_state_fields(&self, mark: &WorldSavepoint) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for path in self.state.written_paths(&mark.state) {
            if let [_, Key::Text(name), ..] = path.as_slice()
                && names.last().is_none_or(|last| *last != **name)
            {
                names.push(name.to_string());
            }
        }
        names
    }

    /// The table that scripts see as `state`.
    pub fn game_table(&self) -> TableHandle {
        self.game_table
    }

    /// Emits a story event. Refused when a step emits too much.
    pub fn emit_story_event(&mut self, event: impl Into<EmittedEvent>) -> Result<(), String> {
        let event = event.into();
        if self.story_events.is_empty() {
            self.event_bytes = 0;
        }
        if self.story_events.len() >= limits::MAX_STORY_EVENTS_PER_STEP {
            return Err(format!(
                "more than {} story events in one step",
                limits::MAX_STORY_EVENTS_PER_STEP
            ));
        }
        let filled_bytes = event.filled_text.as_ref().map_or(0, String::len);
        let bytes = self.event_bytes + event.recorded.text_bytes().max(filled_bytes);
        if bytes > limits::MAX_STORY_BYTES_PER_STEP {
            let most = limits::MAX_STORY_BYTES_PER_STEP;
            return Err(format!("more than {most} bytes of story text in one step"));
        }
        self.event_bytes = bytes;
        self.story_events.push(event);
        Ok(())
    }

    /// The story events as a journal keeps them.
    pub fn recorded_events(&self) -> Vec<RecordedEvent> {
        self.story_events.iter().map(|event| event.recorded.clone()).collect()
    }

    /// Removes and returns the story events.
    pub fn take_story_events(&mut self) -> Vec<EmittedEvent> {
        self.event_bytes = 0;
        std::mem::take(&mut self.story_events)
    }

    /// The current scene, `mod:name`: that of the next pending question, or else the topmost open
    /// scene; `None` before the first.
    pub fn scene(&self) -> Option<String> {
        match self.next_agenda_item() {
            Some(item) if item.item_kind == PendingItemKind::Question => {
                Some((*item.id).to_owned())
            }
            _ => self.open_scenes_from_top().next().map(str::to_owned),
        }
    }

    /// All open scenes, the topmost last. Pending questions are not included.
    pub fn open_scenes(&self) -> Vec<String> {
        let mut scenes: Vec<String> = self.open_scenes_from_top().map(str::to_owned).collect();
        scenes.reverse();
        scenes
    }

    /// The open scenes from the topmost down, borrowed.
    pub fn open_scenes_from_top(&self) -> impl Iterator<Item = &str> {
        let list = match self.state.get_ref_by_text_key(self.host_table, "scenes") {
            Ok(StoredValue::Table(list)) => Some(*list),
            _ => None,
        };
        let length = list.and_then(|list| self.state.list_length(list).ok()).unwrap_or(0);
        let indices = (1..=u32::try_from(length).unwrap_or(u32::MAX)).rev();
        list.into_iter().flat_map(move |list| {
            indices.clone().filter_map(move |place| {
                match self.state.get_ref_by_index(list, place) {
                    Ok(StoredValue::Text(id)) => Some(&**id),
                    _ => None,
                }
            })
        })
    }

    /// Replaces the topmost scene by another, or opens the first.
    pub fn replace_top_scene(&mut self, scene: &str) -> Result<(), String> {
        let mut scenes = self.open_scenes();
        scenes.pop();
        scenes.push(scene.to_owned());
        self.set_open_scenes(scenes)
    }

    /// Opens a scene on top of the topmost.
    pub fn push_scene(&mut self, scene: &str) -> Result<(), String> {
        let mut scenes = self.open_scenes();
        if scenes.len() >= limits::MAX_OPEN_SCENES {
            return Err(format!(
                "more than {} scenes on top of each other",
                limits::MAX_OPEN_SCENES
            ));
        }
        scenes.push(scene.to_owned());
        self.set_open_scenes(scenes)
    }

    /// Closes the topmost scene. The last scene cannot be closed.
    pub fn pop_scene(&mut self) -> Result<(), String> {
        let mut scenes = self.open_scenes();
        if scenes.len() < 2 {
            return Err("there is no scene below this one to go back to".to_owned());
        }
        scenes.pop();
        self.set_open_scenes(scenes)
    }

    /// The outcome of the run; `None` while it is not over.
    pub fn run_outcome(&self) -> Option<Value> {
        self.host_value("finished")
    }

    /// Ends the run. Its outcome must fit into the state.
    pub fn record_outcome(&mut self, outcome: Value) -> Result<(), StateError> {
        self.state.set_by_text_key(self.host_table, "finished", Some(outcome))
    }

    /// Records an award to the profile; `award` and `award_modes` define how awards are paid.
    pub fn add_award(
        &mut self,
        target: AwardTarget<'_>,
        award: &ValueMap,
    ) -> Result<(), AwardError> {
        let too_large = |found| AwardError::too_large(format!("the award of this run {found}"));
        check_profile_size(award).map_err(too_large)?;
        if let Some(name) = award.keys().find(|name| is_reserved_name(name)) {
            return Err(AwardError::reserved_name(name));
        }
        let so_far = self.award_so_far();
        if let Some(why) = target.find_mode_conflict(&so_far, award) {
            return Err(AwardError::mixed_modes(why));
        }
        let paid = target.part_of_award(&so_far);
        if let Some(why) = target.find_type_conflict(&paid, award) {
            return Err(AwardError::wrong_type(why));
        }
        let mut awarded = match so_far {
            Value::Map(awarded) => awarded,
            _ => ValueMap::new(),
        };
        target.add_to(&mut awarded, award).map_err(AwardError::too_large)?;
        check_profile_size(&awarded).map_err(too_large)?;
        self.set_host_value("award", Some(Value::Map(awarded))).map_err(AwardError::too_large)
    }

    /// The awards of the run so far.
    pub fn award_so_far(&self) -> Value {
        self.host_value("award").unwrap_or_else(Value::map)
    }

    pub(super) fn host_value(&self, name: &str) -> Option<Value> {
        let slot =
            self.state.get_by_text_key(self.host_table, name).expect("the host's table stays");
        let value = self
            .state
            .stored_to_plain_value(&slot)
            .expect("a slot that was just read is in the tree");
        value.inspect(|value| meter::charge_units(value.copy_fuel_cost()))
    }

    /// A value in the host's table, borrowed.
    pub(super) fn host_value_ref(&self, name: &str) -> Option<&StoredValue> {
        self.state.get_ref_by_text_key(self.host_table, name).ok()
    }

    /// Whether the host's table has that value.
    pub(super) fn has_host_value(&self, name: &str) -> bool {
        self.host_value_ref(name).is_some_and(|slot| !matches!(slot, StoredValue::Nil))
    }

    /// Sets a value in the host's table.
    pub(super) fn set_host_value(
        &mut self,
        name: &str,
        value: Option<Value>,
    ) -> Result<(), String> {
        meter::charge_units(value.as_ref().map_or(1, Value::copy_fuel_cost));
        let set = self.state.set_by_text_key(self.host_table, name, value);
        set.map_err(|error| error.to_string())
    }

    /// Replaces all open scenes. Even a few ids may exceed the limits of the state.
    pub fn set_open_scenes(&mut self, scenes: Vec<String>) -> Result<(), String> {
        let scenes = Value::List(scenes.into_iter().map(Value::from).collect());
        self.set_host_value("scenes", Some(scenes))
    }
}

/// An empty world as a placeholder while the real one is lent out. It cannot be played.
impl Default for WorldState {
    fn default() -> Self {
        let state = StateTree::new();
        let root = state.root();
        let dice = RandomStreams::default();
        Self {
            state,
            dice,
            story_events: Vec::new(),
            run_options: Arc::new(Value::map()),
            event_bytes: 0,
            agenda_length_at_item_start: 0,
            game_table: root,
            host_table: root,
        }
    }
}

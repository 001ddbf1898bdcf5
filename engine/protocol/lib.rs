//! The protocol between game and player (prompts, views, story events, inputs), and the world that
//! a step changes. Plain data with a documented format: scripts produce it, frontends display it,
//! the journal records it.

pub mod agenda;
pub mod award;
mod award_modes;
pub mod choice_group;
pub mod input;
pub mod open_roll;
mod profile_parts;
pub mod prompt;
pub mod recorded_event;
pub mod removed_content;
pub mod story_event;
mod stream_positions;
pub mod view;
pub mod world;
mod world_changes;

pub use award_modes::{AwardMode, AwardTarget, award_part};
pub use choice_group::ChoiceGroup;
pub use input::{AcceptedInput, Input};
pub use profile_parts::{mod_of_table_name, mod_table_name, profile_part, replace_profile_part};
pub use prompt::{AnswerType, Choice, Odds, Prompt};
pub use recorded_event::{EmittedEvent, RecordedEvent, fill_recorded_events, show_emitted_events};
pub use story_event::{StoryEntry, StoryEvent};
pub use view::View;
pub use world::{WorldSavepoint, WorldSnapshot, WorldState};
pub use world_changes::WorldChanges;

//! Test harness: runs on an in-memory disk with a small game and mods beside it.

use base::Value;
use mods::sort_into_load_order;
use save::{DataDir, LockedProfile};
use session::{ActiveRun, RunContent, Session};

pub use crate::support::memory_runs::{
    choose, close_run as put_down_game, lock_profile_of_ada, say_and_note_texts,
};
use crate::support::{GAME_MANIFEST, manifest_needing, memory_runs, mod_from_text};

/// A game of blows with an event for them.
pub const HALL_GAME: &str = r#"
kind "word" { name = field.text, bonus = field.int { default = 0 } }
word "ash" { name = "ash", bonus = 1 }
rule "weight"(function(n) return n end)
start(function()
  state.blows = 0
  state.known = { word.ash.id }
  go "hall"
end)
scene "hall" {
  prompt = function()
    return { text = "Well?", choices = { { id = "strike", label = "Strike" }, { id = "end", label = "End" } } }
  end,
  on = {
    strike = function()
      emit("blow", { damage = rules.weight(roll("d6", "hall")) }, function(event)
        state.blows += event.damage
      end)
      say("{n} in all.", { n = state.blows })
    end,
    ["end"] = function()
      award { blows = state.blows }
      finish { outcome = "over" }
    end,
  },
}
"#;

/// A mod of this version beside the game.
pub fn mod_source(id: &str, version: &str, files: &[(&str, &str)]) -> mods::ModSource {
    mod_from_text(&manifest_needing(id, &["game"]).replace("0.1.0", version), files)
}

/// The game with mods beside it.
pub fn hall_content(hall: &str, mods: Vec<mods::ModSource>) -> RunContent {
    let mut sources = vec![mod_from_text(GAME_MANIFEST, &[("hall.luau", hall)])];
    sources.extend(mods);
    RunContent { mods: sort_into_load_order(sources).unwrap(), settings: Value::map() }
}

pub fn memory_data_dir() -> DataDir {
    memory_runs::memory_data_dir().1
}

pub fn begin_run(locked_profile: &mut LockedProfile, content: RunContent) -> ActiveRun {
    let mut active_run = memory_runs::begin_run(locked_profile, content, 7);
    active_run.session.offer_disabling();
    active_run
}

/// Closes a run and returns its id.
pub fn close_run(data_dir: &DataDir, active_run: ActiveRun) -> String {
    put_down_game(data_dir, active_run, "game")
}

/// The value of a name in the state.
pub fn state_value(session: &Session, name: &str) -> Option<Value> {
    let world = session.world();
    world.state.table_to_value(world.game_table()).unwrap().get(name).cloned()
}

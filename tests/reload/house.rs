//! Runs on a disk in memory with a small game and mods beside it.

use std::sync::Arc;

use engine::kit::Value;
use engine::mods::load_order;
use engine::play::{Event, Input};
use engine::run::{self, Content, InHand, Session, Told, Wish};
use engine::save::{DataDir, LockedProfile, MemoryDisk};

use crate::support::{GAME, mod_of, needing};

/// A game of blows with a moment on them.
pub const HALL: &str = r#"
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
pub fn beside(id: &str, version: &str, files: &[(&str, &str)]) -> engine::mods::ModSource {
    mod_of(&needing(id, &["game"]).replace("0.1.0", version), files)
}

/// The game with mods beside it.
pub fn content(hall: &str, mods: Vec<engine::mods::ModSource>) -> Content {
    let mut all = vec![mod_of(GAME, &[("hall.luau", hall)])];
    all.extend(mods);
    Content { mods: load_order(all).unwrap(), settings: Value::map() }
}

pub fn data_dir() -> DataDir {
    DataDir::on(Arc::new(MemoryDisk::new()), "data")
}

pub fn held(data_dir: &DataDir) -> LockedProfile {
    data_dir.lock_profile("Ada").unwrap().0
}

pub fn begin(held: &mut LockedProfile, content: Content) -> InHand {
    let wish = Wish { content, options: Value::map(), seed: None, practice: false };
    let mut in_hand = run::begin(held, wish, &mut || 7).unwrap();
    in_hand.session.offer_ways_out();
    in_hand
}

pub fn choose(session: &mut Session, id: &str) -> Told {
    session.take(&Input::Choice(id.to_owned())).unwrap()
}

pub fn texts(events: &[Event]) -> Vec<String> {
    let text = |event: &Event| match event {
        Event::Say { text } | Event::Note { text } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

/// Puts a run down; its id.
pub fn put_down(data_dir: &DataDir, in_hand: InHand) -> String {
    put_down_game(data_dir, in_hand, "game")
}

/// Puts a run of that game down; its id.
pub fn put_down_game(data_dir: &DataDir, in_hand: InHand, game: &str) -> String {
    drop(in_hand);
    held(data_dir).unfinished(game).unwrap().expect("the run is there")
}

/// What stands in the state under a name.
pub fn state(session: &Session, name: &str) -> Option<Value> {
    let world = session.world();
    world.state.value(world.game()).unwrap().get(name).cloned()
}

//! A small game with a neighbour mod and a slot for a hostile mod. Whatever the hostile mod does,
//! the run of the other two continues.

use std::sync::Arc;

use base::{Problem, Value};
use mods::{ModSource, sort_into_load_order};
use protocol::Input;
use save::{DataDir, LockedProfile, MemoryDisk};
use session::{RunContent, RunRequest, Session};

use crate::support::{GAME_MANIFEST, manifest_needing, mod_from_text};

const INN_SCRIPT: &str = r#"
kind "lantern" { name = field.text, lit = field.fn { optional = true }, more = field.any { optional = true } }
lantern "brass" { name = "Brass", lit = function() return 1 end }
rule "price" (function(worth) return worth * 2 end)
export("greet", function(name) say("{n} nods.", { n = name }) end)

start(function()
  state.good, state.total, state.list, state.purse = 0, 0, { 1, 2, 3 }, { n = 5 }
  go "inn"
end)

scene "inn" {
  view = "hall",
  prompt = function()
    return { text = "The inn.", choices = {
      { id = "good", label = "Sit down" }, { id = "knock", label = "Knock" }, { id = "arm", label = "Arm" },
      { id = "market", label = "Go to market" }, { id = "visit", label = "Visit" }, { id = "light", label = "Light" },
    } }
  end,
  on = {
    good = function()
      state.good += 1
      state.total += (roll("d6", "inn"))
      emit("seated", { at = state.good })
      greet "The host"
    end,
    knock = function()
      state.heard = emit("knock", { force = 3, tags = {} }).force
      say "You knocked."
    end,
    arm = function() state.armed = true end,
    market = function() go "market" end,
    visit = function() push "stranger:den" end,
    light = function()
      for _, one in ipairs(all(lantern)) do
        if one.lit then one.lit() end
      end
    end,
  },
}

scene "market" {
  prompt = function()
    return { text = "A price: " .. rules.price(3), choices = { { id = "back", label = "Back" } } }
  end,
  on = { back = function() go "inn" end },
}

view "hall" (function() return { title = "Hall", widgets = { { widget = "gauge", label = "Good", value = state.good, max = 100 } } } end)
"#;

const NEIGHBOUR_SCRIPT: &str = r#"
after("seated", function(event)
  state.neighbour = state.neighbour or { seen = 0 }
  state.neighbour.seen += 1
end)
"#;

/// A mod with one file.
fn hostile_mod(version: &str, text: &str) -> ModSource {
    let manifest = manifest_needing("stranger", &["game"]).replace("0.1.0", version);
    mod_from_text(&manifest, &[("main.luau", text)])
}

/// The inn, the neighbour, and a hostile mod with this text.
pub fn inn_content(version: &str, text: &str) -> RunContent {
    let game = mod_from_text(
        GAME_MANIFEST,
        &[("main.luau", INN_SCRIPT), ("lib/ledger.luau", "return { rate = 2 }")],
    );
    let files = [("main.luau", NEIGHBOUR_SCRIPT), ("lib/notes.luau", "return { mine = true }")];
    let neighbour = mod_from_text(&manifest_needing("neighbour", &["game"]), &files);
    let mods = sort_into_load_order(vec![game, neighbour, hostile_mod(version, text)]).unwrap();
    RunContent { mods, settings: Value::map() }
}

/// A session of the inn on an in-memory disk.
pub struct InnSession {
    pub data_dir: DataDir,
    pub session: Session,
    good_steps: i64,
    _locked_profile: LockedProfile,
}

impl InnSession {
    pub fn begin(content: &RunContent) -> Result<Self, Problem> {
        let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
        let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
        let request = RunRequest {
            content: content.clone(),
            options: Value::map(),
            seed: Some(7),
            is_practice: false,
        };
        let active_run = session::start_run(&mut locked_profile, request, &mut || 7)?;
        match active_run.step_outcome.refusal {
            Some(problem) => Err(problem),
            None => Ok(Self {
                data_dir,
                session: active_run.session,
                good_steps: 0,
                _locked_profile: locked_profile,
            }),
        }
    }

    /// Takes a choice and returns the Problem that refused it.
    pub fn choose(&mut self, id: &str) -> Option<Problem> {
        self.session.answer_prompt(&Input::Choice(id.to_owned())).unwrap().refusal
    }

    fn state_value(&self, path: &[&str]) -> Option<Value> {
        let state = self.session.world().snapshot().state;
        path.iter().try_fold(state.get("game")?, |parent, name| parent.get(name)).cloned()
    }

    /// Whether something overwrote the counter of this check.
    pub fn is_counter_overwritten(&self) -> bool {
        let neighbour_count = self.state_value(&["neighbour", "seen"]);
        self.state_value(&["good"]) != Some(Value::Int(self.good_steps))
            || !matches!(self.state_value(&["total"]), Some(Value::Int(_)))
            || neighbour_count.unwrap_or(Value::Int(0)) != Value::Int(self.good_steps)
    }

    /// A step unrelated to the hostile mod: it is accepted, and the neighbour's hook runs.
    pub fn assert_neighbour_works(&mut self, context: &str) {
        let refusal = self.choose("good");
        assert!(refusal.is_none(), "{context}: {}", refusal.unwrap());
        self.good_steps += 1;
        assert_eq!(self.state_value(&["good"]), Some(Value::Int(self.good_steps)), "{context}");
        assert_eq!(
            self.state_value(&["neighbour", "seen"]),
            Some(Value::Int(self.good_steps)),
            "{context}"
        );
    }

    /// The run is complete on disk, and replays to the same digest.
    pub fn assert_replays(self, context: &str) {
        let (steps, digest) = (self.session.step_number(), self.session.digest());
        let data_dir = self.data_dir.clone();
        drop(self);
        let replayed_steps = session::replay_and_verify(&data_dir, "ada-0001", &mut |_, _| {});
        assert_eq!(
            replayed_steps.unwrap_or_else(|problem| panic!("{context}: {problem}")),
            steps,
            "{context}"
        );
        let resumed_run = session::resume_run(&data_dir, "ada-0001", None).unwrap();
        assert_eq!(resumed_run.session.digest(), digest, "{context}");
    }
}

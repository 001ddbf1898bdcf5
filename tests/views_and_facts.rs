//! Lazy views and facts for bots: the observer pays for them, and observing does not change the
//! run.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Digest, Problem, Value};
use mods::sort_into_load_order;
use protocol::{Input, Prompt, StoryEvent, WorldState};
use save::{DataDir, MemoryDisk};
use script::{FuelByMod, Vm};
use session::{
    self, ActiveRun, Bot, ReplayPlayer, RunContent, RunParameters, RunRequest, Session,
    StepRecorder, ViewPolicy, complete_options, option_specs,
};

use crate::bundled;
use crate::support::{
    GAME_MANIFEST, game_from_files, manifest_needing, mod_from_text, problem_texts,
    take_story_events,
};

/// A house with three rooms, one of which has nothing to show, and its bots.
const HOUSE_GAME: &str = r#"
local function room(id, ways)
  scene(id) {
    prompt = function()
      local choices = {}
      for _, way in ipairs(ways) do
        table.insert(choices, { id = way, label = way, on = "walk", with = { to = way } })
      end
      return { text = id, choices = choices }
    end,
    on = { walk = function(input) state.steps += 1 state.room = input.with.to go(input.with.to) end },
  }
end
room("hall", { "cellar", "attic" })
room("cellar", { "hall" })
room("attic", { "hall" })
start(function() state.steps, state.room = 0, "hall" go "hall" end)

view "house" (function()
  return { title = "The house", widgets = {
    { widget = "stat", label = "steps", value = state.steps },
    { widget = "text", text = if state.room == "cellar" then nil else state.room },
  } }
end)

fact "steps" { doc = "how many", tell = function() return state.steps end }
fact "nowhere" { tell = function() return nil end }
fact "broken" { tell = function() error "nobody knows" end }
fact "greedy" { tell = function() state.steps = 0 end }

local function asks(seen, way)
  assert(seen.prompt.text == "hall" and seen.prompt.ask == "one" and #seen.prompt.choices == 2)
  assert(not pcall(function() seen.prompt.choices[1].id = "attic" end), "frozen")
  return way
end

bot "blind" { observes = {}, choose = function(seen)
  assert(seen.view == nil and seen.events == nil and next(seen.facts) == nil)
  return asks(seen, "cellar")
end }
bot "told" { observes = {}, facts = { "steps", "nowhere" }, choose = function(seen)
  assert(seen.facts.steps == 0 and seen.facts.nowhere == nil and seen.view == nil)
  return asks(seen, "cellar")
end }
bot "listens" { observes = { "events" }, choose = function(seen)
  assert(seen.view == nil and #seen.events == 0)
  return asks(seen, "cellar")
end }
bot "looks" { choose = function(seen)
  assert(seen.view.widgets[1].value == 0 and #seen.events == 0)
  return if seen.prompt.text == "hall" then asks(seen, "cellar") else "hall"
end }
bot "asks_the_unknown" { observes = {}, facts = { "broken" }, choose = function() return "cellar" end }
bot "asks_too_much" { observes = {}, facts = { "greedy" }, choose = function() return "cellar" end }
"#;

fn house_content() -> RunContent {
    RunContent { mods: game_from_files(&[("main.luau", HOUSE_GAME)]), settings: Value::map() }
}

fn start_session(content: &RunContent, views: ViewPolicy) -> Session {
    let vm = bundled::load_vm(content);
    let run_parameters = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let start_result =
        Session::start(content.clone(), vm, &run_parameters, StepRecorder::without_journal());
    let (mut session, step_outcome) = start_result.unwrap();
    assert!(step_outcome.refusal.is_none(), "{}", step_outcome.refusal.unwrap());
    session.set_view_policy(views);
    session
}

fn choose_way(session: &mut Session, choice: &str) -> Option<Problem> {
    session.answer_prompt(&Input::Choice(choice.to_owned())).unwrap().refusal
}

#[test]
fn a_bot_receives_the_observations_that_it_declares() {
    for bot in ["blind", "told", "listens", "looks"] {
        let mut session = start_session(&house_content(), ViewPolicy::OnRequest);
        let mut bot = Bot::new(&format!("game:{bot}"), 1);
        let input =
            bot.choose_input(&mut session, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(input, Input::Choice("cellar".to_owned()));
    }
}

#[test]
fn a_fact_that_fails_is_attributed_to_its_author() {
    let problems = ["asks_the_unknown", "asks_too_much"].map(|bot| {
        let mut session = start_session(&house_content(), ViewPolicy::OnRequest);
        let mut bot = Bot::new(&format!("game:{bot}"), 1);
        let digest_before = session.digest();
        let problem = bot.choose_input(&mut session, &[]).unwrap_err();
        assert_eq!(session.digest(), digest_before, "a fact changes nothing");
        assert!(choose_way(&mut session, "attic").is_none(), "and the run continues");
        problem
    });
    insta::assert_snapshot!(problem_texts(&problems));
}

#[test]
fn facts_of_several_mods_are_available_together() {
    let other_script = r#"
fact "steps" (function() return "few" end)
fact "room" (function() return { name = state.room } end)
bot "both" { observes = {}, facts = { "steps", "game:steps" }, choose = function() return "attic" end }
bot "each" { observes = {}, facts = { "room", "game:steps" }, choose = function(seen)
  assert(seen.facts.room.name == "hall" and seen.facts.steps == 0)
  return "attic"
end }
"#;
    let house_mod = mod_from_text(GAME_MANIFEST, &[("main.luau", HOUSE_GAME)]);
    let other_mod =
        mod_from_text(&manifest_needing("other", &["game"]), &[("other.luau", other_script)]);
    let content = RunContent {
        mods: sort_into_load_order(vec![house_mod, other_mod]).unwrap(),
        settings: Value::map(),
    };
    let mut session = start_session(&content, ViewPolicy::OnRequest);
    let input = Bot::new("other:each", 1).choose_input(&mut session, &[]).unwrap();
    assert_eq!(input, Input::Choice("attic".to_owned()));
    let problem = Bot::new("other:both", 1).choose_input(&mut session, &[]).unwrap_err();
    assert_eq!(problem.code, "ambiguous-fact-name", "{problem}");
}

#[test]
fn an_unobserved_failing_view_refuses_no_step() {
    let mut session = start_session(&house_content(), ViewPolicy::EveryStep);
    let step_problem = choose_way(&mut session, "cellar").unwrap();
    assert_eq!(step_problem.code, "missing-field", "{step_problem}");
    let mut session = start_session(&house_content(), ViewPolicy::OnRequest);
    assert!(choose_way(&mut session, "cellar").is_none());
    let problem = session.compute_view_if_needed().unwrap_err();
    assert_eq!(problem, step_problem, "a spectator gets the same Problem");
    let problem = Bot::new("game:looks", 1).choose_input(&mut session, &[]).unwrap_err();
    assert_eq!(problem, step_problem);
    assert!(choose_way(&mut session, "hall").is_none());
    assert_eq!(session.compute_view_if_needed().unwrap().title, "The house");
}

/// A run whose last step was accepted unobserved, and whose view fails there.
fn run_with_failing_view() -> DataDir {
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let run_request = RunRequest {
        content: house_content(),
        options: Value::map(),
        seed: Some(3),
        is_practice: false,
    };
    let mut session =
        session::start_run(&mut locked_profile, run_request, &mut || 3).unwrap().session;
    session.set_view_policy(ViewPolicy::OnRequest);
    assert!(choose_way(&mut session, "cellar").is_none());
    data_dir
}

#[test]
fn a_failing_view_of_an_accepted_step_is_only_reported() {
    let data_dir = run_with_failing_view();
    let ActiveRun { mut session, notes, step_outcome, .. } =
        session::resume_run(&data_dir, "ada-0001", Some(&house_content())).unwrap();
    let codes: Vec<&str> = notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(codes, ["missing-field"], "reported once:\n{}", problem_texts(&notes));
    assert!(step_outcome.refusal.is_none());
    assert_eq!((session.step_number(), &*session.prompt().text), (1, "cellar"));
    assert!(choose_way(&mut session, "hall").is_none(), "and there is a way on");
    let step_problem =
        choose_way(&mut session, "cellar").expect("the player is not shown the broken view");
    assert_eq!(step_problem.code, "missing-field");
    drop(session);
    assert_eq!(session::replay_and_verify(&data_dir, "ada-0001", &mut |_, _| {}).unwrap(), 3);
    assert_eq!(
        session::verify_run_with_content(&data_dir, "ada-0001", &house_content()).unwrap(),
        3
    );
}

#[test]
fn a_spectator_of_a_failing_view_gets_the_problem() {
    let data_dir = run_with_failing_view();
    let mut replay = ReplayPlayer::open(&data_dir, "ada-0001").unwrap();
    assert!(replay.advance_step().unwrap().is_some());
    assert_eq!(replay.session().unwrap().view().title, "The house");
    assert!(replay.take_view_problem().is_none());
    assert!(replay.advance_step().unwrap().is_some());
    assert_eq!(replay.session().unwrap().prompt().text, "cellar");
    assert_eq!(replay.take_view_problem().unwrap().code, "missing-field");
    assert_eq!(replay.current_step_number(), 1);
    replay.jump_to_step(0).unwrap();
    assert_eq!(replay.session().unwrap().view().title, "The house");
    assert!(replay.take_view_problem().is_none());
    replay.jump_to_step(1).unwrap();
    replay.session().unwrap();
    assert_eq!(replay.take_view_problem().unwrap().code, "missing-field");
}

#[test]
fn no_view_is_built_without_a_prompt() {
    let game_script = r#"
start(function() error "no way in" end)
scene "only" { prompt = function() return { text = "?", choices = {} } end, on = {} }
view "it" (function() return { title = state.title.name, widgets = {} } end)
"#;
    let content =
        RunContent { mods: game_from_files(&[("main.luau", game_script)]), settings: Value::map() };
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let run_request =
        RunRequest { content, options: Value::map(), seed: Some(3), is_practice: false };
    let active_run = session::start_run(&mut locked_profile, run_request, &mut || 3).unwrap();
    assert!(active_run.step_outcome.refusal.is_some());
    drop(active_run);
    let resumed_run = session::resume_run(&data_dir, "ada-0001", None).unwrap();
    assert!(resumed_run.step_outcome.refusal.is_some(), "the start fails again");
    assert!(
        resumed_run.notes.is_empty(),
        "and that is all there is to say:\n{}",
        problem_texts(&resumed_run.notes)
    );
}

/// A run without a session, to measure the cost of each call.
struct RunWithoutSession {
    vm: Vm,
    world: WorldState,
}

impl RunWithoutSession {
    fn start(content: &RunContent, seed: u64) -> Self {
        let (vm, mut world) = (bundled::load_vm(content), WorldState::new(seed));
        let options = complete_options(&option_specs(vm.registry()), &BTreeMap::new()).unwrap();
        vm.start_run(&mut world, &Value::map(), &options).unwrap();
        world.take_story_events();
        Self { vm, world }
    }

    /// The prompt and its cost.
    fn prompt_and_cost(&mut self) -> (Prompt, FuelByMod) {
        (self.vm.compute_prompt(&mut self.world, &Value::map()).unwrap(), self.vm.fuel_by_mod())
    }

    /// The output, the cost of the step, and the digest after it.
    fn step_and_cost(
        &mut self,
        prompt: &Prompt,
        input: &Input,
    ) -> (Vec<StoryEvent>, FuelByMod, Digest) {
        let input = prompt.accept(input.clone()).unwrap();
        self.vm.handle_answer(&mut self.world, &Value::map(), prompt, &input).unwrap();
        (take_story_events(&mut self.world, &self.vm), self.vm.fuel_by_mod(), self.world.digest())
    }
}

/// One run by a bot, and the same run twice in parallel: once unobserved, once with the view and
/// the prompt read at every step. The results and costs of all steps are equal.
fn compare_observed_and_unobserved(game: &str, bot_id: &str, seed: u64) {
    let content = bundled::game_content(game, &[]);
    let (mut session, _) = bundled::start_session(&content, seed, &[], Value::map());
    session.set_view_policy(ViewPolicy::OnRequest);
    let (mut unobserved, mut observed) =
        (RunWithoutSession::start(&content, seed), RunWithoutSession::start(&content, seed));
    let (mut bot, mut last_events, mut steps) = (Bot::new(bot_id, seed), Vec::new(), 0);
    while session.run_outcome().is_none() && steps < 120 {
        let prompt_and_cost = unobserved.prompt_and_cost();
        assert_eq!(prompt_and_cost, observed.prompt_and_cost(), "{game}, step {steps}");
        assert_eq!(&prompt_and_cost.0, session.prompt());
        observed.vm.compute_view(&mut observed.world, &Value::map()).unwrap();
        let facts = observed.vm.compute_facts(bot_id, &mut observed.world, &Value::map()).unwrap();
        assert!(!facts.is_empty() || steps < 20, "it reports something");
        let input = bot.choose_input(&mut session, &last_events).unwrap();
        let step_result = unobserved.step_and_cost(&prompt_and_cost.0, &input);
        assert_eq!(
            step_result,
            observed.step_and_cost(&prompt_and_cost.0, &input),
            "{game}, step {steps}"
        );
        last_events = session.answer_prompt(&input).unwrap().events;
        assert_eq!((&last_events, session.digest()), (&step_result.0, step_result.2));
        steps += 1;
    }
    assert!(steps > 20, "{steps} steps of {game} are too few to mean anything");
}

#[test]
fn building_views_does_not_change_the_run() {
    compare_observed_and_unobserved("sub_rosa", "sub_rosa:steady", 5);
    compare_observed_and_unobserved("sovereign", "sovereign:careful", 5);
}

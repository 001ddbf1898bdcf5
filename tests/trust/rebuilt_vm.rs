//! Any step of any run gives the same result in a VM built just before it. The bots' runs are
//! played twice: by a session that keeps its VM, and by one that discards it before each step. In
//! half of the runs a hostile mod allocates memory at each prompt: many texts near the limit, texts
//! with the same prefix, long numbers, tables that are filled and emptied. The prompt selects the
//! attack, so some steps are refused and the run continues.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use save::{DataDir, LockedProfile, MemoryDisk};
use session::{Bot, RANDOM_BOT_ID, RunRequest, Session};

use super::corpus::{BundledGame, bundle_sources, run_options};
use crate::support::{count_from_env, manifest_needing, mod_from_text};

/// The default number of steps of a run.
const MAX_STEPS: u64 = 24;
/// Maximum number of refusals in a row: some prompts always exceed a limit.
const MAX_CONSECUTIVE_REFUSALS: u32 = 12;

/// The attacks of the hostile mod; a hash of the prompt selects one. Each comes close to the limit
/// that it names. Only the step itself may decide whether the limit is exceeded.
const HOSTILE_SCRIPT: &str = r#"
-- Tables: a step comes to the end of its fuel before that of its memory if it joins texts.
local function pile(count)
  local all = {}
  for index = 1, count do all[index] = table.create(60, index) end
  return #all
end
local function turns(count) for turn = 1, count do end end
local function alike(count)
  local long = ("x"):rep(60000)
  local less, more = long:sub(1, 50000), long:sub(1, 50001)
  turns(count)
  return #less + #more
end
local function digits(count)
  local long = ("7"):rep(400)
  turns(count)
  return #long
end
local function tables(count)
  local kept = {}
  for turn = 1, count do
    local names = {}
    for index = 1, 300 do names["name " .. index] = { index } end
    kept[turn % 9 + 1] = names
  end
  return #kept
end
local harm = {
  function() return pile(24000) end, -- just below the 24 MiB of a step, or just above
  function() return pile(25000) end,
  function() return pile(26400) end,
  function() return alike(9000) end, -- a turn costs a hundred, a step has a million
  function() return alike(10250) end,
  function() return digits(19000) end,
  function() return tables(400) end,
  function() return pile(60000) end,
  function() return pile(3000) end,
  function() return alike(100) end,
}
local function strike(asked)
  local text = if type(asked) == "table" and type(asked.text) == "string" then asked.text else ""
  local choices = if type(asked) == "table" and type(asked.choices) == "table" then #asked.choices else 0
  local sum = SALT + choices * 31
  for at = 1, math.min(#text, 40) do sum = (sum * 33 + text:byte(at)) % 65521 end
  local what = harm[sum % 16 + 1]
  if what then what() end
  return asked
end
"#;

/// A game with a hostile mod that acts in each of its scenes.
fn game_with_hostile_mod(bundle_index: usize, random_salt: u64) -> BundledGame {
    let mut bundle_mods = bundle_sources().swap_remove(bundle_index);
    let game = bundle_mods[0].id().to_owned();
    let scenes = BundledGame::load(bundle_mods.clone());
    let mut text = HOSTILE_SCRIPT.replace("SALT", &random_salt.to_string());
    for scene in scenes.vm.registry().active_definitions("scene") {
        let bot_id = scene.id.to_string();
        writeln!(
            text,
            "patch.scene '{bot_id}' {{ prompt = wrap(function(original) return strike(original()) end) }}"
        )
        .unwrap();
    }
    bundle_mods
        .push(mod_from_text(&manifest_needing("stranger", &[&game]), &[("main.luau", &text)]));
    BundledGame::load(bundle_mods)
}

/// A run in progress, with its storage.
struct RunWithStorage {
    session: Session,
    data_dir: DataDir,
    _locked_profile: LockedProfile,
}

/// Begins a run by its number; `None` if its first prompt is refused.
fn begin_run(bundle: &BundledGame, run_number: u64) -> Option<RunWithStorage> {
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let request = RunRequest {
        content: bundle.content.clone(),
        options: run_options(&bundle.vm, run_number),
        seed: Some(run_number),
        is_practice: false,
    };
    let active_run = session::start_run(&mut locked_profile, request, &mut || run_number).unwrap();
    let is_accepted = active_run.step_outcome.refusal.is_none();
    is_accepted.then_some(RunWithStorage {
        session: active_run.session,
        data_dir,
        _locked_profile: locked_profile,
    })
}

/// The totals of all runs.
#[derive(Default)]
struct RunCounts {
    runs: u64,
    steps: u64,
    refusal_counts: BTreeMap<String, u64>,
}

/// Plays one run in a VM that stays and in one that is rebuilt before each step.
fn compare_rebuilt_vm(
    bundle: &BundledGame,
    run_number: u64,
    is_hostile: bool,
    counts: &mut RunCounts,
) {
    let context = format!("run {run_number}, hostile memory: {is_hostile}");
    let (reused_vm_run, rebuilt_vm_run) =
        (begin_run(bundle, run_number), begin_run(bundle, run_number));
    assert_eq!(reused_vm_run.is_some(), rebuilt_vm_run.is_some(), "{context}: the start");
    let (Some(mut reused_vm_run), Some(mut rebuilt_vm_run)) = (reused_vm_run, rebuilt_vm_run)
    else {
        *counts.refusal_counts.entry("the start".to_owned()).or_default() += 1;
        return;
    };
    let bot_id = &bundle.bots[usize::try_from(run_number / 4).unwrap() % bundle.bots.len()];
    let (mut bot, mut random_bot) =
        (Bot::new(bot_id, run_number), Bot::new(RANDOM_BOT_ID, run_number));
    let (mut events, mut refused_in_a_row) = (Vec::new(), 0);
    let max_steps = count_from_env("SUB_ROSA_ANEW_STEPS", MAX_STEPS);
    for _ in 0..max_steps {
        if reused_vm_run.session.run_outcome().is_some()
            || refused_in_a_row > MAX_CONSECUTIVE_REFUSALS
        {
            break;
        }
        // A bot repeats a refused answer.
        let chosen_bot = if refused_in_a_row > 0 { &mut random_bot } else { &mut bot };
        let input = chosen_bot
            .choose_input(&mut reused_vm_run.session, &events)
            .unwrap_or_else(|problem| panic!("{context}: {problem}"));
        let step = reused_vm_run.session.step_number() + 1;
        rebuilt_vm_run.session.rebuild_vm().unwrap();
        let reused_vm_outcome = reused_vm_run.session.answer_prompt(&input).unwrap();
        let rebuilt_outcome = rebuilt_vm_run.session.answer_prompt(&input).unwrap();
        let refusal_text =
            |refusal: &Option<base::Problem>| refusal.as_ref().map(|problem| problem.to_string());
        assert_eq!(
            refusal_text(&reused_vm_outcome.refusal),
            refusal_text(&rebuilt_outcome.refusal),
            "{context}, step {step}"
        );
        assert_eq!(reused_vm_outcome.events, rebuilt_outcome.events, "{context}, step {step}");
        assert_eq!(
            reused_vm_run.session.digest(),
            rebuilt_vm_run.session.digest(),
            "{context}, step {step}"
        );
        let prompts = (reused_vm_run.session.prompt(), rebuilt_vm_run.session.prompt());
        assert_eq!(prompts.0, prompts.1, "{context}, step {step}");
        counts.steps += 1;
        refused_in_a_row =
            if reused_vm_outcome.refusal.is_some() { refused_in_a_row + 1 } else { 0 };
        if let Some(problem) = reused_vm_outcome.refusal {
            assert!(is_hostile, "{context}, step {step}: {problem}");
            *counts.refusal_counts.entry(problem.code.to_string()).or_default() += 1;
        }
        events = reused_vm_outcome.events;
    }
    counts.runs += 1;
    // A replay and a resume give the same.
    let (steps, digest) = (reused_vm_run.session.step_number(), reused_vm_run.session.digest());
    let data_dir = reused_vm_run.data_dir.clone();
    drop(reused_vm_run);
    let replayed_steps = session::replay_and_verify(&data_dir, "ada-0001", &mut |_, _| {});
    assert_eq!(
        replayed_steps.unwrap_or_else(|problem| panic!("{context}: {problem}")),
        steps,
        "{context}"
    );
    let resumed_run = session::resume_run(&data_dir, "ada-0001", None).unwrap();
    assert_eq!(resumed_run.session.digest(), digest, "{context}");
}

#[test]
fn bot_steps_give_the_same_result_in_a_rebuilt_vm() {
    let runs = count_from_env("SUB_ROSA_ANEW", 2);
    let bundle_count = bundle_sources().len();
    let mut counts = RunCounts::default();
    let mut bundles: BTreeMap<(usize, bool), BundledGame> = BTreeMap::new();
    for run_number in 0..runs {
        let bundle_index = usize::try_from(run_number / 2).unwrap() % bundle_count;
        let is_hostile = run_number % 2 == 0;
        // Eight runs of a bundle share a salt.
        if is_hostile && (run_number / 2) % (8 * bundle_count as u64) < bundle_count as u64 {
            bundles.insert(
                (bundle_index, true),
                game_with_hostile_mod(bundle_index, run_number / (16 * bundle_count as u64)),
            );
        }
        let bundle = bundles
            .entry((bundle_index, is_hostile))
            .or_insert_with(|| BundledGame::load(bundle_sources().swap_remove(bundle_index)));
        compare_rebuilt_vm(bundle, run_number, is_hostile, &mut counts);
    }
    let RunCounts { runs, steps, refusal_counts } = counts;
    let summary = format!("{runs} runs, {steps} steps, 0 differences; refused {refusal_counts:?}");
    super::record_figure("anew", &summary);
    assert!(steps > runs * 4, "{summary}");
    assert!(refusal_counts.len() > 1 || runs < 4, "hostile memory came to nothing: {summary}");
}

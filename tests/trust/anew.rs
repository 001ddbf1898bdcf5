//! Any step of any run gives the same in a VM made anew just before it: the bots' runs are played twice at
//! once, by a session whose VM stays and by one whose VM is thrown away before each step. In half of them
//! a stranger makes hostile memory whenever something is asked: texts by the hundred thousand around
//! the limit, long texts that begin alike, long numbers, tables that are filled and emptied. Which, hangs on
//! what is asked, so that steps are refused in the middle of a run and the run goes on.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use engine::save::{DataDir, LockedProfile, MemoryDisk};
use engine::session::{self, Bot, RANDOM_BOT_ID, RunRequest, Session};

use super::corpus::{BundledGame, options, sources};
use crate::support::{count_from_env, manifest_needing, mod_from_text};

/// Steps after which a run is left where it is by default.
const STEPS: u64 = 24;
/// Answers that may be refused one after the other: some questions are always asked too dearly.
const REFUSED: u32 = 12;

/// What the stranger does, in the order of a number that hangs on what is asked. What it makes is near the
/// limit that it names: whether it is above may hang on nothing but this step.
const HARM: &str = r#"
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

/// A game with a stranger who strikes in each of its scenes.
fn with_stranger(bundle: usize, salt: u64) -> BundledGame {
    let mut all = sources().swap_remove(bundle);
    let game = all[0].id().to_owned();
    let scenes = BundledGame::of(all.clone());
    let mut text = HARM.replace("SALT", &salt.to_string());
    for scene in scenes.vm.registry().active_definitions("scene") {
        let id = scene.id.to_string();
        writeln!(
            text,
            "patch.scene '{id}' {{ prompt = wrap(function(original) return strike(original()) end) }}"
        )
        .unwrap();
    }
    all.push(mod_from_text(&manifest_needing("stranger", &[&game]), &[("main.luau", &text)]));
    BundledGame::of(all)
}

/// A run that is played, with what it is recorded in.
struct Played {
    session: Session,
    data_dir: DataDir,
    _held: LockedProfile,
}

/// Begins the run of a number; nothing where its first question is refused.
fn begin(bundle: &BundledGame, number: u64) -> Option<Played> {
    let data_dir = DataDir::on_disk(Arc::new(MemoryDisk::new()), "data");
    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    let wish = RunRequest {
        content: bundle.content.clone(),
        options: options(&bundle.vm, number),
        seed: Some(number),
        practice: false,
    };
    let in_hand = session::start_run(&mut held, wish, &mut || number).unwrap();
    let begun = in_hand.output.refused.is_none();
    begun.then_some(Played { session: in_hand.session, data_dir, _held: held })
}

/// What came of all runs.
#[derive(Default)]
struct Sum {
    runs: u64,
    steps: u64,
    refused: BTreeMap<String, u64>,
}

/// One run, in a VM that stays and in one made anew before each step.
fn one_run(bundle: &BundledGame, number: u64, hostile: bool, sum: &mut Sum) {
    let what = format!("run {number}, hostile memory: {hostile}");
    let (stays, anew) = (begin(bundle, number), begin(bundle, number));
    assert_eq!(stays.is_some(), anew.is_some(), "{what}: the start");
    let (Some(mut stays), Some(mut anew)) = (stays, anew) else {
        *sum.refused.entry("the start".to_owned()).or_default() += 1;
        return;
    };
    let id = &bundle.bots[usize::try_from(number / 4).unwrap() % bundle.bots.len()];
    let (mut bot, mut other) = (Bot::new(id, number), Bot::new(RANDOM_BOT_ID, number));
    let (mut told, mut in_a_row) = (Vec::new(), 0);
    let most = count_from_env("SUB_ROSA_ANEW_STEPS", STEPS);
    for _ in 0..most {
        if stays.session.run_outcome().is_some() || in_a_row > REFUSED {
            break;
        }
        // A bot that is refused says the same again.
        let who = if in_a_row > 0 { &mut other } else { &mut bot };
        let input = who.choose(&mut stays.session, &told).unwrap_or_else(|p| panic!("{what}: {p}"));
        let step = stays.session.step_number() + 1;
        anew.session.rebuild_vm().unwrap();
        let first = stays.session.answer(&input).unwrap();
        let second = anew.session.answer(&input).unwrap();
        let why = |refused: &Option<engine::base::Problem>| refused.as_ref().map(|p| p.to_string());
        assert_eq!(why(&first.refused), why(&second.refused), "{what}, step {step}");
        assert_eq!(first.events, second.events, "{what}, step {step}");
        assert_eq!(stays.session.digest(), anew.session.digest(), "{what}, step {step}");
        let asked = (stays.session.prompt(), anew.session.prompt());
        assert_eq!(asked.0, asked.1, "{what}, step {step}");
        sum.steps += 1;
        in_a_row = if first.refused.is_some() { in_a_row + 1 } else { 0 };
        if let Some(problem) = first.refused {
            assert!(hostile, "{what}, step {step}: {problem}");
            *sum.refused.entry(problem.code.to_string()).or_default() += 1;
        }
        told = first.events;
    }
    sum.runs += 1;
    // And when it is walked again.
    let (steps, digest) = (stays.session.step_number(), stays.session.digest());
    let data_dir = stays.data_dir.clone();
    drop(stays);
    let again = session::replay(&data_dir, "ada-0001", &mut |_, _| {});
    assert_eq!(again.unwrap_or_else(|p| panic!("{what}: {p}")), steps, "{what}");
    let mut again = session::resume(&data_dir, "ada-0001", None).unwrap();
    assert_eq!(again.session.digest(), digest, "{what}");
}

#[test]
fn any_step_of_bots_runs_gives_the_same_in_a_vm_made_anew_just_before_it() {
    let runs = count_from_env("SUB_ROSA_ANEW", 2);
    let count = sources().len();
    let mut sum = Sum::default();
    let mut bundles: BTreeMap<(usize, bool), BundledGame> = BTreeMap::new();
    for number in 0..runs {
        let at = usize::try_from(number / 2).unwrap() % count;
        let hostile = number % 2 == 0;
        // One salt for eight runs of a bundle.
        if hostile && (number / 2) % (8 * count as u64) < count as u64 {
            bundles.insert((at, true), with_stranger(at, number / (16 * count as u64)));
        }
        let bundle = bundles
            .entry((at, hostile))
            .or_insert_with(|| BundledGame::of(sources().swap_remove(at)));
        one_run(bundle, number, hostile, &mut sum);
    }
    let Sum { runs, steps, refused } = sum;
    let told = format!("{runs} runs, {steps} steps, 0 differences; refused {refused:?}");
    super::figure("anew", &told);
    assert!(steps > runs * 4, "{told}");
    assert!(refused.len() > 1 || runs < 4, "hostile memory came to nothing: {told}");
}

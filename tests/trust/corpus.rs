//! Bot runs over all bundled content. Each runs on an in-memory disk, with its VM rebuilt now and
//! then and its world serialized after every step. A replay then compares the digests. The default
//! is two runs, `.ci/run` takes twelve, `.ci/full` hundreds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Digest, Value};
use mods::{ModSource, read_folder};
use protocol::{StoryEvent, WorldState};
use save::{DataDir, MemoryDisk, ReadExtent};
use session::{
    self, Bot, RANDOM_BOT_ID, ReplayPlayer, RunContent, RunRequest, Session, ViewPolicy,
    complete_options, option_specs,
};

use super::saved_state::assert_disk_equals_memory;
use crate::bundled;
use crate::support::{count_from_env, sample_number};

/// The default step limit of a run; shorter runs are replayed too.
const MAX_STEPS: u64 = 400;

/// A game with mods, and its choices of options.
pub(super) struct BundledGame {
    pub(super) content: RunContent,
    pub(super) vm: script::Vm,
    /// The bots that can play it.
    pub(super) bots: Vec<String>,
}

impl BundledGame {
    pub(super) fn load(sources: Vec<ModSource>) -> Self {
        let mods = crate::support::load_order_with_library(sources)
            .unwrap_or_else(|problems| panic!("{}", problems[0]));
        let content = RunContent { mods, settings: Value::map() };
        let vm = bundled::load_vm(&content);
        let bots = vm.registry().active_definitions("bot").map(|bot| bot.id.to_string());
        let bots = bots.chain([RANDOM_BOT_ID.to_owned()]).collect();
        Self { content, vm, bots }
    }
}

/// The bundled games, each alone and with all bundled mods that need it and no other. The game is
/// first.
pub(super) fn bundle_sources() -> Vec<Vec<ModSource>> {
    let mut folders: Vec<_> =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("mods").read_dir().unwrap().collect();
    folders.sort_by_key(|entry| entry.as_ref().unwrap().file_name());
    let folders = folders.into_iter().map(|entry| entry.unwrap().path());
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("base_game");
    let is_mod = |folder: &PathBuf| {
        let name = folder.file_name().unwrap().to_string_lossy();
        folder.join("mod.toml").is_file() && !name.starts_with('_')
    };
    let folders = std::iter::once(base).chain(folders).filter(is_mod);
    let sources: Vec<_> = folders.map(|folder| read_folder(&folder).unwrap()).collect();
    let mut source_bundles = Vec::new();
    for game in sources.iter().filter(|source| source.manifest.is_game) {
        let needs_only_game = |source: &&ModSource| {
            let needs = &source.manifest.needed_mods;
            !source.manifest.is_game && needs.len() == 1 && needs.contains_key(game.id())
        };
        let mods: Vec<ModSource> = sources.iter().filter(needs_only_game).cloned().collect();
        for mods_with_it in [Vec::new(), mods] {
            source_bundles.push(std::iter::once(game.clone()).chain(mods_with_it).collect());
        }
    }
    assert!(source_bundles.len() >= 2, "a game alone and with mods");
    source_bundles
}

fn load_bundles() -> Vec<BundledGame> {
    bundle_sources().into_iter().map(BundledGame::load).collect()
}

/// The options of the `run_number`th run: each option of a kind iterates over its definitions.
pub(super) fn run_options(vm: &script::Vm, run_number: u64) -> Value {
    let registry = vm.registry();
    let mut option_values = base::value::ValueMap::new();
    for definition in registry.active_definitions("option") {
        let text = |name: &str| definition.get(name).and_then(|field| field.as_text());
        if let (Some("ref"), Some(kind)) = (text("type"), text("kind")) {
            let ids: Vec<String> =
                registry.active_definitions(kind).map(|target| target.id.to_string()).collect();
            let index = usize::try_from(run_number).unwrap() % ids.len().max(1);
            option_values.extend(
                ids.get(index).map(|id| (Arc::from(definition.id.name()), Value::text(id))),
            );
        }
    }
    let specs = option_specs(registry);
    let option_values =
        option_values.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    complete_options(&specs, &option_values).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Serializes the world and reads it back, byte by byte.
fn assert_snapshot_round_trip(session: &Session, context: &str) {
    let first_bytes = serde_json::to_vec(&session.world().snapshot()).unwrap();
    let restored_world =
        WorldState::restore(serde_json::from_slice(&first_bytes).unwrap()).unwrap();
    let second_bytes = serde_json::to_vec(&restored_world.snapshot()).unwrap();
    assert!(first_bytes == second_bytes, "{context}: saved, loaded and saved again it is another");
}

/// The totals of the runs.
#[derive(Default)]
struct RunTotals {
    runs: u64,
    ended_count: u64,
    steps: u64,
}

fn play_and_replay_run(game: &BundledGame, run_number: u64, totals: &mut RunTotals) {
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let bot = &game.bots[usize::try_from(run_number / 8).unwrap() % game.bots.len()];
    let context = format!("run {run_number} of {bot}");
    let request = RunRequest {
        content: game.content.clone(),
        options: run_options(&game.vm, run_number / 3),
        seed: Some(run_number),
        is_practice: false,
    };
    let mut session =
        session::start_run(&mut locked_profile, request, &mut || run_number).unwrap().session;
    // Half of the runs are played without views and partly replayed with all of them; the others
    // are played with views and replayed without.
    let plays_without_views = run_number % 4 < 2;
    if plays_without_views {
        session.set_view_policy(ViewPolicy::OnRequest);
    }
    let mut bot = Bot::new(bot, run_number);
    let mut events: Vec<StoryEvent> = Vec::new();
    // A VM is the main cost of a short run: every fourth run has more than one.
    let rebuilds_vm = run_number % 4 == 1;
    let max_steps = count_from_env("SUB_ROSA_CORPUS_STEPS", MAX_STEPS);
    while session.run_outcome().is_none() && session.step_number() < max_steps {
        let input = bot
            .choose_input(&mut session, &events)
            .unwrap_or_else(|problem| panic!("{context}: {problem}"));
        let step_outcome = session.answer_prompt(&input).unwrap();
        assert!(step_outcome.refusal.is_none(), "{context}: {}", step_outcome.refusal.unwrap());
        events = step_outcome.events;
        assert_snapshot_round_trip(&session, &context);
        assert_disk_equals_memory(&session, &data_dir, "ada-0001", &context);
        if rebuilds_vm && (session.step_number() + run_number).is_multiple_of(37) {
            session.rebuild_vm().unwrap();
        }
    }
    totals.runs += 1;
    totals.ended_count += u64::from(session.run_outcome().is_some());
    let (steps, digest) = (session.step_number(), session.digest());
    assert_session_is_on_disk(&mut session, &data_dir);
    drop(session);
    let replayed_steps =
        session::replay_and_verify(&data_dir, "ada-0001", &mut |_, _| totals.steps += 1);
    assert_eq!(
        replayed_steps.unwrap_or_else(|problem| panic!("{context}: {problem}")),
        steps,
        "{context}"
    );
    if plays_without_views && run_number % 8 < 2 {
        assert_replay_with_views(&data_dir, digest, &context);
    }
    if rebuilds_vm && let Ok(resumed_run) = session::resume_run(&data_dir, "ada-0001", None) {
        assert_eq!(resumed_run.session.digest(), digest, "{context}");
        assert!(
            resumed_run.notes.is_empty() && resumed_run.step_outcome.refusal.is_none(),
            "{context}"
        );
    }
}

/// Replays the run with the view of each step.
fn assert_replay_with_views(data_dir: &DataDir, digest: Digest, context: &str) {
    let mut replay = ReplayPlayer::open(data_dir, "ada-0001").unwrap();
    while replay.advance_step().unwrap_or_else(|problem| panic!("{context}: {problem}")).is_some() {
        replay.session().unwrap_or_else(|problem| panic!("{context}: {problem}"));
        let view_problem = replay.take_view_problem();
        assert!(
            view_problem.is_none(),
            "{context}, step {}: {}",
            replay.current_step_number(),
            view_problem.unwrap()
        );
    }
    let replayed_world = WorldState::restore(replay.world().snapshot()).unwrap();
    assert_eq!(replayed_world.digest(), digest, "{context}");
}

/// The journal holds every step without a Problem.
fn assert_session_is_on_disk(session: &mut Session, data_dir: &DataDir) {
    let opened_run = data_dir.open_run("ada-0001", ReadExtent::All).unwrap();
    assert!(opened_run.damage.is_none() && opened_run.torn_line_note.is_none());
    assert_eq!(opened_run.run_state.last_completed_step(), Some(session.step_number()));
}

/// One of two halves, so that two threads have work.
fn play_half_of_runs(half_index: u64) {
    let (runs, first_number) = (count_from_env("SUB_ROSA_CORPUS", 2), sample_number());
    let bundles = load_bundles();
    let mut totals = RunTotals::default();
    for run_number in (first_number..first_number + runs).filter(|number| number % 2 == half_index)
    {
        let index = usize::try_from(run_number / 2).unwrap() % bundles.len();
        play_and_replay_run(&bundles[index], run_number, &mut totals);
    }
    let RunTotals { runs, ended_count, steps } = totals;
    super::record_figure(
        &format!("corpus_{half_index}"),
        &format!("{runs} runs, {ended_count} of them to their end, {steps} steps, 0 differences"),
    );
    assert!(steps >= runs, "{steps} steps of {runs} runs are too few to mean anything");
}

#[test]
fn bot_runs_over_all_bundled_content_replay_identically() {
    play_half_of_runs(0);
}

#[test]
fn bot_runs_of_the_other_half_replay_identically() {
    play_half_of_runs(1);
}

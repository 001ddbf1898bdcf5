//! Bot runs over all bundled content. Each runs on an in-memory disk, with its VM rebuilt now and
//! then and its world serialized after every step. A replay then compares the digests. The default
//! is two runs, `.ci/run` takes twelve, `.ci/full` hundreds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::base::{Digest, Value};
use engine::mods::{ModSource, read_folder};
use engine::protocol::{StoryEvent, World};
use engine::save::{DataDir, MemoryDisk, ReadExtent};
use engine::session::{
    self, Bot, Content, RANDOM_BOT_ID, ReplayPlayer, RunRequest, Session, ViewPolicy,
    complete_options, option_specs,
};

use super::saved_state::assert_disk_equals_memory;
use crate::bundled;
use crate::support::{count_from_env, sample};

/// The default step limit of a run; shorter runs are replayed too.
const STEPS: u64 = 400;

/// A game with mods, and its choices of options.
pub(super) struct BundledGame {
    pub(super) content: Content,
    pub(super) vm: engine::script::Vm,
    /// The bots that can play it.
    pub(super) bots: Vec<String>,
}

impl BundledGame {
    pub(super) fn of(sources: Vec<ModSource>) -> Self {
        let mods =
            crate::support::ordered(sources).unwrap_or_else(|problems| panic!("{}", problems[0]));
        let content = Content { mods, settings: Value::map() };
        let vm = bundled::load(&content);
        let bots = vm.registry().active_definitions("bot").map(|bot| bot.id.to_string());
        let bots = bots.chain([RANDOM_BOT_ID.to_owned()]).collect();
        Self { content, vm, bots }
    }
}

/// The bundled games, each alone and with all bundled mods that need it and no other. The game is
/// first.
pub(super) fn sources() -> Vec<Vec<ModSource>> {
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
    let mut bundles = Vec::new();
    for game in sources.iter().filter(|source| source.manifest.game) {
        let needs_it = |source: &&ModSource| {
            let needs = &source.manifest.needs;
            !source.manifest.game && needs.len() == 1 && needs.contains_key(game.id())
        };
        let mods: Vec<ModSource> = sources.iter().filter(needs_it).cloned().collect();
        for more in [Vec::new(), mods] {
            bundles.push(std::iter::once(game.clone()).chain(more).collect());
        }
    }
    assert!(bundles.len() >= 2, "a game alone and with mods");
    bundles
}

fn bundles() -> Vec<BundledGame> {
    sources().into_iter().map(BundledGame::of).collect()
}

/// The options of the `number`th run: each option of a kind iterates over its definitions.
pub(super) fn options(vm: &engine::script::Vm, number: u64) -> Value {
    let registry = vm.registry();
    let mut given = engine::base::value::Map::new();
    for definition in registry.active_definitions("option") {
        let text = |name: &str| definition.get(name).and_then(|field| field.as_text());
        if let (Some("ref"), Some(kind)) = (text("type"), text("kind")) {
            let ids: Vec<String> =
                registry.active_definitions(kind).map(|one| one.id.to_string()).collect();
            let at = usize::try_from(number).unwrap() % ids.len().max(1);
            given.extend(ids.get(at).map(|id| (Arc::from(definition.id.name()), Value::text(id))));
        }
    }
    let specs = option_specs(registry);
    let given = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    complete_options(&specs, &given).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Serializes the world and reads it back, byte by byte.
fn assert_snapshot_round_trip(session: &Session, what: &str) {
    let first = serde_json::to_vec(&session.world().snapshot()).unwrap();
    let read = World::restore(serde_json::from_slice(&first).unwrap()).unwrap();
    let second = serde_json::to_vec(&read.snapshot()).unwrap();
    assert!(first == second, "{what}: saved, loaded and saved again it is another");
}

/// The totals of the runs.
#[derive(Default)]
struct RunTotals {
    runs: u64,
    ended: u64,
    steps: u64,
}

fn one_run(bundle: &BundledGame, number: u64, sum: &mut RunTotals) {
    let data_dir = DataDir::on_disk(Arc::new(MemoryDisk::new()), "data");
    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    let bot = &bundle.bots[usize::try_from(number / 8).unwrap() % bundle.bots.len()];
    let what = format!("run {number} of {bot}");
    let wish = RunRequest {
        content: bundle.content.clone(),
        options: options(&bundle.vm, number / 3),
        seed: Some(number),
        practice: false,
    };
    let mut session = session::start_run(&mut held, wish, &mut || number).unwrap().session;
    // Half of the runs are played without views and partly replayed with all of them; the others
    // are played with views and replayed without.
    let blind = number % 4 < 2;
    if blind {
        session.set_view_policy(ViewPolicy::OnRequest);
    }
    let mut bot = Bot::new(bot, number);
    let mut told: Vec<StoryEvent> = Vec::new();
    // A VM is the main cost of a short run: every fourth run has more than one.
    let rebuilds = number % 4 == 1;
    let most = count_from_env("SUB_ROSA_CORPUS_STEPS", STEPS);
    while session.run_outcome().is_none() && session.step_number() < most {
        let input = bot.choose(&mut session, &told).unwrap_or_else(|p| panic!("{what}: {p}"));
        let done = session.answer(&input).unwrap();
        assert!(done.refused.is_none(), "{what}: {}", done.refused.unwrap());
        told = done.events;
        assert_snapshot_round_trip(&session, &what);
        assert_disk_equals_memory(&session, &data_dir, "ada-0001", &what);
        if rebuilds && (session.step_number() + number).is_multiple_of(37) {
            session.rebuild_vm().unwrap();
        }
    }
    sum.runs += 1;
    sum.ended += u64::from(session.run_outcome().is_some());
    let (steps, digest) = (session.step_number(), session.digest());
    session_is_on_disk(&mut session, &data_dir);
    drop(session);
    let last = session::replay(&data_dir, "ada-0001", &mut |_, _| sum.steps += 1);
    assert_eq!(last.unwrap_or_else(|p| panic!("{what}: {p}")), steps, "{what}");
    if blind && number % 8 < 2 {
        assert_replay_with_views(&data_dir, digest, &what);
    }
    if rebuilds && let Ok(mut again) = session::resume(&data_dir, "ada-0001", None) {
        assert_eq!(again.session.digest(), digest, "{what}");
        assert!(again.notes.is_empty() && again.output.refused.is_none(), "{what}");
    }
}

/// Replays the run with the view of each step.
fn assert_replay_with_views(data_dir: &DataDir, digest: Digest, what: &str) {
    let mut replay = ReplayPlayer::open(data_dir, "ada-0001").unwrap();
    replay.show_views();
    while replay.next_step().unwrap_or_else(|p| panic!("{what}: {p}")).is_some() {
        let wrong = replay.take_view_problem();
        assert!(
            wrong.is_none(),
            "{what}, step {}: {}",
            replay.current_step_number(),
            wrong.unwrap()
        );
    }
    let mut last = World::restore(replay.session().world().snapshot()).unwrap();
    assert_eq!(last.digest(), digest, "{what}");
}

/// The journal holds every step without a Problem.
fn session_is_on_disk(session: &mut Session, data_dir: &DataDir) {
    let opened = data_dir.open("ada-0001", ReadExtent::All).unwrap();
    assert!(opened.damage.is_none() && opened.torn_line_note.is_none());
    assert_eq!(opened.run_state.last_step(), Some(session.step_number()));
}

/// One of two halves, so that two threads have work.
fn play_half(half: u64) {
    let (runs, first) = (count_from_env("SUB_ROSA_CORPUS", 2), sample());
    let bundles = bundles();
    let mut sum = RunTotals::default();
    for number in (first..first + runs).filter(|number| number % 2 == half) {
        let at = usize::try_from(number / 2).unwrap() % bundles.len();
        one_run(&bundles[at], number, &mut sum);
    }
    let RunTotals { runs, ended, steps } = sum;
    super::figure(
        &format!("corpus_{half}"),
        &format!("{runs} runs, {ended} of them to their end, {steps} steps, 0 differences"),
    );
    assert!(steps >= runs, "{steps} steps of {runs} runs are too few to mean anything");
}

#[test]
fn runs_of_bots_over_all_bundled_content_replay_without_a_difference() {
    play_half(0);
}

#[test]
fn the_other_half_of_those_runs_too() {
    play_half(1);
}

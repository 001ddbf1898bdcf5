//! The difficulty of the bundled game, measured by bots that play each build by its odds: every
//! target with its result. A few runs are part of the tests. One command computes the whole page,
//! and can be stopped and continued:
//!
//!     SUB_ROSA_TUNING=2000 cargo test --release --test main tuning -- --nocapture
//!
//! It plays that many seeds of each size and difficulty, searches, stores the runs in
//! `target/tuning` (or the folder in `SUB_ROSA_TUNING_PARTS`), and rewrites the tables of
//! `docs/games/sub_rosa_tuning.md`. `SUB_ROSA_TUNING=0` plays nothing and writes the stored
//! results; `SUB_ROSA_TUNING_PROGRAM` names the program that plays.

mod report;
mod simulations;
mod tally;

use std::fs;
use std::path::{Path, PathBuf};

use report::TuningReport;
use simulations::{SimulationStore, TuningGroup};
use tally::{Estimate, RunTally};

/// The ready-made build of each pillar.
const BUILDS: [&str; 4] = ["blade", "breath", "tongue", "eye"];

/// The difficulties, the true one first.
const DIFFICULTIES: [&str; 3] = ["true", "gentle", "grim"];

/// The bot that reads, as good as any that was found.
const BEST_BOT: &str = "steady";

/// The same bot without one way.
const BOTS_WITHOUT_ONE_ACTION: [&str; 5] = [
    "steady/without=strike",
    "steady/without=brace",
    "steady/without=speak",
    "steady/without=study",
    "steady/without=cast",
];

/// A size: its places, its intended standing, and the target wins of a hundred.
struct WinRateTarget {
    name: &'static str,
    places: [&'static str; 2],
    standing: u32,
    win_percent_range: [f64; 2],
}

const WIN_RATE_TARGETS: [WinRateTarget; 4] = [
    WinRateTarget {
        name: "small",
        places: ["ice_house", "pledge_house"],
        standing: 1,
        win_percent_range: [55.0, 70.0],
    },
    WinRateTarget {
        name: "medium",
        places: ["ropewalk", "foundry"],
        standing: 4,
        win_percent_range: [45.0, 60.0],
    },
    WinRateTarget {
        name: "large",
        places: ["exchange", "playhouse"],
        standing: 8,
        win_percent_range: [35.0, 50.0],
    },
    WinRateTarget {
        name: "epic",
        places: ["lazaret", "library"],
        standing: 12,
        win_percent_range: [25.0, 40.0],
    },
];

/// Permitted builds, three points apart, for the search of a better one.
fn build_candidates() -> String {
    let stat_values = [1, 4, 7, 10, 13];
    let mut builds = BUILDS.map(str::to_owned).to_vec();
    for attack in stat_values {
        for defense in stat_values {
            for charm in stat_values {
                let insight = 28 - attack - defense - charm;
                if stat_values.contains(&insight) {
                    builds.push(format!("{attack}/{defense}/{charm}/{insight}"));
                }
            }
        }
    }
    builds.join(",")
}

/// All groups that play a place of a size in one way.
fn groups_of_size(
    size: &WinRateTarget,
    bot: &'static str,
    difficulty: &'static str,
    extra_levels: u32,
    ironman: bool,
) -> Vec<TuningGroup> {
    let standing = size.standing + extra_levels;
    let groups_of_place = |place| {
        BUILDS.map(|build| TuningGroup { bot, difficulty, place, build, standing, ironman })
    };
    size.places.into_iter().flat_map(groups_of_place).collect()
}

/// The plan: the number of runs of each group, the true difficulty first and most.
fn simulation_plan(runs_per_group: u64, is_full_plan: bool) -> Vec<(TuningGroup, u64)> {
    let mut planned_groups: Vec<(TuningGroup, u64)> = Vec::new();
    let mut add_groups = |groups: Vec<TuningGroup>, runs: u64| {
        planned_groups.extend(groups.into_iter().map(|group| (group, runs)))
    };
    for size in &WIN_RATE_TARGETS {
        add_groups(groups_of_size(size, BEST_BOT, "true", 0, false), runs_per_group);
    }
    if !is_full_plan {
        planned_groups.retain(|(group, _)| {
            WIN_RATE_TARGETS[..2].iter().any(|size| size.places[0] == group.place)
        });
        return planned_groups;
    }
    // The runs that most lines need come first, in case it is stopped.
    for difficulty in &DIFFICULTIES[1..] {
        WIN_RATE_TARGETS.iter().for_each(|size| {
            add_groups(groups_of_size(size, BEST_BOT, difficulty, 0, false), runs_per_group)
        });
    }
    WIN_RATE_TARGETS.iter().for_each(|size| {
        add_groups(groups_of_size(size, "hasty", "true", 0, false), runs_per_group / 2)
    });
    for size in WIN_RATE_TARGETS.iter().filter(|size| size.name != "small") {
        add_groups(groups_of_size(size, BEST_BOT, "true", 0, true), runs_per_group / 2);
    }
    for bot in BOTS_WITHOUT_ONE_ACTION {
        WIN_RATE_TARGETS.iter().for_each(|size| {
            add_groups(groups_of_size(size, bot, "true", 0, false), runs_per_group / 2)
        });
    }
    for difficulty in &DIFFICULTIES[1..] {
        WIN_RATE_TARGETS.iter().for_each(|size| {
            add_groups(groups_of_size(size, "hasty", difficulty, 0, false), runs_per_group / 4)
        });
    }
    for extra_levels in [2, 4] {
        WIN_RATE_TARGETS.iter().for_each(|size| {
            add_groups(
                groups_of_size(size, BEST_BOT, "true", extra_levels, false),
                runs_per_group / 4,
            )
        });
    }
    planned_groups
}

/// The tallies of a size by build, for both places together.
fn tally_by_build(store: &SimulationStore, groups: &[TuningGroup]) -> [RunTally; 4] {
    BUILDS.map(|build| {
        let mut total = RunTally::default();
        groups
            .iter()
            .filter(|group| group.build == build)
            .for_each(|group| total.add_tally(&store.tally_of(group)));
        total
    })
}

/// Merges all tallies.
fn merge_tallies(tallies: &[RunTally]) -> RunTally {
    let mut total = RunTally::default();
    tallies.iter().for_each(|tally| total.add_tally(tally));
    total
}

/// The best result of a search over a place: what it was, and its share of wins.
fn best_search_result(search_result: Option<&serde_json::Value>) -> Option<(String, Estimate)> {
    let best = &search_result?["best"][0];
    let (wins, runs) = (best["outcome"]["count"].as_f64()?, best["runs"].as_f64()?);
    let description = format!("{} {}", best["bot"].as_str()?, best["options"].as_str()?);
    Some((description, Estimate::from_share(wins, runs)))
}

/// The searches of a place: the best build, the best cycle, the best parameters of the bot that
/// reads.
fn search_best(
    store: &mut SimulationStore,
    size: &WinRateTarget,
    place: &str,
    runs: u64,
) -> [Option<(String, Estimate)>; 3] {
    let experience = 30 * (size.standing - 1) * size.standing;
    let candidates = build_candidates();
    let ready_builds = BUILDS.join(",");
    [
        ("hands", BEST_BOT, &candidates),
        ("cycles", "cycle_*", &ready_builds),
        ("ways", "steady", &ready_builds),
    ]
    .map(|(name, bot, build)| {
        let bot = if name == "hands" {
            format!("{bot}/without=nothing/temper=either/rests=7/readiness=8")
        } else {
            bot.to_owned()
        };
        let varied_options = [format!("dungeon={place}"), format!("build={build}")];
        let fixed_options = ["difficulty=true", "ironman=false", "learnt="].map(str::to_owned);
        let mut arguments = vec!["--bot".to_owned(), bot];
        arguments.extend(
            varied_options
                .into_iter()
                .chain(fixed_options)
                .flat_map(|option| ["--set".to_owned(), option]),
        );
        arguments.extend(["--profile-data".to_owned(), format!("experience={experience}")]);
        best_search_result(
            store.run_search(&format!("seek.{name}.{place}"), &arguments, runs).as_ref(),
        )
    })
}

#[test]
fn each_size_has_its_target_difficulty_with_every_build() {
    let requested_seeds = std::env::var_os("SUB_ROSA_TUNING");
    let requested_seeds =
        requested_seeds.and_then(|seed_text| seed_text.to_str()?.parse::<u64>().ok());
    let temporary = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match (std::env::var_os("SUB_ROSA_TUNING_PARTS"), requested_seeds) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, Some(_)) => root.join("target/tuning"),
        (None, None) => temporary.path().to_owned(),
    };
    let mut store = SimulationStore::open(&folder);
    // Eight groups are a size: two places, four builds.
    let runs_per_group = requested_seeds.map_or(1, |seeds| seeds.div_ceil(8));
    store.play_missing_runs(&simulation_plan(runs_per_group, requested_seeds.is_some()));
    let mut tallies = Vec::new();
    for size in &WIN_RATE_TARGETS {
        tallies.extend(tally_by_build(&store, &groups_of_size(size, BEST_BOT, "true", 0, false)));
    }
    let total = merge_tallies(&tallies);
    assert!(total.wins > 0.0 && total.wins < total.runs, "no descent is lost, or none is won");
    if requested_seeds.is_some() {
        let mut report = TuningReport::default();
        for size in &WIN_RATE_TARGETS {
            report.add_size(&mut store, size, runs_per_group);
        }
        report.add_lines_of_all_sizes(&store);
        let report_path = root.join("docs/games/sub_rosa_tuning.md");
        let page_before = fs::read_to_string(&report_path).unwrap();
        fs::write(&report_path, report.write_into(&page_before)).unwrap();
    }
}

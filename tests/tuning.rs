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
const BOTS_WITHOUT_ONE_WAY: [&str; 5] = [
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
    wanted: [f64; 2],
}

const WIN_RATE_TARGETS: [WinRateTarget; 4] = [
    WinRateTarget {
        name: "small",
        places: ["ice_house", "pledge_house"],
        standing: 1,
        wanted: [55.0, 70.0],
    },
    WinRateTarget {
        name: "medium",
        places: ["ropewalk", "foundry"],
        standing: 4,
        wanted: [45.0, 60.0],
    },
    WinRateTarget {
        name: "large",
        places: ["exchange", "playhouse"],
        standing: 8,
        wanted: [35.0, 50.0],
    },
    WinRateTarget {
        name: "epic",
        places: ["lazaret", "library"],
        standing: 12,
        wanted: [25.0, 40.0],
    },
];

/// Permitted builds, three points apart, for the search of a better one.
fn builds_to_search() -> String {
    let steps = [1, 4, 7, 10, 13];
    let mut all = BUILDS.map(str::to_owned).to_vec();
    for atk in steps {
        for def in steps {
            for car in steps {
                let int = 28 - atk - def - car;
                if steps.contains(&int) {
                    all.push(format!("{atk}/{def}/{car}/{int}"));
                }
            }
        }
    }
    all.join(",")
}

/// All groups that play a place of a size in one way.
fn groups(
    size: &WinRateTarget,
    bot: &'static str,
    how: &'static str,
    levels: u32,
    ironman: bool,
) -> Vec<TuningGroup> {
    let standing = size.standing + levels;
    let of = |place| BUILDS.map(|hand| TuningGroup { bot, how, place, hand, standing, ironman });
    size.places.into_iter().flat_map(of).collect()
}

/// The plan: the number of runs of each group, the true difficulty first and most.
fn plan(each: u64, whole: bool) -> Vec<(TuningGroup, u64)> {
    let mut all: Vec<(TuningGroup, u64)> = Vec::new();
    let mut add =
        |of: Vec<TuningGroup>, runs: u64| all.extend(of.into_iter().map(|group| (group, runs)));
    for size in &WIN_RATE_TARGETS {
        add(groups(size, BEST_BOT, "true", 0, false), each);
    }
    if !whole {
        all.retain(|(group, _)| {
            WIN_RATE_TARGETS[..2].iter().any(|size| size.places[0] == group.place)
        });
        return all;
    }
    // The runs that most lines need come first, in case it is stopped.
    for how in &DIFFICULTIES[1..] {
        WIN_RATE_TARGETS.iter().for_each(|size| add(groups(size, BEST_BOT, how, 0, false), each));
    }
    WIN_RATE_TARGETS.iter().for_each(|size| add(groups(size, "hasty", "true", 0, false), each / 2));
    for size in WIN_RATE_TARGETS.iter().filter(|size| size.name != "small") {
        add(groups(size, BEST_BOT, "true", 0, true), each / 2);
    }
    for bot in BOTS_WITHOUT_ONE_WAY {
        WIN_RATE_TARGETS.iter().for_each(|size| add(groups(size, bot, "true", 0, false), each / 2));
    }
    for how in &DIFFICULTIES[1..] {
        WIN_RATE_TARGETS
            .iter()
            .for_each(|size| add(groups(size, "hasty", how, 0, false), each / 4));
    }
    for levels in [2, 4] {
        WIN_RATE_TARGETS
            .iter()
            .for_each(|size| add(groups(size, BEST_BOT, "true", levels, false), each / 4));
    }
    all
}

/// The tallies of a size by build, for both places together.
fn tally_by_build(shelf: &SimulationStore, groups: &[TuningGroup]) -> [RunTally; 4] {
    BUILDS.map(|hand| {
        let mut sum = RunTally::default();
        groups
            .iter()
            .filter(|group| group.hand == hand)
            .for_each(|group| sum.add(&shelf.of(group)));
        sum
    })
}

/// Merges all tallies.
fn merge_tallies(all: &[RunTally]) -> RunTally {
    let mut sum = RunTally::default();
    all.iter().for_each(|one| sum.add(one));
    sum
}

/// The best result of a search over a place: what it was, and its share of wins.
fn best_found(found: Option<&serde_json::Value>) -> Option<(String, Estimate)> {
    let best = &found?["best"][0];
    let (hits, runs) = (best["outcome"]["count"].as_f64()?, best["runs"].as_f64()?);
    let what = format!("{} {}", best["bot"].as_str()?, best["options"].as_str()?);
    Some((what, Estimate::share(hits, runs)))
}

/// The searches of a place: the best build, the best cycle, the best parameters of the bot that
/// reads.
fn search_best(
    shelf: &mut SimulationStore,
    size: &WinRateTarget,
    place: &str,
    runs: u64,
) -> [Option<(String, Estimate)>; 3] {
    let experience = 30 * (size.standing - 1) * size.standing;
    let hands = builds_to_search();
    let ready = BUILDS.join(",");
    [("hands", BEST_BOT, &hands), ("cycles", "cycle_*", &ready), ("ways", "steady", &ready)].map(
        |(name, bot, build)| {
            let bot = if name == "hands" {
                format!("{bot}/without=nothing/temper=either/rests=7/readiness=8")
            } else {
                bot.to_owned()
            };
            let set = [format!("dungeon={place}"), format!("build={build}")];
            let fixed = ["difficulty=true", "ironman=false", "learnt="].map(str::to_owned);
            let mut all = vec!["--bot".to_owned(), bot];
            all.extend(set.into_iter().chain(fixed).flat_map(|one| ["--set".to_owned(), one]));
            all.extend(["--profile-data".to_owned(), format!("experience={experience}")]);
            best_found(shelf.search(&format!("seek.{name}.{place}"), &all, runs).as_ref())
        },
    )
}

#[test]
fn each_size_is_as_hard_as_it_should_be_by_every_hand() {
    let asked = std::env::var_os("SUB_ROSA_TUNING");
    let asked = asked.and_then(|many| many.to_str()?.parse::<u64>().ok());
    let temporary = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match (std::env::var_os("SUB_ROSA_TUNING_PARTS"), asked) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, Some(_)) => root.join("target/tuning"),
        (None, None) => temporary.path().to_owned(),
    };
    let mut shelf = SimulationStore::open(&folder);
    // Eight groups are a size: two places, four builds.
    let each = asked.map_or(1, |seeds| seeds.div_ceil(8));
    shelf.play(&plan(each, asked.is_some()));
    let mut all = Vec::new();
    for size in &WIN_RATE_TARGETS {
        all.extend(tally_by_build(&shelf, &groups(size, BEST_BOT, "true", 0, false)));
    }
    let all = merge_tallies(&all);
    assert!(all.won > 0.0 && all.won < all.runs, "no descent is lost, or none is won");
    if asked.is_some() {
        let mut page = TuningReport::default();
        for size in &WIN_RATE_TARGETS {
            page.size(&mut shelf, size, each);
        }
        page.lines_of_all_sizes(&shelf);
        let file = root.join("docs/games/sub_rosa_tuning.md");
        let before = fs::read_to_string(&file).unwrap();
        fs::write(&file, page.write_into(&before)).unwrap();
    }
}

//! How hard the bundled game is where it is grim, by bots that play each build by its odds over fixed seeds: won, ended
//! in peace, paths taken, for every descent at the standing it is meant for. A few runs each stand
//! here; `SUB_ROSA_TUNING=200 cargo test --release --test main tuning -- --nocapture` plays as many
//! of each and prints the table of `docs/games/tuning.md`.

// The table is printed for a person who asks for it.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::process::Command;

use crate::support;

/// Builds led by one pillar each, and one by none.
const BUILDS: [&str; 5] = ["blade", "breath", "tongue", "eye", "even"];

/// The paths of the round, as the end of a run counts them.
const PATHS: [&str; 6] = ["strikes", "braces", "speeches", "studies", "casts", "skills"];

/// A size: its descents, the experience of the standing it is meant for, the share of wins that is
/// wanted, in hundredths.
struct Size {
    name: &'static str,
    descents: [&'static str; 2],
    experience: u32,
    wanted: [f64; 2],
    /// How far the builds may lie apart.
    parity: f64,
}

const SIZES: [Size; 4] = [
    Size {
        name: "small",
        descents: ["ice_house", "pledge_house"],
        experience: 0,
        wanted: [0.55, 0.70],
        parity: 0.30,
    },
    Size {
        name: "medium",
        descents: ["ropewalk", "foundry"],
        experience: 360,
        wanted: [0.45, 0.60],
        parity: 0.20,
    },
    Size {
        name: "large",
        descents: ["exchange", "playhouse"],
        experience: 1_680,
        wanted: [0.35, 0.50],
        parity: 0.20,
    },
    Size {
        name: "epic",
        descents: ["lazaret", "library"],
        experience: 3_960,
        wanted: [0.25, 0.40],
        parity: 0.20,
    },
];

/// What a number of runs came to.
#[derive(Clone, Copy, Default)]
struct Tally {
    runs: f64,
    won: f64,
    /// In which whoever waits at the end was met, and those in which enough was known to end it there.
    met: f64,
    could_make_peace: f64,
    paths: [f64; 6],
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.won += other.won;
        self.met += other.met;
        self.could_make_peace += other.could_make_peace;
        for (sum, more) in self.paths.iter_mut().zip(other.paths) {
            *sum += more;
        }
    }

    fn share(self) -> f64 {
        self.won / self.runs
    }

    fn interval(self) -> [f64; 2] {
        wilson(self.won, self.runs)
    }

    /// Of the meetings, those in which peace was to be had.
    fn peace(self) -> [f64; 2] {
        wilson(self.could_make_peace, self.met.max(1.0))
    }
}

/// Wilson's interval of a share, 95 times of 100.
fn wilson(hits: f64, n: f64) -> [f64; 2] {
    let (p, z) = (hits / n, 1.96_f64);
    let middle = p + z * z / (2.0 * n);
    let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    [(middle - reach) / whole, (middle + reach) / whole]
}

/// Runs of one descent by every build, as the command plays them.
fn played(descent: &str, experience: u32, ironman: bool, runs: u64) -> Vec<Tally> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["simulate", "--csv", "--bot", "steady", "--runs", &runs.to_string()]);
    command.args(["--set", &format!("build={}", BUILDS.join(","))]);
    command.args(["--set", "grim=true"]);
    command.args(["--set", &format!("dungeon={descent}"), "--set", &format!("ironman={ironman}")]);
    command.args(["--profile-data", &format!("experience={experience}")]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).unwrap();
    let mut lines = report.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let columns = lines.next().unwrap();
    let mut builds = vec![Tally::default(); BUILDS.len()];
    for cells in lines {
        let of = |name: &str| cells[columns.iter().position(|column| *column == name).unwrap()];
        let at = BUILDS.iter().position(|build| *build == of("build")).unwrap();
        builds[at].add(tally(&of));
    }
    builds
}

/// One run, by what a column of its line holds.
fn tally<'a>(of: &dyn Fn(&str) -> &'a str) -> Tally {
    let number = |name: &str| of(name).parse::<f64>().unwrap();
    let whether = |it: bool| if it { 1.0 } else { 0.0 };
    let met = number("bosses_met");
    Tally {
        runs: 1.0,
        won: whether(matches!(of("outcome"), "victory" | "peace")),
        met,
        could_make_peace: met * whether(number("fragments") >= 4.0),
        paths: PATHS.map(number),
    }
}

fn hundredths(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

#[test]
fn each_size_is_as_hard_as_it_should_be_by_every_build() {
    let runs = support::asked_for("SUB_ROSA_TUNING", 1);
    let whole = runs >= 50;
    let mut page = String::new();
    let mut all = Tally::default();
    let mut faults = Vec::new();
    writeln!(page, "| descent | won % | interval | could make peace % | {} |", BUILDS.join(" | "))
        .unwrap();
    writeln!(page, "|---|---|---|---|---|---|---|---|---|").unwrap();
    for size in &SIZES {
        let mut builds = [Tally::default(); 5];
        for descent in size.descents {
            let of = played(descent, size.experience, false, runs);
            line(&mut page, descent, &of);
            for (sum, more) in builds.iter_mut().zip(of) {
                sum.add(more);
            }
            if !whole {
                break; // a debug build plays one of each size
            }
        }
        let mut together = Tally::default();
        builds.iter().for_each(|build| together.add(*build));
        line(&mut page, &format!("**{}**", size.name), &builds);
        all.add(together);
        let [low, high] = together.interval();
        if high < size.wanted[0] || low > size.wanted[1] {
            faults.push(format!("{}: won {}", size.name, hundredths(together.share())));
        }
        let [low, high] = together.peace();
        if whole && (high < 0.10 || low > 0.60) {
            faults.push(format!("{}: peace was to be had {low:.2} to {high:.2}", size.name));
        }
        let shares = builds.map(Tally::share);
        let best = shares.iter().copied().fold(0.0, f64::max);
        let worst = shares[..4].iter().copied().fold(1.0, f64::min);
        if whole && best - worst > size.parity {
            faults.push(format!("{}: builds lie {} apart", size.name, hundredths(best - worst)));
        }
        if whole && size.name != "small" {
            let mut hard = Tally::default();
            for descent in size.descents {
                let of = played(descent, size.experience, true, runs);
                line(&mut page, &format!("{descent}, ironman"), &of);
                of.into_iter().for_each(|tally| hard.add(tally));
            }
            if together.share() - hard.share() < 0.10 {
                faults.push(format!("{}: ironman won {}", size.name, hundredths(hard.share())));
            }
        }
    }
    let rounds: f64 = all.paths.iter().sum();
    writeln!(page, "\n| path | share of rounds % |\n|---|---|").unwrap();
    for (path, count) in PATHS.iter().zip(all.paths) {
        writeln!(page, "| {path} | {:.1} |", 100.0 * count / rounds).unwrap();
        if whole && !(0.03..=0.60).contains(&(count / rounds)) {
            faults.push(format!("{path}: {:.1} of 100 rounds", 100.0 * count / rounds));
        }
    }
    println!("{page}");
    assert!(all.won > 0.0 && all.won < all.runs, "no descent is lost, or none is won:\n{page}");
    assert!(faults.is_empty(), "{faults:#?}\n{page}");
}

fn line(page: &mut String, name: &str, builds: &[Tally]) {
    let mut together = Tally::default();
    builds.iter().for_each(|build| together.add(*build));
    let [low, high] = together.interval();
    let cells: Vec<_> = builds.iter().map(|build| hundredths(build.share())).collect();
    let peace = together.could_make_peace / together.met.max(1.0);
    writeln!(
        page,
        "| {name} | {} | {} to {} | {} | {} |",
        hundredths(together.share()),
        hundredths(low),
        hundredths(high),
        hundredths(peace),
        cells.join(" | ")
    )
    .unwrap();
}

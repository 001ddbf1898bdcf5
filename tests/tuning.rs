//! How hard the bundled game is, by bots that play each build by its odds over fixed seeds: won, ended in peace, paths
//! taken, for every descent at the standing it is meant for, with more standing, and in each difficulty. A few runs each
//! stand here; `SUB_ROSA_TUNING=112 cargo test --release --test main tuning -- --nocapture` plays as many of each and
//! prints the tables of `docs/games/sub_rosa_tuning.md`. With `SUB_ROSA_TUNING_PARTS` it plays nothing, and reads what
//! `simulate --csv` wrote into files of that folder: `<difficulty>.<descent>.<experience>.<ironman>.<seed>.csv`.

// The table is printed for a person who asks for it.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;

/// The ready hand of each pillar, and one of none.
const READY: [&str; 5] = ["11/8/7/2", "8/12/7/1", "8/8/11/1", "8/7/1/12", "7/7/7/7"];

/// Of each pillar a second hand that it leads by three at least, found by playing what may enter.
const FOUND: [&str; 4] = ["13/10/4/1", "10/13/4/1", "10/4/13/1", "8/8/1/11"];

/// The pillars in their order, and none.
const LEADS: [&str; 5] = ["blade", "breath", "tongue", "eye", "none"];

/// The hands are nine; a hand's pillar is its place among the ready ones, or among those that were found.
const HANDS: usize = READY.len() + FOUND.len();

/// The difficulties, and how many of a hundred more or fewer than in the true one are won.
const OTHERS: [(&str, [f64; 2]); 2] = [("gentle", [0.15, 0.25]), ("grim", [-0.20, -0.10])];

/// The one that is played if nothing is said.
const TRUE: &str = "true";

/// The paths of the round, as the end of a run counts them.
const PATHS: [&str; 6] = ["strikes", "braces", "speeches", "studies", "casts", "skills"];

/// A size: its descents, the standing it is meant for, the share of wins that is wanted.
struct Size {
    name: &'static str,
    descents: [&'static str; 2],
    /// The one that it is meant for.
    standing: u32,
    wanted: [f64; 2],
    /// How far the builds may lie apart.
    parity: f64,
}

const SIZES: [Size; 4] = [
    Size {
        name: "small",
        descents: ["ice_house", "pledge_house"],
        standing: 1,
        wanted: [0.55, 0.70],
        parity: 0.30,
    },
    Size {
        name: "medium",
        descents: ["ropewalk", "foundry"],
        standing: 4,
        wanted: [0.45, 0.60],
        parity: 0.20,
    },
    Size {
        name: "large",
        descents: ["exchange", "playhouse"],
        standing: 8,
        wanted: [0.35, 0.50],
        parity: 0.20,
    },
    Size {
        name: "epic",
        descents: ["lazaret", "library"],
        standing: 12,
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
    /// What all of it paid.
    experience: f64,
    paths: [f64; 6],
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.won += other.won;
        self.met += other.met;
        self.could_make_peace += other.could_make_peace;
        self.experience += other.experience;
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

fn hands() -> impl Iterator<Item = &'static str> {
    READY.into_iter().chain(FOUND)
}

/// What is to be played, and how often: only the ready hands, unless the whole table is asked for.
struct Plan {
    runs: u64,
    whole: bool,
    parts: Option<PathBuf>,
}

impl Plan {
    fn asked_for() -> Self {
        let runs = support::asked_for("SUB_ROSA_TUNING", 1);
        let parts = std::env::var_os("SUB_ROSA_TUNING_PARTS").map(PathBuf::from);
        Self { runs, whole: runs >= 10 || parts.is_some(), parts }
    }

    /// Runs of one descent by every hand.
    fn of(&self, how: &str, descent: &str, experience: u32, ironman: bool) -> Vec<Tally> {
        let mut sums = vec![Tally::default(); HANDS];
        let reports = match &self.parts {
            Some(folder) => kept(folder, &format!("{how}.{descent}.{experience}.{ironman}.")),
            None => vec![self.played(how, descent, experience, ironman)],
        };
        for report in reports {
            let mut lines = report.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let columns = lines.next().unwrap();
            for cells in lines {
                let column = |name: &str| columns.iter().position(|is| *is == name).unwrap();
                let of = |name: &str| cells[column(name)];
                let at = hands().position(|hand| hand == of("build")).unwrap();
                sums[at].add(tally(&of));
            }
        }
        sums
    }

    fn played(&self, how: &str, descent: &str, experience: u32, ironman: bool) -> String {
        let builds: Vec<_> = hands().take(if self.whole { HANDS } else { READY.len() }).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command.args(["simulate", "--csv", "--bot", "steady", "--runs", &self.runs.to_string()]);
        command.args(["--set", &format!("build={}", builds.join(","))]);
        command.args(["--set", &format!("difficulty={how}")]);
        command.args(["--set", &format!("dungeon={descent}")]);
        command.args(["--set", &format!("ironman={ironman}")]);
        command.args(["--profile-data", &format!("experience={experience}")]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Both places of a size together, and a line for each place.
    fn size(
        &self,
        how: &str,
        size: &Size,
        levels: u32,
        ironman: bool,
        lines: &mut String,
    ) -> Vec<Tally> {
        let standing = size.standing + levels;
        let mut sums = vec![Tally::default(); HANDS];
        for descent in size.descents {
            let of = self.of(how, descent, 30 * (standing - 1) * standing, ironman);
            line(lines, descent, &of);
            sums.iter_mut().zip(of).for_each(|(sum, more)| sum.add(more));
            if !self.whole {
                break; // a debug build plays one of each size
            }
        }
        sums
    }
}

/// The files of a folder whose names begin so.
fn kept(folder: &Path, begins: &str) -> Vec<String> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(begins) && name.ends_with(".csv")
    });
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
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
        experience: number("experience"),
        paths: PATHS.map(number),
    }
}

fn hundredths(share: f64) -> String {
    if share.is_nan() { "–".to_owned() } else { format!("{:.0}", share * 100.0) }
}

fn together(hands: &[Tally]) -> Tally {
    let mut sum = Tally::default();
    hands.iter().for_each(|hand| sum.add(*hand));
    sum
}

/// What the best hand of each pillar won.
fn best_led(hands: &[Tally]) -> [f64; 4] {
    // A hand that was not played is no number, and the larger of the two is the other.
    [0, 1, 2, 3].map(|pillar| hands[pillar].share().max(hands[READY.len() + pillar].share()))
}

/// What the places of a size came to against what is wanted of them.
fn judge(size: &Size, hands: &[Tally], faults: &mut Vec<String>, whole: bool) {
    let all = together(hands);
    let [low, high] = all.interval();
    if high < size.wanted[0] || low > size.wanted[1] {
        faults.push(format!("{}: won {}", size.name, hundredths(all.share())));
    }
    let [low, high] = all.peace();
    if whole && (high < 0.10 || low > 0.60) {
        faults.push(format!("{}: peace was to be had {low:.2} to {high:.2}", size.name));
    }
    let led = best_led(hands);
    let (best, worst) =
        (led.iter().copied().fold(0.0, f64::max), led.iter().copied().fold(1.0, f64::min));
    if whole && best - worst > size.parity {
        faults.push(format!("{}: pillars lie {} apart", size.name, hundredths(best - worst)));
    }
}

/// With one breath only: ten of a hundred fewer, at least.
fn one_breath(
    plan: &Plan,
    size: &Size,
    hands: &[Tally],
    page: &mut String,
    faults: &mut Vec<String>,
) {
    let mut lines = String::new();
    let hard = plan.size(TRUE, size, 0, true, &mut lines);
    line(page, &format!("{}, ironman", size.name), &hard);
    if together(hands).share() - together(&hard).share() < 0.10 {
        faults.push(format!("{}: ironman won {}", size.name, hundredths(together(&hard).share())));
    }
}

/// More standing never makes a size harder: by its interval, none wins less than with less.
fn more_standing(
    plan: &Plan,
    size: &Size,
    hands: &[Tally],
    page: &mut String,
    faults: &mut Vec<String>,
) {
    let mut before = together(hands);
    write!(page, "| {} | {}", size.name, won(before)).unwrap();
    for levels in [2, 4] {
        let more = together(&plan.size(TRUE, size, levels, false, &mut String::new()));
        write!(page, " | {}", won(more)).unwrap();
        if more.interval()[1] < before.interval()[0] {
            faults.push(format!("{}: won {} with {levels} levels more", size.name, won(more)));
        }
        before = more;
    }
    writeln!(page, " |").unwrap();
}

/// Gentle and grim beside the true one: how much is won, what a hand may expect to be paid on average, and by
/// which hands most is to be had in which. Says of each of the three whether there is one.
fn difficulties(
    plan: &Plan,
    size: &Size,
    hands: &[Tally],
    page: &mut String,
    faults: &mut Vec<String>,
) -> [bool; 3] {
    let whole = together(hands);
    let [gentle, grim] = OTHERS.map(|(how, _)| plan.size(how, size, 0, false, &mut String::new()));
    for ((how, [low, high]), played) in OTHERS.into_iter().zip([&gentle, &grim]) {
        let all = together(played);
        let [least, most] = all.interval().map(|end| end - whole.share());
        if most < low || least > high || !(0.08..=0.95).contains(&all.share()) {
            let share = hundredths(all.share());
            faults.push(format!(
                "{}: {how} won {share}, true {}",
                size.name,
                hundredths(whole.share())
            ));
        }
    }
    let paid = |hand: &Tally| hand.experience / hand.runs;
    let mut most_from = [0; 3];
    for at in 0..hands.len() {
        let of = [paid(&gentle[at]), paid(&hands[at]), paid(&grim[at])];
        let most = (0..3).max_by(|one, other| of[*one].total_cmp(&of[*other])).unwrap_or(0);
        most_from[most] += 1;
    }
    let all = [together(&gentle), whole, together(&grim)];
    write!(page, "| {} | {} |", size.name, all.map(won).join(" | ")).unwrap();
    let mean = all.map(|tally| format!("{:.0}", paid(&tally))).join(", ");
    writeln!(page, " {mean} | {} |", most_from.map(|hands| hands.to_string()).join(", ")).unwrap();
    most_from.map(|hands| hands > 0)
}

fn won(tally: Tally) -> String {
    let [low, high] = tally.interval();
    let [share, low, high] = [tally.share(), low, high].map(hundredths);
    format!("{share} ({low} to {high}, of {})", tally.runs)
}

#[test]
fn each_size_is_as_hard_as_it_should_be_by_every_build() {
    let plan = Plan::asked_for();
    let (mut page, mut standing, mut hardness) = (String::new(), String::new(), String::new());
    let mut most_from = [false; 3];
    let (mut all, mut faults) = (Tally::default(), Vec::new());
    writeln!(
        page,
        "| descent | runs | won % | interval | met % | could make peace % | {} |",
        LEADS.join(" | ")
    )
    .unwrap();
    writeln!(page, "|---|---|---|---|---|---|---|---|---|---|---|").unwrap();
    for size in &SIZES {
        let hands = plan.size(TRUE, size, 0, false, &mut page);
        line(&mut page, &format!("**{}**", size.name), &hands);
        all.add(together(&hands));
        judge(size, &hands, &mut faults, plan.whole);
        if plan.whole {
            if size.name != "small" {
                one_breath(&plan, size, &hands, &mut page, &mut faults);
            }
            more_standing(&plan, size, &hands, &mut standing, &mut faults);
            let expects = difficulties(&plan, size, &hands, &mut hardness, &mut faults);
            most_from.iter_mut().zip(expects).for_each(|(one, more)| *one |= more);
        }
    }
    let rounds: f64 = all.paths.iter().sum();
    writeln!(page, "\n| path | share of rounds % |\n|---|---|").unwrap();
    for (path, count) in PATHS.iter().zip(all.paths) {
        writeln!(page, "| {path} | {:.1} |", 100.0 * count / rounds).unwrap();
        if plan.whole && !(0.03..=0.60).contains(&(count / rounds)) {
            faults.push(format!("{path}: {:.1} of 100 rounds", 100.0 * count / rounds));
        }
    }
    if plan.whole {
        writeln!(
            page,
            "\n| size | won % | two levels more | four levels more |\n|---|---|---|---|\n{standing}"
        )
        .unwrap();
        writeln!(
            page,
            "| size | gentle, won % | true | grim | paid: gentle, true, grim | best paid in |"
        )
        .unwrap();
        writeln!(page, "|---|---|---|---|---|---|\n{hardness}").unwrap();
        if most_from.contains(&false) {
            faults
                .push(format!("gentle, true, grim: somebody expects most from it: {most_from:?}"));
        }
    }
    println!("{page}");
    assert!(all.won > 0.0 && all.won < all.runs, "no descent is lost, or none is won:\n{page}");
    assert!(faults.is_empty(), "{faults:#?}\n{page}");
}

/// A line of the table; in the cell of a pillar the ready hand, then the one that was found.
fn line(page: &mut String, name: &str, hands: &[Tally]) {
    let all = together(hands);
    let [low, high] = all.interval();
    let cells = (0..READY.len()).map(|at| match hands.get(READY.len() + at) {
        Some(found) if found.runs > 0.0 => {
            format!("{}, {}", hundredths(hands[at].share()), hundredths(found.share()))
        }
        _ => hundredths(hands[at].share()),
    });
    writeln!(
        page,
        "| {name} | {} | {} | {} to {} | {} | {} | {} |",
        all.runs,
        hundredths(all.share()),
        hundredths(low),
        hundredths(high),
        hundredths(all.met / all.runs),
        hundredths(all.could_make_peace / all.met.max(1.0)),
        cells.collect::<Vec<_>>().join(" | ")
    )
    .unwrap();
}

//! The report: each target with its result, then the tables behind them.

use std::fmt::Write as _;

use super::simulations::SimulationStore;
use super::tally::{Estimate, RunTally, WAYS};
use super::{
    BEST_BOT, BOTS_WITHOUT_ONE_WAY, BUILDS, DIFFICULTIES, WIN_RATE_TARGETS, WinRateTarget, groups,
    merge_tallies, search_best, tally_by_build,
};

/// The marks around the text that the command writes.
const MARKS: [&str; 2] = ["<!-- tuning -->", "<!-- /tuning -->"];

/// The text of the report.
#[derive(Default)]
pub struct TuningReport {
    lines: String,
    /// The number of lines without runs.
    unplayed: usize,
    places: String,
    found: String,
    paid: String,
}

impl TuningReport {
    /// A line with its target.
    fn line(&mut self, what: &str, window: [f64; 2], figure: Estimate) {
        let wanted = match window {
            [least, most] if most > 1000.0 => format!("at least {least:.0}"),
            [least, most] if least < -1000.0 => format!("at most {most:.0}"),
            [least, most] => format!("{least:.0} to {most:.0}"),
        };
        if !figure.is.is_finite() {
            self.unplayed += 1;
            return;
        }
        let (told, runs, verdict) = (figure.in_hundredths(), figure.runs, figure.verdict(window));
        writeln!(self.lines, "| {what} | {wanted} | {told} | {runs} | {verdict} |").unwrap();
    }

    /// All lines of a size.
    pub fn size(&mut self, shelf: &mut SimulationStore, size: &WinRateTarget, each: u64) {
        let name = size.name;
        let of = |shelf: &SimulationStore, bot, how, ironman| {
            tally_by_build(shelf, &groups(size, bot, how, 0, ironman))
        };
        let hands = of(shelf, BEST_BOT, "true", false);
        let plain = merge_tallies(&hands);
        let won = plain.share();
        let [gentle, grim] = [DIFFICULTIES[1], DIFFICULTIES[2]]
            .map(|how| merge_tallies(&of(shelf, BEST_BOT, how, false)));
        self.line(&format!("{name}: won"), size.wanted, won);
        self.line(&format!("{name}: gentle, more"), [15.0, 25.0], gentle.share().less(won));
        self.line(&format!("{name}: gentle"), [f64::MIN, 95.0], gentle.share());
        self.line(&format!("{name}: grim, fewer"), [10.0, 20.0], won.less(grim.share()));
        self.line(&format!("{name}: grim"), [8.0, f64::MAX], grim.share());
        let peace = Estimate::share(plain.peace, plain.met);
        self.line(&format!("{name}: peace possible, of meetings"), [15.0, 45.0], peace);
        for (at, way) in WAYS.iter().take(4).enumerate() {
            let alike = Estimate::mean(&hands.map(|hand| hand.way(at)));
            self.line(&format!("{name}: {way}, of rounds"), [5.0, 40.0], alike);
        }
        if name != "small" {
            self.line(&format!("{name}: casts, of who casts"), [5.0, 40.0], hands[3].way(4));
            let hard = of(shelf, BEST_BOT, "true", true);
            let pays = merge_tallies(&hard).paid().of(plain.paid());
            self.line(&format!("{name}: ironman pays, of what it costs"), [90.0, 125.0], pays);
        }
        if plain.skills[0] > 0.0 {
            let used = Estimate::share(plain.skills[1], plain.skills[0]);
            self.line(&format!("{name}: skills used"), [50.0, f64::MAX], used);
        }
        let used = Estimate::share(plain.things[1], plain.things[0]);
        self.line(&format!("{name}: things used"), [50.0, f64::MAX], used);
        let hasty = merge_tallies(&of(shelf, "hasty", "true", false)).share().of(won);
        self.line(
            &format!("{name}: straight to the last door, of going round"),
            [0.0, 50.0],
            hasty,
        );
        for bot in BOTS_WITHOUT_ONE_WAY {
            let way = bot.rsplit('=').next().unwrap_or_default();
            if way == "cast" && name == "small" {
                continue;
            }
            let left = of(shelf, bot, "true", false);
            // Only casters can leave it out.
            let (whole, left) = match way {
                "cast" => (hands[3].share(), left[3].share()),
                _ => (won, merge_tallies(&left).share()),
            };
            self.line(&format!("{name}: without {way}, fewer"), [3.0, f64::MAX], whole.less(left));
        }
        for place in size.places {
            self.place(shelf, size, place, each);
        }
        self.difficulties(shelf, size);
    }

    /// The lines of a place: its searches, and its row.
    fn place(&mut self, shelf: &mut SimulationStore, size: &WinRateTarget, place: &str, each: u64) {
        let mut own = groups(size, BEST_BOT, "true", 0, false);
        own.retain(|group| group.place == place);
        let hands = tally_by_build(shelf, &own);
        let all = merge_tallies(&hands);
        let [best, cycle, way] = search_best(shelf, size, place, each);
        if let Some((what, figure)) = &best {
            for (hand, name) in hands.iter().zip(BUILDS) {
                let above = figure.less(hand.share());
                self.line(
                    &format!("{place}: best hand found over the {name}"),
                    [f64::MIN, 10.0],
                    above,
                );
            }
            writeln!(self.found, "| {place} | best hand | {what} | {} |", figure.in_hundredths())
                .unwrap();
        }
        if let Some((what, figure)) = &cycle {
            self.line(
                &format!("{place}: best cycle, of reading"),
                [f64::MIN, 60.0],
                figure.of(best_led(&hands)),
            );
            writeln!(self.found, "| {place} | best cycle | {what} | {} |", figure.in_hundredths())
                .unwrap();
        }
        if let Some((what, figure)) = &way {
            writeln!(
                self.found,
                "| {place} | best way to read | {what} | {} |",
                figure.in_hundredths()
            )
            .unwrap();
        }
        write!(
            self.places,
            "| {place} | {} | {} | {:.0} ",
            all.runs,
            all.share().in_hundredths(),
            100.0 * all.met / all.runs
        )
        .unwrap();
        hands
            .iter()
            .for_each(|hand| write!(self.places, "| {:.0} ", 100.0 * hand.share().is).unwrap());
        (0..WAYS.len())
            .for_each(|at| write!(self.places, "| {:.0} ", 100.0 * all.way(at).is).unwrap());
        writeln!(self.places, "|").unwrap();
    }

    /// What each difficulty pays, and the effect of more standing and of one breath.
    fn difficulties(&mut self, shelf: &SimulationStore, size: &WinRateTarget) {
        for bot in [BEST_BOT, "hasty"] {
            let of =
                DIFFICULTIES.map(|how| tally_by_build(shelf, &groups(size, bot, how, 0, false)));
            let told = |tally: &RunTally| match tally.runs > 0.0 {
                true => format!("{:.0}, {:.0}", 100.0 * tally.share().is, tally.paid().is),
                false => "–".to_owned(),
            };
            for (at, hand) in BUILDS.iter().enumerate() {
                let [true_, gentle, grim] = of.map(|hands| told(&hands[at]));
                if [&true_, &gentle, &grim].iter().all(|cell| *cell == "–") {
                    continue;
                }
                writeln!(
                    self.paid,
                    "| {} | {bot} | {hand} | {gentle} | {true_} | {grim} |",
                    size.name
                )
                .unwrap();
            }
        }
    }

    /// The targets of all sizes together.
    pub fn lines_of_all_sizes(&mut self, shelf: &SimulationStore) {
        let mut most = [0.0; 3];
        for size in &WIN_RATE_TARGETS {
            for bot in [BEST_BOT, "hasty"] {
                let of = DIFFICULTIES
                    .map(|how| tally_by_build(shelf, &groups(size, bot, how, 0, false)));
                for at in 0..BUILDS.len() {
                    let paid = of.map(|hands| hands[at].paid().is);
                    let best = (0..3).filter(|how| paid[*how].is_finite());
                    if let Some(best) =
                        best.max_by(|one, other| paid[*one].total_cmp(&paid[*other]))
                    {
                        most[best] += 1.0;
                    }
                }
            }
        }
        for (how, many) in DIFFICULTIES.iter().zip(most) {
            let figure =
                Estimate { is: many / 100.0, low: many / 100.0, high: many / 100.0, runs: 32.0 };
            self.line(
                &format!("{how}: hands and bots of 32 that expect most from it"),
                [1.0, f64::MAX],
                figure,
            );
        }
        for size in &WIN_RATE_TARGETS {
            for levels in [2, 4] {
                let more = merge_tallies(&tally_by_build(
                    shelf,
                    &groups(size, BEST_BOT, "true", levels, false),
                ))
                .share();
                let less = merge_tallies(&tally_by_build(
                    shelf,
                    &groups(size, BEST_BOT, "true", levels - 2, false),
                ))
                .share();
                let what = format!("{}: {levels} levels more, over {}", size.name, levels - 2);
                self.line(&what, [0.0, f64::MAX], more.less(less));
            }
        }
    }

    /// The page with the report in its place.
    pub fn write_into(&self, before: &str) -> String {
        let (head, rest) = before.split_once(MARKS[0]).unwrap();
        let (_, tail) = rest.split_once(MARKS[1]).unwrap();
        let missed = self.lines.lines().filter(|line| line.contains("**MISS**")).count();
        let perhaps = self.lines.lines().filter(|line| line.contains("by chance")).count();
        let Self { lines, unplayed, places, found, paid } = self;
        let found = match found.is_empty() {
            true => String::new(),
            false => format!("| place | sought | found | won % |\n|---|---|---|---|\n{found}\n"),
        };
        let hands = BUILDS.join(" | ");
        let ways = WAYS.join(" | ");
        format!(
            "{head}{}\n{} lines: {missed} miss, {perhaps} perhaps by chance. Not played: {unplayed}.\n\n\
             | line | wanted | came to | runs | |\n|---|---|---|---|---|\n{lines}\n\
             | place | runs | won % | met % | {hands} | {ways} |\n|{}\n{places}\n\
             {found}\
             | size | bot | hand | gentle: won, paid | true: won, paid | grim: won, paid |\n|---|---|---|---|---|---|\n{paid}\n{}{tail}",
            MARKS[0],
            lines.lines().count(),
            "---|".repeat(4 + BUILDS.len() + WAYS.len()),
            MARKS[1],
        )
    }
}

/// The wins of the best ready-made build: the baseline of fixed cycles.
fn best_led(hands: &[RunTally]) -> Estimate {
    let shares = hands.iter().map(RunTally::share);
    shares.max_by(|one, other| one.is.total_cmp(&other.is)).unwrap_or(Estimate::share(0.0, 1.0))
}

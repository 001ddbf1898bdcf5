//! The report: each target with its result, then the tables behind them.

use std::fmt::Write as _;

use super::simulations::SimulationStore;
use super::tally::{Estimate, ROUND_ACTIONS, RunTally};
use super::{
    BEST_BOT, BOTS_WITHOUT_ONE_ACTION, BUILDS, DIFFICULTIES, WIN_RATE_TARGETS, WinRateTarget,
    groups_of_size, merge_tallies, search_best, tally_by_build,
};

/// The marks around the text that the command writes.
const REPORT_MARKERS: [&str; 2] = ["<!-- tuning -->", "<!-- /tuning -->"];

/// The text of the report.
#[derive(Default)]
pub struct TuningReport {
    line_rows: String,
    /// The number of lines without runs.
    unplayed_count: usize,
    place_rows: String,
    search_rows: String,
    payment_rows: String,
}

impl TuningReport {
    /// A line with its target.
    fn add_line(&mut self, label: &str, target_range: [f64; 2], figure: Estimate) {
        let target_text = match target_range {
            [min, max] if max > 1000.0 => format!("at least {min:.0}"),
            [min, max] if min < -1000.0 => format!("at most {max:.0}"),
            [min, max] => format!("{min:.0} to {max:.0}"),
        };
        if !figure.value.is_finite() {
            self.unplayed_count += 1;
            return;
        }
        let (estimate_text, runs, verdict) =
            (figure.in_hundredths(), figure.runs, figure.verdict(target_range));
        writeln!(
            self.line_rows,
            "| {label} | {target_text} | {estimate_text} | {runs} | {verdict} |"
        )
        .unwrap();
    }

    /// All lines of a size.
    pub fn add_size(
        &mut self,
        store: &mut SimulationStore,
        size: &WinRateTarget,
        runs_per_group: u64,
    ) {
        let name = size.name;
        let tallies = |store: &SimulationStore, bot, difficulty, ironman| {
            tally_by_build(store, &groups_of_size(size, bot, difficulty, 0, ironman))
        };
        let build_tallies = tallies(store, BEST_BOT, "true", false);
        let total = merge_tallies(&build_tallies);
        let win_share = total.win_share();
        let [gentle, grim] = [DIFFICULTIES[1], DIFFICULTIES[2]]
            .map(|difficulty| merge_tallies(&tallies(store, BEST_BOT, difficulty, false)));
        self.add_line(&format!("{name}: won"), size.win_percent_range, win_share);
        self.add_line(
            &format!("{name}: gentle, more"),
            [15.0, 25.0],
            gentle.win_share().minus(win_share),
        );
        self.add_line(&format!("{name}: gentle"), [f64::MIN, 95.0], gentle.win_share());
        self.add_line(
            &format!("{name}: grim, fewer"),
            [10.0, 20.0],
            win_share.minus(grim.win_share()),
        );
        self.add_line(&format!("{name}: grim"), [8.0, f64::MAX], grim.win_share());
        let peace = Estimate::from_share(total.possible_peaces, total.boss_meetings);
        self.add_line(&format!("{name}: peace possible, of meetings"), [15.0, 45.0], peace);
        for (way_index, best_parameters) in ROUND_ACTIONS.iter().take(4).enumerate() {
            let mean_share = Estimate::mean_of(
                &build_tallies.map(|build_tally| build_tally.action_share(way_index)),
            );
            self.add_line(
                &format!("{name}: {best_parameters}, of rounds"),
                [5.0, 40.0],
                mean_share,
            );
        }
        if name != "small" {
            self.add_line(
                &format!("{name}: casts, of who casts"),
                [5.0, 40.0],
                build_tallies[3].action_share(4),
            );
            let ironman_tallies = tallies(store, BEST_BOT, "true", true);
            let payment_ratio =
                merge_tallies(&ironman_tallies).mean_payment().ratio_to(total.mean_payment());
            self.add_line(
                &format!("{name}: ironman pays, of what it costs"),
                [90.0, 125.0],
                payment_ratio,
            );
        }
        if total.skill_runs[0] > 0.0 {
            let used_share = Estimate::from_share(total.skill_runs[1], total.skill_runs[0]);
            self.add_line(&format!("{name}: skills used"), [50.0, f64::MAX], used_share);
        }
        let used_share = Estimate::from_share(total.item_runs[1], total.item_runs[0]);
        self.add_line(&format!("{name}: things used"), [50.0, f64::MAX], used_share);
        let hasty_ratio =
            merge_tallies(&tallies(store, "hasty", "true", false)).win_share().ratio_to(win_share);
        self.add_line(
            &format!("{name}: straight to the last door, of going round"),
            [0.0, 50.0],
            hasty_ratio,
        );
        for bot in BOTS_WITHOUT_ONE_ACTION {
            let best_parameters = bot.rsplit('=').next().unwrap_or_default();
            if best_parameters == "cast" && name == "small" {
                continue;
            }
            let without_way = tallies(store, bot, "true", false);
            // Only casters can leave it out.
            let (with_way, without_way) = match best_parameters {
                "cast" => (build_tallies[3].win_share(), without_way[3].win_share()),
                _ => (win_share, merge_tallies(&without_way).win_share()),
            };
            self.add_line(
                &format!("{name}: without {best_parameters}, fewer"),
                [3.0, f64::MAX],
                with_way.minus(without_way),
            );
        }
        for place in size.places {
            self.add_place(store, size, place, runs_per_group);
        }
        self.add_difficulties(store, size);
    }

    /// The lines of a place: its searches, and its row.
    fn add_place(
        &mut self,
        store: &mut SimulationStore,
        size: &WinRateTarget,
        place: &str,
        runs_per_group: u64,
    ) {
        let mut place_groups = groups_of_size(size, BEST_BOT, "true", 0, false);
        place_groups.retain(|group| group.place == place);
        let build_tallies = tally_by_build(store, &place_groups);
        let total = merge_tallies(&build_tallies);
        let [best_build, best_cycle, best_parameters] =
            search_best(store, size, place, runs_per_group);
        if let Some((label, figure)) = &best_build {
            for (build_tally, name) in build_tallies.iter().zip(BUILDS) {
                let difference = figure.minus(build_tally.win_share());
                self.add_line(
                    &format!("{place}: best hand found over the {name}"),
                    [f64::MIN, 10.0],
                    difference,
                );
            }
            writeln!(
                self.search_rows,
                "| {place} | best hand | {label} | {} |",
                figure.in_hundredths()
            )
            .unwrap();
        }
        if let Some((label, figure)) = &best_cycle {
            self.add_line(
                &format!("{place}: best cycle, of reading"),
                [f64::MIN, 60.0],
                figure.ratio_to(best_build_share(&build_tallies)),
            );
            writeln!(
                self.search_rows,
                "| {place} | best cycle | {label} | {} |",
                figure.in_hundredths()
            )
            .unwrap();
        }
        if let Some((label, figure)) = &best_parameters {
            writeln!(
                self.search_rows,
                "| {place} | best way to read | {label} | {} |",
                figure.in_hundredths()
            )
            .unwrap();
        }
        write!(
            self.place_rows,
            "| {place} | {} | {} | {:.0} ",
            total.runs,
            total.win_share().in_hundredths(),
            100.0 * total.boss_meetings / total.runs
        )
        .unwrap();
        build_tallies.iter().for_each(|build_tally| {
            write!(self.place_rows, "| {:.0} ", 100.0 * build_tally.win_share().value).unwrap()
        });
        (0..ROUND_ACTIONS.len()).for_each(|way_index| {
            write!(self.place_rows, "| {:.0} ", 100.0 * total.action_share(way_index).value)
                .unwrap()
        });
        writeln!(self.place_rows, "|").unwrap();
    }

    /// What each difficulty pays, and the effect of more standing and of one breath.
    fn add_difficulties(&mut self, store: &SimulationStore, size: &WinRateTarget) {
        for bot in [BEST_BOT, "hasty"] {
            let tallies_by_difficulty = DIFFICULTIES.map(|difficulty| {
                tally_by_build(store, &groups_of_size(size, bot, difficulty, 0, false))
            });
            let share_and_payment = |tally: &RunTally| match tally.runs > 0.0 {
                true => format!(
                    "{:.0}, {:.0}",
                    100.0 * tally.win_share().value,
                    tally.mean_payment().value
                ),
                false => "–".to_owned(),
            };
            for (way_index, build_tally) in BUILDS.iter().enumerate() {
                let [true_, gentle, grim] = tallies_by_difficulty
                    .map(|build_tallies| share_and_payment(&build_tallies[way_index]));
                if [&true_, &gentle, &grim].iter().all(|cell| *cell == "–") {
                    continue;
                }
                writeln!(
                    self.payment_rows,
                    "| {} | {bot} | {build_tally} | {gentle} | {true_} | {grim} |",
                    size.name
                )
                .unwrap();
            }
        }
    }

    /// The targets of all sizes together.
    pub fn add_lines_of_all_sizes(&mut self, store: &SimulationStore) {
        let mut best_counts = [0.0; 3];
        for size in &WIN_RATE_TARGETS {
            for bot in [BEST_BOT, "hasty"] {
                let tallies_by_difficulty = DIFFICULTIES.map(|difficulty| {
                    tally_by_build(store, &groups_of_size(size, bot, difficulty, 0, false))
                });
                for way_index in 0..BUILDS.len() {
                    let paid = tallies_by_difficulty
                        .map(|build_tallies| build_tallies[way_index].mean_payment().value);
                    let best_build = (0..3).filter(|difficulty| paid[*difficulty].is_finite());
                    if let Some(best_build) =
                        best_build.max_by(|first, second| paid[*first].total_cmp(&paid[*second]))
                    {
                        best_counts[best_build] += 1.0;
                    }
                }
            }
        }
        for (difficulty, count) in DIFFICULTIES.iter().zip(best_counts) {
            let figure = Estimate {
                value: count / 100.0,
                lower_bound: count / 100.0,
                upper_bound: count / 100.0,
                runs: 32.0,
            };
            self.add_line(
                &format!("{difficulty}: hands and bots of 32 that expect most from it"),
                [1.0, f64::MAX],
                figure,
            );
        }
        for size in &WIN_RATE_TARGETS {
            for levels in [2, 4] {
                let higher_share = merge_tallies(&tally_by_build(
                    store,
                    &groups_of_size(size, BEST_BOT, "true", levels, false),
                ))
                .win_share();
                let lower_share = merge_tallies(&tally_by_build(
                    store,
                    &groups_of_size(size, BEST_BOT, "true", levels - 2, false),
                ))
                .win_share();
                let label = format!("{}: {levels} levels more, over {}", size.name, levels - 2);
                self.add_line(&label, [0.0, f64::MAX], higher_share.minus(lower_share));
            }
        }
    }

    /// The page with the report in its place.
    pub fn write_into(&self, page_before: &str) -> String {
        let (text_before, after_start_marker) = page_before.split_once(REPORT_MARKERS[0]).unwrap();
        let (_, text_after) = after_start_marker.split_once(REPORT_MARKERS[1]).unwrap();
        let missed_count = self.line_rows.lines().filter(|line| line.contains("**MISS**")).count();
        let uncertain_count =
            self.line_rows.lines().filter(|line| line.contains("by chance")).count();
        let Self { line_rows, unplayed_count, place_rows, search_rows: found, payment_rows: paid } =
            self;
        let search_table = match found.is_empty() {
            true => String::new(),
            false => format!("| place | sought | found | won % |\n|---|---|---|---|\n{found}\n"),
        };
        let build_tallies = BUILDS.join(" | ");
        let way_names = ROUND_ACTIONS.join(" | ");
        format!(
            "{text_before}{}\n{} lines: {missed_count} miss, {uncertain_count} perhaps by chance. Not played: {unplayed_count}.\n\n\
             | line | wanted | came to | runs | |\n|---|---|---|---|---|\n{line_rows}\n\
             | place | runs | won % | met % | {build_tallies} | {way_names} |\n|{}\n{place_rows}\n\
             {search_table}\
             | size | bot | hand | gentle: won, paid | true: won, paid | grim: won, paid |\n|---|---|---|---|---|---|\n{paid}\n{}{text_after}",
            REPORT_MARKERS[0],
            line_rows.lines().count(),
            "---|".repeat(4 + BUILDS.len() + ROUND_ACTIONS.len()),
            REPORT_MARKERS[1],
        )
    }
}

/// The wins of the best ready-made build: the baseline of fixed cycles.
fn best_build_share(build_tallies: &[RunTally]) -> Estimate {
    let shares = build_tallies.iter().map(RunTally::win_share);
    shares
        .max_by(|first, second| first.value.total_cmp(&second.value))
        .unwrap_or(Estimate::from_share(0.0, 1.0))
}

//! The history: finished runs, records, achievements, and unfinished practice runs.

use base::host_text;
use base::host_texts::translate_host_text;
use std::collections::{BTreeMap, BTreeSet};

use super::run_labels::RunLabels;
use super::{ExitReason, HostPrompts, Menu, host_choice, host_prompt};
use crate::full_screen::{Palette, Theme, page_svg};
use crate::report_names::{ReportNames, readable_key};
use crate::run_report::RunReport;
use base::Value;
use base::text::{display_value, escape_markup};
use content::{Datum, Definition, Registry};
use protocol::view::{ListItem, PlacedWidget, Widget, WidgetSlot};
use protocol::{Choice, StoryEvent, View};
use save::{FinishedRun, RunHeader, RunStatus};
use session::{ReplayPlayer, RunSummary};

/// The prefix of the choice of an unfinished run, before its id.
pub(super) const UNFINISHED_RUN_PREFIX: &str = "unfinished";

/// An unfinished practice run.
pub(super) struct UnfinishedRun {
    pub header: RunHeader,
    pub answer_count: u64,
}

/// The runs of a list.
#[derive(Clone, Copy)]
enum RunListKind {
    Counted,
    Practice,
}

const HISTORY_SCENE: &str = "host:history";
/// The most runs that the list shows at once; so many fit in two columns with all details.
const RUNS_PER_PAGE: usize = 20;

/// Puts its number before each run if two labels are equal: with two runs in a row there is no room
/// for notes.
fn number_equal_labels(runs: &mut [Choice]) {
    let labels: BTreeSet<&str> = runs.iter().map(|run| &*run.label).collect();
    if labels.len() == runs.len() {
        return;
    }
    for run in runs {
        let number = run.id.rsplit_once('-').map_or("", |(_, number)| number);
        run.label = format!("#{} {}", number.trim_start_matches('0'), run.label);
    }
}

impl Menu {
    /// Shows the history until the player goes back.
    pub(super) fn show_history(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        self.show_run_list(host_prompts, draw_seed, RunListKind::Counted)
    }

    fn show_run_list(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
        kind: RunListKind,
    ) -> Result<(), ExitReason> {
        let mut first_run = 0;
        loop {
            let finished = self.profile_lock.profile().game_profile(&self.game_id).finished_runs;
            let (counted, practice): (Vec<FinishedRun>, Vec<FinishedRun>) =
                finished.into_iter().partition(|run| run.was_paid);
            let unfinished_practice = self.unfinished_practice_runs();
            let mut choices = vec![host_choice("back", &host_text!("Back"))];
            let (history, unfinished) = match kind {
                RunListKind::Practice => (practice, unfinished_practice),
                RunListKind::Counted => {
                    choices.push(host_choice("records", &host_text!("Records")));
                    if self.registry.active_definitions("achievement").next().is_some() {
                        choices.push(host_choice("achievements", &host_text!("Achievements")));
                    }
                    let count = unfinished_practice.len() + practice.len();
                    if count > 0 {
                        let note = count.to_string();
                        let label = host_text!("Practice runs");
                        choices.push(Choice { note, ..host_choice("practice", &label) });
                    }
                    (counted, Vec::new())
                }
            };
            let labels = RunLabels::from_registry(&self.registry, &self.game_id);
            let unfinished = unfinished.iter().map(|run| labels.unfinished_run_choice(run));
            let finished = history.iter().rev().map(|run| labels.run_choice(run));
            let mut runs: Vec<Choice> = unfinished.chain(finished).collect();
            number_equal_labels(&mut runs);
            first_run = first_run.min(runs.len().saturating_sub(1) / RUNS_PER_PAGE * RUNS_PER_PAGE);
            let end = runs.len().min(first_run + RUNS_PER_PAGE);
            if end < runs.len() {
                choices.push(host_choice("older", &host_text!("Older runs")));
            }
            if first_run > 0 {
                choices.push(host_choice("newer", &host_text!("Newer runs")));
            }
            let text = match runs.len() {
                0 => host_text!("No run is finished yet."),
                all if all <= RUNS_PER_PAGE => match kind {
                    RunListKind::Counted => String::new(),
                    RunListKind::Practice => host_text!("Practice runs, the newest first."),
                },
                all => host_text!(
                    "Runs {first} to {end} of {all}, the newest first.",
                    first = first_run + 1,
                    end = end,
                    all = all
                ),
            };
            choices.extend(runs.into_iter().skip(first_run).take(RUNS_PER_PAGE));
            // Each part of the list is its own prompt, so keys and numbers start again.
            let range_text = if first_run > 0 {
                host_text!(" ({first} to {end})", first = first_run + 1, end = end)
            } else {
                String::new()
            };
            let heading = match kind {
                RunListKind::Counted => host_text!("History"),
                RunListKind::Practice => host_text!("Practice runs"),
            };
            let title = format!("{}: {heading}{range_text}", self.game_name());
            let view = View { title, widgets: Vec::new() };
            let chosen =
                host_prompts.ask_choice(&host_prompt(HISTORY_SCENE, &text, choices), &view)?;
            match chosen.as_deref().map(|id| id.split_once(':').unwrap_or((id, ""))) {
                Some(("older", _)) => first_run += RUNS_PER_PAGE,
                Some(("newer", _)) => first_run = first_run.saturating_sub(RUNS_PER_PAGE),
                Some(("records", _)) => host_prompts.frontend.show_page(&self.statistics_page())?,
                Some(("achievements", _)) => {
                    host_prompts.frontend.show_page(&self.achievements_page())?
                }
                Some(("practice", _)) => {
                    self.show_run_list(host_prompts, draw_seed, RunListKind::Practice)?
                }
                Some((UNFINISHED_RUN_PREFIX, run_id)) => {
                    self.show_past_run(host_prompts, run_id, draw_seed, true)?
                }
                Some(("run", run_id)) => {
                    self.show_past_run(host_prompts, run_id, draw_seed, false)?
                }
                _ => return Ok(()),
            }
        }
    }

    /// Shows what can be done with a run of the list.
    fn show_past_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
        draw_seed: &mut dyn FnMut() -> u64,
        is_unfinished: bool,
    ) -> Result<(), ExitReason> {
        loop {
            let continue_choice = host_choice("continue", &host_text!("Continue"));
            let mut choices: Vec<Choice> =
                Some(continue_choice).filter(|_| is_unfinished).into_iter().collect();
            choices.extend([
                host_choice("page", &host_text!("Show the report")),
                host_choice("copy", &host_text!("Copy the report as text")),
                host_choice("picture", &host_text!("Save the report as a picture")),
                host_choice("watch", &host_text!("Watch the replay")),
                host_choice("back", &host_text!("Back")),
            ]);
            let view = View { title: escape_markup(run_id), widgets: Vec::new() };
            match host_prompts
                .ask_choice(&host_prompt(HISTORY_SCENE, "", choices), &view)?
                .as_deref()
            {
                Some(what @ ("page" | "copy" | "picture")) => {
                    match RunSummary::from_run(&self.setup.data_dir, run_id) {
                        Ok(summary) => {
                            let report = self.build_report(&summary, &[]);
                            self.export_report(host_prompts, run_id, &report, what)?;
                        }
                        Err(problem) => self.show_problem_and_wait(host_prompts, &problem)?,
                    }
                }
                Some("continue") => return self.resume_run(host_prompts, run_id, draw_seed),
                Some("watch") => match ReplayPlayer::open(&self.setup.data_dir, run_id) {
                    Ok(replay) => self.watch_replay(host_prompts, replay, draw_seed)?,
                    Err(problem) => self.show_problem_and_wait(host_prompts, &problem)?,
                },
                _ => return Ok(()),
            }
        }
    }

    /// Shows, copies or exports the report of a run.
    pub(super) fn export_report(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
        report: &RunReport,
        destination: &str,
    ) -> Result<(), ExitReason> {
        let (name, page, copied) = match destination {
            "copy" => (
                "page.txt",
                report.to_plain_text(),
                host_prompts.frontend.copy_to_clipboard(&report.to_plain_text())?,
            ),
            "picture" => {
                let theme = Theme::from_palette(Palette::Dark);
                ("page.svg", page_svg(&report.to_view(), theme), false)
            }
            _ => return Ok(host_prompts.frontend.show_page(&report.to_view())?),
        };
        if !self.setup.is_persistent {
            let text = match copied {
                true => host_text!("Copied to the clipboard"),
                false => host_text!("Not saved: this session saves no files"),
            };
            return Ok(host_prompts.frontend.show_events(&[StoryEvent::Note { text }])?);
        }
        match self.setup.data_dir.write_run_page(run_id, name, &page) {
            Ok(path) => {
                let path = path.display();
                let text = escape_markup(&match copied {
                    true => host_text!("Copied to the clipboard and saved as {path}", path = path),
                    false => host_text!("Saved as {path}", path = path),
                });
                Ok(host_prompts.frontend.show_events(&[StoryEvent::Note { text }])?)
            }
            Err(problem) => self.show_problem_and_wait(host_prompts, &problem),
        }
    }

    /// The report of a run.
    pub(super) fn build_report(&self, summary: &RunSummary, achievements: &[String]) -> RunReport {
        let labels = RunLabels::from_registry(&self.registry, &self.game_id);
        let empty_outcome = Value::map();
        let ended = summary.run_state.run_ending.as_ref();
        let outcome = ended.map_or(&empty_outcome, |ending| &ending.outcome);
        let history_cells = labels.distinguishing_values(outcome, &summary.header.options);
        let names = ReportNames {
            game: translate_host_text(&self.game_source().manifest.name, &[]),
            history_cells,
            options: labels.option_texts(&summary.header.options),
            definition_name: &|id| labels.definition_name(id),
        };
        RunReport::from_summary(summary, &names, achievements)
    }

    /// Unfinished practice runs, newest first.
    fn unfinished_practice_runs(&self) -> Vec<UnfinishedRun> {
        let Ok(runs) = self.setup.data_dir.list_runs() else { return Vec::new() };
        let unfinished = runs.into_iter().rev().filter_map(|line| {
            let header = line.header?;
            let is_own_run =
                header.profile_id == self.profile_lock.id() && header.game == self.game_id;
            match line.status {
                RunStatus::Unfinished { next_step } if is_own_run && !header.is_counted() => {
                    Some(UnfinishedRun { header, answer_count: next_step.saturating_sub(1) })
                }
                _ => None,
            }
        });
        unfinished.collect()
    }

    /// Statistics over the runs that earned something; practice is counted apart.
    fn statistics_page(&self) -> View {
        let game = self.profile_lock.profile().game_profile(&self.game_id);
        let history = &game.finished_runs;
        let earning_runs: Vec<&FinishedRun> = history.iter().filter(|run| run.was_paid).collect();
        let labels = RunLabels::from_registry(&self.registry, &self.game_id);
        let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
        let mut highest_values: BTreeMap<String, (i64, &str)> = BTreeMap::new();
        for run in &earning_runs {
            *outcomes.entry(labels.outcome_text(run)).or_default() += 1;
            for (key, value) in run.outcome.as_map().into_iter().flatten() {
                let Some(number) = value.as_int() else { continue };
                let best = highest_values.entry(readable_key(key)).or_insert((number, &run.run_id));
                if number > best.0 {
                    *best = (number, &run.run_id);
                }
            }
        }
        let stat = |label: &str, value: usize| Widget::Stat {
            label: escape_markup(label),
            value: i64::try_from(value).unwrap_or(i64::MAX),
            note: String::new(),
        };
        let mut widgets = vec![
            stat(
                &host_text!("Runs started"),
                usize::try_from(game.runs_started).unwrap_or(usize::MAX),
            ),
            stat(&host_text!("Runs finished"), earning_runs.len()),
            stat(&host_text!("Practice runs finished"), history.len() - earning_runs.len()),
            stat(&host_text!("Same outcome in a row"), count_latest_same_outcomes(&earning_runs)),
        ];
        widgets.extend(labels.best_runs_table(&earning_runs));
        widgets.push(Widget::Table {
            label: host_text!("Outcomes"),
            columns: vec![host_text!("outcome"), host_text!("runs")],
            rows: outcomes
                .iter()
                .map(|(of, count)| vec![escape_markup(of), count.to_string()])
                .collect(),
        });
        let rows = highest_values.iter();
        let rows = rows.map(|(of, (number, run))| {
            vec![escape_markup(of), number.to_string(), escape_markup(run)]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let columns = vec![host_text!("value"), host_text!("highest"), host_text!("run")];
        let table = Widget::Table { label: host_text!("Highest values"), columns, rows };
        widgets.extend(Some(table).filter(|_| !highest_values.is_empty()));
        page_view(&host_text!("Records"), widgets)
    }

    fn achievements_page(&self) -> View {
        let achieved_ids = self.profile_lock.profile().game_profile(&self.game_id).achievement_ids;
        let registry = &self.registry;
        let items = registry.active_definitions("achievement").map(|one| {
            let is_done = achieved_ids.iter().any(|id| id == one.id.as_str());
            let hidden = one.fields.get("hidden").and_then(Datum::as_bool).unwrap_or(false);
            let (name, text) = match hidden && !is_done {
                true => (host_text!("a secret"), String::new()),
                false => (text_field(registry, one, "name"), text_field(registry, one, "text")),
            };
            let mark = if is_done { "[x]" } else { "[ ]" };
            ListItem { label: format!("{mark} {name}"), note: text, card: None }
        });
        let items: Vec<ListItem> = items.collect();
        let count = items.iter().filter(|item| item.label.starts_with("[x]")).count();
        let label = host_text!("{count} of {all} done", count = count, all = items.len());
        page_view(
            &host_text!("Achievements"),
            vec![Widget::List { label, items, empty_text: String::new() }],
        )
    }
}

/// The names and descriptions of achievements.
pub(super) fn achievement_names(registry: &Registry, ids: &[String]) -> Vec<String> {
    let definitions = ids.iter().filter_map(|id| registry.get("achievement", id));
    definitions
        .map(|one| {
            format!("{}: {}", text_field(registry, one, "name"), text_field(registry, one, "text"))
        })
        .collect()
}

fn text_field(registry: &Registry, definition: &Definition, name: &str) -> String {
    let text = definition.fields.get(name).and_then(Datum::as_text).unwrap_or_default();
    registry.display_text(text).to_owned()
}

fn page_view(title: &str, widgets: Vec<Widget>) -> View {
    let placed = widgets.into_iter().map(|widget| PlacedWidget { slot: WidgetSlot::Sheet, widget });
    View { title: title.to_owned(), widgets: placed.collect() }
}

/// How many of the last runs had the same outcome.
fn count_latest_same_outcomes(earning_runs: &[&FinishedRun]) -> usize {
    let outcome = |run: &FinishedRun| match run.was_abandoned {
        true => None,
        false => Some(run.outcome.get("outcome").map(display_value)),
    };
    let Some(last) = earning_runs.last().map(|run| outcome(run)) else { return 0 };
    earning_runs.iter().rev().take_while(|run| outcome(run) == last).count()
}

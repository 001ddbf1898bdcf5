//! The history: finished runs, records, achievements, and unfinished practice runs.

use std::collections::{BTreeMap, BTreeSet};

use super::remembered::{Remembered, outcome};
use super::{Door, Lobby, Stop, ask, choice};
use crate::content::{Datum, Definition, Registry};
use crate::kit::Value;
use crate::kit::text::escape;
use crate::play::view::{Item, Place, Placed, Widget};
use crate::play::{Choice, Event, View};
use crate::run::{ReplayPlayer, RunSummary};
use crate::save::{PastRun, RunStatus};
use crate::ui::full::{Palette, Theme, page_svg};
use crate::ui::report::Report;

const SCENE: &str = "host:history";
/// The most runs that the list shows at once; so many fit in two columns with all details.
const SHOWN: usize = 20;

/// Puts its number before each run if two labels are equal: with two runs in a row there is no room
/// for notes.
fn tell_apart(runs: &mut [Choice]) {
    let labels: BTreeSet<&str> = runs.iter().map(|run| &*run.label).collect();
    if labels.len() == runs.len() {
        return;
    }
    for run in runs {
        let number = run.id.rsplit_once('-').map_or("", |(_, number)| number);
        run.label = format!("#{} {}", number.trim_start_matches('0'), run.label);
    }
}

impl Lobby {
    /// Shows the history until the player goes back.
    pub(super) fn history(
        &mut self,
        door: &mut Door<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        let mut from = 0;
        loop {
            let history = self.held.profile().game(&self.game).history;
            let mut choices = vec![choice("back", "Back")];
            choices.push(choice("records", "Records"));
            if self.registry.all("achievement").next().is_some() {
                choices.push(choice("achievements", "Achievements"));
            }
            let practice = self.unfinished_practice().into_iter().map(|(run_id, step)| Choice {
                note: format!("practice, unfinished, {step} answers"),
                ..choice(&format!("practice:{run_id}"), &escape(&run_id))
            });
            let told = Remembered::of(&self.registry, &self.game);
            let mut over: Vec<Choice> = history.iter().rev().map(|run| told.line(run)).collect();
            tell_apart(&mut over);
            let runs: Vec<Choice> = practice.chain(over).collect();
            from = from.min(runs.len().saturating_sub(1) / SHOWN * SHOWN);
            let to = runs.len().min(from + SHOWN);
            if to < runs.len() {
                choices.push(choice("older", "Older runs"));
            }
            if from > 0 {
                choices.push(choice("newer", "Newer runs"));
            }
            let text = match runs.len() {
                _ if history.is_empty() => "No run is finished yet.".to_owned(),
                all if all <= SHOWN => String::new(),
                all => format!("Runs {} to {to} of {all}, the newest first.", from + 1),
            };
            choices.extend(runs.into_iter().skip(from).take(SHOWN));
            // Each part of the list is its own prompt, so keys and numbers start again.
            let stretch = if from > 0 { format!(" ({} to {to})", from + 1) } else { String::new() };
            let title = format!("{}: History{stretch}", self.name());
            let view = View { title, widgets: Vec::new() };
            let chosen = door.choose(&ask(SCENE, &text, choices), &view)?;
            match chosen.as_deref().map(|id| id.split_once(':').unwrap_or((id, ""))) {
                Some(("older", _)) => from += SHOWN,
                Some(("newer", _)) => from = from.saturating_sub(SHOWN),
                Some(("records", _)) => door.front.show(&self.records(&history))?,
                Some(("achievements", _)) => door.front.show(&self.achievements())?,
                Some(("practice", run_id)) => self.go_on(door, run_id, draw_seed)?,
                Some(("run", run_id)) => self.past_run(door, run_id, draw_seed)?,
                _ => return Ok(()),
            }
        }
    }

    /// Shows what can be done with a finished run.
    fn past_run(
        &mut self,
        door: &mut Door<'_>,
        run_id: &str,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        loop {
            let choices = vec![
                choice("page", "Show the report"),
                choice("copy", "Copy the report as text"),
                choice("picture", "Save the report as a picture"),
                choice("watch", "Watch the replay"),
                choice("back", "Back"),
            ];
            let view = View { title: escape(run_id), widgets: Vec::new() };
            match door.choose(&ask(SCENE, "", choices), &view)?.as_deref() {
                Some(what @ ("page" | "copy" | "picture")) => {
                    match RunSummary::of(&self.setup.data_dir, run_id) {
                        Ok(summary) => {
                            let report = self.page_of(&summary, &[]);
                            self.hand_out(door, run_id, &report, what)?;
                        }
                        Err(problem) => self.ask_back(door, &problem)?,
                    }
                }
                Some("watch") => match ReplayPlayer::open(&self.setup.data_dir, run_id) {
                    Ok(replay) => self.watch(door, replay, draw_seed)?,
                    Err(problem) => self.ask_back(door, &problem)?,
                },
                _ => return Ok(()),
            }
        }
    }

    /// Shows, copies or exports the report of a run.
    pub(super) fn hand_out(
        &self,
        door: &mut Door<'_>,
        run_id: &str,
        report: &Report,
        what: &str,
    ) -> Result<(), Stop> {
        let (name, page, copied) = match what {
            "copy" => ("page.txt", report.plain(), door.front.copy(&report.plain())?),
            "picture" => {
                let theme = Theme::of(Palette::Dark);
                ("page.svg", page_svg(&report.view(), theme), false)
            }
            _ => return Ok(door.front.show(&report.view())?),
        };
        if !self.setup.kept {
            let text = match copied {
                true => "Copied to the clipboard",
                false => "Not saved: this session saves no files",
            };
            return Ok(door.front.tell(&[Event::Note { text: text.to_owned() }])?);
        }
        match self.setup.data_dir.keep_page(run_id, name, &page) {
            Ok(path) => {
                let copied = if copied { "Copied to the clipboard and saved" } else { "Saved" };
                let text = escape(&format!("{copied} as {}", path.display()));
                Ok(door.front.tell(&[Event::Note { text }])?)
            }
            Err(problem) => self.ask_back(door, &problem),
        }
    }

    /// The report of a run.
    pub(super) fn page_of(&self, summary: &RunSummary, done: &[String]) -> Report {
        let told = Remembered::of(&self.registry, &self.game);
        let nothing = Value::map();
        let ended = summary.run_state.ended.as_ref();
        let outcome = ended.map_or(&nothing, |ending| &ending.outcome);
        let apart = told.apart_of(outcome, &summary.header.options);
        Report::of(summary, &self.game_source().manifest.name, &apart, done)
    }

    /// Unfinished practice runs, newest first, with their number of answers.
    fn unfinished_practice(&self) -> Vec<(String, u64)> {
        let Ok(there) = self.setup.data_dir.runs_there() else { return Vec::new() };
        let mut out: Vec<(String, u64)> = there
            .into_iter()
            .filter_map(|line| {
                let header = line.header?;
                let ours = header.profile_id == self.held.id() && header.game == self.game;
                let apart = header.practice || header.parent.is_some();
                match line.status {
                    RunStatus::Unfinished { next_step } if ours && apart => {
                        Some((line.run_id, next_step.saturating_sub(1)))
                    }
                    _ => None,
                }
            })
            .collect();
        out.reverse();
        out
    }

    /// Statistics over the runs that earned something.
    fn records(&self, history: &[PastRun]) -> View {
        let counted: Vec<&PastRun> = history.iter().filter(|run| run.earned).collect();
        let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
        let mut most: BTreeMap<String, (i64, &str)> = BTreeMap::new();
        for run in &counted {
            *outcomes.entry(outcome(run)).or_default() += 1;
            for (key, value) in run.outcome.as_map().into_iter().flatten() {
                let Some(number) = value.as_int() else { continue };
                let best = most.entry(key.replace('_', " ")).or_insert((number, &run.run_id));
                if number > best.0 {
                    *best = (number, &run.run_id);
                }
            }
        }
        let stat = |label: &str, value: usize| Widget::Stat {
            label: escape(label),
            value: i64::try_from(value).unwrap_or(i64::MAX),
            note: String::new(),
        };
        let mut widgets = vec![
            stat("Runs started", self.held.profile().game(&self.game).runs_started as usize),
            stat("Runs finished", history.len()),
            stat("Practice runs", history.len() - counted.len()),
            stat("Same outcome in a row", row(&counted)),
        ];
        widgets.extend(Remembered::of(&self.registry, &self.game).best(&counted));
        widgets.push(Widget::Table {
            label: "Outcomes".to_owned(),
            columns: vec!["outcome".to_owned(), "runs".to_owned()],
            rows: outcomes.iter().map(|(of, count)| vec![escape(of), count.to_string()]).collect(),
        });
        let rows = most.iter();
        let rows =
            rows.map(|(of, (number, run))| vec![escape(of), number.to_string(), escape(run)]);
        let rows: Vec<Vec<String>> = rows.collect();
        let columns = ["value", "highest", "run"].map(str::to_owned).to_vec();
        let table = Widget::Table { label: "Highest values".to_owned(), columns, rows };
        widgets.extend(Some(table).filter(|_| !most.is_empty()));
        page("Records", widgets)
    }

    fn achievements(&self) -> View {
        let done = self.held.profile().game(&self.game).achieved;
        let registry = &self.registry;
        let items = registry.all("achievement").map(|one| {
            let is_done = done.iter().any(|id| id == one.id.as_str());
            let hidden = one.fields.get("hidden").and_then(Datum::as_bool).unwrap_or(false);
            let (name, text) = match hidden && !is_done {
                true => ("a secret".to_owned(), String::new()),
                false => (field(one, "name"), field(one, "text")),
            };
            let mark = if is_done { "[x]" } else { "[ ]" };
            Item { label: format!("{mark} {name}"), note: text, card: None }
        });
        let items: Vec<Item> = items.collect();
        let count = items.iter().filter(|item| item.label.starts_with("[x]")).count();
        let label = format!("{count} of {} done", items.len());
        page("Achievements", vec![Widget::List { label, items, empty: String::new() }])
    }
}

/// The names and descriptions of achievements.
pub(super) fn names_of_achieved(registry: &Registry, ids: &[String]) -> Vec<String> {
    let named = ids.iter().filter_map(|id| registry.get("achievement", id));
    named.map(|one| format!("{}: {}", field(one, "name"), field(one, "text"))).collect()
}

fn field(definition: &Definition, name: &str) -> String {
    definition.fields.get(name).and_then(Datum::as_text).unwrap_or_default().to_owned()
}

fn page(title: &str, widgets: Vec<Widget>) -> View {
    let placed = widgets.into_iter().map(|widget| Placed { place: Place::Sheet, widget });
    View { title: title.to_owned(), widgets: placed.collect() }
}

/// How many of the last runs had the same outcome.
fn row(counted: &[&PastRun]) -> usize {
    let Some(last) = counted.last().map(|run| outcome(run)) else { return 0 };
    counted.iter().rev().take_while(|run| outcome(run) == last).count()
}

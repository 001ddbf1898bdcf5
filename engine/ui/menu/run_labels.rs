//! Texts about finished runs: what distinguishes them, when they were played and how they ended;
//! and the best run of each kind. The game's `title` names the fields to use.

use base::host_text;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::history::{UNFINISHED_RUN_PREFIX, UnfinishedRun};
use super::host_choice;
use crate::report_names::{readable_key, scalar_text};
use base::text::escape_markup;
use base::{Id, Value};
use content::{Datum, Definition, Registry};
use protocol::Choice;
use protocol::view::Widget;
use save::FinishedRun;
use session::OptionSpec;

/// How to describe finished runs of a game.
pub(super) struct RunLabels {
    /// The names of the fields that distinguish runs, such as place and difficulty.
    history_columns: Vec<String>,
    /// The name of the number by which runs are ranked.
    score_name: Option<String>,
    game_id: String,
    /// For the names of definitions.
    registry: Rc<Registry>,
}

impl RunLabels {
    /// As the game's `title` declares.
    pub(super) fn from_registry(registry: &Rc<Registry>, game: &str) -> Self {
        let is_own_title = |title: &&Definition| title.id.mod_id() == game;
        let title = registry
            .active_definitions("title")
            .find(is_own_title)
            .or_else(|| registry.active_definitions("title").next());
        let field = |name: &str| title.and_then(|title| title.fields.get(name));
        let read_text = |datum: &Datum| datum.as_text().map(str::to_owned);
        let history_columns = match field("history_columns") {
            Some(Datum::List(list)) => list.iter().filter_map(read_text).collect(),
            _ => Vec::new(),
        };
        let score = field("score").and_then(read_text);
        Self {
            history_columns,
            score_name: score,
            game_id: game.to_owned(),
            registry: Rc::clone(registry),
        }
    }

    /// The values that distinguish a run; empty where it has none.
    pub(super) fn distinguishing_values(&self, outcome: &Value, options: &Value) -> Vec<String> {
        let value_of = |name: &String| self.distinguishing_value(name, outcome, options);
        self.history_columns.iter().map(value_of).collect()
    }

    /// Those of them that another run can repeat: options, and not what the game drew.
    pub(super) fn repeatable_values(&self, outcome: &Value, options: &Value) -> Vec<String> {
        let is_option = |name: &&String| options.get(name).is_some();
        let value_of = |name: &String| self.distinguishing_value(name, outcome, options);
        self.history_columns.iter().filter(is_option).map(value_of).collect()
    }

    fn distinguishing_value(&self, name: &str, outcome: &Value, options: &Value) -> String {
        let value = outcome.get(name).or_else(|| options.get(name));
        value.map_or(String::new(), |value| self.value_text(value))
    }

    /// A value in words: the name of a definition instead of its id.
    pub(super) fn value_text(&self, value: &Value) -> String {
        scalar_text(value, &|id| self.definition_name(id))
    }

    /// The name of a definition, by its id; the game's own may stand without its prefix.
    pub(super) fn definition_name(&self, id: &str) -> Option<String> {
        let id = Id::parse(id, &self.game_id).ok()?;
        let definition =
            self.registry.kinds().find_map(|kind| self.registry.get(&kind.name, id.as_str()));
        let name = definition.and_then(|named| named.get("name")?.as_text());
        name.map(|name| self.registry.display_text(name).to_owned())
    }

    /// The label of each option with the name of its value.
    pub(super) fn option_texts(&self, options: &Value) -> Vec<(String, String)> {
        let specs = session::option_specs(&self.registry).into_iter();
        let text = |spec: OptionSpec| {
            let value = options.get(&spec.name)?;
            let name = spec.option_type.value_name(value);
            Some((spec.label, name.unwrap_or_else(|| self.value_text(value))))
        };
        specs.filter_map(text).collect()
    }

    fn find_score(&self, run: &FinishedRun) -> Option<i64> {
        run.outcome.get(self.score_name.as_ref()?)?.as_int()
    }

    /// A finished run as an entry of the history.
    pub(super) fn run_choice(&self, run: &FinishedRun) -> Choice {
        let mut history_cells = self.distinguishing_values(&run.outcome, &run.options);
        history_cells.retain(|words| !words.is_empty());
        let label = match history_cells.is_empty() {
            true => self.outcome_text(run),
            false => format!("{}: {}", history_cells.join(", "), self.outcome_text(run)),
        };
        let mut note = Vec::new();
        note.extend(Some(run.end_date.clone()).filter(|day| !day.is_empty()));
        // The run id comes before what a narrow row cuts off.
        note.push(run.run_id.clone());
        let score = self.score_name.as_ref().zip(self.find_score(run));
        note.extend(score.map(|(name, score)| format!("{score} {}", readable_key(name))));
        note.extend((!run.was_paid).then(|| host_text!("practice")));
        note.push(host_text!("seed {seed}", seed = run.seed));
        let id = format!("run:{}", run.run_id);
        Choice { note: escape_markup(&note.join(", ")), ..host_choice(&id, &escape_markup(&label)) }
    }

    /// An unfinished practice run as an entry of the list.
    pub(super) fn unfinished_run_choice(&self, run: &UnfinishedRun) -> Choice {
        let header = &run.header;
        let mut cells = self.distinguishing_values(&Value::map(), &header.options);
        cells.retain(|words| !words.is_empty());
        let unfinished = host_text!("unfinished");
        let label = match cells.is_empty() {
            true => unfinished,
            false => format!("{}: {unfinished}", cells.join(", ")),
        };
        let note = host_text!(
            "{run_id}, {count} answers, practice, seed {seed}",
            run_id = header.run_id,
            count = run.answer_count,
            seed = header.seed
        );
        let id = format!("{UNFINISHED_RUN_PREFIX}:{}", header.run_id);
        Choice { note: escape_markup(&note), ..host_choice(&id, &escape_markup(&label)) }
    }

    /// The best run of each kind; `None` if the game declares no score.
    pub(super) fn best_runs_table(&self, runs: &[&FinishedRun]) -> Option<Widget> {
        let score = self.score_name.as_ref()?;
        let mut best: BTreeMap<Vec<String>, (i64, &FinishedRun)> = BTreeMap::new();
        for run in runs {
            let Some(run_score) = self.find_score(run) else { continue };
            let best_of_kind = best
                .entry(self.distinguishing_values(&run.outcome, &run.options))
                .or_insert((run_score, run));
            if run_score > best_of_kind.0 {
                *best_of_kind = (run_score, run);
            }
        }
        let words = |name: &String| escape_markup(&readable_key(name));
        let mut columns: Vec<String> = self.history_columns.iter().map(words).collect();
        columns.extend([words(score), host_text!("outcome"), host_text!("date")]);
        let rows = best.into_iter().map(|(apart, (score, run))| {
            let date = if run.end_date.is_empty() { &run.run_id } else { &run.end_date };
            let cells = apart.iter().map(|words| escape_markup(words));
            cells
                .chain([
                    score.to_string(),
                    escape_markup(&self.outcome_text(run)),
                    escape_markup(date),
                ])
                .collect()
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let label = host_text!("Best runs");
        (!rows.is_empty()).then_some(Widget::Table { label, columns, rows })
    }

    /// How a run ended, in a word or two.
    pub(super) fn outcome_text(&self, run: &FinishedRun) -> String {
        match run.outcome.get("outcome") {
            _ if run.was_abandoned => host_text!("given up"),
            Some(outcome) => self.value_text(outcome),
            None => host_text!("over"),
        }
    }
}

//! An exploration whose results are read while it goes on: the places, questions and choices that it
//! has reached.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::json;

use super::explorer::{ChoiceCounts, add_choice_counts};
use crate::automatic_run::{PlayedRun, RunEnd};
use crate::live_work::LiveOutput;
use author::progress::Progress;
use protocol::View;
use protocol::view::Widget;

/// The most places of all maps, and the most errors, that are kept.
const MAX_PLACES: usize = 2_000;
const MAX_PROBLEMS: usize = 20;

/// The places that one run has seen: by the label of the map and their id.
#[derive(Default)]
pub(super) struct SeenPlaces {
    places: BTreeMap<(String, String), SeenPlace>,
    /// The ways between them, by the label of the map.
    ways: BTreeSet<(String, String, String)>,
}

#[derive(Clone, Default)]
struct SeenPlace {
    label: String,
    position: Option<(i64, i64)>,
    was_entered: bool,
}

/// A place in the results.
#[derive(Serialize)]
struct PlaceResult {
    map: String,
    id: String,
    label: String,
    position: Option<(i64, i64)>,
    /// In how many runs it was seen, and entered.
    seen: usize,
    entered: usize,
}

/// What all runs have reached.
#[derive(Default)]
struct ReachedContent {
    runs: usize,
    steps: usize,
    outcomes: BTreeMap<String, usize>,
    problems: BTreeMap<String, usize>,
    choices: ChoiceCounts,
    places: BTreeMap<(String, String), PlaceResult>,
    ways: BTreeSet<(String, String, String)>,
}

/// Collects what runs reach, and publishes it.
pub(super) struct LiveExploration<'a> {
    output: &'a LiveOutput,
    scenes: Vec<String>,
    planned: usize,
    reached: Mutex<ReachedContent>,
}

impl SeenPlaces {
    /// Adds the maps of a view.
    pub(super) fn add_view(&mut self, view: &View) {
        for widget in &view.widgets {
            let Widget::Map { label, nodes, edges } = &widget.widget else { continue };
            for node in nodes {
                let key = (label.clone(), node.id.clone());
                let place = self.places.entry(key).or_default();
                // A place may get its name when it is entered.
                node.label.clone_into(&mut place.label);
                place.position = node.position;
                place.was_entered |= node.is_current || node.is_visited;
            }
            let ways = edges.iter().map(|edge| (edge.from.clone(), edge.to.clone()));
            self.ways.extend(ways.map(|(from, to)| (label.clone(), from, to)));
        }
    }
}

impl<'a> LiveExploration<'a> {
    /// A collection that knows these scenes, of so many runs.
    pub(super) fn new(output: &'a LiveOutput, scenes: Vec<String>, planned: usize) -> Self {
        let live = Self { output, scenes, planned, reached: Mutex::default() };
        live.publish_results();
        live
    }

    /// Publishes what there is.
    pub(super) fn publish_results(&self) {
        self.publish(&self.reached.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn progress(&self, runs: usize) -> Progress {
        self.output.progress(runs)
    }

    /// Adds a run that has ended.
    pub(super) fn add_run(&self, seen: &SeenPlaces, choices: &ChoiceCounts, played: &PlayedRun) {
        if matches!(played.run_end, RunEnd::Stopped) {
            return;
        }
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.runs += 1;
        reached.steps += played.inputs.len();
        *reached.outcomes.entry(played.run_end.outcome_word().to_owned()).or_default() += 1;
        if let RunEnd::Problem(problem) = &played.run_end {
            let text = problem.to_string();
            if reached.problems.len() < MAX_PROBLEMS || reached.problems.contains_key(&text) {
                *reached.problems.entry(text).or_default() += 1;
            }
        }
        add_choice_counts(&mut reached.choices, choices.clone());
        for (key, place) in &seen.places {
            if reached.places.len() >= MAX_PLACES && !reached.places.contains_key(key) {
                continue;
            }
            let (map, id) = key.clone();
            let result = reached.places.entry(key.clone()).or_insert_with(|| PlaceResult {
                map,
                id,
                label: String::new(),
                position: place.position,
                seen: 0,
                entered: 0,
            });
            if place.was_entered || result.entered == 0 {
                place.label.clone_into(&mut result.label);
            }
            result.seen += 1;
            result.entered += usize::from(place.was_entered);
        }
        if reached.ways.len() < 4 * MAX_PLACES {
            reached.ways.extend(seen.ways.iter().cloned());
        }
        if LiveOutput::is_due(reached.runs, self.planned) {
            self.publish(&reached);
        }
    }

    fn publish(&self, reached: &ReachedContent) {
        let choices = reached.choices.iter().map(|((scene, id), count)| {
            json!({ "scene": scene, "id": id, "offered": count.times_offered, "taken": count.times_taken })
        });
        let is_asked = |scene: &&String| {
            let first = (scene.to_string(), String::new());
            let mut choices = reached.choices.range(first..);
            choices.next().is_some_and(|((of, _), _)| of == *scene)
        };
        let (asked, never): (Vec<_>, Vec<_>) = self.scenes.iter().partition(is_asked);
        self.output.publish(json!({
            "kind": "explore", "runs": reached.runs, "planned": self.planned,
            "steps": reached.steps, "outcomes": reached.outcomes, "problems": reached.problems,
            "scenes": asked, "never_asked": never, "choices": choices.collect::<Vec<_>>(),
            "places": reached.places.values().collect::<Vec<_>>(), "ways": reached.ways,
        }));
    }
}

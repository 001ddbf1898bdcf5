//! Auto travel: one command that gives several answers, to a known place or to the nearest
//! unvisited one. The game's map says where places are, and each choice says which places it leads
//! to. Each step is an ordinary answer. A prompt of another scene stops the travel.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use super::describe;
use crate::protocol::view::{MapEdge, MapNode, Widget};
use crate::protocol::{AnswerType, Choice, Input, Prompt, StoryEvent, View};

/// The label of a place that is known only from outside.
const UNKNOWN_PLACE_LABEL: &str = "?";
/// The most answers that one travel gives.
const MAX_STEPS: usize = 64;

/// A travel in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoTravel {
    /// The id of the destination.
    destination: String,
    /// The scene where the travel began.
    scene: String,
    /// Whether the last answer makes the game ask which place is meant.
    expects_place_prompt: bool,
    /// Whether it looks for an unvisited place; then it never pays a cost unasked.
    is_exploring: bool,
    /// How many more answers it may give.
    steps_remaining: usize,
}

impl AutoTravel {
    /// The first answer towards a place, or the reason why there is none.
    pub fn start(place: &str, prompt: &Prompt, view: &View) -> Result<(Self, Input), String> {
        let (scene, to) = (prompt.scene.clone(), place.to_owned());
        let travel = Self {
            destination: to,
            scene,
            expects_place_prompt: false,
            is_exploring: false,
            steps_remaining: MAX_STEPS,
        };
        let name = || place_name(place, view);
        if current_node(view).is_some_and(|here| here.id == place) {
            return Err(format!("You are at {}", name()));
        }
        travel
            .take_step(prompt, view)
            .ok_or_else(|| format!("There is no known way to {} now", name()))
    }

    /// The first answer towards the nearest unvisited place, and into it. If the place is marked as
    /// the player's own choice, the travel stops before it.
    pub fn explore(prompt: &Prompt, view: &View) -> Result<(Self, Input), String> {
        let map = PlaceGraph::of(view).ok_or("There is no map here")?;
        let mut why = "Every known place has been entered";
        let unseen = |at: &usize| !map.nodes[*at].seen && !map.nodes[*at].here;
        let halts = |at: &usize| map.nodes[*at].halt;
        let (theirs, free): (Vec<usize>, Vec<usize>) =
            map.by_distance.iter().copied().filter(unseen).partition(halts);
        for place in free.into_iter().chain(theirs) {
            let node = map.nodes[place];
            let before = map.predecessors[place].filter(|before| *before != map.here);
            let to = if node.halt { before } else { Some(place) };
            // The player decides about a place next to the current one; do not lead them elsewhere.
            let Some(to) = to else {
                return Err("The unvisited places here are yours to choose".to_owned());
            };
            match Self::start(&map.nodes[to].id, prompt, view) {
                Ok((travel, input)) => match cost_of(prompt, &input) {
                    None => return Ok((Self { is_exploring: true, ..travel }, input)),
                    Some(cost) => {
                        return Err(format!("The next step costs {cost}, so choose it yourself"));
                    }
                },
                Err(_) => why = "No open choice leads on from here",
            }
        }
        Err(why.to_owned())
    }

    /// The answer to the next prompt, or `None` if the travel has ended.
    pub fn next_step(self, prompt: &Prompt, view: &View) -> Option<(Self, Input)> {
        let there = current_node(view).is_some_and(|here| here.id == self.destination);
        let same = self.expects_place_prompt || prompt.scene == self.scene;
        if there || !same || self.steps_remaining == 0 {
            return None;
        }
        self.take_step(prompt, view)
    }

    /// Whether these events stop a travel.
    pub fn is_ended_by(events: &[StoryEvent]) -> bool {
        events.iter().any(|event| matches!(event, StoryEvent::Loss { .. }))
    }

    fn take_step(mut self, prompt: &Prompt, view: &View) -> Option<(Self, Input)> {
        let choice = find_step_to(&self.destination, prompt, PlaceGraph::of(view).as_ref())?;
        self.expects_place_prompt = choice.map_targets.len() > 1;
        if self.is_exploring && !choice.cost.is_empty() {
            return None;
        }
        self.steps_remaining -= 1;
        Some((self, Input::Choice(choice.id.clone())))
    }
}

/// The view with each unnamed place labelled by the only choice that leads there.
pub fn label_unnamed_places<'a>(prompt: &Prompt, view: &'a View) -> Cow<'a, View> {
    let name = |node: &MapNode| {
        let only =
            |choice: &&Choice| choice.map_targets.len() == 1 && choice.map_targets[0] == node.id;
        let unnamed = !node.seen && [UNKNOWN_PLACE_LABEL, ""].contains(&node.label.trim());
        prompt.choices.iter().find(only).filter(|_| unnamed).map(|choice| choice.label.clone())
    };
    let mut out = Cow::Borrowed(view);
    for (at, placed) in view.widgets.iter().enumerate() {
        let Widget::Map { nodes, .. } = &placed.widget else { continue };
        for (place, label) in
            nodes.iter().enumerate().filter_map(|(place, node)| Some((place, name(node)?)))
        {
            if let Widget::Map { nodes, .. } = &mut out.to_mut().widgets[at].widget {
                nodes[place].label = label;
            }
        }
    }
    out
}

/// The ids of the places that can be travelled to from here.
pub fn reachable_places<'a>(prompt: &Prompt, view: &'a View) -> Vec<&'a str> {
    let Some(map) = PlaceGraph::of(view) else { return Vec::new() };
    let ids = map.nodes.iter().filter(|node| !node.here).map(|node| node.id.as_str());
    ids.filter(|id| find_step_to(id, prompt, Some(&map)).is_some()).collect()
}

/// Finds a place by its id, its name or the start of its name, with or without an article.
pub fn find_place(name: &str, view: &View) -> Result<String, String> {
    let map = PlaceGraph::of(view).ok_or("There is no map here")?;
    let bare = |text: &str| describe::strip_article(&text.trim().to_lowercase()).to_owned();
    let wanted = bare(name);
    let label = |node: &&MapNode| bare(&describe::one_line(&node.label));
    let exact = map.nodes.iter().copied().filter(|node| node.id == name || label(node) == wanted);
    let begun = map.nodes.iter().copied().filter(|node| label(node).starts_with(&wanted));
    let exact: Vec<&MapNode> = exact.collect();
    let found = if exact.is_empty() { begun.collect() } else { exact };
    match found.as_slice() {
        _ if wanted.is_empty() => Err("Go where? \"map\" lists the places".to_owned()),
        [] => Err(format!("There is no place \"{name}\" on the map")),
        [only] => Ok(only.id.clone()),
        several => {
            let names: Vec<String> =
                several.iter().map(|node| describe::one_line(&node.label)).collect();
            Err(format!("\"{name}\" could be {}", names.join(" or ")))
        }
    }
}

/// The open choice that leads to a place, or as far towards it as possible.
fn find_step_to<'a>(
    place: &str,
    prompt: &'a Prompt,
    map: Option<&PlaceGraph<'_>>,
) -> Option<&'a Choice> {
    if prompt.ask != AnswerType::One {
        return None;
    }
    if let Some(choice) = find_choice_to(place, prompt) {
        return Some(choice);
    }
    let map = map?;
    let at = map.nodes.iter().position(|node| node.id == place)?;
    map.predecessors[at]?;
    let before = |at: &usize| map.predecessors[*at].filter(|one| *one != map.here);
    std::iter::successors(Some(at), before)
        .find_map(|step| find_choice_to(&map.nodes[step].id, prompt))
}

/// The cost of an answer in words, or `None` if it is free.
fn cost_of(prompt: &Prompt, input: &Input) -> Option<String> {
    let Input::Choice(id) = input else { return None };
    let cost = describe::one_line(&prompt.choice(id)?.cost);
    Some(cost).filter(|cost| !cost.is_empty())
}

/// The choice that leads to a place; a choice with this place alone comes before one that asks
/// which place.
fn find_choice_to<'a>(place: &str, prompt: &'a Prompt) -> Option<&'a Choice> {
    let open = prompt.choices.iter().filter(|choice| choice.is_enabled());
    let leads = open.filter(|choice| choice.map_targets.iter().any(|id| id == place));
    leads.min_by_key(|choice| choice.map_targets.len() > 1)
}

fn current_node(view: &View) -> Option<&MapNode> {
    map_nodes(view).find(|node| node.here)
}

fn map_nodes(view: &View) -> impl Iterator<Item = &MapNode> {
    view.widgets.iter().flat_map(|placed| match &placed.widget {
        Widget::Map { nodes, .. } => nodes.as_slice(),
        _ => &[],
    })
}

fn place_name(place: &str, view: &View) -> String {
    let found = map_nodes(view).find(|node| node.id == place);
    found.map_or_else(|| place.to_owned(), |node| describe::one_line(&node.label))
}

/// The places of a view as a graph.
struct PlaceGraph<'a> {
    nodes: Vec<&'a MapNode>,
    here: usize,
    /// Reachable places, nearest first.
    by_distance: Vec<usize>,
    /// For each place its predecessor on the shortest path from here, through visited places.
    predecessors: Vec<Option<usize>>,
}

impl<'a> PlaceGraph<'a> {
    /// The map that contains the player's place.
    fn of(view: &'a View) -> Option<Self> {
        let maps = view.widgets.iter().filter_map(|placed| match &placed.widget {
            Widget::Map { nodes, edges, .. } => Some((nodes, edges)),
            _ => None,
        });
        let mut maps = maps.filter(|(nodes, _)| nodes.iter().any(|node| node.here));
        let (nodes, edges) = maps.next()?;
        let number: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
        let mut ways = vec![Vec::new(); nodes.len()];
        for MapEdge { from, to } in edges {
            if let (Some(from), Some(to)) = (number.get(from.as_str()), number.get(to.as_str())) {
                ways[*from].push(*to);
                ways[*to].push(*from);
            }
        }
        let here = nodes.iter().position(|node| node.here)?;
        let mut before = vec![None; nodes.len()];
        let mut by_distance = vec![here];
        let mut open = VecDeque::from([here]);
        while let Some(at) = open.pop_front() {
            if at != here && !nodes[at].seen {
                continue;
            }
            for other in &ways[at] {
                if *other != here && before[*other].is_none() {
                    before[*other] = Some(at);
                    by_distance.push(*other);
                    open.push_back(*other);
                }
            }
        }
        Some(Self { nodes: nodes.iter().collect(), here, by_distance, predecessors: before })
    }
}

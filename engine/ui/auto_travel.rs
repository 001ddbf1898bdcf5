//! Auto travel: one command that gives several answers, to a known place or to the nearest
//! unvisited one. The game's map says where places are, and each choice says which places it leads
//! to. Each step is an ordinary answer. A prompt of another scene stops the travel.

use base::host_text;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use super::display_text;
use protocol::view::{MapEdge, MapNode, Widget};
use protocol::{AcceptedInput, AnswerType, Choice, Input, Prompt, StoryEvent, View};

/// The label of a place that is known only from outside.
const UNKNOWN_PLACE_LABEL: &str = "?";
/// The most answers that one travel gives.
const MAX_TRAVEL_STEPS: usize = 64;

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
    pub fn start(
        place: &str,
        prompt: &Prompt,
        view: &View,
    ) -> Result<(Self, AcceptedInput), String> {
        let (scene, destination) = (prompt.scene.clone(), place.to_owned());
        let travel = Self {
            destination,
            scene,
            expects_place_prompt: false,
            is_exploring: false,
            steps_remaining: MAX_TRAVEL_STEPS,
        };
        let name = || place_name(place, view);
        if current_node(view).is_some_and(|here| here.id == place) {
            return Err(host_text!("You are at {place}", place = name()));
        }
        travel
            .take_travel_step(prompt, view)
            .ok_or_else(|| host_text!("There is no known way to {place} now", place = name()))
    }

    /// The first answer towards the nearest unvisited place, and into it. If the place is marked as
    /// the player's own choice, the travel stops before it.
    pub fn start_exploring(prompt: &Prompt, view: &View) -> Result<(Self, AcceptedInput), String> {
        let map = PlaceGraph::from_view(view).ok_or_else(|| host_text!("There is no map here"))?;
        let mut reason = host_text!("Every known place has been entered");
        let is_unvisited = |at: &usize| !map.nodes[*at].is_visited && !map.nodes[*at].is_current;
        let stops_travel = |at: &usize| map.nodes[*at].stops_travel;
        let (player_choices, automatic): (Vec<usize>, Vec<usize>) =
            map.indices_by_distance.iter().copied().filter(is_unvisited).partition(stops_travel);
        for place in automatic.into_iter().chain(player_choices) {
            let node = map.nodes[place];
            let before = map.predecessors[place].filter(|before| *before != map.current_index);
            let destination = if node.stops_travel { before } else { Some(place) };
            // The player decides about a place next to the current one; do not lead them elsewhere.
            let Some(to) = destination else {
                return Err(host_text!("The unvisited places here are yours to choose"));
            };
            match Self::start(&map.nodes[to].id, prompt, view) {
                Ok((travel, input)) => match answer_cost_text(prompt, &input) {
                    None => return Ok((Self { is_exploring: true, ..travel }, input)),
                    Some(cost) => {
                        return Err(host_text!(
                            "The next step costs {cost}, so choose it yourself",
                            cost = cost
                        ));
                    }
                },
                Err(_) => reason = host_text!("No open choice leads on from here"),
            }
        }
        Err(reason)
    }

    /// The answer to the next prompt, or `None` if the travel has ended.
    pub fn next_answer(self, prompt: &Prompt, view: &View) -> Option<(Self, AcceptedInput)> {
        let has_arrived = current_node(view).is_some_and(|here| here.id == self.destination);
        let is_expected_prompt = self.expects_place_prompt || prompt.scene == self.scene;
        if has_arrived || !is_expected_prompt || self.steps_remaining == 0 {
            return None;
        }
        self.take_travel_step(prompt, view)
    }

    /// Whether these events stop a travel.
    pub fn is_ended_by_events<'a>(events: impl IntoIterator<Item = &'a StoryEvent>) -> bool {
        events.into_iter().any(|event| matches!(event, StoryEvent::Loss { .. }))
    }

    fn take_travel_step(mut self, prompt: &Prompt, view: &View) -> Option<(Self, AcceptedInput)> {
        let choice =
            find_choice_towards(&self.destination, prompt, PlaceGraph::from_view(view).as_ref())?;
        self.expects_place_prompt = choice.map_targets.len() > 1;
        if self.is_exploring && !choice.cost.is_empty() {
            return None;
        }
        self.steps_remaining -= 1;
        Some((self, choice.accept().ok()?))
    }
}

/// The view with each unnamed place labelled by the only choice that leads there.
pub fn label_unnamed_places<'a>(prompt: &Prompt, view: &'a View) -> Cow<'a, View> {
    let find_label = |node: &MapNode| {
        let leads_only_there =
            |choice: &&Choice| choice.map_targets.len() == 1 && choice.map_targets[0] == node.id;
        let is_unnamed = !node.is_visited && [UNKNOWN_PLACE_LABEL, ""].contains(&node.label.trim());
        prompt
            .choices
            .iter()
            .find(leads_only_there)
            .filter(|_| is_unnamed)
            .map(|choice| choice.label.clone())
    };
    let mut out = Cow::Borrowed(view);
    for (at, placed) in view.widgets.iter().enumerate() {
        let Widget::Map { nodes, .. } = &placed.widget else { continue };
        for (place, label) in
            nodes.iter().enumerate().filter_map(|(place, node)| Some((place, find_label(node)?)))
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
    let Some(map) = PlaceGraph::from_view(view) else { return Vec::new() };
    let ids = map.nodes.iter().filter(|node| !node.is_current).map(|node| node.id.as_str());
    ids.filter(|id| find_choice_towards(id, prompt, Some(&map)).is_some()).collect()
}

/// Finds a place by its id, its name or the start of its name, with or without an article.
pub fn find_place(name: &str, view: &View) -> Result<String, String> {
    let map = PlaceGraph::from_view(view).ok_or_else(|| host_text!("There is no map here"))?;
    let normalize_name =
        |text: &str| display_text::strip_article(&text.trim().to_lowercase()).to_owned();
    let wanted_name = normalize_name(name);
    let label = |node: &&MapNode| normalize_name(&display_text::markup_on_one_line(&node.label));
    let exact_matches =
        map.nodes.iter().copied().filter(|node| node.id == name || label(node) == wanted_name);
    let prefix_matches =
        map.nodes.iter().copied().filter(|node| label(node).starts_with(&wanted_name));
    let exact_matches: Vec<&MapNode> = exact_matches.collect();
    let matching_nodes =
        if exact_matches.is_empty() { prefix_matches.collect() } else { exact_matches };
    match matching_nodes.as_slice() {
        _ if wanted_name.is_empty() => {
            Err(host_text!("Go where? \"{map}\" lists the places", map = "map"))
        }
        [] => Err(host_text!("There is no place \"{name}\" on the map", name = name)),
        [only] => Ok(only.id.clone()),
        several => {
            let names: Vec<String> =
                several.iter().map(|node| display_text::markup_on_one_line(&node.label)).collect();
            Err(host_text!(
                "\"{word}\" could be {names}",
                word = name,
                names = names.join(&host_text!(" or "))
            ))
        }
    }
}

/// The open choice that leads to a place, or as far towards it as possible.
fn find_choice_towards<'a>(
    place: &str,
    prompt: &'a Prompt,
    map: Option<&PlaceGraph<'_>>,
) -> Option<&'a Choice> {
    if prompt.answer_type != AnswerType::SingleChoice {
        return None;
    }
    if let Some(choice) = find_choice_to(place, prompt) {
        return Some(choice);
    }
    let map = map?;
    let at = map.nodes.iter().position(|node| node.id == place)?;
    map.predecessors[at]?;
    let predecessor = |at: &usize| map.predecessors[*at].filter(|one| *one != map.current_index);
    std::iter::successors(Some(at), predecessor)
        .find_map(|step| find_choice_to(&map.nodes[step].id, prompt))
}

/// The cost of an answer in words, or `None` if it is free.
fn answer_cost_text(prompt: &Prompt, input: &Input) -> Option<String> {
    let Input::Choice(id) = input else { return None };
    let cost = display_text::markup_on_one_line(&prompt.choice(id)?.cost);
    Some(cost).filter(|cost| !cost.is_empty())
}

/// The choice that leads to a place; a choice with this place alone comes before one that asks
/// which place.
fn find_choice_to<'a>(place: &str, prompt: &'a Prompt) -> Option<&'a Choice> {
    let enabled_choices = prompt.choices.iter().filter(|choice| choice.is_enabled());
    let leading_choices =
        enabled_choices.filter(|choice| choice.map_targets.iter().any(|id| id == place));
    leading_choices.min_by_key(|choice| choice.map_targets.len() > 1)
}

fn current_node(view: &View) -> Option<&MapNode> {
    map_nodes(view).find(|node| node.is_current)
}

fn map_nodes(view: &View) -> impl Iterator<Item = &MapNode> {
    view.widgets.iter().flat_map(|placed| match &placed.widget {
        Widget::Map { nodes, .. } => nodes.as_slice(),
        _ => &[],
    })
}

fn place_name(place: &str, view: &View) -> String {
    let found = map_nodes(view).find(|node| node.id == place);
    found.map_or_else(|| place.to_owned(), |node| display_text::markup_on_one_line(&node.label))
}

/// The places of a view as a graph.
struct PlaceGraph<'a> {
    nodes: Vec<&'a MapNode>,
    current_index: usize,
    /// Reachable places, nearest first.
    indices_by_distance: Vec<usize>,
    /// For each place its predecessor on the shortest path from here, through visited places.
    predecessors: Vec<Option<usize>>,
}

impl<'a> PlaceGraph<'a> {
    /// The map that contains the player's place.
    fn from_view(view: &'a View) -> Option<Self> {
        let maps = view.widgets.iter().filter_map(|placed| match &placed.widget {
            Widget::Map { nodes, edges, .. } => Some((nodes, edges)),
            _ => None,
        });
        let mut maps = maps.filter(|(nodes, _)| nodes.iter().any(|node| node.is_current));
        let (nodes, edges) = maps.next()?;
        let index_by_id: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
        let mut adjacent_nodes = vec![Vec::new(); nodes.len()];
        for MapEdge { from, to } in edges {
            if let (Some(from), Some(to)) =
                (index_by_id.get(from.as_str()), index_by_id.get(to.as_str()))
            {
                adjacent_nodes[*from].push(*to);
                adjacent_nodes[*to].push(*from);
            }
        }
        let here = nodes.iter().position(|node| node.is_current)?;
        let mut predecessors = vec![None; nodes.len()];
        let mut by_distance = vec![here];
        let mut queue = VecDeque::from([here]);
        while let Some(at) = queue.pop_front() {
            if at != here && !nodes[at].is_visited {
                continue;
            }
            for other in &adjacent_nodes[at] {
                if *other != here && predecessors[*other].is_none() {
                    predecessors[*other] = Some(at);
                    by_distance.push(*other);
                    queue.push_back(*other);
                }
            }
        }
        Some(Self {
            nodes: nodes.iter().collect(),
            current_index: here,
            indices_by_distance: by_distance,
            predecessors,
        })
    }
}

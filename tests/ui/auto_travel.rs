//! Auto travel: requests that take several answers, such as a place on the map or the nearest
//! unexplored door. Each step is an ordinary answer. Any other prompt and any loss stops it.

use crossterm::event::KeyCode;
use protocol::view::{MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use protocol::{AnswerType, Choice, Input, Prompt, StoryEvent, View};
use ui::auto_travel::{AutoTravel, find_place, reachable_places};
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::{choice, choice_answer, draw_frame, press_key, say_event};

/// A house: hall, stair and loft were visited, in a line. The cellar is off the hall, the attic off
/// the loft; neither was visited. `player_place` is the player's place.
fn house_view(player_place: &str, stops_at_attic: bool) -> View {
    let node = |id: &str, is_visited, stops| MapNode {
        id: id.to_owned(),
        label: format!("the {id}"),
        is_current: id == player_place,
        is_visited,
        stops_travel: stops,
        ..MapNode::default()
    };
    let edge = |from: &str, to: &str| MapEdge { from: from.to_owned(), to: to.to_owned() };
    let map = Widget::Map {
        label: "The house".to_owned(),
        nodes: vec![
            node("hall", true, false),
            node("stair", true, false),
            node("loft", true, false),
            node("attic", false, stops_at_attic),
            node("cellar", player_place == "cellar", false),
        ],
        edges: vec![
            edge("hall", "stair"),
            edge("stair", "loft"),
            edge("loft", "attic"),
            edge("hall", "cellar"),
        ],
    };
    View {
        title: "A house".to_owned(),
        widgets: vec![PlacedWidget { slot: WidgetSlot::Optional, widget: map }],
    }
}

fn prompt_with_ways(scene: &str, target_lists: &[&[&str]]) -> Prompt {
    let way_choice = |targets: &&[&str]| Choice {
        map_targets: targets.iter().map(|id| (*id).to_owned()).collect(),
        ..choice(&targets.join("+"), &format!("To {}", targets.join(" or ")))
    };
    let mut choices: Vec<Choice> = target_lists.iter().map(way_choice).collect();
    choices.push(choice("stay", "Stay"));
    Prompt {
        scene: scene.to_owned(),
        text: String::new(),
        answer_type: AnswerType::SingleChoice,
        choices,
        repeats: false,
    }
}

#[test]
fn auto_travel_goes_door_by_door_and_stops_at_a_prompt() {
    let hall_prompt = prompt_with_ways("house:room", &[&["stair"], &["cellar"]]);
    let (travel, first_input) =
        AutoTravel::start("loft", &hall_prompt, &house_view("hall", false)).unwrap();
    assert_eq!(first_input, Input::Choice("stair".to_owned()));
    let stair_prompt = prompt_with_ways("house:room", &[&["hall"], &["loft"]]);
    let (travel, next_input) =
        travel.next_answer(&stair_prompt, &house_view("stair", false)).unwrap();
    assert_eq!(next_input, Input::Choice("loft".to_owned()));
    assert!(
        travel.clone().next_answer(&stair_prompt, &house_view("loft", false)).is_none(),
        "it has come there"
    );
    // Somebody blocks the way, though there is another way.
    let fight_prompt = prompt_with_ways("house:fight", &[&["loft"]]);
    assert!(travel.clone().next_answer(&fight_prompt, &house_view("stair", false)).is_none());
    let blocked_prompt = prompt_with_ways("house:room", &[&["hall"]]);
    assert_eq!(
        travel.next_answer(&blocked_prompt, &house_view("stair", false)),
        None,
        "never backwards"
    );
}

#[test]
fn auto_travel_answers_a_prompt_among_places() {
    let hall_prompt = prompt_with_ways("house:room", &[&["stair"], &["loft", "attic"]]);
    let view = house_view("hall", false);
    let (travel, first_input) = AutoTravel::start("loft", &hall_prompt, &view).unwrap();
    assert_eq!(first_input, Input::Choice("loft+attic".to_owned()));
    let walk_prompt = prompt_with_ways("house:walk", &[&["loft"], &["attic"]]);
    assert_eq!(
        travel.next_answer(&walk_prompt, &view).unwrap().1,
        Input::Choice("loft".to_owned())
    );
    assert_eq!(reachable_places(&hall_prompt, &view), ["stair", "loft", "attic"]);
}

#[test]
fn exploring_goes_to_the_nearest_unvisited_place() {
    let hall_prompt = prompt_with_ways("house:room", &[&["stair"], &["cellar"]]);
    let explore_input = |prompt: &Prompt, view: &View| {
        AutoTravel::start_exploring(prompt, view).map(|(_, input)| input.into_input())
    };
    let choice_result = |id: &str| Ok(Input::Choice(id.to_owned()));
    assert_eq!(explore_input(&hall_prompt, &house_view("hall", false)), choice_result("cellar"));
    let loft_prompt = prompt_with_ways("house:room", &[&["stair"], &["attic"]]);
    assert_eq!(explore_input(&loft_prompt, &house_view("loft", false)), choice_result("attic"));
    // The attic is not entered without a request; the next target is further away.
    assert_eq!(explore_input(&loft_prompt, &house_view("loft", true)), choice_result("stair"));
    let mut view_without_unvisited = house_view("loft", true);
    let Widget::Map { nodes, .. } = &mut view_without_unvisited.widgets[0].widget else {
        unreachable!()
    };
    nodes[4].is_visited = true;
    let reason = explore_input(&loft_prompt, &view_without_unvisited).unwrap_err();
    assert_eq!(reason, "The unvisited places here are yours to choose");
    let reason = AutoTravel::start_exploring(&loft_prompt, &View::default()).unwrap_err();
    assert_eq!(reason, "There is no map here");
}

#[test]
fn exploring_takes_no_choice_with_a_cost() {
    let mut hall_prompt = prompt_with_ways("house:room", &[&["stair"], &["cellar"]]);
    hall_prompt.choices[1].cost = "1 watch".to_owned();
    let reason = AutoTravel::start_exploring(&hall_prompt, &house_view("hall", false)).unwrap_err();
    assert_eq!(reason, "The next step costs 1 watch, so choose it yourself");
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.show_prompt(&hall_prompt, &house_view("hall", false));
    assert_eq!(press_key(&mut screen, KeyCode::Char('o')), None);
    let page: String = super::sample::draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("The next step costs 1 watch"), "{page}");
    // The travel also stops before a cost on the way, although the first step was free.
    let mut view_without_unvisited = house_view("hall", false);
    let Widget::Map { nodes, .. } = &mut view_without_unvisited.widgets[0].widget else {
        unreachable!()
    };
    nodes[4].is_visited = true;
    hall_prompt.choices[1].cost.clear();
    let (travel, first_input) =
        AutoTravel::start_exploring(&hall_prompt, &view_without_unvisited).unwrap();
    assert_eq!(first_input, Input::Choice("stair".to_owned()));
    let mut stair_prompt = prompt_with_ways("house:room", &[&["hall"], &["loft"]]);
    stair_prompt.choices[1].cost = "1 watch".to_owned();
    assert_eq!(travel.next_answer(&stair_prompt, &house_view("stair", false)), None);
}

#[test]
fn a_place_is_found_by_part_of_its_name() {
    let view = house_view("hall", false);
    assert_eq!(find_place("loft", &view).as_deref(), Ok("loft"));
    assert_eq!(find_place("the st", &view).as_deref(), Ok("stair"));
    assert!(find_place("moon", &view).unwrap_err().contains("no place"));
    assert!(find_place("", &view).unwrap_err().contains("map"));
}

/// Opens the map and moves from the last place to the one above.
fn focus_loft_on_map(screen: &mut Screen) {
    press_key(screen, KeyCode::Char('m'));
    draw_frame(screen, 80, 24);
    press_key(screen, KeyCode::End);
    press_key(screen, KeyCode::Up);
}

#[test]
fn travel_starts_from_the_map_page_and_a_loss_stops_it() {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let hall_prompt = prompt_with_ways("house:room", &[&["stair"], &["cellar"]]);
    let stair_prompt = prompt_with_ways("house:room", &[&["hall"], &["loft"]]);
    screen.show_prompt(&hall_prompt, &house_view("hall", false));
    focus_loft_on_map(&mut screen);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("stair"));
    screen.add_events(&[say_event("A step creaks.")]);
    screen.show_prompt(&stair_prompt, &house_view("stair", false));
    assert_eq!(screen.continue_travel(), choice_answer("loft"));
    screen.show_prompt(&hall_prompt, &house_view("loft", false));
    assert_eq!(screen.continue_travel(), None);
    screen.show_prompt(&hall_prompt, &house_view("hall", false));
    assert_eq!(press_key(&mut screen, KeyCode::Char('o')), choice_answer("cellar"));
    screen.show_prompt(&hall_prompt, &house_view("hall", false));
    focus_loft_on_map(&mut screen);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("stair"));
    screen.add_events(&[StoryEvent::Loss { text: "1 blood".to_owned() }]);
    screen.show_prompt(&stair_prompt, &house_view("stair", false));
    assert_eq!(screen.continue_travel(), None);
}

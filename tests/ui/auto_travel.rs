//! Auto travel: requests that take several answers, such as a place on the map or the nearest
//! unexplored door. Each step is an ordinary answer. Any other prompt and any loss stops it.

use crossterm::event::KeyCode;
use engine::protocol::view::{MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use engine::protocol::{AnswerType, Choice, Input, Prompt, StoryEvent, View};
use engine::ui::auto_travel::{AutoTravel, find_place, reachable_places};
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::{choice, choice_answer, frame, press, say};

/// A house: hall, stair and loft were visited, in a line. The cellar is off the hall, the attic off
/// the loft; neither was visited. `here` is the player's place.
fn house(here: &str, attic_halts: bool) -> View {
    let node = |id: &str, seen, halt| MapNode {
        id: id.to_owned(),
        label: format!("the {id}"),
        here: id == here,
        seen,
        halt,
        ..MapNode::default()
    };
    let edge = |from: &str, to: &str| MapEdge { from: from.to_owned(), to: to.to_owned() };
    let map = Widget::Map {
        label: "The house".to_owned(),
        nodes: vec![
            node("hall", true, false),
            node("stair", true, false),
            node("loft", true, false),
            node("attic", false, attic_halts),
            node("cellar", here == "cellar", false),
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

fn prompt(scene: &str, ways: &[&[&str]]) -> Prompt {
    let way = |to: &&[&str]| Choice {
        map_targets: to.iter().map(|id| (*id).to_owned()).collect(),
        ..choice(&to.join("+"), &format!("To {}", to.join(" or ")))
    };
    let mut choices: Vec<Choice> = ways.iter().map(way).collect();
    choices.push(choice("stay", "Stay"));
    Prompt {
        scene: scene.to_owned(),
        text: String::new(),
        ask: AnswerType::One,
        choices,
        rounds: false,
    }
}

#[test]
fn auto_travel_goes_door_by_door_and_stops_at_a_prompt() {
    let at_hall = prompt("house:room", &[&["stair"], &["cellar"]]);
    let (errand, first) = AutoTravel::start("loft", &at_hall, &house("hall", false)).unwrap();
    assert_eq!(first, Input::Choice("stair".to_owned()));
    let at_stair = prompt("house:room", &[&["hall"], &["loft"]]);
    let (errand, next) = errand.next_step(&at_stair, &house("stair", false)).unwrap();
    assert_eq!(next, Input::Choice("loft".to_owned()));
    assert!(
        errand.clone().next_step(&at_stair, &house("loft", false)).is_none(),
        "it has come there"
    );
    // Somebody blocks the way, though there is another way.
    let barred = prompt("house:fight", &[&["loft"]]);
    assert!(errand.clone().next_step(&barred, &house("stair", false)).is_none());
    let shut = prompt("house:room", &[&["hall"]]);
    assert_eq!(errand.next_step(&shut, &house("stair", false)), None, "never backwards");
}

#[test]
fn a_choice_that_asks_among_places_is_gone_through() {
    let at_hall = prompt("house:room", &[&["stair"], &["loft", "attic"]]);
    let view = house("hall", false);
    let (errand, first) = AutoTravel::start("loft", &at_hall, &view).unwrap();
    assert_eq!(first, Input::Choice("loft+attic".to_owned()));
    let which = prompt("house:walk", &[&["loft"], &["attic"]]);
    assert_eq!(errand.next_step(&which, &view).unwrap().1, Input::Choice("loft".to_owned()));
    assert_eq!(reachable_places(&at_hall, &view), ["stair", "loft", "attic"]);
}

#[test]
fn exploring_goes_to_the_nearest_door_and_stops_where_the_game_says() {
    let at_hall = prompt("house:room", &[&["stair"], &["cellar"]]);
    let explored =
        |prompt: &Prompt, view: &View| AutoTravel::start_exploring(prompt, view).map(|(_, to)| to);
    let to = |id: &str| Ok(Input::Choice(id.to_owned()));
    assert_eq!(explored(&at_hall, &house("hall", false)), to("cellar"));
    let at_loft = prompt("house:room", &[&["stair"], &["attic"]]);
    assert_eq!(explored(&at_loft, &house("loft", false)), to("attic"));
    // The attic is not entered without a request; the next target is further away.
    assert_eq!(explored(&at_loft, &house("loft", true)), to("stair"));
    let mut done = house("loft", true);
    let Widget::Map { nodes, .. } = &mut done.widgets[0].widget else { unreachable!() };
    nodes[4].seen = true;
    let why = explored(&at_loft, &done).unwrap_err();
    assert_eq!(why, "The unvisited places here are yours to choose");
    let why = AutoTravel::start_exploring(&at_loft, &View::default()).unwrap_err();
    assert_eq!(why, "There is no map here");
}

#[test]
fn what_costs_is_not_paid_by_exploring() {
    let mut at_hall = prompt("house:room", &[&["stair"], &["cellar"]]);
    at_hall.choices[1].cost = "1 watch".to_owned();
    let why = AutoTravel::start_exploring(&at_hall, &house("hall", false)).unwrap_err();
    assert_eq!(why, "The next step costs 1 watch, so choose it yourself");
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.show_prompt(&at_hall, &house("hall", false));
    assert_eq!(press(&mut screen, KeyCode::Char('o')), None);
    let page: String = super::sample::picture(&mut screen, 80, 24);
    assert!(page.contains("The next step costs 1 watch"), "{page}");
    // Nor on the way, where the first step was free.
    let mut done = house("hall", false);
    let Widget::Map { nodes, .. } = &mut done.widgets[0].widget else { unreachable!() };
    nodes[4].seen = true;
    at_hall.choices[1].cost.clear();
    let (errand, first) = AutoTravel::start_exploring(&at_hall, &done).unwrap();
    assert_eq!(first, Input::Choice("stair".to_owned()));
    let mut at_stair = prompt("house:room", &[&["hall"], &["loft"]]);
    at_stair.choices[1].cost = "1 watch".to_owned();
    assert_eq!(errand.next_step(&at_stair, &house("stair", false)), None);
}

#[test]
fn a_name_is_enough_in_words() {
    let view = house("hall", false);
    assert_eq!(find_place("loft", &view).as_deref(), Ok("loft"));
    assert_eq!(find_place("the st", &view).as_deref(), Ok("stair"));
    assert!(find_place("moon", &view).unwrap_err().contains("no place"));
    assert!(find_place("", &view).unwrap_err().contains("map"));
}

/// Opens the map and moves from the last place to the one above.
fn to_the_loft(screen: &mut Screen) {
    press(screen, KeyCode::Char('m'));
    frame(screen, 80, 24);
    press(screen, KeyCode::End);
    press(screen, KeyCode::Up);
}

#[test]
fn on_the_screen_one_sets_out_from_the_map_and_a_loss_stops_one() {
    let mut screen = Screen::new(Theme::of(Palette::None));
    let at_hall = prompt("house:room", &[&["stair"], &["cellar"]]);
    let at_stair = prompt("house:room", &[&["hall"], &["loft"]]);
    screen.show_prompt(&at_hall, &house("hall", false));
    to_the_loft(&mut screen);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("stair"));
    screen.add_events(&[say("A step creaks.")]);
    screen.show_prompt(&at_stair, &house("stair", false));
    assert_eq!(screen.continue_travel(), choice_answer("loft"));
    screen.show_prompt(&at_hall, &house("loft", false));
    assert_eq!(screen.continue_travel(), None);
    screen.show_prompt(&at_hall, &house("hall", false));
    assert_eq!(press(&mut screen, KeyCode::Char('o')), choice_answer("cellar"));
    screen.show_prompt(&at_hall, &house("hall", false));
    to_the_loft(&mut screen);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("stair"));
    screen.add_events(&[StoryEvent::Loss { text: "1 blood".to_owned() }]);
    screen.show_prompt(&at_stair, &house("stair", false));
    assert_eq!(screen.continue_travel(), None);
}

//! A sample screen at a ferry with every kind of widget, event and prompt, and helpers to draw and
//! answer it.

use crate::support::accepted;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use protocol::prompt::OddsBand;
use protocol::story_event::{Die, Modifier, RollEvent};
use protocol::view::{Card, ListItem, MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use protocol::{AnswerType, Choice, Input, Odds, Prompt, StoryEvent, View};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ui::Answer;
use ui::full_screen::Screen;

/// The methods of a `Frontend` that only call its field `screen`.
macro_rules! forward_to_screen {
    () => {
        fn begin_story(&mut self, past: &[protocol::StoryEntry]) -> std::io::Result<()> {
            self.screen.begin_story(past);
            Ok(())
        }

        fn show_events(&mut self, events: &[protocol::StoryEvent]) -> std::io::Result<()> {
            self.screen.add_events(events);
            Ok(())
        }

        fn set_run_label(&mut self, words: &str, can_undo: bool) -> std::io::Result<()> {
            self.screen.set_run_label(words, can_undo);
            Ok(())
        }
    };
}
pub(crate) use forward_to_screen;

pub fn say_event(text: &str) -> StoryEvent {
    StoryEvent::Say { text: text.to_owned() }
}

pub fn odds_of_cases(label: &str, cases: &[u64]) -> Odds {
    let band_labels =
        [("full", "good"), ("partial", "fair"), ("failure", "poor"), ("guttering", "bad")];
    let bands = band_labels
        .iter()
        .zip(cases)
        .map(|((band_label, tone), cases)| OddsBand {
            label: (*band_label).to_owned(),
            case_count: *cases,
            tone: (*tone).to_owned(),
        })
        .collect();
    Odds {
        label: label.to_owned(),
        total_cases: cases.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)),
        bands,
    }
}

pub fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}

pub fn sample_card() -> Card {
    Card {
        title: "The bell rope".to_owned(),
        subtitle: "tarred hemp".to_owned(),
        text: "It was spliced *twice*, and by two hands.".to_owned(),
        lines: vec!["Strength 4".to_owned(), "Wet".to_owned()],
    }
}

/// A prompt with odds, a cost, a disabled choice and a card.
pub fn ferry_prompt() -> Prompt {
    let row_choice = Choice {
        note: "The current takes what you do not.".to_owned(),
        odds: Some(odds_of_cases("d20 + ARM 7 against 16", &[6, 5, 8, 1])),
        ..choice("row", "Row for the far lamp")
    };
    let ring_choice = Choice {
        cost: "1 bell".to_owned(),
        odds: Some(odds_of_cases("d20 + EAR 4 against 13", &[7, 5, 7, 1])),
        card: Some(sample_card()),
        ..choice("ring", "Ring for the ferryman")
    };
    let wait_choice = Choice {
        note: "The tide turns within the hour.".to_owned(),
        ..choice("wait", "Wait on the slip")
    };
    let walk_choice = Choice {
        disabled_because: Some("the causeway is under water".to_owned()),
        ..choice("walk", "Walk")
    };
    Prompt {
        scene: "ferry:crossing".to_owned(),
        text: "The lamp on the far side is *low*. What now?".to_owned(),
        answer_type: AnswerType::SingleChoice,
        choices: vec![row_choice, ring_choice, wait_choice, walk_choice],
        repeats: false,
    }
}

pub fn sample_prompt(ask: AnswerType, text: &str) -> Prompt {
    Prompt {
        scene: "ferry:ask".to_owned(),
        text: text.to_owned(),
        answer_type: ask,
        choices: Vec::new(),
        repeats: false,
    }
}

pub fn cargo_prompt() -> Prompt {
    let mut prompt =
        sample_prompt(AnswerType::MultipleChoice { min: 0, max: 2 }, "What goes into the boat?");
    prompt.choices =
        vec![choice("oil", "Lamp oil"), choice("bread", "Bread"), choice("letters", "The letters")];
    prompt
}

fn widget_in_slot(slot: WidgetSlot, widget: Widget) -> PlacedWidget {
    PlacedWidget { slot, widget }
}

fn stat_widget(label: &str, value: i64) -> PlacedWidget {
    widget_in_slot(
        WidgetSlot::Sheet,
        Widget::Stat { label: label.to_owned(), value, note: String::new() },
    )
}

fn list_item(label: &str, note: &str) -> ListItem {
    ListItem { label: label.to_owned(), note: note.to_owned(), card: None }
}

fn map_node(id: &str, label: &str, is_here: bool, is_visited: bool) -> MapNode {
    MapNode {
        id: id.to_owned(),
        label: label.to_owned(),
        is_current: is_here,
        is_visited,
        ..MapNode::default()
    }
}

fn map_edge(from: &str, to: &str) -> MapEdge {
    MapEdge { from: from.to_owned(), to: to.to_owned() }
}

/// A view with every kind of widget.
pub fn sample_view() -> View {
    let gauge = |label: &str, value, max, before| Widget::Gauge {
        label: label.to_owned(),
        value,
        max,
        previous_value: before,
        tone: String::new(),
    };
    let bag_items = vec![
        list_item("tin lantern", "EAR +1"),
        ListItem { card: Some(sample_card()), ..list_item("rope", "") },
    ];
    let map = Widget::Map {
        label: "Chart".to_owned(),
        nodes: vec![
            map_node("slip", "The slip", true, true),
            map_node("bar", "The sand bar", false, true),
            map_node("lamp", "The far lamp", false, false),
        ],
        edges: vec![map_edge("slip", "bar"), map_edge("bar", "lamp")],
    };
    let tide_table = Widget::Table {
        label: "Tides".to_owned(),
        columns: vec!["When".to_owned(), "Height".to_owned()],
        rows: vec![
            vec!["dusk".to_owned(), "2".to_owned()],
            vec!["midnight".to_owned(), "11".to_owned()],
        ],
    };
    let meter = Widget::PipCounter { label: "Bells".to_owned(), value: 1, max: 3 };
    let text =
        |text: &str, tone: &str| Widget::Text { text: text.to_owned(), tone: tone.to_owned() };
    let list = |label: &str, items| Widget::List {
        label: label.to_owned(),
        items,
        empty_text: "nothing yet".to_owned(),
    };
    View {
        title: "The ferry at Oar's End".to_owned(),
        widgets: vec![
            widget_in_slot(WidgetSlot::Top, meter),
            widget_in_slot(WidgetSlot::Top, text("Hour 3 of 9", "")),
            widget_in_slot(WidgetSlot::Sheet, gauge("Warmth", 17, 30, Some(20))),
            widget_in_slot(WidgetSlot::Sheet, gauge("Oil", 4, 6, None)),
            stat_widget("ARM", 7),
            stat_widget("EAR", 4),
            stat_widget("EYE", 11),
            stat_widget("SAY", 5),
            widget_in_slot(WidgetSlot::Sheet, list("Carried", bag_items)),
            widget_in_slot(WidgetSlot::Sheet, list("Heard", Vec::new())),
            widget_in_slot(WidgetSlot::Sheet, text("The wind is from the *north*.", "quiet")),
            widget_in_slot(WidgetSlot::Optional, map),
            widget_in_slot(WidgetSlot::Optional, tide_table),
            widget_in_slot(WidgetSlot::Optional, Widget::Card(sample_card())),
        ],
    }
}

pub fn sample_roll() -> RollEvent {
    RollEvent {
        label: "row".to_owned(),
        notation: "1d20".to_owned(),
        stream: "ferry:water".to_owned(),
        dice: vec![Die { sides: 20, face: 14, is_kept: true }],
        dice_total: 14,
        modifiers: vec![Modifier { label: "ARM".to_owned(), value: 7 }],
        added_dice: Vec::new(),
        total: 21,
        target: Some(16),
        rolls_under: false,
        is_open: false,
        outcome: Some("full".to_owned()),
        source_position: "ferry/play/crossing.luau:12".to_owned(),
        text_sources: base::value::ValueMap::new(),
    }
}

/// The kinds of events of a step.
pub fn sample_events() -> Vec<StoryEvent> {
    let text = |text: &str| text.to_owned();
    let two_dice_roll = RollEvent {
        label: "listen".to_owned(),
        notation: "2d20kh1".to_owned(),
        dice: vec![
            Die { sides: 20, face: 3, is_kept: false },
            Die { sides: 20, face: 11, is_kept: true },
        ],
        dice_total: 11,
        modifiers: vec![
            Modifier { label: "EAR".to_owned(), value: 4 },
            Modifier { label: "wind".to_owned(), value: -2 },
        ],
        total: 13,
        target: Some(13),
        outcome: Some("partial".to_owned()),
        ..sample_roll()
    };
    vec![
        StoryEvent::Heading { text: text("The slip") },
        say_event(
            "Weed hangs from the ladder, and each rung is *slick*. The boat knocks at its post, \
             once for every wave, as if it had been waiting to be let in.",
        ),
        StoryEvent::Roll(Box::new(sample_roll())),
        say_event("You pull. The far lamp comes nearer by a hand's breadth."),
        StoryEvent::Loss { text: text("3 warmth") },
        StoryEvent::Roll(Box::new(two_dice_roll)),
        StoryEvent::Gain { text: text("a bearing") },
        StoryEvent::Note { text: text("A bearing can be spent in fog.") },
    ]
}

/// The drawing of a screen.
pub fn draw_frame(screen: &mut Screen, columns: u16, height: u16) -> Buffer {
    let area = Rect::new(0, 0, columns, height);
    let mut buffer = Buffer::empty(area);
    screen.draw_into(area, &mut buffer);
    buffer
}

/// The rows of a frame as text.
pub fn frame_rows(buffer: &Buffer) -> impl Iterator<Item = String> {
    let Rect { width, height, .. } = buffer.area;
    (0..height).map(move |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect())
}

/// A frame as text, with bars at its sides so that trailing spaces are visible.
pub fn draw_boxed_text(screen: &mut Screen, columns: u16, height: u16) -> String {
    frame_rows(&draw_frame(screen, columns, height))
        .map(|row_choice| format!("|{row_choice}|\n"))
        .collect()
}

/// Presses a key.
pub fn press_key(screen: &mut Screen, code: KeyCode) -> Option<Answer> {
    screen.press_key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// Types letters one after another; returns the result of the last.
pub fn type_keys(screen: &mut Screen, keys: &str) -> Option<Answer> {
    keys.chars().map(|key| press_key(screen, KeyCode::Char(key))).last().flatten()
}

/// The answer for a choice.
pub fn choice_answer(id: &str) -> Option<Answer> {
    Some(Answer::Input(accepted(Input::Choice(id.to_owned()))))
}

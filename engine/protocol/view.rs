//! A view: the widgets that the screen shows beside the story. The set of widgets is small and fits
//! any ruleset; frontends draw them and know no game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The name of the present place; marked text.
    pub title: String,
    /// The widgets, in the game's order.
    pub widgets: Vec<PlacedWidget>,
}

impl View {
    /// Whether it has a form.
    pub fn has_form(&self) -> bool {
        self.widgets.iter().any(|placed| matches!(placed.widget, Widget::Form { .. }))
    }

    /// Whether a form row shows a choice; taking such a choice produces no story.
    pub fn is_form_choice(&self, id: &str) -> bool {
        self.widgets.iter().any(|placed| match &placed.widget {
            Widget::Form { rows, .. } => rows.iter().any(|row| row.has_choice(id)),
            _ => false,
        })
    }
}

/// A widget and its slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedWidget {
    /// Its slot.
    #[serde(default)]
    pub slot: WidgetSlot,
    /// The widget.
    #[serde(flatten)]
    pub widget: Widget,
}

/// Where a widget is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WidgetSlot {
    /// The line at the top, beside the title.
    Top,
    /// The sheet, always visible.
    #[default]
    Sheet,
    /// Shown where there is room, and on request.
    #[serde(rename = "more")]
    Optional,
}

/// A widget. All labels and texts are marked text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "widget", rename_all = "snake_case")]
pub enum Widget {
    /// A paragraph.
    Text {
        /// The text.
        text: String,
        /// The style: `plain`, `quiet`, `good`, `bad` or `strong`.
        #[serde(default)]
        tone: String,
    },
    /// A quantity with a limit, drawn as a bar.
    Gauge {
        /// Its name.
        label: String,
        /// The current value.
        value: i64,
        /// The largest value.
        max: i64,
        /// The value before this step, if the change should be shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(rename = "before")]
        previous_value: Option<i64>,
        /// The style, as for a text.
        #[serde(default)]
        tone: String,
    },
    /// A small count of units that are spent one at a time, drawn as marks.
    #[serde(rename = "meter")]
    PipCounter {
        /// Its name.
        label: String,
        /// The remaining units.
        value: i64,
        /// The units at the start.
        max: i64,
    },
    /// A named number.
    Stat {
        /// Its name.
        label: String,
        /// The number.
        value: i64,
        /// A short note beside it.
        #[serde(default)]
        note: String,
    },
    /// Lines under a title.
    List {
        /// Its name.
        label: String,
        /// The lines.
        items: Vec<ListItem>,
        /// The text for an empty list.
        #[serde(default)]
        #[serde(rename = "empty")]
        empty_text: String,
    },
    /// Rows with column headings.
    Table {
        /// Its name.
        label: String,
        /// The column headings.
        columns: Vec<String>,
        /// The rows, each as long as `columns`.
        rows: Vec<Vec<String>>,
    },
    /// A graph of places.
    Map {
        /// Its name.
        label: String,
        /// The nodes.
        nodes: Vec<MapNode>,
        /// The connections.
        edges: Vec<MapEdge>,
    },
    /// The details of one thing.
    Card(Card),
    /// Rows of settings, each set by choices of the prompt.
    Form {
        /// Its name.
        label: String,
        /// The rows.
        rows: Vec<FormRow>,
    },
}

/// A form row: a number with steps, or choices of which one is selected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FormRow {
    /// Its name.
    pub label: String,
    /// A description beside it.
    #[serde(default)]
    pub note: String,
    /// The number and the choices that change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepper: Option<Stepper>,
    /// The ids of the choices, shown side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The id of the selected choice; empty where none is selected.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selected: String,
}

impl FormRow {
    fn has_choice(&self, id: &str) -> bool {
        let stepper_choices = self
            .stepper
            .iter()
            .flat_map(|stepper| [&stepper.decrement_choice, &stepper.increment_choice]);
        stepper_choices.chain(&self.choices).any(|choice_id| choice_id == id)
    }
}

/// A number that choices of the prompt decrease and increase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stepper {
    /// The number.
    pub value: i64,
    /// The id of the choice that decreases it.
    #[serde(rename = "less")]
    pub decrement_choice: String,
    /// The id of the choice that increases it.
    #[serde(rename = "more")]
    pub increment_choice: String,
}

/// A list item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListItem {
    /// Its text.
    pub label: String,
    /// A short note beside it.
    #[serde(default)]
    pub note: String,
    /// A card to examine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

/// A map node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MapNode {
    /// Its id, unique on the map.
    pub id: String,
    /// Its name.
    pub label: String,
    /// A short note beside it (`rest`, `last rest`).
    #[serde(default)]
    pub note: String,
    /// Whether the player is here.
    #[serde(default)]
    #[serde(rename = "here")]
    pub is_current: bool,
    /// Whether it was visited. A node that is only known as an exit was not.
    #[serde(default)]
    #[serde(rename = "visited")]
    pub is_visited: bool,
    /// A symbol that replaces the usual one, to make the node stand out; a single character.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub symbol: String,
    /// The style, as for a text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tone: String,
    /// Whether only an explicit choice enters it: auto travel stops before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops_travel: bool,
    /// Its position, if the game states one: columns to the right, rows down. Positions are
    /// relative to those of the other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<(i64, i64)>,
}

/// A connection between two nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MapEdge {
    /// The id of one end.
    pub from: String,
    /// The id of the other.
    pub to: String,
}

/// The details of one thing: an item, a creature, a word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Card {
    /// Its name.
    pub title: String,
    /// A line under the name.
    #[serde(default)]
    pub subtitle: String,
    /// A description.
    #[serde(default)]
    pub text: String,
    /// Facts, one per line.
    #[serde(default)]
    pub lines: Vec<String>,
}

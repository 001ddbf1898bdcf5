//! A view: what the screen shows beside the story. A small set of widgets that any ruleset can
//! use; front ends draw them and know no game.

use serde::{Deserialize, Serialize};

/// What the screen shows beside the story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Where we are; marked text.
    pub title: String,
    /// The widgets, in the game's order.
    pub widgets: Vec<Placed>,
}

impl View {
    /// Whether a row of a form shows a choice: setting one tells no story.
    pub fn sets(&self, id: &str) -> bool {
        self.widgets.iter().any(|placed| match &placed.widget {
            Widget::Form { rows, .. } => rows.iter().any(|row| row.shows(id)),
            _ => false,
        })
    }
}

/// A widget and the part of the screen it asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Where it belongs.
    #[serde(default)]
    pub place: Place,
    /// The widget.
    #[serde(flatten)]
    pub widget: Widget,
}

/// The part of the screen a widget asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The line at the top, beside the title.
    Top,
    /// The sheet, always in sight.
    #[default]
    Sheet,
    /// Shown where there is room, and on request.
    More,
}

/// A widget. All labels and texts are marked text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "widget", rename_all = "snake_case")]
pub enum Widget {
    /// A paragraph.
    Text {
        /// What it says.
        text: String,
        /// `plain`, `quiet`, `good`, `bad` or `strong`.
        #[serde(default)]
        tone: String,
    },
    /// A quantity with a limit, drawn as a bar.
    Gauge {
        /// Its name.
        label: String,
        /// How much there is.
        value: i64,
        /// How much there can be.
        max: i64,
        /// How much there was before this step, if that is worth showing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<i64>,
        /// As for a text.
        #[serde(default)]
        tone: String,
    },
    /// A few things that are spent one at a time, drawn as marks.
    Meter {
        /// Its name.
        label: String,
        /// How many are left.
        value: i64,
        /// How many there were at first.
        max: i64,
    },
    /// A named number.
    Stat {
        /// Its name.
        label: String,
        /// The number.
        value: i64,
        /// A few words beside it.
        #[serde(default)]
        note: String,
    },
    /// Lines under a title.
    List {
        /// Its name.
        label: String,
        /// The lines.
        items: Vec<Item>,
        /// What stands there when the list is empty.
        #[serde(default)]
        empty: String,
    },
    /// Rows under column heads.
    Table {
        /// Its name.
        label: String,
        /// The heads.
        columns: Vec<String>,
        /// The rows, each as long as `columns`.
        rows: Vec<Vec<String>>,
    },
    /// Places and the ways between them.
    Map {
        /// Its name.
        label: String,
        /// The places.
        nodes: Vec<Node>,
        /// The ways.
        edges: Vec<Edge>,
    },
    /// A thing looked at closely.
    Card(Card),
    /// Rows that are set with choices of the prompt, which are shown in them.
    Form {
        /// Its name.
        label: String,
        /// The rows.
        rows: Vec<Row>,
    },
}

/// A row of a form: a number with its steps, or choices of which one is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// What it does, said beside it.
    #[serde(default)]
    pub note: String,
    /// The number and the choices that move it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepper: Option<Stepper>,
    /// The ids of choices that stand beside each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The id of the one of them that is set; empty where none is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub now: String,
}

impl Row {
    fn shows(&self, id: &str) -> bool {
        let steps = self.stepper.iter().flat_map(|stepper| [&stepper.less, &stepper.more]);
        steps.chain(&self.choices).any(|of| of == id)
    }
}

/// A number that choices of the prompt make less and more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stepper {
    /// The number.
    pub value: i64,
    /// The id of the choice that takes one away.
    pub less: String,
    /// The id of the choice that adds one.
    pub more: String,
}

/// A line of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What it says.
    pub label: String,
    /// A few words beside it.
    #[serde(default)]
    pub note: String,
    /// A card to examine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

/// A place on a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its id, unique on the map.
    pub id: String,
    /// Its name.
    pub label: String,
    /// A few words beside it (`rest`, `last rest`).
    #[serde(default)]
    pub note: String,
    /// Whether the player is here.
    #[serde(default)]
    pub here: bool,
    /// Whether it has been visited; a place known only as a door has not.
    #[serde(default)]
    pub seen: bool,
    /// A sign of its own in place of the usual one, for what is to stand out; a single character.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sign: String,
    /// As for a text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tone: String,
    /// Whether one goes there by one's own choice alone: whoever explores stops before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub halt: bool,
    /// Where it lies, if the game says so: how far to the right, and how far down. Either counts beside
    /// those of other places alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lies: Option<(i64, i64)>,
}

/// A way between two places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The id of one end.
    pub from: String,
    /// The id of the other.
    pub to: String,
}

/// A thing looked at closely: an item, a creature, a word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Its name.
    pub title: String,
    /// A line under the name.
    #[serde(default)]
    pub subtitle: String,
    /// What is said of it.
    #[serde(default)]
    pub text: String,
    /// Facts, one a line.
    #[serde(default)]
    pub lines: Vec<String>,
}

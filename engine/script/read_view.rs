//! Reads a view from a game's table, strictly.

use crate::kit::{Problem, text};
use crate::play::View;
use crate::play::view::{Card, Edge, Item, Node, Place, Placed, Row, Stepper, Widget};

use super::reworded::Reworded;
use super::shape::{Fields, Spot, marked, one_word, wrong_type};
use super::value_ref::{ValueRef, under};

const VIEW: &[&str] = &["title", "widgets", "values"];
const CARD: &[&str] = &["title", "subtitle", "text", "lines", "values"];
const NODE: &[&str] = &[
    "id",
    "label",
    "note",
    "here",
    "visited",
    "symbol",
    "tone",
    "stops_travel",
    "column",
    "row",
    "values",
];
const TONES: &[&str] = &["", "plain", "quiet", "good", "bad", "strong"];
const PLACES: &[&str] = &["top", "sheet", "more"];
const WIDGETS: &[&str] =
    &["text", "gauge", "meter", "stat", "list", "table", "map", "card", "form"];
/// Maximum number of widgets in a view, and of entries in a list, table or map.
pub(super) const MOST: usize = 500;

/// Reads a view, with text overrides.
pub(crate) fn view(value: &ValueRef<'_>, reworded: Option<&Reworded>) -> Result<View, Problem> {
    let fields = Fields::open(value, Spot::root("view", reworded), VIEW)?;
    let widgets = fields.list("widgets", MOST, placed)?;
    Ok(View { title: fields.text_or_empty("title")?, widgets })
}

/// Reads one widget and its slot.
pub(crate) fn placed(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<Placed, Problem> {
    let ValueRef::Map(map) = value else {
        return Err(wrong_type(
            spot,
            value,
            "a table with its kind of widget, such as widget = \"text\"",
        ));
    };
    let Some(kind) = under(map, "widget") else {
        return Err(Problem::error("missing-field", format!("{spot} has no widget"))
            .expected(format!("widget: one of {}", WIDGETS.join(", "))));
    };
    let kind = one_word(kind, &spot.field("widget"), WIDGETS)?;
    let fields = Fields::open(value, *spot, known(kind))?;
    let place = match fields.one_of("slot", PLACES)? {
        Some("top") => Place::Top,
        Some("more") => Place::More,
        _ => Place::Sheet,
    };
    Ok(Placed { place, widget: widget(kind, &fields)? })
}

fn known(widget: &str) -> &'static [&'static str] {
    match widget {
        "gauge" => &["widget", "slot", "values", "label", "value", "max", "before", "tone"],
        "meter" => &["widget", "slot", "values", "label", "value", "max"],
        "stat" => &["widget", "slot", "values", "label", "value", "note"],
        "list" => &["widget", "slot", "values", "label", "items", "empty"],
        "table" => &["widget", "slot", "values", "label", "columns", "rows"],
        "map" => &["widget", "slot", "values", "label", "nodes", "edges"],
        "form" => &["widget", "slot", "values", "label", "rows"],
        "card" => &["widget", "slot", "values", "title", "subtitle", "text", "lines"],
        _ => &["widget", "slot", "values", "text", "tone"],
    }
}

fn widget(kind: &str, fields: &Fields<'_>) -> Result<Widget, Problem> {
    Ok(match kind {
        "gauge" => Widget::Gauge {
            label: fields.need_text("label")?,
            value: fields.need_int("value")?,
            max: fields.need_int("max")?,
            before: fields.int("before")?,
            tone: tone(fields)?,
        },
        "meter" => Widget::Meter {
            label: fields.need_text("label")?,
            value: fields.need_int("value")?,
            max: fields.need_int("max")?,
        },
        "stat" => Widget::Stat {
            label: fields.need_text("label")?,
            value: fields.need_int("value")?,
            note: fields.text_or_empty("note")?,
        },
        "list" => Widget::List {
            label: fields.need_text("label")?,
            items: fields.list("items", MOST, item)?,
            empty: fields.text_or_empty("empty")?,
        },
        "table" => table(fields)?,
        "map" => map(fields)?,
        "form" => Widget::Form {
            label: fields.text_or_empty("label")?,
            rows: fields.list("rows", MOST, row)?,
        },
        "card" => Widget::Card(card_of(fields)?),
        _ => Widget::Text { text: fields.need_text("text")?, tone: tone(fields)? },
    })
}

fn tone(fields: &Fields<'_>) -> Result<String, Problem> {
    Ok(fields.one_of("tone", TONES)?.unwrap_or_default().to_owned())
}

fn item(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<Item, Problem> {
    if let ValueRef::Text(_) = value {
        return Ok(Item { label: marked(value, spot)?, ..Item::default() });
    }
    let fields = Fields::open(value, *spot, &["label", "note", "card", "values"])?;
    Ok(Item {
        label: fields.need_text("label")?,
        note: fields.text_or_empty("note")?,
        card: fields.inner("card", card)?,
    })
}

fn table(fields: &Fields<'_>) -> Result<Widget, Problem> {
    let columns = fields.list("columns", 32, marked)?;
    let rows = fields.list("rows", MOST, |value, spot| {
        let list = value.as_list().ok_or_else(|| wrong_type(spot, value, "a list of texts"))?;
        if list.len() != columns.len() {
            return Err(Problem::error("wrong-type", format!("{spot} has {} cells", list.len()))
                .expected(format!("{}, one for each column", columns.len())));
        }
        list.iter().enumerate().map(|(at, cell)| marked(cell, &spot.index(at + 1))).collect()
    })?;
    Ok(Widget::Table { label: fields.need_text("label")?, columns, rows })
}

fn row(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<Row, Problem> {
    let known = &["label", "note", "stepper", "choices", "selected", "values"];
    let fields = Fields::open(value, *spot, known)?;
    let id = |value: &ValueRef<'_>, spot: &Spot<'_>| {
        let id = value.as_text().ok_or_else(|| wrong_type(spot, value, "the id of a choice"))?;
        Ok(id.to_owned())
    };
    let (stepper, choices) = (fields.inner("stepper", stepper)?, fields.list("choices", MOST, id)?);
    if stepper.is_some() != choices.is_empty() {
        let found = format!("{spot} has no control, or two controls");
        return Err(Problem::error("wrong-type", found).expected("a stepper, or choices"));
    }
    Ok(Row {
        label: fields.need_text("label")?,
        note: fields.text_or_empty("note")?,
        stepper,
        choices,
        now: fields.word("selected")?.unwrap_or_default().to_owned(),
    })
}

fn stepper(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<Stepper, Problem> {
    let fields = Fields::open(value, *spot, &["value", "less", "more"])?;
    let id = |name: &'static str| {
        fields.need(name, "the id of a choice")?;
        Ok::<_, Problem>(fields.word(name)?.unwrap_or_default().to_owned())
    };
    Ok(Stepper { value: fields.need_int("value")?, less: id("less")?, more: id("more")? })
}

fn map(fields: &Fields<'_>) -> Result<Widget, Problem> {
    let nodes = fields.list("nodes", MOST, node)?;
    let known = |id: &str| nodes.iter().any(|node| node.id == id);
    let edges = fields.list("edges", MOST, |value, spot| {
        let fields = Fields::open(value, *spot, &["from", "to"])?;
        let end = |name: &'static str| {
            fields.need(name, "the id of a node")?;
            let id = fields.word(name)?.unwrap_or_default();
            if known(id) {
                return Ok(id.to_owned());
            }
            Err(Problem::error("bad-reference", format!("{spot}.{name} is {id:?}"))
                .expected("the id of one of the nodes"))
        };
        Ok(Edge { from: end("from")?, to: end("to")? })
    })?;
    Ok(Widget::Map { label: fields.need_text("label")?, nodes, edges })
}

fn node(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<Node, Problem> {
    let fields = Fields::open(value, *spot, NODE)?;
    fields.need("id", "a text, unique on the map")?;
    Ok(Node {
        id: fields.word("id")?.unwrap_or_default().to_owned(),
        label: fields.need_text("label")?,
        note: fields.text_or_empty("note")?,
        here: fields.truth("here")?,
        seen: fields.truth("visited")?,
        sign: sign(&fields)?,
        tone: tone(&fields)?,
        halt: fields.truth("stops_travel")?,
        lies: lies(&fields)?,
    })
}

/// The position of a map node: both column and row, or neither.
fn lies(fields: &Fields<'_>) -> Result<Option<(i64, i64)>, Problem> {
    match (fields.int("column")?, fields.int("row")?) {
        (Some(column), Some(row)) => Ok(Some((column, row))),
        (None, None) => Ok(None),
        (column, _) => {
            let (has, lacks) = if column.is_some() { ("column", "row") } else { ("row", "column") };
            let said = format!("{} has a {has} but no {lacks}", fields.spot);
            Err(Problem::error("wrong-type", said).expected("both, or neither"))
        }
    }
}

/// The symbol of a map node: one character that is one terminal column wide.
fn sign(fields: &Fields<'_>) -> Result<String, Problem> {
    let Some(sign) = fields.word("symbol")? else { return Ok(String::new()) };
    if sign.chars().count() == 1 && sign.chars().all(text::is_plain) && text::width(sign) == 1 {
        return Ok(sign.to_owned());
    }
    Err(Problem::error("wrong-type", format!("{}.symbol is the text {sign:?}", fields.spot))
        .expected("one character, one column wide"))
}

/// Reads a card.
pub(crate) fn card(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<Card, Problem> {
    card_of(&Fields::open(value, *spot, CARD)?)
}

fn card_of(fields: &Fields<'_>) -> Result<Card, Problem> {
    Ok(Card {
        title: fields.need_text("title")?,
        subtitle: fields.text_or_empty("subtitle")?,
        text: fields.text_or_empty("text")?,
        lines: fields.list("lines", MOST, marked)?,
    })
}

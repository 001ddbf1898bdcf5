//! Reads a view from a game's table, strictly.

use base::{Code, Problem, TextOverrides, limits, quote, text};
use protocol::View;
use protocol::view::{
    Card, FormRow, ListItem, MapEdge, MapNode, PlacedWidget, Stepper, Widget, WidgetSlot,
};

use crate::values::data_path::DataPath;
use crate::values::read_fields::{
    FieldReader, read_one_of, read_text_with_placeholders, wrong_type_problem,
};
use crate::values::value_ref::{ValueRef, find_value_by_name};

const VIEW_FIELDS: &[&str] = &["title", "widgets", "values"];
const CARD_FIELDS: &[&str] = &["title", "subtitle", "text", "lines", "values"];
const MAP_NODE_FIELDS: &[&str] = &[
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
const WIDGET_TONES: &[&str] = &["", "plain", "quiet", "good", "bad", "strong"];
const SLOT_NAMES: &[&str] = &["top", "sheet", "more"];
const WIDGET_KINDS: &[&str] =
    &["text", "gauge", "meter", "stat", "list", "table", "map", "card", "form"];

/// Reads a view, with text overrides.
pub(crate) fn read_view(
    value: &ValueRef<'_>,
    overrides: Option<&TextOverrides>,
) -> Result<View, Problem> {
    let fields = FieldReader::open_table(value, DataPath::root("view", overrides), VIEW_FIELDS)?;
    let widgets = fields.read_list("widgets", limits::MAX_WIDGET_ENTRIES, read_placed_widget)?;
    Ok(View { title: fields.read_text_or_empty("title")?, widgets })
}

/// Reads one widget and its slot.
pub(crate) fn read_placed_widget(
    value: &ValueRef<'_>,
    path: &DataPath<'_>,
) -> Result<PlacedWidget, Problem> {
    let ValueRef::Map(map) = value else {
        return Err(wrong_type_problem(
            path,
            value,
            "a table with its kind of widget, such as widget = \"text\"",
        ));
    };
    let Some(kind) = find_value_by_name(map, "widget") else {
        return Err(Problem::error(Code::MissingField, format!("{path} has no widget"))
            .expected(format!("widget: one of {}", WIDGET_KINDS.join(", "))));
    };
    let kind = read_one_of(kind, &path.field("widget"), WIDGET_KINDS)?;
    let fields = FieldReader::open_table(value, *path, widget_field_names(kind))?;
    let widget_slot = match fields.read_one_of_words("slot", SLOT_NAMES)? {
        Some("top") => WidgetSlot::Top,
        Some("more") => WidgetSlot::Optional,
        _ => WidgetSlot::Sheet,
    };
    Ok(PlacedWidget { slot: widget_slot, widget: read_widget(kind, &fields)? })
}

fn widget_field_names(widget: &str) -> &'static [&'static str] {
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

fn read_widget(kind: &str, fields: &FieldReader<'_>) -> Result<Widget, Problem> {
    Ok(match kind {
        "gauge" => Widget::Gauge {
            label: fields.read_required_text("label")?,
            value: fields.read_required_int("value")?,
            max: fields.read_required_int("max")?,
            previous_value: fields.read_int("before")?,
            tone: read_tone(fields)?,
        },
        "meter" => Widget::PipCounter {
            label: fields.read_required_text("label")?,
            value: fields.read_required_int("value")?,
            max: fields.read_required_int("max")?,
        },
        "stat" => Widget::Stat {
            label: fields.read_required_text("label")?,
            value: fields.read_required_int("value")?,
            note: fields.read_text_or_empty("note")?,
        },
        "list" => Widget::List {
            label: fields.read_required_text("label")?,
            items: fields.read_list("items", limits::MAX_WIDGET_ENTRIES, read_list_item)?,
            empty_text: fields.read_text_or_empty("empty")?,
        },
        "table" => read_table(fields)?,
        "map" => read_map(fields)?,
        "form" => Widget::Form {
            label: fields.read_text_or_empty("label")?,
            rows: fields.read_list("rows", limits::MAX_WIDGET_ENTRIES, read_form_row)?,
        },
        "card" => Widget::Card(read_card_fields(fields)?),
        _ => Widget::Text { text: fields.read_required_text("text")?, tone: read_tone(fields)? },
    })
}

fn read_tone(fields: &FieldReader<'_>) -> Result<String, Problem> {
    Ok(fields.read_one_of_words("tone", WIDGET_TONES)?.unwrap_or_default().to_owned())
}

fn read_list_item(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<ListItem, Problem> {
    if let ValueRef::Text(_) = value {
        return Ok(ListItem {
            label: read_text_with_placeholders(value, path)?,
            ..ListItem::default()
        });
    }
    let fields = FieldReader::open_table(value, *path, &["label", "note", "card", "values"])?;
    Ok(ListItem {
        label: fields.read_required_text("label")?,
        note: fields.read_text_or_empty("note")?,
        card: fields.read_optional_field("card", read_card)?,
    })
}

fn read_table(fields: &FieldReader<'_>) -> Result<Widget, Problem> {
    let columns = fields.read_list("columns", 32, read_text_with_placeholders)?;
    let rows = fields.read_list("rows", limits::MAX_WIDGET_ENTRIES, |value, path| {
        let list =
            value.as_list().ok_or_else(|| wrong_type_problem(path, value, "a list of texts"))?;
        if list.len() != columns.len() {
            return Err(Problem::error(
                Code::WrongType,
                format!("{path} has the wrong number of cells: {}", list.len()),
            )
            .expected(format!("{}, one for each column", columns.len())));
        }
        list.iter()
            .enumerate()
            .map(|(index, cell)| read_text_with_placeholders(cell, &path.index(index + 1)))
            .collect()
    })?;
    Ok(Widget::Table { label: fields.read_required_text("label")?, columns, rows })
}

fn read_form_row(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<FormRow, Problem> {
    let field_names = &["label", "note", "stepper", "choices", "selected", "values"];
    let fields = FieldReader::open_table(value, *path, field_names)?;
    let read_id = |value: &ValueRef<'_>, path: &DataPath<'_>| {
        let id =
            value.as_text().ok_or_else(|| wrong_type_problem(path, value, "the id of a choice"))?;
        Ok(id.to_owned())
    };
    let (stepper, choices) = (
        fields.read_optional_field("stepper", read_stepper)?,
        fields.read_list("choices", limits::MAX_WIDGET_ENTRIES, read_id)?,
    );
    if stepper.is_some() != choices.is_empty() {
        let count = if stepper.is_some() { "two controls" } else { "no control" };
        let message = format!("{path} has {count}");
        return Err(
            Problem::error(Code::WrongType, message).expected("either `stepper` or `choices`")
        );
    }
    Ok(FormRow {
        label: fields.read_required_text("label")?,
        note: fields.read_text_or_empty("note")?,
        stepper,
        choices,
        selected: fields.read_word("selected")?.unwrap_or_default().to_owned(),
    })
}

fn read_stepper(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<Stepper, Problem> {
    let fields = FieldReader::open_table(value, *path, &["value", "less", "more"])?;
    let read_id = |name: &'static str| {
        fields.require_field(name, "the id of a choice")?;
        Ok::<_, Problem>(fields.read_word(name)?.unwrap_or_default().to_owned())
    };
    Ok(Stepper {
        value: fields.read_required_int("value")?,
        decrement_choice: read_id("less")?,
        increment_choice: read_id("more")?,
    })
}

fn read_map(fields: &FieldReader<'_>) -> Result<Widget, Problem> {
    let nodes = fields.read_list("nodes", limits::MAX_WIDGET_ENTRIES, read_map_node)?;
    let is_known_node = |id: &str| nodes.iter().any(|node| node.id == id);
    let edges = fields.read_list("edges", limits::MAX_WIDGET_ENTRIES, |value, path| {
        let fields = FieldReader::open_table(value, *path, &["from", "to"])?;
        let read_endpoint = |name: &'static str| {
            fields.require_field(name, "the id of a node")?;
            let id = fields.read_word(name)?.unwrap_or_default();
            if is_known_node(id) {
                return Ok(id.to_owned());
            }
            Err(Problem::error(Code::BadReference, format!("{path}.{name} is {}", quote(id)))
                .expected("the `id` of one of the `nodes` of this map"))
        };
        Ok(MapEdge { from: read_endpoint("from")?, to: read_endpoint("to")? })
    })?;
    Ok(Widget::Map { label: fields.read_required_text("label")?, nodes, edges })
}

fn read_map_node(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<MapNode, Problem> {
    let fields = FieldReader::open_table(value, *path, MAP_NODE_FIELDS)?;
    fields.require_field("id", "a text, unique on the map")?;
    Ok(MapNode {
        id: fields.read_word("id")?.unwrap_or_default().to_owned(),
        label: fields.read_required_text("label")?,
        note: fields.read_text_or_empty("note")?,
        is_current: fields.read_flag("here")?,
        is_visited: fields.read_flag("visited")?,
        symbol: read_symbol(&fields)?,
        tone: read_tone(&fields)?,
        stops_travel: fields.read_flag("stops_travel")?,
        position: read_position(&fields)?,
    })
}

/// The position of a map node: both column and row, or neither.
fn read_position(fields: &FieldReader<'_>) -> Result<Option<(i64, i64)>, Problem> {
    match (fields.read_int("column")?, fields.read_int("row")?) {
        (Some(column), Some(row)) => Ok(Some((column, row))),
        (None, None) => Ok(None),
        (column, _) => {
            let (present_field, missing_field) =
                if column.is_some() { ("column", "row") } else { ("row", "column") };
            let message = format!("{} has a {present_field} but no {missing_field}", fields.path);
            Err(Problem::error(Code::WrongType, message).expected("both, or neither"))
        }
    }
}

/// The symbol of a map node: one character that is one terminal column wide.
fn read_symbol(fields: &FieldReader<'_>) -> Result<String, Problem> {
    let Some(symbol) = fields.read_word("symbol")? else { return Ok(String::new()) };
    if symbol.chars().count() == 1
        && symbol.chars().all(text::is_printable)
        && text::display_width(symbol) == 1
    {
        return Ok(symbol.to_owned());
    }
    let message = format!("{}.symbol is the text {}", fields.path, quote(symbol));
    Err(Problem::error(Code::WrongType, message).expected("one character, one column wide"))
}

/// Reads a card.
pub(crate) fn read_card(value: &ValueRef<'_>, path: &DataPath<'_>) -> Result<Card, Problem> {
    read_card_fields(&FieldReader::open_table(value, *path, CARD_FIELDS)?)
}

fn read_card_fields(fields: &FieldReader<'_>) -> Result<Card, Problem> {
    Ok(Card {
        title: fields.read_required_text("title")?,
        subtitle: fields.read_text_or_empty("subtitle")?,
        text: fields.read_text_or_empty("text")?,
        lines: fields.read_list(
            "lines",
            limits::MAX_WIDGET_ENTRIES,
            read_text_with_placeholders,
        )?,
    })
}

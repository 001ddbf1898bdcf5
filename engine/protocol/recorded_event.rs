//! Recorded events: what a journal keeps of a story event, its source text with the values of its
//! marks. It is filled when it is shown, with the text overrides of then.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::story_event::{RollEvent, StoryEvent};
use base::text::{display_value, fill_placeholders};
use base::text_overrides::{COUNT_MARK, capitalize_first_letter};
use base::value::ValueMap;
use base::{TextOverrides, Value, limits};

/// The value of an event whose whole text was made from another. No mark has this name.
pub const WHOLE_TEXT_KEY: &str = "}";
/// How deep texts may be nested as values of texts.
const MAX_NESTED_TEXTS: usize = 8;

/// A story event before its text is filled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedEvent {
    /// The event. Its text is as the script wrote it, before text overrides.
    #[serde(flatten)]
    pub event: StoryEvent,
    /// The values of the marks of that text, and of the text that overrode it at that time.
    #[serde(skip_serializing_if = "ValueMap::is_empty")]
    pub values: ValueMap,
}

impl RecordedEvent {
    /// The event as a journal has it.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an event always has a JSON text")
    }

    /// The approximate size of the event as text.
    pub fn text_bytes(&self) -> usize {
        let event_bytes = match &self.event {
            StoryEvent::Roll(roll) => {
                let labels: usize =
                    roll.modifiers.iter().map(|modifier| modifier.label.len() + 16).sum();
                roll.label.len() + roll.notation.len() + labels + roll.dice.len() * 16
            }
            event => event.text().map_or(0, str::len),
        };
        let value_bytes = self.values.iter().map(|(mark, value)| {
            let (values, text_bytes) = value.count_values_and_text_bytes();
            mark.len() + values * 8 + text_bytes
        });
        event_bytes + value_bytes.sum::<usize>()
    }
}

impl From<StoryEvent> for RecordedEvent {
    fn from(event: StoryEvent) -> Self {
        Self { event, values: ValueMap::new() }
    }
}

/// An event of the running step.
#[derive(Clone, Debug, PartialEq)]
pub struct EmittedEvent {
    /// What a journal keeps.
    pub recorded: RecordedEvent,
    /// The text that the step has filled for it, if it differs from the source text.
    pub filled_text: Option<String>,
}

impl<E: Into<RecordedEvent>> From<E> for EmittedEvent {
    fn from(event: E) -> Self {
        Self { recorded: event.into(), filled_text: None }
    }
}

/// The events of a step as they are shown.
pub fn show_emitted_events(
    events: Vec<EmittedEvent>,
    overrides: &TextOverrides,
) -> Vec<StoryEvent> {
    let mut filled_bytes = 0;
    let show_event = |EmittedEvent { recorded, filled_text }| match filled_text {
        Some(text) if !overrides.is_translation() => recorded.event.with_text(text),
        _ => fill_event(recorded, overrides, &mut filled_bytes),
    };
    events.into_iter().map(show_event).collect()
}

/// Fills the texts of the events of one step, to show them.
pub fn fill_recorded_events(
    events: Vec<RecordedEvent>,
    overrides: &TextOverrides,
) -> Vec<StoryEvent> {
    let mut filled_bytes = 0;
    events.into_iter().map(|event| fill_event(event, overrides, &mut filled_bytes)).collect()
}

/// Fills the text of an event. A text with a mark that has no value, or that becomes too long, stays
/// as it is written. `filled_bytes` counts the text of the step.
fn fill_event(
    RecordedEvent { event, values }: RecordedEvent,
    overrides: &TextOverrides,
    filled_bytes: &mut usize,
) -> StoryEvent {
    let event = match event {
        StoryEvent::Roll(roll) => return StoryEvent::Roll(translate_roll(roll, overrides)),
        event => event,
    };
    let Some(source_text) = event.text() else { return event };
    // A step cannot output more, but a journal from elsewhere can.
    if *filled_bytes > limits::MAX_STORY_BYTES_PER_STEP {
        return event;
    }
    let filled_text = match values.get(WHOLE_TEXT_KEY) {
        Some(source) => Some(display_value(&displayed_value(source, None, overrides, 0))),
        None if values.is_empty() && overrides.apply_word_override(source_text) == source_text => {
            return event;
        }
        None => fill_source_text(source_text, &values, overrides, 0),
    };
    *filled_bytes += filled_text.as_ref().map_or(limits::MAX_TEXT_BYTES, String::len);
    match filled_text {
        Some(text) => event.with_text(text),
        None => event,
    }
}

/// A text with its values, as a value of another text.
pub fn nested_text(
    source_text: &str,
    values: ValueMap,
    line: Option<usize>,
    is_capitalized: bool,
) -> Value {
    let mut fields = vec![("text", Value::text(source_text)), ("values", Value::Map(values))];
    fields.extend(line.and_then(|line| Some(("line", Value::Int(i64::try_from(line).ok()?)))));
    if is_capitalized {
        fields.push(("capital", Value::Bool(true)));
    }
    Value::map_of(fields)
}

/// Fills a source text or its override. `None` if a mark has no value, or if it becomes too long.
fn fill_source_text(
    source_text: &str,
    values: &ValueMap,
    overrides: &TextOverrides,
    depth: usize,
) -> Option<String> {
    let count = values.get(COUNT_MARK);
    // Each value once, however many marks it has.
    let displayed_values: BTreeMap<&str, Value> = values
        .iter()
        .map(|(mark, value)| (&**mark, displayed_value(value, count, overrides, depth)))
        .collect();
    let fill = |text| {
        let filled_text = fill_placeholders(text, &|mark| displayed_values.get(mark).cloned()).ok();
        filled_text.filter(|filled| filled.len() <= limits::MAX_TEXT_BYTES)
    };
    // An override may have a mark that had no value.
    fill(overrides.apply_word_override(source_text)).or_else(|| fill(source_text))
}

fn displayed_value(
    value: &Value,
    count: Option<&Value>,
    overrides: &TextOverrides,
    depth: usize,
) -> Value {
    match value {
        Value::Text(word) => Value::text(overrides.apply_counted_word(word, || count.cloned())),
        Value::Map(_) if depth < MAX_NESTED_TEXTS => {
            let no_values = ValueMap::new();
            let source_text = value.get("text").and_then(Value::as_text).unwrap_or_default();
            let values = value.get("values").and_then(Value::as_map).unwrap_or(&no_values);
            let filled_text = fill_source_text(source_text, values, overrides, depth + 1);
            let text = filled_text.unwrap_or_else(|| source_text.to_owned());
            let line = value.get("line").and_then(Value::as_int);
            let line = line.and_then(|line| text.split('\n').nth(usize::try_from(line).ok()?));
            let text = line.map_or(text.clone(), str::to_owned);
            let is_capitalized = value.get("capital").is_some();
            let capitalized_text = capitalize_first_letter(&text).filter(|_| is_capitalized);
            Value::from(capitalized_text.unwrap_or(text))
        }
        Value::Map(_) => Value::text(""),
        value => Value::from(display_value(value)),
    }
}

/// A roll with its texts in the language of the player.
fn translate_roll(mut roll: Box<RollEvent>, overrides: &TextOverrides) -> Box<RollEvent> {
    // Only a journal needs them.
    let sources = std::mem::take(&mut roll.text_sources);
    if !overrides.is_translation() {
        return roll;
    }
    let translate = |text: &mut String| {
        let word = sources.get(&**text).cloned().unwrap_or_else(|| Value::text(&*text));
        *text = display_value(&displayed_value(&word, None, overrides, 0));
    };
    translate(&mut roll.label);
    roll.modifiers.iter_mut().for_each(|modifier| translate(&mut modifier.label));
    roll.added_dice.iter_mut().for_each(|added| translate(&mut added.label));
    roll.outcome.iter_mut().for_each(translate);
    roll
}

/// Deserializes an event with its kind first. The derived code would buffer every event as loose
/// values before it reads the kind, and a journal has events in every second line.
impl<'de> Deserialize<'de> for RecordedEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RecordedEventVisitor)
    }
}

struct RecordedEventVisitor;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoryEventKind {
    Say,
    Heading,
    Note,
    Gain,
    Loss,
    Roll,
}

#[derive(Deserialize)]
struct StoryEventText {
    text: String,
    #[serde(default)]
    values: ValueMap,
}

impl<'de> Visitor<'de> for RecordedEventVisitor {
    type Value = RecordedEvent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event, its kind first")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RecordedEvent, A::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum EventTag {
            Event,
        }
        let kind = match map.next_key()? {
            Some(EventTag::Event) => map.next_value()?,
            None => return Err(Error::missing_field("event")),
        };
        let rest = MapAccessDeserializer::new(map);
        let make_event: fn(String) -> StoryEvent = match kind {
            StoryEventKind::Say => |text| StoryEvent::Say { text },
            StoryEventKind::Heading => |text| StoryEvent::Heading { text },
            StoryEventKind::Note => |text| StoryEvent::Note { text },
            StoryEventKind::Gain => |text| StoryEvent::Gain { text },
            StoryEventKind::Loss => |text| StoryEvent::Loss { text },
            StoryEventKind::Roll => {
                return Ok(StoryEvent::Roll(Box::new(RollEvent::deserialize(rest)?)).into());
            }
        };
        let StoryEventText { text, values } = StoryEventText::deserialize(rest)?;
        Ok(RecordedEvent { event: make_event(text), values })
    }
}

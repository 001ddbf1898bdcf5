//! Recorded events: what a journal keeps of a story event, its source text with the values of its
//! marks. It is filled when it is shown, with the text overrides of then.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::story_event::{RollEvent, StoryEvent};
use base::text::{display_value, fill_placeholders};
use base::value::ValueMap;
use base::{TextOverrides, Value, limits};

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
        Some(text) => recorded.event.with_text(text),
        None => fill_event(recorded, overrides, &mut filled_bytes),
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
    let Some(source_text) = event.text() else { return event };
    let text = overrides.apply_text_override(source_text);
    // A step cannot output more, but a journal from elsewhere can.
    let is_too_much = *filled_bytes > limits::MAX_STORY_BYTES_PER_STEP;
    if is_too_much || values.is_empty() && text == source_text {
        return event;
    }
    // Each value once, however many marks it has.
    let displayed_value = |value: &Value| match value {
        Value::Text(word) => Value::text(overrides.apply_word_override(word)),
        value => Value::from(display_value(value)),
    };
    let values: BTreeMap<&str, Value> =
        values.iter().map(|(mark, value)| (&**mark, displayed_value(value))).collect();
    let fill = |text| {
        let filled_text = fill_placeholders(text, &|mark| values.get(mark).cloned()).ok();
        filled_text.filter(|filled| filled.len() <= limits::MAX_TEXT_BYTES)
    };
    // An override may have a mark that had no value.
    let filled_text = fill(text).or_else(|| fill(source_text));
    *filled_bytes += filled_text.as_ref().map_or(limits::MAX_TEXT_BYTES, String::len);
    match filled_text {
        Some(text) => event.with_text(text),
        None => event,
    }
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

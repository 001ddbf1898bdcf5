//! The texts of definitions: their field, and the conditions of the tables that they are in. A table
//! says what it speaks of (`about`), and what must hold or not hold (`needs`, `lacks`).

use std::collections::{BTreeMap, BTreeSet};

use base::Value;
use base::text::{MarkupPart, split_markup};
use base::value::ValueMap;
use content::{Datum, DatumMap, Registry};

/// A text of a definition.
pub(super) struct DefinitionText {
    kind: String,
    /// The fields around it: `choices`, `full`, `say`.
    fields: Vec<String>,
    text: String,
    conditions: Vec<TextCondition>,
}

/// A condition of a table with texts.
#[derive(Clone)]
struct TextCondition {
    field: ConditionField,
    name: String,
}

#[derive(Clone, Copy)]
enum ConditionField {
    About,
    Needs,
    Lacks,
}

/// The fact with the ids of what is dead, taken or not there.
pub(super) const GONE_FACT: &str = "gone";
/// The fact with the names of the conditions that hold.
pub(super) const HOLDS_FACT: &str = "holds";

/// What a game says about its state: see `GONE_FACT`, `HOLDS_FACT`.
#[derive(Clone, Default)]
pub(super) struct StateFacts {
    gone: Option<BTreeSet<String>>,
    holds: Option<BTreeSet<String>>,
}

impl StateFacts {
    pub(super) fn from_facts(facts: &ValueMap) -> Self {
        let names = |fact: &str| {
            let list = facts.get(fact)?.as_list().unwrap_or_default();
            Some(list.iter().filter_map(Value::as_text).map(str::to_owned).collect())
        };
        Self { gone: names(GONE_FACT), holds: names(HOLDS_FACT) }
    }

    fn contradicts(&self, condition: &TextCondition) -> bool {
        let has =
            |set: &Option<BTreeSet<String>>| set.as_ref().map(|set| set.contains(&condition.name));
        match condition.field {
            ConditionField::About => has(&self.gone) == Some(true),
            ConditionField::Needs => has(&self.holds) == Some(false),
            ConditionField::Lacks => has(&self.holds) == Some(true),
        }
    }
}

/// All texts of definitions.
pub(super) struct DefinitionTexts {
    texts: Vec<DefinitionText>,
    /// Those with conditions, by their beginning.
    conditional: BTreeMap<String, Vec<usize>>,
}

/// Texts are found by this many characters at their beginning.
const BEGINNING_CHARS: usize = 12;
/// A shorter text is also part of others.
const MIN_TEXT_CHARS: usize = 20;

fn beginning(text: &str) -> String {
    text.chars().take(BEGINNING_CHARS).collect()
}

impl DefinitionTexts {
    pub(super) fn new(registry: &Registry) -> Self {
        let mut texts = Vec::new();
        for kind in registry.kinds() {
            for definition in registry.active_definitions(&kind.name) {
                let mut walk = TextWalk {
                    kind: &kind.name,
                    fields: Vec::new(),
                    conditions: Vec::new(),
                    texts: &mut texts,
                };
                walk.collect_map(&definition.fields);
            }
        }
        let mut conditional: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            let begin = beginning(&text.text);
            // A text that begins with a mark is told with other first words.
            if !text.conditions.is_empty()
                && text.text.chars().count() >= MIN_TEXT_CHARS
                && begin.chars().count() == BEGINNING_CHARS
                && !begin.contains(['{', '*', '\\'])
            {
                conditional.entry(begin).or_default().push(index);
            }
        }
        Self { texts, conditional }
    }

    /// Whether a text was told although its conditions held neither before nor after the step.
    pub(super) fn is_contradicted(
        &self,
        plain: &str,
        before: &StateFacts,
        after: &StateFacts,
    ) -> bool {
        let indexes =
            self.conditional.get(&beginning(plain)).map(Vec::as_slice).unwrap_or_default();
        let mut told = indexes
            .iter()
            .map(|index| &self.texts[*index])
            .filter(|text| text.is_output_as(plain))
            .peekable();
        told.peek().is_some()
            && told.all(|text| {
                text.conditions.iter().any(|one| before.contradicts(one) && after.contradicts(one))
            })
    }

    /// The names `KIND.FIELD` of the definitions' texts with a segment.
    pub(super) fn field_names<'s>(&'s self, segment: &'s str) -> impl Iterator<Item = String> + 's {
        let texts = self.texts.iter().filter(move |text| text.text.contains(segment));
        texts.flat_map(|text| text.fields.iter().map(|field| format!("{}.{field}", text.kind)))
    }
}

impl DefinitionText {
    /// Whether all plain parts of the text occur in order.
    fn is_output_as(&self, plain: &str) -> bool {
        let mut rest = plain;
        split_markup(&self.text).all(|part| match part {
            MarkupPart::Plain(part) => {
                let part = base::text::strip_markup(part);
                let found = rest.find(&part);
                rest = found.map_or("", |at| &rest[at + part.len()..]);
                found.is_some()
            }
            MarkupPart::Placeholder(_) => true,
        })
    }
}

/// A walk through the fields of a definition.
struct TextWalk<'w> {
    kind: &'w str,
    /// The fields around the current value.
    fields: Vec<String>,
    conditions: Vec<TextCondition>,
    texts: &'w mut Vec<DefinitionText>,
}

impl TextWalk<'_> {
    fn collect(&mut self, datum: &Datum) {
        match datum {
            Datum::Text(text) => self.texts.push(DefinitionText {
                kind: self.kind.to_owned(),
                fields: self.fields.clone(),
                text: text.to_string(),
                conditions: self.conditions.clone(),
            }),
            Datum::List(list) => list.iter().for_each(|item| self.collect(item)),
            Datum::Map(map) => self.collect_map(map),
            _ => {}
        }
    }

    fn collect_map(&mut self, map: &DatumMap) {
        let outer_count = self.conditions.len();
        for (name, field) in [
            ("about", ConditionField::About),
            ("needs", ConditionField::Needs),
            ("lacks", ConditionField::Lacks),
        ] {
            let names = match map.get(name) {
                Some(Datum::Text(text)) => vec![text.to_string()],
                Some(Datum::List(list)) => list.iter().filter_map(text_of).collect(),
                _ => Vec::new(),
            };
            let conditions = names.into_iter().map(|name| TextCondition { field, name });
            self.conditions.extend(conditions);
        }
        for (name, item) in map {
            self.fields.push(name.to_string());
            self.collect(item);
            self.fields.pop();
        }
        self.conditions.truncate(outer_count);
    }
}

fn text_of(datum: &Datum) -> Option<String> {
    match datum {
        Datum::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

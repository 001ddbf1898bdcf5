//! `explore --texts`: faults in the texts that runs show. A reason is a comment
//! `-- texts(FAULT): reason`, placed as a coverage ignore.

mod definition_texts;
mod fault_report;
mod source_index;
mod text_checks;
mod visible_texts;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use fault_report::TextFaultReport;

use base::text::{parse_styled_spans, strip_markup};
use base::{Problem, Value};
use content::{Datum, Definition, Registry};
use definition_texts::{DefinitionTexts, GONE_FACT, HOLDS_FACT, StateFacts};
use mods::ModSet;
use protocol::StoryEvent;
use session::Session;
use text_checks::{
    TextFaultKind, TextForm, counted_words, find_text_faults, is_wrong_number, long_sentences,
};
use visible_texts::{each_text_of_event, each_text_of_prompt, each_text_of_view};

/// A fault: its kind, and the text or the sentence that has it.
type FaultKey = (TextFaultKind, String);

/// How often a fault was shown, and where first.
#[derive(Clone, Copy, Debug)]
struct FaultCount {
    first_run_index: usize,
    first_step: u64,
    count: u64,
}

/// The faults of texts that were shown.
#[derive(Default)]
pub(super) struct TextFaults {
    faults: BTreeMap<FaultKey, FaultCount>,
    /// Counted words, whether the number was 1, with the first text that has them.
    counted_words: BTreeMap<(bool, String), (String, FaultCount)>,
}

impl TextFaults {
    /// Adds those of a later run.
    pub(super) fn merge(&mut self, later: Self) {
        for (key, count) in later.faults {
            self.faults.entry(key).and_modify(|sum| sum.count += count.count).or_insert(count);
        }
        for (word, text) in later.counted_words {
            self.counted_words.entry(word).or_insert(text);
        }
    }

    /// Adds the counted words that are in the wrong number.
    fn add_wrong_numbers(&mut self) {
        let words = std::mem::take(&mut self.counted_words);
        let is_known = |is_one: bool, noun: &str| words.contains_key(&(is_one, noun.to_owned()));
        for ((is_one, noun), (text, count)) in &words {
            if is_wrong_number(*is_one, noun, &is_known) {
                self.faults.insert((TextFaultKind::Number, text.clone()), *count);
            }
        }
    }
}

/// The report of the faults.
pub(super) fn report_faults(
    found: TextFaults,
    mods: &ModSet,
    registry: &Registry,
) -> TextFaultReport {
    TextFaultReport::new(found, mods, &DefinitionTexts::new(registry))
}

/// What the reader of texts knows of a game.
pub(super) struct TextReaderSetup {
    texts: DefinitionTexts,
    /// The bot whose facts say what is gone and what holds.
    fact_bot: Option<String>,
}

impl TextReaderSetup {
    pub(super) fn new(registry: &Registry) -> Self {
        let names_fact = |bot: &&Definition| {
            let facts = bot.get("facts").and_then(Datum::to_value).unwrap_or_else(Value::map);
            let is_wanted = |id: &str| {
                let name = id.split_once(':').map_or(id, |(_, name)| name);
                [GONE_FACT, HOLDS_FACT].contains(&name)
            };
            facts.as_list().unwrap_or_default().iter().filter_map(Value::as_text).any(is_wanted)
        };
        let fact_bot = registry.active_definitions("bot").find(names_fact);
        Self {
            texts: DefinitionTexts::new(registry),
            fact_bot: fact_bot.map(|bot| bot.id.to_string()),
        }
    }
}

/// Reads the texts of one run.
pub(super) struct TextReader<'s> {
    setup: &'s TextReaderSetup,
    /// The facts before the step.
    state_facts: StateFacts,
    run_index: usize,
    found: TextFaults,
    /// Texts that were checked: most are shown again and again.
    checked_texts: BTreeSet<String>,
    seen_sentences: BTreeSet<String>,
}

impl<'s> TextReader<'s> {
    pub(super) fn new(setup: &'s TextReaderSetup, run_index: usize) -> Self {
        Self {
            setup,
            state_facts: StateFacts::default(),
            run_index,
            found: TextFaults::default(),
            checked_texts: BTreeSet::new(),
            seen_sentences: BTreeSet::new(),
        }
    }

    /// Reads the events of a step, and the question and view after it.
    pub(super) fn read_step(
        &mut self,
        run: &mut Session,
        events: &[StoryEvent],
    ) -> Result<(), Problem> {
        let step = run.step_number();
        self.read_events(events, step);
        self.read_contradictions(run, events)?;
        each_text_of_prompt(run.prompt(), &mut |text, form| self.read_text(text, form, step));
        each_text_of_view(run.view(), &mut |text, form| self.read_text(text, form, step));
        Ok(())
    }

    /// Compares told texts, and the labels of open choices, with the game's facts.
    fn read_contradictions(
        &mut self,
        run: &mut Session,
        events: &[StoryEvent],
    ) -> Result<(), Problem> {
        let Some(bot) = &self.setup.fact_bot else { return Ok(()) };
        let after = StateFacts::from_facts(&run.compute_bot_facts(bot)?);
        let before = std::mem::replace(&mut self.state_facts, after.clone());
        let step = run.step_number();
        let told = events.iter().filter_map(StoryEvent::text).map(strip_markup);
        let told: Vec<String> =
            told.filter(|text| self.setup.texts.is_contradicted(text, &before, &after)).collect();
        let open = run.prompt().choices.iter().filter(|choice| choice.is_enabled());
        let labels: Vec<String> = open
            .map(|choice| strip_markup(&choice.label))
            .filter(|text| self.setup.texts.is_contradicted(text, &after, &after))
            .collect();
        told.iter().chain(&labels).for_each(|text| {
            self.add_fault(TextFaultKind::Contradiction, text, step);
        });
        Ok(())
    }

    /// Reads the events of a step.
    pub(super) fn read_events(&mut self, events: &[StoryEvent], step: u64) {
        for event in events {
            if let StoryEvent::Say { text } = event {
                self.read_sentences(&strip_markup(text), step);
            }
            each_text_of_event(event, &mut |text, form| self.read_text(text, form, step));
        }
    }

    pub(super) fn into_faults(self) -> TextFaults {
        self.found
    }

    fn read_text(&mut self, marked: &str, form: TextForm, step: u64) {
        if marked.is_empty() || self.checked_texts.contains(marked) {
            return;
        }
        self.checked_texts.insert(marked.to_owned());
        let plain = strip_markup(marked);
        for (is_one, noun) in counted_words(&plain) {
            let key = (is_one, noun.to_owned());
            let first = FaultCount { first_run_index: self.run_index, first_step: step, count: 1 };
            self.found.counted_words.entry(key).or_insert_with(|| (plain.clone(), first));
        }
        for kind in find_text_faults(&plain, &unquoted_text(marked), form) {
            self.add_fault(kind, &plain, step);
        }
    }

    fn read_sentences(&mut self, plain: &str, step: u64) {
        for sentence in long_sentences(plain) {
            if !self.seen_sentences.insert(sentence.to_owned()) {
                self.add_fault(TextFaultKind::Repeated, sentence, step);
            }
        }
    }

    fn add_fault(&mut self, kind: TextFaultKind, text: &str, step: u64) {
        let first = FaultCount { first_run_index: self.run_index, first_step: step, count: 0 };
        self.found.faults.entry((kind, text.to_owned())).or_insert(first).count += 1;
    }
}

/// A text with its emphasised parts replaced by a name.
fn unquoted_text(marked: &str) -> String {
    let spans = parse_styled_spans(marked).into_iter();
    spans.map(|span| if span.is_emphasized { "It".to_owned() } else { span.text }).collect()
}

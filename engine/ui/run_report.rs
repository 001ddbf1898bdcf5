//! The report of a finished run: the game's summary, the dice, and the command to play it again.
//! The same facts as plain text, as Markdown and as a view.

use base::Value;
use base::text::{self, display_value, escape_markup};
use protocol::View;
use protocol::view::{ListItem, PlacedWidget, Widget, WidgetSlot};
use session::RunSummary;

use super::display_text;

/// The name of the fact with the command to play the run again.
const COMMAND_FACT_NAME: &str = "command";
/// A longer list of short entries is joined into one line.
const MAX_LIST_LINES: usize = 12;
const MAX_JOINED_CHARS: usize = 40;

/// The report of a run.
pub struct RunReport {
    title: String,
    sections: Vec<ReportSection>,
}

struct ReportSection {
    heading: String,
    body: SectionBody,
}

enum SectionBody {
    /// Paragraphs.
    Paragraphs(Vec<String>),
    Facts(Vec<(String, String)>),
    Lines(Vec<String>),
    Table(Vec<String>, Vec<Vec<String>>),
}

impl RunReport {
    /// Makes the report of a run. `history_cells` describes the run (such as its place and
    /// difficulty); `achievements` lists the achievements.
    pub fn from_summary(
        summary: &RunSummary,
        game: &str,
        history_cells: &[String],
        achievements: &[String],
    ) -> Self {
        let mut sections = vec![summary_section(summary, history_cells), figures_section(summary)];
        sections.extend(game_sections(summary));
        let lines = |head: &str, lines: Vec<String>| ReportSection {
            heading: head.to_owned(),
            body: SectionBody::Lines(lines),
        };
        if !achievements.is_empty() {
            sections.push(lines("Achieved", achievements.to_vec()));
        }
        sections.push(dice_section(summary));
        if !summary.odds_tallies.is_empty() {
            sections.push(odds_section(summary));
        }
        sections.push(replay_section(summary));
        let throws = summary.rolls.iter();
        let throws =
            throws.map(|(step, roll)| format!("{step}. {}", display_text::roll_text(roll)));
        sections.push(lines("Every throw, with its step", throws.collect()));
        let run_id = &summary.header.run_id;
        Self { title: format!("{game}: the run {run_id}"), sections }
    }

    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n", escape_markdown(&self.title));
        for section in &self.sections {
            out.push_str(&format!("\n## {}\n\n", escape_markdown(&section.heading)));
            match &section.body {
                SectionBody::Paragraphs(paragraphs) => {
                    let paragraphs =
                        paragraphs.iter().map(|words| format!("{}\n", escape_markdown(words)));
                    out.push_str(&paragraphs.collect::<Vec<_>>().join("\n"));
                }
                SectionBody::Facts(facts) => {
                    for (name, value) in facts {
                        // The command must stay exactly as it is.
                        let value = match name == COMMAND_FACT_NAME && !value.contains('`') {
                            true => format!("`{}`", text::strip_unprintable(value)),
                            false => escape_markdown(value),
                        };
                        out.push_str(&format!("- **{}**: {value}\n", escape_markdown(name)));
                    }
                }
                SectionBody::Lines(lines) => {
                    for line in lines {
                        out.push_str(&format!("- {}\n", escape_markdown(line)));
                    }
                }
                SectionBody::Table(heads, rows) => {
                    let row = |cells: &[String]| {
                        let cells: Vec<String> =
                            cells.iter().map(|cell| escape_markdown(cell)).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    out.push_str(&row(heads));
                    out.push_str(&format!("|{}\n", " --- |".repeat(heads.len())));
                    rows.iter().for_each(|cells| out.push_str(&row(cells)));
                }
            }
        }
        out
    }

    /// As plain text.
    pub fn to_plain_text(&self) -> String {
        let view = self.to_view();
        let mut out = format!("{}\n", display_text::markup_on_one_line(&view.title));
        for placed in &view.widgets {
            out.push('\n');
            for line in display_text::widget_lines(&placed.widget) {
                out.push_str(&line);
                out.push('\n');
            }
        }
        out
    }

    /// As a view.
    pub fn to_view(&self) -> View {
        let item = |label: &str, note: &str| ListItem {
            label: escape_markup(label),
            note: escape_markup(note),
            card: None,
        };
        let widgets = self.sections.iter().map(|section| {
            let label = escape_markup(&section.heading);
            let list =
                |items| Widget::List { label: label.clone(), items, empty_text: String::new() };
            match &section.body {
                SectionBody::Paragraphs(paragraphs) => {
                    let head = format!("*{label}*");
                    let lines = paragraphs.iter().map(|words| escape_markup(words));
                    let text = std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n");
                    Widget::Text { text, tone: String::new() }
                }
                SectionBody::Facts(facts) => {
                    list(facts.iter().map(|(name, value)| item(name, value)).collect())
                }
                SectionBody::Lines(lines) => {
                    list(lines.iter().map(|line| item(line, "")).collect())
                }
                SectionBody::Table(heads, rows) => Widget::Table {
                    label: label.clone(),
                    columns: heads.iter().map(|head| escape_markup(head)).collect(),
                    rows: rows
                        .iter()
                        .map(|row| row.iter().map(|cell| escape_markup(cell)).collect())
                        .collect(),
                },
            }
        });
        let placed = widgets.map(|widget| PlacedWidget { slot: WidgetSlot::Sheet, widget });
        View { title: escape_markup(&self.title), widgets: placed.collect() }
    }
}

/// A summary in words, and the last words of the story.
fn summary_section(summary: &RunSummary, history_cells: &[String]) -> ReportSection {
    let labels: Vec<&str> =
        history_cells.iter().map(String::as_str).filter(|one| !one.is_empty()).collect();
    let outcome = match &summary.run_state.run_ending {
        Some(ending) if ending.was_abandoned => "given up".to_owned(),
        Some(ending) => {
            ending.outcome.get("outcome").map_or_else(|| "over".to_owned(), display_value)
        }
        None => "not over yet".to_owned(),
    };
    let prefix = if labels.is_empty() { String::new() } else { format!("{}: ", labels.join(", ")) };
    let luck_words = summary.luck_permille.map(|luck| format!(", which fell {}", luck_text(luck)));
    let luck_words = luck_words.unwrap_or_default();
    let (answers, throws) = (pluralize(summary.answer_count, "answer"), summary.rolls.len() as u64);
    let throws = match throws {
        0 => "and no throws of dice".to_owned(),
        some => format!("and {} of dice{luck_words}", pluralize(some, "throw")),
    };
    let mut first_paragraph =
        display_text::capitalize(&format!("{prefix}{outcome}. {answers} {throws}."));
    if !summary.run_state.earns_award() {
        first_paragraph.push_str(" It was practice and earned nothing.");
    }
    let words = summary
        .last_story_lines
        .iter()
        .map(|words| super::text_wrap::strip_text_art(&text::strip_markup(words)));
    let words = words.filter(|words| !words.trim().is_empty());
    let body = SectionBody::Paragraphs(std::iter::once(first_paragraph).chain(words).collect());
    ReportSection { heading: "What happened".to_owned(), body }
}

fn pluralize(count: u64, noun: &str) -> String {
    let plural_ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural_ending}")
}

/// The scalar values of the table that the game returned at the end.
fn figures_section(summary: &RunSummary) -> ReportSection {
    let mut facts = Vec::new();
    match &summary.run_state.run_ending {
        Some(ending) => {
            let table = ending.outcome.as_map().into_iter().flatten();
            let scalars = table.filter(|(_, value)| is_scalar(value));
            facts.extend(scalars.map(|(key, value)| (readable_key(key), scalar_text(value))));
            // The outcome comes first.
            facts.sort_by_key(|(name, _)| name != "outcome");
            if ending.was_abandoned {
                facts.push(("given up".to_owned(), "yes".to_owned()));
            }
        }
        None => facts.push(("outcome".to_owned(), "not over".to_owned())),
    }
    facts.push(("answers".to_owned(), summary.answer_count.to_string()));
    if !summary.run_state.earns_award() {
        facts.push(("practice".to_owned(), "yes; it earned nothing".to_owned()));
    }
    ReportSection { heading: "Figures".to_owned(), body: SectionBody::Facts(facts) }
}

/// The lists and tables of the game's table, each as a section.
fn game_sections(summary: &RunSummary) -> Vec<ReportSection> {
    let Some(ending) = &summary.run_state.run_ending else { return Vec::new() };
    let table = ending.outcome.as_map().into_iter().flatten();
    let section = |(key, value): (&std::sync::Arc<str>, &Value)| {
        let body = match value {
            Value::List(list) if !list.is_empty() => SectionBody::Lines(list_lines(list)),
            Value::Map(map) if !map.is_empty() => SectionBody::Facts(
                map.iter().map(|(key, value)| (readable_key(key), entry_text(value))).collect(),
            ),
            _ => return None,
        };
        Some(ReportSection { heading: display_text::capitalize(&readable_key(key)), body })
    };
    table.filter_map(section).collect()
}

/// How the throws fell; `luck` is in thousandths.
fn luck_text(luck: u64) -> &'static str {
    match luck {
        0..=449 => "worse than the odds",
        450..=550 => "as the odds say",
        _ => "better than the odds",
    }
}

fn dice_section(summary: &RunSummary) -> ReportSection {
    let mut facts = vec![("throws".to_owned(), summary.rolls.len().to_string())];
    if let Some(luck) = summary.luck_permille {
        facts.push(("throws with odds".to_owned(), summary.rolls_with_odds.to_string()));
        let words = luck_text(luck);
        facts.push(("luck".to_owned(), format!("{} of 100, {words}", format_ratio(luck, 10))));
    }
    if let Some(problem) = &summary.replay_problem {
        facts.push(("not fully read".to_owned(), problem.message.clone()));
    }
    ReportSection { heading: "The dice".to_owned(), body: SectionBody::Facts(facts) }
}

fn odds_section(summary: &RunSummary) -> ReportSection {
    let heads = ["outcome", "expected", "actual"].map(str::to_owned).to_vec();
    let rows = summary.odds_tallies.iter().map(|band| {
        let expected = format_ratio(band.expected_permille, 1000);
        vec![band.label.clone(), expected, band.actual_count.to_string()]
    });
    let head = "Odds and results".to_owned();
    ReportSection { heading: head, body: SectionBody::Table(heads, rows.collect()) }
}

/// A ratio with one decimal place.
fn format_ratio(count: u64, parts: u64) -> String {
    let tenths = (count * 10 + parts / 2) / parts;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn replay_section(summary: &RunSummary) -> ReportSection {
    let header = &summary.header;
    let mut command = format!("sub-rosa --game {} --seed {}", header.game, header.seed);
    let options = header.options.as_map().into_iter().flatten();
    let options: Vec<(String, String)> =
        options.map(|(key, value)| (key.to_string(), display_value(value))).collect();
    for (key, value) in options.iter().filter(|(_, value)| !value.is_empty()) {
        let needs_no_quotes = value.chars().all(|c| c.is_alphanumeric() || "-_./:".contains(c));
        let quote = if needs_no_quotes { "" } else { "'" };
        command.push_str(&format!(" --set {quote}{key}={value}{quote}"));
    }
    let mods = header.mods.iter().map(|one| format!("{} {}", one.id, one.version));
    let options = options.iter().filter(|(_, value)| !value.is_empty());
    let options = options.map(|(key, value)| format!("{} {value}", readable_key(key)));
    let mut facts = vec![
        ("seed".to_owned(), header.seed.to_string()),
        ("options".to_owned(), options.collect::<Vec<_>>().join(", ")),
        ("mods".to_owned(), mods.collect::<Vec<_>>().join(", ")),
        ("program".to_owned(), header.engine_version.clone()),
        (COMMAND_FACT_NAME.to_owned(), command),
    ];
    if let Some(parent) = &header.forked_from {
        let words = format!("{}, after its step {}", parent.run_id, parent.step);
        facts.push(("continued from".to_owned(), words));
    }
    ReportSection { heading: "To play it again".to_owned(), body: SectionBody::Facts(facts) }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_))
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => display_value(other),
    }
}

/// The lines of a list; many short entries are joined into one line.
fn list_lines(list: &[Value]) -> Vec<String> {
    let lines: Vec<String> = list.iter().map(entry_text).collect();
    match lines.len() > MAX_LIST_LINES
        && lines.iter().all(|line| line.chars().count() <= MAX_JOINED_CHARS)
    {
        true => vec![lines.join(", ")],
        false => lines,
    }
}

/// A list entry on one line.
fn entry_text(value: &Value) -> String {
    match value {
        Value::List(list) => list.iter().map(entry_text).collect::<Vec<_>>().join(", "),
        Value::Map(map) => {
            let each = map
                .iter()
                .map(|(key, value)| format!("{} {}", readable_key(key), entry_text(value)));
            each.collect::<Vec<_>>().join(", ")
        }
        plain => scalar_text(plain),
    }
}

fn readable_key(key: &str) -> String {
    key.replace('_', " ")
}

/// A text on one line, escaped for Markdown.
fn escape_markdown(words: &str) -> String {
    let mut out = String::new();
    for c in text::strip_unprintable(words).chars() {
        match c {
            '\n' => out.push(' '),
            '*' | '_' | '`' | '<' | '>' | '|' | '[' | ']' | '#' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

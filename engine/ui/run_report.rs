//! The report of a finished run: the game's summary, the dice, and the command to play it again.
//! The same facts as plain text, as Markdown and as a view.

use base::Value;
use base::host_texts::translate_host_text;
use base::text::{self, display_value, escape_markup};
use base::{host_text, host_text_id};
use protocol::View;
use protocol::view::{ListItem, PlacedWidget, Widget, WidgetSlot};
use session::RunSummary;

use super::display_text;
use super::report_names::{ReportNames, readable_key, scalar_text};

/// The name of the fact with the command to play the run again.
const COMMAND_FACT_NAME: &str = host_text_id!("command");

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
    /// Makes the report of a run; `achievements` lists what was achieved in it.
    pub fn from_summary(
        summary: &RunSummary,
        names: &ReportNames<'_>,
        achievements: &[String],
    ) -> Self {
        let mut sections = vec![summary_section(summary, names), figures_section(summary, names)];
        sections.extend(game_sections(summary, names));
        let lines = |head: &str, lines: Vec<String>| ReportSection {
            heading: head.to_owned(),
            body: SectionBody::Lines(lines),
        };
        if !achievements.is_empty() {
            sections.push(lines(&host_text!("Achieved"), achievements.to_vec()));
        }
        sections.push(dice_section(summary));
        if !summary.odds_tallies.is_empty() {
            sections.push(odds_section(summary));
        }
        sections.push(replay_section(summary, names));
        let throws = summary.rolls.iter();
        let throws =
            throws.map(|(step, roll)| format!("{step}. {}", display_text::roll_text(roll)));
        sections.push(lines(&host_text!("Every throw, with its step"), throws.collect()));
        let run_id = &summary.header.run_id;
        Self {
            title: host_text!("{game}: the run {run_id}", game = names.game, run_id = run_id),
            sections,
        }
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
                    let command_name = translate_host_text(COMMAND_FACT_NAME, &[]);
                    for (name, value) in facts {
                        // The command must stay exactly as it is.
                        let value = match *name == command_name && !value.contains('`') {
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
fn summary_section(summary: &RunSummary, names: &ReportNames<'_>) -> ReportSection {
    let labels: Vec<&str> =
        names.history_cells.iter().map(String::as_str).filter(|one| !one.is_empty()).collect();
    let outcome = match &summary.run_state.run_ending {
        Some(ending) if ending.was_abandoned => host_text!("given up"),
        Some(ending) => {
            let outcome = ending.outcome.get("outcome");
            outcome.map_or_else(|| host_text!("over"), |id| scalar_text(id, names.definition_name))
        }
        None => host_text!("not over yet"),
    };
    let prefix = if labels.is_empty() { String::new() } else { format!("{}: ", labels.join(", ")) };
    let answers = match summary.answer_count {
        1 => host_text!("1 answer"),
        count => host_text!("{count} answers", count = count),
    };
    let throws = match summary.rolls.len() {
        0 => host_text!("no throws of dice"),
        1 => host_text!("1 throw of dice"),
        count => host_text!("{count} throws of dice", count = count),
    };
    let figures = match summary.luck_permille.filter(|_| !summary.rolls.is_empty()) {
        Some(luck) => host_text!(
            "{answers} and {throws}, which fell {luck}.",
            answers = answers,
            throws = throws,
            luck = luck_text(luck)
        ),
        None => host_text!("{answers} and {throws}.", answers = answers, throws = throws),
    };
    let mut first_paragraph = display_text::capitalize(&format!("{prefix}{outcome}. {figures}"));
    if !summary.run_state.earns_award() {
        first_paragraph.push(' ');
        first_paragraph.push_str(&host_text!("It was practice and earned nothing."));
    }
    let words = summary
        .last_story_lines
        .iter()
        .map(|words| super::text_wrap::strip_text_art(&text::strip_markup(words)));
    let words = words.filter(|words| !words.trim().is_empty());
    let body = SectionBody::Paragraphs(std::iter::once(first_paragraph).chain(words).collect());
    ReportSection { heading: host_text!("What happened"), body }
}

/// The numbers and texts of the table that the game returned at the end; a flag is no figure.
fn figures_section(summary: &RunSummary, names: &ReportNames<'_>) -> ReportSection {
    let mut facts = Vec::new();
    match &summary.run_state.run_ending {
        Some(ending) => {
            let table = ending.outcome.as_map().into_iter().flatten();
            let scalars =
                table.filter(|(_, value)| is_scalar(value) && !matches!(value, Value::Bool(_)));
            // The outcome comes first.
            let mut scalars: Vec<_> = scalars.collect();
            scalars.sort_by_key(|(key, _)| &***key != "outcome");
            facts.extend(scalars.iter().map(|(key, value)| {
                (readable_key(key), scalar_text(value, names.definition_name))
            }));
            if ending.was_abandoned {
                facts.push((host_text!("given up"), host_text!("yes")));
            }
        }
        None => facts.push((host_text!("outcome"), host_text!("not over"))),
    }
    facts.push((host_text!("answers"), summary.answer_count.to_string()));
    if !summary.run_state.earns_award() {
        facts.push((host_text!("practice"), host_text!("yes; it earned nothing")));
    }
    ReportSection { heading: host_text!("Figures"), body: SectionBody::Facts(facts) }
}

/// The lists and tables of the game's table, each as a section.
fn game_sections(summary: &RunSummary, names: &ReportNames<'_>) -> Vec<ReportSection> {
    let Some(ending) = &summary.run_state.run_ending else { return Vec::new() };
    let table = ending.outcome.as_map().into_iter().flatten();
    let section = |(key, value): (&std::sync::Arc<str>, &Value)| {
        let body = match value {
            Value::List(list) if !list.is_empty() => SectionBody::Lines(names.list_lines(list)),
            Value::Map(map) if !map.is_empty() => SectionBody::Facts(
                map.iter()
                    .map(|(key, value)| (readable_key(key), names.entry_text(value)))
                    .collect(),
            ),
            _ => return None,
        };
        Some(ReportSection { heading: display_text::capitalize(&readable_key(key)), body })
    };
    table.filter_map(section).collect()
}

/// How the throws fell; `luck` is in thousandths.
fn luck_text(luck: u64) -> String {
    match luck {
        0..=449 => host_text!("worse than the odds"),
        450..=550 => host_text!("as the odds say"),
        _ => host_text!("better than the odds"),
    }
}

fn dice_section(summary: &RunSummary) -> ReportSection {
    let mut facts = vec![(host_text!("throws"), summary.rolls.len().to_string())];
    if let Some(luck) = summary.luck_permille {
        facts.push((host_text!("throws with odds"), summary.rolls_with_odds.to_string()));
        let words = luck_text(luck);
        let luck = format_ratio(luck, 10);
        let words = host_text!("{luck} of 100, {words}", luck = luck, words = words);
        facts.push((host_text!("luck"), words));
    }
    if let Some(problem) = &summary.replay_problem {
        facts.push((host_text!("not fully read"), problem.message.clone()));
    }
    ReportSection { heading: host_text!("The dice"), body: SectionBody::Facts(facts) }
}

fn odds_section(summary: &RunSummary) -> ReportSection {
    let heads = vec![host_text!("outcome"), host_text!("expected"), host_text!("actual")];
    let rows = summary.odds_tallies.iter().map(|band| {
        let expected = format_ratio(band.expected_permille, 1000);
        vec![translate_host_text(&band.label, &[]), expected, band.actual_count.to_string()]
    });
    let head = host_text!("Odds and results");
    ReportSection { heading: head, body: SectionBody::Table(heads, rows.collect()) }
}

/// A ratio with one decimal place.
fn format_ratio(count: u64, parts: u64) -> String {
    let tenths = (count * 10 + parts / 2) / parts;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn replay_section(summary: &RunSummary, names: &ReportNames<'_>) -> ReportSection {
    let header = &summary.header;
    let mut command = format!("sub-rosa --game {} --seed {}", header.game, header.seed);
    let options = header.options.as_map().into_iter().flatten();
    for (key, value) in options.map(|(key, value)| (key, display_value(value))) {
        if value.is_empty() {
            continue;
        }
        let needs_no_quotes = value.chars().all(|c| c.is_alphanumeric() || "-_./:".contains(c));
        let quote = if needs_no_quotes { "" } else { "'" };
        command.push_str(&format!(" --set {quote}{key}={value}{quote}"));
    }
    let mods = header.mods.iter().map(|one| format!("{} {}", one.id, one.version));
    let options = names.options.iter().filter(|(_, value)| !value.is_empty());
    let options = options.map(|(label, value)| format!("{label}: {value}"));
    let mut facts = vec![
        (host_text!("seed"), header.seed.to_string()),
        (host_text!("options"), options.collect::<Vec<_>>().join(", ")),
        (host_text!("mods"), mods.collect::<Vec<_>>().join(", ")),
        (host_text!("program"), header.engine_version.clone()),
        (translate_host_text(COMMAND_FACT_NAME, &[]), command),
    ];
    if let Some(parent) = &header.forked_from {
        let words = host_text!(
            "{run_id}, after its step {step}",
            run_id = parent.run_id,
            step = parent.step
        );
        facts.push((host_text!("continued from"), words));
    }
    ReportSection { heading: host_text!("To play it again"), body: SectionBody::Facts(facts) }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_))
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

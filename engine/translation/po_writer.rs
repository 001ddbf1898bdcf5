//! Writes a PO file as gettext's own tools do.

use std::fmt::{self, Display, Formatter, Write};

use super::po_file::{PoEntry, PoFile};
use base::text::display_width;

/// The width at which lines are wrapped.
const MAX_COLUMNS: usize = 79;

impl Display for PoFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_lines(f, "#", &self.comments)?;
        let header: String =
            self.header.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        write_text(f, "", "msgid", "")?;
        write_text(f, "", "msgstr", &header)?;
        let active = self.entries.iter().filter(|entry| !entry.is_obsolete);
        let obsolete = self.entries.iter().filter(|entry| entry.is_obsolete);
        active.chain(obsolete).try_for_each(|entry| write_entry(f, entry))
    }
}

fn write_entry(f: &mut Formatter<'_>, entry: &PoEntry) -> fmt::Result {
    f.write_char('\n')?;
    write_lines(f, "#", &entry.comments)?;
    write_lines(f, "#.", &entry.extracted_comments)?;
    if !entry.is_obsolete {
        write_references(f, &entry.references)?;
    }
    if !entry.flags.is_empty() {
        writeln!(f, "#, {}", entry.flags.join(", "))?;
    }
    let prefix = if entry.is_obsolete { "#~ " } else { "" };
    if let Some(previous) = &entry.previous_id {
        write_text(f, if entry.is_obsolete { "#~| " } else { "#| " }, "msgid", previous)?;
    }
    if let Some(context) = &entry.context {
        write_text(f, prefix, "msgctxt", context)?;
    }
    write_text(f, prefix, "msgid", &entry.id)?;
    match &entry.plural_id {
        None => write_text(f, prefix, "msgstr", entry.texts.first().map_or("", String::as_str)),
        Some(plural) => {
            write_text(f, prefix, "msgid_plural", plural)?;
            let forms = entry.texts.iter().enumerate();
            forms.into_iter().try_for_each(|(index, text)| {
                write_text(f, prefix, &format!("msgstr[{index}]"), text)
            })
        }
    }
}

fn write_lines(f: &mut Formatter<'_>, mark: &str, lines: &[String]) -> fmt::Result {
    lines.iter().try_for_each(|line| match line.is_empty() {
        true => writeln!(f, "{mark}"),
        false => writeln!(f, "{mark} {line}"),
    })
}

fn write_references(f: &mut Formatter<'_>, references: &[String]) -> fmt::Result {
    let mut line = String::new();
    for reference in references {
        if !line.is_empty() && line.len() + reference.len() + 4 > MAX_COLUMNS {
            writeln!(f, "#:{line}")?;
            line.clear();
        }
        line.push(' ');
        line.push_str(reference);
    }
    if line.is_empty() { Ok(()) } else { writeln!(f, "#:{line}") }
}

fn write_text(f: &mut Formatter<'_>, prefix: &str, keyword: &str, text: &str) -> fmt::Result {
    let escaped = escape(text);
    let fits = display_width(prefix) + keyword.len() + display_width(&escaped) + 3 <= MAX_COLUMNS;
    let is_one_line = text.find('\n').is_none_or(|at| at + 1 == text.len());
    if fits && is_one_line && !keyword.is_empty() && !(keyword == "msgstr" && text.ends_with('\n'))
    {
        return writeln!(f, "{prefix}{keyword} \"{escaped}\"");
    }
    writeln!(f, "{prefix}{keyword} \"\"")?;
    for line in text.split_inclusive('\n') {
        for part in wrap(&escape(line), MAX_COLUMNS - 2 - prefix.len()) {
            writeln!(f, "{prefix}\"{part}\"")?;
        }
    }
    Ok(())
}

/// Splits a text after spaces so that each part has at most that many columns, if it can be.
fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let (mut parts, mut start, mut width, mut at) = (Vec::new(), 0, 0, 0);
    for word in text.split_inclusive(' ') {
        let word_width = display_width(word);
        if width > 0 && width + word_width > columns {
            parts.push(&text[start..at]);
            (start, width) = (at, 0);
        }
        width += word_width;
        at += word.len();
    }
    parts.push(&text[start..]);
    parts
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            '"' | '\\' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

//! Reads a PO file line by line.

use super::po_file::{PoEntry, PoFile};
use base::plural_forms::MAX_PLURAL_FORMS;

/// What a PO file has in a place where it cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoSyntaxError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there.
    pub found: String,
    /// What was expected.
    pub expected: &'static str,
}

/// The keyword that the current text belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Context,
    Id,
    PluralId,
    Text,
    PreviousId,
    /// The text is not kept: the previous context or plural.
    Unused,
}

#[derive(Default)]
struct PoReader {
    file: PoFile,
    entry: PoEntry,
    has_id: bool,
    keyword: Option<Keyword>,
    line: u32,
}

/// Parses the text of a PO file.
pub fn parse_po(text: &str) -> Result<PoFile, PoSyntaxError> {
    let mut reader = PoReader::default();
    for line in text.lines() {
        reader.line += 1;
        reader.read_line(line.trim())?;
    }
    reader.finish_entry()?;
    Ok(reader.file)
}

impl PoReader {
    fn error<T>(&self, found: String, expected: &'static str) -> Result<T, PoSyntaxError> {
        Err(PoSyntaxError { line: self.line, found, expected })
    }

    fn read_line(&mut self, line: &str) -> Result<(), PoSyntaxError> {
        if let Some(obsolete_line) = line.strip_prefix("#~") {
            return match obsolete_line.strip_prefix('|') {
                Some(previous) => self.read_previous(previous.trim_start()),
                None => self.read_keyword_line(obsolete_line.trim_start(), true),
            };
        }
        let Some(comment) = line.strip_prefix('#') else {
            return self.read_keyword_line(line, false);
        };
        if let Some(previous) = comment.strip_prefix('|') {
            return self.read_previous(previous.trim_start());
        }
        self.begin_entry_after_text()?;
        let entry = &mut self.entry;
        match comment.split_at_checked(1) {
            Some((":", references)) => {
                entry.references.extend(references.split_whitespace().map(str::to_owned));
            }
            Some((",", flags)) => {
                let flags = flags.split(',').map(str::trim).filter(|flag| !flag.is_empty());
                entry.flags.extend(flags.map(str::to_owned));
            }
            Some((".", text)) => entry.extracted_comments.push(text.trim().to_owned()),
            _ => entry.comments.push(comment.strip_prefix(' ').unwrap_or(comment).to_owned()),
        }
        Ok(())
    }

    fn read_previous(&mut self, text: &str) -> Result<(), PoSyntaxError> {
        if !text.starts_with('"') {
            self.begin_entry_after_text()?;
        }
        let (keyword, value) = match text.split_once(' ') {
            Some(("msgid", value)) => (Keyword::PreviousId, value),
            Some(("msgid_plural" | "msgctxt", value)) => (Keyword::Unused, value),
            _ => return self.append_text(text),
        };
        self.keyword = Some(keyword);
        self.append_text(value.trim_start())
    }

    fn read_keyword_line(&mut self, line: &str, is_obsolete: bool) -> Result<(), PoSyntaxError> {
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with('"') {
            return self.append_text(line);
        }
        let (word, value) = line.split_once(' ').unwrap_or((line, ""));
        let keyword = match word {
            "msgctxt" => {
                self.begin_entry_after_text()?;
                Keyword::Context
            }
            "msgid" => {
                self.begin_entry_after_text()?;
                if self.has_id {
                    return self.error("a second msgid".to_owned(), "msgstr");
                }
                self.has_id = true;
                self.entry.is_obsolete = is_obsolete;
                Keyword::Id
            }
            "msgid_plural" if self.has_id && self.entry.texts.is_empty() => Keyword::PluralId,
            "msgstr" if self.has_id && self.entry.texts.is_empty() => Keyword::Text,
            _ => {
                let index = word.strip_prefix("msgstr[").and_then(|rest| rest.strip_suffix(']'));
                let index = index.and_then(|index| index.parse::<usize>().ok());
                let is_next = index == Some(self.entry.texts.len())
                    && self.entry.plural_id.is_some()
                    && self.entry.texts.len() < MAX_PLURAL_FORMS;
                if !is_next {
                    return self.error(
                        format!("{:?}", base::text::strip_unprintable(word)),
                        "msgid, then msgstr; with msgid_plural msgstr[0], msgstr[1] and so on",
                    );
                }
                Keyword::Text
            }
        };
        match keyword {
            Keyword::Context => self.entry.context = Some(String::new()),
            Keyword::PluralId => self.entry.plural_id = Some(String::new()),
            Keyword::Text => {
                if self.entry.texts.is_empty() {
                    self.entry.line = self.line;
                }
                self.entry.texts.push(String::new());
            }
            _ => {}
        }
        self.keyword = Some(keyword);
        self.append_text(value.trim_start())
    }

    fn append_text(&mut self, quoted: &str) -> Result<(), PoSyntaxError> {
        let text = match unquote(quoted) {
            Ok(text) => text,
            Err(found) => return self.error(found, "a text in double quotes"),
        };
        let entry = &mut self.entry;
        let target = match self.keyword {
            Some(Keyword::Context) => entry.context.get_or_insert_default(),
            Some(Keyword::Id) => &mut entry.id,
            Some(Keyword::PluralId) => entry.plural_id.get_or_insert_default(),
            Some(Keyword::PreviousId) => entry.previous_id.get_or_insert_default(),
            Some(Keyword::Unused) => return Ok(()),
            Some(Keyword::Text) if !entry.texts.is_empty() => {
                let last = entry.texts.len() - 1;
                &mut entry.texts[last]
            }
            _ => return self.error("a text without a keyword".to_owned(), "msgid before it"),
        };
        target.push_str(&text);
        Ok(())
    }

    /// Ends the entry if its translation was read.
    fn begin_entry_after_text(&mut self) -> Result<(), PoSyntaxError> {
        match self.keyword {
            Some(Keyword::Text) => self.finish_entry(),
            _ => Ok(()),
        }
    }

    fn finish_entry(&mut self) -> Result<(), PoSyntaxError> {
        let entry = std::mem::take(&mut self.entry);
        let (has_id, is_complete) = (self.has_id, !entry.texts.is_empty());
        (self.has_id, self.keyword) = (false, None);
        match (has_id, is_complete) {
            (true, false) => return self.error("a msgid without msgstr".to_owned(), "msgstr"),
            (false, _) => return Ok(()),
            (true, true) => {}
        }
        let is_header = entry.id.is_empty() && entry.context.is_none() && !entry.is_obsolete;
        if !is_header {
            self.file.entries.push(entry);
        } else if self.file.header.is_empty() {
            let lines = entry.texts[0].lines().filter_map(|line| line.split_once(':'));
            let pairs = lines.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
            self.file.header = pairs.collect();
            self.file.comments = entry.comments;
        }
        Ok(())
    }
}

/// The text between double quotes, with its escapes.
fn unquote(quoted: &str) -> Result<String, String> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inner = inner.ok_or_else(|| "a text that is not in double quotes".to_owned())?;
    let (mut text, mut chars) = (String::with_capacity(inner.len()), inner.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => return Err("a double quote without \\ before it".to_owned()),
            '\\' => text.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(c @ ('"' | '\\')) => c,
                Some(c) => return Err(format!("the unknown escape \\{c}")),
                None => return Err("a double quote without \\ before it".to_owned()),
            }),
            c => text.push(c),
        }
    }
    Ok(text)
}

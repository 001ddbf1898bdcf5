//! A PO file as plain data.

/// A PO file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoFile {
    /// The comments before the header.
    pub comments: Vec<String>,
    /// The lines of the header, name and value, in their order.
    pub header: Vec<(String, String)>,
    /// The entries, in their order.
    pub entries: Vec<PoEntry>,
}

/// A source text and its translation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoEntry {
    /// Comments of translators.
    pub comments: Vec<String>,
    /// Comments for translators.
    pub extracted_comments: Vec<String>,
    /// Where the source text is written: `file:line`.
    pub references: Vec<String>,
    /// Flags: `fuzzy`, `perl-brace-format`.
    pub flags: Vec<String>,
    /// The source text that a fuzzy translation was made for.
    pub previous_id: Option<String>,
    /// The context, for two translations of one source text.
    pub context: Option<String>,
    /// The source text.
    pub id: String,
    /// The plural of the source text.
    pub plural_id: Option<String>,
    /// The translation; with a plural one text for each form.
    pub texts: Vec<String>,
    /// Whether no source file has the text any more.
    pub is_obsolete: bool,
    /// The line of the translation, from 1; 0 if it was not read from a file.
    pub line: u32,
}

/// The flag of a translation that was made for an earlier source text.
pub(crate) const FUZZY_FLAG: &str = "fuzzy";

impl PoFile {
    /// A value of the header; empty if it is missing.
    pub fn header_value(&self, name: &str) -> &str {
        let found = self.header.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// Sets a value of the header.
    pub fn set_header_value(&mut self, name: &str, value: &str) {
        match self.header.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
            Some((_, old)) => value.clone_into(old),
            None => self.header.push((name.to_owned(), value.to_owned())),
        }
    }
}

impl PoEntry {
    /// Whether the translation was made for an earlier source text.
    pub fn is_fuzzy(&self) -> bool {
        self.flags.iter().any(|flag| flag == FUZZY_FLAG)
    }

    /// Whether every text of the translation is there.
    pub fn is_translated(&self) -> bool {
        !self.texts.is_empty() && self.texts.iter().all(|text| !text.is_empty())
    }

    /// Whether the translation is shown: it is complete and up to date.
    pub fn is_active(&self) -> bool {
        !self.is_obsolete && self.is_translated() && !self.is_fuzzy()
    }
}

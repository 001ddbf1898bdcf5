//! Reasons in comments: `-- seldom: reason` for code that runs are not expected to reach (a coverage
//! ignore), `-- texts(FAULT): reason` for a text. The comment is on the line, above the line or its
//! declaration, or at the top of the file.

use std::collections::BTreeMap;

use base::FileText;
use mods::ModSet;

/// Marks a coverage ignore.
pub(super) const IGNORE_COMMENT_PREFIX: &str = "-- seldom: ";

/// The texts of all scripts.
pub(super) struct ReasonComments {
    files: BTreeMap<String, FileText>,
}

impl ReasonComments {
    /// The scripts of these mods.
    pub(super) fn from_mods(mods: &ModSet) -> Self {
        let mut files = BTreeMap::new();
        for source in &mods.mods {
            let with_mod_id = |(path, text): (&String, &FileText)| {
                (format!("{}/{path}", source.id()), text.clone())
            };
            files.extend(source.files.iter().map(with_mod_id));
        }
        Self { files }
    }

    /// The reason for a range of lines of a file, if a comment with this prefix has one.
    pub(super) fn find_reason(
        &self,
        prefix: &str,
        file: &str,
        first: u32,
        last: u32,
    ) -> Option<&str> {
        let text = self.files.get(file)?;
        let head = text.lines().take_while(|line| line.starts_with("--"));
        let above = (first as usize).saturating_sub(2);
        let count = (last as usize).saturating_sub(above);
        let nearby_lines = text.lines().skip(above).take(count);
        let mut all = head.chain(nearby_lines).chain(comments_above_declaration(text, first));
        all.find_map(|line| line.split_once(prefix).map(|(_, why)| why.trim()))
    }

    /// The reason of the first comment with this prefix, wherever it is.
    pub(super) fn find_anywhere(&self, prefix: &str) -> Option<&str> {
        let mut lines = self.files.values().flat_map(|text| text.lines());
        lines.find_map(|line| line.trim_start().strip_prefix(prefix).map(str::trim))
    }
}

/// The comments above the declaration that contains a line.
fn comments_above_declaration(text: &str, line: u32) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let begins = |line: &&str| {
        let closes = line.starts_with(['}', ')', ']']) || line.starts_with("end");
        !line.is_empty() && !line.starts_with([' ', '\t']) && !line.starts_with("--") && !closes
    };
    let begin = lines.iter().rposition(begins).unwrap_or(0);
    lines.into_iter().take(begin).rev().take_while(|line| line.starts_with("--"))
}

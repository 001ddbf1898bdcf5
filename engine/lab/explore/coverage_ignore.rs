//! Coverage ignores: code that runs are not expected to reach, marked `-- seldom: reason`. The mark
//! is on the line, above the line or its declaration, or in the comments at the top of the file.

use std::collections::BTreeMap;

use base::FileText;
use mods::ModSet;

const IGNORE_COMMENT_PREFIX: &str = "-- seldom: ";

/// The texts of all scripts.
pub(super) struct CoverageIgnoreComments {
    files: BTreeMap<String, FileText>,
}

impl CoverageIgnoreComments {
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

    /// The reason for a range of lines of a file, if it has one.
    pub(super) fn find_ignore_reason(&self, file: &str, first: u32, last: u32) -> Option<&str> {
        let text = self.files.get(file)?;
        let head = text.lines().take_while(|line| line.starts_with("--"));
        let above = (first as usize).saturating_sub(2);
        let count = (last as usize).saturating_sub(above);
        let nearby_lines = text.lines().skip(above).take(count);
        let mut all = head.chain(nearby_lines).chain(comments_above_declaration(text, first));
        all.find_map(|line| line.split_once(IGNORE_COMMENT_PREFIX).map(|(_, why)| why.trim()))
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

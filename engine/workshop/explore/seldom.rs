//! What play is not expected to reach, as the scripts themselves say: `-- seldom: why`, on a line or on
//! the one above it; above a declaration, for all of that; among the comments at the head of a file, for
//! all of it.

use std::collections::BTreeMap;

use crate::kit::FileText;
use crate::mods::ModSet;

const MARK: &str = "-- seldom: ";

/// The texts of all scripts, to look for reasons in.
pub(super) struct Seldom {
    files: BTreeMap<String, FileText>,
}

impl Seldom {
    /// What the scripts of these mods say.
    pub(super) fn of(mods: &ModSet) -> Self {
        let mut files = BTreeMap::new();
        for source in &mods.mods {
            let named = |(path, text): (&String, &FileText)| {
                (format!("{}/{path}", source.id()), text.clone())
            };
            files.extend(source.files.iter().map(named));
        }
        Self { files }
    }

    /// Why a stretch of a file is seldom reached, if the file says so.
    pub(super) fn why(&self, file: &str, first: u32, last: u32) -> Option<&str> {
        let text = self.files.get(file)?;
        let head = text.lines().take_while(|line| line.starts_with("--"));
        let above = (first as usize).saturating_sub(2);
        let count = (last as usize).saturating_sub(above);
        let near = text.lines().skip(above).take(count);
        let mut all = head.chain(near).chain(above_declaration(text, first));
        all.find_map(|line| line.split_once(MARK).map(|(_, why)| why.trim()))
    }
}

/// The comments that stand above the declaration in which a line lies.
fn above_declaration(text: &str, line: u32) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let begins = |line: &&str| {
        let closes = line.starts_with(['}', ')', ']']) || line.starts_with("end");
        !line.is_empty() && !line.starts_with([' ', '\t']) && !line.starts_with("--") && !closes
    };
    let begin = lines.iter().rposition(begins).unwrap_or(0);
    lines.into_iter().take(begin).rev().take_while(|line| line.starts_with("--"))
}

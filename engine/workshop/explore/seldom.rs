//! What play is not expected to reach, as the scripts themselves say: `-- seldom: why`, on a line or on
//! the one above it, or among the comments at the head of a file for all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::mods::ModSet;

const MARK: &str = "-- seldom: ";

/// The texts of all scripts, to look for reasons in.
pub(super) struct Seldom {
    files: BTreeMap<String, Arc<str>>,
}

impl Seldom {
    /// What the scripts of these mods say.
    pub(super) fn of(mods: &ModSet) -> Self {
        let mut files = BTreeMap::new();
        for source in &mods.mods {
            let named = |(path, text): (&String, &Arc<str>)| {
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
        head.chain(near).find_map(|line| line.split_once(MARK).map(|(_, why)| why.trim()))
    }
}

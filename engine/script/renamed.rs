//! What names were once: those that a game gave to others and calls by new ones now. A mod that is older
//! than what mods share was declared finds them under the old ones; any other is told the new one.

use crate::kit::problem::nearest;
use crate::kit::{Place, Problem};

/// An old name of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldName {
    /// What it was called.
    pub old: String,
    /// What it is called.
    pub new: String,
    /// Where that is said; the mod is that of the export.
    pub place: Place,
}

impl OldName {
    /// What whoever still writes the old name is told to do.
    pub(crate) fn hint(&self) -> String {
        format!("write `{}`: `{}` calls it so now", self.new, self.place.owner)
    }

    pub(crate) fn leads_nowhere<'n>(&self, known: impl Iterator<Item = &'n str>) -> Problem {
        let found =
            format!("`{}` is said to be `{}` now, and there is no such export", self.old, self.new);
        let problem = Problem::error("unknown-name", found).at(self.place.clone());
        problem
            .expected("an export of this mod, such as `module.name`")
            .did_you_mean(nearest(&self.new, known))
    }

    pub(crate) fn is_in_use(&self) -> Problem {
        let found = format!(
            "`{}` is said to be an old name, and there is an export of that name",
            self.old
        );
        Problem::error("name-taken", found)
            .at(self.place.clone())
            .expected("a name that is in use no more")
            .hint("take it out of the old names")
    }
}

//! What names were once: those that a game gave to others and calls by new ones now. A mod that is older
//! than what mods share was declared finds exports and moments under the old ones; any other is told the new one.

use crate::kit::problem::nearest;
use crate::kit::{Place, Problem};

/// What has another name now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renamed {
    /// An export.
    Export,
    /// A moment.
    Moment,
    /// A field of an event or of the state, by its way: `blow.damage`, `state.hero.vigour`.
    Field,
}

impl Renamed {
    /// As a game's table of old names has them.
    pub(crate) const ALL: [(&str, Self); 3] =
        [("exports", Self::Export), ("moments", Self::Moment), ("fields", Self::Field)];
}

/// An old name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldName {
    /// Of what.
    pub what: Renamed,
    /// What it was called.
    pub old: String,
    /// What it is called.
    pub new: String,
    /// Where that is said; the mod is that of whoever gave the name.
    pub place: Place,
}

impl OldName {
    /// What whoever still writes the old name is told to do.
    pub fn hint(&self) -> String {
        let fronts = [&self.old, &self.new].map(|name| name.rsplit_once('.'));
        let new = match (self.what, fronts) {
            (Renamed::Moment, _) => format!("{:?}", self.new),
            (Renamed::Field, [Some((of, _)), Some((still, name))]) if of == still => {
                format!("`{name}`")
            }
            _ => format!("`{}`", self.new),
        };
        format!("write {new}: `{}` calls it so now", self.place.owner)
    }

    pub(crate) fn leads_nowhere<'n>(&self, known: impl Iterator<Item = &'n str>) -> Problem {
        let (what, expected) = match self.what {
            Renamed::Export => ("export", "an export of this mod, such as `module.name`"),
            Renamed::Moment => ("moment", "a moment that is declared"),
            Renamed::Field => ("field", "the way to a field, `moment.field` or `state.name.field`"),
        };
        let found =
            format!("`{}` is said to be `{}` now, and there is no such {what}", self.old, self.new);
        let problem = Problem::error("unknown-name", found).at(self.place.clone());
        problem.expected(expected).did_you_mean(nearest(&self.new, known))
    }

    pub(crate) fn is_in_use(&self) -> Problem {
        let what = match self.what {
            Renamed::Export => "an export",
            Renamed::Moment => "a moment",
            Renamed::Field => "a field",
        };
        let found =
            format!("`{}` is said to be an old name, and there is {what} of that name", self.old);
        Problem::error("name-taken", found)
            .at(self.place.clone())
            .expected("a name that is in use no more")
            .hint("take it out of the old names")
    }
}

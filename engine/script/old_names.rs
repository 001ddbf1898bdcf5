//! Old names of moments and of fields: who is told which new one, and those that lead nowhere.

use super::host::Host;
use super::renamed::{OldName, Renamed};
use super::vm::Vm;
use crate::content::{Come, Way, follow};
use crate::kit::Problem;

impl Vm {
    /// What a mod is to write in place of a name that was one once.
    pub fn new_name(&self, what: Renamed, viewer: &str, name: &str) -> Option<OldName> {
        self.host().environments.new_name(what, viewer, name)
    }
}

impl Host {
    /// Old names of moments and of fields that lead nowhere, or that something has now.
    pub(crate) fn bad_old_names(&self) -> Vec<Problem> {
        let moments = self.heard.moments.borrow();
        let declared = self.heard.declared.borrow();
        let names = || moments.iter().map(|moment| &*moment.name);
        let is_there = |old: &OldName, name: &str| match old.what {
            Renamed::Moment => names().any(|moment| moment == name),
            _ => {
                let (of, rest) = name.split_once('.').unwrap_or((name, ""));
                let path: Vec<Way> = rest.split('.').map(|step| Way::Name(step.into())).collect();
                let come = match moments.iter().find(|moment| *moment.name == *of) {
                    Some(moment) => follow(&moment.fields, &path),
                    None if of == "state" => declared.shapes.follow(&path),
                    None => return false,
                };
                matches!(come, Come::To(_))
            }
        };
        let olds = self.environments.old_names();
        let bad = olds.iter().filter(|old| old.what != Renamed::Export).filter_map(|old| {
            if is_there(old, &old.old) {
                return Some(old.is_in_use());
            }
            (!is_there(old, &old.new)).then(|| old.leads_nowhere(names()))
        });
        bad.collect()
    }
}

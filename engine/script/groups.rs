//! The groups that a game declares for its choices, built from the registry on first use.

use std::sync::Arc;

use super::data_path::DataPath;
use super::host::Host;
use super::read_fields::wrong_type;
use super::value_ref::ValueRef;
use crate::base::Problem;
use crate::content::{Datum, Definition, Registry};
use crate::protocol::choice_group::{self, ChoiceGroup, parse_preferred_key};

/// All groups in the order of declaration, and the mod whose names take precedence.
#[derive(Clone, Copy, Default)]
pub(crate) struct Groups<'a> {
    all: &'a [Arc<ChoiceGroup>],
    owner: &'a str,
}

impl Host {
    /// The groups for a scene: names of its own mod take precedence.
    pub(crate) fn groups<'a>(&'a self, scene: &'a str) -> Groups<'a> {
        let all = self.lazy.groups.get_or_init(|| build_groups(self.registry()));
        Groups { all, owner: scene.split(':').next().unwrap_or_default() }
    }
}

/// The groups of the registry, as frontends see them. If two submenus ask for the same key, the
/// first declared one gets it and the other gets none.
fn build_groups(registry: &Registry) -> Vec<Arc<ChoiceGroup>> {
    let mut all: Vec<Arc<ChoiceGroup>> = Vec::new();
    for definition in registry.all_definitions("group") {
        let mut group = read_group(definition);
        let kept = all.iter().any(|other| group.key.is_some() && other.key == group.key);
        if kept {
            group.key = None;
        }
        all.push(Arc::new(group));
    }
    all
}

fn read_group(definition: &Definition) -> ChoiceGroup {
    let text = |name| definition.get(name).and_then(Datum::as_text);
    let order = match definition.get("order") {
        Some(Datum::Int(order)) => *order,
        _ => 0,
    };
    let truth = |name| matches!(definition.get(name), Some(Datum::Bool(true)));
    ChoiceGroup {
        id: definition.id.as_str().to_owned(),
        name: text("name").unwrap_or_default().to_owned(),
        order,
        page: truth("submenu"),
        collapses: truth("collapses"),
        key: text("key").and_then(parse_preferred_key),
    }
}

impl Groups<'_> {
    /// The group that a choice names: by full id, or by name, which means the one of the scene's
    /// own mod or else the first declared.
    pub(crate) fn find_group(
        self,
        value: &ValueRef<'_>,
        spot: &DataPath<'_>,
    ) -> Result<Arc<ChoiceGroup>, Problem> {
        let Some(word) = value.as_text() else {
            return Err(wrong_type(spot, value, "the name of a group"));
        };
        let ids = self.all.iter().map(|group| &*group.id);
        choice_group::find_group_index(ids.clone(), word, self.owner)
            .map(|at| self.all[at].clone())
            .ok_or_else(|| {
                let found = format!("{spot} names the group {word:?}, which does not exist");
                choice_group::unknown_group_problem(found, ids, word)
            })
    }
}

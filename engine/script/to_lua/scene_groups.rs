//! The groups that a game declares for its choices, built from the registry on first use.

use std::sync::Arc;

use crate::host::Host;
use crate::values::data_path::DataPath;
use crate::values::read_fields::wrong_type_problem;
use crate::values::value_ref::ValueRef;
use base::{Problem, quote};
use content::{Datum, Definition, Registry};
use protocol::choice_group::{self, ChoiceGroup, parse_preferred_key};

/// All groups in the order of declaration, and the mod whose names take precedence.
#[derive(Clone, Copy, Default)]
pub(crate) struct SceneGroups<'a> {
    all_groups: &'a [Arc<ChoiceGroup>],
    preferred_mod: &'a str,
}

impl Host {
    /// The groups for a scene: names of its own mod take precedence.
    pub(crate) fn groups_for_scene<'a>(&'a self, scene: &'a str) -> SceneGroups<'a> {
        let all_groups =
            self.lazy_tables.choice_groups.get_or_init(|| build_groups(self.registry()));
        SceneGroups { all_groups, preferred_mod: scene.split(':').next().unwrap_or_default() }
    }
}

/// The groups of the registry, as frontends see them. If two submenus ask for the same key, the
/// first declared one gets it and the other gets none.
fn build_groups(registry: &Registry) -> Vec<Arc<ChoiceGroup>> {
    let mut groups: Vec<Arc<ChoiceGroup>> = Vec::new();
    for definition in registry.all_definitions("group") {
        let mut group = read_group(definition);
        group.name = registry.display_text(&group.name).to_owned();
        let is_key_taken = groups.iter().any(|other| {
            group.preferred_key.is_some() && other.preferred_key == group.preferred_key
        });
        if is_key_taken {
            group.preferred_key = None;
        }
        groups.push(Arc::new(group));
    }
    groups
}

fn read_group(definition: &Definition) -> ChoiceGroup {
    let read_text = |name| definition.get(name).and_then(Datum::as_text);
    let order = match definition.get("order") {
        Some(Datum::Int(order)) => *order,
        _ => 0,
    };
    let read_flag = |name| matches!(definition.get(name), Some(Datum::Bool(true)));
    ChoiceGroup {
        id: definition.id.as_str().to_owned(),
        name: read_text("name").unwrap_or_default().to_owned(),
        sort_order: order,
        is_submenu: read_flag("submenu"),
        collapses: read_flag("collapses"),
        preferred_key: read_text("key").and_then(parse_preferred_key),
    }
}

impl SceneGroups<'_> {
    /// The group that a choice names: by full id, or by name, which means the one of the scene's
    /// own mod or else the first declared.
    pub(crate) fn find_group(
        self,
        value: &ValueRef<'_>,
        path: &DataPath<'_>,
    ) -> Result<Arc<ChoiceGroup>, Problem> {
        let Some(word) = value.as_text() else {
            return Err(wrong_type_problem(path, value, "the name of a group"));
        };
        let ids = self.all_groups.iter().map(|group| &*group.id);
        choice_group::find_group_index(ids.clone(), word, self.preferred_mod)
            .map(|index| self.all_groups[index].clone())
            .ok_or_else(|| {
                let message =
                    format!("{path} names the group {}, which does not exist", quote(word));
                choice_group::unknown_group_problem(message, ids, word)
            })
    }
}

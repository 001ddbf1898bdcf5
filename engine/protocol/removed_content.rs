//! Names and versions of removed content: the definitions that the state still refers to, and the
//! mods that were removed or downgraded. They are in the host's table of the state, so they are
//! saved, digested and rolled back like everything else.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::world::WorldState;
use base::Value;
use base::value::ValueMap;

/// Names by kind and id.
const REMOVED_DEFINITIONS_KEY: &str = "gone";
/// Versions by mod.
const REMOVED_OR_DOWNGRADED_MODS_KEY: &str = "left";
/// The scenes that were open before some were closed, and those that remained.
const CLOSED_SCENES_KEY: &str = "left_scenes";

impl WorldState {
    /// The last name of a removed definition; `None` if it is not recorded.
    pub fn removed_definition_name(&self, kind: &str, id: &str) -> Option<String> {
        let removed = self.host_value(REMOVED_DEFINITIONS_KEY)?;
        removed.get(kind)?.get(id)?.as_text().map(str::to_owned)
    }

    /// All removed definitions: kind, id, name.
    pub fn removed_definitions(&self) -> Vec<(String, String, String)> {
        let mut all = Vec::new();
        let kinds = self.host_value(REMOVED_DEFINITIONS_KEY);
        for (kind, names) in kinds.as_ref().and_then(Value::as_map).into_iter().flatten() {
            for (id, name) in names.as_map().into_iter().flatten() {
                let name = name.as_text().unwrap_or_default();
                all.push((kind.to_string(), id.to_string(), name.to_owned()));
            }
        }
        all
    }

    /// Replaces the recorded removed definitions.
    pub fn set_removed_definitions(
        &mut self,
        removed: &[(String, String, String)],
    ) -> Result<(), String> {
        let mut kinds: std::collections::BTreeMap<&str, ValueMap> =
            std::collections::BTreeMap::new();
        for (kind, id, name) in removed {
            kinds.entry(kind).or_default().insert(Arc::from(id.as_str()), Value::text(name));
        }
        let kinds = kinds.into_iter().map(|(kind, names)| (kind, Value::Map(names)));
        self.set_host_table(REMOVED_DEFINITIONS_KEY, Value::map_of(kinds))
    }

    /// The highest versions of mods that are now older or removed.
    pub fn removed_or_downgraded_mods(&self) -> Vec<(String, String)> {
        let left = self.host_value(REMOVED_OR_DOWNGRADED_MODS_KEY);
        let all = left.as_ref().and_then(Value::as_map).into_iter().flatten();
        all.filter_map(|(id, version)| Some((id.to_string(), version.as_text()?.to_owned())))
            .collect()
    }

    /// Replaces the recorded versions of mods.
    pub fn set_removed_or_downgraded_mods(
        &mut self,
        left: &[(String, String)],
    ) -> Result<(), String> {
        let left = left.iter().map(|(id, version)| (id.as_str(), Value::text(version)));
        self.set_host_table(REMOVED_OR_DOWNGRADED_MODS_KEY, Value::map_of(left))
    }

    /// The scenes that were open before some were closed because their definitions were removed,
    /// and those that remained.
    pub fn scenes_before_and_after_closing(&self) -> Option<(Vec<String>, Vec<String>)> {
        let scenes_value = self.host_value(CLOSED_SCENES_KEY)?;
        let scenes = |name| -> Option<Vec<String>> {
            let all = scenes_value.get(name)?.as_list()?.iter();
            Some(all.filter_map(|scene| scene.as_text().map(str::to_owned)).collect())
        };
        Some((scenes("was")?, scenes("left")?))
    }

    /// Records the closed scenes, or that there are none.
    pub fn set_scenes_before_and_after_closing(
        &mut self,
        scenes: Option<(&[String], &[String])>,
    ) -> Result<(), String> {
        let list = |all: &[String]| Value::List(all.iter().map(Value::text).collect());
        let scenes_value = scenes.map(|(scenes_before, left)| {
            Value::map_of([("was", list(scenes_before)), ("left", list(left))])
        });
        self.set_host_table(CLOSED_SCENES_KEY, scenes_value.unwrap_or_else(Value::map))
    }

    /// Every text in the scripts' part of the state, as a value or as a key.
    pub fn state_texts(&self) -> BTreeSet<Arc<str>> {
        let game = self.state.table_to_value(self.game_table()).expect("the game's table stays");
        let mut texts = BTreeSet::new();
        collect_value_texts(&game, &mut texts);
        texts
    }

    /// An empty table is removed, so a run that never lost content keeps its digest.
    fn set_host_table(&mut self, name: &str, value: Value) -> Result<(), String> {
        let empty = value.as_map().is_some_and(ValueMap::is_empty);
        if empty && self.host_value(name).is_none() {
            return Ok(());
        }
        self.set_host_value(name, (!empty).then_some(value))
    }
}

/// Collects every text of a value, including its keys.
pub fn collect_value_texts(value: &Value, texts: &mut BTreeSet<Arc<str>>) {
    match value {
        Value::Text(text) => drop(texts.insert(text.clone())),
        Value::List(list) => list.iter().for_each(|item| collect_value_texts(item, texts)),
        Value::Map(map) => {
            for (key, item) in map {
                texts.insert(key.clone());
                collect_value_texts(item, texts);
            }
        }
        _ => {}
    }
}

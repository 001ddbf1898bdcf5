//! What a run remembers of definitions and mods that are no longer there: the names of things that
//! its state still speaks of, and the versions of mods that left. It is a part of the host's own
//! table in the state, so that it is saved, digested and taken back like everything else.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::world::World;
use crate::kit::Value;
use crate::kit::value::Map;

/// Names by kind and id.
const GONE: &str = "gone";
/// Versions by mod.
const LEFT: &str = "left";
/// The scenes that were open before some of them were left, and those that stayed.
const LEFT_SCENES: &str = "left_scenes";

impl World {
    /// The name that a definition had which is gone; `None` if the run knows nothing of it.
    pub fn gone_name(&self, kind: &str, id: &str) -> Option<String> {
        let gone = self.host_value(GONE)?;
        gone.get(kind)?.get(id)?.as_text().map(str::to_owned)
    }

    /// Everything that is gone: kind, id, name.
    pub fn gone(&self) -> Vec<(String, String, String)> {
        let mut all = Vec::new();
        let kinds = self.host_value(GONE);
        for (kind, names) in kinds.as_ref().and_then(Value::as_map).into_iter().flatten() {
            for (id, name) in names.as_map().into_iter().flatten() {
                let name = name.as_text().unwrap_or_default();
                all.push((kind.to_string(), id.to_string(), name.to_owned()));
            }
        }
        all
    }

    /// Remembers what is gone, and nothing else.
    pub fn remember_gone(&mut self, gone: &[(String, String, String)]) -> Result<(), String> {
        let mut kinds: std::collections::BTreeMap<&str, Map> = std::collections::BTreeMap::new();
        for (kind, id, name) in gone {
            kinds.entry(kind).or_default().insert(Arc::from(id.as_str()), Value::text(name));
        }
        let kinds = kinds.into_iter().map(|(kind, names)| (kind, Value::Map(names)));
        self.set_host(GONE, Value::of(kinds))
    }

    /// The highest versions of mods that were once part of the run, and are older now or not there.
    pub fn left(&self) -> Vec<(String, String)> {
        let left = self.host_value(LEFT);
        let all = left.as_ref().and_then(Value::as_map).into_iter().flatten();
        all.filter_map(|(id, version)| Some((id.to_string(), version.as_text()?.to_owned())))
            .collect()
    }

    /// Remembers these versions of mods, and nothing else.
    pub fn remember_left(&mut self, left: &[(String, String)]) -> Result<(), String> {
        let left = left.iter().map(|(id, version)| (id.as_str(), Value::text(version)));
        self.set_host(LEFT, Value::of(left))
    }

    /// The scenes that were open before some of them were left because their definitions were gone, and
    /// those that stayed.
    pub fn left_scenes(&self) -> Option<(Vec<String>, Vec<String>)> {
        let kept = self.host_value(LEFT_SCENES)?;
        let scenes = |name| -> Option<Vec<String>> {
            let all = kept.get(name)?.as_list()?.iter();
            Some(all.filter_map(|scene| scene.as_text().map(str::to_owned)).collect())
        };
        Some((scenes("was")?, scenes("left")?))
    }

    /// Remembers scenes that were left, or that there are none.
    pub fn remember_left_scenes(
        &mut self,
        scenes: Option<(&[String], &[String])>,
    ) -> Result<(), String> {
        let list = |all: &[String]| Value::List(all.iter().map(Value::text).collect());
        let kept = scenes.map(|(was, left)| Value::of([("was", list(was)), ("left", list(left))]));
        self.set_host(LEFT_SCENES, kept.unwrap_or_else(Value::map))
    }

    /// Every text that the scripts' part of the state holds, as a value or as a key.
    pub fn texts(&self) -> BTreeSet<Arc<str>> {
        let game = self.state.value(self.game()).expect("the game's table stays");
        let mut texts = BTreeSet::new();
        gather(&game, &mut texts);
        texts
    }

    /// An empty table is not kept: a run that never lost anything is as it was.
    fn set_host(&mut self, name: &str, value: Value) -> Result<(), String> {
        let empty = value.as_map().is_some_and(Map::is_empty);
        if empty && self.host_value(name).is_none() {
            return Ok(());
        }
        self.set_host_value(name, (!empty).then_some(value))
    }
}

/// Gathers every text of a value, its keys too.
pub fn gather(value: &Value, texts: &mut BTreeSet<Arc<str>>) {
    match value {
        Value::Text(text) => drop(texts.insert(text.clone())),
        Value::List(list) => list.iter().for_each(|item| gather(item, texts)),
        Value::Map(map) => {
            for (key, item) in map {
                texts.insert(key.clone());
                gather(item, texts);
            }
        }
        _ => {}
    }
}

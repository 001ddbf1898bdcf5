//! The module graph: which exports the files of each module call. Built from the files alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis;
use content::EXPORT_KIND;
use mods::ModSet;
use script::Vm;

/// A module: its files, and the modules that they call.
#[derive(Default)]
pub(super) struct Module {
    pub(super) files: BTreeSet<String>,
    pub(super) depends_on: BTreeSet<String>,
}

/// All modules by name.
pub(super) fn module_graph(vm: &Vm, mods: &ModSet) -> BTreeMap<String, Module> {
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    for one in vm.registry().all_definitions(EXPORT_KIND) {
        if let Some((module, _)) = one.id.name().split_once('.') {
            let file = format!("{}/{}", one.place.owner, one.place.file);
            modules.entry(module.to_owned()).or_default().files.insert(file);
        }
    }
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    for summary in mods.mods.iter().flat_map(|source| analysis::analyze_mod(source).0) {
        let file = format!("{}/{}", summary.owner, summary.file);
        let called = summary.uses.globals.values().filter(|one| one.field.is_some());
        let called: BTreeSet<&String> = called.filter_map(|one| names.get(&one.name)).collect();
        for (name, module) in modules.iter_mut().filter(|(_, one)| one.files.contains(&file)) {
            let others = called.iter().filter(|other| **other != name);
            module.depends_on.extend(others.map(|other| (*other).clone()));
        }
    }
    modules
}

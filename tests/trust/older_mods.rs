//! Mods as they were written before what mods share was declared: they load on the games of today,
//! and on those of their time, and `check` refuses nothing in them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use engine::kit::{Severity, Value};
use engine::mods::{ModSource, load_order, read_folder};
use engine::script::Vm;

use crate::support::{carried, shown};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The mods of then, by id.
fn of_then() -> BTreeMap<String, ModSource> {
    let path = format!("{ROOT}/tests/fixtures/mods_1/mods.json.xz");
    let packed = std::fs::read(path).unwrap();
    let mut json = Vec::new();
    lzma_rust2::XzReader::new(packed.as_slice(), true).read_to_end(&mut json).unwrap();
    let stored: BTreeMap<String, String> = serde_json::from_slice(&json).unwrap();
    let read = stored.values().map(|text| ModSource::from_store(text).unwrap());
    read.map(|source| (source.id().to_owned(), source)).collect()
}

/// A mod of then and what it needs: games as they are today, or as they were.
fn with_needs(id: &str, then: &BTreeMap<String, ModSource>, old_games: bool) -> Vec<ModSource> {
    let mut mods = Vec::new();
    let mut open = vec![id.to_owned()];
    while let Some(id) = open.pop() {
        let source = match id.as_str() {
            "sub_rosa" => carried(),
            "sovereign" if !old_games => {
                read_folder(&Path::new(ROOT).join("mods/sovereign")).unwrap()
            }
            "parts" => read_folder(&Path::new(ROOT).join("mods/parts")).unwrap(),
            other => then[other].clone(),
        };
        open.extend(source.manifest.needs.keys().cloned());
        mods.push(source);
    }
    mods.sort_by(|a, b| a.id().cmp(b.id()));
    mods.dedup_by(|a, b| a.id() == b.id());
    mods
}

#[test]
fn mods_that_were_written_before_anything_was_declared_load() {
    let then = of_then();
    assert_eq!(then.len(), 7, "{:?}", then.keys());
    for id in then.keys() {
        for old_games in [false, true] {
            let mods = load_order(with_needs(id, &then, old_games)).unwrap();
            let vm = Vm::load(&mods, &Value::map());
            let vm = vm.unwrap_or_else(|problems| panic!("{id}: {}", shown(&problems)));
            let refused = vm.warnings().iter().filter(|one| one.severity == Severity::Error);
            assert_eq!(refused.count(), 0, "{id}");
        }
    }
}

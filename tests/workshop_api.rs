//! The workshop's `api`: the description is of what a VM has, and the committed pages are what it
//! writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::mods::Places;
use engine::save::{DataDir, MemoryDisk};
use engine::script::{LIBRARY, surface};
use engine::workshop::{Api, Bench, Outcome, api};
use tempfile::TempDir;

use crate::bundled;
use crate::support::{FRAME, Run, game, places};

#[test]
fn every_name_that_scripts_see_is_described_and_no_other() {
    let vm = bundled::load(&bundled::content("sub_rosa", &[]));
    let names: BTreeSet<String> = vm.names().into_iter().collect();
    let kinds = vm.registry().kinds().filter(|kind| kind.builtin);
    let mut described: BTreeSet<String> = kinds.map(|kind| kind.name.to_string()).collect();
    described.extend(surface().iter().map(|one| one.name.to_owned()));
    for (library, inside) in LIBRARY {
        let whole = |name: &str| match library.is_empty() {
            true => name.to_owned(),
            false => format!("{library}.{name}"),
        };
        described.extend(inside.split(' ').map(whole));
    }
    // Names of a table that belongs to one mod, or whose entries its own line tells.
    let told = |name: &&String| *name != "settings" && !name.starts_with("field.");
    let names: BTreeSet<&String> = names.iter().filter(told).collect();
    let described: BTreeSet<&String> = described.iter().filter(told).collect();
    let missing: Vec<_> = names.difference(&described).collect();
    let idle: Vec<_> = described.difference(&names).collect();
    assert!(missing.is_empty(), "no row of engine/script/from_lua tells of {missing:?}");
    assert!(idle.is_empty(), "a row tells of {idle:?}, which is not there");
}

#[test]
fn the_committed_pages_are_what_the_program_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = TempDir::new().unwrap();
    let bench = Bench {
        places: Places { extra: vec![root.join("base_game")], ..places() },
        game: None,
        with: Vec::new(),
        data_dir: DataDir::on(Arc::new(MemoryDisk::new()), "memory"),
        profile: "Player".to_owned(),
    };
    let mut out = Vec::new();
    let asked = Api { write: Some(place.path().to_owned()), json: false };
    assert_eq!(api(&bench, &asked, &mut out).unwrap(), Outcome::Sound);
    for name in ["reference.md", "sub_rosa.d.luau"] {
        let written = fs::read_to_string(place.path().join(name)).unwrap();
        let committed =
            fs::read_to_string(root.join("docs/modding").join(name)).unwrap_or_default();
        assert!(
            written == committed.replace("\r\n", "\n"),
            "docs/modding/{name} is out of date: sub-rosa api --write docs/modding"
        );
    }
}

#[test]
fn every_bit_of_the_library_that_is_told_of_can_be_called() {
    let calls = "start(function() state.bits = 12 note(`{bit32.band(state.bits, 10)} {bit32.lshift(state.bits, 1)}`) go \"only\" end)";
    let frame = FRAME.replace("start(function() go \"only\" end)", calls);
    let mut run = Run::of(&game(&[("play.luau", &frame)]), 1).unwrap();
    let told = format!("{:?}", run.world.take_events());
    assert!(told.contains("8 24"), "{told}");
}

//! `api`: the description matches the names in a VM, and the committed pages match its output.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::author::{ApiRequest, CommandContext, CommandOutcome, write_api};
use engine::base::Value;
use engine::content::{EXPORT_KIND, Field, FieldType, Signature};
use engine::mods::{SearchPaths, read_folder};
use engine::save::{DataDir, MemoryDisk};
use engine::script::{LUAU_LIBRARY, Vm, host_functions};
use tempfile::TempDir;

use crate::bundled;
use crate::support::{MINIMAL_GAME, TestRun, embedded_search_paths, game};

#[test]
fn every_name_that_scripts_see_is_described_and_no_other() {
    let vm = bundled::load(&bundled::content("sub_rosa", &[]));
    let names: BTreeSet<String> = vm.base_names().into_iter().collect();
    let kinds = vm.registry().kinds().filter(|kind| kind.builtin);
    let mut described: BTreeSet<String> = kinds.map(|kind| kind.name.to_string()).collect();
    described.extend(host_functions().iter().map(|one| one.name.to_owned()));
    for (library, inside) in LUAU_LIBRARY {
        let whole = |name: &str| match library.is_empty() {
            true => name.to_owned(),
            false => format!("{library}.{name}"),
        };
        described.extend(inside.split(' ').map(whole));
    }
    // Names of a table that belongs to one mod, or whose entries its own line describes. Scripts
    // cannot write names that begin with `%`; the compiled code calls them.
    let told = |name: &&String| {
        *name != "settings" && !name.starts_with("field.") && !name.starts_with('%')
    };
    let names: BTreeSet<&String> = names.iter().filter(told).collect();
    let described: BTreeSet<&String> = described.iter().filter(told).collect();
    let missing: Vec<_> = names.difference(&described).collect();
    let idle: Vec<_> = described.difference(&names).collect();
    assert!(missing.is_empty(), "no row of engine/script/from_lua documents {missing:?}");
    assert!(idle.is_empty(), "a row documents {idle:?}, which does not exist");
}

#[test]
fn the_committed_pages_are_what_the_program_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = TempDir::new().unwrap();
    let bench = CommandContext {
        search_paths: SearchPaths {
            named_folders: vec![root.join("base_game")],
            ..embedded_search_paths()
        },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::on_disk(Arc::new(MemoryDisk::new()), "memory"),
        profile_name: "Player".to_owned(),
    };
    let mut out = Vec::new();
    let asked = ApiRequest { output_folder: Some(place.path().to_owned()), json: false };
    assert_eq!(write_api(&bench, &asked, &mut out).unwrap(), CommandOutcome::Ok);
    for name in ["reference.md", "problems.md", "sub_rosa.d.luau"] {
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
    let frame = MINIMAL_GAME.replace("start(function() go \"only\" end)", calls);
    let mut run = TestRun::of(&game(&[("play.luau", &frame)]), 1).unwrap();
    let told = format!("{:?}", run.world.take_events());
    assert!(told.contains("8 24"), "{told}");
}

/// The names of a field and its subfields; each has a description.
fn documented_names(before: &str, field: &Field, names: &mut Vec<String>) {
    fn inside(name: &str, ty: &FieldType, names: &mut Vec<String>) {
        match ty {
            FieldType::Record(fields) => {
                fields.iter().for_each(|field| documented_names(name, field, names));
            }
            FieldType::List(one) => inside(&format!("{name}[]"), one, names),
            FieldType::Map(one) => inside(&format!("{name}.*"), one, names),
            _ => {}
        }
    }
    let name = format!("{before}.{}", field.name);
    assert!(!field.doc.is_empty(), "what is {name}?");
    inside(&name, &field.ty, names);
    names.push(name);
}

/// The reference lists all shared names: each event with its fields, each rule and each export with
/// its arguments.
#[test]
fn everything_that_mods_share_stands_in_the_reference() {
    for game in ["base_game", "mods/sovereign"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = read_folder(&root.join(game)).unwrap();
        let id = source.id().to_owned();
        let vm = Vm::load(&crate::support::ordered(vec![source]).unwrap(), &Value::map()).unwrap();
        let bench = CommandContext {
            search_paths: SearchPaths {
                named_folders: vec![root.join(game)],
                ..embedded_search_paths()
            },
            game: Some(id),
            extra_mods: Vec::new(),
            data_dir: DataDir::on_disk(Arc::new(MemoryDisk::new()), "memory"),
            profile_name: "Player".to_owned(),
        };
        let mut out = Vec::new();
        let asked = ApiRequest { output_folder: None, json: true };
        assert_eq!(write_api(&bench, &asked, &mut out).unwrap(), CommandOutcome::Ok);
        let told: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let page = told["reference"].as_str().unwrap();
        assert_eq!(undocumented_items(&vm), Vec::<String>::new(), "{game}");
        let moments = vm.events();
        assert!(moments.len() > 20, "{game} declares {} moments", moments.len());
        for moment in &moments {
            let after = page.split(&format!("\n### {}\n", moment.name)).nth(1);
            let part = after.and_then(|after| after.split("\n### ").next()).unwrap_or_default();
            for field in &moment.fields {
                assert!(part.contains(&format!("| `{}` |", field.name)), "{}", moment.name);
            }
        }
        let shapes = vm.schemas();
        assert!(shapes.fields().len() > 4, "{game} declares {} shapes", shapes.fields().len());
        let mut fields = Vec::new();
        shapes.fields().iter().for_each(|field| documented_names("state", field, &mut fields));
        for name in fields {
            assert!(page.contains(&format!("| `{name}` |")), "{game}: nothing of {name}");
        }
        let rules = vm.registry().active_definitions("rule").map(|rule| rule.id.to_string());
        let exports =
            vm.registry().all_definitions(EXPORT_KIND).map(|one| one.id.name().to_owned());
        for name in rules.chain(exports) {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{name}(")));
            let row = row.unwrap_or_else(|| panic!("{game}: nothing of {name}"));
            assert!(!row.contains("(…)"), "{game}: not what {name} takes");
        }
    }
}

/// Undocumented shared names: the purpose of an event, a rule or an export, the fields of an event,
/// the parameters and results of a function.
fn undocumented_items(vm: &Vm) -> Vec<String> {
    let mut untold = Vec::new();
    for moment in vm.events() {
        let fields = moment.fields.iter().filter(|field| field.doc.is_empty());
        untold.extend(fields.map(|field| format!("what is {}.{}?", moment.name, field.name)));
        untold.extend(moment.doc.is_empty().then(|| format!("what is {}?", moment.name)));
    }
    for one in ["rule", EXPORT_KIND].iter().flat_map(|kind| vm.registry().all_definitions(kind)) {
        let told = vm.function_doc(one);
        let is_whole = told.signature.is_some_and(|signature| signature.is_complete());
        untold.extend((!is_whole).then(|| format!("what does {} take and give?", one.id)));
        untold.extend((!has_description(&told.doc)).then(|| format!("what is {} for?", one.id)));
    }
    untold
}

/// Whether a comment says more than which rules it implements.
fn has_description(doc: &str) -> bool {
    let words = doc.split(|sign: char| !sign.is_alphabetic());
    words.filter(|word| word.len() > 1).any(|word| word.chars().all(char::is_lowercase))
}

#[test]
fn what_is_not_told_of_is_seen() {
    let shared = "
event 'lit' { doc = 'a lamp is lit', by = field.text, oil = field.int { doc = 'measures' } }
event 'out' {}
-- How far so much oil shows.
rule 'light' (function(oil: number): number return oil end)
-- G-1.1
rule 'dark' (function(oil: number): number return oil end)
-- Fills a lamp.
export('lamps.fill', function(oil) return oil end)
-- Empties it.
export('lamps.empty', function(oil: number) end)
-- Breaks it.
export('lamps.breaks', function(): () end)
";
    let vm = Vm::load(
        &game(&[("kinds/shared.luau", shared), ("play.luau", MINIMAL_GAME)]),
        &Value::map(),
    );
    let gaps = [
        "what is lit.by?",
        "what is out?",
        "what is game:dark for?",
        "what does game:lamps.fill take and give?",
        "what does game:lamps.empty take and give?",
    ];
    assert_eq!(undocumented_items(&vm.unwrap()), gaps);
}

/// The functions of `parts` are required and not exported: each documents the same in its file.
#[test]
fn each_part_tells_what_it_takes_and_gives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = read_folder(&root.join("mods/parts")).unwrap();
    let mut seen = 0;
    for (file, text) in source.files.iter().filter(|(file, _)| file.starts_with("lib/")) {
        let mut above = "";
        let mut rest: &str = text;
        while let Some((line, after)) = rest.split_once('\n') {
            if line.starts_with("function ") {
                let signature = Signature::parse_function(rest, &|_| None);
                assert!(signature.is_some_and(|one| one.is_complete()), "{file}: {line}");
                assert!(above.starts_with("--") && has_description(above), "{file}: {line}");
                seen += 1;
            }
            (above, rest) = (line, after);
        }
    }
    assert!(seen > 20, "{seen} functions were found");
}

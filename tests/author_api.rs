//! `api`: the description matches the names in a VM, and the committed pages match its output.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use author::{ApiRequest, CommandContext, CommandOutcome, write_api};
use base::Value;
use content::{EXPORT_KIND, Field, FieldType, Signature};
use mods::{SearchPaths, read_folder};
use save::{DataDir, MemoryDisk};
use script::{LUAU_LIBRARY, LUAU_TYPES, Vm, check_syntax, host_functions};
use tempfile::TempDir;

use crate::bundled;
use crate::support::{MINIMAL_GAME, TestRun, embedded_search_paths, game_from_files};

#[test]
fn every_script_global_is_documented_and_no_other() {
    let vm = bundled::load_vm(&bundled::game_content("sub_rosa", &[]));
    let names: BTreeSet<String> = vm.base_table_names().into_iter().collect();
    let kinds = vm.registry().kinds().filter(|kind| kind.is_builtin);
    let mut described: BTreeSet<String> = kinds.map(|kind| kind.name.to_string()).collect();
    described.extend(host_functions().iter().map(|function| function.name.to_owned()));
    for (library, functions) in LUAU_LIBRARY {
        let qualified_name = |name: &str| match library.is_empty() {
            true => name.to_owned(),
            false => format!("{library}.{name}"),
        };
        described.extend(functions.split(' ').map(qualified_name));
    }
    // Names of a table that belongs to one mod, or whose entries its own line describes. Scripts
    // cannot write names that begin with `%`; the compiled code calls them.
    let has_own_row = |name: &&String| {
        !["profile", "settings"].contains(&name.as_str())
            && !name.starts_with("field.")
            && !name.starts_with('%')
    };
    let names: BTreeSet<&String> = names.iter().filter(has_own_row).collect();
    let described: BTreeSet<&String> = described.iter().filter(has_own_row).collect();
    let undocumented: Vec<_> = names.difference(&described).collect();
    let nonexistent: Vec<_> = described.difference(&names).collect();
    assert!(undocumented.is_empty(), "no row of engine/script/from_lua documents {undocumented:?}");
    assert!(nonexistent.is_empty(), "a row documents {nonexistent:?}, which does not exist");
}

#[test]
fn committed_reference_pages_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = TempDir::new().unwrap();
    let context = CommandContext {
        search_paths: SearchPaths {
            named_folders: vec![root.join("base_game")],
            ..embedded_search_paths()
        },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory"),
        profile_name: "Player".to_owned(),
        folder_flags: String::new(),
    };
    let mut output_bytes = Vec::new();
    let request = ApiRequest { output_folder: Some(folder.path().to_owned()), json: false };
    assert_eq!(write_api(&context, &request, &mut output_bytes).unwrap(), CommandOutcome::Ok);
    for name in ["reference.md", "problems.md", "sub_rosa.d.luau"] {
        let generated = fs::read_to_string(folder.path().join(name)).unwrap();
        let committed =
            fs::read_to_string(root.join("docs/modding").join(name)).unwrap_or_default();
        assert!(
            generated == committed.replace("\r\n", "\n"),
            "docs/modding/{name} is out of date: sub-rosa api --write docs/modding"
        );
    }
}

#[test]
fn documented_bit32_functions_can_be_called() {
    let handler = "start(function() state.bits = 12 note(`{bit32.band(state.bits, 10)} {bit32.lshift(state.bits, 1)}`) go \"only\" end)";
    let script = MINIMAL_GAME.replace("start(function() go \"only\" end)", handler);
    let mut run = TestRun::start(&game_from_files(&[("play.luau", &script)]), 1).unwrap();
    let events = format!("{:?}", run.take_events());
    assert!(events.contains("8 24"), "{events}");
}

/// The names of a field and its subfields; each has a description.
fn documented_names(prefix: &str, field: &Field, names: &mut Vec<String>) {
    fn collect_subfield_names(name: &str, ty: &FieldType, names: &mut Vec<String>) {
        match ty {
            FieldType::Record(fields) => {
                fields.iter().for_each(|field| documented_names(name, field, names));
            }
            FieldType::List(item_type) => {
                collect_subfield_names(&format!("{name}[]"), item_type, names)
            }
            FieldType::Map(item_type) => {
                collect_subfield_names(&format!("{name}.*"), item_type, names)
            }
            _ => {}
        }
    }
    let name = format!("{prefix}.{}", field.name);
    assert!(!field.doc.is_empty(), "what is {name}?");
    collect_subfield_names(&name, &field.ty, names);
    names.push(name);
}

/// The reference lists all shared names: each event with its fields, each rule and each export with
/// its arguments.
#[test]
fn the_reference_lists_all_events_schemas_rules_and_exports() {
    for game in ["base_game", "mods/sovereign"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = read_folder(&root.join(game)).unwrap();
        let id = source.id().to_owned();
        let vm = Vm::load(
            &crate::support::load_order_with_library(vec![source]).unwrap(),
            &Value::map(),
        )
        .unwrap();
        let context = CommandContext {
            search_paths: SearchPaths {
                named_folders: vec![root.join(game)],
                ..embedded_search_paths()
            },
            game: Some(id),
            extra_mods: Vec::new(),
            data_dir: DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory"),
            profile_name: "Player".to_owned(),
            folder_flags: String::new(),
        };
        let mut output_bytes = Vec::new();
        let request = ApiRequest { output_folder: None, json: true };
        assert_eq!(write_api(&context, &request, &mut output_bytes).unwrap(), CommandOutcome::Ok);
        let output_json: serde_json::Value = serde_json::from_slice(&output_bytes).unwrap();
        let page = output_json["reference"].as_str().unwrap();
        assert_eq!(undocumented_items(&vm), Vec::<String>::new(), "{game}");
        let event_list = vm.declared_events();
        assert!(event_list.len() > 20, "{game} declares {} moments", event_list.len());
        for event in &event_list {
            let section_start = page.split(&format!("\n### {}\n", event.name)).nth(1);
            let section =
                section_start.and_then(|text| text.split("\n### ").next()).unwrap_or_default();
            for field in event.fields.iter() {
                assert!(section.contains(&format!("| `{}` |", field.name)), "{}", event.name);
            }
        }
        let schemas = vm.state_schemas();
        assert!(schemas.fields().len() > 4, "{game} declares {} shapes", schemas.fields().len());
        let mut fields = Vec::new();
        schemas.fields().iter().for_each(|field| documented_names("state", field, &mut fields));
        for name in fields {
            assert!(has_field_row(page, &name), "{game}: nothing of {name}");
        }
        let rules = vm.registry().active_definitions("rule").map(|rule| rule.id.to_string());
        let exports =
            vm.registry().all_definitions(EXPORT_KIND).map(|export| export.id.name().to_owned());
        for name in rules.chain(exports) {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{name}(")));
            let row = row.unwrap_or_else(|| panic!("{game}: nothing of {name}"));
            assert!(!row.contains("(…)"), "{game}: not what {name} takes");
        }
    }
}

/// The sections below a heading of the page, by title.
fn subsections<'p>(page: &'p str, heading: &str) -> Vec<(&'p str, &'p str)> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading));
    let parts = section.unwrap_or_default().split("\n### ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).collect()
}

/// The Luau blocks of a section.
fn lua_blocks(section: &str) -> Vec<&str> {
    let blocks = section.split("```lua\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap()).collect()
}

fn committed_reference() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/modding/reference.md");
    fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

/// Examples are out of loaded mods; each is a whole statement.
#[test]
fn each_kind_and_event_has_an_example_that_is_luau() {
    let page = committed_reference();
    let mut count = 0;
    for heading in ["Kinds of the host", "Kinds of the mods that are loaded", "Events of the mods"]
    {
        for (title, section) in subsections(&page, heading) {
            let blocks = lua_blocks(section);
            assert_eq!(blocks.len(), 1, "{heading}: {title}");
            assert!(blocks[0].contains(title), "{title}: {}", blocks[0]);
            let text = base::FileText::from(blocks[0].to_owned());
            assert_eq!(check_syntax("reference", title, &text), None, "{title}");
            count += 1;
        }
    }
    assert!(count > 40, "only {count} examples");
}

/// The pictures are drawn by both front ends when the page is written.
#[test]
fn each_widget_has_an_example_and_two_pictures() {
    let page = committed_reference();
    let sections = subsections(&page, "Widgets");
    let names = LUAU_TYPES.split("{ widget: \"").skip(1);
    let names: Vec<&str> = names.map(|rest| rest.split('"').next().unwrap()).collect();
    let titles: Vec<String> = names.iter().map(|name| format!("Widget {name}")).collect();
    let documented: Vec<&str> = sections.iter().map(|(title, _)| *title).collect();
    assert_eq!(documented, titles, "an example in engine/author/api/widget_examples.luau.in");
    for (title, section) in sections {
        let text = format!("return {}", lua_blocks(section)[0]);
        assert_eq!(check_syntax("reference", title, &base::FileText::from(text)), None);
        let pictures: Vec<&str> = section.split("```text\n").skip(1).collect();
        assert_eq!(pictures.len(), 2, "{title}");
        assert!(
            pictures.iter().all(|picture| !picture.starts_with("```")),
            "{title} draws nothing"
        );
    }
    assert!(page.contains("Vigour ███"), "the full screen draws a bar");
    assert!(page.contains("Vigour: 14 of 20 (was 17)"), "plain text says it");
}

/// Each section is in the table of contents; `doc_links` follows the links.
#[test]
fn the_reference_has_a_table_of_contents() {
    let page = committed_reference();
    let (contents, rest) = page.split_once("\n## ").unwrap();
    let mut in_code = false;
    for line in format!("## {rest}").lines() {
        in_code ^= line.starts_with("```");
        let title = line.strip_prefix("## ").or(line.strip_prefix("### "));
        if let Some(title) = title.filter(|_| !in_code) {
            assert!(contents.contains(&format!("[{title}](#")), "{title}");
        }
    }
}

/// What an editor needs to know the type of a hook's parameter, of a patch and of a builder.
#[test]
fn declared_types_name_events_patches_settings_and_builders() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/modding/sub_rosa.d.luau");
    let types = fs::read_to_string(path).unwrap();
    for expected in [
        "\ndeclare function before(name: EventName, hook: (event: any) -> ()): ()",
        "\n  spell: ((id: SpellName) -> (changes: SpellPatch) -> ())",
        "\n  spell: (id: SpellName) -> (body: SpellBody) -> (),",
        "\n  spell: (id: SpellName) -> any,",
        "\n  export: (id: ExportName) -> (changes: any) -> (),",
        "\ndeclare settings: {\n  -- whether the first two descents say how things are done\n  read guide: boolean,\n}",
        "\ndeclare check: (id: string) -> (body: CheckBody) -> any",
        "\n  piece: (PieceName | true)?,",
    ] {
        assert!(types.contains(expected), "{expected}");
    }
}

/// Undocumented shared names: the purpose of an event, a rule or an export, the fields of an event,
/// the parameters and results of a function.
fn undocumented_items(vm: &Vm) -> Vec<String> {
    let mut undocumented = Vec::new();
    for event in vm.declared_events() {
        let undocumented_fields = event.fields.iter().filter(|field| field.doc.is_empty());
        undocumented.extend(
            undocumented_fields.map(|field| format!("what is {}.{}?", event.name, field.name)),
        );
        undocumented.extend(event.doc.is_empty().then(|| format!("what is {}?", event.name)));
    }
    for definition in
        ["rule", EXPORT_KIND].iter().flat_map(|kind| vm.registry().all_definitions(kind))
    {
        let function_doc = vm.function_doc(definition);
        let is_complete = function_doc.signature.is_some_and(|signature| signature.is_complete());
        undocumented
            .extend((!is_complete).then(|| format!("what does {} take and give?", definition.id)));
        undocumented.extend(
            (!has_description(&function_doc.doc))
                .then(|| format!("what is {} for?", definition.id)),
        );
    }
    undocumented
}

/// Whether a comment says more than which rules it implements.
fn has_description(doc: &str) -> bool {
    let words = doc.split(|character: char| !character.is_alphabetic());
    words.filter(|word| word.len() > 1).any(|word| word.chars().all(char::is_lowercase))
}

#[test]
fn undocumented_shared_items_are_found() {
    let script = "
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
        &game_from_files(&[("kinds/shared.luau", script), ("play.luau", MINIMAL_GAME)]),
        &Value::map(),
    );
    let expected = [
        "what is lit.by?",
        "what is out?",
        "what is game:dark for?",
        "what does game:lamps.fill take and give?",
        "what does game:lamps.empty take and give?",
    ];
    assert_eq!(undocumented_items(&vm.unwrap()), expected);
}

/// The functions of `parts` are required and not exported: each documents the same in its file.
#[test]
fn each_function_of_parts_documents_parameters_and_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = read_folder(&root.join("mods/parts")).unwrap();
    let mut function_count = 0;
    for (file, text) in source.files.iter().filter(|(file, _)| file.starts_with("lib/")) {
        let mut previous_line = "";
        let mut rest: &str = text;
        while let Some((line, following_lines)) = rest.split_once('\n') {
            if line.starts_with("function ") {
                let signature = Signature::parse_function(rest, &|_| None);
                assert!(signature.is_some_and(|parsed| parsed.is_complete()), "{file}: {line}");
                assert!(
                    previous_line.starts_with("--") && has_description(previous_line),
                    "{file}: {line}"
                );
                function_count += 1;
            }
            (previous_line, rest) = (line, following_lines);
        }
    }
    assert!(function_count > 20, "{function_count} functions were found");
}

/// Whether a field has a row: at its path, or in the table that the row of a field around it links
/// to.
fn has_field_row(page: &str, path: &str) -> bool {
    if page.contains(&format!("| `{path}` |")) {
        return true;
    }
    let links = page.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` |")?;
        let (_, link) = rest.split_once(" with the fields of [`")?;
        Some((name, link.split_once("` of ")?.0))
    });
    links.into_iter().any(|(name, target)| {
        let inner = path.strip_prefix(name).map(|rest| rest.trim_start_matches("[]"));
        let inner = inner.map(|rest| rest.strip_prefix(".*").unwrap_or(rest));
        inner
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|rest| has_field_row(page, &format!("{target}.{rest}")))
    })
}

/// A reader finds a table of fields in one place, also if many fields hold it.
#[test]
fn a_table_of_fields_in_several_places_is_printed_once() {
    let page = committed_reference();
    let outcome_tables = page.matches(".draws_scroll` |").count();
    assert_eq!(outcome_tables, 1, "the outcomes of a choice have one table");
    let link = "a table with the fields of [`choices[].failure` of room](#room)";
    let row = format!("| `choices[].partial` | {link} |");
    assert_eq!(page.matches(&row).count(), 2, "room and aspect");
}

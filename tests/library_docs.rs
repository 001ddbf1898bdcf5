//! Checks the docs page of the shared library: each line with an arrow gives the result behind the
//! arrow, and every function of the library is listed.

use std::fmt::Write;
use std::fs;
use std::path::Path;

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

const PAGE_MANIFEST: &str = "id = \"page\"\nname = \"Page\"\nversion = \"0.1.0\"\nengine = \"*\"\n\n[needs]\nparts = \"0.1\"\n";

fn parts_page() -> String {
    fs::read_to_string(Path::new(PROJECT_ROOT).join("docs/modding/parts.md")).unwrap()
}

/// Every Lua block as a case that evaluates its lines with an arrow.
fn cases_from_page(page: &str) -> String {
    let mut cases = String::new();
    let blocks = page.split("```lua\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    for (number, block) in blocks.enumerate() {
        let (mut requires, mut checks) = (String::new(), String::new());
        for line in block.lines() {
            let target = if line.contains("= require ") { &mut requires } else { &mut checks };
            match line.split_once("-->") {
                Some((expression, expected)) => {
                    writeln!(target, "equals({}, {})", expression.trim(), expected.trim()).unwrap()
                }
                None => writeln!(target, "{line}").unwrap(),
            }
        }
        assert!(checks.contains("equals("), "nothing is shown by {block}");
        writeln!(cases, "do\n{requires}case \"block {number}\"(function()\n{checks}end)\nend")
            .unwrap();
    }
    cases
}

#[test]
fn examples_of_the_parts_page_give_the_stated_results() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(folder.path().join("mod.toml"), PAGE_MANIFEST).unwrap();
    let cases = cases_from_page(&parts_page());
    fs::write(folder.path().join("tests/page.luau"), &cases).unwrap();
    let parts = Path::new(PROJECT_ROOT).join("mods/parts");
    let (status, output) = crate::support::test_command_output(
        "page",
        folder.path(),
        &["--mods", parts.to_str().unwrap()],
    );
    assert_eq!(status, Some(0), "{output}\n{cases}");
    assert!(output.matches("ok     page ").count() >= 12, "{output}");
}

#[test]
fn the_parts_page_lists_every_function() {
    let (page, mut function_count) = (parts_page(), 0);
    let files = fs::read_dir(Path::new(PROJECT_ROOT).join("mods/parts/lib")).unwrap();
    for file in files.map(|file| file.unwrap().path()) {
        let text = fs::read_to_string(&file).unwrap();
        let mut previous_line = "";
        for line in text.lines() {
            if let Some(signature) = line.strip_prefix("function ") {
                let (name, rest) = signature.split_once('(').unwrap();
                let short_name = name.split_once('.').unwrap().1;
                assert!(page.contains(name) || page.contains(&format!("`{short_name}`")), "{name}");
                assert!(previous_line.starts_with("--"), "{name} says nothing of itself");
                assert!(rest.starts_with(')') || rest.contains(": "), "{name} has no types");
                function_count += 1;
            }
            previous_line = line;
        }
    }
    assert!(function_count >= 25, "{function_count}");
}

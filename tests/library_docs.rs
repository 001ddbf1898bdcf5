//! Checks the docs page of the shared library: each line with an arrow gives the result behind the
//! arrow, and every function of the library is listed.

use std::fmt::Write;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const MANIFEST: &str = "id = \"page\"\nname = \"Page\"\nversion = \"0.1.0\"\nengine = \"*\"\n\n[needs]\nparts = \"0.1\"\n";

fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/modding/parts.md")).unwrap()
}

/// Every Lua block as a case that evaluates its lines with an arrow.
fn cases(page: &str) -> String {
    let mut cases = String::new();
    let blocks = page.split("```lua\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    for (number, block) in blocks.enumerate() {
        let (mut loaded, mut asked) = (String::new(), String::new());
        for line in block.lines() {
            let to = if line.contains("= require ") { &mut loaded } else { &mut asked };
            match line.split_once("-->") {
                Some((shown, due)) => {
                    writeln!(to, "equals({}, {})", shown.trim(), due.trim()).unwrap()
                }
                None => writeln!(to, "{line}").unwrap(),
            }
        }
        assert!(asked.contains("equals("), "nothing is shown by {block}");
        writeln!(cases, "do\n{loaded}case \"block {number}\"(function()\n{asked}end)\nend")
            .unwrap();
    }
    cases
}

#[test]
fn what_the_page_of_the_parts_shows_is_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(folder.path().join("mod.toml"), MANIFEST).unwrap();
    let cases = cases(&page());
    fs::write(folder.path().join("tests/page.luau"), &cases).unwrap();
    let parts = Path::new(ROOT).join("mods/parts");
    let (status, told) = crate::support::test_command_output(
        "page",
        folder.path(),
        &["--mods", parts.to_str().unwrap()],
    );
    assert_eq!(status, Some(0), "{told}\n{cases}");
    assert!(told.matches("ok     page ").count() >= 12, "{told}");
}

#[test]
fn every_function_of_the_parts_stands_on_their_page() {
    let (page, mut seen) = (page(), 0);
    let files = fs::read_dir(Path::new(ROOT).join("mods/parts/lib")).unwrap();
    for file in files.map(|file| file.unwrap().path()) {
        let text = fs::read_to_string(&file).unwrap();
        let mut above = "";
        for line in text.lines() {
            if let Some(function) = line.strip_prefix("function ") {
                let (name, rest) = function.split_once('(').unwrap();
                let short = name.split_once('.').unwrap().1;
                assert!(page.contains(name) || page.contains(&format!("`{short}`")), "{name}");
                assert!(above.starts_with("--"), "{name} says nothing of itself");
                assert!(rest.starts_with(')') || rest.contains(": "), "{name} has no types");
                seen += 1;
            }
            above = line;
        }
    }
    assert!(seen >= 25, "{seen}");
}

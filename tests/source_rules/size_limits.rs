//! Limits on import cycles, on the length of the median file and on `unsafe`. Line counts are
//! printed and not limited. `cargo test --test main -- source_rules::size_limits --nocapture`
//! prints them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::source::{code, paths, reexports, unsafe_of};
use super::{files, relative_path};

/// The maximum number of files in an import cycle.
const MAX_CYCLE: usize = 4;

/// The maximum of the median file length; the goal is 150, which is met.
const MAX_MEDIAN_LINES: usize = 150;
/// `unsafe` blocks.
const MAX_UNSAFE_BLOCKS: usize = 45;
/// Lines in `unsafe` blocks and functions; this number should fall.
const MAX_UNSAFE_LINES: usize = 155;
/// Places that create a host function; the goal is 5.
const MAX_CREATE_FUNCTION_CALLS: usize = 5;

/// A file of a module by its path: `["save", "entry"]` for `engine/save/entry.rs`.
type Path = Vec<String>;

/// The code of each file of a module.
fn files_of(room: &str) -> BTreeMap<Path, String> {
    let read = |path: std::path::PathBuf| {
        let name = relative_path(&path);
        let name = name.trim_start_matches("engine/").trim_end_matches(".rs");
        let name = name.trim_end_matches("/mod");
        let path_of = name.split('/').map(str::to_owned).collect();
        let source = fs::read_to_string(path).unwrap();
        // The `super` of a test module inside a file is the file itself.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        (path_of, code(source))
    };
    files(&format!("engine/{room}"), &["rs"]).into_iter().map(read).collect()
}

/// The file that a path inside `of` resolves to, and the remaining name; none if it leaves the
/// module.
fn resolve_import(all: &BTreeMap<Path, String>, of: &Path, path: &str) -> Option<(Path, String)> {
    let mut parts = path.split("::").peekable();
    let mut at = match parts.peek()? {
        &"crate" => Vec::new(),
        _ => of.clone(),
    };
    while let Some(step @ ("crate" | "self" | "super")) = parts.peek().copied() {
        if step == "super" {
            at.pop();
        }
        parts.next();
    }
    while let Some(part) = parts.peek() {
        let next: Path = at.iter().cloned().chain([(*part).to_owned()]).collect();
        let whole = all.keys().any(|path| path.starts_with(&next));
        if !whole {
            break;
        }
        at = next;
        parts.next();
    }
    all.contains_key(&at).then(|| (at, parts.next().unwrap_or_default().to_owned()))
}

/// The imports between the files of a module: the names a file uses, resolved to their definitions.
fn file_dependencies(all: &BTreeMap<Path, String>) -> BTreeMap<Path, BTreeSet<Path>> {
    let mut defined = BTreeMap::new();
    for (file, code) in all {
        for (name, from) in reexports(code) {
            if let Some((there, _)) = resolve_import(all, file, &from) {
                defined.insert((file.clone(), name), there);
            }
        }
    }
    let on = |file: &Path, code: &str| {
        let found = paths(code).into_iter().filter_map(|path| resolve_import(all, file, &path));
        let found = found.map(|(mut there, name)| {
            while let Some(next) = defined.get(&(there.clone(), name.clone())) {
                if *next == there {
                    break;
                }
                there.clone_from(next);
            }
            there
        });
        found.filter(|there| there != file).collect()
    };
    all.iter().map(|(file, code)| (file.clone(), on(file, code))).collect()
}

/// All direct and indirect dependencies of a file.
fn reachable_files<'a>(
    leans: &'a BTreeMap<Path, BTreeSet<Path>>,
    from: &'a Path,
) -> BTreeSet<&'a Path> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for next in &leans[file] {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// The largest import cycle.
fn largest_cycle(leans: &BTreeMap<Path, BTreeSet<Path>>) -> Vec<String> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        leans.keys().map(|file| (file, reachable_files(leans, file))).collect();
    let ring = |file: &Path| {
        let all = reached[file].iter().filter(|other| reached[**other].contains(file));
        all.map(|other| other.join("/")).collect::<Vec<_>>()
    };
    leans.keys().map(ring).max_by_key(Vec::len).unwrap_or_default()
}

fn lines_of(room: &str) -> usize {
    let all = files(&format!("engine/{room}"), &["rs", "luau"]);
    all.iter().map(|path| fs::read_to_string(path).unwrap().lines().count()).sum()
}

#[test]
#[allow(clippy::print_stdout)]
fn modules_have_no_large_import_cycles() {
    let mut wrong = Vec::new();
    for name in super::module_layers().into_keys() {
        let (lines, ring) = (lines_of(&name), largest_cycle(&file_dependencies(&files_of(&name))));
        println!("{name:9} {lines:6} lines   largest ring {:2} of {MAX_CYCLE}", ring.len());
        if ring.len() > MAX_CYCLE {
            wrong.push(format!(
                "{name}: {} files lean on each other, {MAX_CYCLE} may: {}",
                ring.len(),
                ring.join(", ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[allow(clippy::print_stdout)]
fn files_are_short_and_little_is_unsafe() {
    let all = files("engine", &["rs"]);
    let sources: Vec<String> = all.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut long: Vec<usize> = sources.iter().map(|source| source.lines().count()).collect();
    long.sort_unstable();
    let median = long[long.len() / 2];
    let codes: Vec<String> = sources.iter().map(|source| code(source)).collect();
    let counted = codes.iter().map(|code| unsafe_of(code));
    let (blocks, lines) = counted.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let made: usize = codes.iter().map(|code| code.matches("create_function").count()).sum();
    let mut wrong = Vec::new();
    for (what, is, may) in [
        ("lines of the median file", median, MAX_MEDIAN_LINES),
        ("unsafe blocks", blocks, MAX_UNSAFE_BLOCKS),
        ("lines in unsafe blocks and functions", lines, MAX_UNSAFE_LINES),
        ("places of create_function", made, MAX_CREATE_FUNCTION_CALLS),
    ] {
        println!("{what}: {is} of {may}");
        if is > may {
            wrong.push(format!("{what}: {is}, {may} are the budget"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_import_cycle_is_detected() {
    let file =
        |path: &str, text: &str| (path.split('/').map(str::to_owned).collect::<Path>(), code(text));
    let all = BTreeMap::from([
        file("r", "mod a; pub use a::One; pub(crate) use b::{Two, deep::Three as Four};"),
        file("r/a", "use super::b::{self, Two}; // use super::c;"),
        file("r/b", "fn f() { crate::r::c::g(\"super::d\") }"),
        file("r/b/deep", "const C: char = '\"'; use crate::kit::X;"),
        file("r/c", "use super::{One, d};"),
        file("r/d", ""),
    ]);
    assert_eq!(largest_cycle(&file_dependencies(&all)), ["r/a", "r/b", "r/c"]);
    let inside = "unsafe fn f() {\n\n}\nlet x = unsafe { 'a' }; // unsafe {\n#[allow(unsafe_code)]";
    assert_eq!(unsafe_of(&code(inside)), (1, 4));
}

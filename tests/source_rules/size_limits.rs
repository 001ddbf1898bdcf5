//! Limits on import cycles, on the length of the median file and on `unsafe`. Line counts are
//! printed and not limited. `cargo test --test main -- source_rules::size_limits --nocapture`
//! prints them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::source::{blank_comments_and_texts, count_unsafe, module_paths, reexports};
use super::{engine_sources, files_below, relative_path};

/// The maximum number of files in an import cycle.
const MAX_CYCLE: usize = 3;
/// The folders of `script`. The files of a folder use its own and those of folders before it.
const SCRIPT_FOLDERS: [&str; 11] = [
    "compile",
    "source_text",
    "limits",
    "host",
    "diagnostics",
    "values",
    "functions",
    "from_lua",
    "load",
    "vm",
    "to_lua",
];

/// The maximum of the median file length; the goal is 150, which is met.
const MAX_MEDIAN_LINES: usize = 150;
/// `unsafe` blocks.
const MAX_UNSAFE_BLOCKS: usize = 45;
/// Lines in `unsafe` blocks and functions; this number should fall.
const MAX_UNSAFE_LINES: usize = 155;
/// Places that create a host function; the goal is 5.
const MAX_CREATE_FUNCTION_CALLS: usize = 5;

/// A file of a module by its path: `["save", "entry"]` for `engine/save/entry.rs`.
type ModulePath = Vec<String>;

/// The code of each file of a module.
fn module_sources(module: &str) -> BTreeMap<ModulePath, String> {
    let read_file = |path: std::path::PathBuf| {
        let name = relative_path(&path);
        let name = name.trim_start_matches("engine/").trim_end_matches(".rs");
        let name = name.trim_end_matches("/mod").trim_end_matches("/lib");
        let path_of = name.split('/').map(str::to_owned).collect();
        let source = fs::read_to_string(path).unwrap();
        // The `super` of a test module inside a file is the file itself.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        (path_of, blank_comments_and_texts(source))
    };
    files_below(&format!("engine/{module}"), &["rs"]).into_iter().map(read_file).collect()
}

/// The file that a path inside `importing_file` resolves to, and the remaining name; none if it
/// leaves the module.
fn resolve_import(
    sources: &BTreeMap<ModulePath, String>,
    importing_file: &ModulePath,
    path: &str,
) -> Option<(ModulePath, String)> {
    let mut parts = path.split("::").peekable();
    let mut resolved_path = match parts.peek()? {
        &"crate" => importing_file[..1].to_vec(),
        _ => importing_file.clone(),
    };
    while let Some(prefix @ ("crate" | "self" | "super")) = parts.peek().copied() {
        if prefix == "super" {
            resolved_path.pop();
        }
        parts.next();
    }
    while let Some(part) = parts.peek() {
        let candidate: ModulePath =
            resolved_path.iter().cloned().chain([(*part).to_owned()]).collect();
        let is_module = sources.keys().any(|path| path.starts_with(&candidate));
        if !is_module {
            break;
        }
        resolved_path = candidate;
        parts.next();
    }
    sources
        .contains_key(&resolved_path)
        .then(|| (resolved_path, parts.next().unwrap_or_default().to_owned()))
}

/// The imports between the files of a module: the names a file uses, resolved to their definitions.
fn file_dependencies(
    sources: &BTreeMap<ModulePath, String>,
) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
    let mut reexports_by_name = BTreeMap::new();
    for (file, code) in sources {
        for (name, source_path) in reexports(code) {
            if let Some((target, _)) = resolve_import(sources, file, &source_path) {
                reexports_by_name.insert((file.clone(), name), target);
            }
        }
    }
    let imports_of = |file: &ModulePath, code: &str| {
        let imports =
            module_paths(code).into_iter().filter_map(|path| resolve_import(sources, file, &path));
        let imports = imports.map(|(mut target, name)| {
            while let Some(next_target) = reexports_by_name.get(&(target.clone(), name.clone())) {
                if *next_target == target {
                    break;
                }
                target.clone_from(next_target);
            }
            target
        });
        imports.filter(|target| target != file).collect()
    };
    sources.iter().map(|(file, code)| (file.clone(), imports_of(file, code))).collect()
}

/// All direct and indirect dependencies of a file.
fn reachable_files<'a>(
    dependencies: &'a BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    start: &'a ModulePath,
) -> BTreeSet<&'a ModulePath> {
    let (mut visited_files, mut open_files) = (BTreeSet::new(), vec![start]);
    while let Some(file) = open_files.pop() {
        for dependency in &dependencies[file] {
            if visited_files.insert(dependency) {
                open_files.push(dependency);
            }
        }
    }
    visited_files
}

/// The largest import cycle.
fn largest_cycle(dependencies: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<String> {
    let reachable_by_file: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
        dependencies.keys().map(|file| (file, reachable_files(dependencies, file))).collect();
    let cycle_of = |file: &ModulePath| {
        let cycle_files = reachable_by_file[file]
            .iter()
            .filter(|other| reachable_by_file[**other].contains(file));
        cycle_files.map(|other| other.join("/")).collect::<Vec<_>>()
    };
    dependencies.keys().map(cycle_of).max_by_key(Vec::len).unwrap_or_default()
}

/// The crates of the engine: the folders of `engine/` with a manifest.
fn crate_names() -> Vec<String> {
    let manifests = files_below("engine", &["toml"]);
    let folders = manifests.iter().filter(|path| path.ends_with("Cargo.toml"));
    folders
        .map(|path| relative_path(path.parent().unwrap()).trim_start_matches("engine/").to_owned())
        .collect()
}

fn count_lines(module: &str) -> usize {
    let paths = files_below(&format!("engine/{module}"), &["rs", "luau"]);
    paths.iter().map(|path| fs::read_to_string(path).unwrap().lines().count()).sum()
}

#[test]
#[allow(clippy::print_stdout)]
fn modules_have_no_large_import_cycles() {
    let mut violations = Vec::new();
    for name in crate_names() {
        let (lines, cycle) =
            (count_lines(&name), largest_cycle(&file_dependencies(&module_sources(&name))));
        println!("{name:9} {lines:6} lines   largest ring {:2} of {MAX_CYCLE}", cycle.len());
        if cycle.len() > MAX_CYCLE {
            violations.push(format!(
                "{name}: {} files lean on each other, {MAX_CYCLE} may: {}",
                cycle.len(),
                cycle.join(", ")
            ));
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn folders_of_script_use_only_folders_before_them() {
    let position_of = |file: &ModulePath| {
        let folder = file.get(1)?;
        let position = SCRIPT_FOLDERS.iter().position(|name| name == folder);
        Some(position.unwrap_or_else(|| panic!("{} is not in SCRIPT_FOLDERS", file.join("/"))))
    };
    let dependencies = file_dependencies(&module_sources("script"));
    let edges = dependencies.iter().flat_map(|(file, targets)| {
        targets.iter().filter(move |target| target.len() > 1).map(move |target| (file, target))
    });
    let edges = edges.filter(|(file, _)| file.len() > 1);
    let backward_edges: Vec<String> = edges
        .filter(|(file, target)| position_of(file) < position_of(target))
        .map(|(file, target)| format!("{} uses {}", file.join("/"), target.join("/")))
        .collect();
    assert!(backward_edges.is_empty(), "{}", backward_edges.join("\n"));
}

#[test]
#[allow(clippy::print_stdout)]
fn median_length_and_unsafe_code_are_within_limits() {
    let paths = engine_sources();
    let sources: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut line_counts: Vec<usize> = sources.iter().map(|source| source.lines().count()).collect();
    line_counts.sort_unstable();
    let median = line_counts[line_counts.len() / 2];
    let code_texts: Vec<String> =
        sources.iter().map(|source| blank_comments_and_texts(source)).collect();
    let unsafe_counts = code_texts.iter().map(|code| count_unsafe(code));
    let (blocks, lines) =
        unsafe_counts.fold((0, 0), |totals, counts| (totals.0 + counts.0, totals.1 + counts.1));
    let create_function_count: usize =
        code_texts.iter().map(|code| code.matches("create_function").count()).sum();
    let mut violations = Vec::new();
    for (measure, actual, limit) in [
        ("lines of the median file", median, MAX_MEDIAN_LINES),
        ("unsafe blocks", blocks, MAX_UNSAFE_BLOCKS),
        ("lines in unsafe blocks and functions", lines, MAX_UNSAFE_LINES),
        ("places of create_function", create_function_count, MAX_CREATE_FUNCTION_CALLS),
    ] {
        println!("{measure}: {actual} of {limit}");
        if actual > limit {
            violations.push(format!("{measure}: {actual}, {limit} are the budget"));
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn an_import_cycle_is_detected() {
    let module_file = |path: &str, text: &str| {
        (path.split('/').map(str::to_owned).collect::<ModulePath>(), blank_comments_and_texts(text))
    };
    let sources = BTreeMap::from([
        module_file("r", "mod a; pub use a::One; pub(crate) use b::{Two, deep::Three as Four};"),
        module_file("r/a", "use super::b::{self, Two}; // use super::c;"),
        module_file("r/b", "fn f() { crate::c::g(\"super::d\") }"),
        module_file("r/b/deep", "const C: char = '\"'; use kit::X;"),
        module_file("r/c", "use super::{One, d};"),
        module_file("r/d", ""),
    ]);
    assert_eq!(largest_cycle(&file_dependencies(&sources)), ["r/a", "r/b", "r/c"]);
    let unsafe_sample =
        "unsafe fn f() {\n\n}\nlet x = unsafe { 'a' }; // unsafe {\n#[allow(unsafe_code)]";
    assert_eq!(count_unsafe(&blank_comments_and_texts(unsafe_sample)), (1, 4));
}

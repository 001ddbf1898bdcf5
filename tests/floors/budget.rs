//! How big the house may be, and what in it may lean on each other. Each figure may only fall; what
//! it is to come to stands beside it. A raised figure is a commit of its own that says what it bought.
//! `cargo test --test main -- floors::budget --nocapture` prints them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::source::{code, handed_on, paths, unsafe_of};
use super::{files, short};

/// What a room may be.
struct Room {
    name: &'static str,
    /// How many lines it may have, Rust and preludes, comments too.
    lines: usize,
    /// How many of its files may lean on each other in a ring.
    ring: usize,
}

const fn room(name: &'static str, lines: usize, ring: usize) -> Room {
    Room { name, lines, ring }
}

/// Today's figures with a little room: what the open work adds comes to 2,000 lines in all. No ring is
/// to be larger than 4.
const ROOMS: &[Room] = &[
    room("kit", 1505, 4),
    room("dice", 1442, 4),
    room("state", 1584, 4),
    room("content", 3982, 4),
    room("mods", 2349, 4),
    room("play", 1685, 4),
    room("luau", 1356, 4),
    room("script", 17_343, 4),
    room("save", 3847, 4),
    room("run", 3385, 4),
    room("ui", 12_580, 4),
    room("workshop", 15_360, 4),
];

/// `luau` and `script` together; to come to 8,800.
const LUA_LINES: usize = 18_699;
/// Everything below the front ends; to come to 24,500.
const ENGINE_LINES: usize = 38_627;
/// Half of the files are no longer than this; to come to 150 (and it is).
const MEDIAN_LINES: usize = 150;
/// `unsafe` blocks.
const UNSAFE_BLOCKS: usize = 45;
/// Lines in `unsafe` blocks and functions; to become fewer.
const UNSAFE_LINES: usize = 155;
/// Places where a function of the host is made; to come to 5.
const CREATE_FUNCTION: usize = 5;

/// The front ends, whose lines are printed and no part of the sum.
const FRONT: [&str; 2] = ["ui", "workshop"];

/// A file of a room by its path: `["save", "entry"]` for `engine/save/entry.rs`.
type Path = Vec<String>;

/// The code of each file of a room.
fn files_of(room: &str) -> BTreeMap<Path, String> {
    let read = |path: std::path::PathBuf| {
        let name = short(&path);
        let name = name.trim_start_matches("engine/").trim_end_matches(".rs");
        let name = name.trim_end_matches("/mod");
        let path_of = name.split('/').map(str::to_owned).collect();
        let source = fs::read_to_string(path).unwrap();
        // The `super` of tests within a file is the file itself.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        (path_of, code(source))
    };
    files(&format!("engine/{room}"), &["rs"]).into_iter().map(read).collect()
}

/// The file that a path from inside `of` leads to, and the name that is left; none if it leaves the room.
fn leads_to(all: &BTreeMap<Path, String>, of: &Path, path: &str) -> Option<(Path, String)> {
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

/// Which file of a room leans on which: by the names it uses, followed to where they are defined.
fn leans(all: &BTreeMap<Path, String>) -> BTreeMap<Path, BTreeSet<Path>> {
    let mut defined = BTreeMap::new();
    for (file, code) in all {
        for (name, from) in handed_on(code) {
            if let Some((there, _)) = leads_to(all, file, &from) {
                defined.insert((file.clone(), name), there);
            }
        }
    }
    let on = |file: &Path, code: &str| {
        let found = paths(code).into_iter().filter_map(|path| leads_to(all, file, &path));
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

/// Everything that a file leans on, and what that leans on.
fn reach<'a>(leans: &'a BTreeMap<Path, BTreeSet<Path>>, from: &'a Path) -> BTreeSet<&'a Path> {
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

/// The largest ring of files that lean on each other.
fn largest_ring(leans: &BTreeMap<Path, BTreeSet<Path>>) -> Vec<String> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        leans.keys().map(|file| (file, reach(leans, file))).collect();
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
fn rooms_keep_to_their_budget_and_have_no_rings() {
    let mut wrong = Vec::new();
    let mut sum = fs::read_to_string(super::ROOT.to_owned() + "/engine/lib.rs")
        .unwrap()
        .lines()
        .count()
        + fs::read_to_string(super::ROOT.to_owned() + "/engine/build.rs").unwrap().lines().count();
    let mut lua = 0;
    for Room { name, lines, ring } in ROOMS {
        let (long, found) = (lines_of(name), largest_ring(&leans(&files_of(name))));
        println!(
            "{name:9} {long:6} lines of {lines:6}   largest ring {:2} of {ring:2}",
            found.len()
        );
        if !FRONT.contains(name) {
            sum += long;
        }
        if ["luau", "script"].contains(name) {
            lua += long;
        }
        if long > *lines {
            wrong.push(format!("{name} has {long} lines, {lines} are its budget"));
        }
        if found.len() > *ring {
            wrong.push(format!(
                "{name}: {} files lean on each other, {ring} may: {}",
                found.len(),
                found.join(", ")
            ));
        }
    }
    println!("luau and script {lua} of {LUA_LINES} (to come to 8800)");
    println!("without ui, workshop and main {sum} of {ENGINE_LINES} (to come to 24500)");
    for (what, is, may) in [
        ("luau and script", lua, LUA_LINES),
        ("the engine without its front ends", sum, ENGINE_LINES),
    ] {
        if is > may {
            wrong.push(format!("{what}: {is} lines, {may} are the budget"));
        }
    }
    let rooms: BTreeSet<String> = super::floors().into_keys().collect();
    let named: BTreeSet<String> = ROOMS.iter().map(|room| room.name.to_owned()).collect();
    let without: Vec<_> = rooms.difference(&named).collect();
    assert!(without.is_empty(), "each room has a budget: {without:?}");
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
        ("lines of the median file", median, MEDIAN_LINES),
        ("unsafe blocks", blocks, UNSAFE_BLOCKS),
        ("lines in unsafe blocks and functions", lines, UNSAFE_LINES),
        ("places of create_function", made, CREATE_FUNCTION),
    ] {
        println!("{what}: {is} of {may}");
        if is > may {
            wrong.push(format!("{what}: {is}, {may} are the budget"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_ring_is_seen() {
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
    assert_eq!(largest_ring(&leans(&all)), ["r/a", "r/b", "r/c"]);
    let inside = "unsafe fn f() {\n\n}\nlet x = unsafe { 'a' }; // unsafe {\n#[allow(unsafe_code)]";
    assert_eq!(unsafe_of(&code(inside)), (1, 4));
}

//! What scripts see of the host, described once: the reference and the type declarations that
//! authors read are made from this, and a test holds it against what a VM really has.

use mlua::{Table, Value};

use super::vm::Vm;
use crate::kit::Place;

/// When a name of the host's may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the top of a file, while scripts are loaded.
    Loading,
    /// Anywhere in play, also where things are only looked at.
    Looking,
    /// In play, where things may change.
    Acting,
    /// Always.
    Always,
}

/// A name of the host's.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// When it may be used.
    pub when: When,
    /// What it takes and gives, as Luau declares it; for what is no function, `: ` and its type.
    pub signature: &'static str,
    /// What it is for.
    pub doc: &'static str,
}

const fn named(
    name: &'static str,
    when: When,
    signature: &'static str,
    doc: &'static str,
) -> Named {
    Named { name, when, signature, doc }
}

use When::{Acting, Always, Loading, Looking};

/// The host's own names, but for its kinds and for what is Luau's.
pub const SURFACE: &[Named] = &[
    named(
        "kind",
        Loading,
        "(name: string): (fields: { [any]: any }) -> ()",
        "Declares a kind of content: its fields by name, each a `field.…`, and `doc`.",
    ),
    named(
        "field",
        Loading,
        ": { text: Field, int: Field, number: Field, bool: Field, fn: Field, any: Field, one_of: Field, ref: Field, list: Field, map: Field, either: Field, record: Field }",
        "What a field may hold: `field.int { min = 0, default = 3, doc = \"…\" }`. All take `optional`, `default`, `doc`; `int` takes `min` and `max`, `text` takes `columns`.",
    ),
    named(
        "patch",
        Loading,
        ": { [string]: (id: string) -> (changes: any) -> () }",
        "`patch.KIND \"mod:name\" { field = value }` changes fields of a definition; with `add`, `drop`, `wrap` in place of a value, or `optional = true` where it may be absent.",
    ),
    named(
        "replace",
        Loading,
        ": { [string]: (id: string) -> (body: any) -> () }",
        "`replace.KIND \"mod:name\" { … }` puts another definition in the place of one.",
    ),
    named(
        "retire",
        Loading,
        ": { [string]: (id: string) -> any }",
        "`retire.KIND \"mod:name\"` takes a definition out of `all`; what refers to it still finds it.",
    ),
    named("add", Loading, "(items: any): any", "In a patch: adds to a list or a table."),
    named(
        "drop",
        Loading,
        "(items: any): any",
        "In a patch: takes items out of a list, or names out of a table.",
    ),
    named(
        "wrap",
        Loading,
        "(work: (original: (...any) -> ...any, ...any) -> ...any): any",
        "In a patch: puts a function around the one that is there, which it is given first.",
    ),
    named(
        "before",
        Loading,
        "(moment: string, hook: (event: any) -> ()): ()",
        "Hangs a hook before a moment: it may change the event, and nothing else.",
    ),
    named(
        "after",
        Loading,
        "(moment: string, hook: (event: any) -> ()): ()",
        "Hangs a hook after a moment: the event is final and frozen, and the hook may act.",
    ),
    named(
        "start",
        Loading,
        "(work: (options: any) -> ()): ()",
        "Says how a run begins. A game has one.",
    ),
    named(
        "lint",
        Loading,
        "(look: (registry: { all: (kind: string) -> { any }, get: (kind: string, id: string) -> any }, report: (definition: any, text: string, more: { field: string?, hint: string? }?) -> ()) -> ()): ()",
        "Adds a look of the game's own to `sub-rosa check`.",
    ),
    named(
        "migrate",
        Loading,
        "(version: string, work: (state: any) -> ()): ()",
        "Brings the state of an older run to this version of the mod.",
    ),
    named(
        "migrate_profile",
        Loading,
        "(version: string, work: (profile: any) -> any): ()",
        "Brings what is kept between runs to this version of the mod; changes it in place, or returns another.",
    ),
    named(
        "export",
        Loading,
        "(name: string, work: (...any) -> ...any): ()",
        "Gives a function a name that this mod and those that need it see.",
    ),
    named(
        "export_builder",
        Loading,
        "(name: string, work: (...any) -> ...any): ()",
        "The same for a function that is called while loading, to build definitions.",
    ),
    named(
        "require",
        Always,
        "(path: string): any",
        "What a file under `lib/` returns: `require \"lib/odds\"`, or `require \"@mod/lib/odds\"` of a mod that is needed.",
    ),
    named(
        "settings",
        Always,
        ": { [string]: any }",
        "What the player has set for this mod; `mod.toml` says what there is to set.",
    ),
    named(
        "state",
        Looking,
        ": { [string]: any }",
        "What the run remembers. Writing to it is acting.",
    ),
    named(
        "profile",
        Looking,
        ": { [string]: any }",
        "What is kept between runs, as it was when this one began; read only.",
    ),
    named(
        "plain",
        Looking,
        "<T>(value: T): T",
        "A copy of a part of the state, to change as you like.",
    ),
    named(
        "all",
        Looking,
        "(kind: any): { any }",
        "All definitions of a kind, in the order of declaration, without those retired.",
    ),
    named(
        "rules",
        Looking,
        ": { [string]: (...any) -> ...any }",
        "Rules by name: `rules.name(…)`, or `rules[\"mod:name\"](…)`. A rule changes nothing.",
    ),
    named(
        "odds",
        Looking,
        "(notation: string, judge: Judge?, about: About?): { [string]: number }",
        "In how many cases a roll comes to what: `{ of = 20, full = 6, … }`, counted exactly.",
    ),
    named(
        "preview",
        Looking,
        "(moment: string, event: any): any",
        "What the `before` hooks would make of an event; nothing happens.",
    ),
    named(
        "fill",
        Looking,
        "(text: string, values: Values?): string",
        "Puts values into the {marks} of a text without telling it.",
    ),
    named(
        "roll",
        Acting,
        "(notation: string, stream: string, about: About?): (number, RollParts)",
        "Rolls dice from a stream of this mod and tells it: the total, and its parts.",
    ),
    named(
        "chance",
        Acting,
        "(cases: number, of: number, stream: string): boolean",
        "True in so many of so many cases; tells nothing.",
    ),
    named(
        "pick",
        Acting,
        "<T>(list: { T }, stream: string, weights: (((item: T) -> number) | { number })?): T",
        "One item of a list, each as likely, or by weight.",
    ),
    named(
        "shuffle",
        Acting,
        "<T>(list: { T }, stream: string): { T }",
        "The items of a list in another order, as a new list.",
    ),
    named(
        "emit",
        Acting,
        "(moment: string, event: any, apply: ((event: any) -> ())?): any",
        "Announces a moment: `before` hooks, then `apply`, then `after` hooks. Gives the final event.",
    ),
    named("say", Acting, "(text: string, values: Values?): ()", "Tells a paragraph."),
    named("heading", Acting, "(text: string, values: Values?): ()", "Tells a heading."),
    named("note", Acting, "(text: string, values: Values?): ()", "Tells a fact beside the story."),
    named("gain", Acting, "(text: string, values: Values?): ()", "Tells of something won."),
    named("loss", Acting, "(text: string, values: Values?): ()", "Tells of something lost."),
    named(
        "go",
        Acting,
        "(scene: string): ()",
        "Leaves this scene for another, or opens the first.",
    ),
    named("push", Acting, "(scene: string): ()", "Puts a scene over the one that is there."),
    named("pop", Acting, "(): ()", "Goes back to the scene below."),
    named(
        "award",
        Acting,
        "(award: { [string]: any }): ()",
        "Pays into the profile when the run ends: whole numbers are added, lists are appended, tables go into each other.",
    ),
    named("finish", Acting, "(outcome: { outcome: string, [string]: any }): ()", "Ends the run."),
];

/// Luau's own names that are here, and what is in its libraries. Their types are Luau's.
pub const LIBRARY: &[(&str, &str)] = &[
    (
        "",
        "assert bit32 debug error getmetatable ipairs math next pairs pcall rawequal rawget rawlen rawset select setmetatable string table tonumber tostring type typeof unpack utf8 xpcall",
    ),
    (
        "bit32",
        "arshift band bnot bor btest bxor byteswap countlz countrz extract lrotate lshift replace rrotate rshift",
    ),
    ("debug", "traceback"),
    ("math", "abs ceil clamp floor fmod huge max min modf pi round sign sqrt"),
    ("string", "byte char find format gmatch gsub len lower match rep reverse split sub upper"),
    ("table", "clear clone concat create find freeze insert isfrozen move pack remove sort unpack"),
    ("utf8", "char charpattern codepoint codes len offset"),
];

/// The shapes that signatures speak of, as Luau declares them.
pub const TYPES: &str = include_str!("types.luau");

/// A name that a mod gives to itself and to those that need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The name.
    pub name: String,
    /// Where it is given.
    pub place: Place,
}

impl Vm {
    /// The names that every mod sees, and what is in the tables of Luau's libraries: `say`,
    /// `math`, `math.abs`, in the order of names.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let Some(base) = self.host().environments.base() else { return names };
        for (name, value) in entries(base) {
            if let Value::Table(library) = &value {
                let inside = entries(library);
                names.extend(inside.into_iter().map(|(inner, _)| format!("{name}.{inner}")));
            }
            names.push(name);
        }
        names.sort();
        names
    }

    /// The functions that mods export, in the order of names.
    pub fn exports(&self) -> Vec<Exported> {
        let mut exports = self.host().environments.exports();
        exports.retain(|one| self.registry().kind(&one.name).is_none());
        exports.sort_by(|a, b| a.name.cmp(&b.name));
        exports
    }
}

/// What is in a table under names.
fn entries(table: &Table) -> Vec<(String, Value)> {
    table.pairs::<String, Value>().filter_map(Result::ok).collect()
}

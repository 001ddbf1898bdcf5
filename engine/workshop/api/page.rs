//! The reference as a page to read.

use std::collections::BTreeSet;

use super::{Shared, Source};
use crate::content::{Datum, Field, FieldType, Given, Kind, Registry};
use crate::kit::text;
use crate::script::{LIBRARY, TYPES, When, surface};

const HEAD: &str = "\
Made by `sub-rosa api` from the program and the mods that are loaded; do not edit it by hand. What the
words mean and how they go together is told in [lifecycle](lifecycle.md) and [lua](lua.md).
";

const TIMES: [(When, &str, &str); 4] = [
    (When::Loading, "While loading", "At the top of a file, outside any function."),
    (
        When::Looking,
        "While playing",
        "In every function that a run calls, also where nothing may change: prompts, views, rules, `before` hooks.",
    ),
    (
        When::Acting,
        "While acting",
        "Where things may change: handlers of choices, `after` hooks, `start`.",
    ),
    (When::Always, "Always", "While loading and while playing."),
];

/// The whole page.
pub(super) fn page(source: &Source<'_>) -> String {
    let mut page = format!("# Reference\n\n{HEAD}");
    let surface = surface();
    for (when, title, what) in TIMES {
        page.push_str(&format!("\n## {title}\n\n{what}\n\n| name | what it is |\n|---|---|\n"));
        for one in surface.iter().filter(|one| one.when == when) {
            let signature = one.signature().replace('|', "\\|");
            let doc = one.doc;
            page.push_str(&format!("| `{}{signature}` | {doc} |\n", one.name));
        }
    }
    page.push_str(
        "\n## Of Luau's own\n\nAs Luau has them; what is missing is told in [lua](lua.md).\n\n",
    );
    for (library, names) in LIBRARY {
        let library = if library.is_empty() { "globals" } else { library };
        page.push_str(&format!("- {library}: `{}`\n", names.replace(' ', "` `")));
    }
    let registry = source.vm.registry();
    page.push_str("\n## Kinds of the host\n");
    registry.kinds().filter(|kind| kind.builtin).for_each(|one| kind(&mut page, one));
    groups(&mut page, registry);
    page.push_str("\n## Kinds of the mods that are loaded\n");
    registry.kinds().filter(|kind| !kind.builtin).for_each(|one| kind(&mut page, one));
    moments(&mut page, source);
    state(&mut page, source);
    functions(
        &mut page,
        "Rules",
        "Called as `rules.NAME(…)`. A mod may put a function around one with `patch.rule`.",
        &source.ruled(),
    );
    let seen = "Seen by the mod that gives them and by those that need it.";
    functions(&mut page, "Functions", seen, &source.exported());
    modules(&mut page, source);
    page.push_str(&format!("\n## Shapes\n\n```lua\n{TYPES}```\n"));
    page
}

/// The groups of choices that there are: another mod names one by its id.
fn groups(page: &mut String, registry: &Registry) {
    if registry.every("group").next().is_none() {
        return;
    }
    page.push_str("\n## Groups of choices\n\nA choice of another mod belongs to one by its id: `group = \"mod:name\"`.\n");
    page.push_str("\n| group | what stands above it | a page of its own |\n|---|---|---|\n");
    for group in registry.every("group") {
        let name = group.get("name").and_then(Datum::as_text).unwrap_or_default();
        let own = matches!(group.get("page"), Some(Datum::Bool(true)));
        let own = if own { "yes" } else { "no" };
        page.push_str(&format!("| `{}` | {} | {own} |\n", group.id, cell(name)));
    }
}

fn kind(page: &mut String, kind: &Kind) {
    page.push_str(&format!("\n### {}\n\n", kind.name));
    if !kind.doc.is_empty() {
        page.push_str(&format!("{}\n\n", cell(&kind.doc)));
    }
    if !kind.builtin {
        page.push_str(&format!("Declared in `{}/{}`.\n\n", kind.place.owner, kind.place.file));
    }
    if let Some(body) = &kind.body {
        let name = &kind.name;
        page.push_str(&format!("`{name} \"id\"(value)` is short for `{{ {body} = value }}`.\n\n"));
    }
    page.push_str("| field | holds | if left out | what it is for |\n|---|---|---|---|\n");
    rows(page, &kind.fields, "");
}

/// A row for each field, and for those of records in it.
fn rows(page: &mut String, fields: &[Field], before: &str) {
    for field in fields {
        let name = format!("{before}{}", field.name);
        let otherwise = match &field.default {
            Some(default) => match default.to_value() {
                Some(value) => format!("`{}`", cell(&value.to_json())),
                None => "a function".to_owned(),
            },
            None if field.optional => "nothing".to_owned(),
            None => "must be there".to_owned(),
        };
        let (holds, doc) =
            (cell(&format!("{}{}", holds(&field.ty), work(field))), cell(&field.doc));
        page.push_str(&format!("| `{name}` | {holds} | {otherwise} | {doc} |\n"));
        inner(page, &field.ty, &name);
    }
}

/// What a function is given that stands in a field, and what it gives.
fn work(field: &Field) -> String {
    let Some(work) = &field.work else { return String::new() };
    let given = match &work.given {
        Some(Given::Event(moment)) => format!(", given the event of `{moment}`"),
        Some(Given::Fields(fields)) => {
            let each =
                fields.iter().map(|field| format!("`{}` ({})", field.name, self::holds(&field.ty)));
            format!(", given {}", each.collect::<Vec<_>>().join(", "))
        }
        None => String::new(),
    };
    let gives = work.gives.as_ref().map(|gives| {
        let or = if gives.optional { " or nothing" } else { "" };
        format!(", gives {}{or}", self::holds(&gives.ty))
    });
    format!("{given}{}", gives.unwrap_or_default())
}

/// The rows of records inside a field.
fn inner(page: &mut String, ty: &FieldType, name: &str) {
    match ty {
        FieldType::Record(fields) => rows(page, fields, &format!("{name}.")),
        FieldType::List(one) => inner(page, one, &format!("{name}[]")),
        FieldType::Map(one) => inner(page, one, &format!("{name}.*")),
        FieldType::Either(types) => types.iter().for_each(|one| inner(page, one, name)),
        _ => {}
    }
}

/// What a field holds; fields of records have rows of their own.
fn holds(ty: &FieldType) -> String {
    match ty {
        FieldType::Record(_) => "a table".to_owned(),
        FieldType::List(one) => format!("a list, each {}", holds(one)),
        FieldType::Map(one) => format!("a table of names, each {}", holds(one)),
        FieldType::Either(types) => types.iter().map(holds).collect::<Vec<_>>().join(", or "),
        FieldType::OneOf(words) if words.open => format!("{ty}; others may `extend` it"),
        other => other.to_string(),
    }
}

fn moments(page: &mut String, source: &Source<'_>) {
    let moments = source.vm.moments();
    if moments.is_empty() {
        return;
    }
    page.push_str(
        "\n## Moments of the mods that are loaded\n\n\
         What `before` and `after` hang on, each with the fields of its event.\n",
    );
    moments.iter().for_each(|one| kind(page, one));
}

fn state(page: &mut String, source: &Source<'_>) {
    let shapes = source.vm.shapes();
    if shapes.fields().is_empty() {
        return;
    }
    page.push_str(
        "\n## The state of the mods that are loaded\n\n\
         What `state` may hold. `shape` declares it, and adds to what others declare.\n",
    );
    for field in shapes.fields() {
        let name = &field.name;
        page.push_str(&format!("\n### state.{name}\n\n{}\n\n", cell(&field.doc)));
        if let Some(place) = shapes.place(name, None) {
            page.push_str(&format!("Declared in `{}/{}`.\n\n", place.owner, place.file));
        }
        page.push_str("| field | holds | if left out | what it is for |\n|---|---|---|---|\n");
        rows(page, std::slice::from_ref(field), "state.");
    }
}

fn functions(page: &mut String, what: &str, about: &str, all: &[(String, Shared)]) {
    if all.is_empty() {
        return;
    }
    page.push_str(&format!("\n## {what} of the mods that are loaded\n\n{about}\n\n"));
    page.push_str("| what | what it does | where |\n|---|---|---|\n");
    for (name, one) in all {
        let shape = one.described.signature.as_ref();
        let shape = shape.map_or_else(|| "(…)".to_owned(), ToString::to_string);
        let (shape, doc) = (cell(&shape), cell(&one.described.doc));
        page.push_str(&format!("| `{name}{shape}` | {doc} | `{}` |\n", one.file));
    }
}

fn modules(page: &mut String, source: &Source<'_>) {
    let modules = super::modules::modules(source.vm, source.mods);
    if modules.is_empty() {
        return;
    }
    page.push_str(
        "\n## Modules of the mods that are loaded\n\n\
         Which module stands on which: whose exports its files call.\n\n\
         | module | stands in | stands on |\n|---|---|---|\n",
    );
    let told = |names: &BTreeSet<String>| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    for (name, module) in &modules {
        page.push_str(&format!("| `{name}` | {} | {} |\n", told(&module.files), told(&module.on)));
    }
}

/// A text that stays in its cell of a table.
fn cell(words: &str) -> String {
    text::clean(words).replace('\n', " ").replace('|', "\\|")
}

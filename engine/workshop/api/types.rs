//! The reference as Luau type declarations, which an editor reads.

use std::collections::BTreeMap;

use super::{Shared, Source};
use crate::content::{Field, FieldType, Given, Kind, Registry, title};
use crate::kit::text::{self, in_name, is_name};
use crate::script::{TYPES, surface};

const HEAD: &str = "\
-- Made by `sub-rosa api` from the program and the mods that are loaded; do not edit it by hand.
-- Types for an editor; no script of the game.

";
/// What an editor knows by itself, and what is told further down.
const KNOWN: [&str; 2] = ["require", "rules"];
/// What is given the name of a scene, of a moment.
const OF_SCENES: [&str; 2] = ["go", "push"];
const OF_MOMENTS: [&str; 4] = ["before", "after", "preview", "emit"];
const FUNCTION: &str = "(...any) -> ...any";

/// The whole file.
pub(super) fn types(source: &Source<'_>) -> String {
    let mut page = format!("{HEAD}{TYPES}");
    page.push_str("\n-- The host's functions.\n\n");
    let of_moments = !source.vm.moments().is_empty();
    let shapes = source.vm.shapes();
    let said =
        |name: &str| KNOWN.contains(&name) || (!shapes.fields().is_empty() && name == "state");
    let ids = Ids::of(source.vm.registry());
    for one in surface().iter().filter(|one| !said(one.name)) {
        let (what, mut signature) = (one.takes.map_or("", |_| "function "), one.signature());
        if OF_SCENES.contains(&one.name) && ids.0.contains_key("scene") {
            signature = signature.replace("scene: string", "scene: SceneName");
        }
        if OF_MOMENTS.contains(&one.name) && of_moments {
            signature = signature.replace("moment: string", "moment: MomentName");
        }
        page.push_str(&format!("-- {}\ndeclare {what}{}{signature}\n", one.doc, one.name));
    }
    ids.page(&mut page);
    page.push_str("\n-- Kinds.\n");
    source.vm.registry().kinds().for_each(|one| kind(&mut page, one, &ids));
    moments(&mut page, source, &ids);
    state(&mut page, shapes.fields(), &ids);
    exported(&mut page, source, &ids);
    rules(&mut page, source, &ids);
    let exports = source.exported();
    if !exports.is_empty() {
        page.push_str("\n-- Functions of the mods that are loaded.\n\n");
    }
    let known = page.clone();
    let mut module = "";
    for (name, one) in &exports {
        let (front, own) = name.split_once('.').unwrap_or(("", name));
        if front != module {
            page.push_str(if module.is_empty() { "" } else { "}\n" });
            if !front.is_empty() {
                page.push_str(&format!("\ndeclare {front}: {{\n"));
            }
            module = front;
        }
        let (indent, declare, end) =
            if front.is_empty() { ("", "declare ", "") } else { ("  ", "", ",") };
        let own = if front.is_empty() { own.to_owned() } else { key(own) };
        let ty = function(one, &known, &ids);
        let file = &one.file;
        doc(&mut page, one, indent);
        page.push_str(&format!("{indent}{declare}{own}: {ty}{end} -- {file}\n"));
    }
    page.push_str(if module.is_empty() { "" } else { "}\n" });
    page
}

fn doc(page: &mut String, one: &Shared, indent: &str) {
    if !one.described.doc.is_empty() {
        page.push_str(&format!("{indent}-- {}\n", one.described.doc));
    }
}

/// The rules by their names. One that more than one mod has is found under whole ids.
fn rules(page: &mut String, source: &Source<'_>, ids: &Ids) {
    let rules = source.ruled();
    let known = page.clone();
    page.push_str("\n-- Rules.\n\ndeclare rules: {\n");
    let short = |id: &str| id.split_once(':').map_or(id, |(_, name)| name).to_owned();
    for (id, one) in &rules {
        let alone = rules.iter().filter(|(other, _)| short(other) == short(id)).count() == 1;
        let name = if alone { key(&short(id)) } else { key(id) };
        doc(page, one, "  ");
        page.push_str(&format!("  {name}: {}, -- {}\n", function(one, &known, ids), one.file));
    }
    page.push_str("  [string]: (...any) -> ...any,\n}\n");
}

/// The type of a function that a mod gives a name; what is not written may be anything.
fn function(one: &Shared, known: &str, ids: &Ids) -> String {
    let Some(signature) = &one.described.signature else { return FUNCTION.to_owned() };
    let mut takes: Vec<String> = Vec::new();
    for argument in &signature.takes {
        let (name, ty) = (&argument.name, spelt(&argument.written, &argument.ty, known, ids));
        let optional = argument.optional && !ty.ends_with('?') && ty != "any";
        let name = if key(name) == *name { name } else { "_" };
        takes.push(format!("{name}: {}", if optional { format!("({ty})?") } else { ty }));
    }
    takes.extend(signature.more.then(|| "...any".to_owned()));
    let gives = match (&signature.gives, &*signature.written) {
        (_, "") => "...any".to_owned(),
        (None, written) if written == "()" || are_known(written, known) => written.to_owned(),
        (None, _) => "...any".to_owned(),
        (Some((ty, optional)), written) => {
            let spelt = spelt(written, ty, known, ids);
            let may_lack = *optional && !spelt.ends_with('?') && *ty != FieldType::Any;
            if may_lack { format!("({spelt})?") } else { spelt }
        }
    };
    format!("({}) -> {gives}", takes.join(", "))
}

/// A type as it is written, where an editor knows all names in it; or else as it is meant.
fn spelt(written: &str, ty: &FieldType, known: &str, ids: &Ids) -> String {
    match written.is_empty() {
        true => "any".to_owned(),
        false if are_known(written, known) => written.to_owned(),
        false => type_of(ty, 0, Written::No, ids),
    }
}

/// Whether all names of types in what is written are declared.
fn are_known(written: &str, known: &str) -> bool {
    let words = written.split(|c| !in_name(c));
    let mut names = words.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    names.all(|name| {
        let declares = |sign| known.contains(&format!("type {name}{sign}"));
        declares(" =") || declares("<")
    })
}

/// The ids of what there is, by kind.
struct Ids(BTreeMap<String, Vec<(String, String)>>);

impl Ids {
    fn of(registry: &Registry) -> Self {
        let kinds = registry.kinds().map(|kind| {
            let all = registry.every(&kind.name);
            let ids = all.map(|one| (one.id.to_string(), one.id.name().to_owned()));
            (kind.name.to_string(), ids.collect())
        });
        Self(kinds.filter(|(_, ids): &(_, Vec<_>)| !ids.is_empty()).collect())
    }

    /// The types: of whole ids, as they are read, and of names as they are written, where one of a mod's
    /// own is short.
    fn page(&self, page: &mut String) {
        page.push_str(
            "\n-- Ids of what there is: whole, as they are read, and as they are written.\n\n",
        );
        for (kind, ids) in &self.0 {
            let mut whole: Vec<String> = ids.iter().map(|(id, _)| format!("{id:?}")).collect();
            whole.sort();
            let mut short: Vec<String> = ids.iter().map(|(_, name)| format!("{name:?}")).collect();
            short.sort();
            short.dedup();
            let title = title(kind);
            page.push_str(&format!("export type {title}Id = {}\n", whole.join(" | ")));
            page.push_str(&format!(
                "export type {title}Name = {title}Id | {}\n",
                short.join(" | ")
            ));
        }
    }

    fn type_of(&self, kind: &str, written: bool) -> String {
        match self.0.contains_key(kind) {
            true => format!("{}{}", title(kind), if written { "Name" } else { "Id" }),
            false => "string".to_owned(),
        }
    }
}

/// What the state holds.
fn state(page: &mut String, all: &[Field], ids: &Ids) {
    if all.is_empty() {
        return;
    }
    page.push_str("\n-- The state: what is declared of it.\n");
    for field in all.iter().filter(|field| matches!(field.ty, FieldType::Record(_))) {
        let ty = type_of(&field.ty, 0, Written::No, ids);
        page.push_str(&format!(
            "\n-- {}\nexport type {}State = {ty}\n",
            plain(&field.doc),
            title(&field.name)
        ));
    }
    page.push_str("\nexport type State = {\n");
    for field in all {
        let ty = match field.ty {
            FieldType::Record(_) => format!("{}State", title(&field.name)),
            _ => type_of(&field.ty, 1, Written::No, ids),
        };
        // Whoever reads it knows that it is there; whoever ends it writes nothing.
        let (doc, name) = (plain(&field.doc), key(&field.name));
        page.push_str(&format!("  -- {doc}\n  read {name}: {ty},\n  write {name}: ({ty})?,\n"));
    }
    page.push_str("}\ndeclare state: State\n");
}

/// The types that mods export.
fn exported(page: &mut String, source: &Source<'_>, ids: &Ids) {
    let mut types = source.vm.exported_types();
    // The host's own mean what they mean.
    types.retain(|(name, _)| !are_known(name, page));
    if !types.is_empty() {
        page.push_str("\n-- Types of the mods that are loaded.\n\n");
    }
    for (name, ty) in types {
        page.push_str(&format!("export type {name} = {}\n", type_of(&ty, 0, Written::No, ids)));
    }
}

/// The names of moments, and their events.
fn moments(page: &mut String, source: &Source<'_>, ids: &Ids) {
    let moments = source.vm.moments();
    if moments.is_empty() {
        return;
    }
    page.push_str(
        "\n-- Moments: what the event of each holds. Say which it is: `after(\"blow\", function(blow: BlowEvent)`.\n\n",
    );
    let names: Vec<String> = moments.iter().map(|moment| format!("{:?}", &*moment.name)).collect();
    page.push_str(&format!("export type MomentName = {}\n", names.join(" | ")));
    for moment in &moments {
        let title = title(&moment.name);
        page.push_str(&format!("\n-- {}\nexport type {title}Event = {{\n", plain(&moment.doc)));
        fields(page, &moment.fields, 1, Written::No, ids);
        page.push_str("}\n");
    }
}

fn plain(doc: &str) -> String {
    text::clean(doc).replace('\n', " ")
}

fn kind(page: &mut String, kind: &Kind, ids: &Ids) {
    let (name, title) = (&kind.name, title(&kind.name));
    page.push_str(&format!("\nexport type {title}Body = {{\n"));
    fields(page, &kind.fields, 1, Written::Yes, ids);
    page.push_str(&format!("}}\nexport type {title}Definition = {{\n  id: string,\n"));
    fields(page, &kind.fields, 1, Written::No, ids);
    let short = kind.body.as_ref().map_or("", |_| " | ((...any) -> ...any)");
    page.push_str(&format!("}}\ndeclare {name}: Kind<{title}Body{short}, {title}Definition>\n"));
}

/// Whether fields are as they are written in a body, or as they are read afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Yes,
    No,
}

/// Fields, as they are written in a body or as they are read afterwards.
fn fields(page: &mut String, fields: &[Field], depth: usize, written: Written, ids: &Ids) {
    let indent = "  ".repeat(depth);
    for field in fields {
        if !field.doc.is_empty() {
            let doc = text::clean(&field.doc).replace('\n', " ");
            page.push_str(&format!("{indent}-- {doc}\n"));
        }
        let ty = match field.given() {
            Some(given) => work(given, depth, ids),
            None => type_of(&field.ty, depth, written, ids),
        };
        let absent = field.optional || (written == Written::Yes && field.default.is_some());
        let ty = if absent { format!("({ty})?") } else { ty };
        page.push_str(&format!("{indent}{}: {ty},\n", key(&field.name)));
    }
}

/// The type of a function that is given what is declared.
fn work(given: &Given, depth: usize, ids: &Ids) -> String {
    match given {
        Given::Event(moment) => format!("((event: {}Event) -> ...any)", title(moment)),
        Given::Fields(inner) => {
            let mut page = "((given: {\n".to_owned();
            fields(&mut page, inner, depth + 1, Written::No, ids);
            page.push_str(&format!("{}}}) -> ...any)", "  ".repeat(depth)));
            page
        }
    }
}

/// A field's name as Luau takes it in a table's type.
fn key(name: &str) -> String {
    const WORDS: [&str; 21] = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
        "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ];
    match is_name(name) && !WORDS.contains(&name) {
        true => name.to_owned(),
        false => format!("[{name:?}]"),
    }
}

fn type_of(ty: &FieldType, depth: usize, written: Written, ids: &Ids) -> String {
    match ty {
        FieldType::Text | FieldType::Line(_) => "string".to_owned(),
        FieldType::Ref(kind) => ids.type_of(kind, written == Written::Yes),
        FieldType::Int { .. } | FieldType::Number => "number".to_owned(),
        FieldType::Bool => "boolean".to_owned(),
        FieldType::OneOf(words) => {
            words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ")
        }
        FieldType::List(one) => format!("{{ {} }}", type_of(one, depth, written, ids)),
        FieldType::Map(one) => format!("{{ [string]: {} }}", type_of(one, depth, written, ids)),
        FieldType::Record(inner) => {
            let mut page = "{\n".to_owned();
            fields(&mut page, inner, depth + 1, written, ids);
            page.push_str(&format!("{}}}", "  ".repeat(depth)));
            page
        }
        FieldType::Fn => format!("({FUNCTION})"),
        FieldType::Any => "any".to_owned(),
        FieldType::Either(types) => {
            let types = types.iter().map(|one| format!("({})", type_of(one, depth, written, ids)));
            types.collect::<Vec<_>>().join(" | ")
        }
    }
}

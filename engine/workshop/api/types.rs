//! The reference as Luau type declarations, which an editor reads.

use super::{Shared, Source};
use crate::content::{Field, FieldType, Kind};
use crate::kit::text;
use crate::script::{TYPES, surface};

const HEAD: &str = "\
-- Made by `sub-rosa api` from the program and the mods that are loaded; do not edit it by hand.
-- Types for an editor; no script of the game.

";
/// What an editor knows by itself.
const KNOWN: [&str; 1] = ["require"];
/// What is said with the moments, where some are declared.
const HOOKS: [&str; 2] = ["before", "after"];
const FUNCTION: &str = "(...any) -> ...any";

/// The whole file.
pub(super) fn types(source: &Source<'_>) -> String {
    let mut page = format!("{HEAD}{TYPES}");
    page.push_str("\n-- The host's functions.\n\n");
    let of_moments = !source.vm.moments().is_empty();
    let said = |name: &str| KNOWN.contains(&name) || (of_moments && HOOKS.contains(&name));
    for one in surface().iter().filter(|one| !said(one.name)) {
        let (what, signature) = (one.takes.map_or("", |_| "function "), one.signature());
        page.push_str(&format!("-- {}\ndeclare {what}{}{signature}\n", one.doc, one.name));
    }
    page.push_str("\n-- Kinds.\n");
    source.vm.registry().kinds().for_each(|one| kind(&mut page, one));
    moments(&mut page, source);
    let exports = source.exported();
    if !exports.is_empty() {
        page.push_str("\n-- Functions of the mods that are loaded.\n\n");
    }
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
        if !one.doc.is_empty() {
            page.push_str(&format!("{indent}-- {}\n", one.doc));
        }
        let own = if front.is_empty() { own.to_owned() } else { key(own) };
        page.push_str(&format!("{indent}{declare}{own}: {}{end} -- {}\n", function(one), one.file));
    }
    page.push_str(if module.is_empty() { "" } else { "}\n" });
    page
}

/// The type of a function that a mod gives a name; what is not written may be anything.
fn function(one: &Shared) -> String {
    let Some(shape) = &one.shape else { return FUNCTION.to_owned() };
    let takes = shape.takes.iter().map(|(name, _)| match name.as_str() {
        "..." => "...any".to_owned(),
        name => format!("{}: any", if key(name) == name { name } else { "_" }),
    });
    format!("({}) -> ...any", takes.collect::<Vec<_>>().join(", "))
}

/// The events of moments, and hooks on them.
fn moments(page: &mut String, source: &Source<'_>) {
    let moments = source.vm.moments();
    if moments.is_empty() {
        return;
    }
    page.push_str("\n-- Moments: what the event of each holds.\n");
    let mut hooks = String::new();
    for moment in &moments {
        let (name, title) = (&moment.name, title(&moment.name));
        page.push_str(&format!("\n-- {}\nexport type {title}Event = {{\n", plain(&moment.doc)));
        fields(page, &moment.fields, 1, false);
        page.push_str("  [string]: any,\n}\n");
        let hook = format!("((moment: {name:?}, hook: (event: {title}Event) -> ()) -> ())\n  & ");
        hooks.push_str(&hook);
    }
    for verb in HOOKS {
        let any = "((moment: string, hook: (event: any) -> ()) -> ())";
        page.push_str(&format!("\ndeclare {verb}: {hooks}{any}\n"));
    }
}

fn plain(doc: &str) -> String {
    text::clean(doc).replace('\n', " ")
}

fn kind(page: &mut String, kind: &Kind) {
    let (name, title) = (&kind.name, title(&kind.name));
    page.push_str(&format!("\nexport type {title}Body = {{\n"));
    fields(page, &kind.fields, 1, true);
    page.push_str(&format!("}}\nexport type {title}Definition = {{\n  id: string,\n"));
    fields(page, &kind.fields, 1, false);
    let short = kind.body.as_ref().map_or("", |_| " | ((...any) -> ...any)");
    page.push_str(&format!("}}\ndeclare {name}: Kind<{title}Body{short}, {title}Definition>\n"));
}

/// A kind's name as that of a type: `two_words` is `TwoWords`.
fn title(name: &str) -> String {
    let upper = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    name.split('_').map(upper).collect()
}

/// Fields, as they are written in a body or as they are read afterwards.
fn fields(page: &mut String, fields: &[Field], depth: usize, written: bool) {
    let indent = "  ".repeat(depth);
    for field in fields {
        if !field.doc.is_empty() {
            let doc = text::clean(&field.doc).replace('\n', " ");
            page.push_str(&format!("{indent}-- {doc}\n"));
        }
        let ty = type_of(&field.ty, depth, written);
        let absent = field.optional || (written && field.default.is_some());
        let ty = if absent { format!("({ty})?") } else { ty };
        page.push_str(&format!("{indent}{}: {ty},\n", key(&field.name)));
    }
}

/// A field's name as Luau takes it in a table's type.
fn key(name: &str) -> String {
    const WORDS: [&str; 21] = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
        "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ];
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match plain && !WORDS.contains(&name) {
        true => name.to_owned(),
        false => format!("[{name:?}]"),
    }
}

fn type_of(ty: &FieldType, depth: usize, written: bool) -> String {
    match ty {
        FieldType::Text | FieldType::Line(_) | FieldType::Ref(_) => "string".to_owned(),
        FieldType::Int { .. } | FieldType::Number => "number".to_owned(),
        FieldType::Bool => "boolean".to_owned(),
        FieldType::OneOf(words) => {
            words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ")
        }
        FieldType::List(one) => format!("{{ {} }}", type_of(one, depth, written)),
        FieldType::Map(one) => format!("{{ [string]: {} }}", type_of(one, depth, written)),
        FieldType::Record(inner) => {
            let mut page = "{\n".to_owned();
            fields(&mut page, inner, depth + 1, written);
            page.push_str(&format!("{}}}", "  ".repeat(depth)));
            page
        }
        FieldType::Fn => format!("({FUNCTION})"),
        FieldType::Any => "any".to_owned(),
        FieldType::Either(types) => {
            let types = types.iter().map(|one| format!("({})", type_of(one, depth, written)));
            types.collect::<Vec<_>>().join(" | ")
        }
    }
}

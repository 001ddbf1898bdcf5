//! Open lists: a field may allow a fixed list of texts, and if its declaration opens the list,
//! other mods may add texts.

use std::sync::Arc;

use super::schema::{AllowedTexts, Field, FieldList, FieldType, Kind};
use super::state_schema::StateSchemas;
use base::problem::{describe_alternatives, nearest_name, searched_part};
use base::{Code, Problem, SourceLocation, quote};

impl Kind {
    /// Adds texts to the open list at a path, `size` or `choices.type`. The path uses names only,
    /// also through lists, tables of names and alternatives of a type.
    pub fn extend_open_list(
        &mut self,
        path: &str,
        new_texts: &[String],
        place: &SourceLocation,
    ) -> Result<(), Problem> {
        extend_list_at(&mut self.fields, (&self.name, path), &self.place, new_texts, place)
    }
}

impl StateSchemas {
    /// Adds texts to the open list at a path through the state, `hero.mood`.
    pub fn extend_open_list(
        &mut self,
        path: &str,
        new_texts: &[String],
        place: &SourceLocation,
    ) -> Result<(), Problem> {
        let mut steps = path.split('.');
        let (name, inner) = (steps.next().unwrap_or_default(), steps.next());
        let declared_at = self.declaration_location(name, inner).cloned().unwrap_or_default();
        extend_list_at(&mut self.fields, ("state", path), &declared_at, new_texts, place)
    }
}

impl AllowedTexts {
    /// The hint for a text that is not in the list.
    pub(super) fn explain_other_text(&self, text: &str) -> Option<String> {
        let near = nearest_name(text, self.iter().map(String::as_str));
        near.map_or_else(
            || self.extension_hint(text),
            |near| Some(format!("did you mean \"{near}\"?")),
        )
    }

    /// How another text gets into the list, if a mod declared it.
    fn extension_hint(&self, text: &str) -> Option<String> {
        let extension = format!("`extend \"{}\" {{ {} }}`", self.path, quote(text));
        match self.is_open {
            _ if self.path.is_empty() || text.is_empty() => None,
            true => Some(format!("a mod adds a text of its own with {extension}")),
            false => Some(format!(
                "the list is closed: with `open = true` where it is declared, a mod may add a text with {extension}"
            )),
        }
    }
}

/// Tells each list of texts in these fields its path, which begins with `name`.
pub fn set_list_paths(fields: &mut FieldList, name: &str) {
    if fields.iter().any(|field| has_unnamed_list(&field.ty)) {
        for field in Arc::make_mut(fields) {
            set_list_paths_in_type(&mut field.ty, &format!("{name}.{}", field.name));
        }
    }
}

/// The same for a type at a path.
pub fn set_list_paths_in_type(ty: &mut FieldType, path: &str) {
    match ty {
        FieldType::OneOf(words) if words.path.is_empty() => {
            path.clone_into(&mut Arc::make_mut(words).path);
        }
        FieldType::List(one) | FieldType::Map(one) => set_list_paths_in_type(one, path),
        FieldType::Record(fields) => set_list_paths(fields, path),
        FieldType::Either(types) if types.iter().any(has_unnamed_list) => {
            Arc::make_mut(types).iter_mut().for_each(|one| set_list_paths_in_type(one, path));
        }
        _ => {}
    }
}

/// Whether a type has a list of texts without a path.
fn has_unnamed_list(ty: &FieldType) -> bool {
    match ty {
        FieldType::OneOf(words) => words.path.is_empty(),
        FieldType::List(one) | FieldType::Map(one) => has_unnamed_list(one),
        FieldType::Record(fields) => fields.iter().any(|field| has_unnamed_list(&field.ty)),
        FieldType::Either(types) => types.iter().any(has_unnamed_list),
        _ => false,
    }
}

/// Adds texts to the open list at a path through these fields; `declared_at` is their location.
fn extend_list_at(
    fields: &mut FieldList,
    (name, path): (&str, &str),
    declared_at: &SourceLocation,
    new_texts: &[String],
    place: &SourceLocation,
) -> Result<(), Problem> {
    let full_path = format!("{name}.{path}");
    let mut lists = Vec::new();
    let unknown_field = collect_lists_at(fields, path, &mut lists);
    if lists.is_empty() {
        return Err(unknown_field.unwrap_or_else(|| {
            Problem::error(Code::NotAList, format!("`{full_path}` is not a list of allowed texts"))
                .expected("the path of a field that is a `field.one_of`")
        }));
    }
    let Some(words) = lists.into_iter().find(|words| words.is_open) else {
        let problem = Problem::error(Code::ClosedList, format!("the list `{full_path}` is closed"))
            .hint(format!(
                "`{}` can open the list with `open = true`, if its rules handle new texts",
                declared_at.owner
            ))
            .add_related_location(declared_at.clone());
        let (name, fields) = (name.to_owned(), fields.clone());
        return Err(problem.explain_later(move |problem, _| {
            let lists = collect_text_lists(&fields, &name).into_iter();
            let open = lists.filter(|(_, words)| words.is_open).map(|(path, _)| path);
            let open: Vec<String> = open.collect();
            problem.expected(match open.is_empty() {
                true => format!("an open list; `{name}` has none"),
                false => describe_alternatives(&full_path, open.iter().map(String::as_str)),
            })
        }));
    };
    for word in new_texts {
        if let Some(at) = words.iter().position(|known| known == word) {
            let first = at.checked_sub(words.len() - words.addition_locations.len());
            let first = first.map_or(declared_at, |at| &words.addition_locations[at]);
            let found = format!("\"{word}\" is in the list `{full_path}` already");
            return Err(Problem::error(Code::Duplicate, found)
                .expected("a text that is not in the list")
                .add_related_location(first.clone()));
        }
        words.texts.push(word.clone());
        words.addition_locations.push(place.clone());
    }
    Ok(())
}

/// The lists of texts at the end of a path, or a Problem if the path leads nowhere.
fn collect_lists_at<'f>(
    fields: &'f mut FieldList,
    path: &str,
    lists: &mut Vec<&'f mut AllowedTexts>,
) -> Option<Problem> {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let Some(at) = fields.iter().position(|field| *field.name == *name) else {
        let problem = Problem::error(Code::UnknownField, format!("there is no field `{name}`"));
        let (name, fields) = (searched_part(name), fields.clone());
        return Some(problem.explain_later(move |problem, _| {
            let names = || fields.iter().map(|field| &*field.name);
            let problem = problem.expected(describe_alternatives(&name, names()));
            problem.suggest_name(nearest_name(&name, names()))
        }));
    };
    collect_lists_in_type(&mut Arc::make_mut(fields)[at].ty, rest, lists)
}

fn collect_lists_in_type<'f>(
    ty: &'f mut FieldType,
    path: &str,
    lists: &mut Vec<&'f mut AllowedTexts>,
) -> Option<Problem> {
    match ty {
        FieldType::OneOf(words) if path.is_empty() => {
            lists.push(Arc::make_mut(words));
            None
        }
        FieldType::List(one) | FieldType::Map(one) => collect_lists_in_type(one, path, lists),
        FieldType::Record(fields) if !path.is_empty() => collect_lists_at(fields, path, lists),
        FieldType::Either(types) => Arc::make_mut(types)
            .iter_mut()
            .filter_map(|one| collect_lists_in_type(one, path, lists))
            .last(),
        _ => None,
    }
}

/// All lists of texts in these fields and inside them, each with its path.
pub fn collect_text_lists<'f>(
    fields: &'f [Field],
    before: &str,
) -> Vec<(String, &'f AllowedTexts)> {
    fn collect_text_lists_in_type(ty: &FieldType, path: String) -> Vec<(String, &AllowedTexts)> {
        match ty {
            FieldType::OneOf(words) => vec![(path, words)],
            FieldType::List(one) | FieldType::Map(one) => collect_text_lists_in_type(one, path),
            FieldType::Record(fields) => collect_text_lists(fields, &path),
            FieldType::Either(types) => {
                types.iter().flat_map(|one| collect_text_lists_in_type(one, path.clone())).collect()
            }
            _ => Vec::new(),
        }
    }
    fields
        .iter()
        .flat_map(|field| collect_text_lists_in_type(&field.ty, format!("{before}.{}", field.name)))
        .collect()
}

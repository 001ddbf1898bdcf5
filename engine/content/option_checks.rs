//! Checks whether the declarations of a game's options are consistent. A mistake that prevents
//! every run is an error; others are warnings. Values that a player chooses are checked when they
//! are chosen.

use super::datum::Datum;
use super::registry::{ChangeAction, Definition, Registry};
use super::schema::FieldType;
use super::source_files::SourceFiles;
use base::problem::{describe_alternatives, nearest_name};
use base::{Code, Problem, Severity};

/// Fields that apply to some types only.
const TYPES_OF_OPTION_FIELDS: [(&str, &[&str]); 5] = [
    ("kind", &["ref"]),
    ("values", &["one_of", "text"]),
    ("min", &["int"]),
    ("max", &["int"]),
    ("refuses", &["text"]),
];

/// Checks the declared options, and the samples that set them.
pub fn check_options(registry: &Registry, sources: &SourceFiles) -> Vec<Problem> {
    let options = registry.all_definitions("option");
    let problems = options.flat_map(|one| {
        OptionDeclarationChecker { registry, sources, definition: one }.declaration_problems()
    });
    let samples = registry.all_definitions("sample").filter_map(|one| {
        let Some(Datum::Map(sample_options)) = one.get("options") else { return None };
        let names = || registry.all_definitions("option").map(|one| one.id.name());
        let unknown_name =
            sample_options.keys().find(|name| !names().any(|known| known == &***name))?;
        let found = format!("sample {:?}: there is no option \"{unknown_name}\"", one.id.as_str());
        let place =
            sources.locate_field(&one.place, &["options".to_owned(), unknown_name.to_string()]);
        let problem = Problem::error(Code::UnknownOption, found).at(place);
        let problem = problem.expected(describe_alternatives(unknown_name, names()));
        Some(to_warning(problem.suggest_name(nearest_name(unknown_name, names()))))
    });
    problems.chain(samples).collect()
}

/// Turns a Problem into a warning.
fn to_warning(problem: Problem) -> Problem {
    Problem { severity: Severity::Warning, ..problem }
}

struct OptionDeclarationChecker<'t> {
    registry: &'t Registry,
    sources: &'t SourceFiles,
    definition: &'t Definition,
}

impl OptionDeclarationChecker<'_> {
    fn declaration_problems(&self) -> Vec<Problem> {
        let ty = self.text_field("type");
        let mut problems = match ty {
            "ref" => self.check_ref_option(),
            "one_of" => self.check_one_of_option(),
            "int" => self.check_int_option(),
            _ => Vec::new(),
        };
        let default = self.definition.get("default").map(|value| ("default", value));
        let daily = self.definition.get("daily").and_then(Datum::as_list).unwrap_or_default();
        let values = default.into_iter().chain(daily.iter().map(|value| ("daily", value)));
        problems.extend(values.filter_map(|(field, value)| self.check_value(ty, field, value)));
        problems.extend(self.check_name());
        for (field, types) in TYPES_OF_OPTION_FIELDS {
            if self.definition.get(field).is_some() && !types.contains(&ty) {
                let found = format!("`{field}` has no effect where type is {ty:?}");
                let problem = self.option_problem(field, &found).expected(format!(
                    "`{field}` only in an option whose type is {}",
                    types.join(" or ")
                ));
                problems.push(to_warning(problem));
            }
        }
        let is_asked = self.definition.get("ask") == Some(&Datum::Bool(true));
        if is_asked && self.text_field("label").is_empty() {
            let problem =
                self.option_problem("ask", "the player is asked for it, but it has no label");
            let expected = "label = \"…\": the heading above the answers";
            problems.push(to_warning(problem.expected(expected)));
        }
        problems
    }

    /// Options are chosen and read by name, without their mod.
    fn check_name(&self) -> Option<Problem> {
        let (id, mut options) = (&self.definition.id, self.registry.all_definitions("option"));
        let first = options.find(|option| option.id.name() == id.name())?;
        (first.id != *id).then(|| {
            let message = format!("two mods declare an option \"{}\"", id.name());
            Problem::error(Code::Duplicate, message)
                .at(self.definition.place.clone())
                .expected("a name that no other option has: `--set` and `options` use it alone")
                .hint(format!("rename this one: `{}_{}`", id.mod_id(), id.name()))
                .add_related_location(first.place.clone())
        })
    }

    fn text_field(&self, field: &str) -> &str {
        self.definition.get(field).and_then(Datum::as_text).unwrap_or_default()
    }

    fn texts_field(&self, field: &str) -> Vec<&str> {
        let list = self.definition.get(field).and_then(Datum::as_list).unwrap_or_default();
        list.iter().filter_map(Datum::as_text).collect()
    }

    fn int_field(&self, field: &str) -> Option<i64> {
        match self.definition.get(field) {
            Some(Datum::Int(int)) => Some(*int),
            _ => None,
        }
    }

    /// A Problem at the location where a field was last set.
    fn option_problem(&self, field: &str, found: &str) -> Problem {
        let one = self.definition;
        let is_change =
            |what: ChangeAction| !matches!(what, ChangeAction::Declared | ChangeAction::Default);
        let last_change = one
            .changes
            .iter()
            .rev()
            .find(|change| change.path == field && is_change(change.action));
        let place = last_change.map(|change| change.place.clone());
        let declared_place = || self.sources.locate_field(&one.place, &[field.to_owned()]);
        Problem::error(Code::BadOption, format!("the option \"{}\": {found}", one.id.name()))
            .at(place.unwrap_or_else(declared_place))
    }

    fn check_ref_option(&self) -> Vec<Problem> {
        let kind = self.text_field("kind");
        if kind.is_empty() {
            let problem = self.option_problem("type", "it refers to nothing");
            return vec![
                problem.expected("kind = \"…\": the kind of the definition that it refers to"),
            ];
        }
        if self.registry.kind(kind).is_some() {
            return Vec::new();
        }
        let kinds = self.registry.kinds().map(|kind| &*kind.name);
        let problem = self.option_problem("kind", &format!("there is no kind {kind:?}"));
        vec![problem.suggest_name(nearest_name(kind, kinds))]
    }

    fn check_one_of_option(&self) -> Vec<Problem> {
        let values = self.texts_field("values");
        if values.is_empty() {
            let problem = self.option_problem("values", "it has no allowed values");
            return vec![problem.expected("values = { \"…\", \"…\" }")];
        }
        let duplicate = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value));
        let empty = values.iter().find(|value| value.trim().is_empty());
        let twice = duplicate.map(|(_, value)| {
            self.option_problem("values", &format!("{value:?} is listed twice"))
                .expected("each value once")
        });
        let empty = empty.map(|_| {
            self.option_problem("values", "one of its values is empty")
                .expected("texts that are not empty")
        });
        twice.into_iter().chain(empty).map(to_warning).collect()
    }

    fn check_int_option(&self) -> Vec<Problem> {
        match (self.int_field("min"), self.int_field("max")) {
            (Some(min), Some(max)) if min > max => {
                let found = format!("its minimum, {min}, is larger than its maximum, {max}");
                vec![self.option_problem("min", &found).expected("min no larger than max")]
            }
            _ => Vec::new(),
        }
    }

    /// Checks the default value, or one of a daily run, against the type.
    fn check_value(&self, ty: &str, field: &str, value: &Datum) -> Option<Problem> {
        let value_problem = |expected: String| {
            let shown = value.to_value().map_or("a function".to_owned(), |plain| plain.to_json());
            let what = if field == "default" { "its default" } else { "its value of a daily run" };
            let found = format!("{what}, {shown}, is not an allowed value");
            Some(self.option_problem(field, &found).expected(expected))
        };
        match (ty, value) {
            ("bool", Datum::Bool(_)) | ("text", Datum::Text(_)) => None,
            ("bool", _) => value_problem("true or false".to_owned()),
            ("text", _) => value_problem("a text".to_owned()),
            ("int", Datum::Int(int)) => {
                let (min, max) = (self.int_field("min"), self.int_field("max"));
                let is_below_min = min.is_some_and(|min| *int < min);
                let is_above_max = max.is_some_and(|max| *int > max);
                // Bounds in the wrong order have a Problem of their own.
                let are_bounds_reversed = min.zip(max).is_some_and(|(min, max)| min > max);
                let range = FieldType::Int { min, max };
                if (is_below_min || is_above_max) && !are_bounds_reversed {
                    value_problem(range.to_string())
                } else {
                    None
                }
            }
            ("int", _) => value_problem("a whole number".to_owned()),
            ("one_of", value) => {
                let values = self.texts_field("values");
                let text = value.as_text().unwrap_or_default();
                if values.is_empty() || values.contains(&text) {
                    return None;
                }
                let near = nearest_name(text, values.iter().copied());
                Some(value_problem(format!("one of {}", values.join(", ")))?.suggest_name(near))
            }
            ("ref", value) => {
                let kind = self.text_field("kind");
                self.registry.kind(kind)?;
                let text = value.as_text().unwrap_or_default();
                let id = match text.contains(':') {
                    true => text.to_owned(),
                    false => format!("{}:{text}", self.definition.id.mod_id()),
                };
                let there = self.registry.active_definitions(kind).any(|one| one.id.as_str() == id);
                let ids = || self.registry.active_definitions(kind).map(|one| one.id.as_str());
                let near = nearest_name(&id, ids()).map(str::to_owned);
                let problem =
                    if there { None } else { value_problem(format!("the id of a {kind}")) };
                problem.map(|problem| problem.suggest_name(near.as_deref()))
            }
            _ => None,
        }
    }
}

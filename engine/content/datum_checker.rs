//! Checks a datum against the type of its field. The result has full references and defaults; each
//! mismatch is a Problem at the line of the field.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::Datum;
use super::datum_map::DatumMap;
use super::error_path::{ErrorPath, ErrorPathStep};
use super::schema::{Field, FieldType, Kind};
use super::source_files::SourceFiles;
use base::problem::nearest_name;
use base::{Code, Id, Problem, SourceLocation, limits, text};

/// The ids of all definitions by kind, with the location of each declaration.
pub(super) type DeclaredIds<'p> = BTreeMap<Arc<str>, BTreeMap<Arc<str>, &'p SourceLocation>>;

/// The context of the check, and the Problems found so far.
pub(super) struct DatumChecker<'t> {
    pub(super) kinds: &'t BTreeMap<Arc<str>, Kind>,
    pub(super) declared_ids: &'t DeclaredIds<'t>,
    pub(super) sources: &'t SourceFiles,
    pub(super) problems: Vec<Problem>,
    /// Paths of fields that received their default, in the order of the check.
    pub(super) defaulted_paths: Vec<String>,
}

impl DatumChecker<'_> {
    /// Records a Problem at the error path, as far inside the definition as the source can be
    /// followed.
    pub(super) fn report_problem(
        &mut self,
        error_path: &ErrorPath<'_>,
        code: Code,
        what: &str,
    ) -> &mut Problem {
        let path = error_path.joined_path();
        let message = match path.is_empty() {
            true => format!("{}: {what}", error_path.subject),
            false => format!("{}, {path}: {what}", error_path.subject),
        };
        let place = self.sources.locate_field(error_path.place, &error_path.steps());
        self.problems.push(Problem::error(code, message).at(place));
        self.problems.last_mut().expect("one was just pushed")
    }

    fn report_wrong_type(
        &mut self,
        error_path: &ErrorPath<'_>,
        ty: &FieldType,
        datum: &Datum,
    ) -> Option<Datum> {
        let problem = self.report_problem(
            error_path,
            Code::WrongType,
            &format!("found {}", datum.describe_for_problem()),
        );
        problem.expected = Some(ty.to_string());
        let is_numeric_text = datum.as_text().is_some_and(|text| text.parse::<i64>().is_ok());
        if is_numeric_text && matches!(ty, FieldType::Int { .. } | FieldType::Number) {
            problem.hint = Some("write the number without quotes".to_owned());
        }
        None
    }

    /// Checks a datum; the result may be stored.
    pub(super) fn check_datum(
        &mut self,
        ty: &FieldType,
        datum: Datum,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        if error_path.path.len() > limits::MAX_NESTING_DEPTH {
            let what = format!("tables nested deeper than {}", limits::MAX_NESTING_DEPTH);
            self.report_problem(error_path, Code::TooDeep, &what);
            return None;
        }
        match (ty, datum) {
            (FieldType::Text | FieldType::SingleLineText(_), Datum::Text(text)) => {
                self.check_text_size_and_chars(text, error_path).map(Datum::Text)
            }
            (FieldType::Int { min, max }, Datum::Int(int)) => {
                let fits = min.is_none_or(|min| int >= min) && max.is_none_or(|max| int <= max);
                if fits {
                    Some(Datum::Int(int))
                } else {
                    self.report_wrong_type(error_path, ty, &Datum::Int(int))
                }
            }
            (FieldType::Number, datum @ (Datum::Int(_) | Datum::Num(_))) => Some(datum),
            (FieldType::Bool, datum @ Datum::Bool(_)) => Some(datum),
            (FieldType::Fn, datum @ Datum::Fn(_)) => Some(datum),
            (FieldType::OneOf(words), Datum::Text(word)) => {
                self.check_allowed_text(ty, words, word, error_path)
            }
            (FieldType::Ref(kind), Datum::Text(id)) => self.check_reference(kind, &id, error_path),
            (FieldType::List(inner), Datum::List(list)) => self.check_list(inner, list, error_path),
            (FieldType::List(_), Datum::Map(map)) if map.is_empty() => {
                Some(Datum::List(Vec::new()))
            }
            (FieldType::Map(inner), Datum::Map(map)) => self.check_map(inner, map, error_path),
            (FieldType::Map(_), Datum::List(list)) if list.is_empty() => Some(Datum::map_of([])),
            (FieldType::Record(fields), Datum::Map(map)) => {
                self.check_record(fields, map, error_path)
            }
            (FieldType::Record(fields), Datum::List(list)) if list.is_empty() => {
                self.check_record(fields, DatumMap::new(), error_path)
            }
            (FieldType::Any, datum) => self.check_untyped(datum, error_path),
            (FieldType::Either(types), datum) => {
                self.check_alternatives(ty, types, datum, error_path)
            }
            (ty, datum) => self.report_wrong_type(error_path, ty, &datum),
        }
    }

    fn check_text_size_and_chars(
        &mut self,
        text: Arc<str>,
        error_path: &ErrorPath<'_>,
    ) -> Option<Arc<str>> {
        if text.len() > limits::MAX_TEXT_BYTES {
            let what = format!("a text of {} bytes", text.len());
            let problem = self.report_problem(error_path, Code::TooLarge, &what);
            problem.expected = Some(format!("at most {}", limits::MAX_TEXT_BYTES));
            return None;
        }
        if let Some((_, invalid_char)) = text::first_unprintable(&text) {
            let problem = self.report_problem(
                error_path,
                Code::BadText,
                &format!("the text contains {invalid_char:?}"),
            );
            problem.expected = Some("text without control or invisible characters".to_owned());
            return None;
        }
        Some(text)
    }

    fn check_allowed_text(
        &mut self,
        ty: &FieldType,
        words: &[String],
        word: Arc<str>,
        error_path: &ErrorPath<'_>,
    ) -> Option<Datum> {
        if words.iter().any(|known| **known == *word) {
            return Some(Datum::Text(word));
        }
        self.report_wrong_type(error_path, ty, &Datum::Text(word.clone()));
        self.suggest_nearest_name(&word, words.iter().map(String::as_str));
        None
    }

    fn check_reference(
        &mut self,
        kind: &str,
        id: &str,
        error_path: &ErrorPath<'_>,
    ) -> Option<Datum> {
        let full_id = match Id::parse(id, &error_path.place.owner) {
            Ok(whole) => whole,
            Err(why) => {
                self.report_problem(error_path, Code::BadReference, &why).expected =
                    Some(format!("the id of a {kind}, such as \"mod:name\""));
                return None;
            }
        };
        let none = BTreeMap::new();
        let known = self.declared_ids.get(kind).unwrap_or(&none);
        if known.contains_key(full_id.as_str()) {
            return Some(Datum::text(full_id.as_str()));
        }
        let meant = suggest_id(full_id.as_str(), known.keys().map(|id| &**id));
        let problem = self.report_problem(
            error_path,
            Code::BadReference,
            &format!("there is no {kind} \"{full_id}\""),
        );
        problem.expected = Some(format!("the id of a {kind}"));
        problem.hint = meant.map(|meant| format!("did you mean \"{meant}\"?"));
        None
    }

    fn check_list(
        &mut self,
        inner: &FieldType,
        list: Vec<Datum>,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        self.check_entry_count(list.len(), error_path)?;
        let mut out = Some(Vec::with_capacity(list.len()));
        for (index, item) in list.into_iter().enumerate() {
            let step = ErrorPathStep::Item(index + 1);
            push_or_discard_list(
                &mut out,
                error_path.with_step(step, |error_path| self.check_datum(inner, item, error_path)),
            );
        }
        out.map(Datum::List)
    }

    fn check_map(
        &mut self,
        inner: &FieldType,
        map: DatumMap,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        self.check_entry_count(map.len(), error_path)?;
        let mut out = Some(Vec::with_capacity(map.len()));
        for (key, datum) in map {
            let key = self.check_text_size_and_chars(key, error_path);
            let step = ErrorPathStep::Field(key.clone().unwrap_or_default());
            let datum =
                error_path.with_step(step, |error_path| self.check_datum(inner, datum, error_path));
            push_or_discard_list(&mut out, key.zip(datum));
        }
        out.map(|map| Datum::Map(map.into_iter().collect()))
    }

    fn check_entry_count(&mut self, entries: usize, error_path: &ErrorPath<'_>) -> Option<()> {
        if entries <= limits::MAX_TABLE_ENTRIES {
            return Some(());
        }
        self.report_problem(error_path, Code::TooLarge, &format!("a table of {entries} entries"))
            .expected = Some(format!("at most {}", limits::MAX_TABLE_ENTRIES));
        None
    }

    /// Checks the fields of a record or of a whole definition.
    pub(super) fn check_record(
        &mut self,
        fields: &[Field],
        map: DatumMap,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        let mut values_by_field: Vec<Option<Datum>> = vec![None; fields.len()];
        let mut unknown = Vec::new();
        for (name, datum) in map {
            match fields.iter().position(|field| field.name == name) {
                Some(at) => values_by_field[at] = Some(datum),
                None => unknown.push(name),
            }
        }
        let mut out = Some(Vec::with_capacity(fields.len()));
        for (field, datum) in fields.iter().zip(values_by_field) {
            let step = || ErrorPathStep::Field(field.name.clone());
            let datum = match datum {
                Some(datum) => error_path
                    .with_step(step(), |error_path| self.check_datum(&field.ty, datum, error_path)),
                None if field.default.is_some() => {
                    self.defaulted_paths
                        .push(error_path.with_step(step(), |error_path| error_path.joined_path()));
                    field.default.clone()
                }
                None if field.is_optional => continue,
                None => self.report_missing_field(field, error_path),
            };
            push_or_discard_list(&mut out, datum.map(|datum| (field.name.clone(), datum)));
        }
        for name in unknown {
            self.report_unknown_field(fields, &name, error_path);
            out = None;
        }
        out.map(|out| Datum::Map(out.into_iter().collect()))
    }

    fn report_missing_field(&mut self, field: &Field, error_path: &ErrorPath<'_>) -> Option<Datum> {
        let problem = self.report_problem(
            error_path,
            Code::MissingField,
            &format!("{} is missing", field.name),
        );
        problem.expected = Some(format!("{} = {}", field.name, field.ty));
        if !field.doc.is_empty() {
            let doc = text::strip_rule_ids(&field.doc);
            problem.hint = Some(format!("add `{} = …`: {doc}", field.name));
        }
        None
    }

    /// Records a Problem for an unknown field.
    pub(super) fn report_unknown_field(
        &mut self,
        fields: &[Field],
        name: &str,
        error_path: &mut ErrorPath<'_>,
    ) {
        let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
        let step = ErrorPathStep::Field(name.into());
        let place = error_path.with_step(step, |error_path| {
            self.sources.locate_field(error_path.place, &error_path.steps())
        });
        let what = format!("unknown field {:?}", text::strip_unprintable(name));
        let problem = self.report_problem(error_path, Code::UnknownField, &what);
        problem.place = Some(place);
        problem.expected = Some(format!("one of {}", names.join(", ")));
        self.suggest_nearest_name(name, names.iter().copied());
    }

    fn check_untyped(&mut self, datum: Datum, error_path: &mut ErrorPath<'_>) -> Option<Datum> {
        match datum {
            Datum::Text(text) => self.check_text_size_and_chars(text, error_path).map(Datum::Text),
            Datum::List(list) => self.check_list(&FieldType::Any, list, error_path),
            Datum::Map(map) => self.check_map(&FieldType::Any, map, error_path),
            plain => Some(plain),
        }
    }

    /// Returns the datum as the first type that fits. If none fits, the error is reported for the
    /// type that the datum's own type indicates.
    fn check_alternatives(
        &mut self,
        whole_type: &FieldType,
        types: &[FieldType],
        datum: Datum,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        let (problems, defaults) = (self.problems.len(), self.defaulted_paths.len());
        let mut first_problems = None;
        // A type of another basic shape cannot fit.
        for ty in types.iter().filter(|ty| ty.accepts_basic_type(&datum)) {
            if let Some(datum) = self.check_datum(ty, datum.clone(), error_path) {
                return Some(datum);
            }
            self.defaulted_paths.truncate(defaults);
            let problems = self.problems.split_off(problems);
            first_problems.get_or_insert(problems);
        }
        match first_problems {
            Some(problems) => self.problems.extend(problems),
            None => drop(self.report_wrong_type(error_path, whole_type, &datum)),
        }
        None
    }

    /// Adds a suggestion to the last Problem.
    pub(super) fn suggest_nearest_name<'w>(
        &mut self,
        word: &str,
        known: impl Iterator<Item = &'w str>,
    ) {
        if let (Some(problem), Some(meant)) = (self.problems.last_mut(), nearest_name(word, known))
        {
            problem.hint = Some(format!("did you mean \"{meant}\"?"));
        }
    }
}

/// Appends an item; if it is `None`, the whole list becomes `None`.
fn push_or_discard_list<T>(list: &mut Option<Vec<T>>, one: Option<T>) {
    match (list.as_mut(), one) {
        (Some(list), Some(one)) => list.push(one),
        _ => *list = None,
    }
}

/// Suggests an id: the same name in another mod, or one with a similar spelling.
pub fn suggest_id<'t>(
    id: &str,
    mut known: impl Iterator<Item = &'t str> + Clone,
) -> Option<&'t str> {
    fn split_id(id: &str) -> (&str, &str) {
        id.split_once(':').unwrap_or(("", id))
    }
    let (owner, name) = split_id(id);
    let same_name = known.clone().find(|known| split_id(known).1 == name);
    same_name
        .or_else(|| nearest_name(id, known.clone().filter(|known| split_id(known).0 == owner)))
        .or_else(|| {
            let meant = nearest_name(name, known.clone().map(|known| split_id(known).1))?;
            known.find(|known| split_id(known).1 == meant)
        })
}

impl FieldType {
    /// Whether a datum has the basic shape of this type, regardless of its contents.
    pub fn accepts_basic_type(&self, datum: &Datum) -> bool {
        match self {
            Self::Text | Self::SingleLineText(_) | Self::OneOf(_) | Self::Ref(_) => {
                matches!(datum, Datum::Text(_))
            }
            Self::Int { .. } => matches!(datum, Datum::Int(_)),
            Self::Number => matches!(datum, Datum::Int(_) | Datum::Num(_)),
            Self::Bool => matches!(datum, Datum::Bool(_)),
            Self::List(_) => datum.as_list().is_some(),
            Self::Map(_) | Self::Record(_) => match datum {
                Datum::Map(_) => true,
                Datum::List(list) => list.is_empty(),
                _ => false,
            },
            Self::Fn => matches!(datum, Datum::Fn(_)),
            Self::Any => true,
            Self::Either(types) => types.iter().any(|ty| ty.accepts_basic_type(datum)),
        }
    }
}

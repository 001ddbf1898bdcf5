//! Checks a datum against the type of its field. The result has full references and defaults; each
//! mismatch is a Problem at the line of the field.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::Datum;
use super::datum_map::DatumMap;
use super::error_path::{ErrorPath, ErrorPathStep};
use super::file_declarations::DefinitionLookup;
use super::registry::suggest_id;
use super::schema::{Field, FieldList, FieldType, Kind};
use super::source_files::SourceFiles;
use super::type_checker::{BasicValue, Mismatch, MismatchReason, TypeChecker, TypedValue};
use base::problem::nearest_name;
use base::{Code, Id, Problem, SourceLocation, text};

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
    /// The definitions that were looked for.
    pub(super) lookups: Vec<DefinitionLookup>,
}

/// Looks for a definition, and tells whether it is there.
fn find_definition(declared_ids: &DeclaredIds<'_>, kind: &str, id: &str) -> DefinitionLookup {
    let ids = declared_ids.get_key_value(kind);
    let known_id = ids.and_then(|(_, ids)| ids.get_key_value(id));
    DefinitionLookup {
        kind: ids.map_or_else(|| Arc::from(kind), |(kind, _)| kind.clone()),
        id: known_id.map_or_else(|| Arc::from(id), |(id, _)| id.clone()),
        was_found: known_id.is_some(),
    }
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

    fn report_wrong_type(&mut self, error_path: &ErrorPath<'_>, ty: &FieldType, datum: &Datum) {
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
    }

    /// Checks a datum; the result may be stored.
    pub(super) fn check_datum(
        &mut self,
        ty: &FieldType,
        datum: Datum,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        if !self.check_characters(&datum, error_path) {
            return None;
        }
        let (declared_ids, owner) = (self.declared_ids, &*error_path.place.owner);
        let lookups = RefCell::new(std::mem::take(&mut self.lookups));
        let checker = TypeChecker {
            has_definition: &|kind, id| {
                let Ok(full_id) = Id::parse(id, owner) else { return false };
                let lookup = find_definition(declared_ids, kind, full_id.as_str());
                let was_found = lookup.was_found;
                lookups.borrow_mut().push(lookup);
                was_found
            },
            requires_all_fields: true,
            max_mismatches: usize::MAX,
        };
        let mismatches = checker.mismatches(ty, &datum);
        if mismatches.is_empty() {
            let completed = self.complete_datum(&checker, ty, datum, error_path);
            self.lookups = lookups.take();
            return Some(completed);
        }
        self.lookups = lookups.take();
        mismatches.iter().for_each(|mismatch| self.report_mismatch(mismatch, error_path));
        None
    }

    /// Checks the fields of a record or of a whole definition.
    pub(super) fn check_record(
        &mut self,
        fields: &FieldList,
        map: DatumMap,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<Datum> {
        self.check_datum(&FieldType::Record(fields.clone()), Datum::Map(map), error_path)
    }

    fn report_mismatch(&mut self, mismatch: &Mismatch<&Datum>, error_path: &mut ErrorPath<'_>) {
        // A missing or unknown field is reported at its table.
        let is_at_value = matches!(mismatch.reason, MismatchReason::WrongValue(_));
        let (depth, steps) = (error_path.path.len(), mismatch.reversed_path.iter().rev());
        error_path.path.extend(steps.cloned());
        if !is_at_value {
            error_path.path.pop();
        }
        match (&mismatch.reason, mismatch.value) {
            (MismatchReason::WrongValue(FieldType::Ref(kind)), Datum::Text(id)) => {
                self.report_bad_reference(kind, id, error_path);
            }
            (MismatchReason::WrongValue(ty), datum) => {
                self.report_wrong_type(error_path, ty, datum);
                if let (FieldType::OneOf(words), Datum::Text(word), Some(problem)) =
                    (ty, datum, self.problems.last_mut())
                {
                    problem.hint = words.explain_other_text(word);
                }
            }
            (MismatchReason::MissingField(fields, index), _) => {
                self.report_missing_field(&fields[*index], error_path);
            }
            (MismatchReason::UnknownField(fields), _) => {
                self.report_unknown_field(fields, mismatch.last_name(), error_path);
            }
        }
        error_path.path.truncate(depth);
    }

    fn report_bad_reference(&mut self, kind: &str, id: &str, error_path: &ErrorPath<'_>) {
        let full_id = match Id::parse(id, &error_path.place.owner) {
            Ok(full_id) => full_id,
            Err(reason) => {
                self.report_problem(error_path, Code::BadReference, &reason).expected =
                    Some(format!("the id of a {kind}, such as \"mod:name\""));
                return;
            }
        };
        let known_ids = self.declared_ids.get(kind);
        let meant =
            known_ids.and_then(|ids| suggest_id(full_id.as_str(), ids.keys().map(|id| &**id)));
        let message = format!("there is no {kind} \"{full_id}\"");
        let problem = self.report_problem(error_path, Code::BadReference, &message);
        problem.expected = Some(format!("the id of a {kind}"));
        problem.hint = meant.map(|meant| format!("did you mean \"{meant}\"?"));
    }

    /// Checks the characters of all texts, whatever their type. The reader has checked sizes.
    fn check_characters(&mut self, datum: &Datum, error_path: &mut ErrorPath<'_>) -> bool {
        match datum {
            Datum::Text(text) => self.check_text_characters(text, error_path),
            Datum::List(list) => list.iter().enumerate().fold(true, |fits, (index, item)| {
                let step = ErrorPathStep::Item(index + 1);
                error_path.with_step(step, |path| self.check_characters(item, path)) && fits
            }),
            Datum::Map(map) => map.iter().fold(true, |fits, (name, item)| {
                let step = ErrorPathStep::Field(name.clone());
                let name_fits = self.check_text_characters(name, error_path);
                error_path.with_step(step, |path| self.check_characters(item, path))
                    && name_fits
                    && fits
            }),
            _ => true,
        }
    }

    fn check_text_characters(&mut self, text: &str, error_path: &ErrorPath<'_>) -> bool {
        let Some((_, invalid_char)) = text::first_unprintable(text) else { return true };
        let what = format!("the text contains {invalid_char:?}");
        self.report_problem(error_path, Code::BadText, &what).expected =
            Some("text without control or invisible characters".to_owned());
        false
    }

    /// Adds the defaults to a datum that fits, and writes its references in full.
    fn complete_datum(
        &mut self,
        checker: &TypeChecker<'_>,
        ty: &FieldType,
        datum: Datum,
        error_path: &mut ErrorPath<'_>,
    ) -> Datum {
        let mut complete = |ty: &FieldType, datum: Datum, step: ErrorPathStep| {
            error_path.with_step(step, |path| self.complete_datum(checker, ty, datum, path))
        };
        match (ty, datum) {
            (FieldType::Ref(_), Datum::Text(id)) => match Id::parse(&id, &error_path.place.owner) {
                Ok(full_id) => Datum::text(full_id.as_str()),
                Err(_) => Datum::Text(id),
            },
            (FieldType::List(inner), Datum::List(list)) => {
                let items = list.into_iter().enumerate();
                let items =
                    items.map(|(at, item)| complete(inner, item, ErrorPathStep::Item(at + 1)));
                Datum::List(items.collect())
            }
            (FieldType::List(_), Datum::Map(_)) => Datum::List(Vec::new()),
            (FieldType::Map(inner), Datum::Map(map)) => {
                let entries = map.into_iter().map(|(name, item)| {
                    let item = complete(inner, item, ErrorPathStep::Field(name.clone()));
                    (name, item)
                });
                Datum::Map(entries.collect())
            }
            (FieldType::Map(_), Datum::List(_)) => Datum::map_of([]),
            (FieldType::Record(fields), Datum::Map(map)) => {
                self.complete_record(checker, fields, map, error_path)
            }
            (FieldType::Record(fields), Datum::List(_)) => {
                self.complete_record(checker, fields, DatumMap::new(), error_path)
            }
            (FieldType::Either(types), datum) => {
                match types.iter().find(|ty| checker.fits(ty, &datum)) {
                    Some(ty) => self.complete_datum(checker, ty, datum, error_path),
                    None => datum,
                }
            }
            (_, datum) => datum,
        }
    }

    fn complete_record(
        &mut self,
        checker: &TypeChecker<'_>,
        fields: &FieldList,
        map: DatumMap,
        error_path: &mut ErrorPath<'_>,
    ) -> Datum {
        let mut values_by_field: Vec<Option<Datum>> = vec![None; fields.len()];
        for (name, datum) in map {
            if let Some(index) = fields.iter().position(|field| field.name == name) {
                values_by_field[index] = Some(datum);
            }
        }
        let mut completed = Vec::with_capacity(fields.len());
        for (field, value) in fields.iter().zip(values_by_field) {
            error_path.with_step(ErrorPathStep::Field(field.name.clone()), |error_path| {
                let datum = match value {
                    Some(datum) => Some(self.complete_datum(checker, &field.ty, datum, error_path)),
                    None => field.default.clone().inspect(|_| {
                        self.defaulted_paths.push(error_path.joined_path());
                    }),
                };
                completed.extend(datum.map(|datum| (field.name.clone(), datum)));
            });
        }
        Datum::Map(completed.into_iter().collect())
    }

    fn report_missing_field(&mut self, field: &Field, error_path: &ErrorPath<'_>) {
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

impl TypedValue for &Datum {
    fn basic_value(&self) -> BasicValue<'_> {
        match self {
            Datum::Bool(truth) => BasicValue::Bool(Some(*truth)),
            Datum::Int(int) => BasicValue::Int(*int),
            Datum::Num(number) => BasicValue::Number(Some(*number)),
            Datum::Text(text) => BasicValue::Text(Some(text)),
            Datum::List(list) => {
                BasicValue::Table { has_items: !list.is_empty(), has_names: false }
            }
            Datum::Map(map) => BasicValue::Table { has_items: false, has_names: !map.is_empty() },
            Datum::Fn(_) => BasicValue::Function,
        }
    }

    fn items(&self) -> impl Iterator<Item = Self> {
        self.as_list().into_iter().flatten()
    }

    fn entries(&self) -> impl Iterator<Item = (&str, Self)> {
        self.as_map().into_iter().flat_map(|map| map.iter()).map(|(name, item)| (&**name, item))
    }
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

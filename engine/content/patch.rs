//! Applies edits to a definition. Each edit is checked like a declaration, and its provenance is
//! recorded: who made it, and the previous value.

use base::Code;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::{Datum, FunctionRef};
use super::datum_checker::DatumChecker;
use super::datum_map::DatumMap;
use super::definition_change::FieldEdit;
use super::error_path::{ErrorPath, ErrorPathStep};
use super::registry::{ChangeAction, Definition, ProvenanceRecord};
use super::schema::{Field, FieldType, Kind};

/// The edit of a definition by one change.
pub(super) struct DefinitionPatcher<'c, 't> {
    pub(super) checker: &'c mut DatumChecker<'t>,
    /// The provenance records of the edits.
    provenance_records: Vec<ProvenanceRecord>,
    /// Problems about taken names: the index of the Problem, and the path of the name.
    pub(super) duplicate_name_problems: Vec<(usize, String)>,
}

impl<'c, 't> DefinitionPatcher<'c, 't> {
    pub(super) fn new(checker: &'c mut DatumChecker<'t>) -> Self {
        Self { checker, provenance_records: Vec::new(), duplicate_name_problems: Vec::new() }
    }

    /// Applies an edit to a definition. Parts that do not fit are Problems; the others are applied.
    pub(super) fn patch_definition(
        mut self,
        definition: &mut Definition,
        kind: &Kind,
        edit: FieldEdit,
        error_path: &mut ErrorPath<'_>,
    ) {
        let edits = match edit {
            FieldEdit::Nested(edits) => edits,
            FieldEdit::Set(Datum::Map(map)) => to_set_edits(map),
            FieldEdit::Set(Datum::List(list)) if list.is_empty() => BTreeMap::new(),
            other => match &kind.body_field {
                Some(body) => BTreeMap::from([(body.clone(), other)]),
                None => {
                    let what = format!("found {}", other.describe_edit());
                    self.checker.report_problem(error_path, Code::WrongType, &what).expected =
                        Some("a table of the fields to change".to_owned());
                    return;
                }
            },
        };
        self.edit_fields(&mut definition.fields, &kind.fields, edits, error_path);
        self.add_duplicate_name_locations(definition);
        definition.changes.append(&mut self.provenance_records);
    }

    /// Adds to each Problem about a taken name where that name was set.
    fn add_duplicate_name_locations(&mut self, definition: &Definition) {
        for (problem_index, path) in std::mem::take(&mut self.duplicate_name_problems) {
            let earlier = definition.changes.iter().rev().find(|change| change.path == path);
            let steps: Vec<String> = path.split('.').map(str::to_owned).collect();
            let place = match earlier {
                Some(change) => change.place.clone(),
                None => self.checker.sources.locate_field(&definition.place, &steps),
            };
            self.checker.problems[problem_index].related_locations.push(place);
        }
    }

    pub(super) fn record_provenance(
        &mut self,
        error_path: &ErrorPath<'_>,
        what: ChangeAction,
        before: Option<Datum>,
    ) {
        self.provenance_records.push(ProvenanceRecord {
            path: error_path.joined_path(),
            owner: error_path.place.owner.clone(),
            place: self.checker.sources.locate_field(error_path.place, &error_path.steps()),
            action: what,
            previous_value: before,
            is_optional: false,
        });
    }

    /// Edits the fields of a definition or of a record.
    fn edit_fields(
        &mut self,
        map: &mut DatumMap,
        fields: &[Field],
        edits: BTreeMap<Arc<str>, FieldEdit>,
        error_path: &mut ErrorPath<'_>,
    ) {
        for (name, edit) in edits {
            let Some(field) = fields.iter().find(|field| field.name == name) else {
                self.checker.report_unknown_field(fields, &name, error_path);
                continue;
            };
            self.edit_entry(map, &field.name, &field.ty, edit, error_path);
        }
    }

    /// Edits the value under a key.
    fn edit_entry(
        &mut self,
        map: &mut DatumMap,
        key: &Arc<str>,
        ty: &FieldType,
        edit: FieldEdit,
        error_path: &mut ErrorPath<'_>,
    ) {
        let mut current = map.remove(key);
        let step = ErrorPathStep::Field(key.clone());
        error_path
            .with_step(step, |error_path| self.edit_value(&mut current, ty, edit, error_path));
        if let Some(datum) = current {
            map.insert(key.clone(), datum);
        }
    }

    fn edit_value(
        &mut self,
        current: &mut Option<Datum>,
        ty: &FieldType,
        edit: FieldEdit,
        error_path: &mut ErrorPath<'_>,
    ) {
        let ty = select_edited_type(ty, current.as_ref(), &edit);
        match edit {
            FieldEdit::Set(Datum::Map(map)) if current.is_some() && has_named_entries(ty) => {
                self.edit_entries(current, ty, to_set_edits(map), error_path);
            }
            FieldEdit::Set(datum) => {
                if let Some(datum) = self.checker.check_datum(ty, datum, error_path) {
                    let before = current.replace(datum);
                    self.record_provenance(error_path, ChangeAction::Set, before);
                }
            }
            FieldEdit::Add(additions) => self.add_to_field(current, ty, additions, error_path),
            FieldEdit::Drop(removals) => self.drop_from_field(current, ty, removals, error_path),
            FieldEdit::Wrap(wrapper) => self.wrap_function(current, wrapper, error_path),
            FieldEdit::Nested(edits) => self.edit_entries(current, ty, edits, error_path),
        }
    }

    /// Edits the fields of a record or the entries of a map.
    fn edit_entries(
        &mut self,
        current: &mut Option<Datum>,
        ty: &FieldType,
        edits: BTreeMap<Arc<str>, FieldEdit>,
        error_path: &mut ErrorPath<'_>,
    ) {
        if let Some(Datum::List(list)) = current
            && list.is_empty()
        {
            *current = Some(Datum::Map(DatumMap::new()));
        }
        match (ty, current) {
            (FieldType::Record(fields), Some(Datum::Map(map))) => {
                self.edit_fields(map, fields, edits, error_path);
            }
            (FieldType::Map(inner), Some(Datum::Map(map))) => {
                for (key, edit) in edits {
                    self.edit_entry(map, &key, inner, edit, error_path);
                }
            }
            (FieldType::Any, Some(Datum::Map(map))) => {
                for (key, edit) in edits {
                    self.edit_entry(map, &key, &FieldType::Any, edit, error_path);
                }
            }
            (ty, None) if has_named_entries(ty) => {
                self.report_absent_value(
                    error_path,
                    "this field has no value to change",
                    "set the whole value",
                );
            }
            (ty, _) => {
                let problem = self.checker.report_problem(
                    error_path,
                    Code::WrongType,
                    "found a table of changes",
                );
                problem.expected = Some(ty.to_string());
            }
        }
    }

    fn wrap_function(
        &mut self,
        current: &mut Option<Datum>,
        wrapper: FunctionRef,
        error_path: &mut ErrorPath<'_>,
    ) {
        match current {
            Some(Datum::Fn(function)) => {
                let before = Datum::Fn(function.clone());
                function.wrappers.push(wrapper);
                self.record_provenance(error_path, ChangeAction::Wrapped, Some(before));
            }
            Some(other) => {
                let what = format!("`wrap` does not work on {}", other.describe_for_problem());
                self.checker.report_problem(error_path, Code::WrongType, &what).expected =
                    Some("a function".to_owned());
            }
            None => self.report_absent_value(
                error_path,
                "there is no function here to wrap",
                "set a function of your own",
            ),
        }
    }

    pub(super) fn report_absent_value(
        &mut self,
        error_path: &ErrorPath<'_>,
        what: &str,
        hint: &str,
    ) {
        self.checker.report_problem(error_path, Code::AbsentTarget, what).hint =
            Some(hint.to_owned());
    }
}

impl FieldEdit {
    /// The edit as a Problem describes it.
    fn describe_edit(&self) -> String {
        match self {
            Self::Set(datum) => datum.describe_for_problem(),
            Self::Add(_) => "add { … }".to_owned(),
            Self::Drop(_) => "drop { … }".to_owned(),
            Self::Wrap(_) => "wrap( … )".to_owned(),
            Self::Nested(_) => "a table of changes".to_owned(),
        }
    }
}

fn to_set_edits(map: DatumMap) -> BTreeMap<Arc<str>, FieldEdit> {
    map.into_iter().map(|(key, datum)| (key, FieldEdit::Set(datum))).collect()
}

/// Whether a field holds a table whose entries can be edited one by one.
fn has_named_entries(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Record(_) | FieldType::Map(_))
}

/// Of several types of a field, the one that an edit applies to: that of the present value, or for
/// a plain value all of them.
fn select_edited_type<'f>(
    ty: &'f FieldType,
    current: Option<&Datum>,
    edit: &FieldEdit,
) -> &'f FieldType {
    let FieldType::Either(types) = ty else { return ty };
    let fits = |datum: &Datum| types.iter().find(|ty| ty.accepts_basic_type(datum));
    match (edit, current) {
        (FieldEdit::Set(Datum::Map(map)), Some(Datum::Map(_))) => {
            fits(&Datum::Map(map.clone())).unwrap_or(ty)
        }
        (FieldEdit::Set(_), _) | (_, None) => ty,
        (_, Some(current)) => fits(current).unwrap_or(ty),
    }
}

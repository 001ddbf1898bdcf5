//! Applies `add { … }` and `drop { … }` to a list or a table of names.

use super::datum::Datum;
use super::datum_map::DatumMap;
use super::error_path::{ErrorPath, ErrorPathStep};
use super::patch::DefinitionPatcher;
use super::registry::ChangeAction;
use super::schema::FieldType;
use base::Code;

impl DefinitionPatcher<'_, '_> {
    pub(super) fn add_to_field(
        &mut self,
        current: &mut Option<Datum>,
        ty: &FieldType,
        additions: Datum,
        error_path: &mut ErrorPath<'_>,
    ) {
        let as_map = match ty {
            FieldType::Map(_) => true,
            FieldType::Any => matches!(current, Some(Datum::Map(map)) if !map.is_empty()),
            _ => false,
        };
        if as_map {
            return self.add_entries(current, ty, additions, error_path);
        }
        if !matches!(ty, FieldType::List(_) | FieldType::Any) {
            let problem = self.checker.report_problem(
                error_path,
                Code::WrongType,
                "`add` does not work on this field",
            );
            problem.hint = Some("set the field without `add`".to_owned());
            return;
        }
        let list = FieldType::list(element_type(ty).clone());
        let Some(Datum::List(more)) = self.checker.check_datum(&list, additions, error_path) else {
            return;
        };
        let before = current.clone();
        let mut items = match current.take() {
            Some(Datum::List(items)) => items,
            Some(Datum::Map(map)) if map.is_empty() => Vec::new(),
            None => Vec::new(),
            Some(other) => {
                let what = format!("`add` does not work on {}", other.describe_for_problem());
                self.checker.report_problem(error_path, Code::WrongType, &what);
                *current = Some(other);
                return;
            }
        };
        items.extend(more);
        *current = Some(Datum::List(items));
        self.record_provenance(error_path, ChangeAction::Added, before);
    }

    fn add_entries(
        &mut self,
        current: &mut Option<Datum>,
        ty: &FieldType,
        additions: Datum,
        error_path: &mut ErrorPath<'_>,
    ) {
        let map = FieldType::map(element_type(ty).clone());
        let Some(Datum::Map(more)) = self.checker.check_datum(&map, additions, error_path) else {
            return;
        };
        let mut entries = match current.take() {
            Some(Datum::Map(entries)) => entries,
            _ => DatumMap::new(),
        };
        for (key, datum) in more {
            error_path.path.push(ErrorPathStep::Field(key.clone()));
            if entries.contains_key(&key) {
                let problem = self.checker.report_problem(
                    error_path,
                    Code::AlreadyThere,
                    "an entry with this name exists already",
                );
                problem.expected = Some("a new name".to_owned());
                problem.hint =
                    Some("to change the existing entry, write it without `add`".to_owned());
                let problem_index = self.checker.problems.len() - 1;
                self.duplicate_name_problems.push((problem_index, error_path.joined_path()));
            } else {
                entries.insert(key, datum);
                self.record_provenance(error_path, ChangeAction::Added, None);
            }
            error_path.path.pop();
        }
        *current = Some(Datum::Map(entries));
    }

    pub(super) fn drop_from_field(
        &mut self,
        current: &mut Option<Datum>,
        ty: &FieldType,
        removals: Datum,
        error_path: &mut ErrorPath<'_>,
    ) {
        let Some(less) = removals.as_list().map(<[Datum]>::to_vec) else {
            let what = format!("`drop` got {}", removals.describe_for_problem());
            self.checker.report_problem(error_path, Code::WrongType, &what).expected =
                Some("a list of items to remove: drop { \"a\", \"b\" }".to_owned());
            return;
        };
        match current {
            Some(Datum::List(items)) => {
                let before = Datum::List(items.clone());
                let mut any_dropped = false;
                for one in less {
                    any_dropped |= self.drop_item(items, element_type(ty), one, error_path);
                }
                if any_dropped {
                    self.record_provenance(error_path, ChangeAction::Dropped, Some(before));
                }
            }
            Some(Datum::Map(entries)) => {
                for one in less {
                    self.drop_entry(entries, ty, &one, error_path);
                }
            }
            Some(other) => {
                let what = format!("`drop` does not work on {}", other.describe_for_problem());
                self.checker.report_problem(error_path, Code::WrongType, &what);
            }
            None => self.report_absent_value(
                error_path,
                "this field has no value to drop from",
                "remove this `drop`",
            ),
        }
    }

    /// Removes the items that are equal to the given one, or whose `id` it is.
    fn drop_item(
        &mut self,
        items: &mut Vec<Datum>,
        ty: &FieldType,
        item: Datum,
        error_path: &mut ErrorPath<'_>,
    ) -> bool {
        let count = items.len();
        items.retain(|present| present.get("id").is_none_or(|id| *id != item));
        if items.len() == count
            && ty.accepts_basic_type(&item)
            && let Some(one) = self.checker.check_datum(ty, item.clone(), error_path)
        {
            items.retain(|item| *item != one);
        }
        if items.len() == count {
            let what = format!("{} is not in the list", item.describe_for_problem());
            self.report_absent_value(
                error_path,
                &what,
                "name an existing item by its value or its id",
            );
        }
        items.len() < count
    }

    fn drop_entry(
        &mut self,
        entries: &mut DatumMap,
        ty: &FieldType,
        key: &Datum,
        error_path: &mut ErrorPath<'_>,
    ) {
        let key = key.as_text().unwrap_or_default();
        if let FieldType::Record(fields) = ty
            && let Some(field) = fields.iter().find(|field| &*field.name == key)
            && !field.is_optional
        {
            let what = format!("{key} cannot be dropped: it is required");
            self.checker.report_problem(error_path, Code::MissingField, &what).hint =
                Some("set it to something else instead".to_owned());
            return;
        }
        match entries.remove(key) {
            Some(before) => {
                let step = ErrorPathStep::Field(key.into());
                error_path.with_step(step, |error_path| {
                    self.record_provenance(error_path, ChangeAction::Dropped, Some(before))
                });
            }
            None => {
                let names: Vec<&str> = entries.keys().map(|key| &**key).collect();
                let expected = format!("one of {}", names.join(", "));
                let what = format!("there is no {key:?} to drop");
                self.report_absent_value(error_path, &what, "name an existing entry");
                if let Some(problem) = self.checker.problems.last_mut() {
                    problem.expected = Some(expected);
                }
                self.checker.suggest_nearest_name(key, names.into_iter());
            }
        }
    }
}

/// The type of the items of a list or the entries of a map.
fn element_type(ty: &FieldType) -> &FieldType {
    match ty {
        FieldType::List(inner) | FieldType::Map(inner) => inner,
        _ => &FieldType::Any,
    }
}

//! Tables of fields that occur in several places of the reference: printed once, and linked to from
//! the others.

use super::reference_contents::anchor_of_title;
use content::{Field, FieldType};

/// Smaller tables are printed wherever they occur.
const MIN_SHARED_FIELDS: usize = 5;

/// Where each large table is printed: of several places, the one that is declared first.
pub(super) struct SharedTables<'r>(Vec<PrintedTable<'r>>);

struct PrintedTable<'r> {
    fields: &'r [Field],
    /// The heading that it is printed under, and its path there.
    title: String,
    path: String,
}

/// A heading of the reference, and its tables.
#[derive(Clone, Copy)]
pub(super) struct FieldSection<'s, 'r> {
    pub(super) title: &'s str,
    pub(super) tables: &'s SharedTables<'r>,
}

impl<'r> SharedTables<'r> {
    /// Collects the tables below these headings, in order; each heading has fields, whose paths
    /// begin with the given text.
    pub(super) fn collect(
        sections: impl Iterator<Item = (String, &'r [Field], &'static str)>,
    ) -> Self {
        let mut tables = Self(Vec::new());
        for (title, fields, prefix) in sections {
            tables.add_fields(&title, fields, prefix);
        }
        tables
    }

    fn add_fields(&mut self, title: &str, fields: &'r [Field], prefix: &str) {
        for field in fields {
            self.add_type(title, &field.ty, format!("{prefix}{}", field.name));
        }
    }

    fn add_type(&mut self, title: &str, ty: &'r FieldType, path: String) {
        match ty {
            FieldType::Record(fields) if self.find(fields).is_some() => {}
            FieldType::Record(fields) => {
                if fields.len() >= MIN_SHARED_FIELDS {
                    let (title, path) = (title.to_owned(), path.clone());
                    self.0.push(PrintedTable { fields, title, path });
                }
                self.add_fields(title, fields, &format!("{path}."));
            }
            FieldType::List(one) => self.add_type(title, one, format!("{path}[]")),
            FieldType::Map(one) => self.add_type(title, one, format!("{path}.*")),
            FieldType::Either(types) => {
                types.iter().for_each(|one| self.add_type(title, one, path.clone()));
            }
            _ => {}
        }
    }

    fn find(&self, fields: &[Field]) -> Option<&PrintedTable<'r>> {
        self.0.iter().find(|table| table.fields == fields)
    }
}

impl FieldSection<'_, '_> {
    /// The link to the place where the fields of a table at this path are printed, if it is another
    /// one.
    pub(super) fn link_of_table(&self, fields: &[Field], path: &str) -> Option<String> {
        let table = self.tables.find(fields)?;
        let is_here = table.title == self.title && table.path == path;
        let (title, anchor) = (&table.title, anchor_of_title(&table.title));
        (!is_here).then(|| format!("[`{}` of {title}](#{anchor})", table.path))
    }

    /// The same for the first table in the type of a field.
    pub(super) fn link_of_type(&self, ty: &FieldType, path: &str) -> Option<String> {
        match ty {
            FieldType::Record(fields) => self.link_of_table(fields, path),
            FieldType::List(one) => self.link_of_type(one, &format!("{path}[]")),
            FieldType::Map(one) => self.link_of_type(one, &format!("{path}.*")),
            FieldType::Either(types) => types.iter().find_map(|one| self.link_of_type(one, path)),
            _ => None,
        }
    }
}

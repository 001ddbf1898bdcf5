//! Chains that start with a name: `boat.hull.name`, `boats["skiff"]`, `f(x).y`.

use full_moon::ast::{Expression, Index, Suffix};
use full_moon::tokenizer::TokenReference;

use super::super::FieldRead;
use super::super::literal::path_steps;
use super::super::syntax::{is_concatenation, string_value, token_line, token_name};
use super::ScriptWalker;

impl ScriptWalker {
    /// Reads a chain that starts with this name.
    pub(super) fn read_access_chain<'a>(
        &mut self,
        token: &TokenReference,
        suffixes: impl Iterator<Item = &'a Suffix>,
    ) {
        let front = token_name(token);
        let all: Vec<&Suffix> = suffixes.collect();
        let Some(Suffix::Index(index)) = all.first() else { return };
        let field_name = match index {
            Index::Dot { name: field, .. } => Some(token_name(field)),
            Index::Brackets { expression, .. } => match &**expression {
                Expression::String(token) => string_value(token.token()),
                _ => None,
            },
            _ => None,
        };
        let local = self.locals.find_local(&front);
        if let (Some(local), Some(field)) = (local, &field_name) {
            self.uses.shadowing.add_use(local, &front, Some(field), token_line(token));
            self.uses.add_required_file_member(local, token, field);
        }
        if let Some(part) = self.uses.access_path_of_name(local, &front) {
            let (steps, to_its_end) = path_steps(all.iter().copied());
            self.uses.add_access(token, part.append_steps(steps), to_its_end);
        }
        if let Some(local) = local {
            return self.locals.mark_indexed(local);
        }
        self.uses.add_global(token, field_name, false);
        let read = match index {
            Index::Dot { name: field, .. } => Some(token_name(field)),
            Index::Brackets { expression, .. } => match &**expression {
                Expression::String(token) => string_value(token.token()),
                other if is_concatenation(other) => None,
                _ => return,
            },
            _ => return,
        };
        match read {
            _ if self.is_in_lint() => {}
            Some(name) => drop(self.summary.field_reads.insert(FieldRead { table: front, name })),
            None => drop(self.summary.globals_used_as_values.insert(front)),
        }
    }
}

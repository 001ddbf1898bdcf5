//! Bindings: new locals, assignments, and arguments of local functions.

use full_moon::ast::{Call, Expression, Field, FunctionArgs, FunctionCall, Index, Suffix, Var};
use full_moon::tokenizer::TokenReference;

use super::super::locals::Key;
use super::super::names::{bare, front, is_reference, line, name, table};
use super::super::said::{Part, Said, line_of, part, said, steps};
use super::Reader;

impl Reader {
    pub(super) fn assign(&mut self, target: &Var, given: Said) {
        match target {
            Var::Name(token) => match self.locals.find(&name(token)) {
                Some(local) => {
                    self.locals.assigned(local, line(token));
                    self.uses.assigned(local);
                }
                None => self.uses.global(token, None, true),
            },
            Var::Expression(chain) => {
                let Some(token) = front(chain.prefix()) else { return };
                self.uses.gives(token, given);
                let Some(local) = self.locals.find(&name(token)) else { return };
                let suffixes: Vec<&Suffix> = chain.suffixes().collect();
                self.uses.hiding.written(local);
                if suffixes.iter().all(|suffix| matches!(suffix, Suffix::Index(_))) {
                    self.locals.changed(local, line(token));
                }
                if let [Suffix::Index(Index::Brackets { expression, .. })] = suffixes.as_slice()
                    && let Some(key) = self.key(expression)
                {
                    self.locals.written(local, key);
                }
            }
            _ => {}
        }
    }

    /// A key that may have no order.
    pub(super) fn key(&self, expression: &Expression) -> Option<Key> {
        if is_reference(expression) {
            return Some(Key::Reference);
        }
        self.locals.find(&name(bare(expression)?)).map(Key::Local)
    }

    pub(super) fn declare(&mut self, token: &TokenReference, value: Option<&Expression>) {
        let made = value.and_then(table);
        let reference = value.is_some_and(is_reference);
        // The right side sees the names before the declaration.
        let part = value.and_then(|value| self.part_of(value));
        let holds = value.map(|value| self.uses.written_out(value, |name| self.locals.find(name)));
        let local = self.locals.declare(name(token), line(token), made.is_some(), reference);
        if let Some(Expression::Function(function)) = value {
            self.uses.handed.holds(local, function.body());
        }
        part.into_iter().for_each(|part| self.uses.holds(local, part));
        holds.into_iter().for_each(|holds| self.uses.hiding.holds(local, line(token), holds));
        if let Some(value) = value.filter(|_| self.locals.find("require").is_none()) {
            self.uses.requires(local, value);
        }
        value.into_iter().for_each(|value| self.uses.showing.holds(local, value));
        let Some(made) = made else { return };
        for field in made.fields() {
            if let Field::ExpressionKey { key, .. } = field
                && let Some(key) = self.key(key)
            {
                self.locals.written(local, key);
            }
        }
    }

    /// Records that a local gets a result of a call: which one, if the call is last in the list.
    pub(super) fn gives(&mut self, token: &TokenReference, values: &[&Expression], index: usize) {
        let last = values.len().saturating_sub(1);
        let (Some(call), Some(local)) =
            (values.get(index.min(last)), self.locals.find(&name(token)))
        else {
            return;
        };
        // The call sees the names before the declaration.
        let find = |name: &str| self.locals.find(name).filter(|found| *found < local);
        if let Some(part) = self.uses.given_by(call, index.saturating_sub(last), find) {
            self.uses.holds(local, part);
        }
    }

    /// Records a comparison with a literal.
    pub(super) fn compared(&mut self, one: &Expression, with: &Expression) {
        if let (Some(part), Said::Text(Some(text))) = (self.part_of(one), said(with)) {
            self.uses.compares(part, text, line_of(with));
        }
    }

    /// The access path of an expression.
    pub(super) fn part_of(&self, expression: &Expression) -> Option<Part> {
        part(expression, &|name| self.uses.held(self.locals.find(name), name))
    }

    /// Records a read of a call's result without a name: `blows.last().outcome`.
    pub(super) fn asked_at_once(&mut self, token: &TokenReference, suffixes: &[&Suffix]) {
        let called = suffixes.iter().map_while(|suffix| match suffix {
            Suffix::Index(Index::Dot { name: field, .. }) => Some(name(field)),
            _ => None,
        });
        let called: Vec<String> = std::iter::once(name(token)).chain(called).collect();
        let Some((Suffix::Call(Call::AnonymousCall(_)), rest)) =
            suffixes[called.len() - 1..].split_first().map(|(call, rest)| (*call, rest))
        else {
            return;
        };
        let (steps, to_its_end) = steps(rest.iter().copied());
        if !steps.is_empty() {
            let part = self.uses.whole_given_by(called.join(".")).then(steps);
            self.uses.part(token, part, to_its_end);
        }
    }

    /// Records a call of a local.
    pub(super) fn called(&mut self, token: &TokenReference, call: &FunctionCall) {
        let Some(local) = self.locals.find(&name(token)) else { return };
        let Some(Suffix::Call(Call::AnonymousCall(arguments))) = call.suffixes().next() else {
            return;
        };
        self.uses.hiding.used(local, &name(token), None, line(token));
        let given = match &**arguments {
            FunctionArgs::Parentheses { arguments, .. } => {
                arguments.iter().map(|one| self.part_of(one)).collect()
            }
            _ => vec![None],
        };
        self.uses.handed.called(local, given);
    }
}

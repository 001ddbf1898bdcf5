//! Values that come from calls: which function is called, and the access path of its results.

use full_moon::ast::{Call, Expression, FunctionArgs, Suffix, Var};

use super::super::file_uses::ValueSource;
use super::super::lib_files::{RequiredFile, is_field_call};
use super::super::literal::{
    AccessPath, Literal, PathRoot, access_path, path_steps, table_literal,
};
use super::super::locals::LocalId;
use super::super::syntax::{
    AccessChain, callee_and_arguments, first_argument, first_chain_name, first_string_token,
    string_value, table_constructor, token_name,
};
use super::UseCollector;
use content::StatePathStep;
use script::FAILURE_OUTCOME;

impl UseCollector {
    /// The source of a value.
    pub(in super::super) fn value_source(
        &self,
        expression: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<ValueSource> {
        let part = access_path(expression, &|name| self.access_path_of_name(local(name), name))
            .or_else(|| self.field_of_result_path(expression, &local))
            .or_else(|| self.local_call_path(expression, &local));
        let has_known_type = |part: &AccessPath| {
            !part.path.is_empty() || !matches!(part.root, PathRoot::State | PathRoot::Global(_))
        };
        part.filter(has_known_type).map(ValueSource::Path).or_else(|| {
            let (called, required_file) = self.called_function(expression, local)?;
            Some(ValueSource::Call(called, required_file))
        })
    }

    /// The global function that a chain calls first, and the arguments. A local may rename it.
    pub(in super::super) fn called_global<'c>(
        &self,
        call: &'c impl AccessChain,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<(String, Option<&'c FunctionArgs>)> {
        let (written, arguments) = callee_and_arguments(call)?;
        let front = token_name(first_chain_name(call.prefix())?);
        match local(&front) {
            None => Some((written, arguments)),
            Some(own) => {
                let function = self.function_values.aliased_function(own)?;
                Some((format!("{function}{}", &written[front.len()..]), arguments))
            }
        }
    }

    /// The function whose call an expression is, if it is not a local of the file.
    fn called_function(
        &self,
        expression: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<(String, Option<RequiredFile>)> {
        let Expression::FunctionCall(call) = expression else { return None };
        let front_local = local(&token_name(first_chain_name(call.prefix())?));
        let required_file =
            self.required_file(front_local).filter(|_| is_field_call(call)).cloned();
        let ends = matches!(call.suffixes().last(), Some(Suffix::Call(_)));
        let (called, _) = match &required_file {
            Some(_) => callee_and_arguments(call),
            None => self.called_global(call, &local),
        }
        .filter(|_| ends && call.call_count() == 1)?;
        Some((called, required_file))
    }

    /// The access path of one result of a call.
    pub(in super::super) fn call_result_path(
        &self,
        call: &Expression,
        at: usize,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<AccessPath> {
        if let Some(path) = self.local_call_path(call, &local).filter(|_| at == 0) {
            return Some(path);
        }
        let (called, required_file) = self.called_function(call, &local)?;
        if let (None, "roll", 1, Some(words)) = (&required_file, &*called, at, roll_outcomes(call))
        {
            return Some(AccessPath::from_root(PathRoot::RollParts(words)));
        }
        if let (None, Expression::FunctionCall(call), 0) = (&required_file, call, at)
            && let (_, Some(arguments)) = callee_and_arguments(call)?
            && let Some(path) = event_result_path(&called, arguments)
                .or_else(|| self.picked_item_path(&called, arguments, &local))
        {
            return Some(path);
        }
        let via_locals = required_file.iter().map(|of| of.local_id).collect();
        let source =
            PathRoot::CallResult(self.file.clone(), (called, required_file.map(|of| of.path)), at);
        Some(AccessPath { via_locals, ..AccessPath::from_root(source) })
    }

    /// The access path of the first result of a global function.
    pub(in super::super) fn first_result_path(
        &self,
        called: String,
        arguments: &FunctionArgs,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> AccessPath {
        let path = event_result_path(&called, arguments)
            .or_else(|| self.picked_item_path(&called, arguments, local));
        path.unwrap_or_else(|| {
            AccessPath::from_root(PathRoot::CallResult(self.file.clone(), (called, None), 0))
        })
    }

    /// The path of an item that `pick` takes out of a list: `pick(all(boat), "quay")`.
    fn picked_item_path(
        &self,
        called: &str,
        arguments: &FunctionArgs,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<AccessPath> {
        let list = first_argument(arguments).filter(|_| called == "pick")?;
        let path_of = |value: &Expression| {
            access_path(value, &|name| self.access_path_of_name(local(name), name))
        };
        let path = path_of(list).or_else(|| path_of(listed_kind(list)?));
        Some(path?.append_steps([StatePathStep::AnyEntry]))
    }

    /// The path of a field of a call's result: `rooms.here().foe`.
    pub(in super::super) fn field_of_result_path(
        &self,
        expression: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<AccessPath> {
        let Expression::Var(Var::Expression(chain)) = expression else { return None };
        let mut suffixes = chain.suffixes().skip_while(|suffix| matches!(suffix, Suffix::Index(_)));
        let Some(Suffix::Call(Call::AnonymousCall(arguments))) = suffixes.next() else {
            return None;
        };
        let (steps, true) = path_steps(suffixes) else { return None };
        let result = self.local_result_path(&**chain, &local).or_else(|| {
            let (called, _) = self.called_global(&**chain, &local)?;
            Some(self.first_result_path(called, arguments, &local))
        })?;
        Some(result.append_steps(steps))
    }

    /// The path of the result of a function of the file, for a call that is a whole expression.
    fn local_call_path(
        &self,
        expression: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<AccessPath> {
        let Expression::FunctionCall(call) = expression else { return None };
        (call.suffixes().count() == 1).then(|| self.local_result_path(call, local))?
    }

    /// The path of the result of a function of the file, for a chain that calls it first.
    pub(in super::super) fn local_result_path(
        &self,
        call: &impl AccessChain,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<AccessPath> {
        let Some(Suffix::Call(_)) = call.suffixes().next() else { return None };
        let local = local(&token_name(first_chain_name(call.prefix())?))?;
        let body = self.param_inference.function_body(local)?;
        let function = self.functions.function_of_body(body)?;
        let root = PathRoot::FunctionResult(self.file.clone(), function);
        Some(AccessPath { via_locals: vec![local], ..AccessPath::from_root(root) })
    }
}

/// The kind whose definitions `all` lists: `boat` of `all(boat)`.
pub(in super::super) fn listed_kind(value: &Expression) -> Option<&Expression> {
    let Expression::FunctionCall(call) = value else { return None };
    let (called, arguments) = callee_and_arguments(call)?;
    arguments.filter(|_| called == "all").and_then(first_argument)
}

/// The event that `emit` or `preview` returns, if its name is written out.
fn event_result_path(called: &str, arguments: &FunctionArgs) -> Option<AccessPath> {
    let name = first_string_token(arguments).filter(|_| ["emit", "preview"].contains(&called))?;
    Some(AccessPath::from_root(PathRoot::Event(string_value(name.token())?)))
}

/// The outcomes of a roll, if they are written out:
/// `roll("2d6", "dive", { outcome = { clean = 9 } })`.
fn roll_outcomes(call: &Expression) -> Option<Vec<String>> {
    let Expression::FunctionCall(call) = call else { return None };
    let (_, arguments) = callee_and_arguments(call)?;
    let FunctionArgs::Parentheses { arguments, .. } = arguments? else { return None };
    let about = table_literal(table_constructor(arguments.iter().nth(2)?)?);
    match about.get("outcome")? {
        Literal::Table(judge) if !judge.may_have_more_fields && judge.items.is_empty() => {
            let names = judge.named_fields.iter().map(|(name, ..)| name.clone());
            Some(names.chain([FAILURE_OUTCOME.to_owned()]).collect())
        }
        _ => None,
    }
}

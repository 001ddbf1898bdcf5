//! Collects what a file uses that is not its own.

mod call_results;
mod calls;

pub(super) use call_results::listed_kind;

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::luau::TypeInfo;
use full_moon::ast::{Ast, Expression, FunctionBody, TableConstructor};
use full_moon::tokenizer::TokenReference;

use super::callback_types::{CallbackPurpose, named_fields};
use super::file_uses::{
    CallSite, ExternalUses, GlobalUse, HookReturn, MethodCall, PathAccess, TextComparison,
    ValueSource,
};
use super::function_values::FunctionValueCollector;
use super::functions::FunctionCollector;
use super::lib_files::{RequiredFile, RequiredFileMember, required_path};
use super::literal::{AccessPath, Literal, PathRoot, literal_of, table_literal};
use super::locals::LocalId;
use super::param_inference::{ParamInference, resolve_param_path};
use super::shadowing::{LocalValue, ShadowingCollector};
use super::syntax::{table_constructor, token_line, token_name};
use super::ui_tables::{FunctionTable, UiTableCollector};

/// The globals with what earlier runs have left.
pub(crate) const PROFILE_GLOBALS: [&str; 2] = ["profile", "game_profile"];

/// Collects the uses during the walk over a file.
#[derive(Default)]
pub(super) struct UseCollector {
    /// The file, with its mod.
    file: String,
    uses: ExternalUses,
    /// The annotated types of parameters.
    annotated_params: BTreeMap<LocalId, AccessPath>,
    /// The events of the hooks around the current node, innermost last.
    enclosing_hook_events: Vec<Option<String>>,
    /// The access paths in locals, and locals that got another value.
    local_paths: BTreeMap<LocalId, AccessPath>,
    reassigned_locals: BTreeSet<LocalId>,
    /// Values that are about to be written, by the position of the name.
    pending_values: BTreeMap<usize, Literal>,
    /// Functions that are written where they are passed, by their bodies.
    callback_types: Vec<(*const FunctionBody, CallbackPurpose)>,
    /// The functions whose argument is not known yet: the line and the index of the argument.
    unknown_arguments: BTreeMap<LocalId, (u32, usize)>,
    pub(super) functions: FunctionCollector,
    /// The number of bots around the current node.
    bot_depth: usize,
    /// Locals with an event that can no longer change.
    final_event_locals: BTreeSet<LocalId>,
    /// Required files in locals.
    required_files: BTreeMap<LocalId, RequiredFile>,
    pub(super) param_inference: ParamInference,
    pub(super) shadowing: ShadowingCollector,
    pub(super) ui_tables: UiTableCollector,
    pub(super) function_values: FunctionValueCollector,
}

impl UseCollector {
    /// A collector for this file.
    pub(super) fn new(file: String, tree: &Ast) -> Self {
        Self { file, function_values: FunctionValueCollector::new(tree), ..Self::default() }
    }

    /// Records a global name.
    pub(super) fn add_global(
        &mut self,
        token: &TokenReference,
        field: Option<String>,
        assigned: bool,
    ) {
        let at = token.token().start_position().bytes();
        let (name, line) = (token_name(token), token_line(token));
        let global = || GlobalUse { name, field, line, is_assigned: assigned };
        self.uses.globals.entry(at).or_insert_with(global);
    }

    /// Enters a function with these parameters.
    pub(super) fn enter_function(&mut self, body: &FunctionBody, params: Vec<LocalId>) {
        let own = self.callback_types.iter().position(|(own, _)| std::ptr::eq(*own, body));
        let mut role = own.map(|at| self.callback_types.swap_remove(at).1).unwrap_or_default();
        self.functions.enter_function(body, role.read_only_description, role.runs_in_play);
        self.enclosing_hook_events.push(role.hook_event.take());
        self.bot_depth += usize::from(role.is_bot || self.bot_depth > 0);
        self.ui_tables.enter_function(body);
        let line = self.functions.line_of_current_function();
        if let Some(what) = role.read_only_description {
            self.ui_tables.add_ui_function(body, what, role.scene.take());
        }
        if role.is_event_final {
            self.final_event_locals.extend(params.first());
        }
        let types = body.type_specifiers().map(|one| type_name(one?.type_info()));
        for ((at, local), ty) in params.iter().enumerate().zip(types.chain(std::iter::repeat(None)))
        {
            let argument_source =
                if at == role.leading_param_count { role.argument_source.take() } else { None };
            let source = argument_source.unwrap_or_else(|| {
                self.unknown_arguments.insert(*local, (line, at));
                PathRoot::Parameter(*local)
            });
            self.local_paths.insert(
                *local,
                AccessPath { via_locals: vec![*local], ..AccessPath::from_root(source) },
            );
            if let Some(ty) = ty {
                let source = PathRoot::AnnotatedType(self.file.clone(), ty);
                self.annotated_params.insert(
                    *local,
                    AccessPath { via_locals: vec![*local], ..AccessPath::from_root(source) },
                );
            }
        }
        self.param_inference.add_params(body, params);
    }

    /// Leaves a function.
    pub(super) fn leave_function(&mut self) {
        self.functions.leave_function();
        self.enclosing_hook_events.pop();
        self.bot_depth = self.bot_depth.saturating_sub(1);
        self.ui_tables.leave_function();
    }

    /// Records a return of the current function.
    pub(super) fn add_hook_return(&mut self, value: &Expression, line: u32) {
        // `return add_call()` may only end the hook.
        let ends =
            matches!(value, Expression::FunctionCall(_)) || literal_of(value) == Literal::Nil;
        if let (Some(Some(event_name)), false) = (self.enclosing_hook_events.last(), ends) {
            self.uses.hook_returns.push(HookReturn { event: event_name.clone(), line });
        }
    }

    /// The access path of a name.
    pub(super) fn access_path_of_name(
        &self,
        local: Option<LocalId>,
        name: &str,
    ) -> Option<AccessPath> {
        match local {
            Some(local) => self.local_paths.get(&local).cloned(),
            None if name == "state" => Some(AccessPath::from_root(PathRoot::State)),
            None => Some(AccessPath::from_root(PathRoot::Global(name.to_owned()))),
        }
    }

    /// Records that a new local holds this path.
    pub(super) fn add_local_path(&mut self, local: LocalId, mut part: AccessPath) {
        part.via_locals.push(local);
        self.local_paths.insert(local, part);
    }

    /// Records that a local gets another value.
    pub(super) fn add_reassignment(&mut self, local: LocalId) {
        self.reassigned_locals.insert(local);
        self.param_inference.remove_function(local);
    }

    /// Records the value that is written at the end of a chain.
    pub(super) fn add_pending_value(&mut self, token: &TokenReference, new_value: Literal) {
        self.pending_values.insert(token.token().start_position().bytes(), new_value);
    }

    /// Records a read or a write of a path.
    pub(super) fn add_access(
        &mut self,
        token: &TokenReference,
        part: AccessPath,
        to_its_end: bool,
    ) {
        let at = token.token().start_position().bytes();
        let written_value = self.pending_values.remove(&at).filter(|_| to_its_end);
        // A field of a definition or of an option has at least two steps.
        if let PathRoot::Global(name) = &part.root
            && written_value.is_none()
            && part.path.len() < 2
            && !PROFILE_GLOBALS.contains(&&**name)
        {
            return;
        }
        let is_final =
            part.via_locals.first().is_some_and(|local| self.final_event_locals.contains(local));
        let function = self.functions.current_function();
        let (line, of_bot) = (token_line(token), self.bot_depth > 0);
        self.uses.accesses.push(PathAccess {
            path: part,
            line,
            written_value,
            function,
            is_conditional: self.functions.is_conditional(),
            is_in_final_event: is_final,
            is_in_bot: of_bot,
        });
    }

    /// Records a table that the current function returns.
    pub(super) fn add_returned_table(&mut self, value: &Expression) {
        if let Some(made) = table_constructor(value) {
            self.add_function_table(made, true);
        }
    }

    /// Records a table that may be a widget.
    pub(super) fn add_widget_table(&mut self, made: &TableConstructor) {
        if named_fields(made).any(|(name, _)| name == "widget") {
            self.add_function_table(made, false);
        }
    }

    fn add_function_table(&mut self, made: &TableConstructor, is_returned: bool) {
        if let Some(function) = self.functions.current_function() {
            let line = token_line(made.braces().tokens().0);
            let table = table_literal(made);
            let found = FunctionTable { function, table, line, is_returned };
            self.uses.function_tables.push(found);
        }
    }

    /// Records that a new local holds a required file.
    pub(super) fn add_required_file(&mut self, local: LocalId, value: &Expression) {
        if let Some(path) = required_path(value) {
            self.required_files.insert(local, RequiredFile { local_id: local, path });
        }
    }

    /// The required file in a local.
    pub(super) fn required_file(&self, local: Option<LocalId>) -> Option<&RequiredFile> {
        self.required_files.get(&local?)
    }

    /// Records a name that is read from a required file.
    pub(super) fn add_required_file_member(
        &mut self,
        local: LocalId,
        token: &TokenReference,
        field: &str,
    ) {
        if let Some(of) = self.required_files.get(&local).cloned() {
            let (local, name, line) = (token_name(token), field.to_owned(), token_line(token));
            self.uses.required_file_members.push(RequiredFileMember {
                file: of,
                local_name: local,
                name,
                line,
            });
        }
    }

    /// Records a comparison with a string literal.
    pub(super) fn add_comparison(&mut self, part: AccessPath, text: String, line: u32) {
        self.uses.comparisons.push(TextComparison { path: part, text, line });
    }

    /// Records a call with a colon.
    pub(super) fn add_method_call(&mut self, receiver: AccessPath, method: &TokenReference) {
        let (name, line) = (token_name(method), token_line(method));
        self.uses.method_calls.push(MethodCall { receiver, name, line });
    }

    /// The initial value of a local, as written.
    pub(super) fn local_value(
        &self,
        value: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> LocalValue {
        let literal = match value {
            // The value may be either operand, and an assertion changes the type.
            Expression::BinaryOperator { .. }
            | Expression::Parentheses { .. }
            | Expression::TypeAssertion { .. } => Literal::Unknown,
            value => literal_of(value),
        };
        let source = self.value_source(value, local).filter(|source| !is_global(source));
        source.map_or(LocalValue::Literal(literal), LocalValue::Source)
    }

    /// Ends the walk and resolves what is open.
    pub(super) fn into_uses(mut self) -> ExternalUses {
        let known = self.param_inference.infer_param_paths(&self.annotated_params);
        let (file, unknown) = (self.file, self.unknown_arguments);
        let is_known = |part: &mut AccessPath| {
            if let PathRoot::Parameter(local) = part.root
                && !known.contains_key(&local)
                && let Some((line, at)) = unknown.get(&local)
            {
                part.root = PathRoot::FunctionArgument(file.clone(), *line, *at);
            }
            let Some(resolved) = resolve_param_path(part, &known) else { return false };
            *part = resolved;
            !part.via_locals.iter().any(|local| self.reassigned_locals.contains(local))
        };
        self.uses.accesses.retain_mut(|one| is_known(&mut one.path));
        self.uses.comparisons.retain_mut(|one| is_known(&mut one.path));
        self.uses.method_calls.retain_mut(|one| is_known(&mut one.receiver));
        let keeps_initial_value =
            |of: &RequiredFile| !self.reassigned_locals.contains(&of.local_id);
        self.uses.required_file_members.retain(|one| keeps_initial_value(&one.file));
        self.uses.calls.retain(|one| one.required_file.as_ref().is_none_or(keeps_initial_value));
        for from in self.uses.calls.iter_mut().flat_map(CallSite::sources_mut) {
            let known = match from {
                Some(ValueSource::Path(part)) => is_known(part),
                Some(ValueSource::Call(_, Some(of))) => keeps_initial_value(of),
                _ => continue,
            };
            if !known {
                *from = None;
            }
        }
        let changes = |local, table| {
            self.reassigned_locals.contains(&local)
                || (table && self.param_inference.is_used_as_value(local))
        };
        self.uses.misused_locals = self.shadowing.into_misused_locals(changes);
        self.uses.functions_used_as_values = self.function_values.into_function_names();
        let body = |local| self.param_inference.function_body(local);
        self.uses.functions = self.functions.into_functions(body);
        let returned = self.uses.functions.iter_mut().flat_map(|one| &mut one.returned_sources);
        for source in returned {
            let known = match source {
                Some(ValueSource::Path(part)) => is_known(part),
                Some(ValueSource::Call(_, Some(of))) => keeps_initial_value(of),
                _ => continue,
            };
            if !known {
                *source = None;
            }
        }
        self.uses.ui_tables =
            self.ui_tables.into_ui_tables(body, |local| !self.reassigned_locals.contains(&local));
        self.uses.misused_locals.retain_mut(|one| match &mut one.value {
            LocalValue::Source(ValueSource::Path(part)) => is_known(part),
            LocalValue::Source(ValueSource::Call(_, Some(of))) => keeps_initial_value(of),
            _ => true,
        });
        self.uses
    }
}

fn is_global(source: &ValueSource) -> bool {
    matches!(source, ValueSource::Path(AccessPath { root: PathRoot::Global(_), .. }))
}

/// The name of a type that is a single name, optional or not.
fn type_name(ty: &TypeInfo) -> Option<String> {
    match ty {
        TypeInfo::Basic(token) => Some(token_name(token)),
        TypeInfo::Optional { base, .. } => type_name(base),
        _ => None,
    }
}

//! Calls of global functions and of required files: arguments, events, and the roles of callbacks.

use full_moon::ast::{Call, Expression, FunctionArgs, FunctionBody, Parameter, Suffix};
use full_moon::node::Node as _;

use super::super::callback_types::{CallbackPurpose, find_callback_purposes, named_fields};
use super::super::file_uses::{CallSite, EventUse};
use super::super::lib_files::RequiredFile;
use super::super::literal::{
    Literal, PathRoot, literal_of, may_give_several_values, table_literal,
};
use super::super::locals::LocalId;
use super::super::syntax::{
    AccessChain, first_chain_name, first_string_token, name_of_plain_variable, string_token,
    string_value, table_constructor, token_line, token_name,
};
use super::super::ui_tables::prompt_function_name;
use super::UseCollector;

impl UseCollector {
    /// Records a call of a global function, or of a function of a required file.
    pub(in super::super) fn add_call(
        &mut self,
        called: &str,
        required_file: Option<RequiredFile>,
        call: &impl AccessChain,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let mut suffixes = call.suffixes().skip_while(|suffix| matches!(suffix, Suffix::Index(_)));
        let Some(Suffix::Call(Call::AnonymousCall(arguments))) = suffixes.next() else { return };
        let line = first_chain_name(call.prefix()).map_or(0, |token| token_line(token));
        let list: Vec<&Expression> = match &**arguments {
            FunctionArgs::Parentheses { arguments, .. } => arguments.iter().collect(),
            _ => Vec::new(),
        };
        let several = list.last().is_some_and(|last| may_give_several_values(last));
        let count = match &**arguments {
            FunctionArgs::Parentheses { .. } => list.len() - usize::from(several),
            _ => 1,
        };
        let name = called.to_owned();
        let literals = match &**arguments {
            FunctionArgs::String(token) => vec![Literal::Text(string_value(token.token()))],
            FunctionArgs::TableConstructor(made) => vec![Literal::Table(table_literal(made))],
            _ => list.iter().map(|one| literal_of(one)).collect(),
        };
        let argument_sources = list.iter().map(|one| self.value_source(one, &local)).collect();
        let awarded = match &**arguments {
            FunctionArgs::TableConstructor(made) => Some(&**made),
            _ => list.first().and_then(|one| table_constructor(one)),
        };
        let awarded_sources =
            awarded.filter(|_| called == "award").into_iter().flat_map(named_fields);
        let awarded_sources =
            awarded_sources.map(|(name, value)| (name, self.value_source(value, &local))).collect();
        let (open, argument_literals) = (several, literals);
        let function = self.functions.current_function();
        let of_a_file = required_file.is_some();
        self.uses.calls.push(CallSite {
            name,
            required_file,
            line,
            min_argument_count: count,
            may_have_more_arguments: open,
            argument_literals,
            argument_sources,
            awarded_sources,
            function,
            is_conditional: self.functions.is_conditional(),
        });
        if of_a_file {
            return;
        }
        let first = first_string_token(arguments).and_then(|token| string_value(token.token()));
        let scene = first.as_ref().filter(|_| called == "scene");
        let is_inside_call = self.functions.is_inside_call();
        for (body, role) in find_callback_purposes(called, call, is_inside_call) {
            self.callback_types.push((body, CallbackPurpose { scene: scene.cloned(), ..role }));
        }
        if called == "scene"
            && let Some(held) = prompt_function_name(call).and_then(|name| local(&name))
        {
            self.ui_tables.add_prompt_function(held, scene.cloned());
        }
        match (called, list.as_slice()) {
            ("wrap", [Expression::Function(wrapper)]) if !uses_first_param(wrapper.body()) => {
                self.uses.wraps_without_original.push(line);
            }
            ("before" | "after" | "emit" | "preview", arguments) => {
                self.add_event_use(called, first, arguments, line, &local);
            }
            // Calls its first argument with the others.
            ("pcall", [function, arguments @ ..]) | ("xpcall", [function, _, arguments @ ..]) => {
                let function_name = self.function_values.global_function(function, &local);
                if let Some("before" | "after" | "emit" | "preview") = function_name.as_deref() {
                    name_of_plain_variable(function)
                        .into_iter()
                        .for_each(|token| self.function_values.add_resolved_name(token));
                    let first = arguments.first().and_then(|one| string_token(one));
                    let first = first.and_then(|token| string_value(token.token()));
                    let called = function_name.unwrap_or_default();
                    self.add_event_use(&called, first, arguments, line, &local);
                }
            }
            _ => {}
        }
    }

    /// Records a use of an event, and the hook that is passed with it.
    fn add_event_use(
        &mut self,
        called: &str,
        name: Option<String>,
        arguments: &[&Expression],
        line: u32,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        // `emit` passes the event to a function after its hooks.
        let hook = arguments.get(if called == "emit" { 2 } else { 1 });
        match (&name, hook) {
            (Some(event_name), Some(Expression::Function(hook))) => {
                let read_only_label = (called == "before").then_some("a before-hook");
                let argument_source = Some(PathRoot::Event(event_name.clone()));
                let is_final = called == "after";
                let on = (called != "emit").then(|| event_name.clone());
                let role = CallbackPurpose {
                    argument_source,
                    read_only_description: read_only_label,
                    is_event_final: is_final,
                    runs_in_play: on.is_some(),
                    hook_event: on,
                    ..CallbackPurpose::default()
                };
                self.callback_types.push((hook.body(), role));
            }
            (Some(event_name), Some(hook)) => {
                let hook_local =
                    name_of_plain_variable(hook).and_then(|token| local(&token_name(token)));
                if let Some(local) = hook_local {
                    self.param_inference.add_hook(local, event_name.clone());
                    if called != "emit" {
                        let description = (called == "before").then_some("a before-hook");
                        self.functions.add_hook(local, description);
                    }
                }
            }
            _ => {}
        }
        let event = arguments.get(1).and_then(|event| table_constructor(event)).map(table_literal);
        self.uses.events.push(EventUse {
            host_function: called.to_owned(),
            name,
            line,
            event_table: event,
        });
    }
}

/// Whether a function names its first parameter, the function that it wraps.
fn uses_first_param(body: &FunctionBody) -> bool {
    let Some(Parameter::Name(original)) = body.parameters().iter().next() else {
        // `...` passes everything on.
        return !body.parameters().is_empty();
    };
    let name = token_name(original);
    body.block().tokens().any(|token| token_name(token) == name)
}

//! Collects what a file uses that is not its own.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::luau::TypeInfo;
use full_moon::ast::{Call, Expression, FunctionArgs, FunctionBody, FunctionCall, Suffix};
use full_moon::tokenizer::TokenReference;

use super::handed::{Handed, resolved};
use super::hidden::{Hiding, Holds};
use super::locals::LocalId;
use super::names::{bare, callee, first_text, front, line, name, name as name_of, table, text};
use super::required::{Asked, Required, is_plain, path};
use super::roles::{Role, roles};
use super::said::{Part, Said, Whole, may_be_several, part, said, table as written};
use super::shown::{Showing, prompt_of};
use super::used::{Calling, Compared, From, GivenBack, Global, MomentUse, PartUse, Uses};
use crate::script::BELOW;

/// Collects the uses during the walk over a file.
#[derive(Default)]
pub(super) struct Gatherer {
    /// The file, with its mod.
    file: String,
    uses: Uses,
    /// The annotated types of parameters.
    typed: BTreeMap<LocalId, Part>,
    /// The events of the hooks around the current node, innermost last.
    hooks: Vec<Option<String>>,
    /// The access paths in locals, and locals that got another value.
    held: BTreeMap<LocalId, Part>,
    lost: BTreeSet<LocalId>,
    /// Values that are about to be written, by the position of the name.
    given: BTreeMap<usize, Said>,
    /// Functions that are written where they are passed, by their bodies.
    roles: Vec<(*const FunctionBody, Role)>,
    /// The read-only descriptions of the functions around the current node, innermost last.
    looks: Vec<Option<&'static str>>,
    /// The number of bots around the current node.
    in_bot: usize,
    /// Locals with an event that can no longer change.
    finals: BTreeSet<LocalId>,
    /// Required files in locals.
    required: BTreeMap<LocalId, Required>,
    pub(super) handed: Handed,
    pub(super) hiding: Hiding,
    pub(super) showing: Showing,
}

impl Gatherer {
    /// A collector for this file.
    pub(super) fn of(file: String) -> Self {
        Self { file, ..Self::default() }
    }

    /// Records a global name.
    pub(super) fn global(&mut self, token: &TokenReference, field: Option<String>, assigned: bool) {
        let at = token.token().start_position().bytes();
        let (name, line) = (name(token), line(token));
        let global = || Global { name, field, further: None, line, assigned };
        self.uses.globals.entry(at).or_insert_with(global);
    }

    /// Records the second field of a chain.
    pub(super) fn goes_on(&mut self, token: &TokenReference, further: &TokenReference) {
        let at = token.token().start_position().bytes();
        if let Some(global) = self.uses.globals.get_mut(&at) {
            global.further = Some(name(further));
        }
    }

    /// Enters a function with these parameters.
    pub(super) fn begin(&mut self, body: &FunctionBody, takes: Vec<LocalId>) {
        let own = self.roles.iter().position(|(own, _)| std::ptr::eq(*own, body));
        let mut role = own.map(|at| self.roles.swap_remove(at).1).unwrap_or_default();
        self.looks.push(role.looks);
        self.hooks.push(role.hook.take());
        self.in_bot += usize::from(role.is_bot || self.in_bot > 0);
        self.showing.begin(body);
        if let Some(what) = role.looks {
            self.showing.shows(body, what, role.scene.take());
        }
        if role.is_final {
            self.finals.extend(takes.first());
        }
        let types = body.type_specifiers().map(|one| type_name(one?.type_info()));
        for ((at, local), ty) in takes.iter().enumerate().zip(types.chain(std::iter::repeat(None)))
        {
            let given = if at == role.skip { role.given.take() } else { None };
            let of = given.unwrap_or(Whole::Given(*local));
            self.held.insert(*local, Part { by: vec![*local], ..Part::all(of) });
            if let Some(ty) = ty {
                let of = Whole::Typed(self.file.clone(), ty);
                self.typed.insert(*local, Part { by: vec![*local], ..Part::all(of) });
            }
        }
        self.handed.takes(body, takes);
    }

    /// Leaves a function.
    pub(super) fn end(&mut self) {
        self.looks.pop();
        self.hooks.pop();
        self.in_bot = self.in_bot.saturating_sub(1);
        self.showing.end();
    }

    /// Records a return of the current function.
    pub(super) fn gives_back(&mut self, value: &Expression, line: u32) {
        // `return call()` may only end the hook.
        let ends = matches!(value, Expression::FunctionCall(_)) || said(value) == Said::Nil;
        if let (Some(Some(moment)), false) = (self.hooks.last(), ends) {
            self.uses.given_back.push(GivenBack { moment: moment.clone(), line });
        }
    }

    /// The access path of a name.
    pub(super) fn held(&self, local: Option<LocalId>, name: &str) -> Option<Part> {
        match local {
            Some(local) => self.held.get(&local).cloned(),
            None if name == "state" => Some(Part::all(Whole::State)),
            None => None,
        }
    }

    /// Records that a new local holds this path.
    pub(super) fn holds(&mut self, local: LocalId, mut part: Part) {
        part.by.push(local);
        self.held.insert(local, part);
    }

    /// Records that a local gets another value.
    pub(super) fn assigned(&mut self, local: LocalId) {
        self.lost.insert(local);
        self.handed.lost(local);
    }

    /// Records the value that is written at the end of a chain.
    pub(super) fn gives(&mut self, token: &TokenReference, given: Said) {
        self.given.insert(token.token().start_position().bytes(), given);
    }

    /// Records a read or a write of a path.
    pub(super) fn part(&mut self, token: &TokenReference, part: Part, to_its_end: bool) {
        let at = token.token().start_position().bytes();
        let given = self.given.remove(&at).filter(|_| to_its_end);
        let is_final = part.by.first().is_some_and(|local| self.finals.contains(local));
        let looks = self.looks.last().copied().flatten();
        let (line, of_bot) = (line(token), self.in_bot > 0);
        self.uses.parts.push(PartUse { part, line, given, looks, is_final, of_bot });
    }

    /// Records that a new local holds a required file.
    pub(super) fn requires(&mut self, local: LocalId, value: &Expression) {
        if let Some(path) = path(value) {
            self.required.insert(local, Required { local, path });
        }
    }

    /// The required file in a local.
    pub(super) fn required(&self, local: Option<LocalId>) -> Option<&Required> {
        self.required.get(&local?)
    }

    /// Records a name that is read from a required file.
    pub(super) fn asks(&mut self, local: LocalId, token: &TokenReference, field: &str) {
        if let Some(of) = self.required.get(&local).cloned() {
            let (local, name, line) = (name(token), field.to_owned(), line(token));
            self.uses.asked.push(Asked { of, local, name, line });
        }
    }

    /// Records a comparison with a string literal.
    pub(super) fn compares(&mut self, part: Part, with: String, line: u32) {
        self.uses.compared.push(Compared { part, with, line });
    }

    /// Records a call of a global function, or of a function of a required file.
    pub(super) fn call(
        &mut self,
        called: &str,
        of: Option<Required>,
        call: &FunctionCall,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let mut suffixes = call.suffixes().skip_while(|suffix| matches!(suffix, Suffix::Index(_)));
        let Some(Suffix::Call(Call::AnonymousCall(arguments))) = suffixes.next() else { return };
        let line = front(call.prefix()).map_or(0, |token| line(token));
        let list: Vec<&Expression> = match &**arguments {
            FunctionArgs::Parentheses { arguments, .. } => arguments.iter().collect(),
            _ => Vec::new(),
        };
        let several = list.last().is_some_and(|last| may_be_several(last));
        let count = match &**arguments {
            FunctionArgs::Parentheses { .. } => list.len() - usize::from(several),
            _ => 1,
        };
        let name = called.to_owned();
        let plainly = match &**arguments {
            FunctionArgs::String(token) => vec![Said::Text(text(token.token()))],
            FunctionArgs::TableConstructor(made) => vec![Said::Table(written(made))],
            _ => list.iter().map(|one| said(one)).collect(),
        };
        let from = list.iter().map(|one| self.from(one, &local)).collect();
        let (open, said) = (several, plainly);
        let looks = self.looks.last().copied().flatten();
        let of_a_file = of.is_some();
        self.uses.calls.push(Calling { name, of, line, arguments: count, open, said, from, looks });
        if of_a_file {
            return;
        }
        let first = first_text(arguments).and_then(|token| text(token.token()));
        let scene = first.as_ref().filter(|_| called == "scene");
        for (body, role) in roles(called, call) {
            self.roles.push((body, Role { scene: scene.cloned(), ..role }));
        }
        if called == "scene"
            && let Some(held) = prompt_of(call).and_then(|name| local(&name))
        {
            self.showing.prompts(held, scene.cloned());
        }
        match called {
            "before" | "after" | "emit" | "preview" => {
                // `emit` passes the event to a function after its hooks.
                let hook = list.get(if called == "emit" { 2 } else { 1 });
                match (&first, hook) {
                    (Some(moment), Some(Expression::Function(hook))) => {
                        let looks = (called == "before").then_some("a before-hook");
                        let given = Some(Whole::Event(moment.clone()));
                        let is_final = called == "after";
                        let on = (called != "emit").then(|| moment.clone());
                        let role = Role { given, looks, is_final, hook: on, ..Role::default() };
                        self.roles.push((hook.body(), role));
                    }
                    (Some(moment), Some(hook)) => {
                        let named = bare(hook).and_then(|token| local(&name_of(token)));
                        named.into_iter().for_each(|one| self.handed.hangs(one, moment.clone()));
                    }
                    _ => {}
                }
                let event = list.get(1).and_then(|event| table(event)).map(written);
                let verb = called.to_owned();
                self.uses.moments.push(MomentUse { verb, name: first, line, event });
            }
            _ => {}
        }
    }

    /// The initial value of a local, as written.
    pub(super) fn written_out(
        &self,
        value: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Holds {
        let plainly = match value {
            // The value may be either operand, and an assertion changes the type.
            Expression::BinaryOperator { .. }
            | Expression::Parentheses { .. }
            | Expression::TypeAssertion { .. } => Said::Untold,
            value => said(value),
        };
        self.from(value, local).map_or(Holds::Said(plainly), Holds::From)
    }

    /// The source of a value.
    fn from(&self, one: &Expression, local: impl Fn(&str) -> Option<LocalId>) -> Option<From> {
        let part = part(one, &|name| self.held(local(name), name));
        let told = |part: &Part| !part.path.is_empty() || part.of != Whole::State;
        part.filter(told).map(From::Part).or_else(|| {
            let (called, of) = self.called(one, local)?;
            Some(From::Call(called, of))
        })
    }

    /// The function whose call an expression is, if it is not a local of the file.
    fn called(
        &self,
        one: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<(String, Option<Required>)> {
        let Expression::FunctionCall(call) = one else { return None };
        let held = local(&name_of(front(call.prefix())?));
        let of = self.required(held).filter(|_| is_plain(call)).cloned();
        let own = held.is_some() && of.is_none();
        let ends = matches!(call.suffixes().last(), Some(Suffix::Call(_)));
        let calls = call.suffixes().filter(|suffix| matches!(suffix, Suffix::Call(_))).count();
        let (called, _) = callee(call).filter(|_| !own && ends && calls == 1)?;
        Some((called, of))
    }

    /// The access path of one result of a call.
    pub(super) fn given_by(
        &self,
        call: &Expression,
        at: usize,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<Part> {
        let (called, of) = self.called(call, local)?;
        if let (None, "roll", 1, Some(words)) = (&of, &*called, at, roll_words(call)) {
            return Some(Part::all(Whole::Roll(words)));
        }
        let by = of.iter().map(|of| of.local).collect();
        let of = Whole::Gives(self.file.clone(), (called, of.map(|of| of.path)), at);
        Some(Part { by, ..Part::all(of) })
    }

    /// The access path of the first result of a global function.
    pub(super) fn whole_given_by(&self, called: String) -> Part {
        Part::all(Whole::Gives(self.file.clone(), (called, None), 0))
    }

    /// Ends the walk and resolves what is open.
    pub(super) fn finish(mut self) -> Uses {
        let known = self.handed.known(&self.typed);
        let is_known = |part: &mut Part| {
            let Some(whole) = resolved(part, &known) else { return false };
            *part = whole;
            !part.by.iter().any(|local| self.lost.contains(local))
        };
        self.uses.parts.retain_mut(|one| is_known(&mut one.part));
        self.uses.compared.retain_mut(|one| is_known(&mut one.part));
        let stays = |of: &Required| !self.lost.contains(&of.local);
        self.uses.asked.retain(|one| stays(&one.of));
        self.uses.calls.retain(|one| one.of.as_ref().is_none_or(stays));
        for from in self.uses.calls.iter_mut().flat_map(|call| &mut call.from) {
            let known = match from {
                Some(From::Part(part)) => is_known(part),
                Some(From::Call(_, Some(of))) => stays(of),
                _ => continue,
            };
            if !known {
                *from = None;
            }
        }
        let changes =
            |local, table| self.lost.contains(&local) || (table && self.handed.is_kept(local));
        self.uses.hidden = self.hiding.finish(changes);
        let body = |local| self.handed.body(local);
        self.uses.shown = self.showing.finish(body, |local| !self.lost.contains(&local));
        self.uses.hidden.retain_mut(|one| match &mut one.holds {
            Holds::From(From::Part(part)) => is_known(part),
            Holds::From(From::Call(_, Some(of))) => stays(of),
            _ => true,
        });
        self.uses
    }
}

/// The outcomes of a roll, if they are written out: `roll("2d6", "dive", { outcome = { clean = 9 }
/// })`.
fn roll_words(call: &Expression) -> Option<Vec<String>> {
    let Expression::FunctionCall(call) = call else { return None };
    let (_, arguments) = callee(call)?;
    let FunctionArgs::Parentheses { arguments, .. } = arguments? else { return None };
    let about = written(table(arguments.iter().nth(2)?)?);
    match about.said("outcome")? {
        Said::Table(judge) if !judge.open && judge.items.is_empty() => {
            let names = judge.named.iter().map(|(name, ..)| name.clone());
            Some(names.chain([BELOW.to_owned()]).collect())
        }
        _ => None,
    }
}

/// The name of a type that is a single name, optional or not.
fn type_name(ty: &TypeInfo) -> Option<String> {
    match ty {
        TypeInfo::Basic(token) => Some(name_of(token)),
        TypeInfo::Optional { base, .. } => type_name(base),
        _ => None,
    }
}
